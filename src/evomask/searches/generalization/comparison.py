"""Comparison of a front with the exact front of the lattice: CE, RR (PBG-EA paper) and a chart."""

from collections.abc import Sequence

import numpy as np

from evomask.data.chart import Axis, Chart, Series
from evomask.searches.generalization.indices import Index
from evomask.searches.generalization.node_evaluator import AnyIndex, Objectives
from evomask.types import Indices, Points


def minimal(fitness: Points) -> Indices:
    """Return the positions of the non-dominated points (minimisation); one of equal points.

    In lexicographic order a point can only be dominated by an earlier one.
    """
    selected: list[int] = []
    front = np.empty((0, fitness.shape[1]))
    for place in np.lexsort(fitness.T[::-1]):
        if not (front <= fitness[place]).all(axis=1).any():
            selected.append(int(place))
            front = fitness[selected]
    return np.array(selected, dtype=np.int64)


def boxes_of(fitness: Points, sides: Sequence[float]) -> Points:
    """Return the box of each point, as in a boxed archive."""
    boxes: Points = np.floor(fitness / np.asarray(sides, dtype=np.float64))
    return boxes


def convergence_error(front: Points, exact: Points) -> float:
    """CE: sum of the distances of the points found to the nearest exact point.

    Both are natural values; each objective is divided by its largest exact value. The paper's
    formula is this sum, but its numbers fit the mean over the points found.
    """
    scale = np.abs(exact).max(axis=0)
    scale[scale == 0] = 1.0
    differences = (front[:, None, :] - exact[None, :, :]) / scale
    return float(np.sqrt((differences**2).sum(axis=2)).min(axis=1).sum())


def representation_ratio(front: Points, exact: Points, sides: Sequence[float]) -> float:
    """RR: share of the non-dominated boxes of the exact front that contain a point found."""
    exact_boxes = boxes_of(exact, sides)
    exact_boxes = exact_boxes[minimal(exact_boxes)]
    reached = {tuple(box) for box in boxes_of(front, sides).tolist()}
    return float(np.mean([tuple(box) in reached for box in exact_boxes.tolist()]))


MOST_NODES = 4_000
"""Largest number of nodes drawn behind the front; of more, every n-th."""


def lattice_chart(
    name: str, title: str, objectives: Objectives, nodes: Points, front: Points
) -> Chart:
    """Scatter chart of the nodes and the front, by their last and their first objective.

    Args:
        nodes, front: natural values, one row per node.
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
    """Return nodes as a series, in the order of their last objective."""
    ordered = values[np.argsort(values[:, -1], kind="stable")]
    x, y = (tuple(float(v) for v in ordered[:, c]) for c in (-1, 0))
    return Series(name, "points", x, y)


def _title(index: AnyIndex) -> str:
    return f"{index.name}: {index.meaning}" if isinstance(index, Index) else index.name
