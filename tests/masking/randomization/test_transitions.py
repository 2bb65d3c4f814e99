import numpy as np
import pytest

from evomask.masking.randomization.common_draws import CommonDraws
from evomask.masking.randomization.pram import Design, MatrixPram, made_invariant
from evomask.masking.randomization.transitions import (
    frequency_shift,
    is_dominant,
    rows_to_one,
    standard_matrices,
)
from tests.tables import mixed

NAMES = ("school", "region")


def matrices(seed):
    rng = np.random.default_rng(seed)
    return {name: rows_to_one(rng.random((4, 4))) for name in NAMES}


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
    made = rows_to_one(np.array([[1.0, 3.0], [0.0, 0.0]]))
    assert made.tolist() == [[0.25, 0.75], [0.0, 1.0]]


def test_an_invariant_matrix_shifts_no_frequency():
    frequencies = np.array([5.0, 0.0, 80.0, 15.0])
    matrix = matrices(2)["school"]
    assert frequency_shift(matrix, frequencies) > 0.1
    assert frequency_shift(made_invariant(matrix, frequencies), frequencies) < 1e-12


@pytest.mark.parametrize(("stays", "dominant"), [(0.51, True), (0.5, False)])
def test_a_dominant_matrix_rather_stays(stays, dominant):
    matrix = np.array([[stays, 1 - stays], [0.1, 0.9]])
    assert is_dominant(matrix) is dominant


def test_standard_matrices_go_over_every_design_up_to_certain_change():
    found = list(standard_matrices(mixed(), NAMES))
    assert {one.method.design for one in found} == set(Design)
    assert max(one.method.change for one in found) == 1.0
    assert len({one.title for one in found}) == len(found)
