"""Local recoding: every group of records is generalized only as far as it needs.

Beyond full-domain generalization: the same value may go up different levels in different
groups, so the same k costs far less, and no record is suppressed.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evomask.data.partition import canonical, checked_k
from evomask.data.recoding import CategorySets
from evomask.data.table import Table
from evomask.kernels.arrays import Codes, Flags, Floats, Indices, Labels
from evomask.kernels.lattice_classes import Rows, unpacked
from evomask.kernels.local_recoding import Trees, group_alike, trees_of
from evomask.searches.generalization.lattice import Lattice, restricted


@dataclass(frozen=True, eq=False)
class LocalRecoding:
    """Groups of records, and how far up each attribute's values go in each.

    Args:
        labels: group of each record.
        levels: a row per group.
        leaves: a leaf of the group in each attribute, a row per group.
    """

    lattice: Lattice
    labels: Labels
    levels: Rows
    leaves: Rows

    @cached_property
    def losses(self) -> Floats:
        """Mean cell loss of each attribute, from 0 to 1."""
        layout, sizes = self.lattice.layout, np.bincount(self.labels)
        a = np.arange(len(self.lattice.names))
        cells = layout.below[a, self.levels, self.leaves] / layout.full
        mean: Floats = sizes @ cells / len(self.labels)
        return mean

    @property
    def granularity(self) -> float:
        """1 less the mean cell loss: 1 for the original, 0 when all is generalized."""
        return 1.0 - float(self.losses.mean())

    def applied(self) -> Table:
        """The table with each group's cells generalized alike."""
        table = self.lattice.table
        for a, name in enumerate(self.lattice.names):
            codes, recoding = self._column(a, name)
            table = table.with_recoded(name, codes, recoding)
        return table

    def _column(self, a: int, name: str) -> tuple[Codes, CategorySets]:
        """Cells of one attribute; those that stand for the same leaves are one."""
        own = self.lattice.table.attribute(name)
        tree = restricted(self.lattice.trees[name], own)
        sets: list[tuple[str, Flags]] = []
        cells: dict[bytes, int] = {}
        taken: list[int] = []
        for level, leaf in zip(self.levels[:, a], self.leaves[:, a], strict=True):
            position = own.categories.index(self.lattice.trees[name].categories[leaf])
            cell = tree.ancestors(int(level))[position]
            flags = tree.ancestors(int(level)) == cell
            number = cells.setdefault(flags.tobytes(), len(cells))
            if number == len(sets):
                sets.append((tree.labels(int(level))[cell], flags))
            taken.append(number)
        recoding = CategorySets(tuple(label for label, _ in sets), np.stack([f for _, f in sets]))
        return np.array(taken, dtype=np.int32)[self.labels], recoding


def recode_locally(lattice: Lattice, k: int) -> LocalRecoding:
    """Groups of k or more records that lose little, found greedily, the commonest records first."""
    k = checked_k(k, lattice.n_records)
    digits = unpacked(lattice.bottom.keys, lattice.layout)
    sizes = lattice.bottom.sizes
    trees = _trees(lattice)
    groups = np.arange(len(sizes))
    small = np.flatnonzero(sizes < k)
    order = np.argsort(_rarity(digits, sizes)[small], kind="stable")
    found = group_alike(digits[small].astype(np.int32), sizes[small], order, trees, k)
    groups[small] = len(sizes) + found
    groups = canonical(groups)
    return _recoding(lattice, digits, groups, trees)


def _trees(lattice: Lattice) -> Trees:
    leaves = np.array([len(tree.categories) for tree in lattice.trees.values()], dtype=np.int64)
    return trees_of(lattice.layout, leaves, lattice.heights)


def _rarity(digits: Rows, sizes: Indices) -> Floats:
    """How unusual each row of leaves is: minus the logarithms of its values' frequencies."""
    rarity = np.zeros(len(digits))
    for column in digits.T:
        frequency = np.bincount(column, weights=sizes)
        rarity -= np.log(frequency[column])
    return rarity


def _recoding(lattice: Lattice, digits: Rows, groups: Labels, trees: Trees) -> LocalRecoding:
    _, first = np.unique(groups, return_index=True)
    leaves = digits[first]
    levels = np.zeros_like(leaves)
    for a in range(digits.shape[1]):
        met = trees.meets[trees.starts[a] + leaves[groups, a], digits[:, a]]
        np.maximum.at(levels[:, a], groups, met)
    return LocalRecoding(lattice, groups[lattice.labels], levels, leaves)
