"""Record linkage attacks: tailored to microaggregation, and with partial knowledge.

The first follows Nin, Herranz and Torra (2008). Microaggregation replaces the records of a group
by its centroid, some attributes together, others apart. The blocks of attributes show in the
masked file: they change their values at the same records. The intruder finds the centroids of
each block that a target can belong to, and looks for the record that has one of these in every
block.

In the second the intruder knows only two, three or four quasi-identifiers of a target, as a
neighbour or a colleague does; the most revealing set counts.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.data.classes import Classes, classes_of
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.kernels.linking.linkage import Rows, tied_with_own
from evomask.measures.attacks.attack import (
    AttackResult,
    PreparedAttack,
    blind_guess,
    distances,
    result_of,
    sets_of_attributes,
    smallest,
    target_blocks,
)
from evomask.measures.comparison_space import Space
from evomask.measures.measure import About, Reading, Side, check_masked, check_original
from evomask.measures.papers.distance_linkage import (
    ReverseDistanceLinkage,
    classes_of_rows,
    expected_success,
)
from evomask.measures.papers.inference import fixed_targets
from evomask.types import Flags, Floats, Indices, Points

SPLIT = 1.05
"""Joining an attribute to its block may increase the number of groups by this factor."""

Allowed = Callable[[Indices], Flags]
"""For some targets (rows), whether each distinct masked record may be theirs."""


@dataclass(frozen=True)
class CentroidLinkage:
    """Share of targets whose own masked record is the nearest with admissible centroids.

    In a block of one number the centroids next to the target's value on both sides are
    admissible, because groups of one attribute do not overlap; in any other block the nearest
    ones are. Where no record has admissible centroids in all blocks, those that have them in
    most blocks are compared. Ties count by the probability of a right guess. Above 2,000
    records a fixed sample of 1,000 targets is attacked.
    """

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "centroids",
        "record linkage tailored to microaggregation",
        Side.RISK,
        "the share of targets re-identified by an intruder who knows that groups of records were "
        "averaged and looks for the averages nearest to each target",
    )

    def against(self, original: Table) -> Reading:
        check_original(original, self.attributes)
        whole = Space.of(original, self.attributes)
        targets = fixed_targets(original, self.attributes)

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            released = whole.masked(masked)
            distinct = classes_of_rows(released.rows)
            rows = released.rows.take(distinct.representatives)
            terms = whole.terms(released, from_originals=True)
            rules = [
                _rule(original, masked, names, distinct.representatives)
                for names in blocks_of(masked, self.attributes)
            ]
            ties = [
                _ties(block, distances(whole.originals.take(block), rows, terms), rules, distinct)
                for block in target_blocks(targets, len(distinct))
            ]
            return 100.0 * float(expected_success(np.concatenate(ties)).mean())

        return reading


def blocks_of(masked: Table, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Group attributes into blocks: the groups of the first attribute determine the others."""
    groups = {name: len(classes_of(masked, (name,))) for name in names}
    grouped: list[tuple[str, ...]] = []
    for name in sorted(names, key=lambda attribute: -groups[attribute]):
        for place, block in enumerate(grouped):
            together = len(classes_of(masked, (*block, name)))
            if together <= SPLIT * len(classes_of(masked, block)):
                grouped[place] = (*block, name)
                break
        else:
            grouped.append((name,))
    return tuple(grouped)


def _rule(original: Table, masked: Table, names: tuple[str, ...], records: Indices) -> Allowed:
    """Prepare the test for masked *records* with an admissible centroid in one block."""
    space = Space.of(original, names)
    released = space.masked(masked)
    terms = space.terms(released, from_originals=True)
    groups = classes_of(masked.take(records), names)
    rows = released.rows.take(records[groups.representatives])

    def allowed(block: Indices) -> Flags:
        targets = space.originals.take(block)
        right = smallest(distances(targets, rows, terms))
        if len(names) == 1 and targets.are_plain and rows.are_plain and space.numbers:
            right |= _next_to(targets.low[:, 0], rows)
        return right[:, groups.labels]

    return allowed


def _next_to(values: Floats, rows: Rows) -> Flags:
    """Flag the numbers just below (or at) and just above (or at) each value."""
    apart: Points = rows.low[:, 0] - values[:, None]
    below, above = apart <= 0, apart >= 0
    highest = np.where(below, apart, -np.inf).max(axis=1, keepdims=True)
    lowest = np.where(above, apart, np.inf).min(axis=1, keepdims=True)
    adjacent: Flags = (below & (apart == highest)) | (above & (apart == lowest))
    return adjacent


def _ties(targets: Indices, apart: Points, rules: list[Allowed], distinct: Classes) -> Indices:
    """For each target, the number of best records, its own among them; else 0."""
    agreeing = np.sum([rule(targets) for rule in rules], axis=0)
    most = agreeing == agreeing.max(axis=1, keepdims=True)
    best = smallest(apart, most)
    ties = best @ distinct.sizes
    is_best: Flags = best[np.arange(len(targets)), distinct.labels[targets]]
    return np.where(is_best, ties, 0)


MOST_SETS = 60
WORDS = {2: "two", 3: "three", 4: "four"}


@dataclass(frozen=True)
class PartialKnowledgeLinkage:
    """Share of targets whose nearest masked record on a few known attributes is their own.

    Args:
        attributes: names of those that an intruder might know.
        known: number of attributes that one intruder knows: 2, 3 or 4.

    All sets are tried, or a fixed sample of 60; the worst set counts. Ties count by the
    probability of a right guess. Where there are numbers and more than 2,000 records, a fixed
    sample of 1,000 targets is attacked.
    """

    attributes: tuple[str, ...]
    known: int
    matches_records: bool = True

    def __post_init__(self) -> None:
        if self.known not in WORDS:
            raise ParameterError(f"known must be 2, 3 or 4 attributes, got {self.known}")
        if self.known > len(self.attributes):
            raise ParameterError(
                f"{self.known} of {len(self.attributes)} attributes cannot be known; name more"
            )

    @property
    def about(self) -> About:
        return About(
            f"known-{self.known}",
            f"record linkage by {WORDS[self.known]} known attributes",
            Side.RISK,
            f"the share of targets re-identified by an intruder who knows only "
            f"{WORDS[self.known]} of their attributes, the most revealing ones",
        )

    def against(self, original: Table, control: Table | None = None) -> PreparedAttack:
        check_original(original, self.attributes)
        sets = sets_of_attributes(self.attributes, self.known, MOST_SETS)
        targets = fixed_targets(original, self.attributes)
        readings = [_linkage(original, chosen, targets) for chosen in sets]

        def attack(masked: Table) -> AttackResult:
            check_masked(original, masked, self.attributes)
            shares = [reading(masked) for reading in readings]
            worst = int(np.argmax(shares))
            details = {"average": float(np.mean(shares)), "worst": shares[worst]}
            return result_of(
                self.about,
                success=shares[worst],
                targets=len(targets),
                control=blind_guess(original),
                details=details,
                attributes=sets[worst],
            )

        return attack


def _linkage(original: Table, names: tuple[str, ...], records: Indices) -> Reading:
    """Linkage of a sample of targets; of all where records repeat, as categories do."""
    space = Space.of(original, names)
    if not space.numbers:
        return ReverseDistanceLinkage(names).against(original)
    targets = space.originals.take(records)

    def reading(masked: Table) -> float:
        released = space.masked(masked)
        candidates, own = space.candidates_of(released.rows, classes_of_rows(released.rows))
        terms = space.terms(released, from_originals=True)
        ties = tied_with_own(targets, space.places(targets), own[records], candidates, terms)
        return 100.0 * float(expected_success(ties).mean())

    return reading
