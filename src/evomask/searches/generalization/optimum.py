"""The node with the smallest loss under a requirement, with a proof of optimality.

Two facts prune the lattice. The loss of a node without suppression is a lower bound of its loss and
grows with every level. And if a node must suppress too many records, so must every finer one,
whose classes are smaller and less diverse.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evomask.data.partition import validate_k
from evomask.errors import ParameterError
from evomask.searches.generalization.indices import geometric_loss
from evomask.searches.generalization.lattice import LARGEST_SWEEP, Figures, Lattice, Levels
from evomask.searches.generalization.node_evaluator import Reader
from evomask.types import Flags, Points

Loss = Callable[[Points], Points]
"""Function of rows of mean cell losses, one per attribute; it must increase with each of them."""


def summed_loss(losses: Points) -> Points:
    """Mean of the cell losses over attributes: GLM as a share of its largest value."""
    mean: Points = losses.mean(axis=1)
    return mean


@dataclass(frozen=True)
class Optimum:
    """The optimal node, and how all others were excluded.

    Args:
        checked: number of nodes evaluated.
        unsafe: number of nodes finer than one that suppresses too many records.
        costly: number of nodes with a larger loss than the optimum even without suppression.
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
    """Return the node with the smallest loss whose classes meet k and l; None if there is none.

    Records of other classes are suppressed, at most *limit* of them. Of equally good nodes the
    first in lexicographic order is returned.

    Args:
        reader: evaluator of suppression, for other requirements than k and distinct values.
    """
    if lattice.size > LARGEST_SWEEP:
        raise ParameterError(
            f"a lattice of {lattice.size:,} nodes is too large for a proof; use a search"
        )
    rule = lattice.rule(limit=limit, k=validate_k(k, lattice.n_records), distinct=distinct)
    search = _Search(reader or Reader(lattice, rule), limit, loss)
    search.descend()
    search.exclude()
    return search.result()


class _Search:
    """Branch and bound over the lattice."""

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
        axes = np.meshgrid(*self._lattice.losses_by_level(), indexing="ij")
        return np.stack([axis.ravel() for axis in axes], axis=1)

    def check(self, node: Levels) -> bool:
        """Evaluate a node; return whether it meets the requirement."""
        if node not in self._read:
            figures = self._reader.figures(node)
            self._read[node] = figures
            if figures.suppressed[0] > self._limit:
                self._unsafe[tuple(slice(level + 1) for level in node)] = True
            else:
                self._best = min(self._best, (float(self._loss(figures.losses)[0]), node))
        return not self._unsafe[node]

    def descend(self) -> None:
        """Find a first good node: from the top, always to the safe neighbour of least bound."""
        node: Levels | None = self._lattice.top
        while node is not None and self.check(node):
            finer = sorted(_finer(node), key=lambda levels: float(self._bounds[levels]))
            node = next((levels for levels in finer if self.check(levels)), None)

    def exclude(self) -> None:
        """Check every node that might be better, the most general first.

        In descending order of bounds, no node is finer than one still to be checked.
        """
        if np.isinf(self._best[0]):
            return
        flat = self._bounds.ravel()
        for place in np.argsort(-flat, kind="stable")[np.sum(flat > self._best[0]) :]:
            if flat[place] <= self._best[0] and not self._unsafe.ravel()[place]:
                self.check(tuple(int(i) for i in np.unravel_index(place, self._lattice.shape)))

    def result(self) -> Optimum | None:
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
    return [(*node[:a], node[a] - 1, *node[a + 1 :]) for a in range(len(node)) if node[a] > 0]
