"""Value trees: what they stand for, checks that tell everything, and trees built by rule."""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.data.frames import Declaration, table_from
from evomask.data.hierarchy import Hierarchy, fit_hierarchy, hierarchy_from_lines
from evomask.data.hierarchy_builders import (
    automatic_widths,
    interval_hierarchy,
    neighbour_hierarchy,
    prefix_hierarchy,
)
from evomask.data.schema import Kind
from evomask.errors import ParameterError, SchemaError

ANIMALS = (
    ("cat", "mammal", "animal"),
    ("dog", "mammal", "animal"),
    ("hen", "bird", "animal"),
)
TREE = hierarchy_from_lines(ANIMALS)


def table_of(*values):
    return table_from(pl.DataFrame({"pet": values}), {"pet": Declaration(Kind.NOMINAL)})


def is_nested(tree):
    """Whether every two leaves that meet at a level stay together above, pair by pair."""
    pairs = itertools.combinations(range(len(tree.categories)), 2)
    return all(
        tree.levels[level + 1][a] == tree.levels[level + 1][b]
        for a, b in pairs
        for level in range(tree.height)
        if tree.levels[level][a] == tree.levels[level][b]
    )


class TestHierarchy:
    def test_its_height_is_the_number_of_steps_up(self):
        assert TREE.height == 2

    def test_labels_stand_in_the_order_of_their_first_leaf(self):
        assert TREE.labels(1) == ("mammal", "bird")

    def test_each_leaf_knows_its_ancestor(self):
        assert TREE.ancestors(1).tolist() == [0, 0, 1]

    def test_a_label_stands_for_its_leaves(self):
        assert TREE.recoding(1).leaves.tolist() == [[True, True, False], [False, False, True]]

    def test_the_leaves_must_be_the_categories(self):
        with pytest.raises(SchemaError, match="level 0"):
            Hierarchy(("a",), (("b",),))

    def test_every_level_needs_an_ancestor_for_every_leaf(self):
        with pytest.raises(SchemaError, match="every leaf"):
            Hierarchy(("a", "b"), (("a", "b"), ("*",)))


class TestFitting:
    def test_leaves_are_the_categories_in_their_order(self):
        assert fit_hierarchy("pet", ANIMALS[::-1], table_of("hen", "cat")).categories == (
            "cat",
            "hen",
        )

    def test_missing_values_stay_missing_up_to_the_top(self):
        tree = fit_hierarchy("pet", ANIMALS, table_of("cat", None))
        assert [level[-1] for level in tree.levels] == ["", "", "animal"]

    def test_marks_of_unknown_values_stay_as_they_are_up_to_the_top(self):
        tree = fit_hierarchy("pet", ANIMALS, table_of("cat", "?", "hen"))
        place = tree.categories.index("?")
        assert [level[place] for level in tree.levels] == ["?"] * tree.height + ["animal"]

    def test_a_line_for_missing_values_is_used(self):
        lines = [*ANIMALS, ("", "unknown", "animal")]
        assert fit_hierarchy("pet", lines, table_of("cat", None)).levels[1] == ("mammal", "unknown")

    def test_values_without_a_line_are_told_by_their_records(self):
        with pytest.raises(SchemaError, match=r"2 of the values, .* records 2, 3") as caught:
            fit_hierarchy("pet", ANIMALS, table_of("cat", "eel", "rat", "eel"))
        assert "eel" not in str(caught.value)

    def test_short_lines_are_told(self):
        lines = [*ANIMALS, ("rat", "animal")]
        with pytest.raises(SchemaError, match="line 4 has not 3 fields as line 1 has"):
            fit_hierarchy("pet", lines, table_of("cat"))

    def test_a_repeated_value_is_told(self):
        with pytest.raises(SchemaError, match="lines 1, 4 have the same value"):
            fit_hierarchy("pet", [*ANIMALS, ANIMALS[0]], table_of("cat"))

    def test_an_empty_label_is_told(self):
        with pytest.raises(SchemaError, match="line 4 has an empty label"):
            fit_hierarchy("pet", [*ANIMALS, ("rat", "", "animal")], table_of("cat"))

    def test_a_label_with_two_ancestors_is_told(self):
        with pytest.raises(SchemaError, match="lines 1 and 4 have the same label at level 1"):
            fit_hierarchy("pet", [*ANIMALS, ("rat", "mammal", "pest")], table_of("cat"))

    def test_an_empty_file_is_told(self):
        with pytest.raises(SchemaError, match="no lines"):
            fit_hierarchy("pet", [], table_of("cat"))

    def test_all_problems_are_told_at_once(self):
        lines = [*ANIMALS, ("rat", "mammal", "pest"), ("cow",), ("cat", "", "animal")]
        with pytest.raises(SchemaError) as caught:
            fit_hierarchy("pet", lines, table_of("cat", "eel"))
        parts = str(caught.value).split(": ", 1)[1].split("; ")
        assert parts == [
            "line 5 has not 3 fields as line 1 has",
            "line 6 has an empty label",
            "lines 1, 6 have the same value",
            "lines 1 and 4 have the same label at level 1 and different labels at level 2",
            "no line for 1 of the values, which first occur in record 2 (add lines for them)",
        ]

    def test_a_continuous_attribute_has_no_tree(self):
        with pytest.raises(SchemaError, match="'x' is continuous"):
            fit_hierarchy("x", ANIMALS, table_from(pl.DataFrame({"x": [1.5]})))

    def test_numbers_with_a_declared_tree_are_ordinal(self):
        table = table_from(pl.DataFrame({"x": [1, 2]}), {"x": Declaration(hierarchy="x.csv")})
        assert table.attribute("x").kind is Kind.ORDINAL


class TestIntervals:
    def test_whole_numbers_are_written_with_both_ends(self):
        tree = interval_hierarchy(("18", "22", "30"), (5, 10))
        assert tree.levels == (
            ("18", "22", "30"), ("15-19", "20-24", "30-34"), ("10-19", "20-29", "30-39"),
            ("*", "*", "*"),
        )  # fmt: skip

    def test_real_numbers_are_written_with_an_open_end(self):
        assert interval_hierarchy(("0.5", "1.25"), (0.5,)).levels[1] == ("[0.5,1[", "[1,1.5[")

    def test_an_origin_moves_the_intervals(self):
        assert interval_hierarchy(("18", "22"), (5,), origin=3).levels[1] == ("18-22", "18-22")

    def test_negative_numbers_have_intervals_too(self):
        assert interval_hierarchy(("-3",), (5,)).levels[1] == ("-5--1",)

    def test_widths_that_do_not_nest_are_refused(self):
        with pytest.raises(ParameterError, match="15 is not of 10"):
            interval_hierarchy(("1",), (10, 15))

    @pytest.mark.parametrize("widths", [(), (0,), (-5, 5)])
    def test_widths_must_be_positive(self, widths):
        with pytest.raises(ParameterError, match="positive"):
            interval_hierarchy(("1",), widths)

    def test_text_is_refused(self):
        with pytest.raises(SchemaError, match="intervals need numbers"):
            interval_hierarchy(("1", "many"), (5,))

    @given(st.sets(st.integers(-500, 5000), min_size=1, max_size=30))
    def test_every_number_lies_in_its_interval_and_intervals_nest(self, numbers):
        tree = interval_hierarchy(tuple(map(str, sorted(numbers))), (3, 6, 30))
        for leaf, label in zip(tree.categories, tree.levels[2], strict=True):
            low = int(label[: label.index("-", 1)])
            assert low <= int(leaf) < low + 6
        assert is_nested(tree)


class TestPrefixes:
    def test_characters_are_masked_from_the_end(self):
        assert [level[0] for level in prefix_hierarchy(("81667", "80331")).levels] == [
            "81667", "8166*", "816**", "81***", "8****", "*",
        ]  # fmt: skip

    def test_short_codes_are_masked_as_a_whole(self):
        assert [level[0] for level in prefix_hierarchy(("ab", "wxyz")).levels] == [
            "ab", "a*", "**", "**", "*",
        ]  # fmt: skip

    def test_single_characters_have_only_a_top(self):
        assert prefix_hierarchy(("a", "b")).levels == (("a", "b"), ("*", "*"))

    @given(st.sets(st.text("0123", min_size=1, max_size=4), min_size=1))
    def test_prefixes_nest(self, codes):
        assert is_nested(prefix_hierarchy(tuple(sorted(codes))))


class TestNeighbours:
    def test_values_are_grouped_in_their_order(self):
        tree = neighbour_hierarchy(("none", "primary", "secondary", "degree", "doctorate"))
        assert tree.levels[1:] == (
            ("none to primary", "none to primary", "secondary to degree", "secondary to degree",
             "doctorate"),
            ("none to degree",) * 4 + ("doctorate",),
            ("*",) * 5,
        )  # fmt: skip

    def test_missing_values_stay_out_of_the_groups(self):
        assert neighbour_hierarchy(("a", "b", "c", "")).levels[1] == ("a to b", "a to b", "c", "")

    def test_a_fanout_below_two_is_refused(self):
        with pytest.raises(ParameterError, match="fanout"):
            neighbour_hierarchy(("a", "b"), fanout=1)

    @given(st.integers(1, 40), st.integers(2, 5))
    def test_groups_nest_and_end_in_one(self, size, fanout):
        tree = neighbour_hierarchy(tuple(f"v{number:02}" for number in range(size)), fanout)
        assert is_nested(tree)
        assert len(tree.labels(tree.height)) == 1


class TestAutomaticTrees:
    @given(st.sets(st.floats(-1e6, 1e6), min_size=1, max_size=30))
    def test_numbers_of_any_size_get_few_intervals_that_nest(self, numbers):
        categories = tuple(map(str, sorted(numbers)))
        tree = interval_hierarchy(categories, automatic_widths(categories))
        assert len(tree.labels(1)) <= 22
        assert is_nested(tree)


def test_the_codes_of_a_tree_fit_a_table():
    table = table_of("cat", "hen", "cat")
    tree = fit_hierarchy("pet", ANIMALS, table)
    masked = table.with_recoded("pet", tree.ancestors(1)[table.codes("pet")], tree.recoding(1))
    assert np.array(tree.labels(1))[masked["pet"]].tolist() == ["mammal", "bird", "mammal"]


@pytest.mark.parametrize("lines", [
    [("x", "y", "*"), ("y", "x", "*")],
    [("x", "g", "*"), ("y", "g", "*"), ("z", "x", "*")],
])  # fmt: skip
def test_a_group_that_is_called_like_a_value_of_another_group_is_refused(lines):
    table = table_from(pl.DataFrame({"a": [line[0] for line in lines]}))
    with pytest.raises(SchemaError, match="the label of the value in line"):
        fit_hierarchy("a", lines, table)
