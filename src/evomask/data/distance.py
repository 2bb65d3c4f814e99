"""Distances between categories, standardization and median imputation of numbers."""

from dataclasses import dataclass

import numpy as np

from evomask.data.schema import Attribute, Kind
from evomask.errors import SchemaError
from evomask.types import Flags, Floats, Points


def category_distances(attribute: Attribute) -> Floats:
    """Distance between every two categories, a square matrix with values in [0, 1].

    Ordinal: difference of ranks over the size of the domain. Nominal: 0 if equal, else 1. A
    missing value is at distance 0 from a missing value and 1 from any other.
    """
    size = len(attribute.categories)
    if attribute.kind is Kind.NOMINAL:
        return 1.0 - np.eye(size)
    if attribute.kind is Kind.CONTINUOUS:
        raise SchemaError(
            f"categorical attributes are needed, and {attribute.name!r} is continuous; "
            "declare it ordinal or nominal"
        )
    ranks = np.arange(size)
    distances: Floats = np.abs(ranks[:, None] - ranks[None, :]) / max(1, attribute.domain_size)
    if attribute.has_missing:
        distances[-1, :-1] = distances[:-1, -1] = 1.0
    return distances


@dataclass(frozen=True, eq=False)
class Standardizer:
    """Scales each attribute to mean 0 and population standard deviation 1.

    A constant attribute becomes zeros. Missing values stay missing and are ignored.
    """

    means: Floats
    deviations: Floats
    constant: Flags

    @classmethod
    def of(cls, points: Points) -> "Standardizer":
        """Return the scale that standardizes *points* (ddof 0)."""
        known = ~np.isnan(points)
        counts = np.maximum(known.sum(axis=0), 1)
        means = np.where(known, points, 0.0).sum(axis=0) / counts
        squares = np.where(known, points - means, 0.0) ** 2
        deviations = np.sqrt(squares.sum(axis=0) / counts)
        constant = _are_constant(points)
        return cls(means, np.where(constant, 1.0, deviations), constant)

    def __call__(self, points: Points) -> Points:
        return np.ascontiguousarray((points - self.means) / self.deviations)


def _are_constant(points: Points) -> Flags:
    # exact, unlike comparing the deviation with 0
    low = np.where(np.isnan(points), np.inf, points).min(axis=0, initial=np.inf)
    high = np.where(np.isnan(points), -np.inf, points).max(axis=0, initial=-np.inf)
    constant: Flags = low >= high
    return constant


def impute_medians(points: Points) -> Points:
    """Replace every missing value by the median of its column, or 0 if all are missing."""
    missing = np.isnan(points)
    if not missing.any():
        return points
    medians = [float(np.median(c[~np.isnan(c)])) if np.any(~np.isnan(c)) else 0.0 for c in points.T]
    return np.where(missing, np.array(medians), points)
