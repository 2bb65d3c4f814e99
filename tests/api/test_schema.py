"""Schemas built in code: what they say, files of them, and hierarchies."""

from pathlib import Path

import polars as pl
import pytest

import evomask
from evomask.data.schema import Kind, Role
from evomask.io.datasets import write_survey


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    folder = tmp_path_factory.mktemp("survey")
    write_survey(folder, 200, seed=1)
    return folder


def test_a_schema_file_is_read_and_written_without_loss(survey):
    schema = evomask.Schema.read(survey / "survey.toml")
    again = evomask.Schema.read(schema.write(survey / "again.toml"))
    for part in ("roles", "kinds", "categories", "decimals", "edits"):
        assert getattr(again, part) == getattr(schema, part)
    trees = [{n: Path(p).resolve() for n, p in s.hierarchies.items()} for s in (again, schema)]
    assert trees[0] == trees[1]
    assert schema.roles["health"] is Role.CONFIDENTIAL
    assert schema.kinds["education"] is Kind.ORDINAL
    assert schema.household == "household"


def test_a_frame_is_audited_alike_by_a_schema_and_by_its_file(survey):
    people = evomask.read(survey / "survey.csv")
    found = [
        evomask.audit(people, schema=schema)
        for schema in (survey / "survey.toml", evomask.Schema.read(survey / "survey.toml"))
    ]
    assert found[0].as_json() == found[1].as_json()


def test_two_roles_for_one_column_are_refused():
    with pytest.raises(evomask.EvomaskError, match="'age' is declared both"):
        evomask.Schema(quasi=["age"], drop=["age"])


def test_a_misspelt_word_is_refused():
    with pytest.raises(TypeError, match="quazi"):
        evomask.Schema(quazi=["age"])


def test_a_single_name_need_not_be_a_list():
    assert evomask.Schema(quasi="age") == evomask.Schema(quasi=["age"])


def test_what_a_call_says_wins_over_the_schema(survey):
    people = evomask.read(survey / "survey.csv")
    found = evomask.audit(people, schema=survey / "survey.toml", confidential=["income"])
    assert set(found.confidential) == {"health", "expenses", "income"}
    assert "income" not in found.quasi_identifiers


def test_a_call_does_not_make_an_identifier_public(survey):
    people = evomask.read(survey / "survey.csv")
    with pytest.raises(evomask.EvomaskError, match="'name' is identifier in the schema"):
        evomask.mask(
            people, evomask.Mdav(("income",)), schema=survey / "survey.toml", keep=["name"]
        )


def test_the_text_of_a_schema_shows_what_it_says():
    schema = evomask.Schema(quasi=["age"], hierarchies={"age": {"1": ["*"], "2": ["*"]}})
    assert repr(schema) == "Schema(quasi=['age'], hierarchies=['age'])"


AGES = pl.DataFrame({"age": [1, 2, 3, 4] * 5, "sex": ["f", "m"] * 10})


@pytest.mark.parametrize(
    "tree",
    [
        {"1": ["low", "*"], "2": ["low", "*"], "3": ["high", "*"], "4": ["high", "*"]},
        evomask.hierarchy(AGES, "age", "order=2"),
    ],
)
def test_value_trees_come_from_code(tree):
    found = evomask.search(
        AGES, "generalization", quasi=["age"], options={"k": 2}, evaluations=20, seed=1,
        schema=evomask.Schema(hierarchies={"age": tree}),
    )  # fmt: skip
    assert found.masked()["sex"].equals(AGES["sex"])


def test_a_value_tree_is_written_and_read_again(tmp_path):
    tree = evomask.hierarchy(AGES, "age", "order=2")
    path = evomask.write_hierarchy(tree, tmp_path / "age.csv")
    assert evomask.hierarchy(AGES, "age", path).levels == tree.levels
    assert repr(tree) == "<Hierarchy of 4 values in groups: 2, 1>"


def test_a_schema_with_a_tree_in_no_file_is_not_written(tmp_path):
    schema = evomask.Schema(hierarchies={"age": evomask.hierarchy(AGES, "age")})
    with pytest.raises(evomask.EvomaskError, match="write_hierarchy"):
        schema.write(tmp_path / "schema.toml")


def test_linked_columns_are_masked_together(tmp_path):
    schema = evomask.Schema(quasi=["age"], linked={"birth": "age"})
    assert evomask.Schema.read(schema.write(tmp_path / "s.toml")).linked == {"birth": "age"}
    frame = pl.DataFrame({"age": [20, 21, 40, 41, 60, 62], "place": ["a", "b"] * 3})
    frame = frame.with_columns(birth=2000 - pl.col("age"))
    masked = evomask.mask(frame, evomask.Mdav(("age",), k=2), schema=schema, seed=1)
    assert masked["birth"].n_unique() <= masked["age"].n_unique()


def test_person_and_population_are_written_and_read(tmp_path):
    table = tmp_path / "register.csv"
    table.write_text("age,count\n20,5\n", encoding="utf-8")
    schema = evomask.Schema(
        quasi=["age"], person="who", population=4000, population_table=str(table)
    )
    again = evomask.Schema.read(schema.write(tmp_path / "schema.toml"))
    assert (again.person, again.population) == ("who", 4000)
    assert Path(again.population_table).resolve() == table.resolve()
