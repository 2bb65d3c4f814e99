"""Transition matrices: made from weights, checked, and the standard ones to compare with."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evomask.arrays import Floats, Points
from evomask.data.table import Table
from evomask.masking.randomization.pram import Design, Pram, Transitions, category_frequencies

CHANGES = tuple(step / 50 for step in range(1, 51))
"""The probabilities of change over which a standard matrix is tried."""


def rows_to_one(weights: Points) -> Transitions:
    """Weights from 0 up as probabilities: rows divided by their sums.

    A row of zeros becomes the identity row.
    """
    totals = weights.sum(axis=1)
    empty = totals <= 0
    matrix: Transitions = weights / np.where(empty, 1.0, totals)[:, None]
    matrix[empty] = np.eye(len(weights))[empty]
    return matrix


def frequency_shift(matrix: Transitions, frequencies: Floats) -> float:
    """How much the expected share of a category changes, at most; 0 if the matrix is invariant."""
    shares = frequencies / frequencies.sum()
    return float(np.abs(shares @ matrix - shares).max())


def percent_kept(
    matrices: Mapping[str, Transitions], frequencies: Mapping[str, Floats]
) -> dict[str, float]:
    """The percentage of each attribute's cells that are expected to keep their category."""
    return {
        name: 100.0 * float(frequencies[name] @ np.diagonal(matrix) / frequencies[name].sum())
        for name, matrix in matrices.items()
    }


def is_dominant(matrix: Transitions) -> bool:
    """Whether every category rather stays than changes, so that the matrix can be inverted."""
    return bool((np.diagonal(matrix) > 0.5).all())


@dataclass(frozen=True, eq=False)
class Standard:
    """A standard design with one of its parameters, applied to some attributes."""

    method: Pram
    matrices: Mapping[str, Transitions]

    @property
    def title(self) -> str:
        """The name of the design with its parameters, as tables print it."""
        twice = ", made invariant" if self.method.invariant else ""
        return f"{self.method.design} design, change {self.method.change:g}{twice}"


def standard_matrices(
    table: Table, attributes: tuple[str, ...], *, invariant: bool = False
) -> Iterator[Standard]:
    """Every standard design over all its parameters, the same for all attributes."""
    for design in Design:
        for change in CHANGES:
            method = Pram(attributes, design, change, invariant)
            yield Standard(method, {name: method.matrix(table, name) for name in attributes})


def frequencies_of(table: Table, attributes: tuple[str, ...]) -> dict[str, Floats]:
    """How many records hold each category of each attribute."""
    return {name: category_frequencies(table, name) for name in attributes}


def properties_of(
    matrix: Transitions, categories: Sequence[str], frequencies: Floats
) -> dict[str, object]:
    """A matrix row by row and what holds for it, in plain numbers and words."""
    stays = np.diagonal(matrix)
    return {
        "categories": list(categories),
        "rows": matrix.tolist(),
        "diagonal": [float(stays.min()), float(stays.max())],
        "dominant": is_dominant(matrix),
        "frequency_shift": frequency_shift(matrix, frequencies),
    }
