import pickle

import pytest

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.errors import SchemaError

SCHEMA = Schema(
    (
        Attribute("age", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER),
        Attribute("school", Kind.ORDINAL, Role.QUASI_IDENTIFIER, ("low", "high", "")),
        Attribute("illness", Kind.NOMINAL, Role.CONFIDENTIAL, ("a", "b")),
    )
)


def test_names_keep_their_order():
    assert SCHEMA.names == ("age", "school", "illness")


def test_quasi_identifiers_are_found_by_role():
    assert SCHEMA.quasi_identifiers == ("age", "school")


def test_an_unknown_attribute_is_named_with_those_there_are():
    with pytest.raises(SchemaError, match=r"no attribute 'agee'; the schema has age, school"):
        SCHEMA["agee"]


def test_a_name_that_stands_twice_is_refused():
    with pytest.raises(SchemaError, match="duplicate column name 'age'"):
        Schema((Attribute("age", Kind.NOMINAL), Attribute("age", Kind.NOMINAL)))


def test_a_category_that_stands_twice_is_refused():
    with pytest.raises(SchemaError, match="'sex' lists a category twice"):
        Attribute("sex", Kind.NOMINAL, categories=("f", "f"))


def test_the_missing_category_comes_last():
    with pytest.raises(SchemaError, match="must be its last one"):
        Attribute("sex", Kind.NOMINAL, categories=("", "f"))


def test_the_domain_does_not_count_the_missing_category():
    assert SCHEMA["school"].domain_size == 2
    assert SCHEMA["school"].has_missing


def test_roles_can_be_assigned_without_changing_the_schema_itself():
    changed = SCHEMA.assigning({"age": Role.OTHER})
    assert changed["age"].role is Role.OTHER
    assert SCHEMA["age"].role is Role.QUASI_IDENTIFIER


def test_assigning_a_role_to_an_unknown_attribute_is_an_error():
    with pytest.raises(SchemaError, match="no attribute 'shoe'"):
        SCHEMA.assigning({"shoe": Role.OTHER})


def test_a_lookup_changes_neither_the_schema_nor_its_pickle():
    schema = Schema(tuple(Attribute(f"c{i}", Kind.NOMINAL) for i in range(5)))
    before = pickle.dumps(schema)
    assert schema["c3"].name == "c3"
    assert schema.names is schema.names
    assert pickle.dumps(schema) == before
    assert pickle.loads(before) == schema
    assert pickle.loads(before)["c4"].name == "c4"
