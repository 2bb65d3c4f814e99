"""What is read with a file: its records, and the value trees that belong to them."""

import pytest

from evomask.errors import FileError, SchemaError
from evomask.runs.inputs import Input, load


@pytest.fixture
def pets(tmp_path):
    """Pets whose schema names a tree beside it."""
    (tmp_path / "pets.csv").write_text("pet,age\ncat,1\nhen,2\n", encoding="utf-8")
    (tmp_path / "pets.toml").write_text(
        '[attributes.pet]\nrole = "quasi-identifier"\nhierarchy = "pet.csv"\n', encoding="utf-8"
    )
    (tmp_path / "pet.csv").write_text("cat;mammal;*\nhen;bird;*\n", encoding="utf-8")
    return Input(tmp_path / "pets.csv", tmp_path / "pets.toml")


def test_value_trees_are_read_with_the_file(pets):
    loaded = load(pets)
    assert loaded.hierarchies == {"pet": [("cat", "mammal", "*"), ("hen", "bird", "*")]}
    assert loaded.trees["pet"].levels[1] == ("mammal", "bird")


def test_a_folder_adds_trees_to_those_of_the_schema(pets, tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "pets_hierarchy_age.csv").write_text("1;*\n2;*\n", encoding="utf-8")
    assert set(load(pets, tmp_path / "more").hierarchies) == {"pet", "age"}


def test_a_tree_that_is_not_there_is_told_before_anything_is_done(pets, tmp_path):
    (tmp_path / "pet.csv").unlink()
    with pytest.raises(FileError, match=r"no hierarchy file .*pet\.csv"):
        load(pets)


def test_a_tree_that_does_not_fit_is_told_where_it_is_used(pets, tmp_path):
    (tmp_path / "pet.csv").write_text("cat;*\n", encoding="utf-8")
    loaded = load(pets)
    with pytest.raises(SchemaError, match="no line for 1 of the values"):
        _ = loaded.trees
