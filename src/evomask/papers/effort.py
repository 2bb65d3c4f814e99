"""What share of a paper's effort a reproduction spends, and from which seed."""

from dataclasses import dataclass
from functools import partial

from evomask.errors import ParameterError
from evomask.evolution.streams import draw_stream
from evomask.searches.search import Surroundings


@dataclass(frozen=True)
class Effort:
    """Where random numbers begin, and how much of the paper's effort is spent.

    Args:
        share: of what the paper spends: generations, or values on the axes of a grid.
    """

    seed: int = 1
    share: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise ParameterError(f"share must lie in (0, 1], got {self.share}")

    def of(self, whole: int, least: int = 1) -> int:
        """That share of *whole*, but not less than *least*."""
        return max(least, round(self.share * whole))

    @property
    def around(self) -> Surroundings:
        """What a search may know besides the file: the streams of this seed."""
        return Surroundings(partial(draw_stream, self.seed))
