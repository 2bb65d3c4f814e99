"""Bursts of local search on one masked file: many single changes with tracked loss and risk.

The kernels are imported by the first burst, so that help texts do not have to wait for them.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from evomask.data.classes import classes_of
from evomask.data.edits import rules_of
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.kernels.compiler.bundles import bundle_tuple
from evomask.kernels.generator import draw_seed
from evomask.kernels.incremental.bursts import (
    CELL_DOMAIN,
    DRAW,
    EXCHANGE,
    GIVE,
    JOIN,
    MOVE_RULES,
    MOVES,
    NOMINAL,
    NUMBER,
    ORDINAL,
    RECORD_CLASSES,
    SWAP,
    CellDomain,
    MoveRules,
    RecordClasses,
    empty_move,
)
from evomask.measures.incremental.readings import Request
from evomask.measures.loss.loss import EQUAL_WEIGHTS
from evomask.searches.files.genome import Coding
from evomask.types import Floats, Indices, Points

if TYPE_CHECKING:
    from evomask.measures.incremental.tracker import Tracker

KINDS = {Kind.CONTINUOUS: NUMBER, Kind.ORDINAL: ORDINAL, Kind.NOMINAL: NOMINAL}
LARGEST_MOVE = 64
"""Most cells that change together; larger equivalence classes stay unchanged."""


@dataclass(frozen=True)
class BurstConstraint:
    """Constraints of a burst.

    Args:
        k: smallest allowed equivalence class.
        may_join: whether a record may move from one class to another.
    """

    k: int = 1
    may_join: bool = True

    @property
    def is_about_classes(self) -> bool:
        return self.k > 1 or not self.may_join


NO_CONSTRAINT = BurstConstraint()


@dataclass(frozen=True, eq=False)
class Steps:
    """Bursts on masked versions of one table.

    Args:
        measure: name of the risk to track, that of the papers or the strict one.
        weights: weights of the three parts of the information loss.
    """

    coding: Coding
    measure: str
    guarantee: BurstConstraint = NO_CONSTRAINT
    weights: tuple[float, float, float] = EQUAL_WEIGHTS

    @cached_property
    def tracker(self) -> "Tracker":
        from evomask.measures.incremental.tracker import Tracker

        request = Request(self.measure, self.coding.names, weights=self.weights)
        return Tracker(self.coding.original, request)

    @cached_property
    def field(self) -> CellDomain:
        original = self.coding.file(self.coding.original)
        scales = self.coding.scales
        kinds = [KINDS[self.coding.original.attribute(n).kind] for n in self.coding.names]
        return bundle_tuple(
            CELL_DOMAIN,
            CellDomain(
                original,
                np.sort(original, axis=1),
                np.count_nonzero(~np.isnan(original), axis=1),
                _integers([scale.base for scale in scales]),
                _integers([scale.width for scale in scales]),
                _integers([scale.bits for scale in scales]),
                np.array([scale.steps for scale in scales]),
                _integers(kinds),
            ),
        )

    @cached_property
    def rules(self) -> MoveRules:
        names, edits = self.coding.names, rules_of(self.coding.original.schema)
        among = [edits.names.index(name) if name in edits.names else -1 for name in names]
        weights = np.array(
            [edits.weights[:, j] if j >= 0 else np.zeros(len(edits.texts)) for j in among]
        )
        linear = ~(weights[~self.coding.numeric] != 0).any(axis=0) & (weights != 0).any(axis=0)
        others = edits.weights.copy()
        others[:, [j for j in among if j >= 0]] = 0.0
        values = edits.values(self.coding.original)
        fixed = np.where(others[:, None, :] != 0, others[:, None, :] * values[None], 0.0).sum(
            axis=2
        )
        return bundle_tuple(MOVE_RULES, MoveRules(
            np.ascontiguousarray(weights.T[linear]), np.ascontiguousarray(fixed[linear]),
            edits.low[linear].copy(), edits.high[linear].copy(),
        ))  # fmt: skip

    def alike(self, masked: Table) -> RecordClasses:
        n, guarantee = len(masked), self.guarantee
        if not guarantee.is_about_classes:
            return bundle_tuple(
                RECORD_CLASSES,
                RecordClasses(np.arange(n), np.ones(n, dtype=np.int64), 1, may_join=True),
            )
        classes = classes_of(masked, (*self._strata, *self.coding.names))
        labels = np.array(classes.labels, dtype=np.int64)
        sizes = np.array(classes.sizes, dtype=np.int64)
        return bundle_tuple(
            RECORD_CLASSES, RecordClasses(labels, sizes, max(2, guarantee.k), guarantee.may_join)
        )

    def run(
        self, file: Points, aim: Floats, steps: int, rng: np.random.Generator,
        *, heat: float = 0.0, donor: Points | None = None,
    ) -> tuple[Points, Indices]:  # fmt: skip
        """Return the file after about *steps* steps, and how often moves were tried and accepted.

        Args:
            aim: weights of loss and risk; see the kernel.
            donor: another file whose cells may be copied.
        """
        from evomask.kernels.incremental.bursts import burst
        from evomask.measures.incremental.tracker import MEASURES

        masked = self.coding.table(file)
        capacity = max(LARGEST_MOVE if self.guarantee.is_about_classes else 2, 2 * len(file))
        tracked = self.tracker.begin(masked, unkept=capacity)
        after = file.copy()
        counts = burst(
            tracked.state, self.field, self.rules, self.alike(masked), empty_move(capacity),
            after, file if donor is None else donor, aim, self._allowed_moves(donor is not None),
            MEASURES[self.measure], steps, heat, draw_seed(rng),
        )  # fmt: skip
        return after, counts

    def load(self) -> "Steps":
        import evomask.kernels.incremental.bursts  # noqa: F401

        return self

    def _allowed_moves(self, has_donor: bool) -> Indices:
        allowed = np.ones(MOVES, dtype=np.int64)
        allowed[GIVE] = has_donor
        allowed[[JOIN, EXCHANGE]] = self.guarantee.may_join
        if self._strata:
            allowed[[DRAW, SWAP, JOIN, EXCHANGE]] = False
        return allowed

    @property
    def _strata(self) -> tuple[str, ...]:
        return self.coding.original.schema.with_role(Role.STRATUM)


def _integers(values: list[int]) -> Indices:
    return np.array(values, dtype=np.int64)
