"""Distance-based record linkage (DBRL): records whose nearest record is their own.

Domingo-Ferrer and Torra (2002). Where several records are equally near, the intruder guesses; a
tie rule says how such a guess counts.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.data.classes import Classes, classes_of_columns
from evomask.data.table import Table
from evomask.kernels.linking.linkage import Rows
from evomask.measures.comparison_space import Space, tied_with_own
from evomask.measures.incremental.readings import Request, TrackableReading
from evomask.measures.measure import About, Reading, Side, check_masked
from evomask.measures.targets import fixed_records
from evomask.types import Floats, Indices

TieRule = Callable[[Indices], Floats]
"""Maps the number of nearest records (0 if the own one is not among them) to a success."""


def expected_success(ties: Indices) -> Floats:
    """Tie rule: the probability of a right guess among the nearest records."""
    return np.divide(1.0, ties, out=np.zeros(len(ties)), where=ties > 0)


def unique(ties: Indices) -> Floats:
    """Tie rule: 1 only where the own record is the single nearest."""
    alone: Floats = (ties == 1).astype(np.float64)
    return alone


def any_of(ties: Indices) -> Floats:
    """Tie rule: 1 wherever the own record is among the nearest."""
    return (ties > 0).astype(np.float64)


@dataclass(frozen=True)
class DistanceLinkage:
    """DBRL: share of masked records whose nearest original record is their own.

    Args:
        people: number of records to link, at most; a fixed sample. All by default.

    The intruder is assumed to hold these attributes of the whole original file: the worst
    case. ``Mean`` over several of these, each with other attributes, models an intruder who
    holds one of several files.
    """

    attributes: tuple[str, ...]
    ties: TieRule = expected_success
    people: int | None = None

    about: ClassVar[About] = About(
        "dbrl",
        "distance-based record linkage (DBRL)",
        Side.RISK,
        "the share of masked records that an intruder who holds the original file links to the "
        "right individual by taking the most similar record",
    )

    def against(self, original: Table) -> Reading:
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
    """One target for each distinct pair of a record and its own candidate, and their counts.

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
    """DLD: share of original records whose nearest masked record is their own.

    Args:
        people: number of targets, at most; a fixed sample. All by default.
    """

    attributes: tuple[str, ...]
    ties: TieRule = expected_success
    people: int | None = None

    about: ClassVar[About] = About(
        "dld",
        "distance-based record linkage from original to masked records (DLD)",
        Side.RISK,
        "the share of individuals who are re-identified by taking the masked record most similar "
        "to what is known of them",
    )

    def against(self, original: Table) -> Reading:
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
    """Equivalence classes of records, cell by cell."""
    return classes_of_columns([*rows.low.T, *rows.high.T, *rows.codes.T], len(rows))
