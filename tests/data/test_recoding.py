"""Recodings answer alike for sets of categories and for intervals."""

from itertools import product

import numpy as np
import pytest

from evomask.data.recoding import (
    CategorySets,
    Intervals,
    identity_recoding,
    is_uninformative,
    merge_recodings,
)
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import SchemaError
from tests.tables import sets_of

SIZE = 4
SCHOOL = Attribute("school", Kind.ORDINAL, Role.OTHER, ("low", "middle", "high", ""))
INCOME = Attribute("income", Kind.CONTINUOUS, Role.OTHER)

EVERY_SET = [
    [code for code, inside in enumerate(flags) if inside]
    for flags in product([False, True], repeat=SIZE)
    if any(flags)
]
SETS = sets_of([str(members) for members in EVERY_SET], EVERY_SET, SIZE)
ENDS = [(1.0, 1.0), (1.0, 4.0), (-2.0, 3.0), (np.nan, np.nan)]
INTERVALS = Intervals(
    ("1", "[1,4]", "[-2,3]", ""), np.array([a for a, _ in ENDS]), np.array([b for _, b in ENDS])
)


def test_sets_begin_and_end_with_their_least_and_greatest_category():
    assert SETS.low.tolist() == [min(members) for members in EVERY_SET]
    assert SETS.high.tolist() == [max(members) for members in EVERY_SET]


def test_a_set_of_several_categories_is_wide():
    assert SETS.wide.tolist() == [len(members) > 1 for members in EVERY_SET]


def test_an_interval_is_wide_unless_it_is_a_number_or_missing():
    assert INTERVALS.wide.tolist() == [False, True, True, False]


def test_sets_written_like_the_missing_category_are_missing():
    assert sets_of(["a", "", "*"], [[0], [3], [0, 3]], SIZE).missing.tolist() == [
        False,
        True,
        False,
    ]


def test_intervals_without_ends_are_missing():
    assert INTERVALS.missing.tolist() == [False, False, False, True]


def test_suppressed_and_missing_cells_say_nothing():
    assert is_uninformative(INTERVALS.with_suppressed_cell()).tolist() == [
        False, False, False, True, True,
    ]  # fmt: skip


def test_intervals_have_no_categories():
    assert INTERVALS.leaves.shape == (4, 0)
    assert INTERVALS.spread(np.empty(0)).shape == (4, 0)


@pytest.mark.parametrize("weights", [[1, 1, 1, 1], [3, 0, 1, 5], [0, 0, 0, 7], [0.1, 0.7, 0.2, 0]])
def test_sets_spread_over_their_categories_by_weight(weights):
    shares = SETS.spread(np.array(weights))
    for row, members in zip(shares, EVERY_SET, strict=True):
        own = [weights[code] for code in members]
        own = own if sum(own) else [1] * len(members)
        expected = [own[members.index(c)] / sum(own) if c in members else 0 for c in range(SIZE)]
        assert row.tolist() == pytest.approx(expected)


def test_the_middle_of_a_set_is_the_mean_place_of_its_known_categories():
    known = [[code for code in members if code < 3] for members in EVERY_SET]
    expected = [np.mean(own) if own else np.nan for own in known]
    assert np.array_equal(SETS.middles(SCHOOL), expected, equal_nan=True)


def test_the_middle_of_an_interval_is_half_way_between_its_ends():
    assert np.array_equal(INTERVALS.middles(INCOME), [1.0, 2.5, 0.5, np.nan], equal_nan=True)


def test_a_set_covers_the_numbers_of_its_categories():
    scale, values = np.array([10.0, 20.0, 30.0, np.nan]), np.array([30.0, 10.0, 10.0])
    for code, members in enumerate(EVERY_SET):
        inside = [value for value in values if value in scale[members]]
        expected = inside or scale[members]
        assert np.array_equal(SETS.covered(code, values, scale), expected, equal_nan=True)


def test_an_interval_covers_the_values_between_its_ends_or_its_middle():
    values = np.array([3.0, 1.5, 9.0])
    found = [INTERVALS.covered(code, values, np.empty(0)).tolist() for code in range(3)]
    assert found == [[1.0], [3.0, 1.5], [3.0, 1.5]]
    assert np.isnan(INTERVALS.covered(3, values, np.empty(0))).tolist() == [True]


def test_the_suppressed_cell_of_sets_holds_every_category():
    wider = SETS.with_suppressed_cell()
    assert wider.labels == (*SETS.labels, "*")
    assert np.array_equal(wider.leaves[:-1], SETS.leaves)
    assert wider.leaves[-1].all()


def test_the_suppressed_cell_of_intervals_reaches_over_all_of_them():
    wider = INTERVALS.with_suppressed_cell()
    assert wider.labels == (*INTERVALS.labels, "*")
    assert (wider.low[-1], wider.high[-1]) == (-2.0, 4.0)


def test_sets_are_named_by_the_bytes_of_their_flags():
    named = [SETS.names[row.tobytes()] for row in SETS.leaves]
    assert named == list(SETS.labels)


def test_intervals_are_named_by_their_ends_and_missing_ones_are_not_found():
    assert [INTERVALS.names.get(ends) for ends in ENDS[:3]] == ["1", "[1,4]", "[-2,3]"]
    assert INTERVALS.names.get((float("nan"), float("nan"))) is None


@pytest.mark.parametrize("recoding", [SETS, INTERVALS], ids=["sets", "intervals"])
def test_a_recoding_is_made_again_from_its_cells(recoding):
    again = recoding.of_cells(recoding.cells)
    assert again.labels == recoding.labels
    assert np.array_equal(again.leaves, recoding.leaves)
    assert np.array_equal(again.low, recoding.low, equal_nan=True)
    assert np.array_equal(again.high, recoding.high, equal_nan=True)


def test_united_sets_keep_what_every_cell_of_every_part_stands_for():
    parts = [
        sets_of(["a", "ab"], [[0], [0, 1]], 3),
        sets_of(["ab", "c", "a"], [[0, 1], [2], [0]], 3),
        sets_of(["ab"], [[1, 2]], 3),
    ]
    shared, codes = merge_recodings(parts)
    assert shared.labels == ("a", "ab", "c", "ab")
    assert [own.tolist() for own in codes] == [[0, 1], [1, 2, 0], [3]]
    for part, own in zip(parts, codes, strict=True):
        assert np.array_equal(shared.leaves[own], part.leaves)


def test_united_intervals_keep_what_every_cell_of_every_part_stands_for():
    parts = [INTERVALS, Intervals(("", "1"), np.array([np.nan, 1.0]), np.array([np.nan, 1.0]))]
    shared, codes = merge_recodings(parts)
    assert [own.tolist() for own in codes] == [[0, 1, 2, 3], [3, 0]]
    for part, own in zip(parts, codes, strict=True):
        assert np.array_equal(shared.low[own], part.low, equal_nan=True)
        assert np.array_equal(shared.high[own], part.high, equal_nan=True)


class TestColumnsOfATable:
    TABLE = Table(
        Schema((SCHOOL, INCOME)), {"school": np.array([2, 0, 3]), "income": np.array([7.0, 8, 9])}
    )

    def test_a_column_that_is_not_recoded_has_its_categories_as_cells(self):
        recoding = self.TABLE.recoding("school")
        assert recoding.labels == self.TABLE.labels("school") == SCHOOL.categories
        assert np.array_equal(recoding.leaves, identity_recoding(SCHOOL).leaves)

    def test_numbers_that_are_not_recoded_have_no_cells(self):
        with pytest.raises(SchemaError, match="'income' holds numbers"):
            self.TABLE.recoding("income")

    def test_numbers_are_their_own_ends_and_middles(self):
        low, high = self.TABLE.ends("income")
        assert low.tolist() == high.tolist() == self.TABLE.middles("income").tolist() == [7, 8, 9]

    def test_recoded_numbers_have_the_ends_and_middles_of_their_cells(self):
        masked = self.TABLE.with_recoded("income", np.array([2, 1, 0]), INTERVALS)
        low, high = masked.ends("income")
        assert (low.tolist(), high.tolist()) == ([-2, 1, 1], [3, 4, 1])
        assert masked.middles("income").tolist() == [0.5, 2.5, 1]
        assert masked.labels("income") == INTERVALS.labels

    def test_ordinal_middles_are_places_of_categories(self):
        assert np.array_equal(self.TABLE.middles("school"), [2, 0, np.nan], equal_nan=True)
        masked = self.TABLE.with_recoded(
            "school", np.zeros(3), CategorySets(("x",), SETS.leaves[:1])
        )
        assert np.isnan(masked.middles("school")).all()

    def test_a_recoding_of_the_other_kind_is_refused(self):
        with pytest.raises(SchemaError, match="does not fit"):
            self.TABLE.with_recoded("income", np.zeros(3), SETS)
