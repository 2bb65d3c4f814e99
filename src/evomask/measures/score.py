"""Several measures in one: a score is a measure made of measures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.measures.measure import About, Measure, Reading, Side
from evomask.measures.tracked.trackable import JoinedReading


def _names(parts: Sequence[Measure]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for part in parts for name in part.attributes))


def _joined(
    parts: Sequence[Measure], original: Table, join: Callable[[list[float]], float]
) -> Reading:
    readings = [part.against(original) for part in parts]
    return JoinedReading(readings, join)


def _check(parts: Sequence[Measure]) -> None:
    if not parts:
        raise ParameterError("a score needs at least one measure; give one")


@dataclass(frozen=True)
class Mean:
    """The average of its parts (equation 3.2)."""

    parts: tuple[Measure, ...]

    about: ClassVar[About] = About(
        "mean", "mean score", Side.PROPERTY, "loss and risk in one figure: their average"
    )

    def __post_init__(self) -> None:
        _check(self.parts)

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of all attributes its parts look at."""
        return _names(self.parts)

    def against(self, original: Table) -> Reading:
        """Prepare every part; the average can be tracked if all of them can."""
        return _joined(self.parts, original, lambda values: float(np.mean(values)))


@dataclass(frozen=True)
class Worst:
    """The larger part (equation 3.4): loss 20 and risk 20 beat loss 0 and risk 40."""

    parts: tuple[Measure, ...]

    about: ClassVar[About] = About(
        "worst", "worst score", Side.PROPERTY, "loss and risk in one figure: the larger of them"
    )

    def __post_init__(self) -> None:
        _check(self.parts)

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of all attributes its parts look at."""
        return _names(self.parts)

    def against(self, original: Table) -> Reading:
        """Prepare every part; the larger can be tracked if all of them can."""
        return _joined(self.parts, original, max)


@dataclass(frozen=True)
class Weighted:
    """A weighted average of its parts; weights need not sum to 1."""

    parts: tuple[Measure, ...]
    weights: tuple[float, ...]

    about: ClassVar[About] = About(
        "weighted",
        "weighted score",
        Side.PROPERTY,
        "loss and risk in one figure, the one counting more than the other",
    )

    def __post_init__(self) -> None:
        _check(self.parts)
        if len(self.weights) != len(self.parts):
            raise ParameterError(
                f"a weighted score needs one weight a part, got {len(self.weights)} "
                f"for {len(self.parts)}"
            )
        if not all(np.isfinite(w) and w >= 0 for w in self.weights) or sum(self.weights) <= 0:
            raise ParameterError("the weights of a score must be numbers from 0 up, not all 0")

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of all attributes its parts look at."""
        return _names(self.parts)

    def against(self, original: Table) -> Reading:
        """Prepare every part; the average can be tracked if all of them can."""
        return _joined(
            self.parts, original, lambda values: float(np.average(values, weights=self.weights))
        )
