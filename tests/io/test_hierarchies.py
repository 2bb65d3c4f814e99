"""Hierarchy files in ARX's form, the reference ones among them."""

from dataclasses import replace
from pathlib import Path

import pytest

from evomask.data.frames import Declaration
from evomask.data.hierarchy import fit_hierarchy, hierarchy_from_lines
from evomask.data.hierarchy_builders import prefix_hierarchy
from evomask.data.schema import Kind
from evomask.errors import FileError
from evomask.io.datasets import reference_folder
from evomask.io.hierarchies import (
    find_hierarchies,
    read_hierarchies,
    read_lines,
    write_hierarchy,
)
from evomask.io.schemas import read_schema
from evomask.io.tables import read_table

FOLDER = (reference_folder() or Path("nowhere")) / "hierarchies"
needs_reference = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="reference hierarchies are not here; set EVOMASK_DATA"
)
ADULT_LEVELS = {
    "age": 5, "education": 4, "marital-status": 3, "native-country": 3, "occupation": 3, "race": 2,
    "salary-class": 2, "sex": 2, "workclass": 3,
}  # fmt: skip


@pytest.fixture
def pets(tmp_path):
    (tmp_path / "pets.csv").write_text("pet\ncat\nhen\n")
    return read_table(tmp_path / "pets.csv")


def test_a_tree_written_and_read_is_the_same(tmp_path, pets):
    tree = hierarchy_from_lines([("cat", 'the "mammal"', "*"), ("hen", "bird; or so", "*")])
    write_hierarchy(tree, tmp_path / "pet.csv")
    assert fit_hierarchy("pet", read_lines(tmp_path / "pet.csv"), pets).levels == tree.levels


def test_a_file_is_written_in_arx_form(tmp_path):
    write_hierarchy(prefix_hierarchy(("12", "13")), tmp_path / "zip.csv")
    assert (tmp_path / "zip.csv").read_text() == "12;1*;*\n13;1*;*\n"


def test_a_file_is_not_written_over_another(tmp_path):
    (tmp_path / "zip.csv").write_text("mine")
    with pytest.raises(FileError, match="exists"):
        write_hierarchy(prefix_hierarchy(("12",)), tmp_path / "zip.csv")


def test_line_ends_of_windows_and_a_byte_order_mark_are_read(tmp_path):
    (tmp_path / "a.csv").write_bytes("\ufeffè;x;*\r\nb;y;*\r\n".encode())
    assert read_lines(tmp_path / "a.csv") == [("è", "x", "*"), ("b", "y", "*")]


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileError, match=r"no hierarchy file .*none\.csv"):
        read_lines(tmp_path / "none.csv")


def test_a_binary_file_is_refused(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"\x00\x01\x02")
    with pytest.raises(FileError, match="is not text"):
        read_lines(tmp_path / "a.csv")


def test_files_named_in_a_schema_are_found_beside_it(tmp_path, pets):
    folder = tmp_path / "elsewhere" / "trees"
    folder.mkdir(parents=True)
    (folder / "pet.csv").write_text("cat;mammal\nhen;bird\n")
    (tmp_path / "elsewhere" / "schema.toml").write_text(
        '[attributes.pet]\nhierarchy = "trees/pet.csv"\n'
    )
    said = read_schema(tmp_path / "elsewhere" / "schema.toml").declarations
    table = read_table(tmp_path / "pets.csv", said)
    assert read_hierarchies(table.schema) == {"pet": [("cat", "mammal"), ("hen", "bird")]}


def test_a_folder_of_trees_wins_over_the_schema(tmp_path, pets):
    (tmp_path / "trees").mkdir()
    (tmp_path / "trees" / "pet.csv").write_text("cat;*\nhen;*\n")
    named = replace(pets.attribute("pet"), hierarchy=str(tmp_path / "none.csv"))
    found = read_hierarchies(pets.schema.replacing([named]), tmp_path / "trees")
    assert found == {"pet": [("cat", "*"), ("hen", "*")]}


def test_files_in_a_folder_are_found_by_attribute(tmp_path):
    for name in ("age.csv", "adult_hierarchy_sex.csv", "notes.txt"):
        (tmp_path / name).write_text("1;*\n")
    found = find_hierarchies(tmp_path, ["age", "sex", "notes", "race"])
    assert found == {"age": tmp_path / "age.csv", "sex": tmp_path / "adult_hierarchy_sex.csv"}


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileError, match="no folder"):
        find_hierarchies(tmp_path / "none", ["age"])


@pytest.fixture(scope="module")
def adult():
    kinds = {"age": Declaration(Kind.ORDINAL)}
    return read_table(FOLDER.parent / "uci" / "adult.csv", kinds)


@needs_reference
class TestReferenceHierarchies:
    @pytest.mark.parametrize(("name", "levels"), ADULT_LEVELS.items())
    def test_every_adult_file_is_a_tree(self, name, levels):
        tree = hierarchy_from_lines(read_lines(FOLDER / "adult" / f"adult_hierarchy_{name}.csv"))
        assert len(tree.levels) == levels

    @pytest.mark.parametrize("name", ["age", "education", "marital-status", "race", "sex"])
    def test_adult_values_are_covered(self, adult, name):
        tree = fit_hierarchy(
            name, read_lines(FOLDER / "adult" / f"adult_hierarchy_{name}.csv"), adult
        )
        assert tree.categories == adult.attribute(name).categories

    @pytest.mark.parametrize("name", ["occupation", "workclass", "native-country"])
    def test_the_question_mark_of_adult_needs_no_line(self, adult, name):
        tree = fit_hierarchy(
            name, read_lines(FOLDER / "adult" / f"adult_hierarchy_{name}.csv"), adult
        )
        place = tree.categories.index("?")
        tops = {top for leaf, top in enumerate(tree.levels[-1]) if leaf != place}
        assert [level[place] for level in tree.levels[:-1]] == ["?"] * tree.height
        assert tree.levels[-1][place] in tops

    @pytest.mark.parametrize(
        "path", sorted(FOLDER.glob("*/*_hierarchy_*.csv")), ids=lambda path: path.stem
    )
    def test_a_published_file_read_and_written_is_the_same(self, path, tmp_path):
        write_hierarchy(hierarchy_from_lines(read_lines(path)), tmp_path / "again.csv")
        again = (tmp_path / "again.csv").read_text(encoding="utf-8")
        assert again.splitlines() == path.read_text(encoding="utf-8").splitlines()

    def test_arx_names_its_files_so_that_they_are_found(self):
        assert set(find_hierarchies(FOLDER / "adult", ADULT_LEVELS)) == set(ADULT_LEVELS)

    @pytest.mark.parametrize("name", ["ZIPCode", "Age", "Disease"])
    def test_the_toy_table_fits_its_trees(self, name):
        folder = FOLDER / "arx_examples"
        declared = {column: Declaration(Kind.NOMINAL) for column in ("ZIPCode", "Age", "Disease")}
        table = read_table(folder / "test2.csv", declared)
        tree = fit_hierarchy(name, read_lines(folder / f"test2_hierarchy_{name}.csv"), table)
        assert len(tree.labels(tree.height)) == 1

    def test_masked_characters_are_those_of_the_zip_codes(self):
        given = hierarchy_from_lines(
            read_lines(FOLDER / "arx_examples" / "test2_hierarchy_ZIPCode.csv")
        )
        built = prefix_hierarchy(given.categories)
        assert built.levels[:5] == given.levels[:5]


def test_a_text_that_is_cut_within_a_letter_is_a_sentence(tmp_path):
    path = tmp_path / "tree.csv"
    path.write_bytes(b"\xfe\xff\x00n\x00;\x00*\x00")
    with pytest.raises(FileError, match="is not a table of text"):
        read_lines(path)
