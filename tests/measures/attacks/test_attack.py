"""Blockwise distances against a loop over pairs of cells."""

import numpy as np
import pytest

from evomask.measures.attacks.attack import distances, smallest, target_blocks
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
