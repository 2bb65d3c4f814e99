"""Who dominates whom when several numbers are minimised at once."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]


def dominates(a: Sequence[float], b: Sequence[float]) -> bool:
    """Whether *a* is nowhere larger than *b* and somewhere smaller."""
    return all(x <= y for x, y in zip(a, b, strict=True)) and tuple(a) != tuple(b)


def dominators(points: Points, point: Points) -> NDArray[np.bool_]:
    """Which of *points* dominate *point*."""
    return np.logical_and((points <= point).all(axis=1), (points < point).any(axis=1))


def non_dominated_ranks(points: Points) -> NDArray[np.intp]:
    """The front each point belongs to: 0 if nothing dominates it, and so on inwards.

    In lexicographic order only earlier points can dominate a later one, and the fronts that
    dominate it come first, so its front is found by bisection (Zhang et al., 2015).
    Memory is O(n); time O(n² m) at worst, usually far less.
    """
    ranks = np.empty(len(points), dtype=np.intp)
    fronts: list[list[int]] = []
    for place in np.lexsort(points.T[::-1]):
        low, high = 0, len(fronts)
        while low < high:
            middle = (low + high) // 2
            # the newest individuals of a front lie closest, so they come first in the search
            if dominators(points[fronts[middle]], points[place]).any():
                low = middle + 1
            else:
                high = middle
        if low == len(fronts):
            fronts.append([])
        fronts[low].append(int(place))
        ranks[place] = low
    return ranks


def dominated_strength(points: Points) -> NDArray[np.int64]:
    """For each point, the numbers of points its dominators dominate, added up.

    0 for a non-dominated point: the fitness of SPEA2 as PBG-EA uses it. O(n²) time and memory.
    """
    over = (points[:, None, :] <= points[None, :, :]).all(axis=2)
    over &= (points[:, None, :] < points[None, :, :]).any(axis=2)
    strength: NDArray[np.int64] = over.sum(axis=1) @ over.astype(np.int64)
    return strength


def hypervolume(points: Points, reference: Sequence[float]) -> float:
    """The volume that *points* dominate below *reference*; any number of objectives, few points.

    Points that do not lie below the reference count nothing. By slices along the last objective.
    """
    limit = np.asarray(reference, dtype=np.float64)
    inside = points[(points < limit).all(axis=1)]
    return _volume(inside, limit) if len(inside) else 0.0


def _volume(points: Points, limit: Points) -> float:
    if len(limit) == 1:
        return float(limit[0] - points[:, 0].min())
    ordered = points[np.argsort(points[:, -1], kind="stable")]
    if len(limit) == 2:
        reached = limit[0] - np.minimum.accumulate(ordered[:, 0])
        return float(reached @ np.diff(np.append(ordered[:, 1], limit[1])))
    heights = np.diff(np.append(ordered[:, -1], limit[-1]))
    return sum(
        float(height) * _volume(ordered[: i + 1, :-1], limit[:-1])
        for i, height in enumerate(heights)
        if height > 0
    )
