"""The nodes of a lattice as a figure, with the front drawn among them."""

import numpy as np

from evomask.data.chart import Axis, Chart, Series
from evomask.kernels.arrays import Points
from evomask.searches.generalization.comparison import minimal
from evomask.searches.generalization.reader import Objectives

MOST_NODES = 4_000
"""Nodes drawn behind the front; of more, every so many."""


def lattice_chart(
    name: str, title: str, objectives: Objectives, nodes: Points, front: Points | None = None
) -> Chart:
    """Nodes by their last objective and their first, and those that no other dominates.

    Args:
        nodes: natural values, a row per node.
        front: the rows to draw as the front; by default those of *nodes*.
    """
    if front is None:
        front = nodes[minimal(objectives.fitness(nodes))]
    first, last = objectives.indices[0], objectives.indices[-1]
    ordered = front[np.argsort(front[:, -1], kind="stable")]
    shown = nodes[:: max(1, len(nodes) // MOST_NODES)]
    return Chart(
        name,
        title,
        f"{len(front)} of {len(nodes)} nodes are not dominated: none of them has a better "
        f"{first.name} without a worse value elsewhere.",
        Axis(last.name),
        Axis(first.name, logarithmic=bool((nodes[:, 0] > 0).all())),
        (_points("nodes", shown), _points("front", ordered)),
    )


def _points(name: str, values: Points) -> Series:
    x, y = (tuple(float(v) for v in values[:, c]) for c in (-1, 0))
    return Series(name, "points", x, y)
