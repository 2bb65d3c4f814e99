import numpy as np
import pytest

from evomask.errors import ParameterError, SchemaError
from evomask.masking.randomization.pram import (
    Design,
    MatrixPram,
    Pram,
    category_frequencies,
    constant_diagonal,
    drawn,
    frequency_diagonal,
    is_designed,
    made_invariant,
    off_diagonal,
)
from tests.tables import mixed

FREQUENCIES = np.array([50.0, 30, 15, 5])
DESIGNS = [off_diagonal, constant_diagonal, frequency_diagonal]


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("frequencies", [FREQUENCIES, [9, 1], [7], [4, 0, 0], [0, 3, 5]])
def test_rows_are_probabilities(design, frequencies):
    matrix = design(np.array(frequencies, dtype=float), 0.4)
    assert matrix.sum(axis=1) == pytest.approx(1)
    assert matrix.min() >= 0


def test_off_diagonal_of_two_categories_is_the_chance_to_change():
    assert off_diagonal(np.array([9.0, 1]), 0.25).tolist() == [[0.75, 0.25], [0.25, 0.75]]


def test_off_diagonal_prefers_rare_categories():
    assert np.all(np.diff(off_diagonal(FREQUENCIES, 0.4)[0, 1:]) > 0)


def test_diagonal_design_is_equations_2_4_and_2_5():
    matrix = frequency_diagonal(FREQUENCIES, 0.5)
    assert np.diag(matrix) == pytest.approx(1 - 0.5 * 5 / FREQUENCIES)
    assert matrix[0, 1:] == pytest.approx(0.5 * 5 / 50 / 3)


def test_an_empty_category_has_the_identity_row_in_the_diagonal_design():
    assert frequency_diagonal(np.array([5.0, 0, 3]), 0.5)[1].tolist() == [0, 1, 0]


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("frequencies", [FREQUENCIES, np.array([4.0, 0, 3, 0])])
def test_invariant_matrices_keep_expected_frequencies(design, frequencies):
    invariant = made_invariant(design(frequencies, 0.6), frequencies)
    assert frequencies @ invariant == pytest.approx(frequencies)
    assert invariant.sum(axis=1) == pytest.approx(1)


def test_draws_follow_the_matrix():
    matrix = off_diagonal(FREQUENCIES, 0.4)
    masked = drawn(np.full(200_000, 2, dtype=np.int32), matrix, np.random.default_rng(1))
    assert np.bincount(masked) / len(masked) == pytest.approx(matrix[2], abs=0.005)


def test_what_has_probability_zero_is_never_drawn():
    matrix = np.array([[0.1, 0.2, 0.7, 0.0], *np.eye(4)[1:]])
    codes = np.zeros(100_000, dtype=np.int32)
    chances = type("Chances", (), {"random": lambda self, n: np.full(n, np.nextafter(1, 0))})()
    assert set(drawn(codes, matrix, chances)) == {2}


@pytest.mark.parametrize("design", Design)
def test_no_change_asked_no_change_made(design):
    masked = Pram(("school", "region"), design, 0.0).mask(mixed(), np.random.default_rng(0))
    assert masked["school"].tobytes() == mixed()["school"].tobytes()


def test_the_identity_matrix_changes_nothing():
    masked = MatrixPram(("school",), {"school": np.eye(4)}).mask(mixed(), np.random.default_rng(0))
    assert masked["school"].tobytes() == mixed()["school"].tobytes()


def test_missing_values_are_a_category():
    assert len(category_frequencies(mixed(), "region")) == 4


@pytest.mark.parametrize(
    ("matrix", "sentence"),
    [
        (np.full((4, 4), 0.3), "row 1 of the matrix of 'school' must sum to 1, got 1.2"),
        (np.eye(4) * 2 - np.full((4, 4), 0.25), "probabilities, none below 0"),
        (np.full((4, 4), np.nan), "probabilities, none below 0"),
        (np.ones((4, 3)) / 3, r"must be square, got shape \(4, 3\)"),
        (np.ones(4), "must be square"),
    ],
)
def test_what_is_no_transition_matrix_is_refused(matrix, sentence):
    with pytest.raises(ParameterError, match=sentence):
        MatrixPram(("school",), {"school": matrix})


def test_a_matrix_of_the_wrong_size_is_refused():
    method = MatrixPram(("school",), {"school": np.eye(3)})
    with pytest.raises(ParameterError, match="each of its 4 categories, got 3"):
        method.mask(mixed(), np.random.default_rng(0))


def test_an_attribute_without_a_matrix_is_refused():
    with pytest.raises(ParameterError, match="no matrix for 'region'"):
        MatrixPram(("region",), {"school": np.eye(4)})


def test_numbers_are_refused():
    with pytest.raises(SchemaError, match="categories are needed, and 'age' is continuous"):
        Pram(("age",)).mask(mixed(), np.random.default_rng(0))


@pytest.mark.parametrize("change", [-0.1, 1.1, np.nan])
def test_a_change_that_is_no_probability_is_refused(change):
    with pytest.raises(ParameterError, match="change must lie in"):
        Pram(("school",), change=change)


@pytest.mark.parametrize("design", [off_diagonal, frequency_diagonal])
def test_a_matrix_that_tells_the_frequencies_by_its_design_is_recognised(design):
    frequencies = np.array([50.0, 30.0, 20.0, 12.0])
    assert is_designed(design(frequencies, 0.3), frequencies)
    assert not is_designed(constant_diagonal(frequencies, 0.3), frequencies)
    assert not is_designed(np.random.default_rng(1).dirichlet(np.ones(4), 4), frequencies)
