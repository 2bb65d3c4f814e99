"""Claims of a paper about a figure, tested on our data."""

import math
from collections.abc import Mapping
from typing import NamedTuple


class Named(NamedTuple):
    """A number that a claim names.

    Args:
        printed: the paper's.
        ours: the same of our data.
        within: how far ours may be from the paper's.
    """

    printed: float
    ours: float
    within: float

    @property
    def holds(self) -> bool:
        return abs(self.ours - self.printed) <= self.within


class Claim(NamedTuple):
    """A claim of a paper, and whether our data support it.

    A number of the text is tested, unless it stands in parentheses.

    Args:
        paper: what the paper says or prints, in our words.
        agrees: whether all is so in our data but for the numbers that the claim names.
        ours: our numbers by what they are of; NaN where a run was too short to tell.
        named: the numbers that the claim names.
    """

    paper: str
    agrees: bool
    ours: Mapping[str, float]
    named: tuple[Named, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the claim is true of our data, its numbers included."""
        return self.agrees and all(number.holds for number in self.named)

    @property
    def told(self) -> str:
        """The claim as text: yes or no, with the numbers that decide."""
        if any(math.isnan(value) for value in self.ours.values()):
            return f"Thesis: {self.paper}. Ours: the run was too short to tell."
        numbers = ", ".join(f"{what} {value:.4g}" for what, value in self.ours.items())
        return f"Thesis: {self.paper}. Ours: {'yes' if self.holds else 'no'}, {numbers}."
