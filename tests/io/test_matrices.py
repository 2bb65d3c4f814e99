import numpy as np
import pytest

from evomask.errors import FileError
from evomask.io.matrices import read_matrix, write_matrix
from tests.tables import mixed

REGION = mixed().attribute("region")
MATRIX = np.array([[0.7, 0.1, 0.1, 0.1], [0, 1, 0, 0], [1 / 3, 1 / 3, 1 / 3, 0], [0, 0, 0, 1]])


def test_what_is_written_is_read_again_exactly(tmp_path):
    write_matrix(MATRIX, REGION, tmp_path / "region.csv")
    assert np.array_equal(read_matrix(tmp_path / "region.csv", REGION), MATRIX)


def test_rows_and_columns_may_stand_in_any_order(tmp_path):
    path = tmp_path / "school.csv"
    path.write_text(
        "from,high,none,basic,middle\nhigh,1,0,0,0\nmiddle,0,0,0,1\nnone,0.5,0.5,0,0\nbasic,0,0,1,0\n"
    )
    expected = [[0.5, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    assert read_matrix(path, mixed().attribute("school")).tolist() == expected


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "must name every category"),
        ("from,none\nnone,1\n", "must name every category of 'school' once"),
        (
            "from,none,basic,middle,high\nnone,1,0,0,x\nbasic,0,1,0,0\nmiddle,0,0,1,0\nhigh,0,0,0,1\n",
            "line 2 of .* must hold 4 probabilities",
        ),
    ],
)
def test_a_matrix_that_cannot_be_used_is_explained(tmp_path, text, sentence):
    path = tmp_path / "school.csv"
    path.write_text(text)
    with pytest.raises(FileError, match=sentence):
        read_matrix(path, mixed().attribute("school"))


def test_a_matrix_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileError, match=r"there is no matrix .*school\.csv"):
        read_matrix(tmp_path / "school.csv", mixed().attribute("school"))
