"""``evomask protect`` without roles: proposes, shows, and stops."""

import json
import shlex

import pytest

from tests.cli.conftest import write_town

FEW = ("--evaluations", 2, "--searches", "recipes", "--seed", 5)


@pytest.fixture
def town(tmp_path):
    return write_town(tmp_path)


def test_it_shows_roles_and_the_command_that_goes_on(evomask, town, tmp_path):
    answer = evomask("protect", town, *FEW, "--out", tmp_path / "run")
    assert answer.code == 3
    assert "nothing was protected" in answer.out
    assert f"--schema {tmp_path / 'run'}.schema.toml" in answer.out
    assert not (tmp_path / "run").exists()
    command = next(line for line in answer.out.splitlines() if "--accept-proposal" in line)
    again = evomask(*shlex.split(command)[1:], "--quiet", "--json")
    assert again.code == 0
    assert (tmp_path / "run" / "masked" / "town.csv").exists()


def test_the_schema_it_wrote_can_be_used(evomask, town, tmp_path):
    answer = json.loads(evomask("protect", town, *FEW, "--out", tmp_path / "run", "--json").out)
    words = shlex.split(answer["go_on"]["with_schema"])[1:]
    assert evomask(*words, "--quiet").code == 0
    header = (tmp_path / "run" / "masked" / "town.csv").read_text().splitlines()[0]
    assert header == "age,income,school"


def test_as_json_the_proposal_has_roles_and_questions(evomask, town, tmp_path):
    answer = json.loads(evomask("protect", town, *FEW, "--out", tmp_path / "run", "--json").out)
    assert answer["proposal"]["name"]["role"] == "identifier"
    assert answer["questions"] == []


def test_a_role_that_is_named_is_part_of_the_proposal(evomask, town, tmp_path):
    words = ("--drop", "school", "--out", tmp_path / "run", "--json")
    answer = json.loads(evomask("protect", town, *FEW, *words).out)
    assert answer["proposal"]["school"] == {
        "kind": "nominal",
        "role": "identifier",
        "reasons": [answer["proposal"]["school"]["reasons"][0], "as you say"],
    }


def test_an_accepted_run_can_be_resumed(evomask, town, tmp_path):
    words = ("--accept-proposal", "--quiet", "--out", tmp_path / "run")
    assert evomask("protect", town, *FEW, *words).code == 0
    assert evomask("resume", tmp_path / "run", "--quiet").code == 0
