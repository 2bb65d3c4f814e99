"""The proposed schema as a file that evomask itself reads."""

import numpy as np
import polars as pl
import pytest

from evomask.data.frames import table_from
from evomask.data.roles.proposal import propose
from evomask.io.dialects import Dialect
from evomask.io.schemas import read_schema, schema_text

ODD = pl.DataFrame(
    {
        'a "quoted" name': ["x", "y", "x"],
        "dotted.name": [1.5, 2.5, 3.5],
        "ünïcödé": ["low", "high", "medium"],
        "back\\slash": ["1. é", '2. "b"', "3. c"],
    }
)


@pytest.fixture
def schema(tmp_path):
    def read(frame, dialect=None):
        table = table_from(frame)
        path = tmp_path / "schema.toml"
        text = schema_text(propose(table), "odd.csv", len(table), dialect)
        path.write_text(text, encoding="utf-8")
        return read_schema(path), text

    return read


def test_odd_names_and_categories_survive(schema):
    read, _ = schema(ODD)
    assert list(read.attributes) == ODD.columns
    assert read.attributes["back\\slash"].categories == ["1. é", '2. "b"', "3. c"]


def test_a_proposal_can_be_used_as_it_is(schema):
    read, _ = schema(ODD)
    table = table_from(ODD, read.declarations)
    assert table.attribute("ünïcödé").categories == ("low", "medium", "high")


def test_the_dialect_is_shown_and_read_again(schema):
    told = Dialect("\t", "cp1252", ("NA", "?"), ",")
    assert schema(ODD, told)[0].dialect == told


def test_rules_are_shown_and_read_again(schema):
    numbers = np.arange(1, 30)
    frame = pl.DataFrame({"a": numbers, "b": numbers[::-1] ** 2, "c": numbers + numbers[::-1] ** 2})
    assert schema(frame)[0].rules.edits == ["c = a + b"]


def test_every_kind_and_role_has_its_reason_beside_it(schema):
    _, text = schema(ODD)
    lines = [line for line in text.splitlines() if line.startswith(("kind", "role"))]
    assert len(lines) == 8
    assert all(" # " in line for line in lines)
