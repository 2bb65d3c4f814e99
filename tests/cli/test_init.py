"""``evomask init``."""

import json
import tomllib

import pytest

from evomask.io.datasets import write_survey


@pytest.fixture
def survey(tmp_path):
    write_survey(tmp_path, 600, seed=2)
    return tmp_path / "survey.csv"


def roles(answer):
    return {name: entry["role"] for name, entry in json.loads(answer.out)["attributes"].items()}


def test_the_schema_is_printed_with_reasons(evomask, survey):
    answer = evomask("init", survey)
    assert answer.code == 0
    assert tomllib.loads(answer.out)["attributes"]["age"]["role"] == "quasi-identifier"
    assert "# looks like a weight" in answer.out


def test_as_json_it_has_attributes_with_reasons(evomask, survey):
    entry = json.loads(evomask("init", survey, "--json").out)["attributes"]["weight"]
    assert (entry["kind"], entry["role"]) == ("continuous", "weight")
    assert any(reason.startswith("looks like a weight") for reason in entry["reasons"])


def test_people_of_the_survey_are_not_released(evomask, survey):
    found = roles(evomask("init", survey, "--json"))
    assert [found[name] for name in ("person", "name")] == ["identifier", "identifier"]
    assert found["household"] == "household"


def test_the_sum_of_incomes_is_found(evomask, survey):
    result = json.loads(evomask("init", survey, "--json").out)
    assert result["edits"] == ["income = wage + other_income"]


def test_what_it_writes_can_be_used_at_once(evomask, survey, tmp_path):
    schema, masked = tmp_path / "mine.toml", tmp_path / "masked.csv"
    assert evomask("init", survey, "--out", schema).code == 0
    assert evomask("mask", survey, "--schema", schema, "-k", 5, "--out", masked).code == 0
    assert "name" not in masked.read_text().splitlines()[0].split(",")


def test_a_schema_is_not_overwritten_without_force(evomask, survey, tmp_path):
    (tmp_path / "mine.toml").write_text("mine")
    answer = evomask("init", survey, "--out", tmp_path / "mine.toml")
    assert (answer.code, "exists" in answer.err) == (1, True)
    assert (tmp_path / "mine.toml").read_text() == "mine"


def test_texts_that_look_missing_are_named_in_the_schema(evomask, tmp_path):
    values = "\n".join(str(number * 1.5) for number in range(50))
    (tmp_path / "a.csv").write_text(f"x\n{values}\nNA\n")
    read = tomllib.loads(evomask("init", tmp_path / "a.csv").out)
    assert read["file"]["missing"] == ["NA"]
    assert read["attributes"]["x"]["kind"] == "continuous"


def test_a_file_that_is_not_there_is_one_sentence(evomask, tmp_path):
    answer = evomask("init", tmp_path / "none.csv")
    assert (answer.code, answer.err.count("\n")) == (1, 1)


def test_it_says_where_the_schema_is_unless_quiet(evomask, survey, tmp_path):
    out = tmp_path / "schema.toml"
    assert str(out) in evomask("init", survey, "--out", out).out
    assert evomask("init", survey, "--out", out, "--force", "--quiet").out == ""
    assert "age" in tomllib.loads(out.read_text(encoding="utf-8"))["attributes"]
