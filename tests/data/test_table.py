import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.data.recoding import CategorySets, Intervals, identity_recoding
from evomask.data.table import Table, missing_codes, tag_missing
from evomask.errors import SchemaError
from tests.tables import mixed, numbers


def test_a_column_cannot_be_written_to():
    table = numbers(a=[1, 2, 3])
    with pytest.raises(ValueError, match="read-only"):
        table["a"][0] = 9


def test_the_callers_array_stays_the_callers():
    values = np.array([1.0, 2.0])
    table = numbers(a=[0, 0]).with_columns({"a": values})
    values[0] = 9
    assert table["a"].tolist() == [1, 2]


def test_columns_must_be_those_of_the_schema():
    with pytest.raises(SchemaError, match="must be exactly those of its schema"):
        Table(mixed().schema, {"age": np.zeros(3)})


def test_columns_must_have_equal_lengths():
    table = numbers(a=[1, 2], b=[1, 2])
    with pytest.raises(SchemaError, match="equal lengths"):
        table.with_columns({"a": np.zeros(3)})


def test_numbers_of_a_nominal_attribute_are_refused_by_name():
    with pytest.raises(SchemaError, match="'region' is nominal; declare it continuous"):
        mixed().values("region")


def test_codes_of_a_continuous_attribute_are_refused_by_name():
    with pytest.raises(SchemaError, match="'age' is continuous; declare it ordinal"):
        mixed().codes("age")


def test_a_matrix_has_a_column_for_each_name():
    table = mixed()
    matrix = table.matrix(["income", "age"])
    assert np.array_equal(matrix[:, 1], table["age"])


def test_replacing_a_column_leaves_the_others_alone():
    table = mixed()
    changed = table.with_columns({"age": np.zeros(len(table))})
    assert changed["income"] is table["income"]
    assert table["age"].any()


def test_a_recoded_column_holds_codes_into_its_labels():
    table = mixed()
    recoding = identity_recoding(table.attribute("school")).with_suppressed_cell()
    recoded = table.with_recoded("school", np.full(len(table), 4), recoding)
    assert recoded.is_recoded("school")
    with pytest.raises(SchemaError, match="'school' is generalized"):
        recoded.codes("school")


def test_intervals_do_not_fit_a_nominal_attribute():
    table = mixed()
    with pytest.raises(SchemaError, match="does not fit"):
        table.with_recoded("region", table["region"], Intervals(("x",), np.zeros(1), np.ones(1)))


def test_an_interval_must_not_be_upside_down():
    with pytest.raises(SchemaError, match="lower end"):
        Intervals(("x",), np.ones(1), np.zeros(1))


def test_a_recoded_cell_stands_for_something():
    with pytest.raises(SchemaError, match="at least one category"):
        CategorySets(("x",), np.zeros((1, 3), dtype=bool))


def test_records_can_be_taken_in_any_order():
    table = numbers(a=[1, 2, 3])
    assert table.take(np.array([2, 0]))["a"].tolist() == [3, 1]


def test_suppressing_adds_to_what_is_suppressed_already():
    table = numbers(a=[1, 2, 3]).suppressing(np.array([True, False, False]))
    assert table.suppressing(np.array([False, False, True])).suppressed.tolist() == [
        True,
        False,
        True,
    ]


def test_only_some_attributes_can_be_kept():
    assert mixed().only(["region", "age"]).schema.names == ("region", "age")


def test_its_description_shows_no_values():
    assert repr(numbers(a=[1234.5])) == "<Table of 1 records: a>"


@given(st.lists(st.integers(-(2**31) + 1, 2**31 - 1), min_size=1))
def test_codes_are_found_again(codes):
    values = tag_missing(np.array(codes, dtype=float), np.ones(len(codes), dtype=bool))
    known, found = missing_codes(values)
    assert np.isnan(values).all()
    assert known.all()
    assert found.tolist() == codes


def test_numbers_that_are_not_missing_stay():
    values = tag_missing(np.array([1.5, -99.0]), np.array([False, True]))
    assert values[0] == 1.5


def test_a_plain_missing_value_has_no_code():
    known, codes = missing_codes(np.array([np.nan, 1.0, np.inf]))
    assert not known.any()
    assert not codes.any()


def test_a_code_that_is_not_whole_is_simply_missing():
    values = tag_missing(np.array([0.5]), np.array([True]))
    assert np.isnan(values[0])
    assert not missing_codes(values)[0].any()


def test_codes_travel_with_their_records():
    values = tag_missing(np.array([-1.0, 5.0, -2.0]), np.array([True, False, True]))
    assert missing_codes(values[[2, 0, 1]])[1].tolist() == [-2, -1, 0]


def test_a_table_sent_to_another_process_arrives_whole():
    table = mixed()
    flags = np.arange(len(table)) % 7 == 0
    arrived = pickle.loads(pickle.dumps(table.suppressing(flags)))
    assert arrived.schema == table.schema
    assert np.array_equal(arrived.suppressed, flags)
    for name in table.schema.names:
        assert np.array_equal(arrived[name], table[name], equal_nan=arrived[name].dtype.kind == "f")
