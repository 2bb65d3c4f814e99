"""Fast forecast of loss and risk from PRAM matrices, for hill climbing.

The loss and the risk of the papers are expectations. Of the strict risk it is the expected linkage
by distance, before and after undoing a relabelling.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.data.table import Table
from evomask.kernels.compiler.bundles import bundle_tuple
from evomask.kernels.pram.expectation import (
    PRAM_INPUT,
    PramInput,
    linkage_risk,
    papers_loss_and_risk,
)
from evomask.measures.expected.expectation import CountTable, ExpectationContext, Links
from evomask.measures.expected.loss import ExpectedLoss, Matrices, concatenate_matrices
from evomask.measures.incremental.readings import Request
from evomask.measures.loss.loss import InformationLoss
from evomask.measures.measure import categorical
from evomask.measures.profiles import PapersRisk
from evomask.types import Floats, Indices

MOST_CELLS = 1 << 14
"""Combinations of categories up to which linkage is forecast."""


@dataclass(frozen=True, eq=False)
class Forecast:
    """Forecast of loss and risk of PRAM matrices for one original.

    Args:
        measured: all measured attributes; the continuous ones are not changed.
    """

    original: Table
    measured: tuple[str, ...]
    strict: bool

    @cached_property
    def attributes(self) -> tuple[str, ...]:
        """The categorical attributes."""
        return categorical(self.original.schema, self.measured)

    @cached_property
    def is_whole(self) -> bool:
        """Whether linkage is included: no numbers and a small domain.

        Otherwise only changes of the risk are meaningful.
        """
        sizes = (len(self.original.attribute(name).categories) for name in self.attributes)
        return self.attributes == self.measured and prod(sizes) <= MOST_CELLS

    def __call__(self, matrices: Matrices) -> tuple[float, float]:
        return self.of_flat(self.flat(matrices))

    def flat(self, matrices: Matrices) -> Floats:
        """Concatenate all matrices; an attribute without one gets the identity."""
        return concatenate_matrices(self.original, self.attributes, matrices)

    def of_flat(self, matrices: Floats) -> tuple[float, float]:
        """Loss and risk of concatenated matrices."""
        share = len(self.attributes) / max(1, len(self.measured))
        if self.strict:
            return self._loss.of_flat(matrices), share * linkage_risk(self._input, matrices)
        loss, risk = papers_loss_and_risk(self._input, matrices)
        return loss * share, risk * share

    @cached_property
    def _loss(self) -> ExpectedLoss:
        return ExpectedLoss(InformationLoss(self.measured).against(self.original))

    @cached_property
    def _input(self) -> PramInput:
        """The original in the layout of the kernel."""
        context = ExpectationContext(self.original, Request(PapersRisk.about.name, self.attributes))
        columns = context.columns
        sizes = np.array([column.size for column in columns], dtype=np.int64)
        pairs = [] if self.strict else list(combinations(range(len(columns)), 2))
        crossed = [CountTable.of((columns[a], columns[b])).counts for a, b in pairs]
        no_rows = np.empty((0, len(sizes)), dtype=np.int32)
        found = context.links if self.is_whole else None
        links = found or Links(no_rows, no_rows, np.empty(0))
        return bundle_tuple(PRAM_INPUT, PramInput(
            sizes, _begins(sizes**2), _begins(sizes),
            _joined([column.counts for column in columns]),
            _joined([column.distances for column in columns]), _joined(context.near),
            np.array(pairs, dtype=np.int64).reshape(-1, 2), _begins([t.size for t in crossed]),
            _joined(crossed), links.before.copy(), links.after.copy(), links.weights.copy(),
        ))  # fmt: skip


def _begins(sizes: Sequence[int] | Indices) -> Indices:
    ends = np.cumsum(np.asarray(sizes, dtype=np.int64))
    return ends - np.asarray(sizes, dtype=np.int64)


def _joined(parts: Sequence[NDArray[Any]]) -> Floats:
    return np.concatenate([np.empty(0), *(part.ravel() for part in parts)]).astype(np.float64)
