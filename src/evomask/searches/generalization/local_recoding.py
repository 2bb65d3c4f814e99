"""Local recoding: every group of records is generalized only as far as necessary.

Unlike full-domain generalization, the same value may be generalized to different levels in
different groups, so the same k costs far less and no record is suppressed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.data.classes import classes_of, classes_of_columns
from evomask.data.partition import canonical, join_groups, validate_k
from evomask.data.recoding import CategorySets
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.evolution.individual import Outcome, Task
from evomask.kernels.lattice.classes import Rows, unpack_keys
from evomask.kernels.lattice.local_recoding import Hierarchies, build_hierarchies, cluster_records
from evomask.masking.provenance import Provenance, Step
from evomask.searches.base import MaskingProblem
from evomask.searches.generalization.lattice import Lattice, restrict_hierarchy
from evomask.searches.generalization.problem import NAME
from evomask.types import Codes, Flags, Floats, Indices, Labels

AT_ONCE = 25_000
"""Largest number of distinct records that are grouped at once."""

TOGETHER, MANY_GROUPS = 3_000, 4
"""Largest number of distinct records of a region: this, or the second number times k."""


@dataclass(frozen=True, eq=False)
class LocalRecoding:
    """Groups of records and the level of each attribute in each group.

    Args:
        labels: group of each record.
        levels: one row per group.
        leaves: a leaf of the group in each attribute, one row per group.
    """

    lattice: Lattice
    labels: Labels
    levels: Rows
    leaves: Rows

    @cached_property
    def losses(self) -> Floats:
        layout, sizes = self.lattice.layout, np.bincount(self.labels)
        a = np.arange(len(self.lattice.names))
        cells = layout.below[a, self.levels, self.leaves] / layout.full
        mean: Floats = sizes @ cells / len(self.labels)
        return mean

    @property
    def granularity(self) -> float:
        """1 minus the mean cell loss: 1 for the original, 0 if all is generalized."""
        return 1.0 - float(self.losses.mean())

    def applied(self) -> Table:
        table = self.lattice.source
        for a, name in enumerate(self.lattice.names):
            table = self.lattice.with_cells(table, name, *self._column(a, name))
        return table

    def _column(self, a: int, name: str) -> tuple[Codes, CategorySets]:
        """Recoded cells of one attribute; equal sets of leaves share one cell."""
        attribute = self.lattice.table.attribute(name)
        tree = restrict_hierarchy(self.lattice.trees[name], attribute)
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
class _DistinctRecords:
    """Distinct records of each stratum.

    Args:
        labels: position of each record among them.
        digits: their leaves, one row each.
        strata: their strata.
    """

    labels: Labels
    digits: Rows
    sizes: Indices
    strata: Labels


def recode_locally(lattice: Lattice, k: int, prices: Sequence[float] = ()) -> LocalRecoding:
    """Form groups of k or more records with little loss, greedily, common records first.

    Groups do not cross strata. Very many distinct records are grouped region by region.

    Args:
        prices: weight of the loss of a cell of each attribute; all equal by default.
    """
    k = validate_k(k, lattice.n_records)
    leaves = np.array([len(tree.categories) for tree in lattice.trees.values()], dtype=np.int64)
    trees = _weighted(build_hierarchies(lattice.layout, leaves, lattice.heights), prices)
    distinct = _distinct_records(lattice)
    groups, rarity = np.arange(len(distinct.sizes)), _rarity(distinct.digits, distinct.sizes)
    for stratum in range(int(distinct.strata.max()) + 1):
        classes = _classes_to_group(distinct.sizes, np.flatnonzero(distinct.strata == stratum), k)
        order = np.argsort(rarity[classes], kind="stable")
        rows = distinct.digits[classes].astype(np.int32)
        joined = _group_rows(rows, distinct.sizes[classes], order, trees, k)
        groups[classes] = (stratum + 1) * len(groups) + joined
    return _recoding(lattice, distinct, canonical(groups), trees)


def _group_rows(rows: Codes, sizes: Indices, order: Indices, trees: Hierarchies, k: int) -> Labels:
    if len(rows) <= AT_ONCE:
        return cluster_records(rows, sizes, order, trees, k)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    regions = _regions(rows, trees, max(TOGETHER, MANY_GROUPS * k))
    return join_groups(
        len(rows),
        ((r, cluster_records(rows[r], sizes[r], np.argsort(place[r]), trees, k)) for r in regions),
    )


def _regions(rows: Codes, trees: Hierarchies, most: int) -> Iterator[Indices]:
    """Bisect along the attribute in which merging two records loses most."""
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


def _loss_of_pairs(leaves: Codes, a: int, trees: Hierarchies) -> float:
    """Mean loss of a cell that covers two random leaves of an attribute."""
    counts = np.bincount(leaves)
    present = np.flatnonzero(counts)
    shares, places = counts[present] / len(leaves), trees.starts[a] + present
    losses = trees.losses[places[:, None], trees.meets[places][:, present]]
    return float(shares @ losses @ shares)


def _distinct_records(lattice: Lattice) -> _DistinctRecords:
    digits = unpack_keys(lattice.bottom.keys, lattice.layout)
    strata = classes_of(lattice.table, lattice.table.schema.with_role(Role.STRATUM)).labels
    classes = classes_of_columns([strata, lattice.labels], lattice.n_records)
    first = classes.representatives
    return _DistinctRecords(
        classes.labels, digits[lattice.labels[first]], classes.sizes, strata[first]
    )


def _classes_to_group(sizes: Indices, classes: Indices, k: int) -> Indices:
    """Classes below k, with the smallest others if these together are below k."""
    validate_k(k, int(sizes[classes].sum()))
    ordered = classes[np.argsort(sizes[classes], kind="stable")]
    small = int((sizes[classes] < k).sum())
    enough = int(np.searchsorted(np.cumsum(sizes[ordered]), k)) + 1
    return np.sort(ordered[: max(small, enough if small else 0)])


def _weighted(trees: Hierarchies, prices: Sequence[float]) -> Hierarchies:
    if not prices:
        return trees
    each = np.repeat(np.asarray(prices, dtype=np.float64), np.diff(trees.starts))
    return trees._replace(losses=np.ascontiguousarray(trees.losses * each[:, None]))


def _rarity(digits: Rows, sizes: Indices) -> Floats:
    """Sum of the negative log frequencies of each row's values."""
    rarity = np.zeros(len(digits))
    for column in digits.T:
        frequency = np.bincount(column, weights=sizes)
        rarity -= np.log(frequency[column])
    return rarity


def _recoding(
    lattice: Lattice, distinct: _DistinctRecords, groups: Labels, trees: Hierarchies
) -> LocalRecoding:
    _, first = np.unique(groups, return_index=True)
    digits, leaves = distinct.digits, distinct.digits[first]
    levels = np.zeros_like(leaves)
    for a in range(digits.shape[1]):
        met = trees.meets[trees.starts[a] + leaves[groups, a], digits[:, a]]
        np.maximum.at(levels[:, a], groups, met)
    return LocalRecoding(lattice, groups[distinct.labels], levels, leaves)


def local_provenance(lattice: Lattice, k: int) -> Provenance:
    """Return the provenance of the file of a local recoding."""
    return Provenance((Step(NAME, {"k": k}, lattice.names),), search=NAME)


@dataclass(frozen=True, eq=False)
class LocalRecodings(MaskingProblem):
    """The problem of local recoding: one initial genome, its k, for each k given."""

    lattice: Lattice
    group_sizes: tuple[int, ...]
    _known: dict[int, LocalRecoding] = field(default_factory=dict)

    def work(self, task: Task[int], rng: np.random.Generator) -> Outcome[int]:
        k = self.group_sizes[int(task.rival or 0)]
        readings = self.read(k, 0)
        return Outcome(k, (-readings["k"], readings["glm"]))

    def _recoding(self, k: int) -> LocalRecoding:
        if k not in self._known:
            self._known[k] = recode_locally(self.lattice, k)
        return self._known[k]

    def pack(self, k: int) -> Mapping[str, NDArray[Any]]:
        return {"k": np.array([k])}

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> int:
        return int(arrays["k"][0])

    def making(self, k: int) -> Provenance:
        return local_provenance(self.lattice, k)

    def decode(self, k: int, draw: int) -> Table:
        return self._recoding(k).applied()

    def read(self, k: int, draw: int) -> Mapping[str, float]:
        recoding = self._recoding(k)
        sizes = np.bincount(recoding.labels)
        cells = self.lattice.n_records * len(self.lattice.names)
        return {
            "k": float(sizes.min()),
            "glm": (1.0 - recoding.granularity) * cells,
            "granularity": recoding.granularity,
            "groups": float(len(sizes)),
            "suppressed": 0.0,
        }

    def answer(self, k: int) -> Mapping[str, object]:
        return {"lattice": self.lattice.size, "nodes_evaluated": 0}
