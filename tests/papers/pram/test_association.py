import numpy as np
import pytest
from scipy.stats import chi2_contingency

from evomask.errors import DataError
from evomask.masking.randomization.pram import constant_diagonal, draw, make_invariant
from evomask_papers.pram.association import (
    chi_square,
    chi_square_difference,
    expectation_ratios,
    weighted_ratio,
)

DEGREE = np.array([98.0, 173.0, 251.0, 195.0, 170.0, 80.0])
INITIAL = constant_diagonal(DEGREE, 0.4)
COUNTS = np.array([[20.0, 5.0, 0.0], [4.0, 11.0, 9.0]])


def test_the_initial_matrix_has_the_ratios_of_table_4_8():
    ratios = expectation_ratios(DEGREE, INITIAL)
    assert ratios == pytest.approx([0.846, 1.634, 2.629, 1.894, 1.600, 0.676], abs=0.0005)


def test_the_initial_matrix_has_the_weighted_ratio_of_table_4_10():
    assert weighted_ratio(DEGREE, INITIAL) == pytest.approx(1.780, abs=0.0005)


def test_the_invariant_initial_matrix_hides_less_as_in_table_4_8():
    invariant = make_invariant(INITIAL, DEGREE)
    assert (
        expectation_ratios(DEGREE, invariant)[1:5] < expectation_ratios(DEGREE, INITIAL)[1:5]
    ).all()


def test_ratios_are_those_of_many_draws():
    codes = np.repeat(np.arange(6, dtype=np.int32), 100 * DEGREE.astype(int))
    masked = draw(codes, INITIAL, np.random.default_rng(1))
    joint = np.zeros((6, 6))
    np.add.at(joint, (codes, masked), 1)
    found = np.diag(joint) / (joint.sum(axis=0) - np.diag(joint))
    assert found == pytest.approx(expectation_ratios(DEGREE, INITIAL), rel=0.05)


def test_a_category_that_nothing_comes_to_is_not_hidden():
    assert expectation_ratios(np.array([3.0, 2.0]), np.eye(2)).tolist() == [np.inf, np.inf]


def test_a_category_nobody_holds_has_no_weight():
    frequencies = np.array([3.0, 2.0, 0.0])
    matrix = constant_diagonal(frequencies, 0.5)
    by_hand = (3 * 1.5 / (2 * 0.25) + 2 * 1.0 / (3 * 0.25)) / 5
    assert weighted_ratio(frequencies, matrix) == pytest.approx(by_hand)


def test_the_statistic_is_that_of_scipy():
    assert chi_square(COUNTS) == pytest.approx(chi2_contingency(COUNTS, correction=False).statistic)


def test_an_empty_row_does_not_count():
    assert chi_square(np.vstack([COUNTS, np.zeros(3)])) == pytest.approx(chi_square(COUNTS))


def test_a_table_of_independence_differs_by_a_hundred_percent():
    after = np.outer(COUNTS.sum(axis=1), COUNTS.sum(axis=0)) / COUNTS.sum()
    assert chi_square_difference(COUNTS, after) == pytest.approx(100.0)
    assert chi_square_difference(COUNTS, COUNTS) == 0.0


def test_independent_originals_are_refused():
    with pytest.raises(DataError, match="independent"):
        chi_square_difference(np.ones((2, 2)), COUNTS)
