"""Analysis of variance of several factors, and Tukey's and Scheffé's comparisons of means.

Effects are tested in the additive model of all factors, each after all others (type II).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evomask.errors import ParameterError
from evomask.types import Floats, Points

Settings = NDArray[Any]
"""The value of a factor in each run."""

SAME = 1e-9
"""Responses whose range is a smaller share of the largest are equal."""


class Effect(NamedTuple):
    """Effect of one factor: sum of squares, degrees of freedom, F ratio and p-value."""

    square_sum: float
    freedom: int
    ratio: float
    p: float


class Error(NamedTuple):
    """Mean square error for comparing means, and its degrees of freedom."""

    square: float
    freedom: int


class Comparisons(NamedTuple):
    """P-values of all pairs of samples; 1 on the diagonal."""

    tukey: Points
    scheffe: Points


def analyse_variance(factors: Mapping[str, Settings], values: Floats) -> dict[str, Effect]:
    """Test the effect of every factor that varies; none has an effect if all values are equal."""
    varied = {name: s for name, s in factors.items() if len(np.unique(s)) > 1}
    if not varied or np.ptp(values) <= SAME * max(1.0, float(np.abs(values).max())):
        return {}
    rest, width = _fit(varied, values)
    spare = len(values) - width
    if spare < 1:
        raise ParameterError(
            f"{len(values)} runs are too few to test {len(varied)} parameters; use more runs or "
            "more values of each"
        )
    return {name: _effect(varied, values, name, (rest, spare)) for name in varied}


def _effect(
    factors: Mapping[str, Settings], values: Floats, name: str, error: tuple[float, int]
) -> Effect:
    from scipy.stats import f

    rest, spare = error
    others = {other: settings for other, settings in factors.items() if other != name}
    without, _ = _fit(others, values)
    freedom = len(np.unique(factors[name])) - 1
    if rest <= 0:
        return Effect(without, freedom, np.inf, 0.0) if without > 0 else Effect(0, freedom, 0, 1)
    ratio = (without - rest) / freedom / (rest / spare)
    return Effect(without - rest, freedom, ratio, float(f.sf(ratio, freedom, spare)))


def _fit(factors: Mapping[str, Settings], values: Floats) -> tuple[float, int]:
    """Residual sum of squares of an additive model, and its number of coefficients."""
    columns = [np.ones(len(values))]
    for settings in factors.values():
        columns += [(settings == value).astype(np.float64) for value in np.unique(settings)[1:]]
    design = np.column_stack(columns)
    fitted = design @ np.linalg.lstsq(design, values, rcond=None)[0]
    return float(np.sum((values - fitted) ** 2)), design.shape[1]


def error_within(samples: Sequence[Floats]) -> Error:
    """Error of a comparison one way: the variation within the samples."""
    spare = sum(map(len, samples)) - len(samples)
    within = sum(float(np.sum((sample - sample.mean()) ** 2)) for sample in samples)
    return Error(within / spare if spare else 0.0, spare)


def joint_error(factors: Mapping[str, Settings], values: Floats) -> Error:
    """Error of a comparison after all factors: the residual of their additive model."""
    rest, width = _fit(factors, values)
    spare = len(values) - width
    return Error(rest / spare if spare > 0 else 0.0, spare)


def compare_means(samples: Sequence[Floats], error: Error) -> Comparisons:
    """Tukey's (with Kramer's sizes) and Scheffé's p-values of all pairs of samples.

    Without error, samples of equal means have the value 1 and others 0.
    """
    from scipy.stats import f, studentized_range

    means = np.array([sample.mean() for sample in samples])
    sizes = np.array([len(sample) for sample in samples], dtype=np.float64)
    apart = (means[:, None] - means) ** 2
    if len(samples) < 2 or error.square <= 0:
        same = (apart == 0).astype(np.float64)
        return Comparisons(same, same.copy())
    scaled = apart / (error.square * (1 / sizes[:, None] + 1 / sizes))
    count = len(samples)
    scheffe: Points = f.sf(scaled / (count - 1), count - 1, error.freedom)
    tukey = np.ones((count, count))
    upper = np.triu_indices(count, 1)
    tukey[upper] = np.clip(
        studentized_range.sf(np.sqrt(2 * scaled[upper]), count, error.freedom), 0.0, 1.0
    )
    tukey.T[upper] = tukey[upper]
    return Comparisons(tukey, scheffe)
