"""Files in parts from the command line: masked, made k-anonymous, refused in a sentence."""

import json

import pytest

from tests.runs.parts.conftest import people, small_parts, town, written  # noqa: F401

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
    done = evomask("protect", tmp_path / "town.csv", *words)
    found = json.loads(done.out)
    assert done.code == 0
    assert found["k"] >= 3
    assert found["records"] + found["suppressed"] == 1_000
    assert written(out).group_by("age", "sex", "region").len()["len"].min() == found["k"]


@pytest.mark.parametrize("require", ["", "k=3,l=2"])
def test_anything_but_k_is_refused_of_files_in_parts(evomask, people, tmp_path, require):  # noqa: F811
    done = evomask("protect", people, "--require", require, "--out", tmp_path / "out", *ROLES)
    assert done.code == 1
    assert "a file in parts is made k-anonymous" in json.loads(done.out)["error"]


def test_an_empty_folder_is_one_sentence(evomask, tmp_path):
    (tmp_path / "empty").mkdir()
    done = evomask("mask", tmp_path / "empty", "--out", tmp_path / "out", "--json")
    assert done.code == 1
    assert "holds no file *.parquet" in json.loads(done.out)["error"]
