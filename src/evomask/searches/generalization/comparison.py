"""How well a search did against the exact front: the two measures of the PBG-EA paper."""

from collections.abc import Sequence

import numpy as np

from evomask.arrays import Indices, Points


def minimal(fitness: Points) -> Indices:
    """Places of the points that no other dominates, smaller being better; one of equals.

    In lexicographic order a point can only be dominated by an earlier one.
    """
    kept: list[int] = []
    front = np.empty((0, fitness.shape[1]))
    for place in np.lexsort(fitness.T[::-1]):
        if not (front <= fitness[place]).all(axis=1).any():
            kept.append(int(place))
            front = fitness[kept]
    return np.array(kept, dtype=np.int64)


def boxes_of(fitness: Points, sides: Sequence[float]) -> Points:
    """The box of each point, as a boxed archive places it."""
    boxes: Points = np.floor(fitness / np.asarray(sides, dtype=np.float64))
    return boxes


def convergence_error(front: Points, exact: Points) -> float:
    """CE: distances of found points to their nearest exact one, added.

    Both are natural values; each objective is divided by its largest exact value. The paper's
    formula is this sum, and its numbers fit the mean over found points.
    """
    scale = np.abs(exact).max(axis=0)
    scale[scale == 0] = 1.0
    apart = (front[:, None, :] - exact[None, :, :]) / scale
    return float(np.sqrt((apart**2).sum(axis=2)).min(axis=1).sum())


def representation_ratio(front: Points, exact: Points, sides: Sequence[float]) -> float:
    """RR: the share of the exact front's non-dominated boxes that a found point lies in."""
    wanted = boxes_of(exact, sides)
    wanted = wanted[minimal(wanted)]
    reached = {tuple(box) for box in boxes_of(front, sides).tolist()}
    return float(np.mean([tuple(box) in reached for box in wanted.tolist()]))
