"""``evomask scenarios``."""

import json

import pytest

from evomask.io.datasets import write_survey


@pytest.fixture
def survey(tmp_path):
    write_survey(tmp_path, 600, seed=2)
    return tmp_path / "survey.csv"


def found(answer):
    return {one["name"]: one for one in json.loads(answer.out)["scenarios"]}


def test_the_library_is_listed_with_reasons(evomask):
    answer = evomask("scenarios")
    assert answer.code == 0
    assert "register: A register of residents or voters lists place" in answer.out
    assert found(evomask("scenarios", "--json"))["credit bureau"]["knows_about"]["income"] == "10 %"


def test_those_of_a_file_have_their_uniques(evomask, survey):
    given = ("--schema", survey.with_suffix(".toml"), "--scenario", "club: age, sex, marital")
    answer = found(evomask("scenarios", survey, *given, "--json", "--quiet"))
    assert answer["club"]["origin"] == "schema"
    assert 0 < answer["club"]["uniques"] <= 600
    assert answer["journalist"]["any"] == 3
    text = evomask("scenarios", survey, *given, "--quiet").out
    assert f"{answer['club']['uniques']} of 600 records" in text


def test_a_schema_is_listed_without_records(evomask, survey):
    answer = evomask("scenarios", survey.with_suffix(".toml"))
    assert "register (in the schema): A register of residents" in answer.out
    assert "journalist (proposed): A journalist looks for anybody" in answer.out
    assert "records" not in answer.out


def test_roles_are_proposed_where_none_are_given(evomask, survey):
    answer = evomask("scenarios", survey)
    assert "no roles are given" in answer.err
    assert "may know  wage" in answer.out


def test_a_file_extends_the_library(evomask, survey, tmp_path):
    own = tmp_path / "own.toml"
    own.write_text(
        '[scenarios.twin]\nreason = "A twin knows."\nknows = ["age", "sex"]\n', encoding="utf-8"
    )
    schema = survey.with_suffix(".toml")
    assert "twin" in found(evomask("scenarios", schema, "--library", own, "--json"))
    adopted = evomask("init", survey, "--library", own, "--scenarios", "twin")
    assert "\n[scenarios.twin]\n" in adopted.out
    assert "\n#[scenarios.register]\n" in adopted.out


def test_an_unknown_scenario_is_named(evomask, survey):
    answer = evomask("init", survey, "--scenarios", "spy")
    assert answer.code == 1
    assert "the library has no scenario 'spy'" in answer.err
