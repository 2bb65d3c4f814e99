"""The best node for one loss under a requirement, with a proof that there is no better one.

Two facts prune the lattice. What a node loses with no record suppressed bounds its loss from
below, and grows with every level. And a node that must suppress too many records makes every
finer one unsafe: finer classes are smaller and less diverse.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evomask.arrays import Flags, Points
from evomask.data.partition import checked_k
from evomask.errors import ParameterError
from evomask.searches.generalization.figures import Figures
from evomask.searches.generalization.indices import geometric_loss
from evomask.searches.generalization.lattice import LARGEST_SWEEP, Lattice, Levels
from evomask.searches.generalization.reader import Reader

Loss = Callable[[Points], Points]
"""A loss from rows of mean cell losses, one per attribute; it must grow with each of them."""


def summed_loss(losses: Points) -> Points:
    """The mean over attributes of their cell losses: GLM as a share of its largest value."""
    mean: Points = losses.mean(axis=1)
    return mean


@dataclass(frozen=True)
class Optimum:
    """The best node, and how every other one was ruled out.

    Args:
        checked: nodes whose classes were read.
        unsafe: nodes finer than one that suppresses too many records.
        costly: nodes that lose more than the optimum even with no record suppressed.
    """

    levels: Levels
    loss: float
    suppressed: int
    checked: int
    unsafe: int
    costly: int


def optimum(
    lattice: Lattice,
    *,
    k: int,
    limit: int = 0,
    distinct: int = 0,
    loss: Loss = geometric_loss,
    reader: Reader | None = None,
) -> Optimum | None:
    """The node of least loss whose classes have k records and enough sensitive values.

    Records of other classes are suppressed, at most *limit* of them. None where no node is safe.
    Of equally good nodes the first in lexicographic order is taken.

    Args:
        reader: tells what a node suppresses, where more is asked than k and distinct values.
    """
    if lattice.size > LARGEST_SWEEP:
        raise ParameterError(
            f"a lattice of {lattice.size:,} nodes is too large for a proof; search it instead"
        )
    rule = lattice.rule(limit=limit, k=checked_k(k, lattice.n_records), distinct=distinct)
    search = _Search(reader or Reader(lattice, rule), limit, loss)
    search.descend()
    search.exclude()
    return search.result()


class _Search:
    """What is known of the nodes so far."""

    def __init__(self, reader: Reader, limit: int, loss: Loss) -> None:
        self._reader = reader
        self._lattice = reader.lattice
        self._limit = limit
        self._loss = loss
        self._bounds = loss(self._least_losses()).reshape(self._lattice.shape)
        self._unsafe: Flags = np.zeros(self._lattice.shape, dtype=bool)
        self._read: dict[Levels, Figures] = {}
        self._best: tuple[float, Levels] = (np.inf, ())

    def _least_losses(self) -> Points:
        """Mean cell losses of every node with no record suppressed."""
        axes = np.meshgrid(*self._lattice.losses_by_level(), indexing="ij")
        return np.stack([axis.ravel() for axis in axes], axis=1)

    def check(self, node: Levels) -> bool:
        """Read a node; whether it is safe."""
        if node not in self._read:
            figures = self._reader.figures(node)
            self._read[node] = figures
            if figures.suppressed[0] > self._limit:
                self._unsafe[tuple(slice(level + 1) for level in node)] = True
            else:
                self._best = min(self._best, (float(self._loss(figures.losses)[0]), node))
        return not self._unsafe[node]

    def descend(self) -> None:
        """A first good node: from the top, to the safe finer neighbour that bounds least."""
        node: Levels | None = self._lattice.top
        while node is not None and self.check(node):
            finer = sorted(_finer(node), key=lambda levels: float(self._bounds[levels]))
            node = next((levels for levels in finer if self.check(levels)), None)

    def exclude(self) -> None:
        """Check every node that might be better, the most general first.

        In falling order of their bounds each is finer than none that is still open.
        """
        if np.isinf(self._best[0]):
            return
        flat = self._bounds.ravel()
        for place in np.argsort(-flat, kind="stable")[np.sum(flat > self._best[0]) :]:
            if flat[place] <= self._best[0] and not self._unsafe.ravel()[place]:
                self.check(tuple(int(i) for i in np.unravel_index(place, self._lattice.shape)))

    def result(self) -> Optimum | None:
        """The best node, once all others are excluded."""
        loss, node = self._best
        if np.isinf(loss):
            return None
        read = np.zeros(self._lattice.shape, dtype=bool)
        read[tuple(np.array(list(self._read)).T)] = True
        open_ = ~read & ~self._unsafe
        return Optimum(
            node,
            loss,
            int(self._read[node].suppressed[0]),
            len(self._read),
            int((self._unsafe & ~read).sum()),
            int((open_ & (self._bounds > loss)).sum()),
        )


def _finer(node: Levels) -> list[Levels]:
    """The nodes that are one level finer in one attribute."""
    return [(*node[:a], node[a] - 1, *node[a + 1 :]) for a in range(len(node)) if node[a] > 0]
