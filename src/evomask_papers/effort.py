"""Effort of a reproduction: share of the paper's computation, and the seed."""

from dataclasses import dataclass
from functools import partial

from evomask.errors import ParameterError
from evomask.evolution.streams import draw_stream
from evomask.searches.base import SearchContext


@dataclass(frozen=True)
class Effort:
    """Seed, and share of the paper's effort to spend.

    Args:
        share: of what the paper spends: generations, or values on the axes of a grid.
    """

    seed: int = 1
    share: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise ParameterError(f"share must lie in (0, 1], got {self.share}")

    def of(self, whole: int, least: int = 1) -> int:
        return max(least, round(self.share * whole))

    @property
    def around(self) -> SearchContext:
        """Search context with the random streams of this seed."""
        return SearchContext(partial(draw_stream, self.seed))
