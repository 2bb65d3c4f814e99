"""Loss and risk of what PRAM makes: expected where that can be had, else over common draws.

What is drawn in draw r comes from outside: a function from matrices and r to a masked file.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np

from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.measures.expected.expectation import Matrices
from evomask.measures.measure import Measure, Reading
from evomask.measures.tracked.trackable import TrackableReading

Draw = Callable[[Matrices, int], Table]
"""The masked file that matrices make in draw r, the same for all evaluations of a run."""


@dataclass(frozen=True, eq=False)
class RandomizedReading:
    """A measure of matrices: of the files they make on average.

    Args:
        draws: how many common draws are averaged where there is no expectation.
        by_draws: average draws even where there is one, as the thesis does.
    """

    reading: Reading
    draw: Draw
    draws: int
    by_draws: bool = False

    def __post_init__(self) -> None:
        if self.draws < 1:
            raise ParameterError(f"draws must be at least 1, got {self.draws}")

    @property
    def is_expected(self) -> bool:
        """Whether it is an expectation, so that nothing is drawn."""
        return not self.by_draws and bool(getattr(self.reading, "has_expectation", False))

    def __call__(self, matrices: Matrices) -> float:
        """The expectation, or the mean over the common draws."""
        if self.is_expected:
            return cast(TrackableReading, self.reading).expected(matrices)
        files = (self.draw(matrices, number) for number in range(self.draws))
        return float(np.mean([self.reading(masked) for masked in files]))


@dataclass(frozen=True, eq=False)
class Randomized:
    """Loss and risk of matrices against one original."""

    loss: RandomizedReading
    risk: RandomizedReading

    @classmethod
    def of(
        cls,
        original: Table,
        measures: tuple[Measure, Measure],
        draw: Draw,
        draws: int,
        *,
        by_draws: bool = False,
    ) -> "Randomized":
        """A measure of loss and one of risk, prepared for many matrices."""
        loss, risk = (
            RandomizedReading(measure.against(original), draw, draws, by_draws)
            for measure in measures
        )
        return cls(loss, risk)

    @property
    def is_expected(self) -> bool:
        """Whether both are expectations, so that nothing is drawn."""
        return self.loss.is_expected and self.risk.is_expected

    def __call__(self, matrices: Matrices) -> tuple[float, float]:
        """Loss and risk in percent, on average over the files that the matrices make."""
        return self.loss(matrices), self.risk(matrices)

    def released(self, matrices: Matrices, number: int) -> dict[str, float]:
        """Loss and risk of the one file of draw *number*, with what was expected beside."""
        masked = self.loss.draw(matrices, number)
        loss, risk = self(matrices)
        return {
            "loss": self.loss.reading(masked),
            "risk": self.risk.reading(masked),
            "expected_loss": loss,
            "expected_risk": risk,
        }


USUAL_DRAWS = 5
"""Files averaged where there is no expectation, unless told."""


def tell_of_unused_draws(measured: Randomized, draws: int) -> None:
    """Warn where a number of draws was asked for and nothing is drawn."""
    if draws != USUAL_DRAWS and measured.is_expected:
        warnings.warn(
            "draws change nothing here: loss and risk are expectations over all files; add "
            "--no-expected (Python: expected=False) to average drawn files",
            stacklevel=3,
        )
