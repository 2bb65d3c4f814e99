"""The lattice of generalization levels over one table.

A node is one level per attribute. Records equal on all attributes are put together once; the
classes of every node are then merged from those of a finer one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from evomask.arrays import Codes, Flags, Floats, Indices, Labels
from evomask.data.classes import classes_of_columns
from evomask.data.hierarchy import Hierarchy
from evomask.data.recoding import CategorySets, Intervals
from evomask.data.schema import Attribute
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.kernels.bundles import laid
from evomask.kernels.lattice.classes import (
    LAYOUT,
    CountRows,
    Layout,
    Merged,
    Rows,
    Tables,
    fields,
    membership,
    merge,
    packed,
    unpacked,
)
from evomask.kernels.lattice.nodes import Rule, sweep
from evomask.searches.generalization.figures import Figures

Levels: TypeAlias = tuple[int, ...]

LARGEST_SWEEP = 20_000_000
"""Nodes whose figures are still read all at once."""


@dataclass(frozen=True, eq=False)
class Ends:
    """The least and the greatest number that each leaf of a number's tree stands for.

    NaN for the leaf of missing values, and for one that no record has.
    """

    low: Floats
    high: Floats

    @classmethod
    def of(cls, codes: Codes, values: Floats, leaves: int) -> "Ends":
        """From the leaf and the number of each record."""
        low, high = np.full(leaves, np.inf), np.full(leaves, -np.inf)
        known = ~np.isnan(values)
        np.minimum.at(low, codes[known], values[known])
        np.maximum.at(high, codes[known], values[known])
        empty = low > high
        low[empty] = high[empty] = np.nan
        return cls(low, high)

    @property
    def are_exact(self) -> bool:
        """Whether no leaf stands for two different numbers."""
        return not bool((self.high > self.low).any())

    def intervals(self, sets: CategorySets) -> Intervals:
        """What sets of leaves stand for, as intervals of numbers."""
        low = np.fmin.reduce(np.where(sets.leaves, self.low, np.nan), axis=1)
        high = np.fmax.reduce(np.where(sets.leaves, self.high, np.nan), axis=1)
        return Intervals(sets.labels, low, high)


@dataclass(frozen=True, eq=False)
class Lattice:
    """Every way to generalize a table, ready to be read.

    Args:
        trees: the value tree of each attribute; it may have leaves that no record has.
        layout: how classes are keyed.
        bottom: the classes when nothing is generalized.
        labels: for each record its class in *bottom*.
        sensitive: how many sensitive values *bottom* counts; labels for a classifier follow.
        ordered: whether the sensitive values have an order.
        source: the table as it came, where numbers are not yet leaves.
        numbers: what the leaves of those attributes stand for that are numbers in *source*.
    """

    table: Table
    trees: Mapping[str, Hierarchy]
    layout: Layout
    bottom: Merged
    labels: Labels
    sensitive: int
    ordered: bool
    source: Table
    numbers: Mapping[str, Ends] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The generalized attributes, in the order of levels."""
        return tuple(self.trees)

    @property
    def n_records(self) -> int:
        """How many records the table has."""
        return len(self.table)

    @cached_property
    def heights(self) -> Indices:
        """The highest level of each attribute."""
        return np.array([tree.height for tree in self.trees.values()], dtype=np.int64)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many levels each attribute has."""
        return tuple(int(height) + 1 for height in self.heights)

    @property
    def size(self) -> int:
        """How many nodes there are: the product of the numbers of levels."""
        size = 1
        for levels in self.shape:
            size *= levels
        return size

    @property
    def top(self) -> Levels:
        """The node where everything is generalized."""
        return tuple(int(height) for height in self.heights)

    @cached_property
    def bases(self) -> Rows:
        """Loss of each attribute at each level with no record suppressed, in units of `full`."""
        bases = np.zeros((len(self.trees), int(self.heights.max()) + 1), dtype=np.int64)
        digits = unpacked(self.bottom.keys, self.layout)
        for a, height in enumerate(self.heights):
            for level in range(int(height) + 1):
                lost = self.layout.below[a, level, digits[:, a]]
                bases[a, level] = int((lost * self.bottom.sizes).sum())
        return bases

    @cached_property
    def order(self) -> Indices:
        """Attributes, the one that merges most classes in front: the best order to merge in."""
        left = [
            len(merge(self.bottom, a, int(height), self.layout).sizes)
            for a, height in enumerate(self.heights)
        ]
        return np.argsort(left, kind="stable")

    @cached_property
    def shares(self) -> Floats:
        """The share of records that have each sensitive value."""
        shares: Floats = self.bottom.counts[:, : self.sensitive].sum(axis=0) / self.n_records
        return shares

    def base(self, levels: Sequence[int]) -> Indices:
        """The attributes' losses at a node with no record suppressed, in units of `full`."""
        return self.bases[np.arange(len(levels)), list(levels)]

    def losses_by_level(self) -> list[Floats]:
        """For each attribute its mean cell loss at every level, from 0 to 1."""
        scale = self.layout.full * self.n_records
        return [self.bases[a, : h + 1] / scale[a] for a, h in enumerate(self.heights)]

    def checked(self, levels: Iterable[int]) -> Levels:
        """Levels as whole numbers, or an error that says what is wrong with them."""
        node = tuple(int(level) for level in levels)
        if len(node) != len(self.trees):
            raise ParameterError(
                f"a node needs a level for each of {len(self.trees)} attributes, got {len(node)}"
            )
        for name, level, height in zip(self.names, node, self.heights, strict=True):
            if not 0 <= level <= height:
                raise ParameterError(f"the level of {name!r} must lie in 0 to {height}")
        return node

    def rule(self, *, limit: int = 0, k: int = 0, distinct: int = 0, shares: bool = False) -> Rule:
        """What is suppressed: at most *limit* records, or all in classes too small or uniform."""
        if not 0 <= limit <= self.n_records or (not k and limit == self.n_records):
            raise ParameterError(
                f"the suppression limit must leave at least one of {self.n_records} records"
            )
        if distinct > 1 and not self.sensitive:
            raise ParameterError("diversity needs a sensitive attribute; name a confidential one")
        if shares and not self.sensitive:
            raise ParameterError("closeness needs a sensitive attribute; name a confidential one")
        kind = (2 if self.ordered else 1) if shares else 0
        return Rule(limit, k, distinct, self.sensitive, kind)

    def sweep(self, rule: Rule) -> Figures:
        """The figures of every node, nodes in the lexicographic order of their levels."""
        if self.size > LARGEST_SWEEP:
            raise ParameterError(
                f"a lattice of {self.size:,} nodes is too large to read them all; search it instead"
            )
        whole, real = sweep(
            self.bottom, self.order, self.heights, self.layout, self.bases, rule
        )  # fmt: skip
        levels = np.stack(np.unravel_index(np.arange(self.size), self.shape), axis=1)
        return Figures(levels, whole, real, self.layout.full, self.heights, self.n_records)

    def membership(self, levels: Levels, classes: Merged) -> Labels:
        """For each record its class among those of a node."""
        node = np.array(levels, dtype=np.int64)
        return membership(classes, self.bottom, self.layout, node)[self.labels]

    def applied(self, levels: Iterable[int], suppressed: Flags | None = None) -> Table:
        """The table generalized to a node, with some records flagged as suppressed."""
        table = self.source
        for name, level in zip(self.names, self.checked(levels), strict=True):
            if not level and name in self.numbers and self.numbers[name].are_exact:
                continue
            tree = restricted(self.trees[name], self.table.attribute(name))
            codes = tree.ancestors(level)[self.table.codes(name)]
            table = self.with_cells(table, name, codes, tree.recoding(level))
        return table if suppressed is None else table.suppressing(suppressed)

    def with_cells(self, table: Table, name: str, codes: Codes, sets: CategorySets) -> Table:
        """A table like the source with cells of one attribute that are sets of leaves."""
        numbers = self.numbers.get(name)
        return table.with_recoded(name, codes, numbers.intervals(sets) if numbers else sets)


def lattice_of(
    table: Table,
    trees: Mapping[str, Hierarchy],
    *,
    sensitive: str | None = None,
    label: str | None = None,
) -> Lattice:
    """The lattice over the attributes that have a tree, in the order of *trees*.

    Args:
        sensitive: the attribute whose values l-diversity and t-closeness look at.
        label: the attribute that a classifier is to learn (CM).
    """
    if not trees:
        raise ParameterError("generalization needs a hierarchy for at least one quasi-identifier")
    digits = np.column_stack([_leaves_of(table, name, tree) for name, tree in trees.items()])
    layout = _layout(tuple(trees.values()))
    keys = packed(digits, layout)
    classes = classes_of_columns(list(keys), len(table))
    counted = [name for name in (sensitive, label) if name is not None]
    bottom = Merged(
        np.ascontiguousarray(keys[:, classes.representatives]),
        classes.sizes,
        _counts(table, counted, classes.labels, len(classes)),
    )
    return Lattice(
        table,
        dict(trees),
        layout,
        bottom,
        classes.labels,
        len(table.attribute(sensitive).categories) if sensitive else 0,
        bool(sensitive) and table.attribute(str(sensitive)).kind == "ordinal",
        table,
    )


def _leaves_of(table: Table, name: str, tree: Hierarchy) -> Indices:
    """For each record the position of its value among the leaves of the tree."""
    codes = table.codes(name)
    place = {leaf: i for i, leaf in enumerate(tree.categories)}
    categories = table.attribute(name).categories
    leaves = np.array([place.get(category, -1) for category in categories], dtype=np.int64)
    places = leaves[codes]
    if (places < 0).any():
        raise SchemaError(
            f"the hierarchy of {name!r} lacks {len(np.unique(codes[places < 0]))} of its values; "
            "add a line for each"
        )
    return places


def restricted(tree: Hierarchy, attribute: Attribute) -> Hierarchy:
    """The tree over the attribute's own categories; one without a leaf stands for itself."""
    place = {leaf: i for i, leaf in enumerate(tree.categories)}
    levels = tuple(
        tuple(level[place[c]] if c in place else c for c in attribute.categories)
        for level in tree.levels
    )
    return replace(tree, categories=attribute.categories, levels=levels)


def _layout(trees: tuple[Hierarchy, ...]) -> Layout:
    leaves = np.array([len(tree.categories) for tree in trees], dtype=np.int64)
    lowest, below = _tables(trees)
    return laid(LAYOUT, Layout(*fields(leaves), lowest, below, np.maximum(leaves - 1, 1)))


def _tables(trees: tuple[Hierarchy, ...]) -> tuple[Tables, Tables]:
    """Lowest leaf below each leaf's ancestor, and how many leaves besides are below it."""
    shape = (
        len(trees),
        max(tree.height for tree in trees) + 1,
        max(len(tree.categories) for tree in trees),
    )
    lowest, below = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for a, tree in enumerate(trees):
        for level in range(tree.height + 1):
            _, first, cells, sizes = np.unique(
                tree.ancestors(level), return_index=True, return_inverse=True, return_counts=True
            )
            lowest[a, level, : len(cells)] = first[cells]
            below[a, level, : len(cells)] = sizes[cells] - 1
    return lowest, below


def _counts(table: Table, names: list[str], labels: Labels, n_classes: int) -> CountRows:
    """How often each class has each category of the named attributes, side by side."""
    blocks = [np.zeros((n_classes, 0), dtype=np.int32)]
    for name in names:
        m = len(table.attribute(name).categories)
        cells = np.bincount(labels * m + table.codes(name), minlength=n_classes * m)
        blocks.append(cells.reshape(n_classes, m).astype(np.int32))
    return np.ascontiguousarray(np.hstack(blocks))
