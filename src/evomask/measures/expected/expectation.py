"""Expected measures under PRAM, without drawing files.

Row i of a matrix holds the probabilities that category i becomes each of the categories; an
attribute without a matrix is not changed. DBIL, ID and DBRL are exact. A count of CTBIL is a sum
of independent draws, approximated by a normal distribution with its true mean and variance: its
distance from the original count is then a folded normal, whose mean is known. EBIL is computed
from the means and variances of the joint counts, to second order. Measures without an expectation
are averaged over common random draws.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.kernels.linking.linkage import Rows
from evomask.measures.columns import CategoricalColumn
from evomask.measures.comparison_space import Space, nearest_ties
from evomask.measures.expected.loss import Matrices, check_matrices
from evomask.measures.incremental.readings import Request
from evomask.measures.measure import Measure, Reading, categorical, continuous
from evomask.measures.papers.distance_linkage import expected_success
from evomask.measures.papers.interval_disclosure import CATEGORICAL_WINDOW
from evomask.measures.profiles import PapersLoss, PapersRisk, papers_risk
from evomask.measures.statistics import contingency_counts
from evomask.types import Codes, Floats, Points

MOST_COMBINATIONS = 1 << 20
"""Masked records that linkage enumerates, at most."""

MOST_PREPARED = 1 << 17
"""Masked records whose nearest originals are precomputed for all matrices, at most."""


@dataclass(frozen=True, eq=False)
class ExpectationContext:
    """An original and a request, with everything that does not depend on the matrices."""

    original: Table
    request: Request

    @cached_property
    def columns(self) -> tuple[CategoricalColumn, ...]:
        """The categorical columns of the request."""
        names = categorical(self.original.schema, self.request.attributes)
        return tuple(CategoricalColumn.of(self.original, name) for name in names)

    @cached_property
    def near(self) -> tuple[Floats, ...]:
        """For each attribute, 1 where two categories are within the rank interval."""
        window = self.request.window
        percent = CATEGORICAL_WINDOW if window is None else window
        reach = percent / 100 * len(self.original)
        return tuple(column.nearness(reach).astype(np.float64) for column in self.columns)

    @cached_property
    def tables(self) -> tuple["CountTable", ...]:
        """Contingency tables up to the requested dimension."""
        orders = range(1, min(self.request.dimension, len(self.columns)) + 1)
        return tuple(
            CountTable.of(chosen) for n in orders for chosen in combinations(self.columns, n)
        )

    @cached_property
    def crossed(self) -> tuple["CountTable", ...]:
        """Contingency tables of every attribute with the last."""
        *others, last = self.columns
        return tuple(CountTable.of((column, last)) for column in others)

    @cached_property
    def space(self) -> Space:
        return Space.of(self.original, self.request.attributes)

    @cached_property
    def links(self) -> "Links | None":
        """Nearest originals of every record of the domain, where that is not too large."""
        if prod(column.size for column in self.columns) > MOST_PREPARED:
            return None
        return Links.of(self, [np.arange(column.size) for column in self.columns])


@dataclass(frozen=True, eq=False)
class CountTable:
    """Contingency table of the original over a few attributes."""

    columns: tuple[CategoricalColumn, ...]
    counts: Floats

    @classmethod
    def of(cls, columns: tuple[CategoricalColumn, ...]) -> "CountTable":
        sizes = tuple(column.size for column in columns)
        return cls(columns, contingency_counts([column.codes for column in columns], sizes))

    def difference(self, matrices: Matrices) -> Floats:
        """For each cell, the expected distance of its masked from its original count."""
        mean = squares = self.counts
        for axis, column in enumerate(self.columns):
            matrix = matrices.get(column.attribute.name)
            if matrix is not None:
                mean = _along(mean, matrix, axis)
                squares = _along(squares, matrix**2, axis)
        return folded_normal_means(mean - self.counts, mean - squares)


def _along(counts: Floats, matrix: Points, axis: int) -> Floats:
    """Counts after the categories of one attribute have changed."""
    moved: Floats = np.moveaxis(np.moveaxis(counts, axis, -1) @ matrix, -1, axis)
    return moved


@dataclass(frozen=True, eq=False)
class Links:
    """Pairs of a distinct original record and a masked record that is linked to it.

    Args:
        before, after: the categories of the pairs, one attribute a column.
        weights: number of right links, if one of the originals became the masked record.
    """

    before: Codes
    after: Codes
    weights: Floats

    @classmethod
    def of(cls, context: ExpectationContext, reached: Sequence[NDArray[np.intp]]) -> "Links":
        """Link every masked record with *reached* categories to its nearest originals."""
        space = context.space
        grid = np.meshgrid(*reached, indexing="ij")
        masked = np.column_stack([axis.ravel() for axis in grid]).astype(np.int32)
        candidates, _ = space.candidates
        terms = space.terms(space.masked(context.original))
        targets = Rows(np.empty((len(masked), 0)), np.empty((len(masked), 0)), masked)
        ends, nearest = nearest_ties(targets, np.full(len(masked), np.nan), candidates, terms)
        record = np.repeat(np.arange(len(masked)), np.diff(ends))
        ties = np.bincount(record, weights=candidates.counts[nearest]).astype(np.int64)
        rule = context.request.ties or expected_success
        right = rule(ties)[record] * candidates.counts[nearest]
        return cls(candidates.rows.codes[nearest], masked[record], right)

    def expected(self, columns: Sequence[CategoricalColumn], matrices: Matrices) -> float:
        """Expected number of masked records linked to their own original."""
        chance = self.weights
        for j, column in enumerate(columns):
            chance = chance * _matrix(column, matrices)[self.before[:, j], self.after[:, j]]
        return float(chance.sum())


def expectation(context: ExpectationContext, matrices: Matrices) -> float:
    """Expected value of a measure under PRAM, in percent."""
    if context.request.measure not in _EXPECTATIONS:
        raise ParameterError(
            f"{context.request.measure} has no expectation under PRAM; use the mean of some draws"
        )
    check_matrices(context.original, matrices)
    return _EXPECTATIONS[context.request.measure](context, matrices)


def has_expectation(original: Table, request: Request) -> bool:
    """Whether the expectation exists for any matrices and is fast enough for a search."""
    if request.measure not in {"dbrl", PapersRisk.about.name}:
        return request.measure in _EXPECTATIONS
    if continuous(original.schema, request.attributes):
        return False
    sizes = (len(original.attribute(name).categories) for name in request.attributes)
    return prod(sizes) <= MOST_PREPARED


def _matrix(column: CategoricalColumn, matrices: Matrices) -> Points:
    return matrices.get(column.attribute.name, np.eye(column.size))


def _mean_cell(column: CategoricalColumn, matrices: Matrices, of_categories: Floats) -> float:
    """Mean over records of a table of original against masked categories."""
    total = column.counts @ (_matrix(column, matrices) * of_categories).sum(axis=1)
    return float(total) / len(column.codes)


def _distance(context: ExpectationContext, matrices: Matrices) -> float:
    """DBIL; numbers are not changed, so they add nothing."""
    total = sum(_mean_cell(c, matrices, c.distances) for c in context.columns)
    return 100.0 * total / len(context.request.attributes)


def _interval(context: ExpectationContext, matrices: Matrices) -> float:
    """ID; numbers are not changed, so all of them are within any interval."""
    pairs = zip(context.columns, context.near, strict=True)
    total = sum(_mean_cell(column, matrices, near) for column, near in pairs)
    n_names = len(context.request.attributes)
    return 100.0 * (total + n_names - len(context.columns)) / n_names


def _entropy(context: ExpectationContext, matrices: Matrices) -> float:
    """EBIL by the means and variances of the joint counts."""
    parts = [_relative_entropy(c, _matrix(c, matrices)) for c in context.columns]
    return 100.0 * float(np.mean(parts))


def _relative_entropy(column: CategoricalColumn, matrix: Points) -> float:
    if column.size < 2:
        return 0.0
    joint = column.counts[:, None] * matrix
    spread = joint * (1 - matrix)
    logs = _log_of_count(joint - matrix, spread - matrix * (1 - matrix))
    totals, variances = joint.sum(axis=0) - matrix, spread.sum(axis=0) - matrix * (1 - matrix)
    entropy = float(np.sum(joint * (_log_of_count(totals, variances) - logs)))
    return max(0.0, entropy / len(column.codes) / float(np.log(column.size)))


def _log_of_count(others: Floats, variances: Floats) -> Floats:
    """E log(1 + X) for a count X of others with this mean and variance, to second order.

    The mean of N log N over draws is that of log(1 + X) over the counted records, where X is
    the number of others; so rare categories cause no instability.
    """
    counts = 1 + np.maximum(others, 0.0)
    logarithms: Floats = np.log(counts) - np.maximum(variances, 0.0) / (2 * counts**2)
    return logarithms


def _contingency(context: ExpectationContext, matrices: Matrices) -> float:
    """CTBIL by the folded normal of each count."""
    total = sum(float(table.difference(matrices).sum()) for table in context.tables)
    return 50.0 * total / (len(context.original) * len(context.tables))


def _bivariate(context: ExpectationContext, matrices: Matrices) -> float:
    """Difference of bivariate counts, by the folded normal of each."""
    apart = [float(table.difference(matrices).sum()) for table in context.crossed]
    return 50.0 * float(np.mean(apart)) / len(context.original)


def folded_normal_means(means: Floats, variances: Floats) -> Floats:
    """E |X| for normal X; |mean| where the variance is 0 up to rounding."""
    spread = np.sqrt(np.maximum(variances, 0.0))
    varies = spread > 1e-9
    scores = np.divide(means, spread, out=np.zeros_like(means), where=varies)
    folded = spread * np.sqrt(2 / np.pi) * np.exp(-(scores**2) / 2)
    folded += means * (1 - 2 * ndtr(-scores))
    return np.where(varies, folded, np.abs(means))


def _linkage(context: ExpectationContext, matrices: Matrices) -> float:
    """DBRL over all masked records that can be drawn."""
    if continuous(context.original.schema, context.request.attributes):
        raise SchemaError("linkage has an expectation for categories alone; leave numbers out")
    links = context.links or Links.of(context, _reached(context, matrices))
    return 100.0 * links.expected(context.columns, matrices) / len(context.original)


def _reached(context: ExpectationContext, matrices: Matrices) -> list[NDArray[np.intp]]:
    """For each attribute, the categories that can be drawn."""
    reached = [
        np.flatnonzero(_matrix(column, matrices)[column.counts > 0].any(axis=0))
        for column in context.columns
    ]
    count = prod(len(codes) for codes in reached)
    if count > MOST_COMBINATIONS:
        raise ParameterError(
            f"linkage would have to enumerate {count} masked records; use some draws instead"
        )
    return reached


def _loss(context: ExpectationContext, matrices: Matrices) -> float:
    """Combined CTBIL, DBIL and EBIL of the categories; numbers are not changed."""
    if not context.columns:
        return 0.0
    n_names, n_categorical = len(context.request.attributes), len(context.columns)
    distance = _distance(context, matrices) * n_names / n_categorical
    parts = _contingency(context, matrices), distance, _entropy(context, matrices)
    return float(np.mean(parts)) * n_categorical / n_names


def _papers(context: ExpectationContext, matrices: Matrices) -> float:
    return papers_risk(_interval(context, matrices), _linkage(context, matrices))


_EXPECTATIONS: Mapping[str, Callable[[ExpectationContext, Matrices], float]] = {
    "dbil": _distance, "id": _interval, "ebil": _entropy, "ctbil": _contingency,
    "bivariate": _bivariate, "dbrl": _linkage, PapersLoss.about.name: _loss,
    PapersRisk.about.name: _papers,
}  # fmt: skip


Draw = Callable[[Matrices, int], Table]
"""Returns the masked file of draw r for some matrices; draws are common to all evaluations."""


class ExpectedReading(Protocol):
    """A reading that may have an expectation under PRAM."""

    @property
    def has_expectation(self) -> bool:
        """Whether the expectation is available for any matrices of the attributes."""
        ...

    def expected(self, matrices: Matrices) -> float:
        """Expected value when PRAM masks the original with these matrices, by attribute."""
        ...


@dataclass(frozen=True, eq=False)
class PramReading:
    """A measure of matrices: its mean over the files that they generate.

    Args:
        draws: number of common draws to average where there is no expectation.
        by_draws: averages draws even where there is one, as the thesis does.
    """

    reading: Reading
    draw: Draw
    draws: int
    by_draws: bool = False

    def __post_init__(self) -> None:
        if self.draws < 1:
            raise ParameterError(f"draws must be at least 1, got {self.draws}")

    @property
    def is_expected(self) -> bool:
        """Whether it is an expectation, so that nothing is drawn."""
        return not self.by_draws and bool(getattr(self.reading, "has_expectation", False))

    def __call__(self, matrices: Matrices) -> float:
        if self.is_expected:
            return cast(ExpectedReading, self.reading).expected(matrices)
        files = (self.draw(matrices, number) for number in range(self.draws))
        return float(np.mean([self.reading(masked) for masked in files]))


@dataclass(frozen=True, eq=False)
class PramEvaluation:
    """Loss and risk of PRAM matrices against one original."""

    loss: PramReading
    risk: PramReading

    @classmethod
    def of(
        cls,
        original: Table,
        measures: tuple[Measure, Measure],
        draw: Draw,
        draws: int,
        *,
        by_draws: bool = False,
    ) -> "PramEvaluation":
        loss, risk = (
            PramReading(measure.against(original), draw, draws, by_draws) for measure in measures
        )
        return cls(loss, risk)

    @property
    def is_expected(self) -> bool:
        """Whether both are expectations, so that nothing is drawn."""
        return self.loss.is_expected and self.risk.is_expected

    def __call__(self, matrices: Matrices) -> tuple[float, float]:
        """Mean loss and risk in percent over the files that the matrices generate."""
        return self.loss(matrices), self.risk(matrices)

    def released(self, matrices: Matrices, number: int) -> dict[str, float]:
        """Loss and risk of the file of draw *number*, beside the expected ones."""
        masked = self.loss.draw(matrices, number)
        loss, risk = self(matrices)
        return {
            "loss": self.loss.reading(masked),
            "risk": self.risk.reading(masked),
            "expected_loss": loss,
            "expected_risk": risk,
        }


DEFAULT_DRAWS = 5
"""Files averaged where there is no expectation."""


def warn_unused_draws(evaluation: PramEvaluation, draws: int) -> None:
    """Warn where a number of draws was given and nothing is drawn."""
    if draws != DEFAULT_DRAWS and evaluation.is_expected:
        warnings.warn(
            "draws change nothing here: loss and risk are expectations over all files; add "
            "--no-expected (Python: expected=False) to average drawn files",
            stacklevel=3,
        )
