"""Records cut into regions, within which they are grouped: a large file as many small ones.

What takes n records times n then takes n times the size of a region. Every region holds k or
more records, so groups of k within regions are groups of k in the file; what is lost is that
no group reaches over a border.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.arrays import Codes, Flags, Floats, Indices, Labels, Points
from evomask.data.classes import Classes, classes_of_columns
from evomask.data.partition import canonical

Keys = NDArray[Any]
"""Where records lie along an attribute, as numbers of any type."""

WHOLE = 20_000
"""Up to so many records a file is never cut."""

PAIRS_AT_ONCE = 100_000_000
"""Nor is one of mixed kinds for which n squared over k is no more: half a second, about."""

LEAST, GROUPS = 2_000, 400
"""A region of mixed kinds holds so many records, or so many groups."""

OFTEN = 20
"""Where rows of categories occur so often on average, those that are alike are a group."""

FEW_NUMBERS, MOST = 4, 1_200_000
"""With so few numbers a tree finds the nearest soon, even among so many records."""

LEAST_NUMBERS, PAIRS = 5_000, 130_000
"""A region of numbers alone has so many records, or this times k over the number of numbers."""

NOMINAL_FIRST = 16.0
"""How much more a nominal attribute counts when a cut is chosen: groups rarely reach over one."""


@dataclass(frozen=True, eq=False)
class Coded:
    """Records as microaggregation compares them.

    Args:
        numbers: standardised, a row a record.
        codes: categories, a row a record.
        squares: squared distance of every two categories, by column of *codes*.
        ordered: 1 for each column of *codes* that has an order, else 0.
        domains: number of categories of each column that are not missing.
    """

    numbers: Points
    codes: Codes
    squares: Floats
    ordered: Indices
    domains: Indices

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, records: Indices) -> "Coded":
        """The same for some of the records."""
        numbers, codes = self.numbers.take(records, axis=0), self.codes.take(records, axis=0)
        return Coded(numbers, codes, self.squares, self.ordered, self.domains)


def largest_region(k: int) -> int:
    """Most records of a region of mixed kinds."""
    return max(LEAST, GROUPS * k)


def largest_number_region(k: int, n_numbers: int) -> int:
    """Most records of a region of numbers alone, so that a record takes about 25 microseconds."""
    return MOST if n_numbers <= FEW_NUMBERS else max(LEAST_NUMBERS, PAIRS * k // n_numbers)


def grouped_apart(
    regions: Iterable[Indices], n_records: int, grouped: Callable[[Indices], Labels]
) -> Labels:
    """The groups that are made within each region, numbered region after region."""
    labels = np.empty(n_records, dtype=np.int64)
    count = 0
    for region in regions:
        own = grouped(region)
        labels[region] = own + count
        count += int(own.max()) + 1
    return labels


def grouped_numbers(points: Points, k: int, *, classic: bool = False) -> Labels:
    """MDAV of numbers: of the whole file where that is quick, else of regions.

    A single number of a large file is cut along its line, which is best (Hansen and Mukherjee,
    2003) and does not mind how many records are alike.
    """
    from evomask.kernels.groups.mdav import mdav

    if len(points) > WHOLE and points.shape[1] == 1:
        return _along_line(points, k)
    most = largest_number_region(k, points.shape[1])
    if len(points) <= max(WHOLE, most):
        return mdav(points, k, classic=classic)
    return grouped_apart(
        number_regions(points, most),
        len(points),
        lambda region: mdav(points[region], k, classic=classic),
    )


def _along_line(points: Points, k: int) -> Labels:
    from evomask.kernels.groups.splits import split_order

    return split_order(points, np.argsort(points[:, 0], kind="stable"), k)


def grouped_mixed(coded: Coded, k: int, share: float = 1.0) -> Labels:
    """MDAV of mixed kinds: of the whole file where that is quick, else of regions.

    Args:
        share: of the file that the records are, where they are a sample of it: a sample is cut
            where its file would be.
    """
    if not coded.codes.shape[1]:
        return grouped_numbers(coded.numbers, k)
    records = len(coded) / share
    if records <= WHOLE or records**2 <= PAIRS_AT_ONCE * k:
        return _mixed_mdav(coded, k)
    if not coded.numbers.shape[1]:
        classes = classes_of_columns(list(coded.codes.T), len(coded))
        if len(classes) * OFTEN <= len(coded):
            return _grouped_classes(coded, classes, k)
    return _by_regions(coded, k)


def _by_regions(coded: Coded, k: int) -> Labels:
    labels = np.empty(len(coded), dtype=np.int64)
    count = 0
    for region, own in _mixed_parts(coded, largest_region(k)):
        groups = _mixed_mdav(own, k)
        labels[region] = groups + count
        count += int(groups.max()) + 1
    return labels


def _grouped_classes(coded: Coded, classes: Classes, k: int) -> Labels:
    """Records that are alike are a group, if they are k or more; MDAV groups the others."""
    short = classes.sizes < k
    if 0 < classes.sizes[short].sum() < k:
        short[np.argmin(np.where(short, len(coded), classes.sizes))] = True
    rest = np.flatnonzero(short[classes.labels])
    labels = classes.labels.copy()
    if len(rest):
        labels[rest] = len(classes) + _by_regions(coded.take(rest), k)
    return canonical(labels)


def _mixed_mdav(coded: Coded, k: int) -> Labels:
    from evomask.kernels.groups.mixed_mdav import mixed_mdav

    return mixed_mdav(coded.numbers, coded.codes, coded.squares, coded.ordered, coded.domains, k)


def number_regions(points: Points, most: int) -> list[Indices]:
    """Halves of halves across the side in which they vary most, none of more than *most*."""

    def halves(region: Indices) -> tuple[Indices, Indices]:
        widths = [_variance(points[region, axis]) for axis in range(points.shape[1])]
        along = points[region, np.argmax(widths)]
        return _parted(region, along, len(region) // 2)

    return _cut_apart(len(points), most, halves)


def mixed_regions(coded: Coded, most: int) -> list[Indices]:
    """Cut across the attribute that varies most, nominal ones first, none of more than *most*."""
    return [region for region, _ in _mixed_parts(coded, most)]


def _mixed_parts(coded: Coded, most: int) -> Iterator[tuple[Indices, Coded]]:
    """The same regions with their records, which are parted with them: they lie close together."""
    waiting = [(np.arange(len(coded)), coded)]
    while waiting:
        region, own = waiting.pop()
        if len(region) <= most:
            yield region, own
            continue
        keys = _widest(own)
        lower = _lowest(keys, _middle(keys))
        parts = np.flatnonzero(lower), np.flatnonzero(~lower)
        waiting += [(region[part], own.take(part)) for part in parts]


def _cut_apart(
    n_records: int, most: int, halves: Callable[[Indices], tuple[Indices, Indices]]
) -> list[Indices]:
    waiting, done = [np.arange(n_records)], []
    while waiting:
        region = waiting.pop()
        if len(region) <= most:
            done.append(region)
        else:
            waiting += halves(region)
    return done


def _parted(region: Indices, keys: Keys, cut: int) -> tuple[Indices, Indices]:
    """The records with the *cut* lowest keys and the others, each in their order."""
    lower = _lowest(keys, cut)
    return region[lower], region[~lower]


def _lowest(keys: Keys, cut: int) -> Flags:
    """Which keys are the *cut* lowest; of equal ones the first count as lower."""
    value = np.partition(keys, cut)[cut]
    lower: Flags = keys < value
    equal = np.flatnonzero(keys == value)
    lower[equal[: cut - np.count_nonzero(lower)]] = True
    return lower


def _widest(coded: Coded) -> Keys:
    """Where records lie along the attribute that varies most among them.

    Categories without an order lie by how many records have them, so that frequent ones stay
    whole.
    """
    n_numbers = coded.numbers.shape[1]
    widths = [_variance(column) for column in coded.numbers.T]
    counts = [np.bincount(column, minlength=coded.squares.shape[1]) for column in coded.codes.T]
    for squares, count, ordered in zip(coded.squares, counts, coded.ordered, strict=True):
        shares = count / len(coded)
        widths.append(shares @ squares @ shares / 2 * (1.0 if ordered else NOMINAL_FIRST))
    axis = int(np.argmax(widths)) - n_numbers
    if axis < 0:
        return coded.numbers[:, axis + n_numbers]
    places = np.arange(len(counts[axis]), dtype=np.min_scalar_type(len(counts[axis])))
    if not coded.ordered[axis]:
        places[np.argsort(-counts[axis], kind="stable")] = places.copy()
    return np.asarray(places[coded.codes[:, axis]])


def _variance(column: Floats) -> float:
    """The variance, added up one by one: quicker than along an axis, and the same to the bit."""
    mean = np.cumsum(column)[-1] / len(column)
    return float(np.cumsum((column - mean) ** 2)[-1] / len(column))


def _middle(keys: Keys) -> int:
    """How many keys are below the middle one, or up to it, where one of that is near the half."""
    half = len(keys) // 2
    value = np.partition(keys, half)[half]
    low, high = int(np.count_nonzero(keys < value)), int(np.count_nonzero(keys <= value))
    cut = low if half - low <= high - half else high
    return cut if min(cut, len(keys) - cut) >= len(keys) // 10 else half
