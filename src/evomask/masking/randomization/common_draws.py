"""Draws of PRAM that different matrices have in common.

In draw r every cell has one chance, whatever the matrices are: two sets of matrices are then
compared on the same luck, and where they agree, the masked files agree.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from evomask.arrays import Floats
from evomask.data.table import Table
from evomask.masking.randomization.pram import Transitions, drawn_by

Matrices = Mapping[str, Transitions]
"""A transition matrix for each attribute to be masked."""


@dataclass(frozen=True, eq=False)
class CommonDraws:
    """The files that matrices make of one table, draw by draw.

    Args:
        attributes: names of the ordinal or nominal attributes to mask.
        draws: the generator of draw number r.
        chances: of every draw met so far; they save time and change nothing.

    Draw r with some matrices is the file that `MatrixPram` makes with generator r.
    """

    table: Table
    attributes: tuple[str, ...]
    draws: Callable[[int], np.random.Generator]
    chances: dict[int, Mapping[str, Floats]] = field(default_factory=dict)

    def masked(self, matrices: Matrices, number: int) -> Table:
        """The masked file of draw *number*; an attribute without a matrix stays."""
        chances = self._chances(number)
        return self.table.with_columns(
            {name: drawn_by(self.table.codes(name), matrices[name], chances[name])
             for name in self.attributes if name in matrices}
        )  # fmt: skip

    def _chances(self, number: int) -> Mapping[str, Floats]:
        if number not in self.chances:
            rng = self.draws(number)
            self.chances[number] = {name: rng.random(len(self.table)) for name in self.attributes}
        return self.chances[number]
