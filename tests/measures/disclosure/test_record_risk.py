"""Re-identification risk of single records and households."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from evomask.data.schema import Role
from evomask.errors import DataError, ParameterError, SchemaError
from evomask.measures.disclosure.record_risk import (
    Cell,
    household_risk,
    individual_risk,
    merge_small_cells,
    record_risk,
    weight_of,
)
from evomask.measures.disclosure.special_uniques import special_uniques
from tests.measures.files import categories
from tests.tables import mixed, numbers


def weighted(sizes, weight):
    """Classes of the given sizes, every record with the same weight."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return numbers(x=labels, w=np.full(len(labels), weight))


def mean_inverse_population(size, share):
    """The integral that Benedetti and Franconi solve."""

    def integrand(t):
        return (share * np.exp(-t) / (1 - (1 - share) * np.exp(-t))) ** size

    return quad(integrand, 0, np.inf)[0]


@pytest.mark.parametrize("weight", [1.00001, 1.5, 10.0, 400.0])
@pytest.mark.parametrize("size", [1, 2])
def test_small_classes_have_the_exact_risk(size, weight):
    risk = individual_risk(weighted([size], weight), ["x"], "w").risk
    assert risk == pytest.approx(mean_inverse_population(size, 1 / weight), rel=1e-6)


@pytest.mark.parametrize("size", [3, 5, 20])
def test_larger_classes_are_at_most_three_percent_above(size):
    risk = individual_risk(weighted([size], 10.0), ["x"], "w").risk[0]
    exact = mean_inverse_population(size, 0.1)
    assert exact <= risk <= 1.03 * exact


def test_without_weights_the_file_is_the_population():
    found = individual_risk(weighted([1, 2, 4], 1.0), ["x"])
    assert found.risk == pytest.approx([1, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25])
    assert found.expected_reidentifications == pytest.approx(3)


@pytest.mark.parametrize("wrong", [0.0, -1.0, np.nan])
def test_a_weight_that_is_zero_or_missing_is_named(wrong):
    table = numbers(x=[1, 2, 3], w=[5, wrong, 5])
    with pytest.raises(DataError, match="weight 'w' is zero, negative or missing in record 2"):
        individual_risk(table, ["x"], "w")


def test_the_weight_is_the_attribute_in_that_role():
    assert weight_of(mixed()) == "weight"
    assert weight_of(numbers(a=[1])) is None


def test_two_weights_are_one_too_many():
    table = mixed()
    twice = table.with_schema(table.schema.assigning({"age": Role.WEIGHT}))
    with pytest.raises(SchemaError, match="age, weight have that role; keep one"):
        weight_of(twice)


def test_the_most_exposed_member_of_a_household():
    table = numbers(x=[0, 0, 1, 2], h=[1, 1, 1, 2])
    table = table.with_schema(table.schema.assigning({"h": Role.HOUSEHOLD}))
    assert household_risk(table, ["x"]).most_exposed == pytest.approx(100)
    assert household_risk(table.take(np.arange(2)), ["x"]).most_exposed == pytest.approx(50)


def minimal_sets(columns, record):
    """Sets of attributes that make a record unique while none of their parts does."""
    found = []
    for size in range(1, len(columns) + 1):
        for chosen in itertools.combinations(range(len(columns)), size):
            keys = list(zip(*(columns[j] for j in chosen), strict=True))
            if keys.count(keys[record]) == 1 and not any(set(f) <= set(chosen) for f in found):
                found.append(chosen)
    return found


def test_minimal_sample_uniques_are_those_of_all_subsets():
    rng = np.random.default_rng(2)
    columns = [rng.integers(0, 4, 40).tolist() for _ in range(4)]
    found = special_uniques(categories(**dict(zip("abcd", columns, strict=True))), "abcd")
    for record in range(40):
        sizes = [len(chosen) for chosen in minimal_sets(columns, record)]
        assert found.sizes[record].tolist() == [sizes.count(s) for s in range(5)]
        assert found.score[record] == sum([0, 6, 2, 1, 1][s] for s in sizes)


def test_a_limit_on_the_size_of_sets_holds():
    table = categories(a=[0, 0, 1, 1], b=[0, 1, 0, 1])
    assert special_uniques(table, "ab", largest=1).score.tolist() == [0, 0, 0, 0]
    assert special_uniques(table, "ab").score.tolist() == [1, 1, 1, 1]


def test_the_mean_odds_against_a_match_are_those_simulated():
    rng = np.random.default_rng(3)
    table = categories(**{name: rng.integers(0, 5, 60) for name in "abc"})
    found = special_uniques(table, "abc", fraction=0.1)
    sizes = individual_risk(table, "abc").sample
    uniques, doubles = (sizes == 1).sum(), (sizes == 2).sum()
    risk = found.risk[found.risk > 0]
    assert np.mean(1 / risk - 1) == pytest.approx(doubles * 0.9 / (uniques * 0.1))


def test_records_without_unique_sets_have_no_risk():
    assert special_uniques(categories(a=[0, 0, 1, 1]), "a").risk.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("fraction", [0, 1])
def test_a_sampling_fraction_lies_between_0_and_1(fraction):
    with pytest.raises(ParameterError, match="sampling fraction must lie in"):
        special_uniques(categories(a=[0, 1]), "a", fraction=fraction)


def test_too_many_sets_are_refused():
    wide = categories(**{f"n{i}": [0, 1] for i in range(24)})
    with pytest.raises(ParameterError, match="too many sets of"):
        special_uniques(wide, wide.schema.names, largest=6)


def test_a_limit_outside_the_attributes_is_refused():
    with pytest.raises(ParameterError, match="largest must lie in 1 to 1, got 2"):
        special_uniques(categories(a=[0, 1]), "a", largest=2)


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
    found = merge_small_cells(cells, minimum)
    assert len(found) == 1 or all(c.records == 0 or c.records >= minimum for c in found)


@given(histograms(), st.integers(1, 20))
def test_merging_keeps_all_records_and_the_whole_range(cells, minimum):
    found = merge_small_cells(cells, minimum)
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
