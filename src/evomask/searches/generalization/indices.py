"""Quality indices of nodes, each with its direction.

A property gives every record a number; an index aggregates them to one number, by the worst or the
sum. The indices below are computed from the statistics of a node; a user-defined one is a function
of its equivalence classes, see `worst`, `spread` and `ClassIndex`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evomask.errors import ParameterError
from evomask.kernels.lattice.classes import CountRows, Rows
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
        return float(_present(of(node), node)[node.stays].min(initial=np.inf))

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


def _present(values: Points, node: Equivalence) -> Points:
    return np.where(_weights(values, node) > 0, values, np.inf)


def class_sizes(node: Equivalence) -> Floats:
    """The property behind k and S_k: size of the record's class."""
    return node.sizes.astype(np.float64)


def own_value_counts(node: Equivalence) -> Points:
    """The property behind S_l: frequency of the record's sensitive value in its class."""
    return node.counts.astype(np.float64)


def _cells(lattice: Lattice) -> float:
    return float(lattice.n_records * len(lattice.names))


def _records(lattice: Lattice) -> float:
    return float(lattice.n_records)


def _squared(lattice: Lattice) -> float:
    return float(lattice.n_records) ** 2


def _unit(_: Lattice) -> float:
    return 1.0


def _values(lattice: Lattice) -> float:
    return float(lattice.sensitive)


def geometric_loss(losses: Points) -> Floats:
    """ARX's Loss from mean cell losses: geometric mean over attributes of 1 + loss, minus 1."""
    loss: Floats = np.expm1(np.log1p(losses).mean(axis=1))
    return loss


def _glm(figures: Figures) -> Floats:
    total: Floats = figures.losses.sum(axis=1) * figures.n_records
    return total


INDICES: tuple[Index, ...] = (
    Index(
        "k", MORE, "size of the smallest class", lambda f: f.k, _records, monotone=True,
        product=True,
    ),
    Index(
        "l", MORE, "fewest sensitive values in a class", lambda f: f.distinct, _values,
        sensitive=True,
    ),
    Index(
        "entropy", MORE, "fewest effective sensitive values in a class", lambda f: f.entropy,
        _values, sensitive=True, shares=True,
    ),
    Index(
        "t", LESS, "largest distance of a class' sensitive values to the table's",
        lambda f: f.closeness, _unit, sensitive=True, shares=True,
    ),
    Index(
        "sk", MORE, "class sizes, added over records", lambda f: f.sum_of_sizes, _squared,
        product=True,
    ),
    Index(
        "sl", MORE, "own sensitive value's count in the class, added (as in the paper)",
        lambda f: f.sum_of_agreeing, _squared, sensitive=True, product=True,
    ),
    Index(
        "agreement", LESS, "own sensitive value's share in the class, mean over records",
        lambda f: f.agreement, _unit, sensitive=True,
    ),
    Index("glm", LESS, "loss of cells, added (Iyengar)", _glm, _cells, separable=True),
    Index(
        "cm", LESS, "records not of their class' main label", lambda f: f.misclassified, _records,
        label=True,
    ),
    Index(
        "precision", MORE, "1 less mean level / height (Sweeney)", lambda f: f.precision, _unit,
        separable=True,
    ),
    Index(
        "discernibility", LESS, "class sizes added; the table's if suppressed",
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
