"""What measures are on average over all files that PRAM may draw, without drawing any.

Row i of a matrix holds the probabilities that category i becomes each of the categories; an
attribute without a matrix stays as it is. DBIL, ID and DBRL are exact. A count of CTBIL is a
sum of independent draws, taken as normal with its true mean and variance: its distance from
the original count is then a folded normal, whose mean is known. EBIL is taken from the means
and variances of the joint counts, to second order.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from evomask.arrays import Codes, Floats, Points
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.kernels.linking.linkage import Rows
from evomask.measures.categories import CategoricalColumn
from evomask.measures.comparability import categorical, continuous
from evomask.measures.judging.loss import StrictLoss, ends_of_scales, on_scale
from evomask.measures.profiles import PapersLoss, PapersRisk, papers_risk
from evomask.measures.risk.interval import CATEGORICAL_WINDOW
from evomask.measures.risk.linkage import expected as shared
from evomask.measures.risk.nearest import nearest_ties
from evomask.measures.risk.space import Space
from evomask.measures.tracked.trackable import Request

Matrices = Mapping[str, Points]

MOST_COMBINATIONS = 1 << 20
"""Masked records that linkage looks at, at most."""

MOST_PREPARED = 1 << 17
"""Masked records whose nearest originals are found once for all matrices, at most."""


@dataclass(frozen=True, eq=False)
class Subject:
    """What is asked of which original, with all that does not depend on the matrices."""

    original: Table
    request: Request

    @cached_property
    def columns(self) -> tuple[CategoricalColumn, ...]:
        """The original's columns of the categorical attributes that were asked for."""
        names = categorical(self.original.schema, self.request.attributes)
        return tuple(CategoricalColumn.of(self.original, name) for name in names)

    @cached_property
    def _ends(self) -> tuple[float, ...] | None:
        """Where the scales of the strict loss end; nowhere for other losses."""
        if self.request.reference is None:
            return None
        return ends_of_scales(self.original, tuple(c.attribute.name for c in self.columns))

    def joined(self, losses: Sequence[float]) -> float:
        """Losses by tables, distances and entropies in one figure, as the profile joins them."""
        return on_scale(losses, self._ends) if self._ends else float(np.mean(losses))

    @cached_property
    def near(self) -> tuple[Floats, ...]:
        """For each attribute, 1 where two categories are within the rank interval."""
        window = self.request.window
        percent = CATEGORICAL_WINDOW if window is None else window
        reach = percent / 100 * len(self.original)
        return tuple(column.nearness(reach).astype(np.float64) for column in self.columns)

    @cached_property
    def tables(self) -> tuple["CountTable", ...]:
        """Contingency tables of every few attributes, up to the dimension asked for."""
        orders = range(1, min(self.request.dimension, len(self.columns)) + 1)
        return tuple(
            CountTable.of(chosen) for n in orders for chosen in combinations(self.columns, n)
        )

    @cached_property
    def crossed(self) -> tuple["CountTable", ...]:
        """The tables of every attribute with the last."""
        *others, last = self.columns
        return tuple(CountTable.of((column, last)) for column in others)

    @cached_property
    def space(self) -> Space:
        """The space in which the intruder compares masked and original records."""
        return Space.of(self.original, self.request.attributes)

    @cached_property
    def links(self) -> "Links | None":
        """Who is nearest to every record of the whole domain, where that is not too large."""
        if prod(column.size for column in self.columns) > MOST_PREPARED:
            return None
        return Links.of(self, [np.arange(column.size) for column in self.columns])

    def check(self, matrices: Matrices) -> None:
        """Refuse matrices that do not fit."""
        for name, matrix in matrices.items():
            if not self.original.attribute(name).is_categorical:
                raise SchemaError(f"{name!r} is continuous; PRAM changes categories, leave it out")
            size = len(self.original.attribute(name).categories)
            if matrix.shape != (size, size) or np.any(np.abs(matrix.sum(axis=1) - 1) > 1e-9):
                raise ParameterError(
                    f"the matrix of {name!r} must have {size} rows and columns, and rows that "
                    "sum to 1"
                )


@dataclass(frozen=True, eq=False)
class CountTable:
    """How many original records have each combination of a few attributes' categories."""

    columns: tuple[CategoricalColumn, ...]
    counts: Floats

    @classmethod
    def of(cls, columns: tuple[CategoricalColumn, ...]) -> "CountTable":
        """The counts of the original, to be compared with those of many matrices."""
        sizes = tuple(column.size for column in columns)
        keys = np.ravel_multi_index(tuple(column.codes for column in columns), sizes)
        counts = np.bincount(keys, minlength=prod(sizes)).reshape(sizes).astype(np.float64)
        return cls(columns, counts)

    def difference(self, matrices: Matrices) -> Floats:
        """For each cell the expected distance of its masked from its original count."""
        mean = squares = self.counts
        for axis, column in enumerate(self.columns):
            matrix = matrices.get(column.attribute.name)
            if matrix is not None:
                mean = _along(mean, matrix, axis)
                squares = _along(squares, matrix**2, axis)
        return folded_normal_means(mean - self.counts, mean - squares)


def _along(counts: Floats, matrix: Points, axis: int) -> Floats:
    """Counts after one attribute's categories have changed."""
    moved: Floats = np.moveaxis(np.moveaxis(counts, axis, -1) @ matrix, -1, axis)
    return moved


@dataclass(frozen=True, eq=False)
class Links:
    """Pairs of a distinct original record and a masked one that is linked to it.

    Args:
        before, after: the pairs' categories, one attribute a column.
        weights: how many linked original records are right, if one of them became the masked.
    """

    before: Codes
    after: Codes
    weights: Floats

    @classmethod
    def of(cls, subject: Subject, reached: Sequence[NDArray[np.intp]]) -> "Links":
        """Every masked record with *reached* categories, and the originals nearest to it."""
        space = subject.space
        grid = np.meshgrid(*reached, indexing="ij")
        masked = np.column_stack([axis.ravel() for axis in grid]).astype(np.int32)
        candidates, _ = space.candidates
        terms = space.terms(space.masked(subject.original))
        targets = Rows(np.empty((len(masked), 0)), np.empty((len(masked), 0)), masked)
        ends, nearest = nearest_ties(targets, np.full(len(masked), np.nan), candidates, terms)
        record = np.repeat(np.arange(len(masked)), np.diff(ends))
        ties = np.bincount(record, weights=candidates.counts[nearest]).astype(np.int64)
        right = (subject.request.ties or shared)(ties)[record] * candidates.counts[nearest]
        return cls(candidates.rows.codes[nearest], masked[record], right)

    def expected(self, columns: Sequence[CategoricalColumn], matrices: Matrices) -> float:
        """How many masked records are linked to their own original."""
        chance = self.weights
        for j, column in enumerate(columns):
            chance = chance * _matrix(column, matrices)[self.before[:, j], self.after[:, j]]
        return float(chance.sum())


def expectation(subject: Subject, matrices: Matrices) -> float:
    """The expected value of a measure under PRAM, in percent."""
    if subject.request.measure not in _EXPECTATIONS:
        raise ParameterError(
            f"{subject.request.measure} has no expectation under PRAM; "
            "read the average of some draws"
        )
    subject.check(matrices)
    return _EXPECTATIONS[subject.request.measure](subject, matrices)


def has_expectation(original: Table, request: Request) -> bool:
    """Whether the expectation can be had for any matrices, and quickly enough for a search."""
    if request.measure not in {"dbrl", PapersRisk.about.name}:
        return request.measure in _EXPECTATIONS
    if continuous(original.schema, request.attributes):
        return False
    sizes = (len(original.attribute(name).categories) for name in request.attributes)
    return prod(sizes) <= MOST_PREPARED


def _matrix(column: CategoricalColumn, matrices: Matrices) -> Points:
    return matrices.get(column.attribute.name, np.eye(column.size))


def _mean_cell(column: CategoricalColumn, matrices: Matrices, of_categories: Floats) -> float:
    """Mean over records of what a table of original against masked categories holds."""
    total = column.counts @ (_matrix(column, matrices) * of_categories).sum(axis=1)
    return float(total) / len(column.codes)


def _distance(subject: Subject, matrices: Matrices) -> float:
    """DBIL; numbers stay, so they add nothing."""
    total = sum(_mean_cell(c, matrices, c.distances) for c in subject.columns)
    return 100.0 * total / len(subject.request.attributes)


def _interval(subject: Subject, matrices: Matrices) -> float:
    """ID; numbers stay, so all of them are within any interval."""
    pairs = zip(subject.columns, subject.near, strict=True)
    total = sum(_mean_cell(column, matrices, near) for column, near in pairs)
    n_names = len(subject.request.attributes)
    return 100.0 * (total + n_names - len(subject.columns)) / n_names


def _entropy(subject: Subject, matrices: Matrices) -> float:
    """EBIL by the means and variances of the joint counts."""
    parts = [_relative_entropy(c, _matrix(c, matrices)) for c in subject.columns]
    return 100.0 * float(np.mean(parts))


def _relative_entropy(column: CategoricalColumn, matrix: Points) -> float:
    if column.size < 2:
        return 0.0
    joint = column.counts[:, None] * matrix
    spread = joint * (1 - matrix)
    logs = _log_of_count(joint - matrix, spread - matrix * (1 - matrix))
    arriving, widely = joint.sum(axis=0) - matrix, spread.sum(axis=0) - matrix * (1 - matrix)
    entropy = float(np.sum(joint * (_log_of_count(arriving, widely) - logs)))
    return max(0.0, entropy / len(column.codes) / float(np.log(column.size)))


def _log_of_count(others: Floats, variances: Floats) -> Floats:
    """E log(1 + X) for a count X of others with this mean and variance, to second order.

    A mean of N log N over draws is that of log(1 + X) over the records counted, X being how
    many others are: so rare categories do no harm.
    """
    counts = 1 + np.maximum(others, 0.0)
    logarithms: Floats = np.log(counts) - np.maximum(variances, 0.0) / (2 * counts**2)
    return logarithms


def _contingency(subject: Subject, matrices: Matrices) -> float:
    """CTBIL by the folded normal of each count."""
    total = sum(float(table.difference(matrices).sum()) for table in subject.tables)
    return 50.0 * total / (len(subject.original) * len(subject.tables))


def _bivariate(subject: Subject, matrices: Matrices) -> float:
    """Difference of the counts of two attributes, by the folded normal of each."""
    apart = [float(table.difference(matrices).sum()) for table in subject.crossed]
    return 50.0 * float(np.mean(apart)) / len(subject.original)


def folded_normal_means(means: Floats, variances: Floats) -> Floats:
    """E |X| for normal X; |mean| where the variance is 0 but for rounding."""
    spread = np.sqrt(np.maximum(variances, 0.0))
    varies = spread > 1e-9
    scores = np.divide(means, spread, out=np.zeros_like(means), where=varies)
    folded = spread * np.sqrt(2 / np.pi) * np.exp(-(scores**2) / 2)
    folded += means * (1 - 2 * ndtr(-scores))
    return np.where(varies, folded, np.abs(means))


def _linkage(subject: Subject, matrices: Matrices) -> float:
    """DBRL over all masked records that can be drawn."""
    if continuous(subject.original.schema, subject.request.attributes):
        raise SchemaError("linkage has an expectation for categories alone; leave numbers out")
    links = subject.links or Links.of(subject, _reached(subject, matrices))
    return 100.0 * links.expected(subject.columns, matrices) / len(subject.original)


def _reached(subject: Subject, matrices: Matrices) -> list[NDArray[np.intp]]:
    """For each attribute the categories that can be drawn."""
    reached = [
        np.flatnonzero(_matrix(column, matrices)[column.counts > 0].any(axis=0))
        for column in subject.columns
    ]
    count = prod(len(codes) for codes in reached)
    if count > MOST_COMBINATIONS:
        raise ParameterError(
            f"linkage would have to look at {count} masked records; read some draws instead"
        )
    return reached


def _loss(subject: Subject, matrices: Matrices) -> float:
    """The categories' mean of CTBIL, DBIL and EBIL; numbers stay."""
    if not subject.columns:
        return 0.0
    n_names, n_categorical = len(subject.request.attributes), len(subject.columns)
    distance = _distance(subject, matrices) * n_names / n_categorical
    parts = _contingency(subject, matrices), distance, _entropy(subject, matrices)
    return subject.joined(parts) * n_categorical / n_names


def _papers(subject: Subject, matrices: Matrices) -> float:
    """Of ID and DBRL; both are exact, so is their mean."""
    return papers_risk(_interval(subject, matrices), _linkage(subject, matrices))


_EXPECTATIONS: Mapping[str, Callable[[Subject, Matrices], float]] = {
    "dbil": _distance, "id": _interval, "ebil": _entropy, "ctbil": _contingency,
    "bivariate": _bivariate, "dbrl": _linkage, PapersLoss.about.name: _loss,
    StrictLoss.about.name: _loss,
    PapersRisk.about.name: _papers,
}  # fmt: skip
