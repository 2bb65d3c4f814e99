"""The generalization lattice of a table, and the statistics of its nodes.

A node is one level per attribute. Records that are equal on all attributes are merged once; the
classes of every node are then merged from those of a finer one. Continuous attributes are
represented by the leaves of their hierarchies.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import TypeAlias

import numpy as np

from evomask.data.classes import classes_of_columns
from evomask.data.hierarchy import Bands, Hierarchy, HierarchyDefinitions, Line, fit_hierarchy
from evomask.data.hierarchy_builders import with_categories, with_codes
from evomask.data.recoding import CategorySets, Intervals
from evomask.data.schema import Attribute, Role
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.kernels.compiler.bundles import bundle_tuple
from evomask.kernels.lattice.classes import (
    LAYOUT,
    CountRows,
    EquivalenceClasses,
    Layout,
    Rows,
    fields,
    membership,
    merge,
    pack_keys,
    unpack_keys,
)
from evomask.kernels.lattice.nodes import (
    AGREEING,
    AGREEMENT,
    CLASSES,
    CLOSENESS,
    DISTINCT,
    ENTROPY,
    LOSSES,
    MAJORITY,
    SQUARES,
    SUPPRESSED,
    K,
    Rule,
    sweep,
)
from evomask.types import Codes, Flags, Floats, Indices, Labels, Points


@dataclass(frozen=True, eq=False)
class Figures:
    """Statistics of nodes, one row each: levels and sums over their equivalence classes.

    Args:
        whole, real: columns as defined by `evomask.kernels.lattice.nodes`.
        full: value of a suppressed cell of each attribute in *whole*.
        heights: highest level of each attribute.
    """

    levels: Rows
    whole: Rows
    real: Points
    full: Indices
    heights: Indices
    n_records: int

    def __len__(self) -> int:
        return len(self.levels)

    @property
    def k(self) -> Indices:
        return self.whole[:, K]

    @property
    def suppressed(self) -> Indices:
        return self.whole[:, SUPPRESSED]

    @property
    def classes(self) -> Indices:
        return self.whole[:, CLASSES]

    @property
    def distinct(self) -> Indices:
        return self.whole[:, DISTINCT]

    @property
    def entropy(self) -> Floats:
        return self.real[:, ENTROPY]

    @property
    def closeness(self) -> Floats:
        return self.real[:, CLOSENESS]

    @property
    def sum_of_sizes(self) -> Indices:
        return self.whole[:, SQUARES] + self.suppressed * self.n_records

    @property
    def sum_of_agreeing(self) -> Indices:
        return self.whole[:, AGREEING]

    @property
    def misclassified(self) -> Indices:
        return self.n_records - self.whole[:, MAJORITY]

    @property
    def losses(self) -> Points:
        mean: Points = self.whole[:, LOSSES:] / (self.full * self.n_records)
        return mean

    @property
    def agreement(self) -> Floats:
        mean: Floats = self.real[:, AGREEMENT] / self.n_records
        return mean

    @property
    def precision(self) -> Floats:
        shares = (self.levels / np.maximum(self.heights, 1)).mean(axis=1)
        precision: Floats = (1 - shares) * (1 - self.suppressed / self.n_records)
        return precision


Levels: TypeAlias = tuple[int, ...]

LARGEST_SWEEP = 20_000_000
"""Largest lattice whose nodes can all be evaluated in one sweep."""


@dataclass(frozen=True, eq=False)
class Ends:
    """Smallest and largest number of each leaf of the hierarchy of a continuous attribute.

    NaN for the leaf of missing values, and for one without records.
    """

    low: Floats
    high: Floats

    @classmethod
    def of(cls, codes: Codes, values: Floats, leaves: int) -> "Ends":
        low, high = np.full(leaves, np.inf), np.full(leaves, -np.inf)
        known = ~np.isnan(values)
        np.minimum.at(low, codes[known], values[known])
        np.maximum.at(high, codes[known], values[known])
        empty = low > high
        low[empty] = high[empty] = np.nan
        return cls(low, high)

    @property
    def are_exact(self) -> bool:
        return not bool((self.high > self.low).any())

    def intervals(self, sets: CategorySets) -> Intervals:
        low = np.fmin.reduce(np.where(sets.leaves, self.low, np.nan), axis=1)
        high = np.fmax.reduce(np.where(sets.leaves, self.high, np.nan), axis=1)
        return Intervals(sets.labels, low, high)


@dataclass(frozen=True, eq=False)
class Lattice:
    """All generalizations of a table.

    Args:
        trees: hierarchy of each attribute; it may have leaves without records.
        layout: how equivalence classes are keyed.
        bottom: equivalence classes without generalization.
        labels: class of each record in *bottom*.
        sensitive: number of sensitive values counted in *bottom*; class labels follow them.
        ordered: whether the sensitive values are ordinal.
        source: the original table, before continuous attributes are replaced by leaves.
        numbers: numbers behind the leaves of the attributes that are continuous in *source*.
    """

    table: Table
    trees: Mapping[str, Hierarchy]
    layout: Layout
    bottom: EquivalenceClasses
    labels: Labels
    sensitive: int
    ordered: bool
    source: Table
    numbers: Mapping[str, Ends] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.trees)

    @property
    def n_records(self) -> int:
        return len(self.table)

    @cached_property
    def heights(self) -> Indices:
        return np.array([tree.height for tree in self.trees.values()], dtype=np.int64)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(int(height) + 1 for height in self.heights)

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def top(self) -> Levels:
        return tuple(int(height) for height in self.heights)

    @cached_property
    def bases(self) -> Rows:
        bases = np.zeros((len(self.trees), int(self.heights.max()) + 1), dtype=np.int64)
        digits = unpack_keys(self.bottom.keys, self.layout)
        for a, height in enumerate(self.heights):
            for level in range(int(height) + 1):
                lost = self.layout.below[a, level, digits[:, a]]
                bases[a, level] = int((lost * self.bottom.sizes).sum())
        return bases

    @cached_property
    def order(self) -> Indices:
        left = [
            len(merge(self.bottom, a, int(height), self.layout).sizes)
            for a, height in enumerate(self.heights)
        ]
        return np.argsort(left, kind="stable")

    def base(self, levels: Sequence[int]) -> Indices:
        return self.bases[np.arange(len(levels)), list(levels)]

    def losses_by_level(self) -> list[Floats]:
        scale = self.layout.full * self.n_records
        return [self.bases[a, : h + 1] / scale[a] for a, h in enumerate(self.heights)]

    def checked(self, levels: Iterable[int]) -> Levels:
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
        """Return the rule of suppression: *limit* records, or all classes below k or *distinct*."""
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
        if self.size > LARGEST_SWEEP:
            raise ParameterError(
                f"a lattice of {self.size:,} nodes is too large to evaluate all; "
                "choose another algorithm"
            )
        whole, real = sweep(self.bottom, self.order, self.heights, self.layout, self.bases, rule)
        levels = np.stack(np.unravel_index(np.arange(self.size), self.shape), axis=1)
        return self.figures(levels, whole, real)

    def figures(self, levels: Rows, whole: Rows, real: Points) -> Figures:
        """Return the statistics of nodes of this lattice."""
        return Figures(levels, whole, real, self.layout.full, self.heights, self.n_records)

    def membership(self, levels: Levels, classes: EquivalenceClasses) -> Labels:
        node = np.array(levels, dtype=np.int64)
        return membership(classes, self.bottom, self.layout, node)[self.labels]

    def applied(self, levels: Iterable[int], suppressed: Flags | None = None) -> Table:
        table = self.source
        for name, level in zip(self.names, self.checked(levels), strict=True):
            if not level and name in self.numbers and self.numbers[name].are_exact:
                continue
            tree = restrict_hierarchy(self.trees[name], self.table.attribute(name))
            codes = tree.ancestors(level)[self.table.codes(name)]
            table = self.with_cells(table, name, codes, tree.recoding(level))
        return table if suppressed is None else table.suppressing(suppressed)

    def with_cells(self, table: Table, name: str, codes: Codes, sets: CategorySets) -> Table:
        numbers = self.numbers.get(name)
        return table.with_recoded(name, codes, numbers.intervals(sets) if numbers else sets)


def lattice_of(
    table: Table,
    trees: Mapping[str, Hierarchy],
    *,
    sensitive: str | None = None,
    label: str | None = None,
) -> Lattice:
    """Return the lattice over the attributes with a hierarchy, in the order of *trees*.

    Args:
        sensitive: attribute for l-diversity and t-closeness.
        label: class label for the classification metric (CM).
    """
    if not trees:
        raise ParameterError("generalization needs a hierarchy for at least one quasi-identifier")
    digits = np.column_stack([_leaf_positions(table, name, tree) for name, tree in trees.items()])
    layout = _layout(tuple(trees.values()))
    keys = pack_keys(digits, layout)
    classes = classes_of_columns(list(keys), len(table))
    counted = [name for name in (sensitive, label) if name is not None]
    bottom = EquivalenceClasses(
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


def _leaf_positions(table: Table, name: str, tree: Hierarchy) -> Indices:
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


def restrict_hierarchy(tree: Hierarchy, attribute: Attribute) -> Hierarchy:
    """Return the hierarchy restricted to the categories of the attribute."""
    place = {leaf: i for i, leaf in enumerate(tree.categories)}
    levels = tuple(
        tuple(level[place[c]] if c in place else c for c in attribute.categories)
        for level in tree.levels
    )
    return replace(tree, categories=attribute.categories, levels=levels)


def _layout(trees: tuple[Hierarchy, ...]) -> Layout:
    leaves = np.array([len(tree.categories) for tree in trees], dtype=np.int64)
    shape = len(trees), max(tree.height for tree in trees) + 1, int(leaves.max())
    lowest, below = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for a, tree in enumerate(trees):
        for level in range(tree.height + 1):
            _, first, cells, sizes = np.unique(
                tree.ancestors(level), return_index=True, return_inverse=True, return_counts=True
            )
            lowest[a, level, : len(cells)] = first[cells]
            below[a, level, : len(cells)] = sizes[cells] - 1
    return bundle_tuple(LAYOUT, Layout(*fields(leaves), lowest, below, np.maximum(leaves - 1, 1)))


def _counts(table: Table, names: list[str], labels: Labels, n_classes: int) -> CountRows:
    blocks = [np.zeros((n_classes, 0), dtype=np.int32)]
    for name in names:
        m = len(table.attribute(name).categories)
        cells = np.bincount(labels * m + table.codes(name), minlength=n_classes * m)
        blocks.append(cells.reshape(n_classes, m).astype(np.int32))
    return np.ascontiguousarray(np.hstack(blocks))


def lattice_for(
    table: Table, hierarchies: HierarchyDefinitions, attributes: Sequence[str] = (), label: str = ""
) -> Lattice:
    """Return the lattice over some attributes of a table, by default its quasi-identifiers.

    The first categorical confidential attribute is the sensitive one; the *label*, by which
    records are classified, is not generalized.
    """
    names = [n for n in attributes or table.schema.quasi_identifiers if n != label]
    _require_hierarchies(table, hierarchies, names)
    coded = with_categories(table, label) if label else table
    trees: dict[str, Hierarchy] = {}
    numbers: dict[str, Ends] = {}
    for name in names:
        if not table.attribute(name).is_categorical:
            coded, numbers[name] = _numbers_as_leaves(coded, name, hierarchies[name])
        tree = hierarchies[name]
        trees[name] = (
            tree.hierarchy(missing=coded.attribute(name).has_missing)
            if isinstance(tree, Bands)
            else fit_hierarchy(name, tree, coded)
        )
    confidential = table.schema.with_role(Role.CONFIDENTIAL)
    sensitive = (name for name in confidential if table.attribute(name).is_categorical)
    lattice = lattice_of(coded, trees, sensitive=next(sensitive, None), label=label or None)
    return replace(lattice, source=table, numbers=numbers)


def _numbers_as_leaves(table: Table, name: str, tree: Sequence[Line] | Bands) -> tuple[Table, Ends]:
    values = table.values(name)
    if isinstance(tree, Bands):
        missing = bool(np.isnan(values).any())
        leaves = tree.hierarchy(missing=missing).categories
        coded = with_codes(table, name, tree.codes(values), leaves)
    else:
        coded = with_categories(table, name)
    codes, size = coded.codes(name), len(coded.attribute(name).categories)
    return coded, Ends.of(codes, values, size)


def _require_hierarchies(
    table: Table, hierarchies: HierarchyDefinitions, names: Sequence[str]
) -> None:
    for name in names:
        table.attribute(name)
    lacking = [name for name in names if name not in hierarchies]
    if lacking:
        raise SchemaError(
            f"no hierarchy for {lacking[0]!r}; add a file to --hierarchies, "
            "or name what to generalize with --attributes"
        )
