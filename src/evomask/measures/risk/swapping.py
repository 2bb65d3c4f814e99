"""Rank-swapping record linkage (RSRL): the attack made for rank swapping.

Nin, Herranz and Torra (2008). Whoever knows how far ranks may have been swapped can rule out
every original record that has a value farther away in any attribute, and takes the nearest of
those that are left.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from evomask.arrays import Flags, Floats, Indices, Points
from evomask.data.classes import classes_of_columns
from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.kernels.linking.linkage import Candidates, Rows, Terms, tied_with_own
from evomask.measures.categories import CategoricalColumn
from evomask.measures.comparability import check_masked, check_original, needing
from evomask.measures.measure import About, Reading, Side
from evomask.measures.numbers import NumberColumn
from evomask.measures.people import fixed_records
from evomask.measures.risk.linkage import expected

RULED_OUT = 1e12
"""Weight of a squared rank beyond the window: more than any distance of ranks."""

ROUNDING = 1e-9


class _Ranks(NamedTuple):
    """Lowest and highest rank that the cells of one attribute may have."""

    low: Floats
    high: Floats


@dataclass(frozen=True)
class SwappingLinkage:
    """RSRL: masked records whose own original is the nearest that swapping allows.

    Args:
        attributes: names of ordinal or continuous attributes.
        window: how far ranks may have been swapped, in percent of the records.

    Distances are squared differences of ranks; ties count by the chance of a right guess.
    """

    attributes: tuple[str, ...]
    window: float = 10.0
    people: int | None = None
    """How many records are linked at most, a fixed sample; all of them by default."""

    about: ClassVar[About] = About(
        "rsrl",
        "rank-swapping record linkage (RSRL)",
        Side.RISK,
        "the share of masked records matched to the right person by an intruder who knows that "
        "values were swapped with close ones, and how close",
    )

    def __post_init__(self) -> None:
        if not 0 <= self.window <= 100:
            raise ParameterError(f"window must lie in [0, 100] percent, got {self.window}")

    def against(self, original: Table) -> Reading:
        """Prepare the ranks of the original records."""
        check_original(original, self.attributes)
        needing(
            original.schema, self.attributes, Kind.ORDINAL, Kind.CONTINUOUS,
            why="this attack goes by the order of values",
        )  # fmt: skip
        columns = [_column(original, name) for name in self.attributes]
        known = np.column_stack([_own_ranks(column) for column in columns])
        line = _Line.of(known)
        some = fixed_records(original, self.attributes, self.people)
        reach = self.window / 100 * len(original) + ROUNDING

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            ranks = [_masked_ranks(column, masked) for column in columns]
            low, high = (np.column_stack(ends)[some] for ends in zip(*ranks, strict=True))
            allowed = np.flatnonzero(_agree(known[some], low - reach, high + reach))
            low, high, own = low[allowed], high[allowed], line.own[some[allowed]]
            targets, places = _twice(low, high, reach), line.places(low, high)
            ties = tied_with_own(targets, places, own, line.candidates, _terms(columns))
            return 100.0 * float(expected(ties).sum()) / len(some)

        return reading


@dataclass(frozen=True, eq=False)
class _Line:
    """The distinct ranks of original records, sorted along the line in which they differ most.

    Args:
        own: where each record stands among them.
        direction: of length just below 1, so that places are never farther apart than ranks;
            none where ranks are missing.
    """

    candidates: Candidates
    own: Indices
    direction: Floats | None

    @classmethod
    def of(cls, known: Points) -> "_Line":
        """The line of records with these ranks."""
        classes = classes_of_columns(list(known.T), len(known))
        rows = known[classes.representatives]
        if np.isnan(rows).any():
            candidates = Candidates(_twice(rows, rows, 0.0), classes.sizes, np.empty(0))
            return cls(candidates, classes.labels, None)
        centred = rows - rows.mean(axis=0)
        direction = np.linalg.eigh(centred.T @ centred)[1][:, -1] * (1.0 - ROUNDING)
        places = _along(rows, direction)
        order = np.argsort(places, kind="stable")
        where = np.empty_like(order)
        where[order] = np.arange(len(order))
        rows = rows[order]
        candidates = Candidates(_twice(rows, rows, 0.0), classes.sizes[order], places[order])
        return cls(candidates, where[classes.labels], direction)

    def places(self, low: Points, high: Points) -> Floats:
        """Places of masked records on the line; NaN for all where some have none."""
        if self.direction is None or not np.array_equal(low, high):
            return np.full(len(low), np.nan)
        return _along(low, self.direction)


def _along(rows: Points, direction: Floats) -> Floats:
    """Places by sums in one order, so that equal rows stand at exactly the same place."""
    places = np.zeros(len(rows))
    for terms in (rows * direction).T:
        places += terms
    return places


def _column(original: Table, name: str) -> CategoricalColumn | NumberColumn:
    categorical = original.attribute(name).is_categorical
    return (CategoricalColumn if categorical else NumberColumn).of(original, name)


def _own_ranks(column: CategoricalColumn | NumberColumn) -> Floats:
    if isinstance(column, NumberColumn):
        return column.ranks
    return _known_ranks(column)[column.codes]


def _known_ranks(column: CategoricalColumn) -> Floats:
    """Mean rank of each category; NaN for the missing one."""
    places = np.arange(column.size)
    return np.where(places < column.attribute.domain_size, column.mean_ranks, np.nan)


def _masked_ranks(column: CategoricalColumn | NumberColumn, masked: Table) -> _Ranks:
    if isinstance(column, NumberColumn):
        low, high = column.ends(masked)
        lowest = column.places(low)
        return _Ranks(lowest, lowest if low is high else column.places(high))
    cells, ranks = column.cells(masked), _known_ranks(column)
    covered = cells.leaves & ~np.isnan(ranks)
    nothing = ~covered.any(axis=1)
    low = np.where(covered, ranks, np.inf).min(axis=1)
    high = np.where(covered, ranks, -np.inf).max(axis=1)
    low[nothing] = high[nothing] = np.nan
    return _Ranks(low[cells.codes], high[cells.codes])


def _twice(low: Points, high: Points, reach: float) -> Rows:
    """Each rank as the window around it, and as itself."""
    none = np.empty((len(low), 0), dtype=np.int32)
    return Rows(np.hstack([low - reach, low]), np.hstack([high + reach, high]), none)


def _terms(columns: list[CategoricalColumn | NumberColumn]) -> Terms:
    none = np.empty(0, dtype=np.int64)
    weights = np.repeat([RULED_OUT, 1.0], len(columns))
    return Terms(weights, RULED_OUT, np.empty(0), none, none)


def _agree(known: Points, low: Points, high: Points) -> Flags:
    both_missing = np.isnan(known) & np.isnan(low)
    inside = (known >= low) & (known <= high)
    agree: Flags = np.all(inside | both_missing, axis=1)
    return agree
