"""Distances between values, by the kind of their attribute, and scales for numbers."""

from dataclasses import dataclass

import numpy as np

from evomask.arrays import Flags, Floats, Points
from evomask.data.schema import Attribute, Kind
from evomask.errors import SchemaError


def category_distances(attribute: Attribute) -> Floats:
    """Distance between every two categories, a square matrix with values in [0, 1].

    Ordinal: ranks apart over the size of the domain. Nominal: 0 if equal, else 1. A missing
    value agrees with a missing value and is at distance 1 from any other.
    """
    size = len(attribute.categories)
    if attribute.kind is Kind.NOMINAL:
        return 1.0 - np.eye(size)
    if attribute.kind is Kind.CONTINUOUS:
        raise SchemaError(f"{attribute.name!r} is continuous and has no categories")
    ranks = np.arange(size)
    distances: Floats = np.abs(ranks[:, None] - ranks[None, :]) / max(1, attribute.domain_size)
    if attribute.has_missing:
        distances[-1, :-1] = distances[:-1, -1] = 1.0
    return distances


@dataclass(frozen=True, eq=False)
class Standardizer:
    """Brings each attribute to mean 0 and population standard deviation 1.

    A constant attribute becomes zeros. Missing values stay missing and are not counted.
    """

    means: Floats
    deviations: Floats
    constant: Flags

    @classmethod
    def of(cls, points: Points) -> "Standardizer":
        """The scale that standardises *points* (ddof 0)."""
        known = ~np.isnan(points)
        counts = np.maximum(known.sum(axis=0), 1)
        means = np.where(known, points, 0.0).sum(axis=0) / counts
        squares = np.where(known, points - means, 0.0) ** 2
        deviations = np.sqrt(squares.sum(axis=0) / counts)
        constant = _are_constant(points)
        return cls(means, np.where(constant, 1.0, deviations), constant)

    def __call__(self, points: Points) -> Points:
        """The points on this scale: centred and divided by the deviations."""
        return np.ascontiguousarray((points - self.means) / self.deviations)


def _are_constant(points: Points) -> Flags:
    """Whether each column has at most one known value; exact, unlike a small deviation."""
    low = np.where(np.isnan(points), np.inf, points).min(axis=0, initial=np.inf)
    high = np.where(np.isnan(points), -np.inf, points).max(axis=0, initial=-np.inf)
    constant: Flags = low >= high
    return constant


def with_medians(points: Points) -> Points:
    """The same points with every missing value replaced by its column's median (0 if all are)."""
    missing = np.isnan(points)
    if not missing.any():
        return points
    medians = [float(np.median(c[~np.isnan(c)])) if np.any(~np.isnan(c)) else 0.0 for c in points.T]
    return np.where(missing, np.array(medians), points)
