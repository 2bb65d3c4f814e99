import json
import re

import polars as pl
import pytest


@pytest.fixture
def town(tmp_path):
    """Sixty people with numbers and ordered categories."""
    lines = ["name,age,income,school"]
    lines += [
        f"p{i},{20 + (i * 7) % 50},{1000 + (i * 37) % 900},{'abc'[(i * 5) % 3]}" for i in range(60)
    ]
    path = tmp_path / "town.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def roles():
    return ("--quasi", "age,income,school", "--drop", "name", "--ordinal", "school")


def protect(evomask, town, roles, folder, *more):
    words = ("--require", "k=3", "--seed", 5, "--evaluations", 30, "--json", "--quiet")
    return evomask("protect", town, *roles, *words, "--out", folder, *more)


def test_the_released_file_fulfils_what_is_required(evomask, town, roles, tmp_path):
    answer = protect(evomask, town, roles, tmp_path / "release")
    masked = pl.read_csv(json.loads(answer.out)["masked"])
    assert masked.group_by("age", "income", "school").len()["len"].min() >= 3


def test_identifiers_are_dropped_and_columns_keep_their_order(evomask, town, roles, tmp_path):
    answer = protect(evomask, town, roles, tmp_path / "release")
    assert pl.read_csv(json.loads(answer.out)["masked"]).columns == ["age", "income", "school"]


def test_no_point_of_the_front_beats_another(evomask, town, roles, tmp_path):
    front = json.loads(protect(evomask, town, roles, tmp_path / "release").out)["front"]
    assert len(front) > 1
    for one in front:
        for other in front:
            assert one is other or one["loss"] < other["loss"] or one["risk"] < other["risk"]


def test_the_balanced_point_is_chosen(evomask, town, roles, tmp_path):
    found = json.loads(protect(evomask, town, roles, tmp_path / "release").out)
    worst = [max(point["loss"], point["risk"]) for point in found["front"]]
    assert found["chosen"]["score"] == pytest.approx(min(worst))


def test_the_same_seed_makes_the_same_bytes_with_any_number_of_workers(
    evomask, town, roles, tmp_path
):
    contents = []
    for workers in (1, 2):
        folder = tmp_path / f"release{workers}"
        answer = protect(evomask, town, roles, folder, "--workers", workers)
        contents.append((folder / "masked" / "town.csv").read_bytes())
        assert answer.code == 0
    assert contents[0] == contents[1]


def test_records_are_shuffled(evomask, town, roles, tmp_path):
    words = ("--quasi", "age", "--drop", "name", "--seed", 5, "--json", "--quiet")
    answer = evomask("protect", town, *words, "--seconds", 0, "--out", tmp_path / "release")
    masked = pl.read_csv(json.loads(answer.out)["masked"])
    original = pl.read_csv(town)
    assert masked["income"].to_list() != original["income"].to_list()
    assert sorted(masked["income"].to_list()) == sorted(original["income"].to_list())


def test_the_report_is_one_page_without_scripts_or_outside_requests(evomask, town, roles, tmp_path):
    answer = protect(evomask, town, roles, tmp_path / "release")
    page = (tmp_path / "release" / "report-internal.html").read_text(encoding="utf-8")
    assert json.loads(answer.out)["reports"][0] == str(tmp_path / "release/report-internal.html")
    assert "<script" not in page
    assert not re.search(r"(src|href)=\"https?:", page)
    assert "anonymous" not in page


def test_the_folder_is_for_its_owner_alone(evomask, town, roles, tmp_path):
    protect(evomask, town, roles, tmp_path / "release")
    assert (tmp_path / "release").stat().st_mode & 0o777 == 0o700


def test_a_folder_with_something_in_it_is_left_alone(evomask, town, roles, tmp_path):
    folder = tmp_path / "release"
    folder.mkdir()
    (folder / "precious").touch()
    answer = protect(evomask, town, roles, folder)
    assert answer.code == 1
    assert "is not empty" in json.loads(answer.out)["error"]


def test_an_impossible_requirement_is_said_before_anything_is_made(evomask, town, roles, tmp_path):
    answer = evomask(
        "protect", town, *roles, "--require", "k=61", "--quiet", "--out", tmp_path / "release"
    )
    assert answer.code == 1
    assert "k must not exceed the number of records" in answer.err
    assert not (tmp_path / "release").exists()


def test_people_get_a_table_and_are_told_where_to_look(evomask, town, roles, tmp_path):
    answer = evomask("protect", town, *roles, "--evaluations", 9, "--out", tmp_path / "release")
    assert "original" in answer.out
    assert "report-internal.html" in answer.out
