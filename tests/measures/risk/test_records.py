"""Record risk as a histogram."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.data.schema import Role
from evomask.errors import ParameterError, SchemaError
from evomask.measures.risk.individual import individual_risk
from evomask.measures.risk.records import Cell, household_risk, merged, record_risk
from tests.measures.files import categories
from tests.tables import mixed, numbers

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


def at_home(homes, sizes):
    """Records in classes of these sizes, with the numbers of their households."""
    table = numbers(x=np.repeat(np.arange(len(sizes)), sizes), home=homes)
    roles = {"x": Role.QUASI_IDENTIFIER, "home": Role.HOUSEHOLD}
    return table.with_schema(table.schema.assigning(roles))


def test_any_member_of_a_household_may_be_identified():
    found = household_risk(at_home([1, 2, 1, 2, 2], (2, 3)), ("x",), 1)
    first, second = 1 - 1 / 2 * 2 / 3, 1 - 1 / 2 * 2 / 3 * 2 / 3
    assert found.households == 2
    assert found.expected == pytest.approx(first + second)
    assert found.average == pytest.approx(100 * (first + second) / 2)
    assert found.of_records == pytest.approx(100 * (2 * first + 3 * second) / 5)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_the_risk_of_households_is_that_of_their_members_one_by_one(homes, random):
    table = at_home(homes, [1] * len(homes))
    table = table.with_columns({"x": np.array([random.randrange(4) for _ in homes], dtype=float)})
    risk = individual_risk(table, ["x"]).risk.tolist()
    expected = 0.0
    for home in set(homes):
        nobody = 1.0
        for own, chance in zip(homes, risk, strict=True):
            nobody *= 1 - chance if own == home else 1
        expected += 1 - nobody
    assert household_risk(table, ("x",), 1).expected == pytest.approx(expected)


def test_a_record_without_a_household_is_on_its_own():
    found = household_risk(at_home([1, np.nan, np.nan, 1], (4,)), ("x",), 1)
    assert found.households == 3


def test_cells_with_few_households_are_merged():
    found = household_risk(at_home(np.arange(13) // 2, (1, 12)), ("x",), 10)
    assert [cell.households for cell in found.cells] == [7]


def test_without_household_numbers_there_is_no_risk_of_households():
    assert household_risk(mixed(), ("school",)) is None


def test_two_household_numbers_are_one_too_many():
    table = at_home([1, 2], (2,))
    twice = table.with_schema(table.schema.assigning({"x": Role.HOUSEHOLD}))
    with pytest.raises(SchemaError, match="x, home have that role; keep one"):
        household_risk(twice, ("home",))


def test_expected_re_identifications_are_the_sum_of_risks():
    found = record_risk(counted((4, 3, 2, 1)), ("x", "y"))
    assert found.expected == pytest.approx(4)
    assert found.average == pytest.approx(40)
