"""Expected information loss under PRAM, without drawing files.

Accuracy is exact. Shares of bins and cells of tables are sums of independent draws, approximated
by normal variables: see `kernels.pram.expected_loss`. Rare categories that share a bin change as
their mean does, by frequency. Numbers, and attributes without a matrix, do not change.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.kernels.compiler.bundles import bundle_tuple
from evomask.kernels.pram.expected_loss import LOSS_INPUT, LossInput, expected_losses
from evomask.measures.loss.accuracy import CategoryAccuracy
from evomask.measures.loss.bins import BinnedColumn
from evomask.measures.loss.loss import LossReading
from evomask.measures.loss.relations import Tables
from evomask.measures.measure import categorical
from evomask.types import Floats, Indices, Points

Matrices = Mapping[str, Points]
"""Row i holds the probabilities that category i becomes each of the categories."""


def check_matrices(original: Table, matrices: Matrices) -> None:
    """Raise an error for matrices that do not fit."""
    for name, matrix in matrices.items():
        if not original.attribute(name).is_categorical:
            raise SchemaError(f"{name!r} is continuous; PRAM changes categories, leave it out")
        size = len(original.attribute(name).categories)
        if matrix.shape != (size, size) or np.any(np.abs(matrix.sum(axis=1) - 1) > 1e-9):
            raise ParameterError(
                f"the matrix of {name!r} must have {size} rows and columns, and rows that sum to 1"
            )


def concatenate_matrices(original: Table, names: tuple[str, ...], matrices: Matrices) -> Floats:
    """Concatenate the matrices of attributes; one without a matrix gets the identity."""
    sizes = {name: len(original.attribute(name).categories) for name in names}
    parts = [np.ravel(matrices.get(name, np.eye(size))) for name, size in sizes.items()]
    return np.concatenate([np.empty(0), *parts])


@dataclass(frozen=True, eq=False)
class ExpectedLoss:
    """The expected information loss of matrices, prepared for one original."""

    reading: LossReading

    def __call__(self, matrices: Matrices) -> float:
        original = self.reading.original
        check_matrices(original, matrices)
        return self.of_flat(concatenate_matrices(original, self.names, matrices))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The categorical ones of the masked attributes."""
        return categorical(self.reading.original.schema, self.reading.measure.attributes)

    def of_flat(self, matrices: Floats) -> float:
        """Expected loss of the concatenated matrices of the categorical attributes."""
        relations = self.reading.relations
        if not self.names:
            return 0.0
        found, changed, apart, away = expected_losses(self._input, matrices)
        accuracy, distributions = np.zeros((2, len(self.reading.measure.attributes)))
        accuracy[self._positions] = 100.0 * np.minimum(found, 1.0)
        distributions[self._positions] = 100.0 * changed
        distances = Tables(apart[: len(relations.pairs)], apart[len(relations.pairs) :])
        moved = np.zeros((2, len(relations.columns)))
        moved[:, [self.reading.released.index(name) for name in self.names]] = away
        lost = relations.beyond_chance(distances, moved)
        return self.reading.combine(accuracy, distributions, lost)[0]

    @cached_property
    def _positions(self) -> list[int]:
        return [self.reading.measure.attributes.index(name) for name in self.names]

    @cached_property
    def _columns(self) -> list[BinnedColumn]:
        places = {name: place for place, name in enumerate(self.reading.released)}
        return [self.reading.columns[places[name]] for name in self.names]

    @cached_property
    def _input(self) -> LossInput:
        """The original in the layout of the kernel."""
        columns, weights = self._columns, self.reading.weights
        sizes = np.array([column.n_levels for column in columns], dtype=np.int64)
        shares = [np.bincount(c.codes, weights, c.n_levels) / len(weights) for c in columns]
        bins = np.array([np.concatenate([getattr(c, level) for c in columns])
                         for level in ("coarse", "rough")], dtype=np.int64)  # fmt: skip
        n_bins = np.array([[int(getattr(c, level).max()) + 1 for c in columns]
                           for level in ("coarse", "rough")], dtype=np.int64)  # fmt: skip
        ends = np.cumsum(n_bins.ravel() ** 2)
        binned = np.zeros((2, len(columns) + 1), dtype=np.int64)
        binned[:, :-1] = (ends - n_bins.ravel() ** 2).reshape(n_bins.shape)
        binned[:, -1] = ends[-1]
        tables = list(self._tables())
        cells = np.cumsum([0, *(before.size for before, _, _ in tables)])
        rows = [(start, *row) for start, (_, _, row) in zip(cells, tables, strict=False)]
        return bundle_tuple(LOSS_INPUT, LossInput(
            sizes, _starts(sizes**2), _starts(sizes), np.concatenate(shares),
            np.concatenate([self._costs(name) for name in self.names]), bins, n_bins, binned,
            np.array(rows, dtype=np.int64).reshape(-1, 8),
            np.concatenate([np.empty(0), *(before.ravel() for before, _, _ in tables)]),
            np.concatenate([np.empty(0), *(apart.ravel() for _, apart, _ in tables)]),
            float(weights.sum() ** 2 / np.sum(weights**2)),
        ))  # fmt: skip

    def _costs(self, name: str) -> Floats:
        """Contribution of each cell of a matrix to the accuracy that is lost."""
        place = self.reading.measure.attributes.index(name)
        accuracy = self.reading.accuracies[place]
        assert isinstance(accuracy, CategoryAccuracy)  # noqa: S101
        shares = accuracy.column.counts / len(self.reading.original)
        costs: Floats = (shares[:, None] * accuracy.table).ravel()
        return costs

    def _tables(self) -> Iterator[tuple[Points, Points, tuple[int, ...]]]:
        """Each table, its dependence, and its sizes, attributes and kind of bins.

        The column that alone is masked is the first axis; two others share the second.
        """
        relations, released = self.reading.relations, self.reading.released
        number = {released.index(name): place for place, name in enumerate(self.names)}
        before = relations.original
        apart = relations.dependence(before)
        coarse, rough = relations.sizes
        starts, deep_starts = relations.layout
        for t, (a, b) in enumerate(relations.pairs):
            cells, shape = slice(starts[t], starts[t + 1]), (int(coarse[a]), int(coarse[b]))
            one, dependence = (part.pairs[cells].reshape(shape) for part in (before, apart))
            owners = number.get(a, -1), number.get(b, -1)
            if owners[0] < 0:
                one, dependence, owners, shape = one.T, dependence.T, owners[::-1], shape[::-1]
            yield one, dependence, (*shape, 0, *owners, -1, 0)
        for t, places in enumerate(relations.triples):
            cells = slice(deep_starts[t], deep_starts[t + 1])
            sizes = rough[list(places)].tolist()
            one, dependence = (part.triples[cells].reshape(sizes) for part in (before, apart))
            three = [number.get(place, -1) for place in places]
            masked = np.flatnonzero(relations.masked[list(places)])
            if len(masked) == 1:
                only = int(masked[0])
                one, dependence = np.moveaxis(one, only, 0), np.moveaxis(dependence, only, 0)
                width = one.size // len(one)
                yield one, dependence, (len(one), width, 0, three[only], -1, -1, 1)
            else:
                yield one, dependence, (*sizes, *three, 1)


def _starts(sizes: Indices) -> Indices:
    starts: Indices = np.cumsum(sizes) - sizes
    return starts
