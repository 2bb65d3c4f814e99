"""How far forecasts put unread nodes past those that were read."""

import numpy as np

from evomask.arrays import Floats, Indices, Points
from evomask.kernels.compiler import INDEX_ROWS, POINTS, kernel
from evomask.kernels.lattice.classes import Rows


def margins(front: Points, expected: Points) -> Floats:
    """How far each expected point is past the front, smaller being better.

    For one point of the front it is the most that any objective is better by; the least over
    the front counts. Positive exactly where no point of the front is as good everywhere.
    """
    return _margins(np.ascontiguousarray(front), np.ascontiguousarray(expected))


def distances(nodes: Rows, front: Rows) -> Indices:
    """Steps from each node to the nearest of the front."""
    return _distances(np.ascontiguousarray(nodes), np.ascontiguousarray(front))


@kernel(POINTS, POINTS)
def _margins(front: Points, expected: Points) -> Floats:
    least = np.full(len(expected), np.inf)
    for j in range(len(expected)):
        for i in range(len(front)):
            most = -np.inf
            for c in range(front.shape[1]):
                most = max(most, front[i, c] - expected[j, c])
            least[j] = min(least[j], most)
    return least


@kernel(INDEX_ROWS, INDEX_ROWS)
def _distances(nodes: Rows, front: Rows) -> Indices:
    least = np.full(len(nodes), np.iinfo(np.int64).max)
    for j in range(len(nodes)):
        for i in range(len(front)):
            steps = 0
            for a in range(front.shape[1]):
                steps += abs(nodes[j, a] - front[i, a])
            least[j] = min(least[j], steps)
    return least
