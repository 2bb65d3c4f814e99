"""How far PRAM hides a category, and what becomes of its relation to another attribute.

The expectation ratio: Gouweleeuw et al. (1998). Frequencies and counts are of records; row i
of a matrix holds the probabilities that category i becomes each of the categories.
"""

import numpy as np

from evomask.arrays import Floats, Points
from evomask.errors import DataError


def expectation_ratios(frequencies: Floats, matrix: Points) -> Floats:
    """For each category, expected records that kept it over expected records that came to it.

    The smaller, the less a masked value tells. Infinite where nothing comes in; 0 where
    nothing stays, or nobody holds the category.
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
