"""``evomask search partition`` as a user meets it."""

import json

import numpy as np
import polars as pl
import pytest


@pytest.fixture
def survey(tmp_path):
    """Eighty records of three numbers."""
    numbers = np.random.default_rng(0).normal(size=(80, 3)).round(3)
    path = tmp_path / "survey.csv"
    pl.DataFrame(numbers, schema=["a", "b", "c"]).write_csv(path)
    return path


def words(file, *more):
    return ("search", "partition", file, "-k", 3, "--seed", 5, "--json", *more)


def found(evomask, file, *more):
    answer = evomask(*words(file, *more))
    assert answer.code == 0, answer.err
    return json.loads(answer.out)


def test_json_has_the_keys_promised(evomask, survey):
    told = found(evomask, survey, "--evaluations", 50_000)
    assert {"sse", "il", "groups", "lower_bound", "evaluations", "seconds"} <= told.keys()
    assert isinstance(told["groups"], int)


@pytest.mark.parametrize(
    "algorithm", ["memetic", "genetic", "one-step", "two-step", "mdav", "vmdav"]
)
def test_every_algorithm_answers(evomask, survey, algorithm):
    told = found(evomask, survey, "--algorithm", algorithm, "--evaluations", 20_000, "--epochs", 50)
    assert told["lower_bound"] <= told["sse"]


@pytest.mark.parametrize("algorithm", ["one-step", "two-step"])
def test_hybrids_refine_every_macrogroup_whatever_the_budget(evomask, survey, algorithm):
    told = [
        found(evomask, survey, "--algorithm", algorithm, "--macro", 12, *limit)["sse"]
        for limit in (("--evaluations", 1), ("--seconds", 0), ("--seconds", 100))
    ]
    assert told[0] == told[1] == told[2]


def test_a_time_budget_ends_it(evomask, survey):
    assert found(evomask, survey, "--seconds", 0.3)["evaluations"] > 0


def test_every_released_combination_is_shared_by_k_records(evomask, survey, tmp_path):
    out = tmp_path / "masked.csv"
    found(evomask, survey, "--evaluations", 20_000, "--out", out)
    assert pl.read_csv(out).group_by("a", "b", "c").len()["len"].min() >= 3


def test_one_and_two_workers_write_the_same_file(evomask, survey, tmp_path):
    written = []
    for workers in (1, 2):
        out = tmp_path / f"masked-{workers}.csv"
        found(evomask, survey, "--evaluations", 60_000, "--workers", workers, "--out", out)
        written.append(out.read_bytes())
    assert written[0] == written[1]


def test_kinds_are_mixed(evomask, tmp_path):
    path, out = tmp_path / "mixed.csv", tmp_path / "masked.csv"
    rows = [f"{i % 9},{'abc'[i % 3]},{'xy'[i % 2]}" for i in range(60)]
    path.write_text("n,place,size\n" + "\n".join(rows) + "\n", encoding="utf-8")
    kinds = ("--quasi", "n,place,size", "--nominal", "place", "--ordinal", "size")
    found(evomask, path, *kinds, "--evaluations", 20_000, "--out", out)
    assert pl.read_csv(out).group_by("n", "place", "size").len()["len"].min() >= 3


def test_more_records_in_a_group_than_there_are_is_one_sentence(evomask, survey):
    answer = evomask("search", "partition", survey, "-k", 81, "--evaluations", 10)
    assert answer.code == 1
    assert "number of records" in answer.err


def test_exact_refuses_a_file_it_cannot_solve(evomask, survey):
    answer = evomask(*words(survey, "--algorithm", "exact", "--seconds", 1))
    assert answer.code == 1
    assert "at most 24 records" in answer.err


def test_an_unknown_algorithm_is_told_the_known_ones(evomask, survey):
    answer = evomask(*words(survey, "--algorithm", "magic"))
    assert answer.code == 1
    assert "two-step" in answer.err


def test_a_constant_attribute_is_noted(evomask, tmp_path):
    path = tmp_path / "flat.csv"
    path.write_text("a,b\n" + "\n".join(f"{i},7" for i in range(12)) + "\n", encoding="utf-8")
    told = found(evomask, path, "--evaluations", 5_000)
    assert any("'b' is constant" in note for note in told["notes"])


def test_a_proof_tells_how_far_the_best_possible_can_be(evomask, survey, tmp_path):
    out = tmp_path / "masked.csv"
    quick = found(evomask, survey, "--evaluations", 5_000)
    told = found(evomask, survey, "--evaluations", 5_000, "--prove", "--out", out)
    assert quick["lower_bound"] < told["lower_bound"] <= told["sse"] <= quick["sse"]
    assert told["gap"] == pytest.approx(100 * (told["sse"] / told["lower_bound"] - 1))
    assert pl.read_csv(out).group_by("a", "b", "c").len()["len"].min() >= 3


def test_a_resumed_proof_is_not_made_again(evomask, survey, tmp_path):
    first = found(evomask, survey, "--evaluations", 5_000, "--prove", "--run", tmp_path / "run")
    again = evomask("resume", tmp_path / "run", "--json")
    assert again.code == 0, again.err
    told = json.loads(again.out)
    assert (told["sse"], told["gap"]) == (first["sse"], first["gap"])
    assert told["generations"] == first["generations"]


@pytest.mark.parametrize("more", [("--algorithm", "mdav"), ("--algorithm", "two-step")])
def test_only_the_memetic_search_is_proved(evomask, survey, more):
    answer = evomask(*words(survey, "--prove", *more))
    assert answer.code == 1
    assert "--prove requires --algorithm memetic" in answer.err
