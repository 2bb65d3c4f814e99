"""The five losses of the classic score for continuous data: IL1 to IL5.

Mateo-Sanz, Sebé and Domingo-Ferrer (2004). Every term is a relative difference, capped at 1
before averaging; where the original statistic is 0 the difference is divided by the square
root of 2 times the standard deviation instead.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.arrays import Floats
from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.measures.comparability import check_masked, needing
from evomask.measures.loss.moments import (
    ROOT_TWO,
    Columns,
    Moments,
    lost_or,
    relative_changes,
)
from evomask.measures.measure import About, Reading, Side
from evomask.measures.tracked.trackable import Request, TrackableReading

Terms = Callable[[Columns, Moments], Floats]


def _columns(original: Table, names: tuple[str, ...]) -> Columns:
    needing(original.schema, names, Kind.CONTINUOUS, why="this loss compares numbers")
    return Columns.of(original, names)


def _moment_reading(original: Table, measure: str, names: tuple[str, ...], terms: Terms) -> Reading:
    columns = _columns(original, names)

    def reading(masked: Table) -> float:
        check_masked(original, masked, names)
        parts = terms(columns, columns.masked_moments(columns.cells(masked)))
        return 100.0 * float(parts.mean()) if parts.size else 0.0

    return TrackableReading(reading, original, Request(measure, names))


@dataclass(frozen=True)
class ValueLoss:
    """IL1: mean relative difference of the values, |x - x'| / |x|."""

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "il1",
        "change of values (IL1)",
        Side.LOSS,
        "how far, on average, each number has moved, as a share of the number itself",
    )

    def against(self, original: Table) -> Reading:
        """Prepare the scale of every value."""
        columns = _columns(original, self.attributes)
        scales = [value_scales(column.values, column.deviation) for column in columns.columns]

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            parts = [
                column.expected_distances(column.cells(masked), scale).mean()
                for column, scale in zip(columns.columns, scales, strict=True)
            ]
            return 100.0 * float(np.mean(parts))

        return TrackableReading(reading, original, Request(self.about.name, self.attributes))


def value_scales(values: Floats, deviation: float) -> Floats:
    """What differences of values are divided by."""
    return np.where(values != 0, np.abs(values), ROOT_TWO * deviation)


@dataclass(frozen=True)
class MeanLoss:
    """IL2: mean relative difference of the attributes' means."""

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "il2",
        "change of means (IL2)",
        Side.LOSS,
        "how far the averages have moved, as a share of the average itself",
    )

    def against(self, original: Table) -> Reading:
        """Prepare the means of the original's columns."""
        return _moment_reading(original, self.about.name, self.attributes, _mean_terms)


def _mean_terms(columns: Columns, masked: Moments) -> Floats:
    known, still = np.diag(columns.moments.counts), np.diag(masked.counts)
    moved = columns.means + (masked.means - columns.moments.means) * columns.scales
    changes = relative_changes(columns.means, moved, ROOT_TWO * columns.deviations)
    return lost_or(changes, known, still)


@dataclass(frozen=True)
class CovarianceLoss:
    """IL3: mean relative difference of covariances, upper triangle with the diagonal."""

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "il3",
        "change of covariances (IL3)",
        Side.LOSS,
        "how much the common movement of every two attributes has changed",
    )

    def against(self, original: Table) -> Reading:
        """Prepare the original's covariances."""
        return _moment_reading(original, self.about.name, self.attributes, _covariance_terms)


def _covariance_terms(columns: Columns, masked: Moments) -> Floats:
    upper = np.triu_indices(len(columns.columns))
    before, after = columns.moments.covariances[upper], masked.covariances[upper]
    varies = (columns.deviations > 0).astype(np.float64)
    changes = relative_changes(before, after, ROOT_TWO * np.outer(varies, varies)[upper])
    return lost_or(changes, columns.moments.counts[upper], masked.counts[upper])


@dataclass(frozen=True)
class VarianceLoss:
    """IL4: mean relative difference of variances."""

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "il4",
        "change of variances (IL4)",
        Side.LOSS,
        "how much the spread of each attribute has changed, as a share of the spread itself",
    )

    def against(self, original: Table) -> Reading:
        """Prepare the original's variances."""
        return _moment_reading(original, self.about.name, self.attributes, _variance_terms)


def _variance_terms(columns: Columns, masked: Moments) -> Floats:
    before, after = np.diag(columns.moments.covariances), np.diag(masked.covariances)
    changes = relative_changes(before, after, np.zeros_like(before))
    return lost_or(changes, np.diag(columns.moments.counts), np.diag(masked.counts))


@dataclass(frozen=True)
class CorrelationLoss:
    """IL5: mean absolute difference of correlations; 0 for a single attribute."""

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "il5",
        "change of correlations (IL5)",
        Side.LOSS,
        "how much the strength of the relation between every two attributes has changed",
    )

    def against(self, original: Table) -> Reading:
        """Prepare the original's correlations."""
        return _moment_reading(original, self.about.name, self.attributes, _correlation_terms)


def _correlation_terms(columns: Columns, masked: Moments) -> Floats:
    upper = np.triu_indices(len(columns.columns), 1)
    apart = np.abs(columns.moments.correlations[upper] - masked.correlations[upper])
    changes = np.minimum(apart, 1.0)
    return lost_or(changes, columns.moments.counts[upper], masked.counts[upper])
