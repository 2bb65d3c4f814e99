"""Expectation ratio of PRAM, and change of the association with another attribute.

The expectation ratio is from Gouweleeuw et al. (1998). Frequencies and counts are of records; row i
of a matrix holds the probabilities that category i becomes each of the categories.
"""

import numpy as np

from evomask.errors import DataError
from evomask.types import Floats, Points


def expectation_ratios(frequencies: Floats, matrix: Points) -> Floats:
    """Expected records that keep each category divided by expected records that change to it.

    The smaller, the less a masked value discloses. Infinite if nothing comes in; 0 if nothing stays
    or the category is empty.
    """
    stay = frequencies * np.diag(matrix)
    come = frequencies @ matrix - stay
    unmixed = np.where(stay > 0, np.inf, 0.0)
    safe = np.where(come > 0, come, 1.0)
    ratios: Floats = np.where(come > 0, stay / safe, unmixed)
    return ratios


def weighted_ratio(frequencies: Floats, matrix: Points) -> float:
    """The mean expectation ratio, categories weighted by their frequencies."""
    held = frequencies > 0
    return float(
        np.average(expectation_ratios(frequencies, matrix)[held], weights=frequencies[held])
    )


def chi_square(counts: Floats) -> float:
    """The statistic of independence of rows and columns; empty ones do not count."""
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    held = expected > 0
    return float(np.sum((counts[held] - expected[held]) ** 2 / expected[held]))


def chi_square_difference(before: Floats, after: Floats) -> float:
    """Relative difference of the statistics of two tables of counts, in percent (4.8)."""
    original = chi_square(before)
    if original == 0:
        raise DataError(
            "the two attributes are independent in the original file, so a relative difference "
            "of their chi-square has no meaning; choose two that are related"
        )
    return 100.0 * abs(chi_square(after) - original) / original
