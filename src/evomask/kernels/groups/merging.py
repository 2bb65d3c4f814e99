"""Merging of classes of records until each is large, diverse and typical enough."""

from typing import NamedTuple

import numpy as np

from evomask.arrays import Floats, Indices, Labels, Points
from evomask.kernels.compiler import INDEX_ROWS, INDICES, POINTS, REAL, WHOLE, inner, kernel
from evomask.kernels.filled import fill, wholes
from evomask.kernels.sorting import stable_order

_ROUNDING = 1e-12

MOST_TOGETHER = 1_500
"""Classes that are compared with one another; more are dealt into regions first."""


class Whole(NamedTuple):
    """Confidential attributes in a whole file."""

    sizes: Indices
    """How many values each has."""

    shares: Points
    """Share of the records that hold each value, a row an attribute."""


def whole_file(confidential: Indices) -> Whole:
    """Number of values of each confidential attribute, and their shares in the file."""
    counts = [np.bincount(row) for row in confidential]
    sizes = np.array([len(row) for row in counts], dtype=np.int64)
    shares = np.zeros((len(counts), max(sizes, default=1)))
    for row, own in zip(shares, counts, strict=True):
        row[: len(own)] = own / own.sum()
    return Whole(sizes, shares)


def merged_classes(
    points: Points,
    labels: Labels,
    confidential: Indices,
    ordered: Indices,
    k: int,
    diversity: int,
    closeness: float,
    whole: Whole | None = None,
) -> Labels:
    """New class of each old one; every class that asks for it is merged with its nearest.

    *points* places the classes, *labels* names each record's class, a row of *confidential*
    holds one confidential attribute as codes without gaps. A class needs k records, and in
    each such attribute *diversity* distinct values and a distribution within *closeness* of
    the whole file's: the earth mover's distance over ranks where ``ordered`` is 1, else
    half the sum of absolute differences.

    Small classes come first; a merged class lies at its records' mean and comes last. Ties:
    the lowest index. The result may fall short only where a single class is left. Many
    classes are merged region by region, and those that still fall short among all. Cost is
    O(c d) time for c classes, and O(c² d) within a region.

    *whole* tells the distributions of the file where the records given are a part of it.
    """
    file = whole_file(confidential) if whole is None else whole
    widest_first = np.argsort(-points.var(axis=0), kind="stable")
    ordered_points = np.ascontiguousarray(points[:, widest_first], dtype=np.float64)
    return _merged_classes(
        ordered_points,
        *_regions(ordered_points),
        np.ascontiguousarray(labels, dtype=np.int64),
        np.ascontiguousarray(confidential, dtype=np.int64),
        file.sizes,
        file.shares,
        np.ascontiguousarray(ordered, dtype=np.int64),
        k,
        diversity,
        closeness,
    )


def _regions(points: Points) -> tuple[Indices, Indices]:
    """Classes by region, lowest first within each, and where each region begins and ends.

    A region of too many is cut at its mean, along the direction in which it is widest.
    """
    whole = [np.arange(len(points))]
    done: list[Indices] = []
    while whole:
        region = whole.pop()
        inside = points[region]
        widths = inside.var(axis=0)
        if len(region) <= MOST_TOGETHER or not widths.any():
            done.append(region)
            continue
        along = inside[:, np.argmax(widths)]
        above = along > along.mean()
        whole += [region[above], region[~above]]
    return np.concatenate(done), np.cumsum([0, *map(len, done)])


@inner
def _counts(values: Indices, size: int, head: int, following: Indices, counts: Indices) -> None:
    """How often each of *size* values occurs in the class whose records start at *head*."""
    fill(counts[:size], 0)
    record = head
    while record >= 0:
        counts[values[record]] += 1
        record = following[record]


@inner
def _distance(counts: Indices, of_class: int, shares: Floats, size: int, ordered: int) -> float:
    """How far the class's distribution is from the whole file's, in [0, 1]."""
    total = 0.0
    running = 0.0
    for value in range(size):
        apart = counts[value] / of_class - shares[value]
        running += apart
        total += abs(running) if ordered else abs(apart)
    if not ordered:
        return total / 2
    return total / (size - 1) if size > 1 else 0.0


@inner
def _falls_short(
    head: int,
    following: Indices,
    of_class: int,
    confidential: Indices,
    sizes: Indices,
    shares: Points,
    ordered: Indices,
    counts: Indices,
    k: int,
    diversity: int,
    closeness: float,
) -> bool:
    if of_class < k:
        return True
    if diversity <= 1 and closeness >= 1.0:
        return False
    for j in range(confidential.shape[0]):
        _counts(confidential[j], sizes[j], head, following, counts)
        if np.sum(counts[: sizes[j]] > 0) < diversity:
            return True
        if _distance(counts, of_class, shares[j], sizes[j], ordered[j]) > closeness + _ROUNDING:
            return True
    return False


@inner
def _nearest(points: Points, alive: Indices, left: int, own: int) -> int:
    """The class nearest to *own*; a sum that is already too large is not finished.

    So attributes that differ most should come first.
    """
    best = np.inf
    found = -1
    d = points.shape[1]
    for i in range(left):
        other = alive[i]
        if other == own:
            continue
        apart = 0.0
        for j in range(d):
            difference = points[own, j] - points[other, j]
            apart += difference * difference
            if apart > best:
                break
        if apart < best or (apart == best and other < found):
            best = apart
            found = other
    return found


@inner
def _linked(labels: Labels, classes: int) -> tuple[Indices, Indices, Indices, Indices]:
    """The records of each class as a linked list: how many, first, last, and who follows."""
    members = np.zeros(classes, dtype=np.int64)
    heads = wholes(classes, -1)
    tails = wholes(classes, -1)
    following = wholes(labels.size, -1)
    for i in range(labels.size - 1, -1, -1):
        c = labels[i]
        members[c] += 1
        following[i] = heads[c]
        if heads[c] < 0:
            tails[c] = i
        heads[c] = i
    return members, heads, tails, following


@inner
def _merge(
    among: Indices,
    points: Points,
    members: Indices,
    heads: Indices,
    tails: Indices,
    following: Indices,
    target: Indices,
    confidential: Indices,
    sizes: Indices,
    shares: Points,
    ordered: Indices,
    k: int,
    diversity: int,
    closeness: float,
) -> None:
    """Merge the classes *among* each other: a queue of those that may fall short."""
    counts = np.empty(shares.shape[1], dtype=np.int64)
    alive = among.copy()
    places = np.empty(members.size, dtype=np.int64)
    waiting = np.zeros(members.size, dtype=np.bool_)
    for place in range(among.size):
        places[among[place]] = place
        waiting[among[place]] = True
    left = among.size
    queue = np.empty(2 * left, dtype=np.int64)
    queue[:left] = among[stable_order(members[among])]
    first, last = 0, left
    while first < last and left > 1:
        own = queue[first]
        first += 1
        waiting[own] = False
        if target[own] != own or not _falls_short(
            heads[own], following, members[own], confidential, sizes, shares, ordered, counts,
            k, diversity, closeness,
        ):  # fmt: skip
            continue
        other = _nearest(points, alive, left, own)
        total = members[own] + members[other]
        for j in range(points.shape[1]):
            points[other, j] += (points[own, j] - points[other, j]) * (members[own] / total)
        members[other] = total
        following[tails[other]] = heads[own]
        tails[other] = tails[own]
        target[own] = other
        left -= 1
        alive[places[own]] = alive[left]
        places[alive[left]] = places[own]
        if not waiting[other]:
            waiting[other] = True
            queue[last] = other
            last += 1


@kernel(
    POINTS, INDICES, INDICES, INDICES, INDEX_ROWS, INDICES, POINTS, INDICES, WHOLE, WHOLE, REAL
)  # fmt: skip
def _merged_classes(
    given: Points,
    by_region: Indices,
    bounds: Indices,
    labels: Labels,
    confidential: Indices,
    sizes: Indices,
    shares: Points,
    ordered: Indices,
    k: int,
    diversity: int,
    closeness: float,
) -> Labels:
    """Region by region, then what is left; long, as a kernel's state is its local arrays."""
    points = given.copy()
    classes = points.shape[0]
    members, heads, tails, following = _linked(labels, classes)
    target = np.arange(classes)
    for region in range(bounds.size - 1):
        _merge(
            by_region[bounds[region] : bounds[region + 1]], points, members, heads, tails,
            following, target, confidential, sizes, shares, ordered, k, diversity, closeness,
        )  # fmt: skip
    if bounds.size > 2:
        _merge(
            np.flatnonzero(target == np.arange(classes)), points, members, heads, tails,
            following, target, confidential, sizes, shares, ordered, k, diversity, closeness,
        )  # fmt: skip
    for c in range(classes):
        end = c
        while target[end] != end:
            end = target[end]
        target[c] = end
    return target
