"""Estimates with their confidence intervals, and how far two intervals overlap."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evomask.arrays import Floats

NORMAL = 1.959963984540054
"""Half the width, in standard errors, of an interval that holds 95 % of the normal distribution."""

FEWEST = 10
"""Original records that must stand behind a figure that is shown."""


@dataclass(frozen=True)
class Estimate:
    """A figure and the two ends of its 95 % confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class KeptValue:
    """One figure before and after masking.

    Args:
        name: the cell of a table, or what a coefficient belongs to.
        before, after: none where a file does not tell it.
        overlap: of both intervals, in percent.
    """

    name: str
    before: Estimate | None
    after: Estimate | None
    overlap: float


@dataclass(frozen=True)
class KeptStatistic:
    """What became of a table or a model, with all its figures.

    Args:
        text: as the user wrote it.
        kind: ``table`` or ``model``.
        meaning: what its figures are, in words.
        error: in percent, 0 for the original.
        overlap: of the confidence intervals, on average, in percent.
        notes: what a reader must know of it.
    """

    text: str
    kind: str
    meaning: str
    error: float
    overlap: float
    values: tuple[KeptValue, ...]
    notes: tuple[str, ...] = ()


Intervals = tuple[Floats, Floats, Floats]
"""Values, lower and upper ends, NaN where there is no figure."""


def overlap_of(before: Estimate, after: Estimate) -> float:
    """The mean share, in percent, of each interval that the other one covers (Karr et al. 2006).

    An interval without width counts as covered where it lies in the other one.
    """
    common = min(before.high, after.high) - max(before.low, after.low)
    if common < 0:
        return 0.0
    widths = before.high - before.low, after.high - after.low
    return 50.0 * sum(common / width if width > 0 else 1.0 for width in widths)


def compared(
    names: Sequence[str], before: Intervals, after: Intervals
) -> tuple[KeptValue, ...]:  # fmt: skip
    """Figures side by side; those that the original does not tell are left out."""
    pairs = zip(names, _estimates(before), _estimates(after), strict=True)
    return tuple(
        KeptValue(name, first, second, overlap_of(first, second) if second else 0.0)
        for name, first, second in pairs
        if first is not None
    )


def _estimates(found: Intervals) -> list[Estimate | None]:
    rows = np.column_stack(found)
    return [Estimate(*map(float, row)) if np.isfinite(row).all() else None for row in rows]


def mean_overlap(values: Sequence[KeptValue]) -> float:
    """The overlap of all figures on average; all of it where there are none."""
    return float(np.mean([value.overlap for value in values])) if values else 100.0


def student(freedom: Floats) -> Floats:
    """Half the width, in standard errors, of a 95 % interval with so many degrees of freedom."""
    from scipy.special import stdtrit

    return np.asarray(stdtrit(np.maximum(freedom, 1.0), 0.975), dtype=np.float64)


def wilson(shares: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """Both ends of Wilson's interval for a share among so many records."""
    squared = NORMAL**2 / np.maximum(sizes, 1e-300)
    middle = (shares + squared / 2) / (1 + squared)
    reach = np.sqrt(np.maximum(shares * (1 - shares) * squared + squared**2 / 4, 0)) / (1 + squared)
    return np.maximum(middle - reach, 0.0), np.minimum(middle + reach, 1.0)
