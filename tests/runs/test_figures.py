from evomask.data.schema import Attribute, Kind
from evomask.io.matrices import read_matrix
from evomask.runs.figures import matrices_in_answer, write_found_matrix

ANSWER = {
    "matrices": {"sex": {"categories": ["f", "m, other"], "rows": [[0.7, 0.3], [0.1, 0.9]]}},
}


def test_a_found_matrix_is_read_again_as_it_was_written(tmp_path):
    (matrix,) = matrices_in_answer(ANSWER)
    path, picture = write_found_matrix(matrix, tmp_path / "matrix-1.csv")
    attribute = Attribute("sex", Kind.NOMINAL, categories=("f", "m, other"))
    assert read_matrix(path, attribute).tolist() == [[0.7, 0.3], [0.1, 0.9]]
    assert "stays with a probability of 0.70 to 0.90" in picture.read_text(encoding="utf-8")


def test_a_search_without_matrices_has_none():
    assert matrices_in_answer({"groups": []}) == ()
