"""Groups of records that change one record at a time: their sums, and what a change costs.

With m records of sum S in a group, the sum of squares is that of the records' own squared
lengths less |S|² / m summed over the groups; so a change needs the groups it touches, O(d) each.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evomask.arrays import Floats, Indices, Labels, Points
from evomask.kernels.compiler import inner

LANES = 4
"""Numbers added up side by side: sums in a fixed order that the processor can do at once."""


class Groups(NamedTuple):
    """A partition being annealed.

    Args:
        members: a row a group; the first ``sizes`` of a row are records.
        places: where each record stands in its group's row.
        squares: |S|² of each group's sum S.
        spare: numbers of empty groups, the first ``free[0]`` of them valid.
    """

    labels: Labels
    sizes: Indices
    members: NDArray[np.int32]
    places: Indices
    sums: Points
    squares: Floats
    spare: Indices
    free: Indices


def padded(points: Points) -> Points:
    """The points about their mean, with columns of zeros up to a whole number of lanes."""
    n, d = points.shape
    wide = np.zeros((n, max(LANES, -(-d // LANES) * LANES)))
    wide[:, :d] = points - points.mean(axis=0)
    return wide


@inner
def dot(a: Floats, b: Floats) -> float:
    """The product of two rows of whole lanes."""
    s0 = s1 = s2 = s3 = 0.0
    for j in range(0, a.size, LANES):
        s0 += a[j] * b[j]
        s1 += a[j + 1] * b[j + 1]
        s2 += a[j + 2] * b[j + 2]
        s3 += a[j + 3] * b[j + 3]
    return (s0 + s1) + (s2 + s3)


@inner
def _squared_after(total: Floats, minus: Floats, plus: Floats) -> float:
    """|S - minus + plus|²."""
    s0 = s1 = s2 = s3 = 0.0
    for j in range(0, total.size, LANES):
        a = total[j] - minus[j] + plus[j]
        b = total[j + 1] - minus[j + 1] + plus[j + 1]
        c = total[j + 2] - minus[j + 2] + plus[j + 2]
        e = total[j + 3] - minus[j + 3] + plus[j + 3]
        s0 += a * a
        s1 += b * b
        s2 += c * c
        s3 += e * e
    return (s0 + s1) + (s2 + s3)


@inner
def grouped(points: Points, labels: Labels, k: int) -> Groups:
    """The partition that labels say, with room for as many groups of k as there can be."""
    n, d = points.shape
    most = n // k + 1
    count = max(most, labels.max() + 1)
    sizes = np.zeros(count, dtype=np.int64)
    for i in range(n):
        sizes[labels[i]] += 1
    width = max(2 * k, sizes.max() + 1)
    groups = Groups(
        labels.copy(),
        np.zeros(count, dtype=np.int64),
        np.zeros((count, width), dtype=np.int32),
        np.zeros(n, dtype=np.int64),
        np.zeros((count, d)),
        np.zeros(count),
        np.zeros(count, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )
    for i in range(n):
        g = labels[i]
        groups.members[g, groups.sizes[g]] = i
        groups.places[i] = groups.sizes[g]
        groups.sizes[g] += 1
        for j in range(d):
            groups.sums[g, j] += points[i, j]
    for g in range(count - 1, -1, -1):
        groups.squares[g] = dot(groups.sums[g], groups.sums[g])
        if sizes[g] == 0:
            groups.spare[groups.free[0]] = g
            groups.free[0] += 1
    return groups


@inner
def move(points: Points, groups: Groups, x: int, target: int) -> None:
    """Put a record into another group."""
    source = groups.labels[x]
    last = groups.sizes[source] - 1
    hole = groups.places[x]
    other = groups.members[source, last]
    groups.members[source, hole] = other
    groups.places[other] = hole
    groups.sizes[source] = last
    at = groups.sizes[target]
    groups.members[target, at] = x
    groups.places[x] = at
    groups.sizes[target] = at + 1
    groups.labels[x] = target
    gone, come, point = groups.sums[source], groups.sums[target], points[x]
    for j in range(point.size):
        gone[j] -= point[j]
        come[j] += point[j]
    groups.squares[source] = dot(gone, gone)
    groups.squares[target] = dot(come, come)


@inner
def share(groups: Groups, g: int) -> float:
    """|S|² / m of a group, 0 for an empty one."""
    return groups.squares[g] / groups.sizes[g] if groups.sizes[g] > 0 else 0.0


@inner
def passing(points: Points, groups: Groups, g: int, gone: int, come: int) -> float:
    """Change in the sum of squares when a group gives one record and takes another for it."""
    after = _squared_after(groups.sums[g], points[gone], points[come])
    return (groups.squares[g] - after) / groups.sizes[g]


@inner
def joining(points: Points, lengths: Floats, groups: Groups, x: int, g: int) -> float:
    """Change in the sum of squares when a record without a group joins one; its length aside."""
    m = groups.sizes[g]
    after = groups.squares[g] + 2.0 * dot(groups.sums[g], points[x]) + lengths[x]
    return groups.squares[g] / m - after / (m + 1)


@inner
def leaving(points: Points, lengths: Floats, groups: Groups, x: int) -> float:
    """Change in the sum of squares when a record leaves its group; its length aside."""
    g = groups.labels[x]
    m = groups.sizes[g]
    after = groups.squares[g] - 2.0 * dot(groups.sums[g], points[x]) + lengths[x]
    return groups.squares[g] / m - (after / (m - 1) if m > 1 else 0.0)
