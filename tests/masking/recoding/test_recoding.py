"""Global recoding, top and bottom coding, generalization."""

import numpy as np
import pytest

from evomask.data.frames import polars_from
from evomask.data.hierarchy import Hierarchy
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.masking.recoding.global_recoding import Generalization, GlobalRecoding
from evomask.masking.recoding.group_values import GroupValues
from evomask.masking.recoding.top_bottom_coding import BottomCoding, TopCoding
from tests.tables import mixed, numbers

RNG = np.random.default_rng(0)
GRADES = ("a", "b", "c", "d", "")
TREE = Hierarchy(GRADES, (GRADES, ("low", "low", "high", "high", "none"), ("*",) * 5))


def grades(codes, kind=Kind.ORDINAL):
    schema = Schema((Attribute("grade", kind, Role.QUASI_IDENTIFIER, GRADES),))
    return Table(schema, {"grade": np.array(codes)})


def written(table):
    return polars_from(table)["grade"].to_list()


def released_numbers(method, values):
    return method.mask(numbers(a=values), RNG)["a"].tolist()


class TestGlobalRecoding:
    CODES = (0, 0, 0, 1, 2, 2, 3, 3, 4)

    def test_the_least_frequent_become_one_set(self):
        masked = GlobalRecoding(("grade",), 2).mask(grades(self.CODES), RNG)
        assert written(masked) == ["a", "a", "a", "[b,c]", "[b,c]", "[b,c]", "d", "d", None]

    def test_the_set_of_a_nominal_attribute_names_its_members(self):
        masked = GlobalRecoding(("grade",), 2).mask(grades([0, 1, 1, 2, 2, 3], Kind.NOMINAL), RNG)
        assert written(masked)[0] == "{a,d}"

    def test_or_the_most_frequent_of_them(self):
        masked = GlobalRecoding(("grade",), 2, GroupValues.VALUE).mask(grades(self.CODES), RNG)
        assert masked["grade"].tolist() == [0, 0, 0, 2, 2, 2, 3, 3, 4]

    def test_an_empty_category_is_the_least_frequent(self):
        masked = GlobalRecoding(("grade",), 2).mask(grades([0, 0, 1, 1, 2, 2, 2]), RNG)
        assert masked.recodings["grade"].labels[-1] == "{a,d}"

    def test_with_a_hierarchy_they_become_their_common_ancestor(self):
        method = GlobalRecoding(("grade",), 2, hierarchies={"grade": TREE})
        masked = method.mask(grades([0, 0, 0, 1, 1, 2, 3]), RNG)
        assert written(masked) == ["a", "a", "a", "b", "b", "high", "high"]

    def test_more_than_all_categories_are_refused(self):
        with pytest.raises(ParameterError, match="the 4 categories of 'grade', got 5"):
            GlobalRecoding(("grade",), 5).mask(grades(self.CODES), RNG)

    def test_one_category_alone_is_refused(self):
        with pytest.raises(ParameterError, match="merged must be a whole number of 2 or more"):
            GlobalRecoding(("grade",), 1)


class TestEndCoding:
    def test_top_is_the_highest_categories(self):
        masked = TopCoding(("grade",), 2).mask(grades([0, 1, 2, 3, 4]), RNG)
        assert written(masked) == ["a", "b", "[c,d]", "[c,d]", None]

    def test_bottom_is_the_lowest_categories(self):
        masked = BottomCoding(("grade",), 3).mask(grades([0, 1, 2, 3, 4]), RNG)
        assert written(masked) == ["[a,c]", "[a,c]", "[a,c]", "d", None]

    def test_one_value_is_the_one_next_to_the_others(self):
        for method, codes in ((TopCoding, [0, 1, 2, 2, 4]), (BottomCoding, [1, 1, 2, 3, 4])):
            masked = method(("grade",), 2, release=GroupValues.VALUE).mask(grades(range(5)), RNG)
            assert masked["grade"].tolist() == codes

    def test_the_highest_numbers_become_the_smallest_of_them(self):
        assert released_numbers(TopCoding(("a",), percent=40), [5, 1, 4, 2, 3]) == [4, 1, 4, 2, 3]

    def test_the_lowest_numbers_become_the_greatest_of_them(self):
        assert released_numbers(BottomCoding(("a",), percent=40), [5, 1, 4, 2, 3]) == [
            5,
            2,
            4,
            2,
            3,
        ]

    def test_missing_numbers_stay_missing(self):
        assert np.isnan(released_numbers(TopCoding(("a",), percent=50), [1, 2, np.nan])[2])

    @pytest.mark.parametrize("method", [TopCoding, BottomCoding])
    def test_a_nominal_attribute_is_refused(self, method):
        with pytest.raises(SchemaError, match="coding needs an order, and 'region' is nominal"):
            method(("region",)).mask(mixed(), RNG)

    @pytest.mark.parametrize("method", [TopCoding, BottomCoding])
    def test_more_than_all_categories_are_refused(self, method):
        with pytest.raises(ParameterError, match="the 4 categories of 'school', got 5"):
            method(("school",), 5).mask(mixed(), RNG)

    @pytest.mark.parametrize("percent", [0, 101])
    def test_a_share_that_is_no_percentage_is_refused(self, percent):
        with pytest.raises(ParameterError, match="percent must lie in"):
            TopCoding(("a",), percent=percent)


class TestGeneralization:
    def test_values_become_their_ancestors(self):
        masked = Generalization(("grade",), (1,), {"grade": TREE}).mask(grades(range(5)), RNG)
        assert written(masked) == ["low", "low", "high", "high", "none"]

    def test_level_0_keeps_the_values(self):
        masked = Generalization(("grade",), (0,), {"grade": TREE}).mask(grades(range(5)), RNG)
        assert written(masked) == ["a", "b", "c", "d", None]

    @pytest.mark.parametrize(
        ("levels", "trees", "sentence"),
        [
            ((3,), {"grade": TREE}, "the level of 'grade' must not exceed 2, got 3"),
            ((-1,), {"grade": TREE}, "whole number of 0 or more, got -1"),
            ((1, 1), {"grade": TREE}, "a level for each of the 1 attributes, got 2"),
            ((1,), {}, "no hierarchy for 'grade'"),
        ],
    )
    def test_levels_and_trees_must_fit(self, levels, trees, sentence):
        with pytest.raises(ParameterError, match=sentence):
            Generalization(("grade",), levels, trees)

    def test_a_tree_of_other_categories_is_refused(self):
        tree = Hierarchy(("x",), (("x",),))
        with pytest.raises(SchemaError, match="the attribute's categories as its leaves"):
            Generalization(("grade",), (0,), {"grade": tree}).mask(grades([0]), RNG)
