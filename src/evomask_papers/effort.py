"""Effort of a reproduction: share of the paper's computation, the seed, and several runs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean

from evomask.errors import ParameterError
from evomask.evolution.streams import draw_stream
from evomask.searches.base import SearchContext

OTHER_RUN = 1000
"""Added to the seed for another run."""


@dataclass(frozen=True)
class Effort:
    """Seed, and share of the paper's effort to spend.

    Args:
        share: share of the paper's effort: of generations, or of the values on the axes of a grid.
    """

    seed: int = 1
    share: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise ParameterError(f"share must lie in (0, 1], got {self.share}")

    def of(self, whole: int, least: int = 1) -> int:
        return max(least, round(self.share * whole))

    def repeated(self, runs: int) -> list["Effort"]:
        """Return the same effort for several seeds, one per run."""
        return [replace(self, seed=self.seed + OTHER_RUN * run) for run in range(runs)]

    @property
    def around(self) -> SearchContext:
        """Search context with the random streams of this seed."""
        return SearchContext(partial(draw_stream, self.seed))


def spread(what: str, values: Sequence[float]) -> dict[str, object]:
    """Least, mean and largest value of several runs, as columns of a table."""
    parts = {"least": min(values), "mean": fmean(values), "largest": max(values)}
    return {f"{what}, {part} of {len(values)} runs": value for part, value in parts.items()}
