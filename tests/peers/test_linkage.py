"""Probabilistic linkage of 20 random files, equal to what recordlinkage finds."""

import importlib

import numpy as np
import polars as pl
import pytest

from evomask.data.frames import polars_from
from evomask.measures.papers.probabilistic_linkage import ProbabilisticLinkage
from tests.measures.files import categories, perturbed
from tests.oracles import ROOT

RECORDS = 120
FIT = {"max_iter": 1000, "atol": 1e-9}

pytestmark = pytest.mark.slow


@pytest.fixture
def ask(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks" / "peers")
    clock = importlib.import_module("asking").Clock
    script = importlib.import_module("ask_recordlinkage")
    return lambda task: script.linkage(task, clock(most=1))


def random_pair(seed):
    """Four or five categorical attributes, and a fifth of their cells changed."""
    rng = np.random.default_rng(seed)
    names = "vwxyz"[: rng.integers(4, 6)]
    before = categories(**{name: rng.integers(0, rng.integers(3, 9), RECORDS) for name in names})
    return before, perturbed(before, before.schema.names, 0.2)


@pytest.mark.parametrize("seed", range(20))
def test_recordlinkage_links_the_same_records(seed, ask, tmp_path):
    before, after = random_pair(seed)
    names = before.schema.names
    task = {"file": tmp_path / "before.csv", "masked": tmp_path / "after.csv", "fit": FIT}
    polars_from(before).cast(pl.String).write_csv(task["file"])
    polars_from(after).cast(pl.String).write_csv(task["masked"])
    theirs = ask(task)
    model = ProbabilisticLinkage(names).model(before, after)
    assert list(model.m) == pytest.approx(theirs["m"], abs=2e-3)
    ours = ProbabilisticLinkage(names).against(before)(after)
    assert ours == pytest.approx(theirs["value"], abs=1e-6)
