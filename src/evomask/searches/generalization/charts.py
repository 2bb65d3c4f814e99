"""The nodes of a lattice as a figure, with the front drawn among them."""

import numpy as np

from evomask.arrays import Points
from evomask.data.chart import Axis, Chart, Series
from evomask.searches.generalization.indices import Index
from evomask.searches.generalization.reader import AnyIndex, Objectives

MOST_NODES = 4_000
"""Nodes drawn behind the front; of more, every so many."""


def lattice_chart(
    name: str, title: str, objectives: Objectives, nodes: Points, front: Points
) -> Chart:
    """Nodes by their last objective and their first, those of the front among them.

    Args:
        nodes, front: natural values, a row per node.
    """
    first, last = objectives.indices[0], objectives.indices[-1]
    return Chart(
        name,
        title,
        f"{len(front)} of {len(nodes):,} nodes make up the front: none of them has a better "
        f"{first.name} without a worse value elsewhere.",
        Axis(_title(last)),
        Axis(_title(first), logarithmic=bool((nodes[:, 0] > 0).all())),
        (points("nodes", nodes[:: max(1, len(nodes) // MOST_NODES)]), points("front", front)),
    )


def points(name: str, values: Points) -> Series:
    """Nodes in the order of their last objective."""
    ordered = values[np.argsort(values[:, -1], kind="stable")]
    x, y = (tuple(float(v) for v in ordered[:, c]) for c in (-1, 0))
    return Series(name, "points", x, y)


def _title(index: AnyIndex) -> str:
    return f"{index.name}: {index.meaning}" if isinstance(index, Index) else index.name
