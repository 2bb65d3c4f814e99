"""Scores: measures that combine several measures."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.measures.incremental.readings import CombinedReading
from evomask.measures.measure import About, Measure, Reading, Side


@dataclass(frozen=True)
class _Combination:
    parts: tuple[Measure, ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise ParameterError("a score needs at least one measure; give one")

    @property
    def attributes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for part in self.parts for name in part.attributes))

    def _against(self, original: Table, combine: Callable[[list[float]], float]) -> Reading:
        return CombinedReading([part.against(original) for part in self.parts], combine)


@dataclass(frozen=True)
class Mean(_Combination):
    """Mean of several measures (equation 3.2)."""

    about: ClassVar[About] = About(
        "mean", "mean score", Side.PROPERTY, "loss and risk in one number: their mean"
    )

    def against(self, original: Table) -> Reading:
        return self._against(original, lambda values: float(np.mean(values)))


@dataclass(frozen=True)
class Worst(_Combination):
    """Maximum of several measures (equation 3.4): loss 20 and risk 20 beat loss 0 and risk 40."""

    about: ClassVar[About] = About(
        "worst", "worst score", Side.PROPERTY, "loss and risk in one number: the larger of them"
    )

    def against(self, original: Table) -> Reading:
        return self._against(original, max)


@dataclass(frozen=True)
class Weighted(_Combination):
    """Weighted mean of several measures; weights need not sum to 1."""

    weights: tuple[float, ...]

    about: ClassVar[About] = About(
        "weighted",
        "weighted score",
        Side.PROPERTY,
        "loss and risk in one number: their weighted mean",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.weights) != len(self.parts):
            raise ParameterError(
                f"a weighted score needs one weight for each part, got {len(self.weights)} "
                f"for {len(self.parts)}"
            )
        if not all(np.isfinite(w) and w >= 0 for w in self.weights) or sum(self.weights) <= 0:
            raise ParameterError("the weights of a score must be numbers from 0 up, not all 0")

    def against(self, original: Table) -> Reading:
        return self._against(
            original, lambda values: float(np.average(values, weights=self.weights))
        )
