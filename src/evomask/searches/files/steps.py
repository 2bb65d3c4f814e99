"""Bursts of tracked steps on one masked file: what kernels need, and the file they leave."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evomask.data.classes import classes_of
from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.kernels.arrays import Floats, Indices, Points
from evomask.kernels.bursts import (
    GIVE,
    JOIN,
    MOVES,
    NOMINAL,
    NUMBER,
    ORDINAL,
    Alike,
    Field,
    Rules,
    burst,
)
from evomask.kernels.generator import seed_of
from evomask.measures.tracking import MEASURES, Tracker
from evomask.searches.files.genome import Coding

KINDS = {Kind.CONTINUOUS: NUMBER, Kind.ORDINAL: ORDINAL, Kind.NOMINAL: NOMINAL}
LARGEST_MOVE = 64
"""Cells that are changed together at most; larger classes of records stay as they are."""


@dataclass(frozen=True)
class Guarantee:
    """What a burst must leave as it is.

    Args:
        k: fewest records that look alike.
        may_join: whether a record may go from one class to another.
    """

    k: int = 1
    may_join: bool = True


@dataclass(frozen=True, eq=False)
class Steps:
    """Tracked steps on masked versions of one original.

    Args:
        tracker: follows the risk that is searched for; loss comes along.
    """

    coding: Coding
    tracker: Tracker
    guarantee: Guarantee = Guarantee()

    @cached_property
    def field(self) -> Field:
        """What may stand in cells, as kernels want it."""
        original = self.coding.file(self.coding.original)
        scales = self.coding.scales
        kinds = [KINDS[self.coding.original.attribute(n).kind] for n in self.coding.names]
        return Field(
            original,
            np.sort(original, axis=1),
            np.count_nonzero(~np.isnan(original), axis=1),
            _wholes([scale.base for scale in scales]),
            _wholes([scale.width for scale in scales]),
            _wholes([scale.bits for scale in scales]),
            np.array([scale.steps for scale in scales]),
            _wholes(kinds),
        )

    @cached_property
    def rules(self) -> Rules:
        """No rules."""
        n = len(self.coding.original)
        return Rules(np.empty((0, len(self.coding.names))), np.empty((0, n)), _wholes([]))

    def alike(self, masked: Table) -> Alike:
        """The classes of records that must stay together; each its own where nothing is asked."""
        n, guarantee = len(masked), self.guarantee
        if guarantee.k == 1 and guarantee.may_join:
            return Alike(np.arange(n), np.ones(n, dtype=np.int64), 1, True)
        classes = classes_of(masked, self.coding.names)
        labels = np.array(classes.labels, dtype=np.int64)
        sizes = np.array(classes.sizes, dtype=np.int64)
        return Alike(labels, sizes, max(2, guarantee.k), guarantee.may_join)

    def run(
        self, file: Points, aim: Floats, steps: int, rng: np.random.Generator,
        *, heat: float = 0.0, donor: Points | None = None,
    ) -> tuple[Points, Indices]:  # fmt: skip
        """The file after about so many steps, and how often each kind of move was tried and kept.

        Args:
            aim: see the kernel.
            donor: another file whose cells may be taken over.
        """
        masked = self.coding.table(file)
        room = max(LARGEST_MOVE if self.guarantee.k > 1 else 0, len(file), 2)
        tracked = self.tracker.begin(masked, unkept=room)
        after = file.copy()
        counts = burst(
            tracked.state, self.field, self.rules, self.alike(masked), after,
            file if donor is None else donor, aim, self._allowed(donor is not None),
            MEASURES[self.tracker.request.measure], steps, heat, room, seed_of(rng),
        )  # fmt: skip
        return after, counts

    def _allowed(self, has_donor: bool) -> Indices:
        allowed = np.ones(MOVES, dtype=np.int64)
        allowed[GIVE] = has_donor
        allowed[JOIN] = self.guarantee.may_join
        return allowed


def _wholes(values: list[int]) -> Indices:
    return np.array(values, dtype=np.int64)
