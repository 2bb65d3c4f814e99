"""Resuming, interrupting and choosing as a user does it."""

import json
import signal
import time

import polars as pl

from tests.cli.conftest import ROLES, evomask_process, write_town


def test_another_point_is_written_by_its_number(evomask, protection):
    number = protection.answer["front"][-1]["point"]
    answer = evomask("choose", protection.folder, "--point", number, "--json", "--quiet")
    found = json.loads(answer.out)
    assert answer.code == 0
    assert found["chosen"]["point"] == number
    assert pl.read_csv(found["masked"]).height == 60


def test_points_are_numbered_from_1_by_loss_wherever_they_are_told(evomask, protection):
    front = protection.answer["front"]
    losses = [point["loss"] for point in front]
    assert [point["point"] for point in front] == list(range(1, len(front) + 1))
    assert losses == sorted(losses)
    rows = pl.read_parquet(protection.folder / "front.parquet")
    record = json.loads((protection.folder / "record.json").read_bytes())
    for told in (rows.to_dicts(), record["points"]["front"]):
        assert [(p["point"], p["file"]) for p in told] == [(p["point"], p["file"]) for p in front]


def test_the_number_that_an_earlier_version_gave_is_understood(evomask, protection):
    front = protection.answer["front"]
    late = next(point for point in front if point["file"] > len(front))
    answer = evomask("choose", protection.folder, "--pick", late["file"], "--json", "--quiet")
    assert json.loads(answer.out)["chosen"]["point"] == late["point"]


def test_a_chosen_number_stays_with_its_file_when_the_search_goes_on(evomask, protection):
    answer = evomask("choose", protection.folder, "--point", 2, "--json", "--quiet")
    assert json.loads(answer.out)["reason"] == "the point that was named"
    file = protection.answer["front"][1]["file"]
    assert f'pick = "file={file}"' in (protection.folder / "plan.toml").read_text()


def test_people_get_a_table_and_are_told_where_to_look(evomask, protection):
    evomask("choose", protection.folder, "--pick", "knee", "--quiet")
    answer = evomask("choose", protection.folder)
    assert f"> balanced  {protection.answer['chosen']['point']:>5}" in answer.out
    assert "no point is within the limits" in answer.out
    assert "re-identification" in answer.out
    assert "risk  method" in answer.out
    front = answer.out.split("released ")[0]
    assert max(map(len, front.splitlines())) <= 80
    assert "original" in answer.out
    assert str(protection.folder / "report-internal.html") in answer.out


def test_a_limit_chooses_the_least_loss_within_it(evomask, protection):
    front = protection.answer["front"]
    wish = f"max-risk={front[1]['risk'] + 0.01:.2f}"
    answer = evomask("choose", protection.folder, "--pick", wish, "--json", "--quiet")
    assert json.loads(answer.out)["chosen"]["point"] == front[1]["point"]


def test_a_point_that_does_not_exist_is_one_sentence(evomask, protection):
    answer = evomask("choose", protection.folder, "--pick", "9999")
    assert answer.code == 1
    assert "the front has no point 9999" in answer.err


def test_a_folder_without_a_run_is_one_sentence(evomask, tmp_path):
    answer = evomask("choose", tmp_path)
    assert answer.code == 1
    assert "holds no run" in answer.err


def test_a_finished_job_resumed_answers_the_same(evomask, protection):
    again = json.loads(evomask("resume", protection.folder, "--json", "--quiet").out)
    assert again["front"] == protection.answer["front"]
    assert again["chosen"] == protection.answer["chosen"]


def test_ctrl_c_stops_cleanly_and_keeps_the_front(tmp_path):
    folder = tmp_path / "release"
    words = (*ROLES, "--require", "k=3", "--seconds", 300, "--json", "--quiet", "--workers", 2)
    run = evomask_process("protect", write_town(tmp_path), *words, "--out", folder)
    journal = folder / "journal.jsonl"
    while not (journal.exists() and b'"member"' in journal.read_bytes()):
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    out, _ = run.communicate(timeout=300)
    found = json.loads(out)
    assert run.returncode == 130
    assert found["interrupted"]
    assert found["front"]
    assert (folder / "masked" / "town.csv").exists()


def test_limits_are_options_of_their_own(evomask, protection):
    front = protection.answer["front"]
    limit = sorted(point["risk"] for point in front)[len(front) // 2]
    answer = evomask("choose", protection.folder, "--max-risk", limit, "--json", "--quiet")
    found = json.loads(answer.out)
    allowed = [point["loss"] for point in front if point["risk"] <= limit]
    assert found["chosen"]["loss"] == min(allowed)


def test_a_limit_that_no_point_keeps_is_answered_by_the_nearest(evomask, protection):
    answer = evomask("choose", protection.folder, "--max-risk", 0, "--max-loss", 0, "--quiet")
    assert answer.code != 0
    text = " ".join(answer.out.split())
    assert "no point has a risk of at most 0 % and a loss of at most 0 %" in text
    assert "the nearest, point" in text


def test_an_error_of_tables_is_no_limit_where_none_must_survive(evomask, protection):
    answer = evomask("choose", protection.folder, "--max-table-error", 5, "--quiet")
    assert "name one with --keep-table" in answer.err
