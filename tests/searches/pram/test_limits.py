import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evomask.errors import ParameterError
from evomask.masking.randomization.pram import frequency_shift, make_invariant, normalize_rows
from evomask.searches.pram.genome import (
    Limits,
    allowed_changes,
    constrain,
    correct_rounding,
    nearest_range,
)

LOW, HIGH = 0.55, 0.75
LARGEST = (1 - LOW) / ((1 - LOW) + (1 - HIGH))


def random_matrix(size, seed, power=4):
    return normalize_rows(np.random.default_rng(seed).random((size, size)) ** power)


def in_range(matrix, low=LOW, high=HIGH):
    stays = np.diagonal(matrix)
    return stays.min() >= low - 1e-12 and stays.max() <= high + 1e-12


@st.composite
def frequencies(draw):
    counts = draw(st.lists(st.integers(0, 500), min_size=2, max_size=12))
    counts[draw(st.integers(0, len(counts) - 1))] += 1
    return np.array(counts, dtype=float)


@given(frequencies(), st.integers(0, 99))
@settings(deadline=None, max_examples=80)
def test_invariance_and_range_hold_together_wherever_they_can(counts, seed):
    limits = Limits(LOW, HIGH, invariant=True)
    made = constrain(random_matrix(len(counts), seed), counts, limits)
    assert (made >= 0).all()
    assert made.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    assert frequency_shift(made, counts) < 1e-12
    possible = counts.max() / counts.sum() <= LARGEST
    assert in_range(made) if possible else in_range(made, *nearest_range(counts, limits))


def test_the_largest_category_may_hold_just_what_the_range_allows():
    counts = np.array([0.45, 0.25 / 2, 0.25 / 2]) / 0.7
    limits = Limits(LOW, HIGH, invariant=True)
    assert nearest_range(counts, limits) == pytest.approx((LOW, HIGH))
    made = constrain(random_matrix(3, 1), counts, limits)
    assert frequency_shift(made, counts) < 1e-12
    assert in_range(made)


def test_a_category_that_is_too_large_raises_the_upper_end():
    low, high = nearest_range(np.array([80.0, 15.0, 5.0]), Limits(LOW, HIGH, invariant=True))
    assert low == LOW
    assert high == pytest.approx(1 - 0.45 * 0.2 / 0.8)


def test_without_a_range_the_invariant_matrix_is_the_two_stage_one():
    counts, matrix = np.array([10.0, 60.0, 30.0]), random_matrix(3, 2)
    made = constrain(matrix, counts, Limits(invariant=True))
    assert made == pytest.approx(make_invariant(matrix, counts))


def test_alpha_mixes_an_invariant_matrix_with_the_identity():
    counts, matrix = np.array([10.0, 60.0, 30.0]), random_matrix(3, 2)
    made = constrain(matrix, counts, Limits(invariant=True, alpha=0.3))
    assert made == pytest.approx(0.3 * make_invariant(matrix, counts) + 0.7 * np.eye(3))
    assert frequency_shift(made, counts) < 1e-12


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"alpha": 0.0, "invariant": True}, "alpha must lie above 0 and up to 1, got 0"),
        ({"alpha": 1.5, "invariant": True}, "alpha must lie above 0 and up to 1, got 1.5"),
        ({"alpha": 0.5}, "alpha applies to invariant matrices only"),
    ],
)
def test_an_invalid_alpha_is_an_error(wrong, sentence):
    with pytest.raises(ParameterError, match=sentence):
        Limits(**wrong)


@pytest.mark.parametrize("seed", range(4))
def test_a_diagonal_without_invariance_is_raised_and_lowered(seed):
    matrix = random_matrix(5, seed, power=12)
    made = constrain(matrix, np.ones(5), Limits(LOW, HIGH))
    assert in_range(made)
    assert made.sum(axis=1) == pytest.approx(1.0, abs=1e-12)


def test_raising_keeps_the_proportions_of_the_others():
    matrix = np.array([[0.1, 0.6, 0.3], [0.2, 0.6, 0.2], [0.0, 0.3, 0.7]])
    made = constrain(matrix, np.ones(3), Limits(LOW, HIGH))
    assert made[0] == pytest.approx([0.55, 0.3, 0.15])
    assert made[1:] == pytest.approx(matrix[1:])


def test_lowering_shares_what_is_lost_among_the_others():
    matrix = np.array([[0.9, 0.1, 0.0], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]])
    made = constrain(matrix, np.ones(3), Limits(LOW, HIGH))
    scale = 0.75 / 0.9
    lost = (1 - scale) / 2
    assert made[0] == pytest.approx([0.75, 0.1 * scale + lost, lost])


@pytest.mark.parametrize("invariant", [True, False])
def test_a_band_limits_how_far_categories_move(invariant):
    counts = np.array([30.0, 20.0, 0.0, 40.0, 10.0, 25.0])
    limits = Limits(0.3, 0.9, band=2, invariant=invariant)
    made = constrain(random_matrix(6, 3), counts, limits)
    assert not made[~allowed_changes(6, limits)].any()
    assert in_range(made, *nearest_range(counts, limits) if invariant else (0.3, 0.9))
    assert not invariant or frequency_shift(made, counts) < 1e-12


def test_a_band_may_leave_less_room_for_an_invariant_matrix():
    counts = np.array([10.0, 40.0, 10.0])
    free = nearest_range(counts, Limits(0.5, 0.6, invariant=True))
    banded = nearest_range(np.array([40.0, 1.0, 40.0]), Limits(0.5, 0.6, band=1, invariant=True))
    assert free[1] == pytest.approx(1 - 0.5 * 20 / 40)
    assert banded[1] == pytest.approx(1 - 0.5 * 1 / 80)


def test_missing_has_no_place_in_a_band():
    allowed = allowed_changes(4, Limits(band=1, has_missing=True))
    assert allowed[0].tolist() == [True, True, False, True]
    assert allowed[3].all()


def test_one_category_stays_what_it_is():
    assert constrain(np.ones((1, 1)), np.array([7.0]), Limits(LOW, HIGH)).tolist() == [[1.0]]


def test_tidying_takes_rounding_errors_away():
    counts = np.array([10.0, 60.0, 30.0])
    made = constrain(random_matrix(3, 2), counts, Limits(invariant=True))
    shaken = made + np.random.default_rng(1).normal(0, 1e-10, (3, 3))
    again = correct_rounding(shaken, counts, invariant=True)
    assert frequency_shift(again, counts) < 1e-15
    assert again == pytest.approx(made, abs=1e-8)


@pytest.mark.parametrize("wrong", [{"low": 0.8, "high": 0.6}, {"high": 1.2}, {"band": 0}])
def test_limits_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ParameterError):
        Limits(**wrong)
