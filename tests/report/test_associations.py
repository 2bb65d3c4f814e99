import numpy as np
import pytest
from scipy import stats

from evomask.data.recoding import CategorySets, Intervals
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.report.attribute_changes import associations
from tests.tables import mixed, numbers


def both_nominal(one, other):
    sizes = (max(one) + 1, max(other) + 1)
    names = [tuple(str(i) for i in range(size)) for size in sizes]
    schema = Schema(
        (
            Attribute("a", Kind.NOMINAL, Role.QUASI_IDENTIFIER, names[0]),
            Attribute("b", Kind.NOMINAL, Role.QUASI_IDENTIFIER, names[1]),
        )
    )
    return Table(schema, {"a": np.array(one), "b": np.array(other)})


def test_ordered_attributes_have_spearmans_correlation():
    rng = np.random.default_rng(1)
    one, other = rng.integers(0, 20, (2, 200)).astype(float)
    other += one
    table = numbers(a=one, b=other)
    expected = stats.spearmanr(one, other).statistic
    assert associations(table, table, ["a", "b"]).before[0][1] == pytest.approx(expected, abs=0.005)


def test_nominal_attributes_have_cramers_v():
    rng = np.random.default_rng(1)
    one = rng.integers(0, 3, 300)
    other = (one + rng.integers(0, 2, 300)) % 4
    table = both_nominal(one.tolist(), other.tolist())
    counts = stats.contingency.crosstab(one, other).count
    expected = stats.contingency.association(counts, method="cramer")
    assert associations(table, table, ["a", "b"]).before[0][1] == pytest.approx(expected, abs=0.005)


def test_a_nominal_and_an_ordered_attribute_have_the_correlation_ratio():
    table = mixed(200)
    ranks = stats.rankdata(table["age"])
    between = sum(
        (table["region"] == code).sum()
        * (ranks[table["region"] == code].mean() - ranks.mean()) ** 2
        for code in np.unique(table["region"])
    )
    expected = np.sqrt(between / ((ranks - ranks.mean()) ** 2).sum())
    found = associations(table, table, ["age", "region"])
    assert found.before[0][1] == pytest.approx(expected, abs=0.005)


def test_the_largest_change_comes_first():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 100))
    original = numbers(a=a, b=a, c=b)
    masked = numbers(a=a, b=rng.permutation(a), c=b)
    assert associations(original, masked, ["a", "b", "c"]).changes[0][:3] == ("b", "a", 1.0)


def test_intervals_count_as_their_middle():
    table = numbers(a=np.arange(50.0), b=np.arange(50.0))
    low = np.arange(0.0, 50.0, 10.0)
    tens = Intervals(tuple(map(str, low)), low, low + 9)
    masked = table.with_recoded("a", np.arange(50) // 10, tens)
    expected = stats.spearmanr(np.arange(50) // 10, np.arange(50)).statistic
    found = associations(table, masked, ["a", "b"]).after[0][1]
    assert found == pytest.approx(expected, abs=0.005)


def test_a_set_of_categories_counts_in_equal_parts():
    one = [0, 0, 1, 1, 2, 2] * 10
    table = both_nominal(one, [0, 0, 0, 1, 1, 1] * 10)
    sets = CategorySets(("0 or 1", "2"), np.array([[True, True, False], [False, False, True]]))
    masked = table.with_recoded("a", np.array(one) // 2, sets)
    counts = np.array([[15.0, 5.0], [15.0, 5.0], [0.0, 20.0]])
    squares = ((counts - np.outer([20] * 3, [30, 30]) / 60) ** 2 / 10).sum()
    found = associations(table, masked, ["a", "b"]).after[0][1]
    assert found == pytest.approx(np.sqrt(squares / 60), abs=0.005)


def test_cells_that_say_nothing_hang_together_with_nothing():
    table = mixed(200)
    nothing = CategorySets(("*", "any"), np.ones((2, 4), dtype=bool))
    masked = table.with_recoded("region", (table["age"] > 50).astype(int), nothing)
    found = associations(table, masked, ["region", "age", "illness"]).after
    assert found[0][1:] == (0.0, 0.0)


def test_a_constant_attribute_hangs_together_with_nothing():
    table = numbers(a=np.ones(30), b=np.arange(30.0))
    assert associations(table, table, ["a", "b"]).before[0][1] == 0.0


def test_one_attribute_has_no_pair():
    assert associations(*[numbers(a=np.arange(9.0))] * 2, ["a"]) is None
