"""Reading nodes one at a time, in any order, each merged from a finer one that is at hand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from evomask.arrays import Flags, Floats, Points
from evomask.errors import ParameterError
from evomask.kernels.lattice.classes import Merged, membership, merge, unpacked
from evomask.kernels.lattice.nodes import Rule, read
from evomask.searches.generalization.figures import Figures
from evomask.searches.generalization.indices import BINARY, ClassIndex, Equivalence, Index
from evomask.searches.generalization.lattice import Lattice, Levels

MEMORY = 256_000_000
"""Bytes of classes a reader keeps by default."""


@dataclass(eq=False)
class Reader:
    """A lattice under one rule of suppression, with the classes it has met.

    A node's classes are reached attribute by attribute, in the lattice's order; every node on
    that way is kept, so that neighbours share most of it. The oldest go when memory is full.

    Args:
        memory: bytes of classes to keep.
    """

    lattice: Lattice
    rule: Rule
    memory: int = MEMORY
    _kept: dict[Levels, Merged] = field(default_factory=dict)
    _bytes: int = 0

    def classes(self, levels: Levels) -> Merged:
        """The equivalence classes of a node."""
        way = tuple(levels[a] for a in self.lattice.order)
        return self._classes(_stripped(way))

    def _classes(self, way: Levels) -> Merged:
        """Classes with the first attributes at the levels of *way*, the others at 0."""
        if not way:
            return self.lattice.bottom
        if way in self._kept:
            return self._kept[way]
        finer = self._classes(_stripped(way[:-1]))
        attribute = int(self.lattice.order[len(way) - 1])
        classes = merge(finer, attribute, way[-1], self.lattice.layout)
        self._keep(way, classes)
        return classes

    def _keep(self, way: Levels, classes: Merged) -> None:
        self._bytes += _size(classes)
        self._kept[way] = classes
        while self._bytes > self.memory and len(self._kept) > 1:
            self._bytes -= _size(self._kept.pop(next(iter(self._kept))))

    def figures(self, levels: Levels) -> Figures:
        """The figures of one node, from its classes after suppression."""
        node = np.array(levels, dtype=np.int64)
        layout = self.lattice.layout
        whole, real = read(
            self.classes(levels), node, layout, self.lattice.base(levels), self.rule
        )  # fmt: skip
        return Figures(
            node[None], whole[None], real[None], layout.full, self.lattice.heights,
            self.lattice.n_records,
        )  # fmt: skip

    def equivalence(self, levels: Levels) -> Equivalence:
        """One node's classes, as a property of the user's sees them."""
        classes = self.classes(levels)
        return Equivalence(
            levels,
            unpacked(classes.keys, self.lattice.layout),
            classes.sizes,
            classes.counts[:, : self.lattice.sensitive],
            self._stays(classes, levels),
            self.lattice.n_records,
        )

    def _stays(self, classes: Merged, levels: Levels) -> Flags:
        stays: Flags = classes.sizes >= (self.rule.k or int(self.figures(levels).k[0]))
        if self.rule.distinct > 1:
            stays &= (classes.counts[:, : self.rule.sensitive] > 0).sum(1) >= self.rule.distinct
        return stays

    def suppressed(self, levels: Levels) -> Flags:
        """Flags of the records that a node leaves out."""
        classes = self.classes(levels)
        gone: Flags = ~self._stays(classes, levels)[self.lattice.membership(levels, classes)]
        return gone

    def sizes(self, levels: Levels) -> Floats:
        """For each record the size of its class; all records for one that is left out."""
        classes = self.classes(levels)
        stay = self._stays(classes, levels)
        return self.property_vector(levels, np.where(stay, classes.sizes, self.lattice.n_records))

    def own_counts(self, levels: Levels) -> Floats:
        """For each record how often its sensitive value is in its class; 0 where it is left out.

        Records stand in the order of the bottom's classes and, within these, of their values.
        """
        bottom, sensitive = self.lattice.bottom, self.lattice.sensitive
        classes = self.classes(levels)
        node = np.array(levels, dtype=np.int64)
        belongs = membership(classes, bottom, self.lattice.layout, node)
        counts = np.where(self._stays(classes, levels)[:, None], classes.counts[:, :sensitive], 0)
        times = bottom.counts[:, :sensitive].ravel()
        return np.repeat(counts[belongs].ravel(), times).astype(np.float64)

    def property_vector(self, levels: Levels, values: Floats) -> Floats:
        """For each record the value of its class, from one value for each class of a node."""
        return values[self.lattice.membership(levels, self.classes(levels))]


def _stripped(way: Levels) -> Levels:
    """Without the zeros at its end."""
    end = len(way)
    while end and not way[end - 1]:
        end -= 1
    return way[:end]


def _size(classes: Merged) -> int:
    return sum(array.nbytes for array in classes)


def require_sensitive(name: str, lattice: Lattice) -> None:
    """Refuse an objective that needs sensitive values where there are none."""
    if not lattice.sensitive:
        raise ParameterError(
            f"the objective {name} needs a sensitive attribute; "
            "name a confidential one that has categories"
        )


@dataclass(frozen=True)
class RelativeIndex:
    """A binary index whose second table is fixed: records compared with those of one node.

    Args:
        against: the node that every other one is compared with.
        compare: one number of the records' values in a node and in that one; more is better.
        sensitive: whether these are counts of their sensitive values, not class sizes.
    """

    name: str
    against: Levels
    compare: Callable[[Floats, Floats], float]
    largest: float
    sensitive: bool = False
    more: bool = True

    @classmethod
    def of(cls, name: str, lattice: Lattice, against: Sequence[int]) -> "RelativeIndex":
        """The binary index of that name, against a node of the lattice."""
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
        """How a node compares with the fixed one."""
        values = reader.own_counts if self.sensitive else reader.sizes
        return self.compare(values(levels), values(self.against))


AnyIndex = Index | ClassIndex | RelativeIndex


@dataclass(frozen=True, eq=False)
class Objectives:
    """What a node is judged by, as numbers that people read and as a fitness to minimise."""

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
        """The names of the objectives, in their order."""
        return tuple(index.name for index in self.indices)

    @property
    def shares(self) -> bool:
        """Whether the rule must take shares of sensitive values."""
        return any(isinstance(index, Index) and index.shares for index in self.indices)

    @property
    def from_figures(self) -> bool:
        """Whether figures alone tell every objective."""
        return all(isinstance(index, Index) for index in self.indices)

    @property
    def largest(self) -> Floats:
        """For each objective the bound K of its quality, at least 1 above every loss."""
        return np.array([self._bound(index) for index in self.indices])

    def _bound(self, index: AnyIndex) -> float:
        largest = index.largest(self.lattice) if isinstance(index, Index) else index.largest
        return largest if index.more else largest + 1.0

    def values(self, reader: Reader, levels: Levels) -> Floats:
        """The indices of one node, in their natural directions."""
        figures = reader.figures(levels)
        return np.array([_read(index, reader, levels, figures) for index in self.indices])

    def of_all(self, figures: Figures) -> Points:
        """The indices of many nodes, for indices that need figures alone."""
        custom = [index.name for index in self.indices if not isinstance(index, Index)]
        if custom:
            raise ParameterError(f"{custom[0]} is read node by node, not from figures")
        columns = [index.read(figures) for index in self.indices if isinstance(index, Index)]
        return np.column_stack(columns).astype(np.float64)

    def fitness(self, values: Points) -> Points:
        """To be minimised: minus a quality, a loss less its bound, as boxes need them."""
        more = np.array([index.more for index in self.indices])
        fitness: Points = np.where(more, -values, values - self.largest)
        return fitness

    def natural(self, fitness: Points) -> Points:
        """The values behind fitnesses, in the directions that the indices have."""
        more = np.array([index.more for index in self.indices])
        values: Points = np.where(more, -fitness, fitness + self.largest)
        return values


def _read(index: AnyIndex, reader: Reader, levels: Levels, figures: Figures) -> float:
    if isinstance(index, Index):
        return float(index.read(figures)[0])
    if isinstance(index, RelativeIndex):
        return index.read(reader, levels)
    return index.read(reader.equivalence(levels))
