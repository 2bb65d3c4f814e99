"""Information loss of continuous attributes: IL1 to IL5 and probabilistic information loss.

IL1 to IL5 are those of Mateo-Sanz, Sebé and Domingo-Ferrer (2004). Every term is a relative
difference, capped at 1 before averaging; where the original statistic is 0 the difference is
divided by the square root of 2 times the standard deviation instead.

Probabilistic information loss follows Mateo-Sanz et al. (2005). For a statistic with value t in
the original and t' in the masked file, and s the standard error of t in a sample of n records,
the loss is the probability that a sampling error would be smaller than the difference:
2 Phi(|t' - t| / s) - 1. With mu_ab the central moment of powers a and b of two standardised
attributes and r their correlation, the squared standard errors are

    mean         1 / n
    variance     (mu_40 - 1) / n
    covariance   (mu_22 - r²) / n
    correlation  (mu_22 (1 + r²/2) + r² (mu_40 + mu_04) / 4 - r (mu_31 + mu_13)) / n
    quantile     F (1 - F) / n, where t = F is the share of values at or below the original's
                 quantile, at 5, 10, …, 95 percent

The five families are averaged within, then among each other; with one attribute there is
neither covariance nor correlation. With a standard error of 0 any difference is a loss of 1.
Where a share q of an attribute's values has become missing (or known), a loss p of its
statistics becomes 1 - (1 - q)(1 - p).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import erf

from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.measures.columns import NumberCells, NumberColumn
from evomask.measures.incremental.readings import Request, TrackableReading
from evomask.measures.measure import About, Reading, Side, check_masked, require_kinds
from evomask.measures.statistics import (
    ROOT_TWO,
    Columns,
    Moments,
    MomentStatistics,
    lost_or,
    relative_changes,
)
from evomask.types import Floats, Points

LEVELS = np.arange(5, 100, 5) / 100
ROUNDING = 1e-9
"""A standardised difference below this is rounding, not loss."""


def _columns(original: Table, names: tuple[str, ...]) -> Columns:
    require_kinds(original.schema, names, Kind.CONTINUOUS, why="this loss compares numbers")
    return Columns.of(original, names)


@dataclass(frozen=True)
class ValueLoss:
    """IL1: mean relative difference of the values, |x - x'| / |x|."""

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "il1",
        "change of values (IL1)",
        Side.LOSS,
        "the mean relative change of the numbers, each capped at 100 percent",
    )

    def against(self, original: Table) -> Reading:
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
    """Divisors of the differences of values in IL1."""
    return np.where(values != 0, np.abs(values), ROOT_TWO * deviation)


@dataclass(frozen=True)
class _MomentLoss(ABC):
    """Mean change of a family of moments."""

    attributes: tuple[str, ...]

    about: ClassVar[About]

    @staticmethod
    @abstractmethod
    def _changes(columns: Columns, masked: Moments) -> Floats: ...

    def against(self, original: Table) -> Reading:
        columns = _columns(original, self.attributes)

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            parts = self._changes(columns, columns.masked_moments(columns.cells(masked)))
            return 100.0 * float(parts.mean()) if parts.size else 0.0

        return TrackableReading(reading, original, Request(self.about.name, self.attributes))


@dataclass(frozen=True)
class MeanLoss(_MomentLoss):
    """IL2: mean relative difference of the means of the attributes."""

    about: ClassVar[About] = About(
        "il2",
        "change of means (IL2)",
        Side.LOSS,
        "the mean relative change of the attributes' means, each capped at 100 percent",
    )

    @staticmethod
    def _changes(columns: Columns, masked: Moments) -> Floats:
        known, still = np.diag(columns.moments.counts), np.diag(masked.counts)
        moved = columns.means + (masked.means - columns.moments.means) * columns.scales
        changes = relative_changes(columns.means, moved, ROOT_TWO * columns.deviations)
        return lost_or(changes, known, still)


@dataclass(frozen=True)
class CovarianceLoss(_MomentLoss):
    """IL3: mean relative difference of covariances, upper triangle with the diagonal."""

    about: ClassVar[About] = About(
        "il3",
        "change of covariances (IL3)",
        Side.LOSS,
        "the mean relative change of the covariances, each capped at 100 percent",
    )

    @staticmethod
    def _changes(columns: Columns, masked: Moments) -> Floats:
        upper = np.triu_indices(len(columns.columns))
        before, after = columns.moments.covariances[upper], masked.covariances[upper]
        varies = (columns.deviations > 0).astype(np.float64)
        changes = relative_changes(before, after, ROOT_TWO * np.outer(varies, varies)[upper])
        return lost_or(changes, columns.moments.counts[upper], masked.counts[upper])


@dataclass(frozen=True)
class VarianceLoss(_MomentLoss):
    """IL4: mean relative difference of variances."""

    about: ClassVar[About] = About(
        "il4",
        "change of variances (IL4)",
        Side.LOSS,
        "the mean relative change of the variances, each capped at 100 percent",
    )

    @staticmethod
    def _changes(columns: Columns, masked: Moments) -> Floats:
        before, after = np.diag(columns.moments.covariances), np.diag(masked.covariances)
        changes = relative_changes(before, after, np.zeros_like(before))
        return lost_or(changes, np.diag(columns.moments.counts), np.diag(masked.counts))


@dataclass(frozen=True)
class CorrelationLoss(_MomentLoss):
    """IL5: mean absolute difference of correlations; 0 for a single attribute."""

    about: ClassVar[About] = About(
        "il5",
        "change of correlations (IL5)",
        Side.LOSS,
        "the mean absolute change of the correlations, each capped at 1",
    )

    @staticmethod
    def _changes(columns: Columns, masked: Moments) -> Floats:
        upper = np.triu_indices(len(columns.columns), 1)
        apart = np.abs(columns.moments.correlations[upper] - masked.correlations[upper])
        changes = np.minimum(apart, 1.0)
        return lost_or(changes, columns.moments.counts[upper], masked.counts[upper])


def surprise(differences: Floats, variances: Floats) -> Floats:
    """Probability of a smaller sampling error: 2 Phi(|difference| / standard error) - 1."""
    apart = np.where(np.abs(differences) < ROUNDING, 0.0, np.abs(differences))
    scores = np.full_like(apart, np.inf)
    np.divide(apart, np.sqrt(variances), out=scores, where=variances > ROUNDING**2)
    probabilities: Floats = np.where(apart == 0, 0.0, erf(scores / ROOT_TWO))
    return probabilities


@dataclass(frozen=True)
class ProbabilisticLoss:
    """Mean probability that sampling would have changed the statistics less than masking did."""

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "pil",
        "probabilistic information loss",
        Side.LOSS,
        "the mean probability that a new sample would change the means, variances, covariances, "
        "correlations and quantiles less than masking did",
    )

    def against(self, original: Table) -> Reading:
        columns = _columns(original, self.attributes)
        statistics = Statistics.of(columns)

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            cells = columns.cells(masked)
            after = columns.masked_moments(cells)
            return 100.0 * statistics.loss(cells, after, after.counts)

        return TrackableReading(reading, original, Request(self.about.name, self.attributes))


@dataclass(frozen=True, eq=False)
class Statistics:
    """Statistics of an original and their standard errors."""

    before: MomentStatistics
    errors: "SamplingErrors"
    quantiles: "tuple[Quantiles, ...]"

    @classmethod
    def of(cls, columns: Columns, reference: int | None = None) -> "Statistics":
        """Prepare for a sample as large as the original, or of *reference* records."""
        quantiles = tuple(Quantiles.of(column, reference) for column in columns.columns)
        return cls(columns.moments, SamplingErrors.of(columns.moments, reference), quantiles)

    def loss(self, cells: Sequence[NumberCells], after: Moments, retained: Points) -> float:
        """Mean loss of all families, in [0, 1].

        Args:
            retained: for each pair of attributes, the number of records that retain both.
        """
        pairs = zip(self.quantiles, cells, strict=True)
        return self.loss_of(after, retained, [quantiles.shares_of(own) for quantiles, own in pairs])

    def loss_of(self, after: MomentStatistics, retained: Points, shares: Sequence[Floats]) -> float:
        """Mean loss of all families, from the masked shares up to each quantile."""
        gone = _shares_gone(self.before.counts, retained)
        families = self.errors.losses(self.before, after, gone)
        triples = zip(self.quantiles, shares, np.diag(gone), strict=True)
        own = [_worsened(q.losses(share), lost).mean() for q, share, lost in triples]
        return float(np.mean([*families, np.mean(own)]))


def _shares_gone(before: Points, after: Points) -> Points:
    larger = np.maximum(np.maximum(before, after), 1)
    shares: Points = np.abs(before - after) / larger
    return shares


def _worsened(losses: Floats, gone: Floats) -> Floats:
    return 1.0 - (1.0 - gone) * (1.0 - losses)


@dataclass(frozen=True, eq=False)
class SamplingErrors:
    """Squared standard errors of means, variances, covariances and correlations."""

    means: Floats
    covariances: Points
    correlations: Points

    @classmethod
    def of(cls, moments: Moments, reference: int | None = None) -> "SamplingErrors":
        """Compute from the moments of the original up to order four.

        Args:
            reference: records in the sample; as many as the original by default.
        """
        z, squares = moments.values, moments.values**2
        powers = squares.T @ squares, (z**3).T @ z, (squares**2).T @ moments.known
        return cls.by(moments, powers, reference)

    @classmethod
    def by(
        cls,
        moments: MomentStatistics,
        powers: tuple[Points, Points, Points],
        reference: int | None = None,
    ) -> "SamplingErrors":
        """Compute from the sums of x²y², x³y and x⁴ of centred columns."""
        counts = np.maximum(moments.counts, 1)
        drawn = counts if reference is None else np.full_like(counts, reference)
        mu22, mu31, mu40 = (power / counts for power in powers)
        r = moments.correlations
        spread = mu22 * (1 + r**2 / 2) + r**2 * (mu40 + mu40.T) / 4 - r * (mu31 + mu31.T)
        return cls(
            np.diag(moments.covariances) / np.diag(drawn),
            np.maximum(mu22 - moments.covariances**2, 0.0) / drawn,
            np.maximum(spread, 0.0) / drawn,
        )

    def losses(
        self, before: MomentStatistics, after: MomentStatistics, gone: Points
    ) -> list[float]:
        """Mean loss of each family of statistics."""
        diagonal, upper = np.diag_indices(len(self.means)), np.triu_indices(len(self.means), 1)
        moved = after.covariances - before.covariances
        turned = after.correlations - before.correlations
        families = [
            (after.means - before.means, self.means, np.diag(gone)),
            (moved[diagonal], self.covariances[diagonal], gone[diagonal]),
        ]
        if len(self.means) > 1:
            families += [
                (moved[upper], self.covariances[upper], gone[upper]),
                (turned[upper], self.correlations[upper], gone[upper]),
            ]
        return [float(_worsened(surprise(d, v), g).mean()) for d, v, g in families]


@dataclass(frozen=True, eq=False)
class Quantiles:
    """Quantiles of one original column and the share of its values up to each.

    Args:
        drawn: records in the sample that the loss refers to.
    """

    column: NumberColumn
    cuts: Floats
    shares: Floats
    drawn: int

    @classmethod
    def of(cls, column: NumberColumn, reference: int | None = None) -> "Quantiles":
        """Quantiles at 5, 10, …, 95 percent: original values, not interpolated."""
        count = column.n_known
        drawn = max(count, 1) if reference is None else reference
        if count == 0:
            return cls(column, np.zeros(len(LEVELS)), np.zeros(len(LEVELS)), drawn)
        cuts = column.at(np.ceil(LEVELS * count).astype(np.int64) - 1)
        return cls(column, cuts, column.up_to(cuts) / count, drawn)

    def losses(self, after: Floats) -> Floats:
        """Loss at each quantile, from the masked share up to it."""
        return surprise(after - self.shares, self.shares * (1 - self.shares) / self.drawn)

    def shares_of(self, cells: NumberCells) -> Floats:
        """Share of known masked values up to each quantile, cells spread over leaves."""
        shares: Floats = self.counts_of(cells) / max(int((~np.isnan(cells.low)).sum()), 1)
        return shares

    def counts_of(self, cells: NumberCells) -> Floats:
        """Number of known masked values up to each quantile, cells spread over leaves."""
        known = ~np.isnan(cells.low)
        plain = np.sort(cells.centre[known & ~cells.are_sets])
        up_to = np.searchsorted(plain, self.cuts, "right").astype(np.float64)
        first, last = cells.first[cells.are_sets], cells.last[cells.are_sets]
        if len(first):
            ends = self.column.up_to(self.cuts)
            sizes = last - first
            up_to += [float(np.sum((np.clip(end, first, last) - first) / sizes)) for end in ends]
        return up_to
