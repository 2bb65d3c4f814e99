"""Probabilistic loss of continuous data, in the spirit of Mateo-Sanz et al. (2005).

For a statistic with value t in the original and t' in the masked file, and s the standard
error of t in a sample of n records, the loss is the probability that a sampling error would
be smaller than the difference: 2 Phi(|t' - t| / s) - 1. With mu_ab the central moment of
powers a and b of two standardised attributes and r their correlation, the squared standard
errors are

    mean         1 / n
    variance     (mu_40 - 1) / n
    covariance   (mu_22 - r²) / n
    correlation  (mu_22 (1 + r²/2) + r² (mu_40 + mu_04) / 4 - r (mu_31 + mu_13)) / n
    quantile     F (1 - F) / n, where t = F is the share of values at or below the original's
                 quantile, at 5, 10, …, 95 percent

The five families are averaged within, then among each other; with one attribute there is
neither covariance nor correlation. A standard error of 0 makes any difference a loss of 1.
Where a share q of an attribute's values has become missing (or known), a loss p of its
statistics becomes 1 - (1 - q)(1 - p).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import erf

from evomask.arrays import Floats, Indices, Points
from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.measures.comparability import check_masked, needing
from evomask.measures.loss.moments import ROOT_TWO, Columns, Moments, Related
from evomask.measures.measure import About, Reading, Side
from evomask.measures.numbers import NumberCells, NumberColumn
from evomask.measures.tracked.trackable import Request, TrackableReading

LEVELS = np.arange(5, 100, 5) / 100
ROUNDING = 1e-9
"""A standardised difference below this is rounding, not loss."""


def surprise(differences: Floats, variances: Floats) -> Floats:
    """2 Phi(|difference| / standard error) - 1."""
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
        "how surprising the masked file's averages, spreads, relations and quantiles would be "
        "in a fresh sample of the same population",
    )

    def against(self, original: Table) -> Reading:
        """Prepare the original's statistics and their standard errors."""
        needing(original.schema, self.attributes, Kind.CONTINUOUS, why="this loss compares numbers")
        columns = Columns.of(original, self.attributes)
        statistics = Statistics.of(columns)

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            cells = columns.cells(masked)
            after = columns.masked_moments(cells)
            return 100.0 * statistics.loss(cells, after, after.counts)

        return TrackableReading(reading, original, Request(self.about.name, self.attributes))


@dataclass(frozen=True, eq=False)
class Statistics:
    """The statistics of an original, and how far each may be off in a sample."""

    before: Related
    errors: "SamplingErrors"
    quantiles: "tuple[Quantiles, ...]"

    @classmethod
    def of(cls, columns: Columns, reference: int | None = None) -> "Statistics":
        """Of a sample with as many records as the original, or with *reference* records."""
        quantiles = tuple(Quantiles.of(column, reference) for column in columns.columns)
        return cls(columns.moments, SamplingErrors.of(columns.moments, reference), quantiles)

    def loss(self, cells: Sequence[NumberCells], after: Moments, told: Points) -> float:
        """The mean loss of all families, in [0, 1].

        Args:
            told: for each pair of attributes how many records still tell both.
        """
        pairs = zip(self.quantiles, cells, strict=True)
        return self.loss_of(after, told, [quantiles.shares_of(own) for quantiles, own in pairs])

    def loss_of(self, after: Related, told: Points, shares: Sequence[Floats]) -> float:
        """The same, with the masked shares up to each attribute's quantiles at hand."""
        gone = _shares_gone(self.before.counts, told)
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
        """Errors by the moments up to order four of the original.

        Args:
            reference: records in the sample; as many as there are by default.
        """
        z, squares = moments.values, moments.values**2
        powers = squares.T @ squares, (z**3).T @ z, (squares**2).T @ moments.known
        return cls.by(moments, powers, reference)

    @classmethod
    def by(
        cls, moments: Related, powers: tuple[Points, Points, Points], reference: int | None = None
    ) -> "SamplingErrors":
        """The same from sums of powers: squares by squares, cubes by values, fourth powers."""
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

    def losses(self, before: Related, after: Related, gone: Points) -> list[float]:
        """Mean loss of each family that these attributes have."""
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
    """Quantiles of one original column and the share of its values up to each."""

    column: NumberColumn
    cuts: Floats
    shares: Floats
    drawn: int
    """Records in the sample that the loss compares with."""

    @classmethod
    def of(cls, column: NumberColumn, reference: int | None = None) -> "Quantiles":
        """The quantiles at 5, 10, …, 95 percent: original values, none interpolated."""
        count = column.n_known
        drawn = max(count, 1) if reference is None else reference
        if count == 0:
            return cls(column, np.zeros(len(LEVELS)), np.zeros(len(LEVELS)), drawn)
        cuts = column.at(np.ceil(LEVELS * count).astype(np.int64) - 1)
        return cls(column, cuts, column.up_to(cuts) / count, drawn)

    def losses(self, after: Floats) -> Floats:
        """Loss at each cut: how surprising the masked share up to it is."""
        return surprise(after - self.shares, self.shares * (1 - self.shares) / self.drawn)

    def shares_of(self, cells: NumberCells) -> Floats:
        """Share of known masked values at or below each cut, cells spread over their leaves."""
        shares: Floats = self.counts_of(cells) / max(int((~np.isnan(cells.low)).sum()), 1)
        return shares

    def counts_of(self, cells: NumberCells) -> Floats:
        """How many known masked values are at or below each cut, likewise."""
        known = ~np.isnan(cells.low)
        plain = np.sort(cells.centre[known & ~cells.are_sets])
        up_to = np.searchsorted(plain, self.cuts, "right").astype(np.float64)
        first, last = cells.first[cells.are_sets], cells.last[cells.are_sets]
        if len(first):
            ends = self.column.up_to(self.cuts)
            up_to += [float(np.sum(_covered(first, last, end))) for end in ends]
        return up_to


def _covered(first: Indices, last: Indices, end: int) -> Floats:
    covered: Floats = (np.clip(end, first, last) - first) / (last - first)
    return covered
