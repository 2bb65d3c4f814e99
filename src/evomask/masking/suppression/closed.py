"""A class of records that look alike because the same attributes are suppressed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evomask.arrays import Codes, Flags, Floats, Indices
from evomask.data.classes import Classes
from evomask.masking.suppression.patterns import Pattern


@dataclass
class Closed:
    """Records that share a pattern of suppressed cells and agree on the others.

    Args:
        rows: distinct rows that were at risk; all their records are in the class.
        records: how many records these are.
        lent: records of other rows by row, without whom the class would be too small.
    """

    pattern: Pattern
    rows: list[int]
    records: int
    lent: dict[int, int]

    @property
    def borrowed(self) -> int:
        """How many records other rows lend."""
        return sum(self.lent.values())

    @property
    def cost(self) -> float:
        """What the suppressed cells of all its records are worth."""
        return self.pattern.cost * (self.records + self.borrowed)

    def give_back(self, count: int) -> None:
        """Let up to *count* lent records go, those of the last rows first."""
        for row in sorted(self.lent, reverse=True):
            back = min(count, self.lent[row])
            self.lent[row] -= back
            count -= back
        self.lent = {row: left for row, left in self.lent.items() if left}


def suppressed_cells(closed: Sequence[Closed], distinct: Classes, shape: tuple[int, int]) -> Flags:
    """Which cells of all records are suppressed; of lending rows the last records."""
    patterns = np.zeros((len(distinct), shape[1]), dtype=bool)
    for group in closed:
        for attribute in group.pattern.dropped:
            patterns[group.rows, attribute] = True
    cells: Flags = patterns[distinct.labels]
    order = np.argsort(distinct.labels, kind="stable")
    free = np.cumsum(distinct.sizes)
    for group in closed:
        for row, count in sorted(group.lent.items()):
            records = order[free[row] - count : free[row]]
            free[row] -= count
            for attribute in group.pattern.dropped:
                cells[records, attribute] = True
    return cells


def joined(closed: list[Closed], rows: Codes, sizes: Indices, left: Indices, costs: Floats) -> None:
    """The last resort: rows that nothing closes join the class in which they cost least.

    It may be a class of suppressed records or a row that was large enough by itself; attributes
    in which they differ are suppressed in both.
    """
    lent = _lent(closed, len(rows))
    large = np.flatnonzero(sizes - lent > 0)
    large = large[~np.isin(large, [*left, *(row for group in closed for row in group.rows)])]
    alone = [
        Closed(Pattern(0.0, ()), [], 0, {row: int(sizes[row] - lent[row])})
        for row in large.tolist()
    ]
    count = int(sizes[left].sum())
    offers = [(group, _common(group, rows, left, costs)) for group in (*closed, *alone)]
    group, pattern = min(
        offers, key=lambda o: o[1].cost * (o[0].records + o[0].borrowed + count) - o[0].cost
    )
    if not group.rows:
        closed.append(group)
    group.pattern, group.records = pattern, group.records + count
    group.rows += left.tolist()


def _lent(closed: Sequence[Closed], n_rows: int) -> Indices:
    lent = np.zeros(n_rows, dtype=np.int64)
    for group in closed:
        for row, count in group.lent.items():
            lent[row] += count
    return lent


def _common(group: Closed, rows: Codes, left: Indices, costs: Floats) -> Pattern:
    """The attributes to suppress so that a class and the rows left look alike."""
    member = rows[group.rows[0] if group.rows else next(iter(group.lent))]
    differs = (rows[left] != member).any(axis=0)
    differs[list(group.pattern.dropped)] = True
    dropped = tuple(np.flatnonzero(differs).tolist())
    return Pattern(float(costs[list(dropped)].sum()), dropped)
