"""Few cells where a suppressed cell matches only a suppressed cell: k-anonymity as audited.

A greedy cover of the distinct rows: each step takes the pattern of suppressed attributes that
brings most records at risk into classes of k for the fewest cells, where need be with records
lent by larger classes. Then classes whose records fit into others are given up.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf

import numpy as np

from evomask.arrays import Codes, Flags, Floats, Indices, Labels
from evomask.data.classes import classes_of_columns
from evomask.masking.suppression.closed import Closed, joined, suppressed_cells
from evomask.masking.suppression.keys import Keys
from evomask.masking.suppression.patterns import Pattern, patterns_by_size
from evomask.masking.suppression.sharing import share

_Turn = tuple[float, int, Pattern]
"""A pattern by the price of its best step, then by how many records that step closes."""


def category_cells(rows: Codes, k: int, costs: Floats | None = None) -> Flags:
    """Cells to suppress so that every released row is shared by k or more records.

    Args:
        costs: what a cell of each attribute is worth; all are worth the same by default.
    """
    classes = classes_of_columns(list(rows.T), len(rows))
    distinct = rows[classes.representatives]
    worth = np.ones(rows.shape[1]) if costs is None else costs
    cover = _Cover(Keys.of(distinct), classes.sizes, k)
    _close(cover, patterns_by_size(distinct, worth))
    share(cover.closed, cover.keys, classes.sizes, k)
    if len(cover.at_risk):
        joined(cover.closed, distinct, classes.sizes, cover.at_risk, worth)
    return suppressed_cells(cover.closed, classes, rows.shape)


@dataclass
class _Cover:
    """Distinct rows, and which of them are in classes of k so far.

    Args:
        at_risk: rows with fewer than k records that are in no class yet.
        spare: how many records each row can lend and still have k.
    """

    keys: Keys
    sizes: Indices
    k: int
    closed: list[Closed] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.at_risk = np.flatnonzero(self.sizes < self.k)
        self.lenders = np.flatnonzero(self.sizes > self.k)
        self.spare = self.sizes - self.k


def _close(cover: _Cover, sizes: Iterator[list[Pattern]]) -> None:
    """Take the cheapest step, of equals the one that closes most, then the first, again and again.

    The price of a pattern never falls, so it is asked again only when it leads the queue; a
    pattern costs at least its cells, so larger ones are not looked at before their turn.
    """
    queue: list[_Turn] = []
    coming = next(sizes, None)
    while len(cover.at_risk) and (queue or coming):
        while coming and (not queue or min(coming).cost <= queue[0][0]):
            for pattern in coming:
                heappush(queue, (pattern.cost, -len(cover.sizes), pattern))
            coming = next(sizes, None)
        pattern = heappop(queue)[2]
        step = _step(cover, pattern)
        turn = (step.price, -step.closes, pattern)
        if step.price < inf:
            if not queue or turn <= queue[0]:
                _take(cover, step)
            heappush(queue, turn)


@dataclass(frozen=True, eq=False)
class _Step:
    """The groups of one pattern that are closed together, at a price for each record at risk.

    Args:
        of_rows: group of each row at risk.
        chosen: which groups are closed.
        borrowed: how many records each group needs from others.
        lenders: rows that can lend, with *of_lenders* their groups.
    """

    pattern: Pattern
    price: float
    closes: int
    of_rows: Labels
    chosen: Flags
    borrowed: Indices
    lenders: Indices
    of_lenders: Labels


def _step(cover: _Cover, pattern: Pattern) -> _Step:
    """The cheapest groups that the pattern can close; of infinite price if it can close none."""
    keys, of_rows = np.unique(
        cover.keys.without(pattern.dropped, cover.at_risk), return_inverse=True
    )
    lenders, of_lenders = _lenders(cover, pattern, keys)
    at_risk = _sums(of_rows, cover.sizes[cover.at_risk], len(keys))
    lent = _sums(of_lenders, cover.spare[lenders], len(keys))
    borrowed = np.maximum(cover.k - at_risk, 0)
    prices = np.where(borrowed <= lent, pattern.cost * (at_risk + borrowed) / at_risk, inf)
    chosen = prices == prices.min()
    closes = int(at_risk[chosen].sum())
    return _Step(
        pattern, float(prices.min()), closes, of_rows, chosen, borrowed, lenders, of_lenders
    )


def _lenders(cover: _Cover, pattern: Pattern, keys: Indices) -> tuple[Indices, Labels]:
    """Rows with records to spare that agree with a group, and the group."""
    wanted = cover.keys.without(pattern.dropped, cover.lenders)
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    agrees = keys[places] == wanted
    return cover.lenders[agrees], places[agrees]


def _sums(groups: Labels, counts: Indices, n_groups: int) -> Indices:
    return np.bincount(groups, weights=counts, minlength=n_groups).astype(np.int64)


def _take(cover: _Cover, step: _Step) -> None:
    """Close the chosen groups; those with most records to spare lend first."""
    moved = step.chosen[step.of_rows]
    members = _by_group(cover.at_risk[moved], step.of_rows[moved])
    needy = (step.chosen & (step.borrowed > 0))[step.of_lenders]
    lenders, groups = step.lenders[needy], step.of_lenders[needy]
    order = np.argsort(-cover.spare[lenders], kind="stable")
    lending = _by_group(lenders[order], groups[order])
    for group, rows in members.items():
        lent = _borrow(cover, int(step.borrowed[group]), lending.get(group, []))
        cover.closed.append(Closed(step.pattern, rows, int(cover.sizes[rows].sum()), lent))
    cover.at_risk = cover.at_risk[~moved]
    cover.lenders = cover.lenders[cover.spare[cover.lenders] > 0]


def _by_group(rows: Indices, groups: Labels) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for group, row in zip(groups.tolist(), rows.tolist(), strict=True):
        found.setdefault(group, []).append(row)
    return found


def _borrow(cover: _Cover, count: int, lenders: list[int]) -> dict[int, int]:
    lent = {}
    for row in lenders:
        taken = min(count, int(cover.spare[row]))
        if taken:
            lent[row] = taken
            cover.spare[row] -= taken
            count -= taken
    return lent
