"""Frames of three libraries in, and the same frames back."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from evomask.data.frames import Declaration, frame_like, polars_from, table_from
from evomask.data.recoding import identity_recoding
from evomask.data.schema import Attribute, Kind, Notes, Role, Schema, Storage
from evomask.errors import DataError, SchemaError

HUGE = 2**53 + 1


def reversed_column(table, name):
    """The table with one column's values in the opposite order."""
    return table.with_columns({name: table[name][::-1].copy()})


def back(frame, name, declarations=None):
    """What a caller gets for *frame* when one column has been turned round."""
    table = table_from(frame, declarations)
    return frame_like(frame, table, reversed_column(table, name))


class TestKinds:
    def test_numbers_are_continuous(self):
        assert table_from(pl.DataFrame({"x": [1.5, 2.5]})).attribute("x").kind is Kind.CONTINUOUS

    def test_text_is_nominal(self):
        assert table_from(pl.DataFrame({"x": ["a", "b"]})).attribute("x").kind is Kind.NOMINAL

    def test_an_ordered_pandas_category_is_ordinal_in_its_own_order(self):
        column = pd.Categorical(["low", "high"], ["low", "middle", "high"], ordered=True)
        attribute = table_from(pd.DataFrame({"x": column})).attribute("x")
        assert (attribute.kind, attribute.categories) == (Kind.ORDINAL, ("low", "middle", "high"))

    def test_an_unordered_pandas_category_is_nominal(self):
        frame = pd.DataFrame({"x": pd.Categorical(["b", "a"])})
        assert table_from(frame).attribute("x").kind is Kind.NOMINAL

    def test_ordered_categories_that_are_numbers_keep_their_order(self):
        frame = pd.DataFrame({"x": pd.Categorical([1, 2], [2, 1], ordered=True)})
        assert table_from(frame).attribute("x").categories == ("2", "1")

    def test_a_polars_enum_is_ordinal_in_its_own_order(self):
        frame = pl.DataFrame({"x": pl.Series(["b", "a"], dtype=pl.Enum(["b", "c", "a"]))})
        attribute = table_from(frame).attribute("x")
        assert (attribute.kind, attribute.categories) == (Kind.ORDINAL, ("b", "c", "a"))

    def test_an_ordered_arrow_dictionary_is_ordinal_in_its_own_order(self):
        column = pa.DictionaryArray.from_arrays([1, 0], ["z", "a"], ordered=True)
        attribute = table_from(pa.table({"x": column})).attribute("x")
        assert (attribute.kind, attribute.categories) == (Kind.ORDINAL, ("z", "a"))

    def test_whole_numbers_that_floats_cannot_hold_become_exact_codes(self):
        attribute = table_from(pl.DataFrame({"x": [HUGE, HUGE + 1, 3]})).attribute("x")
        assert attribute.categories == ("3", str(HUGE), str(HUGE + 1))

    def test_codes_above_the_signed_range_are_released_exactly(self):
        frame = pl.DataFrame({"x": pl.Series([2**64 - 1, 5], dtype=pl.UInt64)})
        assert polars_from(table_from(frame)).equals(frame)

    def test_numbers_declared_nominal_are_ordered_by_size(self):
        table = table_from(pl.DataFrame({"x": [10, 9, 2]}), {"x": Declaration(Kind.NOMINAL)})
        assert table.attribute("x").categories == ("2", "9", "10")

    def test_mixed_objects_are_taken_as_text(self):
        table = table_from(pd.DataFrame({"x": [1, "a", None]}))
        assert table.attribute("x").categories == ("1", "a", "")


class TestMissing:
    def test_missing_numbers_are_nan(self):
        table = table_from(pl.DataFrame({"x": [1.0, None]}))
        assert np.isnan(table.values("x")).tolist() == [False, True]

    def test_a_nullable_whole_number_column_keeps_its_missing_values(self):
        table = table_from(pd.DataFrame({"x": pd.array([1, None, 3], dtype="Int64")}))
        assert np.array_equal(table.values("x"), [1, np.nan, 3], equal_nan=True)

    def test_missing_is_the_last_category(self):
        assert table_from(pl.DataFrame({"x": ["b", None, "a"]})).codes("x").tolist() == [1, 2, 0]

    def test_empty_text_is_missing(self):
        assert table_from(pl.DataFrame({"x": ["b", ""]})).attribute("x").categories == ("b", "")

    def test_a_column_of_nothing_has_one_category(self):
        frame = pl.DataFrame({"x": pl.Series([None, None], dtype=pl.String), "y": [1, 2]})
        assert table_from(frame).attribute("x").categories == ("",)

    def test_declared_missing_codes_do_not_count_as_numbers(self):
        said = {"x": Declaration(Kind.CONTINUOUS, notes=Notes(user_missing=(("-99", "-90"),)))}
        table = table_from(pl.DataFrame({"x": [1.0, -95.0, -89.0]}), said)
        assert np.isnan(table.values("x")).tolist() == [False, True, False]

    def test_declared_missing_codes_stand_after_the_other_categories(self):
        said = {"x": Declaration(Kind.ORDINAL, notes=Notes(user_missing=(("-9", "-9"),)))}
        table = table_from(pl.DataFrame({"x": [2, -9, 1]}), said)
        assert table.attribute("x").categories == ("1", "2", "-9")


class TestBadInput:
    def test_an_unknown_declared_column_is_named(self):
        with pytest.raises(SchemaError, match="no column 'wage' in the data, which has x"):
            table_from(pl.DataFrame({"x": [1]}), {"wage": Declaration()})

    def test_text_declared_continuous_names_column_and_record(self):
        frame = pl.DataFrame({"x": ["1", "secret"]})
        with pytest.raises(SchemaError, match=r"'x' is declared continuous.*record 2") as caught:
            table_from(frame, {"x": Declaration(Kind.CONTINUOUS)})
        assert "secret" not in str(caught.value)

    def test_dates_declared_continuous_are_refused(self):
        frame = pl.DataFrame({"x": [dt.date(2020, 1, 1)]})
        with pytest.raises(SchemaError, match="holds dates"):
            table_from(frame, {"x": Declaration(Kind.CONTINUOUS)})

    def test_infinity_names_column_and_record(self):
        with pytest.raises(DataError, match="column 'x' holds an infinite value in record 2"):
            table_from(pl.DataFrame({"x": [1.0, float("-inf")]}))

    def test_a_value_outside_the_declared_categories_names_the_record_only(self):
        said = {"x": Declaration(Kind.NOMINAL, categories=("a",))}
        with pytest.raises(DataError, match="'x' holds in record 2") as caught:
            table_from(pl.DataFrame({"x": ["a", "secret"]}), said)
        assert "secret" not in str(caught.value)

    def test_two_pandas_columns_of_one_name_are_refused(self):
        with pytest.raises(SchemaError, match="duplicate column name 'x'"):
            table_from(pd.DataFrame([[1, 2]], columns=["x", "x"]))

    def test_two_arrow_columns_of_one_name_are_refused(self):
        with pytest.raises(SchemaError, match="duplicate column name 'x'"):
            table_from(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["x", "x"]))

    def test_no_records_are_refused(self):
        with pytest.raises(DataError, match="no records"):
            table_from(pl.DataFrame({"x": []}))

    def test_something_else_than_a_frame_is_refused(self):
        with pytest.raises(DataError, match="got list"):
            table_from([1, 2])

    def test_nested_values_are_refused(self):
        with pytest.raises(DataError, match="column 'x' holds nested"):
            table_from(pl.DataFrame({"x": [[1], [2]]}))


class TestRelease:
    @pytest.mark.parametrize(
        "column",
        [
            pl.Series([1, None, 3], dtype=pl.Int16),
            pl.Series([1.5, None, 3.0], dtype=pl.Float32),
            pl.Series([True, None, False]),
            pl.Series([dt.date(2020, 2, 29), None, dt.date(1950, 1, 1)]),
            pl.Series([dt.datetime(2020, 2, 29, 3, 4, 5), None, None]),
            pl.Series([dt.datetime(2020, 7, 1), None, None], dtype=pl.Datetime("ms", "Asia/Tokyo")),
            pl.Series(["007", None, "08"]),
        ],
        ids=lambda column: str(column.dtype),
    )
    def test_values_and_types_come_back(self, column):
        frame = pl.DataFrame({"x": column})
        assert polars_from(table_from(frame)).equals(frame)

    @pytest.mark.parametrize("dtype", [pl.Int8, pl.Float32, pl.Date, pl.Datetime("ns"), pl.String])
    def test_types_come_back_from_nominal_columns(self, dtype):
        frame = pl.DataFrame({"x": pl.Series([1, 2, 3]).cast(dtype)})
        table = table_from(frame, {"x": Declaration(Kind.NOMINAL)})
        assert polars_from(table).equals(frame)

    def test_identifiers_are_left_out(self):
        table = table_from(
            pl.DataFrame({"id": ["a"], "x": [1]}), {"id": Declaration(role=Role.IDENTIFIER)}
        )
        assert polars_from(table).columns == ["x"]

    def test_suppressed_records_are_left_out(self):
        table = table_from(pl.DataFrame({"x": [1, 2, 3]}))
        kept = polars_from(table.suppressing(np.array([False, True, False])))
        assert kept["x"].to_list() == [1, 3]

    def test_numbers_are_rounded_to_the_released_precision(self):
        table = table_from(pl.DataFrame({"x": [1.0, 2.0]}), {"x": Declaration(decimals=1)})
        masked = table.with_columns({"x": np.array([1.26, 1.24])})
        assert polars_from(masked)["x"].to_list() == [1.3, 1.2]

    def test_a_mean_outside_a_small_type_is_still_released(self):
        table = table_from(pl.DataFrame({"x": pl.Series([1, 127], dtype=pl.Int8)}))
        masked = table.with_columns({"x": np.array([1.0, 128.0])})
        assert polars_from(masked)["x"].to_list() == [1, 128]

    def test_suppressed_cells_are_stars(self):
        table = table_from(pl.DataFrame({"x": ["a", "b"]}))
        codes = np.array([0, 2], dtype=np.int32)
        masked = table.with_recoded(
            "x", codes, identity_recoding(table.attribute("x")).with_suppressed_cell()
        )
        assert polars_from(masked)["x"].to_list() == ["a", "*"]


class TestTheCallersFrame:
    def test_pandas_keeps_its_index(self):
        frame = pd.DataFrame({"x": [1.0, 2.0]}, index=["one", "two"])
        assert back(frame, "x").index.tolist() == ["one", "two"]

    def test_suppressed_records_leave_the_index_of_the_others(self):
        frame = pd.DataFrame({"x": [1.0, 2.0, 3.0]}, index=[7, 8, 9])
        table = table_from(frame)
        masked = reversed_column(table, "x").suppressing(np.array([True, False, False]))
        assert frame_like(frame, table, masked).to_dict() == {"x": {8: 2.0, 9: 1.0}}

    @pytest.mark.parametrize(
        "column",
        [
            pd.array([1, None, 3], dtype="Int64"),
            pd.Series([1, 2, 3], dtype="int8"),
            pd.Series([1.5, np.nan, 3.0]),
            pd.Series([True, False, False]),
            pd.array([True, None, False], dtype="boolean"),
            pd.Categorical(["a", "b", None], ["b", "a", "c"], ordered=True),
            pd.to_datetime(["2020-01-01", None, "2021-06-01"]),
            pd.to_datetime(["2020-01-01", None, "2021-06-01"]).tz_localize("Europe/Madrid"),
            pd.Series([HUGE, HUGE + 1, 4]),
            pd.Series(["a", None, "b"]),
            pd.Series([1, "a", 2.5], dtype=object),
            pd.Series([dt.date(2020, 1, 1), None, dt.date(2021, 1, 1)], dtype=object),
        ],
        ids=lambda column: str(column.dtype),
    )
    def test_pandas_values_and_types_come_back_when_masked(self, column):
        frame = pd.DataFrame({"x": column})
        expected = frame.iloc[::-1].reset_index(drop=True)
        pd.testing.assert_frame_equal(back(frame, "x"), expected)

    @pytest.mark.parametrize(
        "column",
        [
            pl.Series([1, None, 3], dtype=pl.Int16),
            pl.Series(["a", "b", None], dtype=pl.Enum(["b", "a"])),
            pl.Series(["a", "b", None], dtype=pl.Categorical),
            pl.Series([dt.time(1, 2), None, dt.time(3, 4)]),
            pl.Series([dt.timedelta(1), None, dt.timedelta(2)]),
        ],
        ids=lambda column: str(column.dtype),
    )
    def test_polars_values_and_types_come_back_when_masked(self, column):
        frame = pl.DataFrame({"x": column})
        assert back(frame, "x").equals(frame.reverse())

    def test_arrow_values_and_types_come_back_when_masked(self):
        frame = pa.table({"x": pa.array([1, None, 3], pa.int16()), "y": ["a", "b", "c"]})
        assert back(frame, "x")["x"].to_pylist() == [3, None, 1]
        assert back(frame, "y").schema == frame.schema

    def test_unchanged_columns_keep_the_callers_objects(self):
        marker = ("a", 1)
        frame = pd.DataFrame({"x": [1.0, 2.0], "o": [marker, ("b", 2)]})
        assert back(frame, "x")["o"][0] is marker

    def test_the_input_frame_is_not_changed(self):
        frame = pd.DataFrame({"x": [1.0, 2.0]})
        back(frame, "x")
        assert frame["x"].tolist() == [1.0, 2.0]


def test_what_a_user_says_wins_over_what_a_file_says():
    found = Declaration(Kind.NOMINAL, label="Sex", decimals=2)
    said = Declaration(Kind.ORDINAL, Role.QUASI_IDENTIFIER)
    assert said.over(found) == Declaration(
        Kind.ORDINAL, Role.QUASI_IDENTIFIER, label="Sex", decimals=2
    )


def test_a_schema_tells_how_values_stand_in_the_frame():
    table = table_from(pl.DataFrame({"x": [True, False]}))
    assert table.schema == Schema(
        (Attribute("x", Kind.NOMINAL, categories=("false", "true"), storage=Storage.BOOLEAN),)
    )
