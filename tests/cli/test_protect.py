import json
import re
from pathlib import Path

import polars as pl
import pytest

from tests.cli.conftest import ASKED, ROLES, write_town


@pytest.fixture
def town(tmp_path):
    return write_town(tmp_path)


def masked_file(protected):
    return pl.read_csv(protected.answer["masked"])


def test_the_released_file_fulfils_what_is_required(once_protected):
    masked = masked_file(once_protected)
    assert masked.group_by("age", "income", "school").len()["len"].min() >= 3


def test_identifiers_are_dropped_and_columns_keep_their_order(once_protected):
    assert masked_file(once_protected).columns == ["age", "income", "school"]


def test_integers_stay_integers(once_protected):
    assert masked_file(once_protected)["age"].dtype == pl.Int64


def test_no_point_of_the_front_beats_another(once_protected):
    front = once_protected.answer["front"]
    assert len(front) > 1
    for one in front:
        for other in front:
            assert one is other or one["loss"] < other["loss"] or one["risk"] < other["risk"]


def test_the_balanced_offer_is_chosen_where_more_is_accepted(once_protected):
    offers = {offer["name"]: offer for offer in once_protected.answer["offers"]}
    assert list(offers) == ["careful", "balanced", "useful"]
    assert once_protected.answer["chosen"]["point"] == offers["balanced"]["point"]


def test_nothing_is_released_beyond_the_limits_and_three_points_are_offered(
    evomask, town, tmp_path
):
    folder = tmp_path / "release"
    words = ("--max-risk", "0.001", "--release", "public", "--out", folder)
    answer = evomask("protect", town, *ASKED, *words)
    found = json.loads(answer.out)
    assert answer.code == 3
    assert found["released"] is False
    assert "no point has a risk of at most 0.001 %" in found["error"]
    assert not (folder / "masked").exists()
    points = {point["point"]: point for point in found["front"]}
    for offer in found["offers"]:
        point = points[offer["point"]]
        assert (offer["loss"], offer["risk"]) == (point["loss"], point["risk"])
        assert offer["above_limit"] == {"risk": 0.001} | (
            {"loss": 40} if point["loss"] > 40 else {}
        )
        assert len(offer["sentences"]) == 2
    ended = json.loads((folder / "journal.jsonl").read_text().splitlines()[-1])
    assert [offer["name"] for offer in ended["offers"]] == ["careful", "balanced", "useful"]

    refused = evomask(
        "choose",
        folder,
        "--point",
        1,
        "--max-risk",
        100,
        "--release",
        "public",
        "--max-loss",
        "0.001",
        "--json",
        "--quiet",
    )
    assert refused.code == 3
    assert "no point has" in json.loads(refused.out)["error"]
    *words, flag = found["offers"][0]["command"].split()
    assert flag.startswith("--accept-")
    taken = evomask(*words[1:], flag, "--json", "--quiet")
    assert taken.code == 0
    assert json.loads(taken.out)["chosen"]["point"] == found["offers"][0]["point"]


def test_a_named_point_beyond_a_limit_must_be_accepted(evomask, protection):
    risky = max(protection.answer["front"], key=lambda point: point["risk"])
    words = ("choose", protection.folder, "--point", risky["point"], "--release", "public")
    answer = evomask(*words, "--quiet")
    assert answer.code == 3
    assert f"a risk of {risky['risk']:.1f} %, above the limit of 10 %" in " ".join(
        answer.out.split()
    )
    assert evomask(*words, "--accept-risk", "--accept-loss", "--quiet").code == 0


def test_nothing_but_the_answer_is_printed_when_quiet(once_protected):
    assert once_protected.complaints == ""


def test_the_guarantees_of_the_chosen_file_are_told(once_protected):
    assert once_protected.answer["chosen"]["k"] >= 3


def test_the_same_seed_makes_the_same_bytes_with_any_number_of_workers(
    evomask, once_protected, town, tmp_path
):
    folder = tmp_path / "release"
    assert evomask("protect", town, *ASKED, "--workers", 1, "--out", folder).code == 0
    front, masked = (
        [(place / name).read_bytes() for place in (folder, once_protected.folder)]
        for name in ("front.parquet", "masked/town.csv")
    )
    assert front[0] == front[1]
    assert masked[0] != masked[1]
    assert sorted(masked[0].splitlines()) == sorted(masked[1].splitlines())


def test_records_are_shuffled(evomask, town, tmp_path):
    words = ("--quasi", "age", "--drop", "name", "--keep", "income", "--seed", 5, "--seconds", 0)
    answer = evomask("protect", town, *words, "--json", "--quiet", "--out", tmp_path / "release")
    masked = pl.read_csv(json.loads(answer.out)["masked"])
    original = pl.read_csv(town)
    assert masked["income"].to_list() != original["income"].to_list()
    assert sorted(masked["income"].to_list()) == sorted(original["income"].to_list())


def test_the_reports_are_pages_without_scripts_or_outside_requests(once_protected):
    for path in once_protected.answer["reports"]:
        page = Path(path).read_text(encoding="utf-8")
        assert "<script" not in page
        assert not re.search(r"(src|href)=\"https?:", page)
        assert "anonymous" not in page


def test_the_folder_is_for_its_owner_alone(once_protected):
    assert once_protected.folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_with_something_in_it_is_left_alone(evomask, town, tmp_path):
    folder = tmp_path / "release"
    folder.mkdir()
    (folder / "precious").touch()
    answer = evomask("protect", town, *ASKED, "--out", folder)
    assert answer.code == 1
    assert "is not empty" in json.loads(answer.out)["error"]


def test_an_impossible_requirement_is_said_before_anything_is_made(evomask, town, tmp_path):
    answer = evomask(
        "protect", town, *ROLES, "--require", "k=61", "--quiet", "--out", tmp_path / "release"
    )
    assert answer.code == 1
    assert "k must not exceed the number of records" in answer.err
    assert not (tmp_path / "release").exists()
