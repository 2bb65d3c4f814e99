"""Regions of alike records, cut by a sample: the same for every part of a large file.

A region is a box between quantiles; where it loses less on the sample, the outer records are a
region of their own first, because groups of distant records span boxes.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from evomask.arrays import Codes, Indices, Points
from evomask.data.partition import within_sum_of_squares
from evomask.masking.microaggregation.regions import grouped_numbers

SHARES = (0.0, 0.01, 0.03, 0.1)
"""Parts of the records that are tried as the outer shell."""

TRIED_REGIONS = 10
"""Regions into which the sample is cut to try a shell."""

AWAY = -1
"""The side of a cut by the distance to the middle."""


@dataclass(frozen=True)
class Cut:
    """Records up to a value on one side of it are below, the others above."""

    side: int
    value: float
    below: "Cut | int"
    above: "Cut | int"


Tree = Cut | int
"""Cuts down to the number of a region."""


def tree_of(sample: Points, regions: int, share: float = 0.0) -> Tree:
    """Cuts into about so many regions of equal size, the outer *share* apart from the others.

    The outer records of a vast file are several regions, too, so that time grows like the file.
    """
    numbers = iter(range(regions + 2))
    if not share:
        return _grown(sample, regions, numbers)
    away = (sample**2).sum(axis=1)
    limit = float(np.quantile(away, 1 - share, method="lower"))
    outer = max(1, round(regions * share))
    inside = _grown(sample[away <= limit], max(1, regions - outer), numbers)
    return Cut(AWAY, limit, inside, _grown(sample[away > limit], outer, numbers))


def _grown(points: Points, regions: int, numbers: Iterator[int]) -> Tree:
    """The side that varies most is cut where it shares out the regions evenly."""
    if regions > 1 and len(points) > 1:
        few = regions // 2
        for side in np.argsort(-points.var(axis=0), kind="stable"):
            column = points[:, side]
            value = np.quantile(column, few / regions, method="lower")
            below = column <= value
            if 0 < below.sum() < len(points):
                return Cut(
                    int(side),
                    float(value),
                    _grown(points[below], few, numbers),
                    _grown(points[~below], regions - few, numbers),
                )
    return next(numbers)


def region_of(points: Points, tree: Tree) -> Codes:
    """The region of each record."""
    found = np.empty(len(points), dtype=np.int32)

    def walk(node: Tree, members: Indices) -> None:
        if isinstance(node, int):
            found[members] = node
            return
        own = points[members]
        column = (own**2).sum(axis=1) if node.side == AWAY else own[:, node.side]
        is_below = column <= node.value
        walk(node.below, members[is_below])
        walk(node.above, members[~is_below])

    walk(tree, np.arange(len(points)))
    return found


def count_of(tree: Tree) -> int:
    """How many regions there are, numbered from 0."""
    return 1 + tree if isinstance(tree, int) else max(count_of(tree.below), count_of(tree.above))


def best_share(sample: Points, k: int) -> float:
    """The share of outer records with which regions lose least on the sample itself."""
    if len(sample) < TRIED_REGIONS * 4 * k:
        return 0.0
    losses = {share: _loss(sample, tree_of(sample, TRIED_REGIONS, share), k) for share in SHARES}
    return min(losses, key=lambda share: losses[share])


def _loss(sample: Points, tree: Tree, k: int) -> float:
    regions = region_of(sample, tree)
    own = [np.ascontiguousarray(sample[regions == number]) for number in np.unique(regions)]
    return sum(
        within_sum_of_squares(points, grouped_numbers(points, min(k, len(points))))
        for points in own
    )


def joined(counts: Indices, least: int) -> list[list[int]]:
    """Regions in their order, joined with the next where one has fewer than *least* records."""
    groups: list[list[int]] = [[]]
    for region, count in enumerate(counts.tolist()):
        if not count:
            continue
        if groups[-1] and sum(int(counts[r]) for r in groups[-1]) >= least:
            groups.append([])
        groups[-1].append(region)
    if len(groups) > 1 and sum(int(counts[r]) for r in groups[-1]) < least:
        groups[-2] += groups.pop()
    return groups
