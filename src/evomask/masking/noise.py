"""Additive noise (Kim, 1986): independent normal errors, or errors correlated like the data."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.data.distance import impute_medians
from evomask.data.table import Column, Table
from evomask.errors import ParameterError
from evomask.masking.method import About, FileStatistics, require_attributes
from evomask.masking.microaggregation.aggregation import clip_to_range
from evomask.types import Floats, Points


@dataclass(frozen=True)
class _Noise:
    """Base: add errors in proportion to the data, clipped to the range of the original."""

    attributes: tuple[str, ...]
    percent: float = 10.0

    def __post_init__(self) -> None:
        require_attributes(self.attributes, "noise")
        if not 0 < self.percent < np.inf:
            raise ParameterError(f"percent must be above 0 and finite, got {self.percent}")

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        errors = self._errors(impute_medians(table.matrix(self.attributes)), rng)
        changes: dict[str, Column] = {}
        for name, error in zip(self.attributes, (errors * self.percent / 100).T, strict=True):
            values = table.values(name)
            changes[name] = clip_to_range(table.attribute(name), values + error, values)
        return table.with_columns(changes)

    def _errors(self, points: Points, rng: np.random.Generator) -> Points:
        """Draw errors with the standard deviations of *points*."""
        raise NotImplementedError


@dataclass(frozen=True)
class IndependentNoise(_Noise):
    """Add an independent normal error to each number.

    Args:
        attributes: names of the continuous attributes.
        percent: standard deviation of the errors, in percent of the attribute's own.

    Missing values stay missing; values outside the range of the original are clipped to it.
    """

    about: ClassVar[About] = About(
        name="independent-noise",
        title="noise",
        steward="additive noise ({percent} % of each attribute's standard deviation)",
        public="Independent random noise was added to each numeric attribute.",
        simple="noise",
    )

    def _errors(self, points: Points, rng: np.random.Generator) -> Points:
        errors: Points = rng.standard_normal(points.shape) * points.std(axis=0)
        return errors

    def fitted(self, statistics: FileStatistics) -> "FittedNoise":
        own = [statistics.numbers[name] for name in self.attributes]
        return FittedNoise(
            self.attributes,
            np.array([number.deviation * self.percent / 100 for number in own]),
            np.array([number.ends for number in own]),
        )


@dataclass(frozen=True, eq=False)
class FittedNoise:
    """Noise with given standard deviations, clipped to given ranges.

    Args:
        deviations: standard deviation of the errors of each attribute.
        ends: smallest and largest released value of each attribute (row).
    """

    attributes: tuple[str, ...]
    deviations: Floats
    ends: Points

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        points = table.matrix(self.attributes)
        errors = rng.standard_normal(points.shape) * self.deviations
        changes = zip(self.attributes, (points + errors).T, self.ends, strict=True)
        return table.with_columns(
            {name: clip_to_range(table.attribute(name), new, ends) for name, new, ends in changes}
        )


@dataclass(frozen=True)
class CorrelatedNoise(_Noise):
    """Add normal errors whose covariance matrix is proportional to that of the data.

    Args:
        attributes: names of the continuous attributes.
        percent: standard deviation of the errors, in percent of the attribute's own.

    Correlations are preserved in expectation. Missing values stay missing; values outside the
    range of the original are clipped to it.
    """

    about: ClassVar[About] = About(
        name="correlated-noise",
        title="correlated noise",
        steward="correlated additive noise ({percent} % of each attribute's standard deviation)",
        public="Random noise was added to the numeric attributes, correlated like the attributes.",
        simple="noise",
        together=True,
    )

    def _errors(self, points: Points, rng: np.random.Generator) -> Points:
        covariances = np.atleast_2d(np.cov(points, rowvar=False, ddof=0))
        values, vectors = np.linalg.eigh(covariances)
        root = vectors * np.sqrt(np.maximum(values, 0))  # root @ root.T is the covariance matrix
        errors: Points = rng.standard_normal(points.shape) @ root.T
        return errors
