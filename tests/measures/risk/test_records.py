"""Record risk as a histogram."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.errors import ParameterError
from evomask.measures.risk.individual import individual_risk
from evomask.measures.risk.records import Cell, merged, record_risk
from tests.measures.files import categories
from tests.tables import mixed

SIZES = (30, 25, 12, 12, 3, 3, 3, 3, *(1,) * 12)


def counted(sizes):
    """A table with classes of these sizes."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return categories(x=labels // 10, y=labels % 10)


def test_records_are_counted_by_their_risk():
    found = record_risk(counted(SIZES), ("x", "y"))
    assert {(c.low, c.high): c.records for c in found.cells if c.records} == {
        (2, 5): 55, (5, 10): 24, (20, 50): 12, (50, 100): 12,
    }  # fmt: skip


def test_few_records_are_merged_with_those_of_lower_risk():
    found = record_risk(counted((30, 12, 2, 1)), ("x", "y"))
    assert found.cells[-1] == Cell(5, 100, 15)


def test_the_average_is_that_of_individual_risks():
    table = mixed(80)
    names = ("school", "region")
    risk = individual_risk(table, names, "weight").risk
    assert record_risk(table, names).average == pytest.approx(100 * risk.mean())


@st.composite
def histograms(draw):
    counts = draw(st.lists(st.integers(0, 30), min_size=1, max_size=9))
    return [Cell(float(i), float(i + 1), count) for i, count in enumerate(counts)]


@given(histograms(), st.integers(1, 20))
def test_no_merged_cell_is_small(cells, minimum):
    found = merged(cells, minimum)
    assert len(found) == 1 or all(c.records == 0 or c.records >= minimum for c in found)


@given(histograms(), st.integers(1, 20))
def test_merging_keeps_all_records_and_the_whole_range(cells, minimum):
    found = merged(cells, minimum)
    assert sum(c.records for c in found) == sum(c.records for c in cells)
    ends = [(c.low, c.high) for c in found]
    assert ends[0][0] == 0
    assert ends[-1][1] == len(cells)
    assert [high for _, high in ends[:-1]] == [low for low, _ in ends[1:]]


def test_the_chart_shows_the_cells():
    found = record_risk(counted(SIZES), ("x", "y"))
    assert [row[2] for row in found.chart.rows] == [cell.records for cell in found.cells]


def test_a_minimum_is_at_least_one_record():
    with pytest.raises(ParameterError, match="at least 1 record, got 0"):
        record_risk(counted(SIZES), ("x",), 0)
