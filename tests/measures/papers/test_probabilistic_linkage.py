"""Probabilistic record linkage."""

import itertools

import numpy as np
import pandas as pd
import pytest
import recordlinkage

from evomask.errors import DataError, SchemaError
from evomask.measures.papers import probabilistic_linkage
from evomask.measures.papers.probabilistic_linkage import OneToOneLinkage, ProbabilisticLinkage
from tests.measures.files import categories, perturbed
from tests.tables import numbers

RNG = np.random.default_rng(8)
BEFORE = categories(
    v=RNG.integers(0, 8, 60), w=RNG.integers(0, 6, 60), x=RNG.integers(0, 5, 60),
    y=RNG.integers(0, 4, 60), z=RNG.integers(0, 9, 60),
)  # fmt: skip
NAMES = BEFORE.schema.names
AFTER = perturbed(BEFORE, NAMES, 0.2)


def agreements():
    """Agreement vectors of all pairs of a masked and an original record."""
    ours, theirs = (np.column_stack([t[name] for name in NAMES]) for t in (AFTER, BEFORE))
    return np.array([a == b for a, b in itertools.product(ours, theirs)]).astype(int)


def test_probabilities_are_those_of_the_recordlinkage_library():
    vectors = pd.DataFrame(agreements(), columns=list(NAMES))
    oracle = recordlinkage.ECMClassifier(max_iter=5000, atol=1e-10)
    oracle.fit(vectors)
    model = ProbabilisticLinkage(NAMES).model(BEFORE, AFTER)
    for place, name in enumerate(NAMES):
        assert model.m[place] == pytest.approx(oracle.m_probs[name][1], abs=5e-4)
        assert model.u[place] == pytest.approx(oracle.u_probs[name][1], abs=5e-4)
    assert model.matches == pytest.approx(oracle.p, abs=5e-4)


def pair_weights():
    """Weight of every pair by the fitted probabilities, one attribute at a time."""
    model = ProbabilisticLinkage(NAMES).model(BEFORE, AFTER)
    vectors = agreements()
    weights = np.zeros(len(vectors))
    for j in range(len(NAMES)):
        agree, differ = model.m[j] / model.u[j], (1 - model.m[j]) / (1 - model.u[j])
        weights += np.log(np.where(vectors[:, j], agree, differ))
    return weights.reshape(60, 60)


def test_the_best_weight_links_and_ties_share():
    weights = pair_weights()
    best = np.isclose(weights, weights.max(axis=1, keepdims=True), rtol=0, atol=1e-9)
    expected = 100 * np.mean(np.diag(best) / best.sum(axis=1))
    assert ProbabilisticLinkage(NAMES).against(BEFORE)(AFTER) == pytest.approx(expected)


def test_blocks_of_pairs_do_not_matter(monkeypatch):
    whole = ProbabilisticLinkage(NAMES).against(BEFORE)(AFTER)
    monkeypatch.setattr(probabilistic_linkage, "BLOCK_PAIRS", 150)
    assert ProbabilisticLinkage(NAMES).against(BEFORE)(AFTER) == pytest.approx(whole)


def test_one_to_one_uses_every_record_once():
    """On records that are all different, against the assignment of records themselves."""
    from scipy.optimize import linear_sum_assignment

    before = numbers(a=np.arange(20.0), b=np.arange(20.0)[::-1] ** 2)
    after = numbers(a=np.arange(20.0), b=np.roll(np.arange(20.0)[::-1] ** 2, 1))
    names = ("a", "b")
    model = ProbabilisticLinkage(names).model(before, after)
    same_a = np.eye(20, dtype=bool)
    same_b = np.abs(np.subtract.outer(after["b"], before["b"])) <= 0.1 * np.std(before["b"])
    agree, differ = np.log(model.m / model.u), np.log((1 - model.m) / (1 - model.u))
    weights = np.where(same_a, agree[0], differ[0]) + np.where(same_b, agree[1], differ[1])
    _, found = linear_sum_assignment(weights, maximize=True)
    expected = 100 * np.mean(found == np.arange(20))
    assert OneToOneLinkage(names).against(before)(after) == pytest.approx(expected)


def test_one_to_one_shares_among_records_that_look_alike():
    same = categories(x=[0, 0, 1, 1])
    assert OneToOneLinkage(("x",)).against(same)(same) == pytest.approx(50)


def test_numbers_agree_within_a_tenth_of_the_deviation():
    before = numbers(a=[0.0, 10.0, 20.0, 30.0])
    near = before.with_columns({"a": before["a"] + 0.09 * np.std(before["a"])})
    assert ProbabilisticLinkage(("a",)).against(before)(near) == 100.0
    assert ProbabilisticLinkage(("a",), 0.05).against(before)(near) == pytest.approx(25)


def test_files_too_long_for_one_to_one_are_refused(monkeypatch):
    monkeypatch.setattr(probabilistic_linkage, "MOST_ASSIGNED", 3)
    with pytest.raises(DataError, match="at most 3 records, got 60; use prl"):
        OneToOneLinkage(NAMES).against(BEFORE)


def test_more_than_twenty_attributes_are_refused():
    with pytest.raises(SchemaError, match="at most 20 attributes, got 21"):
        ProbabilisticLinkage(tuple(f"n{i}" for i in range(21)))
