"""Intervals against statsmodels; blockwise distances against a loop over pairs of cells."""

import numpy as np
import pytest
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from evomask.measures.attacks.attack import (
    distances,
    gain_interval,
    smallest,
    target_blocks,
    wilson_interval,
)
from evomask.measures.comparison_space import Space
from tests.measures.files import generalized, perturbed
from tests.tables import mixed

TABLE = mixed(30)
NAMES = TABLE.schema.quasi_identifiers


def slow(masked):
    """Pair by pair, in units of one category apart."""
    space = Space.of(TABLE, NAMES)
    found = np.zeros((len(TABLE), len(masked)))
    for name in NAMES:
        for i in range(len(TABLE)):
            for j in range(len(masked)):
                found[i, j] += cell_distance(space, masked, name, i, j)
    return found


def cell_distance(space, masked, name, i, j):
    if TABLE.attribute(name).is_categorical:
        column = next(c for c in space.categories if c.attribute.name == name)
        cells = column.cells(masked)
        return column.distances[TABLE[name][i], cells.leaves[cells.codes[j]]].min()
    column = next(c for c in space.numbers if c.name == name)
    low, high = (end[j] for end in column.ends(masked))
    value = TABLE[name][i]
    if np.isnan(value) or np.isnan(low):
        return float(np.isnan(value) != np.isnan(low))
    return (max(low - value, value - high, 0.0) / column.deviation) ** 2


@pytest.mark.parametrize("make", [perturbed, generalized])
def test_distances_are_sums_over_cells(make):
    masked = make(TABLE, NAMES)
    space = Space.of(TABLE, NAMES)
    released = space.masked(masked)
    terms = space.terms(released, from_originals=True)
    found = distances(space.originals, released.rows, terms) / space.unit
    assert found == pytest.approx(slow(masked))


def test_smallest_are_all_equal_ones():
    found = smallest(np.array([[2.0, 1.0, 1.0], [0.0, 3.0, 0.0]]))
    assert found.tolist() == [[False, True, True], [True, False, True]]


def test_smallest_among_some():
    among = np.array([[True, False, True]])
    assert smallest(np.array([[2.0, 1.0, 3.0]]), among).tolist() == [[True, False, False]]


def test_people_in_parts_are_all_people(monkeypatch):
    monkeypatch.setattr("evomask.measures.attacks.attack.BLOCK_CELLS", 20)
    parts = [part.tolist() for part in target_blocks(np.arange(5), 10)]
    assert parts == [[0, 1], [2, 3], [4]]


@pytest.mark.parametrize(("count", "people"), [(0, 20), (3, 20), (150, 300), (20, 20)])
def test_intervals_of_shares_are_wilson_s(count, people):
    expected = proportion_confint(count, people, method="wilson")
    found = wilson_interval(100 * count / people, people)
    assert found == pytest.approx([100 * end for end in expected], abs=0.01)


@pytest.mark.parametrize("counts", [(30, 100, 10, 80), (0, 50, 0, 40), (5, 300, 9, 200)])
def test_intervals_of_gains_are_newcombe_s(counts):
    success, targets, control, others = counts
    expected = confint_proportions_2indep(*counts, method="newcomb", compare="diff")
    found = gain_interval(100 * success / targets, targets, 100 * control / others, others)
    assert found == pytest.approx([100 * end for end in expected], abs=0.01)


def test_a_gain_beyond_a_fixed_guess_has_the_interval_of_the_success():
    low, high = wilson_interval(40.0, 200)
    assert gain_interval(40.0, 200, 15.0, 0) == (low - 15.0, high - 15.0)
