"""PRAM and its transition matrices."""

import numpy as np
import pytest

from evomask.errors import ParameterError, SchemaError
from evomask.masking.randomization.pram import (
    CommonDraws,
    Design,
    MatrixPram,
    Pram,
    category_frequencies,
    constant_diagonal,
    draw,
    frequency_diagonal,
    frequency_shift,
    is_designed,
    is_dominant,
    make_invariant,
    normalize_rows,
    off_diagonal,
)
from evomask_papers.pram.designs import standard_matrices
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
    invariant = make_invariant(design(frequencies, 0.6), frequencies)
    assert frequencies @ invariant == pytest.approx(frequencies)
    assert invariant.sum(axis=1) == pytest.approx(1)


def test_draws_follow_the_matrix():
    matrix = off_diagonal(FREQUENCIES, 0.4)
    masked = draw(np.full(200_000, 2, dtype=np.int32), matrix, np.random.default_rng(1))
    assert np.bincount(masked) / len(masked) == pytest.approx(matrix[2], abs=0.005)


def test_what_has_probability_zero_is_never_drawn():
    matrix = np.array([[0.1, 0.2, 0.7, 0.0], *np.eye(4)[1:]])
    codes = np.zeros(100_000, dtype=np.int32)
    chances = type("Chances", (), {"random": lambda self, n: np.full(n, np.nextafter(1, 0))})()
    assert set(draw(codes, matrix, chances)) == {2}


@pytest.mark.parametrize("design", Design)
def test_change_0_changes_nothing(design):
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
def test_an_invalid_transition_matrix_is_an_error(matrix, sentence):
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
def test_a_matrix_of_a_frequency_based_design_is_recognised(design):
    frequencies = np.array([50.0, 30.0, 20.0, 12.0])
    assert is_designed(design(frequencies, 0.3), frequencies)
    assert not is_designed(constant_diagonal(frequencies, 0.3), frequencies)
    assert not is_designed(np.random.default_rng(1).dirichlet(np.ones(4), 4), frequencies)


NAMES = ("school", "region")


def matrices(seed):
    rng = np.random.default_rng(seed)
    return {name: normalize_rows(rng.random((4, 4))) for name in NAMES}


def draws(number):
    return np.random.default_rng([7, 2, number])


def test_a_common_draw_is_the_file_that_pram_makes_with_its_generator():
    table, chosen = mixed(), matrices(1)
    common = CommonDraws(table, NAMES, draws).masked(chosen, 3)
    made = MatrixPram(NAMES, chosen).mask(table, draws(3))
    assert all(np.array_equal(common[name], made[name]) for name in NAMES)


def test_changing_one_row_changes_only_cells_of_its_category():
    table, one = mixed(), matrices(1)
    other = {**one, "school": one["school"].copy()}
    other["school"][2] = [0.0, 0.0, 0.0, 1.0]
    common = CommonDraws(table, NAMES, draws)
    before, after = common.masked(one, 0), common.masked(other, 0)
    moved = before["school"] != after["school"]
    assert moved.any()
    assert (table["school"][moved] == 2).all()
    assert np.array_equal(before["region"], after["region"])


def test_an_attribute_without_a_matrix_stays():
    table = mixed()
    masked = CommonDraws(table, NAMES, draws).masked({"school": matrices(1)["school"]}, 0)
    assert np.array_equal(masked["region"], table["region"])


def test_rows_are_divided_by_their_sums_and_empty_ones_stay_what_they_are():
    made = normalize_rows(np.array([[1.0, 3.0], [0.0, 0.0]]))
    assert made.tolist() == [[0.25, 0.75], [0.0, 1.0]]


def test_an_invariant_matrix_shifts_no_frequency():
    frequencies = np.array([5.0, 0.0, 80.0, 15.0])
    matrix = matrices(2)["school"]
    assert frequency_shift(matrix, frequencies) > 0.1
    assert frequency_shift(make_invariant(matrix, frequencies), frequencies) < 1e-12


@pytest.mark.parametrize(("stays", "dominant"), [(0.51, True), (0.5, False)])
def test_a_dominant_matrix_rather_stays(stays, dominant):
    matrix = np.array([[stays, 1 - stays], [0.1, 0.9]])
    assert is_dominant(matrix) is dominant


def test_standard_matrices_go_over_every_design_up_to_certain_change():
    found = list(standard_matrices(mixed(), NAMES))
    assert {one.method.design for one in found} == set(Design)
    assert max(one.method.change for one in found) == 1.0
    assert len({one.title for one in found}) == len(found)
