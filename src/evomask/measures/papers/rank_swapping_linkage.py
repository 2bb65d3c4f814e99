"""Rank-swapping record linkage (RSRL): linkage tailored to rank swapping.

Nin, Herranz and Torra (2008). An intruder who knows the largest rank difference of a swap rules
out every original record with a value farther away in any attribute, and takes the nearest of the
remaining ones.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from evomask.data.classes import classes_of_columns
from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.kernels.linking.linkage import Candidates, Rows, Terms, tied_with_own
from evomask.measures.columns import CategoricalColumn, NumberColumn
from evomask.measures.measure import (
    About,
    Reading,
    Side,
    check_masked,
    check_original,
    require_kinds,
)
from evomask.measures.papers.distance_linkage import expected_success
from evomask.measures.targets import fixed_records
from evomask.types import Floats, Indices, Points

RULED_OUT = 1e12
"""Weight of a squared rank beyond the window: more than any distance of ranks."""

ROUNDING = 1e-9


class _Ranks(NamedTuple):
    """Lowest and highest rank that the cells of one attribute may have."""

    low: Floats
    high: Floats


@dataclass(frozen=True)
class SwappingLinkage:
    """RSRL: share of masked records whose own original is the nearest that swapping allows.

    Args:
        attributes: names of ordinal or continuous attributes.
        window: largest rank difference of a swap, in percent of the records.
        people: number of records to link, at most; a fixed sample. All by default.

    Distances are squared differences of ranks; ties count by the probability of a right guess.
    """

    attributes: tuple[str, ...]
    window: float = 10.0
    people: int | None = None

    about: ClassVar[About] = About(
        "rsrl",
        "rank-swapping record linkage (RSRL)",
        Side.RISK,
        "the share of masked records linked to the right individual by an intruder who knows how "
        "far ranks were swapped",
    )

    def __post_init__(self) -> None:
        if not 0 <= self.window <= 100:
            raise ParameterError(f"window must lie in [0, 100] percent, got {self.window}")

    def against(self, original: Table) -> Reading:
        check_original(original, self.attributes)
        require_kinds(
            original.schema, self.attributes, Kind.ORDINAL, Kind.CONTINUOUS,
            why="this attack needs ordered values",
        )  # fmt: skip
        columns: list[CategoricalColumn | NumberColumn] = [
            (CategoricalColumn if original.attribute(name).is_categorical else NumberColumn).of(
                original, name
            )
            for name in self.attributes
        ]
        known = np.column_stack(
            [
                c.ranks if isinstance(c, NumberColumn) else _category_ranks(c)[c.codes]
                for c in columns
            ]
        )
        line = _Line.of(known)
        some = fixed_records(original, self.attributes, self.people)
        reach = self.window / 100 * len(original) + ROUNDING
        none = np.empty(0, dtype=np.int64)
        weights = np.repeat([RULED_OUT, 1.0], len(columns))
        terms = Terms(weights, RULED_OUT, np.empty(0), none, none)

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            ranks = [_masked_ranks(column, masked) for column in columns]
            low, high = (np.column_stack(ends)[some] for ends in zip(*ranks, strict=True))
            truth = known[some]
            inside = (truth >= low - reach) & (truth <= high + reach)
            both_missing = np.isnan(truth) & np.isnan(low)
            allowed = np.flatnonzero(np.all(inside | both_missing, axis=1))
            low, high, own = low[allowed], high[allowed], line.own[some[allowed]]
            targets, places = _twice(low, high, reach), line.places(low, high)
            ties = tied_with_own(targets, places, own, line.candidates, terms)
            return 100.0 * float(expected_success(ties).sum()) / len(some)

        return reading


@dataclass(frozen=True, eq=False)
class _Line:
    """Distinct ranks of original records, sorted along their first principal direction.

    Args:
        own: position of each record among them.
        direction: of length just below 1, so that projections are never farther apart than
            ranks; none where ranks are missing.
    """

    candidates: Candidates
    own: Indices
    direction: Floats | None

    @classmethod
    def of(cls, known: Points) -> "_Line":
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
        """Projections of masked records; NaN for all where some have none."""
        if self.direction is None or not np.array_equal(low, high):
            return np.full(len(low), np.nan)
        return _along(low, self.direction)


def _along(rows: Points, direction: Floats) -> Floats:
    """Projections by sums in one order, so that equal rows have exactly equal projections."""
    places = np.zeros(len(rows))
    for terms in (rows * direction).T:
        places += terms
    return places


def _category_ranks(column: CategoricalColumn) -> Floats:
    """Mean rank of each category; NaN for the missing one."""
    places = np.arange(column.size)
    return np.where(places < column.attribute.domain_size, column.mean_ranks, np.nan)


def _masked_ranks(column: CategoricalColumn | NumberColumn, masked: Table) -> _Ranks:
    if isinstance(column, NumberColumn):
        low, high = column.ends(masked)
        lowest = column.places(low)
        return _Ranks(lowest, lowest if low is high else column.places(high))
    cells, ranks = column.cells(masked), _category_ranks(column)
    covered = cells.leaves & ~np.isnan(ranks)
    nothing = ~covered.any(axis=1)
    low = np.where(covered, ranks, np.inf).min(axis=1)
    high = np.where(covered, ranks, -np.inf).max(axis=1)
    low[nothing] = high[nothing] = np.nan
    return _Ranks(low[cells.codes], high[cells.codes])


def _twice(low: Points, high: Points, reach: float) -> Rows:
    """Each rank twice: as the window around it, and as itself."""
    none = np.empty((len(low), 0), dtype=np.int32)
    return Rows(np.hstack([low - reach, low]), np.hstack([high + reach, high]), none)
