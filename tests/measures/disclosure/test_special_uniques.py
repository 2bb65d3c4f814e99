"""Special uniques (SUDA2) in an audit."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.data.schema import Role
from evomask.measures.disclosure import special_uniques as module
from evomask.measures.disclosure.special_uniques import (
    largest_audited,
    special_risk,
    special_uniques,
)
from tests.measures.files import categories
from tests.tables import numbers

POINTS = {1: [1], 2: [1, 1], 3: [2, 1, 1], 4: [6, 2, 1, 1]}


def minimal_sets(rows):
    """All pairs of a record and a minimal set of attributes that makes it unique."""
    found = []
    for record, row in enumerate(rows):
        own = []
        for size in range(1, len(row) + 1):
            for chosen in itertools.combinations(range(len(row)), size):
                alike = sum(all(other[j] == row[j] for j in chosen) for other in rows)
                if alike == 1 and not any(set(smaller) <= set(chosen) for smaller in own):
                    own.append(chosen)
        found += [(record, chosen) for chosen in own]
    return found


@st.composite
def tables(draw):
    width = draw(st.integers(1, 4))
    row = st.lists(st.integers(0, 3), min_size=width, max_size=width)
    return draw(st.lists(row, min_size=2, max_size=25))


@given(tables())
def test_sets_and_parts_of_attributes_are_those_of_brute_force(rows):
    names = "abcd"[: len(rows[0])]
    table = categories(**dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    found, expected = special_risk(table, names, 1), minimal_sets(rows)
    points = POINTS[len(names)]
    sizes = [len(chosen) for _, chosen in expected]
    total = sum(points[size - 1] for size in sizes)
    assert found.records == len({record for record, _ in expected})
    assert list(found.sets) == [sizes.count(size) for size in range(1, len(names) + 1)]
    for place, name in enumerate(names):
        part = sum(points[len(chosen) - 1] for _, chosen in expected if place in chosen)
        assert found.contributions[name] == pytest.approx(100 * part / max(total, 1))


def random_table(n=200):
    rng = np.random.default_rng(1)
    return categories(**{name: rng.integers(0, 6, n) for name in "abc"})


def test_histograms_hold_all_records_and_no_small_cells():
    found = special_risk(random_table(), "abc")
    assert sum(cell.records for cell in found.cells) == 200
    assert sum(cell.records for cell in found.scores) == found.records > 0
    small = [c for c in (*found.cells, *found.scores) if 0 < c.records < 10]
    assert len(small) <= (found.records < 10)


def test_matches_are_expected_as_often_as_all_chances_add_up_to():
    table = random_table()
    found, chances = special_risk(table, "abc"), special_uniques(table, "abc").risk
    assert found.expected == pytest.approx(chances.sum())
    assert found.average == pytest.approx(100 * chances.mean())


def test_weights_tell_the_share_of_the_population():
    table = numbers(x=[1, 2, 3, 3], w=[4, 4, 4, 4])
    table = table.with_schema(table.schema.assigning({"w": Role.WEIGHT}))
    assert special_risk(table, ("x",)).fraction == pytest.approx(0.25)


def test_a_whole_population_is_nearly_all_of_it():
    table = numbers(x=[1, 2, 3, 3], w=[1, 1, 1, 1])
    table = table.with_schema(table.schema.assigning({"w": Role.WEIGHT}))
    assert special_risk(table, ("x",)).fraction == pytest.approx(0.99)


def test_nobody_is_special_where_all_are_alike():
    found = special_risk(categories(a=[0, 0, 1, 1], b=[0, 0, 1, 1]), "ab")
    assert (found.records, found.scores, found.expected) == (0, (), 0)
    assert set(found.contributions.values()) == {0}


@pytest.mark.parametrize(
    ("attributes", "rows", "largest"),
    [(6, 1_000_000, 6), (12, 1_000, 12), (13, 1_000, 6), (13, 1_000_000, 2), (40, 10**9, 1)],
)
def test_many_attributes_limit_the_size_of_sets(attributes, rows, largest):
    assert largest_audited(attributes, rows) == largest


def test_a_limit_is_told(monkeypatch):
    monkeypatch.setattr(module, "MOST_SETS_AUDITED", 6)
    found = special_risk(random_table(), "abc")
    assert (found.largest, len(found.sets)) == (2, 2)
