"""Files in parts from the command line: masked, made k-anonymous, refused in a sentence."""

import json
from pathlib import Path

import pytest

from tests.outofcore.conftest import people, small_parts, town, written  # noqa: F401

ROLES = ("--drop", "name", "--quiet", "--json")
NUMBERS = ("--quasi", "income,wealth")


def test_a_folder_is_masked_part_by_part(evomask, people, tmp_path):  # noqa: F811
    out = tmp_path / "out"
    done = evomask("mask", people, "-m", "mdav", "-k", 4, *NUMBERS, *ROLES, "--out", out)
    found = json.loads(done.out)
    assert done.code == 0
    assert found["records"] == 1_000
    assert found["parts"] == 5
    assert found["k"] >= 4
    assert {"groups", "il", "sse", "regions"} <= found.keys()
    assert len(written(out)) == 1_000


def test_a_text_file_is_taken_in_parts_where_asked(evomask, tmp_path, small_parts):  # noqa: F811
    town().write_csv(tmp_path / "town.csv")
    out = tmp_path / "out"
    words = ("--quasi", "age,sex,region", *ROLES, "--require", "k=3", "--in-parts", "--out", out)
    words = (*words, "--searches", "generalization", "--workers", 1)
    done = evomask("protect", tmp_path / "town.csv", *words)
    found = json.loads(done.out)
    assert done.code == 0
    assert found["k"] >= 3
    assert found["records"] + found["suppressed"] == 1_000
    assert written(out).group_by("age", "sex", "region").len()["len"].min() == found["k"]


LEVELS = ("--searches", "generalization", "--workers", 1)


def test_levels_without_k_are_refused_of_files_in_parts(evomask, people, tmp_path):  # noqa: F811
    words = ("--require", "l=2", *LEVELS)
    done = evomask("protect", people, *words, "--out", tmp_path / "out", *ROLES)
    assert done.code == 1
    assert "generalization of a chunked file needs a requirement" in json.loads(done.out)["error"]


def test_an_empty_folder_is_one_sentence(evomask, tmp_path):
    (tmp_path / "empty").mkdir()
    done = evomask("mask", tmp_path / "empty", "--out", tmp_path / "out", "--json")
    assert done.code == 1
    assert "holds no file *.parquet" in json.loads(done.out)["error"]


def test_parts_are_protected_with_l_and_reported(evomask, people, tmp_path):  # noqa: F811
    words = ("--quasi", "sex,region", "--confidential", "illness", *LEVELS, *ROLES)
    done = evomask("protect", people, *words, "--require", "k=3,l=2", "--out", tmp_path / "out")
    found = json.loads(done.out)
    assert done.code == 0
    assert found["proven"]
    assert 0 <= found["risk"] <= found["original_risk"] <= 100
    assert all(Path(page).is_file() for page in found["reports"])
    assert evomask("verify", tmp_path / "out", "--json").code == 0


def test_masked_parts_are_measured(evomask, people, tmp_path):  # noqa: F811
    roles = (*NUMBERS, *ROLES)
    assert evomask("mask", people, "-k", "4", *roles, "--out", tmp_path / "out").code == 0
    found = json.loads(evomask("measure", people, tmp_path / "out", *roles).out)
    assert found["records"] == 1_000
    assert 0 < found["loss"] < 100
    assert found["risk_parts"]["people_attacked"] == 1_000
    refused = evomask("measure", people, tmp_path / "out", *roles, "--exact")
    assert "chunked files do not support --exact" in json.loads(refused.out)["error"]


RECIPES = ("--quasi", "income,sex", "--nominal", "sex", "--evaluations", 3, "--seed", 4)


def test_a_recipe_is_applied_to_chunks_and_another_can_be_chosen(evomask, people, tmp_path):  # noqa: F811
    out = tmp_path / "out"
    done = evomask("protect", people, *RECIPES, *ROLES, "--require", "k=3", "--out", out)
    found = json.loads(done.out)
    assert done.code == 0
    assert found["sample"] == found["records"] == 1_000
    assert found["k"] >= found["required_k"] == 3
    assert Path(found["recipe"]).is_file()
    assert found["chosen"]["point"] in [point["point"] for point in found["front"]]
    again = evomask("choose", out, "--point", len(found["front"]), "--quiet")
    assert again.code == 0
    assert "candidates evaluated on 1,000 records" in again.out
    assert "loss  " in again.out
    assert evomask("verify", out, "--json").code == 0
    assert evomask("report", out, "--purpose", "teaching", "--json").code == 0
    assert evomask("verify", out, "--json").code == 0
    assert f"point {len(found['front'])}" in evomask("explain", out).out
    wrong = evomask("choose", out, "--point", 99, "--json")
    assert "the front has no point 99" in json.loads(wrong.out)["error"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--searches", "partition"), "chunked files support --searches generalization or recipes"),
        (("--searches", "generalization", "--require", "k=3"), "do not support --evaluations"),
        (("--suppression", "9"), "--suppression is for --searches generalization"),
        (("--profile", "papers"), "chunked files do not support --profile"),
        (("--max-risk", "0"), "no point has a risk of at most 0 %"),
    ],
)
def test_what_recipes_cannot_do_is_one_sentence(evomask, people, tmp_path, words, sentence):  # noqa: F811
    done = evomask("protect", people, *RECIPES, *ROLES, *words, "--out", tmp_path / "out")
    assert done.code != 0
    assert sentence in json.loads(done.out)["error"]


def test_one_method_and_levels_leave_nothing_to_choose(evomask, people, tmp_path):  # noqa: F811
    out = tmp_path / "out"
    assert evomask("mask", people, "-k", "4", *NUMBERS, *ROLES, "--out", out).code == 0
    done = evomask("choose", out, "--point", 1, "--json")
    assert "there is no other point to choose" in json.loads(done.out)["error"]


def test_masked_parts_are_audited(evomask, people, tmp_path):  # noqa: F811
    roles = (*NUMBERS, "--confidential", "illness", *ROLES)
    assert evomask("mask", people, "-k", "4", *roles, "--out", tmp_path / "out").code == 0
    done = evomask("audit", tmp_path / "out", *roles, "--original", people)
    found = json.loads(done.out)
    assert done.code == 0
    assert found["records"] == 1_000
    assert found["k"] >= 4
    assert {"reidentification", "attribute_disclosure", "confidential"} <= found["attacks"].keys()
    told = evomask("audit", tmp_path / "out", *roles[:-1])
    assert "records in the smallest equivalence class" in told.out
    assert "no attacks were run" in told.out


def test_workers_of_an_audit_are_for_parts_alone(evomask, tmp_path):
    file = tmp_path / "one.csv"
    file.write_text("age\n1\n1\n")
    done = evomask("audit", file, "--quasi", "age", "--workers", "2", "--json")
    assert "need MASKED to be a folder of chunks" in json.loads(done.out)["error"]
