"""Local recoding: every group of records is generalized only as far as it needs.

Beyond full-domain generalization: the same value may go up different levels in different
groups, so the same k costs far less, and no record is suppressed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evomask.arrays import Codes, Flags, Floats, Indices, Labels
from evomask.data.classes import classes_of, classes_of_columns
from evomask.data.partition import canonical, checked_k
from evomask.data.recoding import CategorySets
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.kernels.lattice.classes import Rows, unpacked
from evomask.kernels.lattice.local_recoding import Trees, group_alike, trees_of
from evomask.searches.generalization.lattice import Lattice, restricted

AT_ONCE = 25_000
"""Different records up to which groups are looked for among all."""

TOGETHER, MANY_GROUPS = 3_000, 4
"""Different records of a region, at most: so many, or this times k."""


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
        table = self.lattice.source
        for a, name in enumerate(self.lattice.names):
            table = self.lattice.with_cells(table, name, *self._column(a, name))
        return table

    def _column(self, a: int, name: str) -> tuple[Codes, CategorySets]:
        """Cells of one attribute; those that stand for the same leaves are one."""
        attribute = self.lattice.table.attribute(name)
        tree = restricted(self.lattice.trees[name], attribute)
        sets: list[tuple[str, Flags]] = []
        cells: dict[bytes, int] = {}
        pairs = classes_of_columns([self.levels[:, a], self.leaves[:, a]], len(self.levels))
        taken = np.empty(len(pairs), dtype=np.int32)
        for pair in np.argsort(pairs.representatives).tolist():
            group = pairs.representatives[pair]
            level, leaf = int(self.levels[group, a]), self.leaves[group, a]
            position = attribute.categories.index(self.lattice.trees[name].categories[leaf])
            cell = tree.ancestors(level)[position]
            flags = tree.ancestors(level) == cell
            number = cells.setdefault(flags.tobytes(), len(cells))
            if number == len(sets):
                sets.append((tree.labels(level)[cell], flags))
            taken[pair] = number
        recoding = CategorySets(tuple(label for label, _ in sets), np.stack([f for _, f in sets]))
        return taken[pairs.labels][self.labels], recoding


@dataclass(frozen=True, eq=False)
class _Alike:
    """Records of one stratum that are equal on all attributes, put together.

    Args:
        labels: where each record is.
        digits: their leaves, a row each.
        strata: which stratum they are of.
    """

    labels: Labels
    digits: Rows
    sizes: Indices
    strata: Labels


def recode_locally(lattice: Lattice, k: int, prices: Sequence[float] = ()) -> LocalRecoding:
    """Groups of k or more records that lose little, found greedily, the commonest records first.

    Where the schema names strata, no group reaches over two. Very many different records are
    grouped region by region.

    Args:
        prices: how much the loss of a cell of each attribute counts; all alike where none are told.
    """
    k = checked_k(k, lattice.n_records)
    alike, trees = _alike(lattice), _priced(_trees(lattice), prices)
    groups, rarity = np.arange(len(alike.sizes)), _rarity(alike.digits, alike.sizes)
    for stratum in range(int(alike.strata.max()) + 1):
        classes = _to_be_grouped(alike.sizes, np.flatnonzero(alike.strata == stratum), k)
        order = np.argsort(rarity[classes], kind="stable")
        rows = alike.digits[classes].astype(np.int32)
        joined = _grouped(rows, alike.sizes[classes], order, trees, k)
        groups[classes] = (stratum + 1) * len(groups) + joined
    return _recoding(lattice, alike, canonical(groups), trees)


def _grouped(rows: Codes, sizes: Indices, order: Indices, trees: Trees, k: int) -> Labels:
    """Groups of all rows at once where that is quick, else of those of each region."""
    if len(rows) <= AT_ONCE:
        return group_alike(rows, sizes, order, trees, k)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    labels, count = np.empty(len(rows), dtype=np.int64), 0
    for region in _regions(rows, trees, max(TOGETHER, MANY_GROUPS * k)):
        own = np.argsort(place[region])
        joined = group_alike(rows[region], sizes[region], own, trees, k)
        labels[region] = joined + count
        count += int(joined.max()) + 1
    return labels


def _regions(rows: Codes, trees: Trees, most: int) -> Iterator[Indices]:
    """Halves of halves along the attribute in which two records lose most when put together."""
    waiting = [np.arange(len(rows))]
    while waiting:
        region = waiting.pop()
        if len(region) <= most:
            yield region
            continue
        losses = [_loss_of_pairs(rows[region, a], a, trees) for a in range(rows.shape[1])]
        along = np.argsort(rows[region, int(np.argmax(losses))], kind="stable")
        half = len(region) // 2
        waiting += [region[np.sort(along[:half])], region[np.sort(along[half:])]]


def _loss_of_pairs(leaves: Codes, a: int, trees: Trees) -> float:
    """The mean loss of a cell that stands for two of the leaves of an attribute."""
    counts = np.bincount(leaves)
    present = np.flatnonzero(counts)
    shares, places = counts[present] / len(leaves), trees.starts[a] + present
    losses = trees.losses[places[:, None], trees.meets[places][:, present]]
    return float(shares @ losses @ shares)


def _alike(lattice: Lattice) -> _Alike:
    digits = unpacked(lattice.bottom.keys, lattice.layout)
    strata = classes_of(lattice.table, lattice.table.schema.with_role(Role.STRATUM)).labels
    classes = classes_of_columns([strata, lattice.labels], lattice.n_records)
    first = classes.representatives
    return _Alike(classes.labels, digits[lattice.labels[first]], classes.sizes, strata[first])


def _to_be_grouped(sizes: Indices, classes: Indices, k: int) -> Indices:
    """Those of fewer than k records, with the smallest others where all are fewer than k."""
    checked_k(k, int(sizes[classes].sum()))
    ordered = classes[np.argsort(sizes[classes], kind="stable")]
    small = int((sizes[classes] < k).sum())
    enough = int(np.searchsorted(np.cumsum(sizes[ordered]), k)) + 1
    return np.sort(ordered[: max(small, enough if small else 0)])


def _trees(lattice: Lattice) -> Trees:
    leaves = np.array([len(tree.categories) for tree in lattice.trees.values()], dtype=np.int64)
    return trees_of(lattice.layout, leaves, lattice.heights)


def _priced(trees: Trees, prices: Sequence[float]) -> Trees:
    """The trees with the losses of each attribute's cells multiplied by its price."""
    if not prices:
        return trees
    each = np.repeat(np.asarray(prices, dtype=np.float64), np.diff(trees.starts))
    return trees._replace(losses=np.ascontiguousarray(trees.losses * each[:, None]))


def _rarity(digits: Rows, sizes: Indices) -> Floats:
    """How unusual each row of leaves is: minus the logarithms of its values' frequencies."""
    rarity = np.zeros(len(digits))
    for column in digits.T:
        frequency = np.bincount(column, weights=sizes)
        rarity -= np.log(frequency[column])
    return rarity


def _recoding(lattice: Lattice, alike: _Alike, groups: Labels, trees: Trees) -> LocalRecoding:
    _, first = np.unique(groups, return_index=True)
    digits, leaves = alike.digits, alike.digits[first]
    levels = np.zeros_like(leaves)
    for a in range(digits.shape[1]):
        met = trees.meets[trees.starts[a] + leaves[groups, a], digits[:, a]]
        np.maximum.at(levels[:, a], groups, met)
    return LocalRecoding(lattice, groups[alike.labels], levels, leaves)
