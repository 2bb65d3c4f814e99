"""``evomask sensitivity`` on a user's own file."""

import csv
import json

import numpy as np
import pytest
from scipy.stats import tukey_hsd

from evomask.errors import ParameterError
from evomask_papers.own_study import parse_values

GRID = (
    "--mutation", "0,0.1,0.5", "--crossover", "0,0.5", "--chromosomes", "10,20",
    "--runs", 3, "--epochs", 200, "--seed", 1,
)  # fmt: skip


@pytest.fixture
def own_file(tmp_path):
    rng = np.random.default_rng(3)
    path = tmp_path / "own.csv"
    rows = [f"{a},{b}" for a, b in rng.integers(0, 1000, (24, 2))]
    path.write_text("\n".join(["age,income", *rows]) + "\n", encoding="utf-8")
    return path


def test_a_study_writes_runs_that_give_its_tests(evomask, own_file, tmp_path):
    out = tmp_path / "study"
    told = json.loads(
        evomask("sensitivity", own_file, "--quasi", "age,income", *GRID, "--out", out, "--json").out
    )
    with (out / "trials.csv").open(encoding="utf-8") as file:
        made = list(csv.DictReader(file))
    assert told["runs"] == len(made) == 3 * 2 * 2 * 3
    assert told["least"]["sse"] == min(float(row["sse"]) for row in made)
    mutation = told["analyses"][0]["factors"][0]
    samples = [
        [float(r["sse"]) for r in made if float(r["mutation"]) == value]
        for value in mutation["values"]
    ]
    assert np.mean(samples, axis=1) == pytest.approx(mutation["means"])
    assert mutation["effect"]["p"] < 0.05
    assert np.array(mutation["comparisons"]["tukey"]) == pytest.approx(
        tukey_hsd(*samples).pvalue, abs=1e-9
    )
    assert {path.name for path in out.iterdir()} == {
        "study.json", "trials.csv", "sensitivity-sse.svg", "sensitivity-epoch.svg",
    }  # fmt: skip


def test_the_same_seed_gives_the_same_study(evomask, own_file):
    words = ("sensitivity", own_file, "--quasi", "age,income", *GRID)
    first = evomask(*words)
    assert first.code == 0
    assert first.out == evomask(*words).out
    assert "36 runs on 24 records, k = 3" in first.out
    assert "best values: mutation" in first.out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--mutation", "0,x"), "mutation must be numbers as V,V,V, got '0,x'"),
        (("--chromosomes", "2.5"), "chromosomes must be whole numbers as V,V,V"),
        (("--crossover", "0.1,0.1"), "crossover needs one or more different values"),
        (("--mutation", "1.5"), "rates and must lie in [0, 1]"),
        (("-k", "13"), "a study with k = 13 needs 26 records or more, got 24"),
        (("-k", "1"), "k must be at least 2, got 1"),
        (("--chromosomes", ""), "chromosomes needs one or more different values"),
    ],
)
def test_a_bad_design_is_one_sentence(evomask, own_file, words, sentence):
    answer = evomask("sensitivity", own_file, "--quasi", "age,income", *words)
    assert answer.code == 1
    assert sentence in answer.err


def test_a_folder_with_a_study_is_not_overwritten(evomask, own_file, tmp_path):
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "trials.csv").write_text("mutation\n", encoding="utf-8")
    answer = evomask("sensitivity", own_file, "--quasi", "age,income", "--out", tmp_path / "s")
    assert "holds a study; choose another folder or add --force" in answer.err


def test_spaces_between_values_are_accepted():
    assert parse_values("mutation", "0, 0.5", float) == (0.0, 0.5)
    with pytest.raises(ParameterError, match="mutation must be numbers"):
        parse_values("mutation", "0;1", float)
