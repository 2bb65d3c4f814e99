"""A file column by column: counts against polars, and nothing that points at a person."""

import polars as pl
import pytest

from evomask.errors import SchemaError
from evomask.runs.inputs import Input
from evomask.runs.onboarding.preview import inspect_file
from evomask.runs.onboarding.schemas import propose_schema


@pytest.fixture
def looked(people, tmp_path):
    schema = tmp_path / "schema.toml"
    propose_schema(Input(people), schema)
    return inspect_file(people, schema)


def test_distinct_values_are_counted_as_polars_does(looked, people):
    frame = pl.read_csv(people)
    assert {c.name: c.distinct for c in looked.columns} == {
        n: frame[n].n_unique() for n in frame.columns
    }
    assert all(column.missing == 0 for column in looked.columns)


def test_people_who_stand_out_are_counted_as_polars_does(looked, people):
    frame = pl.read_csv(people)
    for names in (["age"], ["age", "region"], ["age", "income", "region"]):
        sizes = frame.group_by(names).len()["len"]
        found = looked.uniqueness(names)
        assert found.uniques == (sizes == 1).sum()
        assert found.k == sizes.min()
        assert sum(found.sizes.values()) == len(frame)


def test_an_unknown_column_is_named(looked):
    with pytest.raises(SchemaError, match="'shoe'"):
        looked.uniqueness(["shoe"])


def test_every_group_that_is_shown_has_ten_people_at_least(looked, people):
    for column in looked.columns:
        assert all(round(share * 40 / 100) >= 10 for _, share in column.cells), column.name
