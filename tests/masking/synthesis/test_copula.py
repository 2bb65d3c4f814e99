"""Gaussian copula: distributions and correlations, against those of the file."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, spearmanr

from evomask.masking.synthesis.copula import Copula
from tests.measures.files import categories
from tests.tables import mixed, numbers


def draw(table, names, rng):
    return Copula(names).mask(table, rng)


def bent_pair(n_records=2000):
    """Two numbers that go together, on scales of their own."""
    rng = np.random.default_rng(1)
    first = rng.normal(size=n_records)
    return numbers(a=np.exp(first), b=first + 0.5 * rng.normal(size=n_records))


def ranks(values):
    return np.argsort(np.argsort(values))


def test_columns_keep_their_distributions():
    before = bent_pair()
    after = draw(before, ("a", "b"), np.random.default_rng(2))
    for name in ("a", "b"):
        shares = np.linspace(0.05, 0.95, 19)
        quantiles = np.quantile(before[name], shares)
        below = [np.mean(after[name] <= quantile) for quantile in quantiles]
        assert below == pytest.approx(shares, abs=0.04)


def test_columns_go_together_as_before():
    before = bent_pair()
    after = draw(before, ("a", "b"), np.random.default_rng(2))
    was, is_now = (np.corrcoef(ranks(t["a"]), ranks(t["b"]))[0, 1] for t in (before, after))
    assert is_now == pytest.approx(was, abs=0.05)


def test_no_record_is_copied():
    before = bent_pair()
    after = draw(before, ("a", "b"), np.random.default_rng(2))
    known = set(map(tuple, before.matrix(("a", "b"))))
    assert not known & set(map(tuple, after.matrix(("a", "b"))))


def test_categories_are_as_frequent_as_before_and_stay_in_their_domain():
    rng = np.random.default_rng(3)
    before = categories(x=rng.choice(3, 3000, p=[0.7, 0.2, 0.1]), y=rng.integers(0, 2, 3000))
    after = draw(before, ("x", "y"), np.random.default_rng(4))
    assert np.bincount(after["x"]) / 3000 == pytest.approx([0.7, 0.2, 0.1], abs=0.03)


def test_a_column_of_one_value_stays():
    before = numbers(a=np.ones(50), b=np.arange(50.0))
    after = draw(before, ("a", "b"), np.random.default_rng(5))
    assert (after["a"] == 1.0).all()


def test_values_are_missing_as_often_as_before():
    before = mixed()
    names = before.schema.quasi_identifiers
    after = draw(before, names, np.random.default_rng(6))
    for name in names:
        if not before.attribute(name).is_categorical:
            assert np.isnan(after[name]).sum() == np.isnan(before[name]).sum()


def test_the_same_generator_gives_the_same_file_and_other_columns_stay():
    before = bent_pair(100)
    one, two = (draw(before, ("a",), np.random.default_rng(7)) for _ in range(2))
    assert np.array_equal(one["a"], two["a"])
    assert np.array_equal(one["b"], before["b"])


def test_a_value_given_others_has_the_conditional_distribution_of_normal_variables():
    """The mean and variance given another variable, with correlation r: r z and 1 - r²."""
    points = multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]]).rvs(20_000, random_state=1)
    before = numbers(a=points[:, 0], b=points[:, 1])
    after = draw(before, ("a",), np.random.default_rng(3))
    rest = after["a"] - 0.8 * before["b"]
    assert rest.std() == pytest.approx(0.6, abs=0.02)
    assert abs(np.corrcoef(rest, before["b"])[0, 1]) < 0.03
    assert abs(np.corrcoef(rest, before["a"] - 0.8 * before["b"])[0, 1]) < 0.03


def test_noise_reduces_correlations():
    before = bent_pair()
    was = spearmanr(before["a"], before["b"]).statistic
    after = Copula(("a", "b"), noise=50).mask(before, np.random.default_rng(4))
    assert spearmanr(after["a"], after["b"]).statistic == pytest.approx(was / 2, abs=0.06)
