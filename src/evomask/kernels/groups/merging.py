"""Merging of equivalence classes until each satisfies k-anonymity, l-diversity and t-closeness."""

from typing import NamedTuple

import numpy as np

from evomask.kernels.compiler.arrays import argsort, fill, full_ints
from evomask.kernels.jit import FLOAT64, INDEX_ROWS, INDICES, INT64, POINTS, inner, kernel
from evomask.types import Floats, Indices, Labels, Points

_ROUNDING = 1e-12

MOST_TOGETHER = 1_500
"""Maximum number of classes of a region whose distances are all compared."""


class FileDistribution(NamedTuple):
    """Distributions of the confidential attributes in the whole file.

    Args:
        sizes: number of values of each attribute.
        shares: relative frequencies of the values, one row an attribute.
    """

    sizes: Indices
    shares: Points


class Requirement(NamedTuple):
    """Requirements on classes inside kernels; see `merge_classes`."""

    confidential: Indices
    sizes: Indices
    shares: Points
    ordered: Indices
    k: int
    diversity: int
    closeness: float


class ClassLists(NamedTuple):
    """Records of each class as linked lists.

    Args:
        members: number of records of each class.
        heads, tails: first and last record of each class.
        following: next record in the class of each record, or -1.
        target: class that each class was merged into, or itself.
    """

    members: Indices
    heads: Indices
    tails: Indices
    following: Indices
    target: Indices


def file_distribution(confidential: Indices) -> FileDistribution:
    """Return the distributions of confidential attributes, given as codes, one row an attribute."""
    counts = [np.bincount(row) for row in confidential]
    sizes = np.array([len(row) for row in counts], dtype=np.int64)
    shares = np.zeros((len(counts), max(sizes, default=1)))
    for row, own in zip(shares, counts, strict=True):
        row[: len(own)] = own / own.sum()
    return FileDistribution(sizes, shares)


def merge_classes(
    points: Points,
    labels: Labels,
    confidential: Indices,
    ordered: Indices,
    k: int,
    diversity: int,
    closeness: float,
    whole: FileDistribution | None = None,
) -> Labels:
    """Return the new class of each class, after each insufficient one was merged with its nearest.

    *points* are the positions of the classes, *labels* the class of each record; a row of
    *confidential* has one confidential attribute as codes without gaps. A class needs k records,
    and in each confidential attribute *diversity* distinct values and a distribution within
    *closeness* of the whole file's: by the earth mover's distance over ranks where ``ordered`` is
    1, else by half the sum of absolute differences.

    Small classes are merged first; a merged class lies at its records' mean and comes last. The
    lowest index wins a tie. The result is insufficient only if a single class is left. Many classes
    are merged region by region, then those still insufficient among all. Cost is O(c d) time for c
    classes, and O(c² d) within a region.

    *whole* has the distributions of the file where the given records are a part of it.
    """
    file = file_distribution(confidential) if whole is None else whole
    widest_first = np.argsort(-points.var(axis=0), kind="stable")
    ordered_points = np.ascontiguousarray(points[:, widest_first], dtype=np.float64)
    return _merge_classes(
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
    """Classes by region, ascending within each, and the bounds of the regions.

    A region with too many classes is cut at its mean, along the axis of largest variance.
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
    """Frequencies of the values in the class whose linked list starts at *head*."""
    fill(counts[:size], 0)
    record = head
    while record >= 0:
        counts[values[record]] += 1
        record = following[record]


@inner
def _distance(counts: Indices, of_class: int, shares: Floats, size: int, ordered: int) -> float:
    """Distance of a class's distribution from the whole file's, in [0, 1]."""
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
    head: int, following: Indices, of_class: int, required: Requirement, counts: Indices
) -> bool:
    k, diversity, closeness = required.k, required.diversity, required.closeness
    confidential, sizes = required.confidential, required.sizes
    shares, ordered = required.shares, required.ordered
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
    """The class nearest to *own*; sums that exceed the best are not completed.

    So attributes of large variance should come first.
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
def _linked_lists(labels: Labels, classes: int) -> ClassLists:
    members = np.zeros(classes, dtype=np.int64)
    heads = full_ints(classes, -1)
    tails = full_ints(classes, -1)
    following = full_ints(labels.size, -1)
    for i in range(labels.size - 1, -1, -1):
        c = labels[i]
        members[c] += 1
        following[i] = heads[c]
        if heads[c] < 0:
            tails[c] = i
        heads[c] = i
    return ClassLists(members, heads, tails, following, np.arange(classes))


@inner
def _merge(among: Indices, points: Points, lists: ClassLists, required: Requirement) -> None:
    """Merge the classes *among* each other, with a queue of those that may be insufficient."""
    members, heads, tails = lists.members, lists.heads, lists.tails
    following, target = lists.following, lists.target
    counts = np.empty(required.shares.shape[1], dtype=np.int64)
    alive = among.copy()
    places = np.empty(members.size, dtype=np.int64)
    waiting = np.zeros(members.size, dtype=np.bool_)
    for place in range(among.size):
        places[among[place]] = place
        waiting[among[place]] = True
    left = among.size
    queue = np.empty(2 * left, dtype=np.int64)
    order = argsort(members[among])
    for place in range(left):
        queue[place] = among[order[place]]
    first, last = 0, left
    while first < last and left > 1:
        own = queue[first]
        first += 1
        waiting[own] = False
        if target[own] != own or not _falls_short(
            heads[own], following, members[own], required, counts
        ):
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
    POINTS, INDICES, INDICES, INDICES, INDEX_ROWS, INDICES, POINTS, INDICES, INT64, INT64, FLOAT64
)  # fmt: skip
def _merge_classes(
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
    """Merge region by region, then the rest; long, as a kernel's state is its local arrays."""
    points = given.copy()
    classes = points.shape[0]
    required = Requirement(confidential, sizes, shares, ordered, k, diversity, closeness)
    lists = _linked_lists(labels, classes)
    target = lists.target
    for region in range(bounds.size - 1):
        among = by_region[bounds[region] : bounds[region + 1]]
        _merge(among, points, lists, required)
    if bounds.size > 2:
        among = np.flatnonzero(target == np.arange(classes))
        _merge(among, points, lists, required)
    for c in range(classes):
        end = c
        while target[end] != end:
            end = target[end]
        target[c] = end
    return target
