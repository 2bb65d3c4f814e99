"""Linkage by an intruder who knows that the file is microaggregated.

In the spirit of Nin, Herranz and Torra (2008). Microaggregation replaces the records of a
group by its centroid, some attributes together, others apart. Which ones belong together
shows in the masked file: they change their values at the same records. The intruder finds the
centroids of each such block that a person can belong to, and looks for the record that has
one of these in every block.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.arrays import Flags, Floats, Indices, Points
from evomask.data.classes import Classes, classes_of
from evomask.data.table import Table
from evomask.kernels.linking.linkage import Rows
from evomask.measures.attacks.distances import blocks, distances, smallest
from evomask.measures.comparability import check_masked, check_original
from evomask.measures.measure import About, Reading, Side
from evomask.measures.risk.inference import fixed_targets
from evomask.measures.risk.linkage import classes_of_rows, expected
from evomask.measures.risk.space import Space

SPLIT = 1.05
"""Groups of one block may fall together or apart by chance: so many times as many at most."""

Allowed = Callable[[Indices], Flags]
"""For some people, which of the distinct masked records may be theirs."""


@dataclass(frozen=True)
class CentroidLinkage:
    """People whose own masked record is the nearest of those with the right centroids.

    Of a block of one number the centroids next to the person's value on both sides are right,
    because groups of one attribute do not overlap; of any other block the nearest ones are.
    Where no record has right centroids in all blocks, those that have them in most are
    compared. Ties count by the chance of a right guess. Above 2,000 records a fixed sample
    of 1,000 people is attacked.
    """

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "centroids",
        "linkage made for microaggregation",
        Side.RISK,
        "the share of people whose record is found by an intruder who knows that groups of "
        "records were averaged and looks for the averages next to each person",
    )

    def against(self, original: Table) -> Reading:
        """Choose the people attacked and prepare the space in which records are compared."""
        check_original(original, self.attributes)
        whole = Space.of(original, self.attributes)
        people = fixed_targets(original, self.attributes)

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
                for block in blocks(people, len(distinct))
            ]
            return 100.0 * float(expected(np.concatenate(ties)).mean())

        return reading


def blocks_of(masked: Table, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Attributes in blocks: inside a block all others follow from the first one's groups."""
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
    """Which of the masked *records* have a centroid of one block that can be a person's."""
    space = Space.of(original, names)
    released = space.masked(masked)
    terms = space.terms(released, from_originals=True)
    groups = classes_of(masked.take(records), names)
    rows = released.rows.take(records[groups.representatives])

    def allowed(people: Indices) -> Flags:
        targets = space.originals.take(people)
        right = smallest(distances(targets, rows, terms))
        if len(names) == 1 and targets.are_plain and rows.are_plain and space.numbers:
            right |= _next_to(targets.low[:, 0], rows)
        return right[:, groups.labels]

    return allowed


def _next_to(values: Floats, rows: Rows) -> Flags:
    """The numbers just below (or at) and just above (or at) each value."""
    apart: Points = rows.low[:, 0] - values[:, None]
    below, above = apart <= 0, apart >= 0
    highest = np.where(below, apart, -np.inf).max(axis=1, keepdims=True)
    lowest = np.where(above, apart, np.inf).min(axis=1, keepdims=True)
    adjacent: Flags = (below & (apart == highest)) | (above & (apart == lowest))
    return adjacent


def _ties(people: Indices, apart: Points, rules: list[Allowed], distinct: Classes) -> Indices:
    """How many records look most like each person's own one; 0 if others look more like it."""
    agreeing = np.sum([rule(people) for rule in rules], axis=0)
    most = agreeing == agreeing.max(axis=1, keepdims=True)
    best = smallest(apart, most)
    ties = best @ distinct.sizes
    is_best: Flags = best[np.arange(len(people)), distinct.labels[people]]
    return np.where(is_best, ties, 0)
