"""Files read and written as frames."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import evomask


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("name;age;height\nAnn;31;1,70\nBen;?;1,82\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("library", "kind"), [("polars", pl.DataFrame), ("pandas", pd.DataFrame), ("pyarrow", pa.Table)]
)
def test_a_file_is_read_as_the_frame_that_is_wanted(people, library, kind):
    assert isinstance(evomask.read(people, missing=["?"], library=library), kind)


def test_the_way_a_text_file_is_written_is_found_out(people):
    frame = evomask.read(people, missing=["?"])
    assert frame["height"].to_list() == [1.7, 1.82]
    assert frame["age"].to_list() == [31, None]


def test_a_frame_is_written_like_a_file_without_its_identifiers(people, tmp_path):
    frame = evomask.read(people, missing=["?"])
    schema = evomask.Schema(drop=["name", "gone"])
    out = evomask.write(frame, tmp_path / "out.csv", like=people, schema=schema)
    assert out.read_text(encoding="utf-8").splitlines()[:2] == ["age;height", "31;1,7"]


def test_labels_of_a_statistical_file_survive(tmp_path):
    import pyreadstat

    frame = pd.DataFrame({"sex": [1.0, 2.0, 1.0]})
    labels = {"sex": {1.0: "female", 2.0: "male"}}
    pyreadstat.write_sav(frame, str(tmp_path / "a.sav"), variable_value_labels=labels)
    read = evomask.read(tmp_path / "a.sav")
    evomask.write(read.reverse(), tmp_path / "b.sav", like=tmp_path / "a.sav")
    _, meta = pyreadstat.read_sav(str(tmp_path / "b.sav"))
    assert meta.variable_value_labels == labels


def test_a_file_that_is_there_is_not_written_over(people):
    with pytest.raises(evomask.EvomaskError, match="exists"):
        evomask.write(pl.DataFrame({"a": [1]}), people)
