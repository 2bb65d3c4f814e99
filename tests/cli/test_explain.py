"""`evomask explain`: what paid, how the front grew, and the family of a point."""

import json

from tests.cli.conftest import ROLES, write_town


def test_the_released_point_is_explained_as_in_the_record(evomask, protection):
    answer = evomask("explain", protection.folder, "--json")
    found = json.loads(answer.out)
    record = json.loads((protection.folder / "record.json").read_bytes())
    assert found["sentences"] == record["explanation"]["sentences"]
    assert found["point"] == protection.answer["chosen"]["point"]
    assert found["growth"][-1]["points"] == len(protection.answer["front"])
    assert {one["name"] for one in found["searches"]} == set(protection.answer["shares"])


def test_another_point_is_explained_from_the_snapshot(evomask, protection):
    other = next(
        one["point"]
        for one in protection.answer["front"]
        if one["point"] != protection.answer["chosen"]["point"]
    )
    answer = evomask("explain", protection.folder, "--point", other)
    assert answer.code == 0
    assert answer.out.startswith(f"point {other}  The masking ")
    assert "hypervolume" in answer.out


def test_the_report_has_the_sentences_and_the_growth(evomask, protection):
    page = (protection.folder / "report-internal.html").read_text(encoding="utf-8")
    assert "How the chosen file was found" in page
    assert "The front as the search went on" in page
    public = (protection.folder / "report-public.html").read_text(encoding="utf-8")
    assert "How the chosen file was found" not in public
    assert "explanation" not in json.loads((protection.folder / "record-public.json").read_bytes())


def test_the_run_of_a_single_search_is_refused(evomask, tmp_path):
    path = write_town(tmp_path)
    evomask(
        "search", "partition", path, *ROLES, "-k", 3, "--generations", 2, "--run",
        tmp_path / "run", "--out", tmp_path / "masked.csv", "--quiet",
    )  # fmt: skip
    answer = evomask("explain", tmp_path / "run", "--quiet")
    assert answer.code == 1
    assert answer.err.count("\n") == 1
