"""Linear and logistic regression by weighted least squares, safe where columns say the same.

Weights are scaled to the effective number of records, so that standard errors are those of a
sample of that size. Normal equations are solved by a pseudo-inverse of the scaled cross products:
of columns that say the same no coefficient is told, and predictions are right all the same.
"""

from dataclasses import dataclass

import numpy as np

from evomask.arrays import Flags, Floats, Points
from evomask.measures.keeping.estimates import NORMAL, Intervals, student

NOTHING_NEW = 1e-9
"""Share of the largest eigenvalue below which a direction of the columns holds nothing new."""

WITHOUT_BOUND = 20.0
"""Standard errors above this mean that a coefficient has no bound: categories are separated."""

ONE_CORE = 200_000
"""Products that are not worth a second core: sharing them out costs more where cores are busy."""

MOST_STEPS = 60
FARTHEST = 30.0
"""Log odds beyond which a probability is 0 or 1."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted regression.

    Args:
        coefficients: the intercept first, in the units of the columns.
        errors: their standard errors.
        determined: which of them the records determine.
        freedom: degrees of freedom; none for a logistic regression.
    """

    coefficients: Floats
    errors: Floats
    determined: Flags
    freedom: float | None = None

    @property
    def is_separated(self) -> bool:
        """Whether some coefficient grows without bound, because records fall apart by it."""
        return self.freedom is None and bool((self.errors >= WITHOUT_BOUND).any())

    def predicted(self, columns: Points) -> Floats:
        """What the model expects: numbers, or probabilities."""
        line: Floats = columns @ self.coefficients
        return line if self.freedom is not None else _probabilities(line)

    def intervals(self, units: Floats) -> Intervals:
        """Coefficients of all columns in their own units; NaN where they are not determined."""
        reach = NORMAL if self.freedom is None else float(student(np.array([self.freedom]))[0])
        values = np.where(self.determined, self.coefficients, np.nan)
        ends = values - reach * self.errors, values + reach * self.errors
        return values / units, ends[0] / units, ends[1] / units


def linear(columns: Points, outcome: Floats, weights: Floats) -> Fit:
    """Least squares; weights sum to the effective number of records."""
    inverse, determined, rank = _inverse(_products(columns, weights))
    coefficients = inverse @ ((weights * outcome) @ columns)
    freedom = max(float(weights.sum()) - rank, 1.0)
    apart = outcome - columns @ coefficients
    variance = float(weights @ apart**2) / freedom
    return Fit(coefficients, _errors(inverse, variance), determined, freedom)


def logistic(
    columns: Points, outcome: Floats, weights: Floats, start: Floats | None = None
) -> Fit:  # fmt: skip
    """Largest likelihood by weighted least squares again and again; outcomes lie in [0, 1].

    Args:
        start: coefficients to begin with, such as those of a similar file.
    """
    coefficients = np.zeros(columns.shape[1]) if start is None else start
    deviance = _deviance(columns, outcome, weights, coefficients)
    for _ in range(MOST_STEPS):
        inverse, _determined, _rank = _information(columns, weights, coefficients)
        expected = _probabilities(columns @ coefficients)
        step = inverse @ ((weights * (outcome - expected)) @ columns)
        before = deviance
        coefficients, deviance = _lower(columns, outcome, weights, coefficients, step, before)
        if before - deviance <= 1e-10 * (abs(before) + 0.1):
            break
    inverse, determined, _rank = _information(columns, weights, coefficients)
    errors = _errors(inverse, 1.0)
    return Fit(coefficients, errors, determined & (errors < WITHOUT_BOUND))


def _lower(
    columns: Points, outcome: Floats, weights: Floats, start: Floats, step: Floats, least: float
) -> tuple[Floats, float]:
    """The end of a step that lowers the deviance, halved until it does; or the start."""
    for _ in range(10):
        deviance = _deviance(columns, outcome, weights, start + step)
        if deviance <= least:
            return start + step, deviance
        step = step / 2
    return start, least


def _information(
    columns: Points, weights: Floats, coefficients: Floats
) -> tuple[Points, Flags, int]:
    expected = _probabilities(columns @ coefficients)
    return _inverse(_products(columns, weights * expected * (1 - expected)))


def _products(columns: Points, weights: Floats) -> Points:
    """Weighted cross products of all columns, in blocks that one core multiplies at once."""
    n_records, size = columns.shape
    rows = max(1, ONE_CORE // size**2)
    whole = n_records - n_records % rows
    blocks = columns[:whole].reshape(-1, rows, size)
    parts = np.matmul(blocks.transpose(0, 2, 1), blocks * weights[:whole].reshape(-1, rows, 1))
    rest = columns[whole:]
    products: Points = parts.sum(axis=0) + rest.T @ (rest * weights[whole:, None])
    return products


def _probabilities(log_odds: Floats) -> Floats:
    probabilities: Floats = 1.0 / (1.0 + np.exp(-np.clip(log_odds, -FARTHEST, FARTHEST)))
    return probabilities


def _deviance(columns: Points, outcome: Floats, weights: Floats, coefficients: Floats) -> float:
    line = columns @ coefficients
    return 2.0 * float(weights @ (np.logaddexp(0.0, line) - outcome * line))


def _errors(inverse: Points, variance: float) -> Floats:
    errors: Floats = np.sqrt(np.maximum(np.diag(inverse) * variance, 0.0))
    return errors


def _inverse(products: Points) -> tuple[Points, Flags, int]:
    """Pseudo-inverse of cross products, which columns are determined, and the rank."""
    lengths = np.sqrt(np.diag(products))
    scale = np.where(lengths > 0, lengths, 1.0)
    values, vectors = np.linalg.eigh(products / np.outer(scale, scale))
    kept = values > NOTHING_NEW * max(float(values[-1]), 1e-300)
    basis = vectors[:, kept]
    inverse = (basis / values[kept]) @ basis.T / np.outer(scale, scale)
    return inverse, (basis**2).sum(axis=1) > 1 - 1e-6, int(kept.sum())
