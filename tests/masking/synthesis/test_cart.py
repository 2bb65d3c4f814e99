"""Trees: leaves against scikit-learn, drawn distributions against those of the file."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency, ks_2samp
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from evomask.data.schema import Attribute, Kind, Schema
from evomask.data.table import Table
from evomask.kernels.trees import draw_from_leaves
from evomask.masking.synthesis.cart import Cart
from tests.measures.files import categories
from tests.tables import QUASI, numbers

N, LEAF = 400, 7


def members(bins, values, classes, nominal, depth=30):
    """All members of the leaf of each record, by drawing with every chance."""
    sizes = bins.max(axis=1).astype(np.int64) + 1
    flags = np.array(nominal, dtype=np.int64)
    new, chances = np.tile(bins, N), np.repeat(np.arange(N) / N, N)
    donors = draw_from_leaves(bins, sizes, flags, values, classes, LEAF, depth, new, chances)
    return [set(donors[i::N]) for i in range(N)]


def leaves_of(tree, bins, response):
    leaf = tree.fit(bins.T, response).apply(bins.T)
    return [set(np.flatnonzero(leaf == one)) for one in leaf]


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.mark.parametrize("depth", [2, 30])
def test_leaves_of_numbers_are_those_of_scikit_learn(rng, depth):
    bins = rng.integers(0, 30, (3, N)).astype(np.int32)
    response = bins[0] + 5 * np.sin(bins[1]) + rng.normal(size=N)
    theirs = DecisionTreeRegressor(min_samples_leaf=LEAF, max_depth=depth, random_state=0)
    ours = members(bins, response - response.mean(), np.zeros(N, np.int32), [0, 0, 0], depth)
    assert ours == leaves_of(theirs, bins, response)


def test_leaves_of_classes_are_those_of_scikit_learn(rng):
    bins = rng.permuted(np.arange(3 * N).reshape(3, N), axis=1).astype(np.int32) % N
    classes = (bins[0] // 100 + 2 * (bins[1] > 170) + rng.integers(0, 2, N)).astype(np.int32)
    theirs = DecisionTreeClassifier(min_samples_leaf=LEAF, max_depth=3, random_state=0)
    ours = members(bins, np.ones(N), classes, [0, 0, 0], 3)
    assert ours == leaves_of(theirs, bins, classes)


def test_categories_without_order_are_split_by_their_means(rng):
    """As scikit-learn splits them once they are numbered by the mean of the response."""
    bins = rng.integers(0, 12, (1, N)).astype(np.int32)
    response = rng.normal(size=12)[bins[0]] * 3 + rng.normal(size=N)
    means = [response[bins[0] == b].mean() for b in range(12)]
    ranks = np.argsort(np.argsort(means))[bins].astype(np.int32)
    theirs = DecisionTreeRegressor(min_samples_leaf=LEAF, max_depth=1, random_state=0)
    ours = members(bins, response - response.mean(), np.zeros(N, np.int32), [1], 1)
    assert ours == leaves_of(theirs, ranks, response)


def test_the_distribution_given_others_is_preserved(rng):
    x = rng.integers(0, 5, 4000)
    y = np.where(rng.random(4000) < 0.3, rng.integers(0, 4, 4000), x % 4)
    before = categories(x=x, y=y)
    after = Cart(("y",), leaf=50).mask(before, rng)
    for code in range(5):
        tables = [np.bincount(t["y"][x == code], minlength=4) + 1 for t in (before, after)]
        assert chi2_contingency(tables).pvalue > 0.001


def test_a_wholly_synthetic_file_keeps_columns_and_their_dependence(rng):
    x = rng.gamma(2.0, size=3000)
    before = numbers(a=x, b=np.sin(x) + 0.1 * rng.normal(size=3000))
    after = Cart(("a", "b"), noise=2).mask(before, rng)
    for name in ("a", "b"):
        assert ks_2samp(before[name], after[name]).pvalue > 0.001
    gaps = after["b"] - np.sin(after["a"])
    assert np.median(np.abs(gaps)) < 0.12
    assert len(np.intersect1d(before["a"], after["a"])) < 300  # values between those of the file


def test_only_records_that_stand_out_are_replaced(rng):
    x, y = np.append(np.repeat(0, 300), np.arange(1, 5)), rng.integers(0, 3, 304)
    before = categories(x=x, y=y)
    after = Cart(("x",), rare=1).mask(before, rng)
    assert np.array_equal(before["x"][:300], after["x"][:300])
    assert (after["x"][300:] == 0).sum() >= 3


def test_drawn_records_obey_edit_rules_where_they_can(rng):
    low = rng.integers(0, 50, 500).astype(float)
    before = numbers(a=low, b=low + rng.integers(0, 50, 500))
    schema = type(before.schema)(before.schema.attributes, edits=("a <= b",))
    free, bound = (
        Cart(("a", "b"), depth=0).mask(table, np.random.default_rng(1))
        for table in (before, before.with_schema(schema))
    )
    wrong = [(t["a"] > t["b"]).mean() for t in (free, bound)]
    assert wrong[0] > 0.1
    assert wrong[1] < wrong[0] / 8


def test_many_categories_share_bins(rng):
    many = tuple(str(code) for code in range(600))
    schema = Schema(
        (Attribute("x", Kind.NOMINAL, QUASI, many), Attribute("y", Kind.NOMINAL, QUASI, many))
    )
    x = rng.integers(0, 600, 3000)
    table = Table(schema, {"x": x, "y": x % 2})
    after = Cart(("y",), leaf=1).mask(table, rng)
    frequent = np.isin(x, np.argsort(-np.bincount(x, minlength=600), kind="stable")[:254])
    assert (after["y"] == x % 2)[frequent].mean() > 0.9
