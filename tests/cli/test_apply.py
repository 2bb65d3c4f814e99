"""`evomask apply`: a masked file or a release, as text and as JSON, or one sentence."""

import json

import polars as pl
import pytest

RECIPE = """
require = "k=4"

[[steps]]
method = "mdav"
attributes = ["age", "income"]
k = 4

[promised]
records = 20
loss = 25.0
risk = 12.5

[attributes.age]
kind = "continuous"
role = "quasi-identifier"

[attributes.income]
kind = "continuous"
role = "quasi-identifier"

[attributes.region]
kind = "nominal"
role = "other"
"""


@pytest.fixture
def recipe(tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE)
    return path


def test_loss_and_risk_are_shown_beside_the_promised_ones(evomask, people, recipe, tmp_path):
    answer = evomask("apply", recipe, people, "--output", tmp_path / "masked.csv", "--quiet")
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[1].split() == ["promised", "here"]
    assert lines[2].split()[:2] == ["loss", "25.00"]
    assert lines[3].split()[:2] == ["risk", "12.50"]
    assert "counted in the written file: k = 4" in answer.out


def test_json_says_what_was_counted_in_the_file(evomask, people, recipe, tmp_path):
    out = tmp_path / "masked.parquet"
    answer = evomask("apply", recipe, people, "-o", out, "--seed", 2**40, "--json", "--quiet")
    found = json.loads(answer.out)
    sizes = pl.read_parquet(out).group_by("age", "income").len()["len"]
    assert found["checked"]["k"] == sizes.min() >= 4
    assert found["promised"]["loss"] == 25.0
    assert (found["records"], found["run"]) == (20, None)


def test_a_wrong_step_is_one_sentence(evomask, people, recipe, tmp_path):
    recipe.write_text(RECIPE.replace('"income"]', '"region"]'))
    answer = evomask("apply", recipe, people, "-o", tmp_path / "masked.csv", "--quiet")
    assert answer.code == 1
    assert answer.err.count("\n") == 1
    assert "step 1: mdav masks continuous attributes, and 'region' is nominal" in answer.err


def test_reports_need_a_folder(evomask, people, recipe, tmp_path):
    out = tmp_path / "masked.csv"
    answer = evomask("apply", recipe, people, "-o", out, "--keep-order", "--quiet")
    assert answer.code == 2
    assert not out.exists()
