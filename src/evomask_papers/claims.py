"""Claims of a paper about a figure, tested on our data."""

import math
from collections.abc import Mapping
from typing import NamedTuple


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
            named: the numbers in the claim.
    """

    paper: str
    agrees: bool
    ours: Mapping[str, float]
    named: tuple[Named, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether our data support the claim, including its numbers."""
        return self.agrees and all(number.holds for number in self.named)

    @property
    def told(self) -> str:
        """The claim as text: yes or no, with the relevant numbers."""
        if any(math.isnan(value) for value in self.ours.values()):
            return f"Thesis: {self.paper}. Ours: the run was too short to tell."
        numbers = ", ".join(f"{what} {value:.4g}" for what, value in self.ours.items())
        return f"Thesis: {self.paper}. Ours: {'yes' if self.holds else 'no'}, {numbers}."
