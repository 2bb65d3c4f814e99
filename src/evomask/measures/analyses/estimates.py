"""Estimates with confidence intervals, and the overlap of intervals before and after masking."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evomask.types import Floats

NORMAL_QUANTILE = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution."""

MIN_RECORDS = 10
"""Minimum number of original records behind a published estimate."""


@dataclass(frozen=True)
class Estimate:
    """A point estimate and its 95 % confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class EstimateComparison:
    """One estimate before and after masking.

    Args:
        name: the cell of a table, or the predictor of a coefficient.
        before, after: None if the file does not determine it.
        overlap: overlap of both confidence intervals, in percent.
        ratio: the smaller over the larger of both, in percent; 0 if one is missing or of the other
            sign.
    """

    name: str
    before: Estimate | None
    after: Estimate | None
    overlap: float
    ratio: float = 0.0


@dataclass(frozen=True)
class AnalysisComparison:
    """A table or a model before and after masking.

    Args:
        text: the analysis as the user wrote it.
        kind: ``table`` or ``model``.
        meaning: description of its estimates.
        error: error in percent, 0 for the original.
        overlap: mean overlap of the confidence intervals, in percent.
        notes: remarks for the reader of a report.
        verdict: whether the analysis is safe to run on the masked file: `SAFE`, `WITH_CARE` or
            `UNSAFE`.
        ratio: mean ratio of estimates before and after, the smaller over the larger, in percent.
        limit: largest error in percent that the user accepts, if there is one.
    """

    text: str
    kind: str
    meaning: str
    error: float
    overlap: float
    values: tuple[EstimateComparison, ...]
    notes: tuple[str, ...] = ()
    limit: float | None = None
    ratio: float | None = None
    verdict: str = ""


SAFE, WITH_CARE, UNSAFE = "safe", "with care", "not safe"

SAFE_ERROR = 5.0
"""Largest error, in percent, of an analysis that is safe where it has no limit."""


def verdict_of(found: AnalysisComparison) -> str:
    """Whether an analysis is safe to run on the masked file.

    It is if its error is within its limit, or 5 %, and no coefficient of a model changes its sign
    or becomes or ceases to be significant; with up to twice that error, or such a change, it needs
    care.
    """
    limit = SAFE_ERROR if found.limit is None else found.limit
    if found.error > 2 * limit:
        return UNSAFE
    changes = found.kind == "model" and any(map(_is_other_conclusion, found.values))
    return WITH_CARE if changes or found.error > limit else SAFE


def _is_other_conclusion(value: EstimateComparison) -> bool:
    """Whether the interval of a coefficient excludes 0 in one of both files, or on another side."""
    sides = [
        0 if one is None else (one.low > 0) - (one.high < 0) for one in (value.before, value.after)
    ]
    return sides[0] != sides[1]


Intervals = tuple[Floats, Floats, Floats]
"""Estimates, lower and upper ends; NaN where there is no estimate."""


def overlap_of(before: Estimate, after: Estimate) -> float:
    """Confidence interval overlap in percent (Karr et al., 2006).

    It is the mean of the shares of each interval that the other covers. An interval of width 0
    counts as covered if it lies in the other one.
    """
    common = min(before.high, after.high) - max(before.low, after.low)
    if common < 0:
        return 0.0
    widths = before.high - before.low, after.high - after.low
    return 50.0 * sum(common / width if width > 0 else 1.0 for width in widths)


def compare_estimates(
    names: Sequence[str], before: Intervals, after: Intervals
) -> tuple[EstimateComparison, ...]:
    """Pair the estimates of both files; those that the original does not determine are omitted."""
    pairs = zip(names, _estimates(before), _estimates(after), strict=True)
    return tuple(
        EstimateComparison(
            name,
            first,
            second,
            overlap_of(first, second) if second else 0.0,
            ratio_of_estimates(first.value, second.value) if second else 0.0,
        )
        for name, first, second in pairs
        if first is not None
    )


def ratio_of_estimates(before: float, after: float) -> float:
    """The smaller over the larger of two estimates, in percent (Taub et al., 2017)."""
    if before == after:
        return 100.0
    small, large = sorted((abs(before), abs(after)))
    return 100.0 * small / large if before * after > 0 else 0.0


def _estimates(found: Intervals) -> list[Estimate | None]:
    rows = np.column_stack(found)
    return [Estimate(*map(float, row)) if np.isfinite(row).all() else None for row in rows]


def mean_overlap(values: Sequence[EstimateComparison]) -> float:
    """Mean overlap of all estimates in percent; 100 if there are none."""
    return float(np.mean([value.overlap for value in values])) if values else 100.0


def student_quantile(freedom: Floats) -> Floats:
    """The 97.5 % quantile of Student's t distribution, by degrees of freedom."""
    from scipy.special import stdtrit

    return np.asarray(stdtrit(np.maximum(freedom, 1.0), 0.975), dtype=np.float64)


def wilson_interval(shares: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """Lower and upper ends of Wilson's interval for shares among *sizes* records."""
    squared = NORMAL_QUANTILE**2 / np.maximum(sizes, 1e-300)
    middle = (shares + squared / 2) / (1 + squared)
    reach = np.sqrt(np.maximum(shares * (1 - shares) * squared + squared**2 / 4, 0)) / (1 + squared)
    return np.maximum(middle - reach, 0.0), np.minimum(middle + reach, 1.0)
