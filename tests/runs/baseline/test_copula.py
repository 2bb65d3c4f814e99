import numpy as np
import pytest

from evomask.runs.baseline.copula import synthetic
from tests.measures.files import categories
from tests.tables import mixed, numbers


def bent_pair(n_records=2000):
    """Two numbers that go together, on scales of their own."""
    rng = np.random.default_rng(1)
    first = rng.normal(size=n_records)
    return numbers(a=np.exp(first), b=first + 0.5 * rng.normal(size=n_records))


def ranks(values):
    return np.argsort(np.argsort(values))


def test_columns_keep_their_distributions():
    before = bent_pair()
    after = synthetic(before, ("a", "b"), np.random.default_rng(2))
    for name in ("a", "b"):
        shares = np.linspace(0.05, 0.95, 19)
        quantiles = np.quantile(before[name], shares)
        below = [np.mean(after[name] <= quantile) for quantile in quantiles]
        assert below == pytest.approx(shares, abs=0.04)


def test_columns_go_together_as_before():
    before = bent_pair()
    after = synthetic(before, ("a", "b"), np.random.default_rng(2))
    was, is_now = (np.corrcoef(ranks(t["a"]), ranks(t["b"]))[0, 1] for t in (before, after))
    assert is_now == pytest.approx(was, abs=0.05)


def test_no_record_is_copied():
    before = bent_pair()
    after = synthetic(before, ("a", "b"), np.random.default_rng(2))
    known = set(map(tuple, before.matrix(("a", "b"))))
    assert not known & set(map(tuple, after.matrix(("a", "b"))))


def test_categories_are_as_frequent_as_before_and_stay_in_their_domain():
    rng = np.random.default_rng(3)
    before = categories(x=rng.choice(3, 3000, p=[0.7, 0.2, 0.1]), y=rng.integers(0, 2, 3000))
    after = synthetic(before, ("x", "y"), np.random.default_rng(4))
    assert np.bincount(after["x"]) / 3000 == pytest.approx([0.7, 0.2, 0.1], abs=0.03)


def test_a_column_of_one_value_stays():
    before = numbers(a=np.ones(50), b=np.arange(50.0))
    after = synthetic(before, ("a", "b"), np.random.default_rng(5))
    assert (after["a"] == 1.0).all()


def test_values_are_missing_as_often_as_before():
    before = mixed()
    names = before.schema.quasi_identifiers
    after = synthetic(before, names, np.random.default_rng(6))
    for name in names:
        if not before.attribute(name).is_categorical:
            assert np.isnan(after[name]).sum() == np.isnan(before[name]).sum()


def test_the_same_generator_gives_the_same_file_and_other_columns_stay():
    before = bent_pair(100)
    one, two = (synthetic(before, ("a",), np.random.default_rng(7)) for _ in range(2))
    assert np.array_equal(one["a"], two["a"])
    assert np.array_equal(one["b"], before["b"])
