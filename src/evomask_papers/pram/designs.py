"""Standard PRAM designs with their matrices, for comparison with evolved matrices."""

from collections.abc import Iterator
from dataclasses import dataclass

from evomask.data.table import Table
from evomask.masking.randomization.pram import Design, Matrices, Pram

STANDARD_CHANGES = tuple(step / 50 for step in range(1, 51))
"""Probabilities of change for which standard matrices are computed."""


@dataclass(frozen=True, eq=False)
class StandardDesign:
    """A standard PRAM design with its matrices for some attributes."""

    method: Pram
    matrices: Matrices

    @property
    def title(self) -> str:
        """Name of the design with its parameters, for tables."""
        suffix = ", made invariant" if self.method.invariant else ""
        return f"{self.method.design} design, change {self.method.change:g}{suffix}"


def standard_matrices(
    table: Table, attributes: tuple[str, ...], *, invariant: bool = False
) -> Iterator[StandardDesign]:
    """Yield each standard design with each probability of change, for all attributes."""
    for design in Design:
        for change in STANDARD_CHANGES:
            method = Pram(attributes, design, change, invariant)
            matrices = {name: method.matrix(table, name) for name in attributes}
            yield StandardDesign(method, matrices)
