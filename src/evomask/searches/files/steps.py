"""Bursts of tracked steps on one masked file: what kernels need, and the file they leave.

The kernels are loaded with the first burst, so that who only asks for options need not wait.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from evomask.arrays import Floats, Indices, Points
from evomask.data.classes import classes_of
from evomask.data.rules.edits import rules_of
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.kernels.bundles import laid
from evomask.kernels.generator import seed_of
from evomask.kernels.tracked.moves import (
    ALIKE,
    DRAW,
    EXCHANGE,
    FIELD,
    GIVE,
    JOIN,
    MOVE_RULES,
    MOVES,
    NOMINAL,
    NUMBER,
    ORDINAL,
    SWAP,
    Alike,
    Field,
    MoveRules,
    empty_move,
)
from evomask.searches.files.genome import Coding

if TYPE_CHECKING:
    from evomask.measures.tracked.tracking import Tracker

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

    @property
    def is_about_classes(self) -> bool:
        """Whether records that are alike have to stay together."""
        return self.k > 1 or not self.may_join


NOTHING = Guarantee()


@dataclass(frozen=True, eq=False)
class Steps:
    """Tracked steps on masked versions of one original.

    Args:
        measure: the risk to follow, the papers' or the strict one; loss comes along.
    """

    coding: Coding
    measure: str
    guarantee: Guarantee = NOTHING

    @cached_property
    def tracker(self) -> "Tracker":
        """What follows loss and risk through the single changes of a burst."""
        from evomask.measures.tracked.tracking import Tracker, request_for

        return Tracker(self.coding.original, request_for(self.measure, self.coding.names))

    @cached_property
    def field(self) -> Field:
        """What may stand in cells, as kernels want it."""
        original = self.coding.file(self.coding.original)
        scales = self.coding.scales
        kinds = [KINDS[self.coding.original.attribute(n).kind] for n in self.coding.names]
        return laid(
            FIELD,
            Field(
                original,
                np.sort(original, axis=1),
                np.count_nonzero(~np.isnan(original), axis=1),
                _wholes([scale.base for scale in scales]),
                _wholes([scale.width for scale in scales]),
                _wholes([scale.bits for scale in scales]),
                np.array([scale.steps for scale in scales]),
                _wholes(kinds),
            ),
        )

    @cached_property
    def rules(self) -> MoveRules:
        """The edit rules that speak of numbers only; the others are seen to after a burst."""
        names, edits = self.coding.names, rules_of(self.coding.original.schema)
        among = [edits.names.index(name) if name in edits.names else -1 for name in names]
        weights = np.array([edits.weights[:, j] if j >= 0 else np.zeros(len(edits)) for j in among])
        linear = ~(weights[~self.coding.numeric] != 0).any(axis=0) & (weights != 0).any(axis=0)
        others = edits.weights.copy()
        others[:, [j for j in among if j >= 0]] = 0.0
        values = edits.values(self.coding.original)
        fixed = np.where(others[:, None, :] != 0, others[:, None, :] * values[None], 0.0).sum(
            axis=2
        )
        return laid(MOVE_RULES, MoveRules(
            np.ascontiguousarray(weights.T[linear]), np.ascontiguousarray(fixed[linear]),
            edits.low[linear].copy(), edits.high[linear].copy(),
        ))  # fmt: skip

    def alike(self, masked: Table) -> Alike:
        """The classes of records that must stay together; each its own where nothing is asked."""
        n, guarantee = len(masked), self.guarantee
        if not guarantee.is_about_classes:
            return laid(ALIKE, Alike(np.arange(n), np.ones(n, dtype=np.int64), 1, may_join=True))
        classes = classes_of(masked, (*self._strata, *self.coding.names))
        labels = np.array(classes.labels, dtype=np.int64)
        sizes = np.array(classes.sizes, dtype=np.int64)
        return laid(ALIKE, Alike(labels, sizes, max(2, guarantee.k), guarantee.may_join))

    def run(
        self, file: Points, aim: Floats, steps: int, rng: np.random.Generator,
        *, heat: float = 0.0, donor: Points | None = None,
    ) -> tuple[Points, Indices]:  # fmt: skip
        """The file after about so many steps, and how often each kind of move was tried and kept.

        Args:
            aim: see the kernel.
            donor: another file whose cells may be taken over.
        """
        from evomask.kernels.tracked.bursts import burst
        from evomask.measures.tracked.tracking import MEASURES

        masked = self.coding.table(file)
        room = max(LARGEST_MOVE if self.guarantee.is_about_classes else 2, 2 * len(file))
        tracked = self.tracker.begin(masked, unkept=room)
        after = file.copy()
        counts = burst(
            tracked.state, self.field, self.rules, self.alike(masked), empty_move(room),
            after, file if donor is None else donor, aim, self._allowed(donor is not None),
            MEASURES[self.measure], steps, heat, seed_of(rng),
        )  # fmt: skip
        return after, counts

    def load(self) -> "Steps":
        """The same, its kernels loaded: no burst has to wait for them."""
        import evomask.kernels.tracked.bursts  # noqa: F401

        return self

    def _allowed(self, has_donor: bool) -> Indices:
        allowed = np.ones(MOVES, dtype=np.int64)
        allowed[GIVE] = has_donor
        allowed[[JOIN, EXCHANGE]] = self.guarantee.may_join
        if self._strata:
            allowed[[DRAW, SWAP, JOIN, EXCHANGE]] = False
        return allowed

    @property
    def _strata(self) -> tuple[str, ...]:
        """Where there are strata, no move takes anything from another record."""
        return self.coding.original.schema.with_role(Role.STRATUM)


def _wholes(values: list[int]) -> Indices:
    return np.array(values, dtype=np.int64)
