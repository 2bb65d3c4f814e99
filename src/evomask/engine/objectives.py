"""Objectives that users add to loss and risk: functions of the original and of a masked frame."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any

from evomask.data.frames import Frame, frame_like
from evomask.data.table import Table
from evomask.errors import ParameterError, UnmetError


@dataclass(frozen=True, eq=False)
class Objective:
    """A function of whole masked files; smaller values are better.

    Args:
        function: gets the original and the masked frame, in the order of the original and without
            suppressed records.
        frame: the original frame.
        limit: largest value of a candidate; without it, the function is an objective of the front.
    """

    name: str
    function: Callable[[Any, Any], float]
    frame: Frame
    limit: float | None = None

    def __call__(self, original: Table, masked: Table) -> float:
        """Return the value of a masked table; a candidate above the limit is refused."""
        value = float(self.function(self.frame, frame_like(self.frame, original, masked)))
        if not isfinite(value):
            raise ParameterError(
                f"the objective {self.name!r} gave {value} for a candidate; return a finite number"
            )
        if self.limit is not None and value > self.limit:
            raise UnmetError(f"the objective {self.name!r} is above its limit {self.limit:g}")
        return value
