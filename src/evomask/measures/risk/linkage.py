"""Distance-based record linkage (DBRL): whose nearest record is its own?

Domingo-Ferrer and Torra (2002). Where several records are equally near, an intruder can only
guess; what such a guess counts is a rule of its own.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.arrays import Floats, Indices
from evomask.data.classes import Classes, classes_of_columns
from evomask.data.table import Table
from evomask.kernels.linking.linkage import Rows
from evomask.measures.comparability import check_masked
from evomask.measures.measure import About, Reading, Side
from evomask.measures.people import fixed_records
from evomask.measures.risk.nearest import tied_with_own
from evomask.measures.risk.space import Space
from evomask.measures.tracked.trackable import Request, TrackableReading

TieRule = Callable[[Indices], Floats]
"""How many records are nearest, the own one among them (0: it is not), to what that counts."""


def expected(ties: Indices) -> Floats:
    """One over the number of nearest records: the chance of a right guess among them."""
    return np.divide(1.0, ties, out=np.zeros(len(ties)), where=ties > 0)


def unique(ties: Indices) -> Floats:
    """1 only where the own record is the one nearest."""
    alone: Floats = (ties == 1).astype(np.float64)
    return alone


def any_of(ties: Indices) -> Floats:
    """1 wherever the own record is among the nearest."""
    return (ties > 0).astype(np.float64)


@dataclass(frozen=True)
class DistanceLinkage:
    """DBRL: masked records whose nearest original record is their own.

    The intruder is assumed to hold these attributes of the whole original file: the worst
    case. ``Mean`` over several of these, each with other attributes, is an intruder who may
    hold one of several files.
    """

    attributes: tuple[str, ...]
    ties: TieRule = expected
    people: int | None = None
    """How many records are linked at most, a fixed sample; all of them by default."""

    about: ClassVar[About] = About(
        "dbrl",
        "distance-based record linkage (DBRL)",
        Side.RISK,
        "the share of masked records that an intruder who holds the original file matches to "
        "the right person by taking the most similar record",
    )

    def against(self, original: Table) -> Reading:
        """Prepare the distinct original records."""
        space = Space.of(original, self.attributes)
        candidates, own = space.candidates
        some = fixed_records(original, self.attributes, self.people)

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            released = space.masked(masked)
            targets, owners, counts = _distinct_targets(space, released.rows, own, some)
            places = space.places(targets)
            ties = tied_with_own(targets, places, owners, candidates, space.terms(released))
            return 100.0 * float(np.average(self.ties(ties), weights=counts))

        if len(some) < len(original):
            return reading
        request = Request(self.about.name, self.attributes, ties=self.ties)
        return TrackableReading(reading, original, request)


def _distinct_targets(
    space: Space, rows: Rows, own: Indices, some: Indices
) -> tuple[Rows, Indices, Indices | None]:
    """One target for each distinct pair of some record and its own candidate, and their counts.

    Only where all attributes are categorical: numbers hardly repeat.
    """
    if len(some) < len(rows):
        rows, own = rows.take(some), own[some]
    if space.numbers:
        return rows, own, None
    pairs = classes_of_columns([*rows.codes.T, own], len(own))
    first = pairs.representatives
    return rows.take(first), own[first], pairs.sizes


@dataclass(frozen=True)
class ReverseDistanceLinkage:
    """DLD: original records whose nearest masked record is their own, the other direction."""

    attributes: tuple[str, ...]
    ties: TieRule = expected
    people: int | None = None
    """How many people are looked for at most, a fixed sample; all of them by default."""

    about: ClassVar[About] = About(
        "dld",
        "distance linkage from original to masked records (DLD)",
        Side.RISK,
        "the share of people whose record an intruder finds in the masked file by taking the "
        "one most similar to what is known of them",
    )

    def against(self, original: Table) -> Reading:
        """Prepare the original records, which look for their masked ones."""
        space = Space.of(original, self.attributes)
        some = fixed_records(original, self.attributes, self.people)

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            released = space.masked(masked)
            candidates, own = space.candidates_of(released.rows, classes_of_rows(released.rows))
            terms = space.terms(released, from_originals=True)
            targets, owners, counts = _distinct_targets(space, space.originals, own, some)
            ties = tied_with_own(targets, space.places(targets), owners, candidates, terms)
            return 100.0 * float(np.average(self.ties(ties), weights=counts))

        return reading


def classes_of_rows(rows: Rows) -> Classes:
    """Which records are alike, cell by cell."""
    return classes_of_columns([*rows.low.T, *rows.high.T, *rows.codes.T], len(rows))
