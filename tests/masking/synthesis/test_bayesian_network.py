"""Bayesian network: structure and conditional distributions, against scikit-learn and counts."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency
from sklearn.metrics import mutual_info_score

from evomask.masking.synthesis.bayesian_network import BayesianNetwork, _information
from tests.measures.files import categories
from tests.tables import numbers


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def chain(rng, n=4000):
    """Three categories, each a noisy copy of the one before; the last one depends on the middle."""
    first = rng.integers(0, 4, n)
    second = np.where(rng.random(n) < 0.2, rng.integers(0, 4, n), first)
    third = np.where(rng.random(n) < 0.3, rng.integers(0, 4, n), second)
    return categories(a=first, b=second, c=third)


def test_information_is_that_of_scikit_learn_less_its_bias(rng):
    table = chain(rng, 500)
    expected = mutual_info_score(table["a"], table["b"]) - 9 / (2 * 500)
    assert _information(table["a"], [table["b"]]) == pytest.approx(expected)


def test_the_chain_is_found(rng):
    table = chain(rng)
    codes = {name: table[name] for name in "abc"}
    network = BayesianNetwork(("a", "b", "c"), parents=1)
    assert network.structure(codes, ()) == [("a", ()), ("b", ("a",)), ("c", ("b",))]


def test_independence_given_the_parent_is_imposed(rng):
    """A single parent: the pair that is not linked has the distribution that the chain implies."""
    before = chain(rng, 20_000)
    after = BayesianNetwork(("a", "b", "c"), parents=1).mask(before, rng)

    def joint(table, x, y):
        counts = np.zeros((4, 4))
        np.add.at(counts, (table[x], table[y]), 1)
        return counts / len(table)

    for pair in ("ab", "bc"):
        assert np.abs(joint(before, *pair) - joint(after, *pair)).sum() < 0.05
    given = joint(before, "a", "b") / joint(before, "a", "b").sum(axis=0)
    implied = given @ joint(before, "b", "c")
    assert np.abs(joint(after, "a", "c") - implied).sum() < 0.05


def test_rare_combinations_of_parents_fall_back_to_fewer(rng):
    x = np.append(np.repeat([0, 1], 500), 2)
    before = categories(x=x, y=np.append(np.repeat([0, 1], 500), 2))
    drawn = [
        BayesianNetwork(("y",), leaf=leaf).mask(before, np.random.default_rng(seed))["y"][-1]
        for leaf, seed in [(1, 0), *((5, seed) for seed in range(20))]
    ]
    assert drawn[0] == 2
    assert (np.array(drawn[1:]) != 2).sum() > 15


def test_numbers_are_drawn_within_their_bins(rng):
    x = rng.normal(size=3000)
    before = numbers(a=x, b=x + 0.2 * rng.normal(size=3000))
    after = BayesianNetwork(("a", "b")).mask(before, rng)
    assert np.corrcoef(after["a"], after["b"])[0, 1] > 0.9
    assert set(after["b"]) <= set(before["b"])


def test_noise_of_100_percent_leaves_no_dependence(rng):
    before = chain(rng)
    after = BayesianNetwork(("b",), noise=100).mask(before, rng)
    counts = np.zeros((4, 4))
    np.add.at(counts, (before["a"], after["b"]), 1)
    # records that agree in all that is given are ordered, so only what is given is compared
    assert chi2_contingency(counts).pvalue > 0.001
