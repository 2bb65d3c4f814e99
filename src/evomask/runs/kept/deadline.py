"""A budget of seconds as a promise: when a run must be over, and what may be begun before.

The seconds are shared among what comes before the search, the search, and what comes after it:
looking closely, the release, the reports. What comes after is foretold from how long measuring
the original took, since that grows with the file as the rest does.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

ENDING = 0.1
"""Share of the seconds that is kept for what comes after the search, at least."""

MOST = 0.5
"""Share of the seconds that may be kept for it, at most."""

CLOSELY = 10.0
"""What looking closely at one point takes, where measuring the original takes 1."""

WRITING = 3.0
"""The same of the release and its reports, and of every point whose statistics must survive."""

LOOK = 4.0
"""The same of looking at the chosen point without attacks."""

PAGES = 1.5
"""Seconds that the charts of reports take, whatever the size of the file."""

GUESSED = 5.0
"""The same of something that was not tried yet."""


def kept_for_the_end(seconds: float, measuring: float, compared: int = 0) -> float:
    """Seconds of a budget that the search leaves to what comes after it.

    Args:
        measuring: how long measuring the original took.
        compared: points whose tables and models are compared with the original's.
    """
    needed = measuring * (CLOSELY + WRITING + WRITING * compared) + PAGES
    return min(max(ENDING * seconds, needed), MOST * seconds)


def about(files: float) -> str:
    """A number of files as one tells it beforehand: a guess, of one digit or two."""
    if files < 10:
        return "fewer than 10 files"
    unit = 10 ** (len(str(int(files))) - 1)
    step = unit if files >= 2 * unit else unit // 2
    return f"about {round(files / step) * step:,} files"


@dataclass(frozen=True, eq=False)
class Deadline:
    """When a run must be over.

    Args:
        elapsed: seconds that the run has taken so far.
        ends: seconds after which everything must be written.
        measuring: how long measuring the original took.
    """

    elapsed: Callable[[], float]
    ends: float
    measuring: float = 0.0
    _longest: dict[str, float] = field(default_factory=dict, repr=False)

    @property
    def left(self) -> float:
        """Seconds that are left besides what the release and its reports need."""
        return self.ends - self.elapsed() - WRITING * self.measuring - PAGES

    def allows(self, kind: str, guess: float = GUESSED, beyond: float = 0.0) -> bool:
        """Whether something may be begun: it should end in time by what its like has taken.

        Args:
            guess: what it takes where nothing of its kind was done, as a multiple of measuring.
            beyond: what must be left after it, as such a multiple.
        """
        takes = self._longest.get(kind, guess * self.measuring)
        return takes + beyond * self.measuring <= self.left

    @contextmanager
    def timing(self, kind: str) -> Iterator[None]:
        """Remember how long something of a kind takes."""
        began = self.elapsed()
        yield
        self._longest[kind] = max(self._longest.get(kind, 0.0), self.elapsed() - began)
