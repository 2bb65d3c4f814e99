"""Evaluation of single nodes in any order, merging classes from cached finer nodes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from evomask.errors import ParameterError
from evomask.kernels.lattice.classes import EquivalenceClasses, membership, merge, unpack_keys
from evomask.kernels.lattice.nodes import Rule, evaluate_node
from evomask.searches.generalization.indices import BINARY, ClassIndex, Equivalence, Index
from evomask.searches.generalization.lattice import Figures, Lattice, Levels
from evomask.types import Flags, Floats, Points

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
        layout = self.lattice.layout
        whole, real = evaluate_node(
            self.classes(levels), node, layout, self.lattice.base(levels), self.rule
        )  # fmt: skip
        return Figures(
            node[None], whole[None], real[None], layout.full, self.lattice.heights,
            self.lattice.n_records,
        )  # fmt: skip

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
        for index in self.indices:
            self._check(index)

    def _check(self, index: AnyIndex) -> None:
        if not isinstance(index, Index):
            return
        if index.sensitive:
            require_sensitive(index.name, self.lattice)
        if index.label and self.lattice.bottom.counts.shape[1] == self.lattice.sensitive:
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
        return np.array([self._bound(index) for index in self.indices])

    def _bound(self, index: AnyIndex) -> float:
        largest = index.largest(self.lattice) if isinstance(index, Index) else index.largest
        return largest if index.more else largest + 1.0

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
