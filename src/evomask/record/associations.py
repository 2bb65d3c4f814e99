"""How attributes hang together, before and after masking.

Two ordered attributes by their rank correlation (-1 to 1), a nominal and an ordered one by the
correlation ratio, two nominal ones by Cramér's V (both 0 to 1). A recoded cell of an ordered
attribute counts as the middle of what it stands for, one of a nominal attribute in equal parts
for each category; so a cell that tells less does not hang together with more.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from scipy.stats import rankdata

from evomask.arrays import Codes, Floats, Points
from evomask.data.schema import Kind
from evomask.data.table import Table

MOST_ATTRIBUTES = 30
DECIMALS = 2


class Associations(msgspec.Struct, frozen=True):
    """The association of every pair of attributes, before and after; 1 with itself."""

    attributes: tuple[str, ...]
    before: tuple[tuple[float, ...], ...]
    after: tuple[tuple[float, ...], ...]

    @property
    def changes(self) -> tuple[tuple[str, str, float, float], ...]:
        """Pairs of attributes with both values, the largest change first."""
        pairs = [
            (name, other, self.before[i][j], self.after[i][j])
            for i, name in enumerate(self.attributes)
            for j, other in enumerate(self.attributes[:i])
        ]
        return tuple(sorted(pairs, key=lambda pair: -abs(pair[3] - pair[2])))


@dataclass(frozen=True, eq=False)
class _Column:
    """A column to compare: ranks scaled to length 1, or groups of records.

    Args:
        parts: how the records of a group (row) spread over the categories (columns).
    """

    ranks: Floats | None
    groups: Codes
    parts: Points


def associations(original: Table, masked: Table, names: Sequence[str]) -> Associations | None:
    """The pairs among the first so many attributes; none where there is no pair."""
    chosen = tuple(names[:MOST_ATTRIBUTES])
    kept = np.flatnonzero(~masked.suppressed)
    if len(chosen) < 2 or len(kept) < 2:
        return None
    before, after = _matrix(original, chosen), _matrix(masked.take(kept), chosen)
    return Associations(chosen, before, after)


def _matrix(table: Table, names: Sequence[str]) -> tuple[tuple[float, ...], ...]:
    columns = [_column(table, name) for name in names]
    values = np.eye(len(columns))
    for i, column in enumerate(columns):
        for j in range(i):
            values[i, j] = values[j, i] = round(_association(column, columns[j]), DECIMALS)
    return tuple(tuple(float(value) + 0.0 for value in row) for row in values)


def _association(column: _Column, other: _Column) -> float:
    if column.ranks is not None and other.ranks is not None:
        return float(column.ranks @ other.ranks)
    if column.ranks is not None:
        return _correlation_ratio(other, column.ranks)
    if other.ranks is not None:
        return _correlation_ratio(column, other.ranks)
    return _cramer(column, other)


def _correlation_ratio(column: _Column, ranks: Floats) -> float:
    """Root of the share of the ranks' variation that lies between the categories."""
    sums = np.bincount(column.groups, ranks) @ column.parts
    sizes = np.bincount(column.groups) @ column.parts
    return float(np.sqrt(min(1.0, float((sums**2 / sizes).sum()))))


def _cramer(column: _Column, other: _Column) -> float:
    shape = len(column.parts), len(other.parts)
    cells = np.bincount(column.groups * shape[1] + other.groups, minlength=shape[0] * shape[1])
    counts = column.parts.T @ cells.reshape(shape) @ other.parts
    if min(counts.shape) < 2:
        return 0.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    squares = ((counts - expected) ** 2 / expected).sum()
    return float(np.sqrt(squares / (counts.sum() * (min(counts.shape) - 1))))


def _column(table: Table, name: str) -> _Column:
    cells, places = np.unique(table[name], return_inverse=True)
    groups = places.reshape(-1).astype(np.int32)
    if table.attribute(name).kind is Kind.NOMINAL:
        return _Column(None, groups, _parts(table, name, cells))
    values = table.middles(name)
    median = np.nanmedian(values) if not np.isnan(values).all() else 0.0
    ranks = rankdata(np.where(np.isnan(values), median, values))
    ranks -= ranks.mean()
    length = float(np.sqrt(ranks @ ranks))
    return _Column(ranks / length if length else ranks, groups, np.eye(0))


def _parts(table: Table, name: str, cells: Codes) -> Points:
    """How cells spread over the categories that any of them may stand for."""
    if not table.is_recoded(name):
        return np.eye(len(cells))
    categories = table.attribute(name).categories
    parts = table.recoding(name).spread(np.ones(len(categories)))[cells]
    return parts[:, parts.any(axis=0)]
