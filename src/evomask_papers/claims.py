"""Claims of a paper about a figure, tested on our data.

Every verdict of the page of reproductions is a `Claim`: no other module writes yes or no about one.
A word of the text such as *much* or *slightly* is tested by a share below; the papers give none.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

VERY_MUCH, MUCH, SLIGHTLY = 0.5, 0.1, 0.25
"""A change by this share or more is very much, or much; a difference below the last is slight."""


def verdict(held: bool) -> str:
    """Yes or no."""
    return "yes" if held else "no"


class Named(NamedTuple):
    """A number in a claim, printed and reproduced.

    Args:
        printed: the number in the paper. ours: the same number from our data. within: largest
            accepted difference.
    """

    printed: float
    ours: float
    within: float

    @property
    def holds(self) -> bool:
        return abs(self.ours - self.printed) <= self.within


class Claim(NamedTuple):
    """A claim of a paper, and whether our data support it.

    Numbers of the text are tested, unless they are in parentheses.

    Args:
        paper: the paper's statement, in our words. agrees: whether our data agree, apart from the
            numbers in the claim. ours: our numbers, by description; NaN if a run was too short.
            named: the numbers in the claim. source: what is quoted.
    """

    paper: str
    agrees: bool
    ours: Mapping[str, float]
    named: tuple[Named, ...] = ()
    source: str = "Thesis"

    @property
    def holds(self) -> bool:
        """Whether our data support the claim, including its numbers."""
        return self.agrees and all(number.holds for number in self.named)

    @property
    def told(self) -> str:
        """The claim as text: yes or no, with the relevant numbers."""
        if any(math.isnan(value) for value in self.ours.values()):
            return f"{self.source}: {self.paper}. Ours: the run was too short to tell."
        numbers = ", ".join(f"{what} {value:.4g}" for what, value in self.ours.items())
        return f"{self.source}: {self.paper}. Ours: {verdict(self.holds)}, {numbers}."
