"""Records cut into regions, within which they are grouped: a large file as many small ones.

What takes n records times n then takes n times the size of a region. Every region holds k or
more records, so groups of k within regions are groups of k in the file; what is lost is that
no group reaches over a border.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.arrays import Codes, Floats, Indices, Labels, Points

Keys = NDArray[Any]
"""Where records lie along an attribute, as numbers of any type."""

WHOLE = 20_000
"""Up to so many records a file is never cut."""

PAIRS_AT_ONCE = 100_000_000
"""Nor is one of mixed kinds for which n squared over k is no more: half a second, about."""

LEAST, GROUPS = 2_000, 400
"""A region of mixed kinds holds so many records, or so many groups."""

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
        return Coded(
            self.numbers[records], self.codes[records], self.squares, self.ordered, self.domains
        )


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


def grouped_mixed(coded: Coded, k: int) -> Labels:
    """MDAV of mixed kinds: of the whole file where that is quick, else of regions."""
    if not coded.codes.shape[1]:
        return grouped_numbers(coded.numbers, k)
    if len(coded) <= WHOLE or len(coded) ** 2 <= PAIRS_AT_ONCE * k:
        return _mixed_mdav(coded, k)
    regions = mixed_regions(coded, largest_region(k))
    return grouped_apart(regions, len(coded), lambda region: _mixed_mdav(coded.take(region), k))


def _mixed_mdav(coded: Coded, k: int) -> Labels:
    from evomask.kernels.groups.mixed_mdav import mixed_mdav

    return mixed_mdav(coded.numbers, coded.codes, coded.squares, coded.ordered, coded.domains, k)


def number_regions(points: Points, most: int) -> list[Indices]:
    """Halves of halves across the side in which they vary most, none of more than *most*."""

    def halves(region: Indices) -> tuple[Indices, Indices]:
        along = points[region, np.argmax(points[region].var(axis=0))]
        return _parted(region, along, len(region) // 2)

    return _cut_apart(len(points), most, halves)


def mixed_regions(coded: Coded, most: int) -> list[Indices]:
    """Cut across the attribute that varies most, nominal ones first, none of more than *most*."""

    def halves(region: Indices) -> tuple[Indices, Indices]:
        keys = _widest(coded, region)
        return _parted(region, keys, _middle(np.sort(keys)))

    return _cut_apart(len(coded), most, halves)


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
    order = np.argsort(keys, kind="stable")
    return region[np.sort(order[:cut])], region[np.sort(order[cut:])]


def _widest(coded: Coded, region: Indices) -> Keys:
    """Where the records lie along the attribute that varies most among them.

    Categories without an order lie by how many records have them, so that frequent ones stay
    whole.
    """
    n_numbers = coded.numbers.shape[1]
    widths = list(coded.numbers[region].var(axis=0))
    counts = [
        np.bincount(column[region], minlength=coded.squares.shape[1]) for column in coded.codes.T
    ]
    for squares, count, ordered in zip(coded.squares, counts, coded.ordered, strict=True):
        shares = count / len(region)
        widths.append(shares @ squares @ shares / 2 * (1.0 if ordered else NOMINAL_FIRST))
    axis = int(np.argmax(widths)) - n_numbers
    if axis < 0:
        return np.asarray(coded.numbers[region, axis + n_numbers])
    places = np.arange(len(counts[axis]), dtype=np.min_scalar_type(len(counts[axis])))
    if not coded.ordered[axis]:
        places[np.argsort(-counts[axis], kind="stable")] = places.copy()
    return np.asarray(places[coded.codes[region, axis]])


def _middle(keys: Keys) -> int:
    """The middle of sorted keys, or an end of its run of equal ones where that is near."""
    half = len(keys) // 2
    low = int(np.searchsorted(keys, keys[half], "left"))
    high = int(np.searchsorted(keys, keys[half], "right"))
    cut = low if half - low <= high - half else high
    return cut if min(cut, len(keys) - cut) >= len(keys) // 10 else half
