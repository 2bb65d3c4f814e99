import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evomask.data.recoding import Intervals
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.report.distributions import MINIMUM, MOST_CELLS, distribution
from tests.tables import sets_of

QUASI = Role.QUASI_IDENTIFIER


def categories(kind, counts, names=None):
    """A table of one attribute whose categories occur so many times."""
    names = names or tuple(f"category {i}" for i in range(len(counts)))
    schema = Schema((Attribute("x", kind, QUASI, tuple(names)),))
    return Table(schema, {"x": np.repeat(np.arange(len(counts)), counts)})


def numbers(values):
    return Table(Schema((Attribute("x", Kind.CONTINUOUS, QUASI),)), {"x": np.array(values, float)})


counts = st.lists(st.integers(0, 60), min_size=1, max_size=30).filter(lambda c: sum(c) > 0)


@given(st.sampled_from([Kind.ORDINAL, Kind.NOMINAL]), counts)
def test_a_rare_category_is_never_named(kind, counts):
    table = categories(kind, counts)
    shown = distribution(table, table, "x")
    told = " ".join(shown.cells).split() if shown else []
    rare = {str(i) for i, count in enumerate(counts) if count < MINIMUM}
    numbers_told = {word for place, word in enumerate(told) if told[place - 1] == "category"}
    assert not rare & numbers_told


@given(st.sampled_from([Kind.ORDINAL, Kind.NOMINAL]), counts)
def test_no_cell_of_categories_holds_a_few_records(kind, counts):
    table = categories(kind, counts)
    shown = distribution(table, table, "x")
    held = [share * len(table) / 100 for share in shown.before] if shown else []
    rounding = 0.0005 * len(table)
    assert all(count < rounding or count >= MINIMUM - rounding for count in held)


values = st.lists(
    st.floats(-1e9, 1e9, allow_nan=False) | st.sampled_from([0.0, 1.0]), min_size=1, max_size=80
)


@settings(max_examples=200)
@given(values)
def test_no_cell_of_numbers_holds_a_few_records(values):
    table = numbers(values)
    shown = distribution(table, table, "x")
    held = [share * len(table) / 100 for share in shown.before] if shown else []
    assert all(count >= MINIMUM - 0.0005 * len(table) for count in held)


def test_shares_are_those_of_a_plain_count():
    table = categories(Kind.NOMINAL, [60, 25, 15])
    masked = categories(Kind.NOMINAL, [50, 25, 25])
    shown = distribution(table, masked, "x")
    assert shown.cells == ("category 0", "category 1", "category 2")
    assert shown.before == (60.0, 25.0, 15.0)
    assert shown.after == (50.0, 25.0, 25.0)
    assert not shown.merged


def test_few_others_take_the_smallest_category_with_them():
    shown = distribution(*[categories(Kind.NOMINAL, [70, 25, 5])] * 2, "x")
    assert shown.cells == ("category 0", "all others")
    assert shown.before == (70.0, 30.0)


def test_one_cell_is_not_shown():
    assert distribution(*[categories(Kind.NOMINAL, [95, 5])] * 2, "x") is None


def test_a_rare_end_of_a_scale_joins_its_neighbour():
    names = ("low", "middle", "high", "extreme")
    shown = distribution(*[categories(Kind.ORDINAL, [30, 40, 27, 3], names)] * 2, "x")
    assert shown.cells == ("low", "middle", "high")
    assert shown.before == (30.0, 40.0, 30.0)
    assert shown.merged


def test_a_long_scale_has_few_cells():
    shown = distribution(*[categories(Kind.ORDINAL, [20] * 40)] * 2, "x")
    assert len(shown.cells) <= MOST_CELLS + 1
    assert shown.cells[0] == "category 0 to category 3"


def test_a_long_scale_of_numbers_is_cut_at_round_ones():
    ages = tuple(str(age) for age in range(18, 98))
    shown = distribution(*[categories(Kind.ORDINAL, [5] * 80, ages)] * 2, "x")
    assert shown.cells[0] == "under 20"
    assert shown.cells[-1] == "90 or more"


def test_codes_carry_their_labels():
    labels = (("1", "woman"), ("2", "man"))
    schema = Schema((Attribute("x", Kind.NOMINAL, QUASI, ("1", "2"), value_labels=labels),))
    table = Table(schema, {"x": np.repeat([0, 1], [60, 40])})
    assert distribution(table, table, "x").cells == ("1 (woman)", "2 (man)")


def test_cells_of_numbers_count_what_lies_between_their_ends():
    values = np.arange(1000.0)
    shown = distribution(numbers(values), numbers(values + 100), "x")
    assert shown.cells[:2] == ("under 100", "100 to 200")
    assert shown.before[:2] == (10.0, 10.0)
    assert shown.after[:2] == (0.0, 10.0)


@pytest.mark.parametrize("outlier", [-987654.3, 987654.3])
def test_the_ends_of_the_numbers_are_not_told(outlier):
    table = numbers([*np.linspace(0, 100, 200), outlier])
    assert not any("987" in cell for cell in distribution(table, table, "x").cells)


def test_missing_numbers_are_a_cell_where_there_are_enough():
    table = numbers([*range(90), *[np.nan] * 10])
    assert distribution(table, table, "x").cells[-1] == "missing"
    assert distribution(table, table, "x").before[-1] == 10.0


def test_few_missing_numbers_are_not_told():
    table = numbers([*range(90), *[np.nan] * 3])
    assert "missing" not in distribution(table, table, "x").cells


def test_a_set_of_several_cells_is_less_precise():
    table = categories(Kind.NOMINAL, [60, 20, 20])
    sets = sets_of(["{0,1}", "2"], [[0, 1], [2]], 3)
    shown = distribution(table, table.with_recoded("x", np.arange(100) // 80, sets), "x")
    assert shown.cells[-1] == "less precise"
    assert shown.after == (0.0, 0.0, 20.0, 80.0)
    assert shown.before == (60.0, 20.0, 20.0, 0.0)


def test_suppressed_values_are_a_cell_of_their_own():
    ages = tuple(str(age) for age in range(20, 60))
    table = categories(Kind.ORDINAL, [30] * 10 + [10] * 30, ages)
    everything = sets_of(["*"], [range(40)], 40)
    shown = distribution(table, table.with_recoded("x", np.zeros(600, int), everything), "x")
    assert shown.cells[-1] == "suppressed"
    assert shown.after == (*[0.0] * (len(shown.cells) - 1), 100.0)


def test_an_interval_counts_in_the_cell_in_which_it_lies():
    table = numbers(np.arange(100.0))
    low, high = np.array([0.0, 31.0]), np.array([99.0, 32.0])
    ranges = Intervals(("[0,99]", "[31,32]"), low, high)
    shown = distribution(table, table.with_recoded("x", np.arange(100) // 90, ranges), "x")
    after = dict(zip(shown.cells, shown.after, strict=True))
    assert after["30 to 40"] == 10.0
    assert after["less precise"] == 90.0


def test_records_left_out_are_not_counted():
    table = categories(Kind.NOMINAL, [60, 40])
    masked = table.suppressing(table["x"] == 1)
    assert distribution(table, masked, "x").after == (100.0, 0.0)
