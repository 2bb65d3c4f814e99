"""`evomask mask --copies` and `evomask combine`, as a user runs them."""

import json

import numpy as np
import polars as pl
import pytest


@pytest.fixture
def survey(tmp_path):
    rng = np.random.default_rng(1)
    age = rng.integers(18, 80, 400)
    frame = pl.DataFrame({"age": age, "wage": 10 * age + rng.integers(0, 500, 400)})
    path = tmp_path / "survey.csv"
    frame.write_csv(path)
    return path


def test_copies_are_written_and_their_models_combined(evomask, survey, tmp_path):
    words = ("--quasi", "age", "--confidential", "wage", "--quiet", "--seed", 3)
    drawn = evomask("mask", survey, "--method", "cart", "--attributes", "wage", "--copies", 3,
                    "--out", tmp_path / "copy.csv", "--json", *words)  # fmt: skip
    paths = [tmp_path / f"copy-{number}.csv" for number in (1, 2, 3)]
    assert [one["masked"] for one in json.loads(drawn.out)["copies"]] == list(map(str, paths))
    wages = [pl.read_csv(path)["wage"].to_list() for path in paths]
    assert len(set(map(tuple, wages))) == 3
    answer = evomask("combine", *paths, "--keep-model", "wage ~ age", "--json", "--quiet",
                     "--quasi", "age", "--confidential", "wage")  # fmt: skip
    (model,) = json.loads(answer.out)["analyses"]
    slope = model["estimates"]["age"]
    assert slope["interval"][0] < 10 < slope["interval"][1]
    text = evomask("combine", *paths, "--keep-model", "wage ~ age", "--rule", "simple").out
    assert "95 % confidence intervals" in text


def test_what_cannot_be_copied_or_combined_is_one_sentence(evomask, survey, tmp_path):
    swapped = evomask("mask", survey, "--method", "rank-swapping", "--copies", 2, "--out",
                      tmp_path / "copy.csv", "--quasi", "age")  # fmt: skip
    assert (swapped.code, "works with methods of synthesis" in swapped.err) == (1, True)
    assert "no analysis is named" in evomask("combine", survey, survey).err
    wrong = evomask("combine", survey, survey, "--keep-model", "wage ~ age", "--rule", "mean")
    assert "rule must be one of partial, simple, full" in wrong.err
