"""The node with the smallest loss under a requirement, with a proof of optimality.

Two facts prune the lattice. The loss of a node without suppression is a lower bound of its loss and
grows with every level. And if a node must suppress too many records, so must every finer one,
whose classes are smaller and less diverse. A lattice may also be built over distinct combinations
of values with their frequencies, not over records.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evomask.data.hierarchy import Hierarchy
from evomask.data.partition import validate_k
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.kernels.lattice.classes import EquivalenceClasses, unpack_keys
from evomask.kernels.lattice.nodes import LOSSES, SUPPRESSED
from evomask.searches.generalization.lattice import (
    LARGEST_SWEEP,
    Figures,
    Lattice,
    Levels,
    lattice_of,
)
from evomask.searches.generalization.objectives import Reader, geometric_loss
from evomask.types import Codes, Flags, Floats, Indices, Points

Loss = Callable[[Points], Points]
"""Function of rows of mean cell losses, one per attribute; it must increase with each of them."""


def mean_cell_loss(losses: Points) -> Points:
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
        axes = np.meshgrid(*self._lattice.losses_by_level(), indexing="ij")
        least = np.stack([axis.ravel() for axis in axes], axis=1)
        self._bounds = loss(least).reshape(self._lattice.shape)
        self._unsafe: Flags = np.zeros(self._lattice.shape, dtype=bool)
        self._read: dict[Levels, Figures] = {}
        self._best: tuple[float, Levels] = (np.inf, ())

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
            finer = [
                (*node[:a], level - 1, *node[a + 1 :]) for a, level in enumerate(node) if level > 0
            ]
            finer.sort(key=lambda levels: float(self._bounds[levels]))
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


ROUNDING = 1e-12
"""Tolerance of distances."""


@dataclass(frozen=True, eq=False)
class Secret:
    """A confidential attribute: frequency of each of its values in each combination.

    Args:
        counts: one row per combination, one column per value.
        ordered: whether the values are ordinal, in the order of the columns.
    """

    counts: NDArray[np.int32]
    ordered: bool


@dataclass(frozen=True, eq=False)
class CountedLattice(Lattice):
    """A lattice over combinations; all statistics are those of the records behind them.

    Args:
        secrets: columns of each confidential attribute in the counts of a class, and whether it
            is ordinal.
    """

    secrets: tuple[tuple[slice, bool], ...] = ()

    @property
    def n_records(self) -> int:
        return int(self.bottom.sizes.sum())


@dataclass(eq=False)
class RequiringReader(Reader):
    """Evaluator of nodes whose classes must meet k, l and t for each confidential attribute.

    t is relative to the records that are not suppressed, so that it holds in the release.
    """

    lattice: CountedLattice
    k: int = field(default=1, kw_only=True)
    l: int = field(default=1, kw_only=True)  # noqa: E741
    t: float = field(default=1.0, kw_only=True)

    def staying(self, classes: EquivalenceClasses) -> Flags:
        """Flag the classes that meet the requirements."""
        stays: Flags = classes.sizes >= self.k
        for own, _ in self.lattice.secrets:
            stays &= (classes.counts[:, own] > 0).sum(axis=1) >= self.l
        while self.t < 1.0 and stays.any():
            far = np.zeros(len(stays), dtype=bool)
            for own, ordered in self.lattice.secrets:
                far |= distances(classes.counts[:, own], stays, ordered=ordered) > self.t + ROUNDING
            if not (far & stays).any():
                break
            stays &= ~far
        return stays

    def figures(self, levels: Levels) -> Figures:
        """Return the suppressed records and losses of a node; other statistics are 0."""
        classes, layout = self.classes(levels), self.lattice.layout
        gone = ~self.staying(classes)
        sizes, node = classes.sizes[gone], np.array(levels, dtype=np.int64)
        digits = unpack_keys(np.ascontiguousarray(classes.keys[:, gone]), layout)
        whole = np.zeros(LOSSES + len(levels), dtype=np.int64)
        whole[SUPPRESSED] = sizes.sum()
        for a, level in enumerate(levels):
            more = layout.full[a] - layout.below[a, level, digits[:, a]]
            whole[LOSSES + a] = self.lattice.base(levels)[a] + int((sizes * more).sum())
        return self.lattice.figures(node[None], whole[None], np.zeros((1, 3)))

    def sizes_staying(self, levels: Levels) -> Indices:
        classes = self.classes(levels)
        return classes.sizes[self.staying(classes)]

    def left_out(self, levels: Levels) -> tuple[dict[str, Codes], int]:
        """Return the suppressed combinations, and their number of records.

        Combinations are codes of the labels at the levels, by attribute.
        """
        lattice, classes = self.lattice, self.classes(levels)
        gone = ~self.staying(classes)
        digits = unpack_keys(np.ascontiguousarray(classes.keys[:, gone]), lattice.layout)
        codes = {
            name: lattice.trees[name].ancestors(level)[digits[:, a]].astype(np.int32)
            for a, (name, level) in enumerate(zip(lattice.names, levels, strict=True))
        }
        return codes, int(classes.sizes[gone].sum())


def distances(counts: NDArray[np.int32], stays: Flags, *, ordered: bool) -> Floats:
    """Return the earth mover's distance of each class to all classes that are not suppressed.

    Over the values that occur: along their order, or all equally far.
    """
    total = counts[stays].sum(axis=0)
    there = total > 0
    shares = counts[:, there] / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    apart = shares - total[there] / max(1, int(total.sum()))
    if not ordered:
        half: Floats = np.abs(apart).sum(axis=1) / 2
        return half
    work: Floats = np.abs(np.cumsum(apart, axis=1)).sum(axis=1) / max(1, apart.shape[1] - 1)
    return work


def counted_lattice(
    combinations: Table,
    counts: Indices,
    trees: Mapping[str, Hierarchy],
    secrets: Mapping[str, Secret] | None = None,
) -> CountedLattice:
    """Return the lattice of a file given by its distinct combinations.

    Args:
        counts: number of records of each combination.
        secrets: confidential attributes by name.
    """
    plain, own = lattice_of(combinations, trees), (secrets or {}).values()
    sizes = np.zeros(len(plain.bottom.sizes), dtype=np.int64)
    np.add.at(sizes, plain.labels, counts)
    bottom = EquivalenceClasses(plain.bottom.keys, sizes, plain.bottom.counts)
    places = []
    if own:
        ends = np.cumsum([0, *(secret.counts.shape[1] for secret in own)]).tolist()
        values = np.zeros((len(sizes), ends[-1]), dtype=np.int32)
        np.add.at(values, plain.labels, np.concatenate([s.counts for s in own], axis=1))
        bottom = EquivalenceClasses(plain.bottom.keys, sizes, values)
        places = [
            (slice(first, end), secret.ordered)
            for first, end, secret in zip(ends, ends[1:], own, strict=False)
        ]
    return CountedLattice(
        plain.table, plain.trees, plain.layout, bottom, plain.labels, plain.sensitive,
        plain.ordered, plain.source, secrets=tuple(places),
    )  # fmt: skip
