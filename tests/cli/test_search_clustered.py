"""``evomask search clustered``: what it answers and writes."""

import json

import polars as pl
import pytest

QUICK = ("--population", 4, "--children", 4, "--generations", 2, "--most-k", 10, "--restarts", 2)


@pytest.fixture
def answers(tmp_path):
    """A small file of answers on ordered scales."""
    rows = [f"{i % 5},{(i * i) % 4},{'ab'[i % 2]}" for i in range(60)]
    path = tmp_path / "answers.csv"
    path.write_text("first,second,letter\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_it_answers_what_the_contract_names(evomask, answers):
    words = ("--quasi", "first,second", "--ordinal", "first,second", "--seed", 1, *QUICK)
    told = json.loads(evomask("search", "clustered", answers, *words, "--json").out)
    assert {"front", "best", "initial_best", "evaluations", "seconds", "recipe"} <= told.keys()
    assert told["best"]["score"] <= told["initial_best"]["score"]
    assert told["recipe"]["method"] in ("microaggregation", "global-median")


def test_the_written_file_has_k_records_alike(evomask, answers, tmp_path):
    out = tmp_path / "masked.csv"
    words = ("--quasi", "first,second", "--ordinal", "first,second", "--seed", 1, *QUICK)
    assert evomask("search", "clustered", answers, *words, "--least-k", 5, "--out", out).code == 0
    assert pl.read_csv(out).group_by("first", "second").len()["len"].min() >= 5


def test_a_number_is_refused_by_name(evomask, answers):
    answer = evomask("search", "clustered", answers, "--quasi", "first")
    assert answer.code == 1
    assert "'first' is continuous" in answer.err
