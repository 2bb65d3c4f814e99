"""``evomask hierarchy``, and hierarchies that ``init`` writes."""

import json
import tomllib

import pytest

from evomask.io.datasets import write_survey


@pytest.fixture
def survey(tmp_path):
    write_survey(tmp_path, 600, seed=2)
    return tmp_path / "survey.csv"


def test_a_tree_is_printed_line_by_line(evomask, survey):
    answer = evomask("hierarchy", survey, "age", "--by", "intervals=10,20")
    assert (answer.code, "16;10-19;0-19;*" in answer.out.splitlines()) == (0, True)


def test_what_is_written_can_be_used_at_once(evomask, survey, tmp_path):
    tree, masked = tmp_path / "age.csv", tmp_path / "masked.csv"
    assert evomask("hierarchy", survey, "age", "--out", tree).code == 0
    schema = tmp_path / "mine.toml"
    schema.write_text('[attributes.age]\nrole = "quasi-identifier"\nhierarchy = "age.csv"\n')
    options = ("--method", "generalization", "--attributes", "age", "--keep", "name,person")
    answer = evomask(
        "mask", survey, "--schema", schema, *options[:4], "--out", masked, "--drop",
        "name,person,household",
    )  # fmt: skip
    assert answer.code == 0
    assert any(age.startswith("15-") for age in masked.read_text().split(","))


def test_a_made_tree_is_what_a_plain_reader_of_semicolons_takes(evomask, tmp_path):
    """ARX reads a value and its ancestors in a line, as many in each, with no heading."""
    ages = range(18, 78)
    (tmp_path / "people.csv").write_text("age\n" + "".join(f"{age}\n" for age in ages))
    out = tmp_path / "age.csv"
    evomask("hierarchy", tmp_path / "people.csv", "age", "--by", "intervals=5,20", "--out", out)
    rows = [line.split(";") for line in out.read_text().splitlines()]
    assert [row[0] for row in rows] == [str(age) for age in ages]
    assert {len(row) for row in rows} == {4}
    assert {row[-1] for row in rows} == {"*"}
    for level in (1, 2):
        above = {row[level]: row[level + 1] for row in rows}
        assert all(above[row[level]] == row[level + 1] for row in rows)


def test_levels_are_told_as_json(evomask, survey):
    answer = evomask("hierarchy", survey, "sex", "--json")
    assert json.loads(answer.out) == {"column": "sex", "levels": [2, 1], "file": None}


def test_a_file_is_not_overwritten(evomask, survey, tmp_path):
    (tmp_path / "age.csv").write_text("mine")
    answer = evomask("hierarchy", survey, "age", "--out", tmp_path / "age.csv")
    assert (answer.code, (tmp_path / "age.csv").read_text()) == (1, "mine")


def test_a_rule_that_does_not_fit_the_column_is_said(evomask, survey):
    answer = evomask("hierarchy", survey, "sex", "--by", "dates")
    assert (answer.code, "dates in one form" in answer.err) == (1, True)


def test_init_writes_trees_that_its_schema_names(evomask, survey, tmp_path):
    schema = tmp_path / "mine.toml"
    options = ("--out", schema, "--hierarchies", tmp_path / "trees")
    assert evomask("init", survey, *options).code == 0
    written = tomllib.loads(schema.read_text())["attributes"]
    named = [entry["hierarchy"] for entry in written.values() if "hierarchy" in entry]
    assert named
    assert all((tmp_path / name).is_file() for name in named)
    masked = tmp_path / "masked.csv"
    options = ("--method", "generalization", "--out", masked)
    assert evomask("mask", survey, "--schema", schema, *options).code == 0


def test_init_does_not_write_into_a_folder_that_is_there(evomask, survey, tmp_path):
    answer = evomask("init", survey, "--hierarchies", tmp_path)
    assert (answer.code, "exists already" in answer.err) == (1, True)
