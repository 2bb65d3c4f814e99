"""Automatic hierarchies: nested levels, round cuts, and the rule that fits a column."""

from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.data.frames import Declaration, table_from
from evomask.data.hierarchy import Bands, fit_hierarchy
from evomask.data.hierarchy_builders import (
    MOST_VALUES,
    complete_hierarchies,
    date_hierarchy,
    define_hierarchy,
    hierarchy_by_rule,
    lines_of,
    parse_builder_rule,
    parse_dates,
    quantile_bands,
    roundest,
    similarity_hierarchy,
)
from evomask.data.schema import Kind, Role
from evomask.errors import ParameterError, SchemaError


def table_of(kinds, **columns):
    declared = {n: Declaration(kind, Role.QUASI_IDENTIFIER) for n, kind in kinds.items()}
    return table_from(pl.DataFrame(columns), declared)


def is_nested(lines):
    """Whether values that share a label share all further ones."""
    for level in range(1, len(lines[0]) - 1):
        above = {}
        for line in lines:
            if above.setdefault(line[level], line[level + 1]) != line[level + 1]:
                return False
    return True


class TestRoundCuts:
    @given(st.floats(-1e9, 1e9), st.floats(0, 1e6))
    def test_the_roundest_number_lies_in_its_range(self, low, width):
        assert low <= roundest(low, low + width) <= low + width

    @pytest.mark.parametrize(
        ("low", "high", "cut"),
        [(17.3, 24.9, 20.0), (1.21, 1.29, 1.25), (930, 1040, 1000), (-3, 4, 0), (7, 7, 7)],
    )
    def test_few_digits_are_taken_where_they_fit(self, low, high, cut):
        assert roundest(low, high) == cut

    @given(st.lists(st.integers(0, 10**6), min_size=2, max_size=400), st.integers(2, 64))
    def test_bands_nest_and_cover_every_number(self, numbers, finest):
        bands = quantile_bands(np.array(numbers, dtype=float), finest)
        for fine, coarse in zip(bands.cuts, bands.cuts[1:], strict=False):
            assert set(coarse) < set(fine)
        tree = bands.hierarchy(missing=False)
        assert is_nested(list(zip(*tree.levels, strict=True)))
        assert set(bands.codes(np.array(numbers, float))) <= set(range(len(tree.categories)))

    def test_about_as_many_people_are_in_each_band(self):
        incomes = np.exp(np.random.default_rng(1).normal(8, 1, 10_000))
        bands = quantile_bands(incomes, 16)
        shares = np.bincount(bands.codes(incomes)) / len(incomes)
        assert shares.min() > 0.02
        assert shares.max() < 0.12

    def test_the_label_of_a_band_says_where_it_ends(self):
        bands = Bands(((10.0, 20.0, 30.0), (20.0,)), whole=True)
        assert bands.labels(9) == ["below 10", "below 20"]
        assert bands.labels(10) == ["10-19", "below 20"]
        assert bands.labels(30) == ["30 or more", "20 or more"]


class TestDates:
    @given(st.lists(st.dates(), min_size=1, max_size=30, unique=True))
    def test_they_lose_day_month_and_years_in_turn(self, days):
        tree = date_hierarchy([day.isoformat() for day in days])
        assert list(tree.levels[1]) == [day.strftime("%Y-%m").zfill(7) for day in days]
        assert is_nested(list(zip(*tree.levels, strict=True)))

    @pytest.mark.parametrize("text", ["31.05.1984", "31/05/1984", "05/31/1984", "1984-05-31"])
    def test_forms_of_several_countries_are_read(self, text):
        assert parse_dates([text]) == [date(1984, 5, 31)]

    def test_a_day_that_does_not_exist_is_no_date(self):
        assert parse_dates(["30.02.1984"]) is None


class TestLikeness:
    def test_categories_with_the_same_records_are_joined_first(self):
        rng = np.random.default_rng(3)
        job = rng.choice(["nurse", "doctor", "farmer", "fisher"], 4000)
        medical = np.isin(job, ["nurse", "doctor"])
        wage = np.where(medical, 5000.0, 1000.0) + rng.normal(0, 300, len(job))
        table = table_of({"job": Kind.NOMINAL, "wage": Kind.CONTINUOUS}, job=job, wage=wage)
        tree = similarity_hierarchy(table, "job", ["wage"])
        label = dict(zip(tree.categories, tree.levels[1], strict=True))
        assert label["nurse"] == label["doctor"] != label["farmer"] == label["fisher"]

    def test_of_many_categories_the_rare_ones_are_joined(self):
        counts = [1000, 900] + [1] * 400
        texts = np.repeat([f"c{i:03d}" for i in range(len(counts))], counts)
        other = np.arange(len(texts)) % 7
        kinds = {"code": Kind.NOMINAL, "other": Kind.CONTINUOUS}
        tree = similarity_hierarchy(table_of(kinds, code=texts, other=other), "code", ["other"])
        sizes = [len(tree.labels(level)) for level in range(tree.height + 1)]
        assert sizes == [402, 201, 101, 51, 26, 13, 7, 4, 2, 1]
        assert tree.levels[-2][0] != tree.levels[-2][1]  # the two frequent ones part last


class TestWhatSuits:
    def test_ages_get_round_intervals(self):
        ages = list(range(17, 91))
        assert define_hierarchy(table_of({"age": Kind.ORDINAL}, age=ages), "age")[0][:2] == (
            "17",
            "15-19",
        )

    def test_ordered_words_get_neighbours(self):
        declared = {
            "size": Declaration(Kind.ORDINAL, Role.QUASI_IDENTIFIER, categories=("s", "m", "l"))
        }
        table = table_from(pl.DataFrame({"size": ["s", "m", "l"]}), declared)
        assert [line[1] for line in define_hierarchy(table, "size")] == ["s to m", "s to m", "l"]

    def test_codes_lose_their_last_characters(self):
        codes = [f"{region}{town:03d}" for region in (10, 20) for town in range(15)]
        table = table_of({"code": Kind.NOMINAL}, code=codes)
        assert define_hierarchy(table, "code")[0] == ("10000", "1000*", "100**", "*")

    def test_a_number_with_many_values_gets_bands(self):
        values = np.random.default_rng(1).normal(size=MOST_VALUES + 100)
        assert isinstance(define_hierarchy(table_of({"x": Kind.CONTINUOUS}, x=values), "x"), Bands)

    def test_lopsided_numbers_are_cut_where_people_are(self):
        values = [*range(100), 100_000] * 3
        lines = define_hierarchy(table_of({"x": Kind.CONTINUOUS}, x=values), "x")
        assert len({line[1] for line in lines}) > 20

    def test_missing_values_need_no_line_and_every_tree_fits(self):
        columns = {"job": ["a", "b", "c", "d", None] * 8, "age": [1, 2, 3, 4, None] * 8}
        table = table_of({"job": Kind.NOMINAL, "age": Kind.ORDINAL}, **columns)
        for name, lines in complete_hierarchies(table, {}).items():
            assert fit_hierarchy(name, lines, table).height >= 2

    def test_a_column_with_nothing_in_it_can_be_taken(self):
        table = table_of({"x": Kind.CONTINUOUS}, x=pl.Series([None, None], dtype=pl.Float64))
        assert isinstance(complete_hierarchies(table, {})["x"], Bands)

    def test_a_tree_that_does_not_fit_is_refused_at_once(self):
        table = table_of({"pet": Kind.NOMINAL}, pet=["cat", "dog"])
        with pytest.raises(SchemaError, match="no line for 1 of the values"):
            complete_hierarchies(table, {"pet": [("cat", "*")]})

    def test_so_is_the_tree_of_a_number_with_a_hole(self):
        table = table_of({"age": Kind.CONTINUOUS}, age=[30.0, 31.0, None, 30.5])
        whole = [("30", "*"), ("30.5", "*"), ("31", "*")]
        assert complete_hierarchies(table, {"age": whole}) == {"age": whole}
        with pytest.raises(SchemaError, match=r"'age' .* which first occur in record 4"):
            complete_hierarchies(table, {"age": [whole[0], whole[2]]})


class TestRules:
    def test_widths_are_taken_as_they_are_given(self):
        table = table_of({"age": Kind.ORDINAL}, age=[16, 23, 40])
        tree = hierarchy_by_rule(table, "age", parse_builder_rule("intervals=5,20"))
        assert lines_of(tree)[1] == ("23", "20-24", "20-39", "*")

    @pytest.mark.parametrize("text", ["bands", "intervals=wide", ""])
    def test_what_is_no_rule_is_said(self, text):
        with pytest.raises(ParameterError, match="--by"):
            parse_builder_rule(text)
