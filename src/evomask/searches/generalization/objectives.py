"""Objectives of nodes: quality indices, each with its direction, and the evaluation of nodes.

A property gives every record a number; an index aggregates them to one number, by the worst or the
sum. The indices below are computed from the statistics of a node; a user-defined one is a function
of its equivalence classes, see `worst`, `spread` and `ClassIndex`. Nodes are evaluated in any
order; their classes are merged from those of cached finer nodes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evomask.errors import ParameterError
from evomask.kernels.lattice.classes import (
    CountRows,
    EquivalenceClasses,
    Rows,
    membership,
    merge,
    unpack_keys,
)
from evomask.kernels.lattice.nodes import Rule, evaluate_node
from evomask.searches.generalization.lattice import Figures, Lattice, Levels
from evomask.types import Flags, Floats, Indices, Points

MORE, LESS = True, False
"""Whether larger or smaller values of an index are better."""


@dataclass(frozen=True)
class Index:
    """An index computed from the statistics of nodes.

    Args:
        more: whether larger is better.
        largest: upper bound of the values.
        sensitive: whether it needs a sensitive attribute.
        shares: whether it needs the distribution of sensitive values.
        label: whether it needs a class label.
        separable: whether, without suppression, it depends on the levels only.
        monotone: whether it never falls when a level rises.
        product: whether it is nearly a product over attributes, as class sizes are.
    """

    name: str
    more: bool
    meaning: str
    read: Callable[[Figures], Floats | Indices]
    largest: Callable[[Lattice], float]
    sensitive: bool = False
    shares: bool = False
    label: bool = False
    separable: bool = False
    monotone: bool = False
    product: bool = False


@dataclass(frozen=True, eq=False)
class Equivalence:
    """The equivalence classes of one node, one row each.

    Args:
        leaves: for each attribute the lowest leaf below the class' ancestor.
        counts: frequency of each sensitive value in each class.
        stays: flags the classes that are not suppressed.
    """

    levels: Levels
    leaves: Rows
    sizes: Indices
    counts: CountRows
    stays: Flags
    n_records: int


@dataclass(frozen=True)
class ClassIndex:
    """A user-defined index, computed from the equivalence classes of one node.

    Args:
        more: whether larger is better.
        largest: upper bound of the values, which places the boxes of losses; 0 if unknown.
    """

    name: str
    more: bool
    read: Callable[[Equivalence], float]
    largest: float = 0.0


Property = Callable[[Equivalence], NDArray[np.float64]]
"""A value for the records of each class, or of each class and sensitive value."""


def worst(name: str, of: Property, *, largest: float = 0.0) -> ClassIndex:
    """Return an index: the smallest value of a property among the records not suppressed."""

    def read(node: Equivalence) -> float:
        values = of(node)
        present = np.where(_weights(values, node) > 0, values, np.inf)
        return float(present[node.stays].min(initial=np.inf))

    return ClassIndex(name, more=True, read=read, largest=largest)


def spread(
    name: str, of: Property, *, if_suppressed: float = 0.0, more: bool = True, largest: float = 0.0
) -> ClassIndex:
    """Return an index: the sum of a property over all records."""

    def read(node: Equivalence) -> float:
        gone = float(node.sizes[~node.stays].sum()) * if_suppressed
        return gone + float(np.sum((of(node) * _weights(of(node), node))[node.stays]))

    return ClassIndex(name, more=more, read=read, largest=largest)


def spread_over(first: Floats, second: Floats) -> float:
    """Binary spread: total gain of the records for which *first* is larger."""
    return float(np.maximum(first - second, 0.0).sum())


def covered(first: Floats, second: Floats) -> float:
    """Count the records for which *first* is at least as large as *second*."""
    return float(np.sum(first >= second))


def _weights(values: Points, node: Equivalence) -> NDArray[np.int64]:
    return node.sizes if values.ndim == 1 else node.counts.astype(np.int64)


def class_sizes(node: Equivalence) -> Floats:
    """The property behind k and S_k: size of the record's class."""
    return node.sizes.astype(np.float64)


def own_value_counts(node: Equivalence) -> Points:
    """The property behind S_l: frequency of the record's sensitive value in its class."""
    return node.counts.astype(np.float64)


def _records(lattice: Lattice) -> float:
    return float(lattice.n_records)


def _squared(lattice: Lattice) -> float:
    return float(lattice.n_records) ** 2


def _unit(_: Lattice) -> float:
    return 1.0


def geometric_loss(losses: Points) -> Floats:
    """ARX's Loss from mean cell losses: geometric mean over attributes of 1 + loss, minus 1."""
    loss: Floats = np.expm1(np.log1p(losses).mean(axis=1))
    return loss


INDICES: tuple[Index, ...] = (
    Index(
        "k", MORE, "size of the smallest class", lambda f: f.k, _records, monotone=True,
        product=True,
    ),
    Index(
        "l", MORE, "fewest sensitive values in a class", lambda f: f.distinct,
        lambda lattice: float(lattice.sensitive), sensitive=True,
    ),
    Index(
        "entropy", MORE, "fewest effective sensitive values in a class", lambda f: f.entropy,
        lambda lattice: float(lattice.sensitive), sensitive=True, shares=True,
    ),
    Index(
        "t", LESS, "largest distance of a class' sensitive values to the table's",
        lambda f: f.closeness, _unit, sensitive=True, shares=True,
    ),
    Index(
        "sk", MORE, "sum of class sizes over records", lambda f: f.sum_of_sizes, _squared,
        product=True,
    ),
    Index(
        "sl", MORE, "sum of the counts of own sensitive values in classes (as in the paper)",
        lambda f: f.sum_of_agreeing, _squared, sensitive=True, product=True,
    ),
    Index(
        "agreement", LESS, "mean share of a record's sensitive value in its class",
        lambda f: f.agreement, _unit, sensitive=True,
    ),
    Index(
        "glm", LESS, "sum of the losses of cells (Iyengar)",
        lambda f: f.losses.sum(axis=1) * f.n_records,
        lambda lattice: float(lattice.n_records * len(lattice.names)), separable=True,
    ),
    Index(
        "cm", LESS, "records without the label of their class", lambda f: f.misclassified, _records,
        label=True,
    ),
    Index(
        "precision", MORE, "1 minus mean level / height (Sweeney)", lambda f: f.precision, _unit,
        separable=True,
    ),
    Index(
        "discernibility", LESS, "sum of class sizes; table size if suppressed",
        lambda f: f.sum_of_sizes, _squared, product=True,
    ),
    Index("loss", LESS, "ARX's Loss", lambda f: geometric_loss(f.losses), _unit, separable=True),
)  # fmt: skip


class Binary(NamedTuple):
    """A binary index: comparison of the records' values in two tables.

    Args:
        compare: function of the values in both tables, record by record; larger is better.
        largest: upper bound of the values.
        sensitive: whether the values are frequencies of the own sensitive value in the class (0
            for a suppressed record), not class sizes.
    """

    compare: Callable[[Floats, Floats], float]
    largest: Callable[[Lattice], float]
    sensitive: bool = False


BINARY: Mapping[str, Binary] = {
    "gain": Binary(spread_over, _squared),
    "cover": Binary(covered, _records),
    "gain-sl": Binary(spread_over, _squared, sensitive=True),
    "cover-sl": Binary(covered, _records, sensitive=True),
}
"""Binary indices of both properties of the paper; see `RelativeIndex`."""


def index_named(name: str) -> Index:
    """Return the index of that name; the error for an unknown name lists all."""
    for index in INDICES:
        if index.name == name:
            return index
    known = ", ".join([*(i.name for i in INDICES), *BINARY])
    raise ParameterError(f"no objective is called {name!r}; there are {known}")


MEMORY = 256_000_000
"""Default size of the cache of classes in bytes."""


@dataclass(eq=False)
class Reader:
    """Evaluator of the nodes of a lattice under one rule of suppression.

    The classes of a node are merged attribute by attribute, in the lattice's order; every
    intermediate node is cached, so that neighbours share most of the work. The oldest are dropped
    when the cache is full.

    Args:
        memory: size of the cache in bytes.
    """

    lattice: Lattice
    rule: Rule
    memory: int = MEMORY
    _cache: dict[Levels, EquivalenceClasses] = field(default_factory=dict)
    _bytes: int = 0

    def classes(self, levels: Levels) -> EquivalenceClasses:
        way = tuple(levels[a] for a in self.lattice.order)
        return self._classes(_strip_zeros(way))

    def _classes(self, way: Levels) -> EquivalenceClasses:
        """Classes with the first attributes at the levels of *way*, the others at 0."""
        if not way:
            return self.lattice.bottom
        if way in self._cache:
            return self._cache[way]
        finer = self._classes(_strip_zeros(way[:-1]))
        attribute = int(self.lattice.order[len(way) - 1])
        classes = merge(finer, attribute, way[-1], self.lattice.layout)
        self._store(way, classes)
        return classes

    def _store(self, way: Levels, classes: EquivalenceClasses) -> None:
        self._bytes += _size(classes)
        self._cache[way] = classes
        while self._bytes > self.memory and len(self._cache) > 1:
            self._bytes -= _size(self._cache.pop(next(iter(self._cache))))

    def figures(self, levels: Levels) -> Figures:
        """Return the statistics of one node after suppression."""
        node = np.array(levels, dtype=np.int64)
        lattice = self.lattice
        whole, real = evaluate_node(
            self.classes(levels), node, lattice.layout, lattice.base(levels), self.rule
        )
        return lattice.figures(node[None], whole[None], real[None])

    def equivalence(self, levels: Levels) -> Equivalence:
        """Return the classes of one node, as user-defined properties see them."""
        classes = self.classes(levels)
        return Equivalence(
            levels,
            unpack_keys(classes.keys, self.lattice.layout),
            classes.sizes,
            classes.counts[:, : self.lattice.sensitive],
            self._stays(classes, levels),
            self.lattice.n_records,
        )

    def _stays(self, classes: EquivalenceClasses, levels: Levels) -> Flags:
        stays: Flags = classes.sizes >= (self.rule.k or int(self.figures(levels).k[0]))
        if self.rule.distinct > 1:
            stays &= (classes.counts[:, : self.rule.sensitive] > 0).sum(1) >= self.rule.distinct
        return stays

    def suppressed(self, levels: Levels) -> Flags:
        classes = self.classes(levels)
        gone: Flags = ~self._stays(classes, levels)[self.lattice.membership(levels, classes)]
        return gone

    def sizes(self, levels: Levels) -> Floats:
        """Return the class size of each record; the number of records for a suppressed one."""
        classes = self.classes(levels)
        stay = self._stays(classes, levels)
        return self.property_vector(levels, np.where(stay, classes.sizes, self.lattice.n_records))

    def own_counts(self, levels: Levels) -> Floats:
        """Return the frequency of each record's sensitive value in its class; 0 if suppressed.

        Records are in the order of the bottom's classes and, within these, of their values.
        """
        bottom, sensitive = self.lattice.bottom, self.lattice.sensitive
        classes = self.classes(levels)
        node = np.array(levels, dtype=np.int64)
        belongs = membership(classes, bottom, self.lattice.layout, node)
        counts = np.where(self._stays(classes, levels)[:, None], classes.counts[:, :sensitive], 0)
        times = bottom.counts[:, :sensitive].ravel()
        return np.repeat(counts[belongs].ravel(), times).astype(np.float64)

    def property_vector(self, levels: Levels, values: Floats) -> Floats:
        return values[self.lattice.membership(levels, self.classes(levels))]


def _strip_zeros(way: Levels) -> Levels:
    end = len(way)
    while end and not way[end - 1]:
        end -= 1
    return way[:end]


def _size(classes: EquivalenceClasses) -> int:
    return sum(array.nbytes for array in classes)


def require_sensitive(name: str, lattice: Lattice) -> None:
    """Raise an error if an objective needs sensitive values and there are none."""
    if not lattice.sensitive:
        raise ParameterError(
            f"the objective {name} needs a sensitive attribute; "
            "name a confidential one that has categories"
        )


@dataclass(frozen=True)
class RelativeIndex:
    """A binary index against a fixed node.

    Args:
        against: the node that every other one is compared with.
        compare: function of the records' values in a node and in that one; larger is better.
        sensitive: whether the values are frequencies of sensitive values, not class sizes.
    """

    name: str
    against: Levels
    compare: Callable[[Floats, Floats], float]
    largest: float
    sensitive: bool = False
    more: bool = True

    @classmethod
    def of(cls, name: str, lattice: Lattice, against: Sequence[int]) -> "RelativeIndex":
        node, heights = tuple(against), [size - 1 for size in lattice.shape]
        inside = len(node) == len(heights) and all(
            0 <= level <= height for level, height in zip(node, heights, strict=True)
        )
        if not inside:
            raise ParameterError(
                f"the objective {name} needs against: a level for each of "
                f"{', '.join(lattice.names)}, at most {', '.join(map(str, heights))}"
            )
        binary = BINARY[name]
        if binary.sensitive:
            require_sensitive(name, lattice)
        return cls(name, node, binary.compare, binary.largest(lattice), binary.sensitive)

    def read(self, reader: Reader, levels: Levels) -> float:
        values = reader.own_counts if self.sensitive else reader.sizes
        return self.compare(values(levels), values(self.against))


AnyIndex = Index | ClassIndex | RelativeIndex


@dataclass(frozen=True, eq=False)
class Objectives:
    """Objectives of nodes, as natural values and as a fitness to minimise."""

    lattice: Lattice
    indices: tuple[AnyIndex, ...]

    def __post_init__(self) -> None:
        if not self.indices:
            raise ParameterError("a search needs at least one objective, such as k or glm")
        has_label = self.lattice.bottom.counts.shape[1] > self.lattice.sensitive
        for index in self.indices:
            if isinstance(index, Index) and index.sensitive:
                require_sensitive(index.name, self.lattice)
            if isinstance(index, Index) and index.label and not has_label:
                raise ParameterError(
                    f"the objective {index.name} needs a label to classify by; name an attribute"
                )

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(index.name for index in self.indices)

    @property
    def shares(self) -> bool:
        return any(isinstance(index, Index) and index.shares for index in self.indices)

    @property
    def from_figures(self) -> bool:
        """Whether all objectives are computed from node statistics alone."""
        return all(isinstance(index, Index) for index in self.indices)

    @property
    def largest(self) -> Floats:
        """Upper bound K of each quality; of a loss at least 1 above every value."""
        bounds = (
            index.largest(self.lattice) if isinstance(index, Index) else index.largest
            for index in self.indices
        )
        return np.array([b + (not i.more) for b, i in zip(bounds, self.indices, strict=True)])

    def values(self, reader: Reader, levels: Levels) -> Floats:
        figures = reader.figures(levels)
        return np.array([_read(index, reader, levels, figures) for index in self.indices])

    def of_all(self, figures: Figures) -> Points:
        """Return the indices of many nodes from their statistics."""
        custom = [index.name for index in self.indices if not isinstance(index, Index)]
        if custom:
            raise ParameterError(f"{custom[0]} is computed node by node, not from node statistics")
        columns = [index.read(figures) for index in self.indices if isinstance(index, Index)]
        return np.column_stack(columns).astype(np.float64)

    def fitness(self, values: Points) -> Points:
        """Return values to minimise: minus a quality, or a loss minus its bound."""
        more = np.array([index.more for index in self.indices])
        fitness: Points = np.where(more, -values, values - self.largest)
        return fitness

    def natural(self, fitness: Points) -> Points:
        """Return the natural values of fitnesses."""
        more = np.array([index.more for index in self.indices])
        values: Points = np.where(more, -fitness, fitness + self.largest)
        return values


def _read(index: AnyIndex, reader: Reader, levels: Levels, figures: Figures) -> float:
    if isinstance(index, Index):
        return float(index.read(figures)[0])
    if isinstance(index, RelativeIndex):
        return index.read(reader, levels)
    return index.read(reader.equivalence(levels))
