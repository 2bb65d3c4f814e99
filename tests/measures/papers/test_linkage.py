"""Distance-based and rank-swapping record linkage."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evomask.data.schema import Attribute, Kind, Schema
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.measures.papers.distance_linkage import (
    DistanceLinkage,
    ReverseDistanceLinkage,
    any_of,
    expected_success,
    unique,
)
from evomask.measures.papers.rank_swapping_linkage import SwappingLinkage
from evomask.measures.score import Mean
from tests.measures.files import categories, generalized, perturbed, suppressed
from tests.tables import mixed, numbers


def shares(far):
    """Chance of the own record, from a matrix of exact distances."""
    nearest = [min(row) for row in far]
    ties = [row.count(best) for row, best in zip(far, nearest, strict=True)]
    own = [row[i] == nearest[i] for i, row in enumerate(far)]
    return [Fraction(int(o), t) for o, t in zip(own, ties, strict=True)]


@given(st.lists(st.tuples(*[st.integers(0, 5)] * 6), min_size=2, max_size=25))
@settings(deadline=None)
def test_ties_are_exact_on_whole_numbers(rows):
    """Against fractions, with variances as exact numbers."""
    before, after = ([r[:3] for r in rows], [r[3:] for r in rows])
    n = len(rows)
    variances = []
    for j in range(3):
        column = [Fraction(r[j]) for r in before]
        mean = sum(column) / n
        variances.append(sum((x - mean) ** 2 for x in column) / n or Fraction(1))
    far = [
        [sum((a[j] - b[j]) ** 2 / variances[j] for j in range(3)) for b in before] for a in after
    ]
    tables = [
        numbers(**{name: [r[j] for r in side] for j, name in enumerate("abc")})
        for side in (before, after)
    ]
    found = DistanceLinkage(("a", "b", "c")).against(tables[0])(tables[1])
    assert found == pytest.approx(100 * float(sum(shares(far))) / n)


SIZES = (3, 7, 5)


def ordinal(rows):
    schema = Schema(
        tuple(
            Attribute(name, Kind.ORDINAL, categories=tuple("abcdefg"[:size]))
            for name, size in zip("xyz", SIZES, strict=True)
        )
    )
    return Table(schema, {name: np.array([r[j] for r in rows]) for j, name in enumerate("xyz")})


PAIRS = st.lists(
    st.tuples(*(st.integers(0, size - 1) for size in SIZES * 2)), min_size=1, max_size=25
)


@given(PAIRS)
@settings(deadline=None)
def test_ties_are_exact_on_categories(rows):
    far = [
        [sum(Fraction(abs(a[j + 3] - b[j]), SIZES[j]) for j in range(3)) for b in rows]
        for a in rows
    ]
    before, after = ordinal([r[:3] for r in rows]), ordinal([r[3:] for r in rows])
    found = DistanceLinkage(("x", "y", "z")).against(before)(after)
    assert found == pytest.approx(100 * float(sum(shares(far))) / len(rows))


@given(PAIRS)
@settings(deadline=None)
def test_the_other_direction_is_the_same_attack_with_the_files_exchanged(rows):
    before, after = ordinal([r[:3] for r in rows]), ordinal([r[3:] for r in rows])
    names = ("x", "y", "z")
    there = DistanceLinkage(names).against(after)(before)
    back = ReverseDistanceLinkage(names).against(before)(after)
    assert back == pytest.approx(there)


def test_what_a_tie_counts_is_a_rule_of_its_own():
    before = numbers(a=[1, 2, 3, 4, 10])
    after = numbers(a=[1.5, 1.5, 3.5, 3.5, 10])
    found = {
        rule: DistanceLinkage(("a",), rule).against(before)(after)
        for rule in (expected_success, unique, any_of)
    }
    assert found == {expected_success: 60.0, unique: 20.0, any_of: 100.0}


def test_records_that_are_all_alike_share_the_guess():
    same = categories(x=[1] * 8)
    assert DistanceLinkage(("x",)).against(same)(same) == pytest.approx(100 / 8)


def test_consistent_records_are_at_distance_zero():
    before = categories(ordinal=True, x=[0, 1, 2, 3, 3])
    merged = generalized(before, ["x"])
    assert DistanceLinkage(("x",)).against(before)(merged) == pytest.approx(
        100 * np.mean([1 / 2, 1 / 2, 1 / 3, 1 / 3, 1 / 3])
    )


def test_a_suppressed_file_leaves_a_blind_guess():
    table = mixed(50)
    names = table.schema.quasi_identifiers
    known = table.take(np.flatnonzero(~np.isnan(table["income"])))
    found = DistanceLinkage(names).against(known)(suppressed(known, names))
    assert found == pytest.approx(100 / len(known))


def test_intervals_are_linked_both_ways():
    table = mixed(60)
    names = ("age", "income")
    merged = generalized(table, names)
    there, back = (
        m(names).against(table)(merged) for m in (DistanceLinkage, ReverseDistanceLinkage)
    )
    assert 0 < there < 100
    assert 0 < back < 100


def test_an_intruder_may_hold_one_of_several_files():
    table = mixed(60)
    masked = perturbed(table, table.schema.quasi_identifiers)
    known = (("age",), ("school", "region"))
    average = Mean(tuple(DistanceLinkage(names) for names in known)).against(table)(masked)
    each = [DistanceLinkage(names).against(table)(masked) for names in known]
    assert average == pytest.approx(np.mean(each))


def rank(values, value):
    return ((values < value).sum() + (values <= value).sum() + 1) / 2


def swapped(table, reach, rng):
    """Neighbours of up to *reach* ranks exchange their values, each attribute on its own."""
    changes = {}
    for name in table.schema.names:
        order, column = np.argsort(table[name], kind="stable"), table[name].copy()
        for start in range(0, len(order) - reach, reach + 1):
            block = order[start : start + reach + 1]
            column[block] = table[name][rng.permutation(block)]
        changes[name] = column
    return table.with_columns(changes)


@pytest.fixture
def pair():
    rng = np.random.default_rng(1)
    table = numbers(**{name: rng.integers(0, 30, 50) for name in "abc"})
    return table, swapped(table, 6, rng)


def test_records_out_of_reach_are_ruled_out(pair):
    """Against the obvious way: for each masked record all originals, one by one."""
    original, masked = pair
    names, reach, hits = tuple("abc"), 0.2 * 50, []
    ranks = np.column_stack([[rank(original[n], v) for v in original[n]] for n in names])
    places = np.column_stack([[rank(original[n], v) for v in masked[n]] for n in names])
    for i, place in enumerate(places):
        apart = np.abs(ranks - place)
        far = np.where((apart <= reach).all(axis=1), (apart**2).sum(axis=1), np.inf)
        nearest = np.flatnonzero(far == far.min())
        found = np.isfinite(far[i]) and i in nearest
        hits.append(found / len(nearest))
    found = SwappingLinkage(names, 20).against(original)(masked)
    assert found == pytest.approx(100 * np.mean(hits))


def test_knowing_the_window_helps_the_intruder():
    rng = np.random.default_rng(2)
    table = numbers(**{name: rng.permutation(300).astype(float) for name in "abcdef"})
    masked = swapped(table, 45, rng)
    names = tuple("abcdef")
    knowing = SwappingLinkage(names, 15).against(table)(masked)
    assert knowing > DistanceLinkage(names).against(table)(masked)


def test_a_record_moved_farther_than_the_window_is_not_found():
    before = numbers(a=np.arange(10.0))
    after = before.with_columns({"a": np.roll(before["a"], 1)})
    assert SwappingLinkage(("a",), 5).against(before)(after) == 0.0


def test_generalized_and_missing_values_may_be_any_they_cover():
    table = mixed(60)
    names = ("age", "income", "school")
    found = SwappingLinkage(names).against(table)(generalized(table, names))
    assert 0 < found < 100


def test_an_order_that_is_needed_and_not_given_is_asked_for():
    with pytest.raises(SchemaError, match="needs ordered values, and 'x' is nominal"):
        SwappingLinkage(("x",)).against(categories(x=[0, 1]))


def test_a_window_is_a_percentage():
    with pytest.raises(ParameterError, match=r"window must lie in \[0, 100\] percent, got 120"):
        SwappingLinkage(("x",), 120)
