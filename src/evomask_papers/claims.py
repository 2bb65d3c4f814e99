"""Claims of a paper about a figure, tested on our data."""

import math
from collections.abc import Mapping
from typing import NamedTuple


class Claim(NamedTuple):
    """A claim of a paper, and whether our data support it.

    Args:
        paper: what the paper says or prints, in our words.
        holds: whether it is so in our data.
        ours: our numbers by what they are of; NaN where a run was too short to tell.
    """

    paper: str
    holds: bool
    ours: Mapping[str, float]

    @property
    def told(self) -> str:
        """The claim as text: yes or no, with the numbers that decide."""
        if any(math.isnan(value) for value in self.ours.values()):
            return f"Thesis: {self.paper}. Ours: the run was too short to tell."
        numbers = ", ".join(f"{what} {value:.4g}" for what, value in self.ours.items())
        return f"Thesis: {self.paper}. Ours: {'yes' if self.holds else 'no'}, {numbers}."
