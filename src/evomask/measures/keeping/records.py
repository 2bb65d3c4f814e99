"""A masked file as plain records with weights: every cell replaced by the values it covers.

Records that are alike are put together first. A record whose cells cover several values is split
into pieces, a piece for each combination; where these are too many, into pieces that lie evenly
among them (a lattice, moved a little from record to record), without any chance.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evomask.arrays import Flags, Floats, Indices
from evomask.data.schema import Attribute, Kind
from evomask.data.table import Column, Table
from evomask.measures.keeping.supports import Support, support_of
from evomask.measures.risk.individual import survey_weights, weight_of

PIECES = 1 << 17
"""So many pieces share all records that cover several combinations of values."""

FEW_PIECES = 2
"""At least so many has one kind of record, if it covers as many combinations."""

ROOTS = np.sqrt([5, 2, 3, 7, 11, 13, 17, 19, 23, 29, 31, 37]) % 1.0
"""Steps of a lattice, as shares of its size: badly approximable, so that it leaves no gaps."""

WANDER = np.e / 2
"""Its powers have nothing to do with one another: each attribute's lattice is moved on its own."""


@dataclass(frozen=True, eq=False)
class Records:
    """Plain values, and how many records stand behind each row.

    Args:
        columns: numbers of continuous attributes, codes of others.
        count: records, or parts of records.
        weight: sum of their survey weights; the count where there are none.
        square: sum of the squared weights.
    """

    columns: Mapping[str, Column]
    count: Floats
    weight: Floats
    square: Floats

    def where(self, flags: Flags) -> "Records":
        """Only the rows that are flagged."""
        columns = {name: column[flags] for name, column in self.columns.items()}
        return Records(columns, self.count[flags], self.weight[flags], self.square[flags])

    @property
    def effective(self) -> float:
        """Kish's effective number of records: as many of equal weight would tell as much."""
        square = float(self.square.sum())
        return float(self.weight.sum()) ** 2 / square if square > 0 else 0.0

    def numbers(self, attribute: Attribute) -> Floats:
        """The numbers of an attribute, NaN where missing."""
        column = self.columns[attribute.name]
        return scale_of(attribute)[column] if attribute.is_categorical else column


def plain_records(original: Table, masked: Table, names: Sequence[str]) -> Records:
    """The named attributes of a masked file, each cell as the values it stands for."""
    supports = [support_of(original, masked, name) for name in names]
    rows, kinds = _distinct([support.keys for support in supports])
    weights = weights_of(original, masked)
    count, weight, square = (
        np.bincount(kinds, part, len(rows)).astype(np.float64)
        for part in (np.ones_like(weights), weights, weights**2)
    )
    cells = [support.keys[rows] for support in supports]
    sizes = np.array([s.sizes[c] for s, c in zip(supports, cells, strict=True)])
    piece = _Pieces.of(sizes, count)
    shares = np.where(piece.whole, 1.0, 1.0 / piece.pieces)
    columns = {}
    for place, (name, support) in enumerate(zip(names, supports, strict=True)):
        columns[name], probability = piece.values(place, support, cells[place])
        shares *= probability
    return Records(columns, *(part[piece.row] * shares for part in (count, weight, square)))


def weights_of(original: Table, masked: Table) -> Floats:
    """The survey weights of a masked file, 1 without; the original's where they are masked."""
    name = weight_of(original)
    is_there = name is not None and name in masked.schema and not masked.is_recoded(name)
    return survey_weights(masked if is_there else original, name)


def scale_of(attribute: Attribute) -> Floats:
    """The number that each ordinal category is, NaN for missing; empty where one is no number."""
    if attribute.kind is not Kind.ORDINAL:
        return np.empty(0)
    try:
        known = [float(category) for category in attribute.categories[: attribute.domain_size]]
    except ValueError:
        return np.empty(0)
    return np.array([*known, *[np.nan] * attribute.has_missing])


def is_number(attribute: Attribute) -> bool:
    """Whether means of the attribute can be taken."""
    return not attribute.is_categorical or len(scale_of(attribute)) > 0


@dataclass(frozen=True, eq=False)
class _Pieces:
    """The pieces that records are split into.

    Args:
        sizes: how many values each attribute (row) of each record (column) covers.
        row: the record of each piece.
        number: the piece's number in its record.
        pieces: how many its record has.
        whole: whether they are all combinations of the record's values.
    """

    sizes: Floats
    row: Indices
    number: Indices
    pieces: Indices
    whole: Flags

    @classmethod
    def of(cls, sizes: Floats, count: Floats) -> "_Pieces":
        """Pieces of kinds of records, in proportion to how many there are of each."""
        combinations = sizes.prod(axis=0)
        wide = combinations > 1
        share = PIECES * count / max(float(count[wide].sum()), 1.0)
        most = np.exp2(np.floor(np.log2(np.maximum(share, FEW_PIECES))))
        pieces = np.minimum(combinations, most).astype(np.int64)
        row = np.repeat(np.arange(len(pieces)), pieces)
        number = np.arange(len(row)) - (np.cumsum(pieces) - pieces)[row]
        return cls(sizes, row, number, pieces[row], (combinations <= most)[row])

    def values(self, place: int, support: Support, cells: Indices) -> tuple[Column, Floats]:
        """An attribute's value in each piece; its probability where combinations are whole."""
        own = cells[self.row]
        below = self.sizes[:place].prod(axis=0)[self.row]
        digits = np.where(self.whole, self.number // below, 0).astype(np.int64)
        values, shares = support.nth(own, digits % self.sizes[place][self.row].astype(np.int64))
        if self.whole.all():
            return values, shares
        spread = support.quantile(own, self._levels(place))
        return np.where(self.whole, values, spread), np.where(self.whole, shares, 1.0)

    def _levels(self, place: int) -> Floats:
        """Where each piece stands on the lattice, moved by a step of its own for each record."""
        step = 2 * np.floor(self.pieces * ROOTS[place % len(ROOTS)] / 2) + 1
        moved = (self.row + 0.5) * (WANDER ** (place + 1) % 1.0)
        levels: Floats = (self.number * step / self.pieces + moved) % 1.0
        return levels


def _distinct(keys: Sequence[Indices]) -> tuple[Indices, Indices]:
    """The first record of each kind, and the kind of each record."""
    kinds = keys[0]
    for column in keys[1:]:
        kinds = np.unique(kinds, return_inverse=True)[1].astype(np.int64)
        kinds = kinds * (int(column.max()) + 1) + column
    _, rows, places = np.unique(kinds, return_index=True, return_inverse=True)
    return rows.astype(np.int64), places.astype(np.int64)
