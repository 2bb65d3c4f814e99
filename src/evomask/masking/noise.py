"""Noise addition (Kim, 1986): normal errors, each attribute's own or correlated like the data."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.arrays import Floats, Points
from evomask.data.distance import with_medians
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.masking.checks import require_attributes
from evomask.masking.method import About
from evomask.masking.microaggregation.aggregation import inside_range
from evomask.masking.statistics import Statistics


@dataclass(frozen=True)
class IndependentNoise:
    """Add to each number a normal error of its own.

    Args:
        attributes: names of the continuous attributes.
        percent: standard deviation of the errors, in percent of the attribute's own.

    Missing values stay missing; a value that would leave the range of the original is put
    at its end.
    """

    about: ClassVar[About] = About(
        name="independent-noise",
        title="noise",
        steward="noise of {percent} % of its spread added to each number",
        public="Random noise was added to the numbers, to each attribute on its own.",
        simple="noise",
    )

    attributes: tuple[str, ...]
    percent: float = 10.0

    def __post_init__(self) -> None:
        _check(self.attributes, self.percent)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Every number with an error of its own added; missing values stay missing."""
        points = table.matrix(self.attributes)
        deviations = with_medians(points).std(axis=0)
        errors = rng.standard_normal(points.shape) * deviations
        return _with_errors(table, self.attributes, errors * self.percent / 100)

    def fitted(self, statistics: Statistics) -> "FittedNoise":
        """The method with the deviations and ranges of the whole file."""
        own = [statistics.numbers[name] for name in self.attributes]
        return FittedNoise(
            self.attributes,
            np.array([number.deviation * self.percent / 100 for number in own]),
            np.array([number.ends for number in own]),
        )


@dataclass(frozen=True, eq=False)
class FittedNoise:
    """Noise of given deviations, within given ranges.

    Args:
        deviations: of the errors, by attribute.
        ends: the least and the greatest value that may come out, a row an attribute.
    """

    attributes: tuple[str, ...]
    deviations: Floats
    ends: Points

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Every number with an error of its own added; missing values stay missing."""
        points = table.matrix(self.attributes)
        errors = rng.standard_normal(points.shape) * self.deviations
        changes = zip(self.attributes, (points + errors).T, self.ends, strict=True)
        return table.with_columns(
            {name: inside_range(table.attribute(name), new, ends) for name, new, ends in changes}
        )


@dataclass(frozen=True)
class CorrelatedNoise:
    """Add to each record a normal error whose covariances are proportional to the data's.

    Args:
        attributes: names of the continuous attributes.
        percent: standard deviation of the errors, in percent of the attribute's own.

    Correlations are kept in expectation. Missing values stay missing; a value that would
    leave the range of the original is put at its end.
    """

    about: ClassVar[About] = About(
        name="correlated-noise",
        title="correlated noise",
        steward="noise of {percent} % of the spread, correlated like the numbers, added to them",
        public="Random noise was added to the numbers, with the correlations of the file.",
        simple="noise",
        together=True,
    )

    attributes: tuple[str, ...]
    percent: float = 10.0

    def __post_init__(self) -> None:
        _check(self.attributes, self.percent)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Every number with an error added that is correlated as the numbers are."""
        points = with_medians(table.matrix(self.attributes))
        errors = rng.standard_normal(points.shape) @ _covariance_root(points).T
        return _with_errors(table, self.attributes, errors * self.percent / 100)


def _check(attributes: tuple[str, ...], percent: float) -> None:
    require_attributes(attributes, "noise")
    if not 0 < percent < np.inf:
        raise ParameterError(f"percent must be above 0 and finite, got {percent}")


def _covariance_root(points: Points) -> Points:
    """A matrix R with R R' the covariance matrix (ddof 0), singular or not."""
    covariances = np.atleast_2d(np.cov(points, rowvar=False, ddof=0))
    values, vectors = np.linalg.eigh(covariances)
    root: Points = vectors * np.sqrt(np.maximum(values, 0))
    return root


def _with_errors(table: Table, names: tuple[str, ...], errors: Points) -> Table:
    return table.with_columns(
        {
            name: inside_range(
                table.attribute(name), table.values(name) + error, table.values(name)
            )
            for name, error in zip(names, errors.T, strict=True)
        }
    )
