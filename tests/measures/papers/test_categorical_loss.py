"""Contingency-table, distance and entropy losses."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.data.schema import Attribute, Kind, Schema
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.measures.papers import categorical_loss
from evomask.measures.papers.categorical_loss import ContingencyLoss, DistanceLoss, EntropyLoss
from tests.measures.files import categories, suppressed
from tests.tables import sets_of

SIZES = {"x": 4, "y": 3, "z": 2}
NAMES = tuple(SIZES)


def coded(rows, kind=Kind.ORDINAL):
    schema = Schema(
        tuple(Attribute(n, kind, categories=tuple("abcd"[:s])) for n, s in SIZES.items())
    )
    columns = np.array(rows).T
    return Table(schema, dict(zip(NAMES, columns, strict=True)))


ROWS = st.lists(
    st.tuples(*(st.integers(0, size - 1) for size in (*SIZES.values(), *SIZES.values()))),
    min_size=1,
    max_size=30,
)


def halves(rows, kind=Kind.ORDINAL):
    return coded([r[:3] for r in rows], kind), coded([r[3:] for r in rows], kind)


def table_counts(rows, chosen):
    counts = {}
    for row in rows:
        key = tuple(row[j] for j in chosen)
        counts[key] = counts.get(key, 0) + 1
    return counts


@given(ROWS)
def test_contingency_loss_counts_every_cell_of_every_table(rows):
    before, after = halves(rows)
    total = 0
    for order in (1, 2):
        for chosen in itertools.combinations(range(3), order):
            ours = table_counts([r[:3] for r in rows], chosen)
            theirs = table_counts([r[3:] for r in rows], chosen)
            total += sum(abs(ours.get(c, 0) - theirs.get(c, 0)) for c in {*ours, *theirs})
    found = ContingencyLoss(NAMES).diagnostics(before, after)
    assert (found.total, found.tables, found.cells) == (total, 6, 9 + 12 + 8 + 6)
    assert found.per_cell == pytest.approx(total / 35)
    assert ContingencyLoss(NAMES).against(before)(after) == pytest.approx(
        100 * total / (2 * len(rows) * 6)
    )


@given(ROWS)
def test_large_tables_are_counted_alike_by_their_occupied_cells(rows):
    before, after = halves(rows)
    dense = ContingencyLoss(NAMES, 3).against(before)(after)
    small, categorical_loss.DENSE = categorical_loss.DENSE, 0
    try:
        assert ContingencyLoss(NAMES, 3).against(before)(after) == pytest.approx(dense)
    finally:
        categorical_loss.DENSE = small


@given(ROWS)
def test_distance_loss_is_the_mean_distance_of_cells(rows):
    before, after = halves(rows)
    apart = [abs(r[j] - r[j + 3]) / size for r in rows for j, size in enumerate(SIZES.values())]
    assert DistanceLoss(NAMES).against(before)(after) == pytest.approx(100 * np.mean(apart))


@given(ROWS)
def test_nominal_cells_are_equal_or_at_distance_one(rows):
    before, after = halves(rows, Kind.NOMINAL)
    apart = [r[j] != r[j + 3] for r in rows for j in range(3)]
    assert DistanceLoss(NAMES).against(before)(after) == pytest.approx(100 * np.mean(apart))


@given(ROWS)
def test_entropy_loss_sums_over_records(rows):
    """Equations 2.12 and 2.13 as they stand."""
    before, after = halves(rows)
    parts = []
    for j, size in enumerate(SIZES.values()):
        total = 0.0
        for record in rows:
            alike = [r[j] for r in rows if r[j + 3] == record[j + 3]]
            shares = [alike.count(c) / len(alike) for c in set(alike)]
            total -= sum(p * np.log(p) for p in shares)
        parts.append(total / (len(rows) * np.log(size)))
    expected = pytest.approx(100 * np.mean(parts), abs=1e-9)
    assert EntropyLoss(NAMES).against(before)(after) == expected


def test_a_generalized_cell_counts_by_the_leaves_it_covers():
    before = categories(ordinal=True, x=[0, 0, 0, 1, 2, 3])
    merged = before.with_recoded(
        "x", np.array([0, 0, 0, 0, 1, 1]), sets_of("lh", [[0, 1], [2, 3]], 4)
    )
    lower = (3 * (1 / 4) + 1 * (3 / 4)) * (1 / 4)
    upper = 2 * (1 / 2) * (1 / 4)
    assert DistanceLoss(("x",)).against(before)(merged) == pytest.approx(100 * (lower + upper) / 6)


def test_a_generalized_count_is_spread_by_original_frequencies():
    before = categories(x=[0, 0, 0, 1, 2, 3])
    merged = before.with_recoded(
        "x", np.array([0, 0, 0, 0, 1, 1]), sets_of("lh", [[0, 1], [2, 3]], 4)
    )
    assert ContingencyLoss(("x",)).against(before)(merged) == pytest.approx(0, abs=1e-12)


def test_suppression_leaves_the_whole_entropy():
    before = categories(x=[0, 1, 2, 3])
    assert EntropyLoss(("x",)).against(before)(suppressed(before, ["x"])) == pytest.approx(100)


def test_permuted_categories_have_no_entropy_loss():
    before = categories(x=[0, 1, 2, 2])
    assert EntropyLoss(("x",)).against(before)(categories(x=[2, 0, 1, 1])) == 0.0


def test_missing_is_at_distance_one_from_any_value():
    schema = Schema((Attribute("x", Kind.ORDINAL, categories=("a", "b", "c", "")),))
    before, after = (Table(schema, {"x": np.array(x)}) for x in ([0, 1, 3, 3], [0, 3, 3, 0]))
    assert DistanceLoss(("x",)).against(before)(after) == 50.0


def test_a_table_needs_at_least_one_dimension():
    with pytest.raises(ParameterError, match="dimension must be at least 1"):
        ContingencyLoss(("x",), 0)
