"""Post-randomisation method, PRAM (Gouweleeuw et al., 1998), and its transition matrices.

Designs of the transition matrix: De Wolf and Van Gelder (2004), Domingo-Ferrer and Torra
(2001); invariant PRAM: Willenborg and De Waal (2000). Row i of a matrix holds the
probabilities that category i is replaced by each of the categories.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import ClassVar

import numpy as np

from evomask.data.hierarchy import Hierarchy
from evomask.data.schema import Attribute
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.masking.method import About, FileStatistics, require_attributes, require_share
from evomask.masking.randomization.transition_limits import (
    TransitionLimits,
    restrict_flows,
    restrict_transitions,
)
from evomask.types import Codes, Flags, Floats, Points

Transitions = Points
"""A square matrix of probabilities whose rows sum to 1."""

Matrices = Mapping[str, Transitions]
"""A transition matrix for each masked attribute."""

DESIGN_TOLERANCE = 0.01
"""Largest difference from a frequency-based design below which a matrix discloses it."""

_TOLERANCE = 1e-9

PUBLIC = (
    "The post-randomisation method (PRAM) was applied: categories were changed at random with "
    "fixed probabilities, one attribute at a time."
)
"""Public description of all PRAM methods."""


class PramMethod:
    """Base of the PRAM methods: draws each value from the row of its category."""

    attributes: tuple[str, ...]

    def matrix(self, table: Table, name: str) -> Transitions:
        """Return the transition matrix of one attribute."""
        raise NotImplementedError

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        return table.with_columns(
            {
                name: draw(table.codes(name), self.matrix(table, name), rng)
                for name in self.attributes
            }
        )


class Design(StrEnum):
    """Rule that derives a transition matrix from the frequencies of an attribute."""

    OFF_DIAGONAL = "off-diagonal"
    DIAGONAL = "diagonal"
    ENTROPY = "entropy"


@dataclass(frozen=True)
class Pram(PramMethod):
    """Randomise categories (PRAM) with a transition matrix designed from their frequencies.

    Args:
        attributes: names of the ordinal or nominal attributes, masked one at a time.
        design: ``off-diagonal``: constant probability of change, preferably to rare categories
            (2.3); ``diagonal``: frequent categories change less often (2.4, 2.5);
            ``entropy``: constant probability of change, to all others alike.
        change: probability that a value changes; in the ``diagonal`` design that of the
            rarest category.
        invariant: apply the matrix and its reverse, so that expected frequencies are preserved.
        forbidden: transitions with probability 0, as ``ATTRIBUTE:FROM->TO``; ``*`` is any other
            category. With ``invariant``, the opposite direction is forbidden too.
        band: number of positions that an ordinal category may move; by default any number.
        level: level of the attribute's hierarchy at which a category and its replacement must have
            the same ancestor; by default there is no such limit.
        hierarchies: the hierarchy of each attribute, for ``level``.
    """

    about: ClassVar[About] = About(
        name="pram",
        title="PRAM",
        steward=(
            "PRAM ({design} design, probability of change {change}[{invariant}, invariant]"
            "[, at most {band} positions][, within level {level} of the hierarchies]"
            "[, without {forbidden}])"
        ),
        public=PUBLIC,
        simple="PRAM",
    )

    attributes: tuple[str, ...]
    design: Design = Design.OFF_DIAGONAL
    change: float = 0.2
    invariant: bool = False
    forbidden: tuple[str, ...] | None = None
    band: int | None = None
    level: int | None = None
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_attributes(self.attributes, "PRAM")
        require_share(self.change, "change")
        self._limits.check_attributes(self.attributes)

    @property
    def _limits(self) -> TransitionLimits:
        return TransitionLimits(
            self.forbidden or (), self.band or 0, self.level or 0, self.hierarchies
        )

    def fitted(self, statistics: FileStatistics) -> "FittedPram":
        return FittedPram(
            self.attributes, self, {name: statistics.frequencies[name] for name in self.attributes}
        )

    def matrix(self, table: Table, name: str) -> Transitions:
        return self.matrix_by(table.attribute(name), category_frequencies(table, name))

    def matrix_by(self, attribute: Attribute, frequencies: Floats) -> Transitions:
        """Return the matrix of an attribute for given frequencies of its categories."""
        matrix = _DESIGNS[self.design](frequencies, self.change)
        return limit_matrix(
            matrix, self._limits.permitted(attribute), frequencies, invariant=self.invariant
        )


@dataclass(frozen=True, eq=False)
class FittedPram(PramMethod):
    """PRAM with the category frequencies of a whole file, for its chunks."""

    attributes: tuple[str, ...]
    pram: Pram
    frequencies: Mapping[str, Floats]

    def matrix(self, table: Table, name: str) -> Transitions:
        return self.pram.matrix_by(table.attribute(name), self.frequencies[name])


@dataclass(frozen=True, eq=False)
class MatrixPram(PramMethod):
    """Randomise categories (PRAM) with given transition matrices.

    Args:
        attributes: names of the ordinal or nominal attributes, masked one at a time.
        matrices: a square matrix for each attribute, in the order of its categories.
        invariant: apply the matrix and its reverse, so that expected frequencies are preserved.
    """

    about: ClassVar[About] = About(
        name="matrix-pram",
        title="PRAM with given matrices",
        steward="PRAM with given transition matrices[{invariant} (invariant)]",
        public=PUBLIC,
    )

    attributes: tuple[str, ...]
    matrices: Mapping[str, Transitions]
    invariant: bool = False

    def __post_init__(self) -> None:
        require_attributes(self.attributes, "PRAM")
        for name in self.attributes:
            if name not in self.matrices:
                raise ParameterError(f"PRAM has no matrix for {name!r}; give one")
            check_transitions(self.matrices[name], name)

    def matrix(self, table: Table, name: str) -> Transitions:
        frequencies = category_frequencies(table, name)
        given = self.matrices[name]
        if len(given) != len(frequencies):
            raise ParameterError(
                f"the matrix of {name!r} must have a row and a column for each of its "
                f"{len(frequencies)} categories, got {len(given)}"
            )
        return make_invariant(given, frequencies) if self.invariant else given


def check_transitions(matrix: Transitions, name: str) -> None:
    """Raise if *matrix* is not a square matrix of probabilities with rows that sum to 1."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ParameterError(f"the matrix of {name!r} must be square, got shape {matrix.shape}")
    if not np.isfinite(matrix).all() or (matrix < 0).any():
        raise ParameterError(f"the matrix of {name!r} must hold probabilities, none below 0")
    wrong = np.flatnonzero(np.abs(matrix.sum(axis=1) - 1) > _TOLERANCE)
    if len(wrong):
        raise ParameterError(
            f"row {wrong[0] + 1} of the matrix of {name!r} must sum to 1, "
            f"got {matrix[wrong[0]].sum():.6g}"
        )


def category_frequencies(table: Table, name: str) -> Floats:
    """Number of records in each category, including missing if the attribute allows it."""
    size = len(table.attribute(name).categories)
    return np.bincount(table.codes(name), minlength=size).astype(np.float64)


def off_diagonal(frequencies: Floats, change: float) -> Transitions:
    """Equation (2.3): a constant diagonal, and higher probabilities of rare target categories.

    If all records share one category, the others are equally likely.
    """
    size = len(frequencies)
    if size < 3:
        return constant_diagonal(frequencies, change)
    others = frequencies.sum() - frequencies
    weights = others[:, None] - frequencies[None, :]
    empty = others == 0
    scale = (size - 2) * np.where(empty, 1.0, others)
    matrix: Transitions = change * weights / scale[:, None]
    matrix[empty] = change / (size - 1)
    np.fill_diagonal(matrix, 1 - change)
    return matrix


def constant_diagonal(frequencies: Floats, change: float) -> Transitions:
    """Maximum entropy: a constant diagonal 1 - *change*, all other categories equally likely."""
    return _with_diagonal(np.full(len(frequencies), 1 - change))


def frequency_diagonal(frequencies: Floats, change: float) -> Transitions:
    """Equations (2.4, 2.5): the more frequent a category, the lower its probability of change.

    An empty category gets an identity row.
    """
    held = frequencies > 0
    rarest = frequencies[held].min(initial=np.inf)
    moves = np.divide(change * rarest, frequencies, out=np.zeros(len(held)), where=held)
    return _with_diagonal(1 - moves)


def _with_diagonal(diagonal: Floats) -> Transitions:
    """Return the matrix with this diagonal and equal probabilities elsewhere in each row."""
    size = len(diagonal)
    if size == 1:
        return np.ones((1, 1))
    matrix = np.repeat((1 - diagonal)[:, None] / (size - 1), size, axis=1)
    np.fill_diagonal(matrix, diagonal)
    return matrix


_DESIGNS: Mapping[Design, Callable[[Floats, float], Transitions]] = {
    Design.OFF_DIAGONAL: off_diagonal,
    Design.DIAGONAL: frequency_diagonal,
    Design.ENTROPY: constant_diagonal,
}


def is_designed(matrix: Transitions, frequencies: Floats) -> bool:
    """Whether the matrix is nearly that of a frequency-based design, for some change.

    Publishing such a matrix would disclose the frequencies to anyone who knows the design.
    """
    change = float(1 - matrix.diagonal().min(initial=1.0))
    if np.abs(matrix - constant_diagonal(frequencies, change)).max() < _TOLERANCE:
        return False
    designs = (off_diagonal, frequency_diagonal)
    matrices = (design(frequencies, change) for design in designs)
    return any(np.abs(matrix - other).max() < DESIGN_TOLERANCE for other in matrices)


def make_invariant(matrix: Transitions, frequencies: Floats) -> Transitions:
    """Return R = P Q, with Q the reverse of P by Bayes: expected frequencies are preserved."""
    joint = matrix * (frequencies / frequencies.sum())[:, None]
    arriving = joint.sum(axis=0)
    reverse = np.eye(len(matrix))
    reached = arriving > 0
    reverse[reached] = (joint[:, reached] / arriving[reached]).T
    return matrix @ reverse


def limit_matrix(
    matrix: Transitions, permitted: Flags, frequencies: Floats, *, invariant: bool
) -> Transitions:
    """Return the matrix without forbidden transitions; invariant if requested."""
    limited = restrict_transitions(matrix, permitted)
    if not invariant:
        return limited
    return restrict_flows(make_invariant(limited, frequencies), permitted)


def normalize_rows(weights: Points) -> Transitions:
    """Divide the rows of non-negative weights by their sums; zero rows become identity rows."""
    totals = weights.sum(axis=1)
    empty = totals <= 0
    matrix: Transitions = weights / np.where(empty, 1.0, totals)[:, None]
    matrix[empty] = np.eye(len(weights))[empty]
    return matrix


def draw(codes: Codes, matrix: Transitions, rng: np.random.Generator) -> Codes:
    """Replace each code by a draw from its row; categories of probability 0 are never drawn."""
    return draw_by_inversion(codes, matrix, rng.random(len(codes)))


def draw_by_inversion(codes: Codes, matrix: Transitions, uniforms: Floats) -> Codes:
    """Replace each code by the inverse of its row's cumulative distribution at a uniform number."""
    reached = np.cumsum(matrix, axis=1)
    reached /= reached[:, -1:]
    masked = np.empty(len(codes), dtype=np.int32)
    for code in np.unique(codes):
        holders = codes == code
        masked[holders] = np.searchsorted(reached[code], uniforms[holders], side="right")
    return masked


@dataclass(frozen=True, eq=False)
class CommonDraws:
    """Masked files of one table for different matrices, with common random numbers.

    In draw r each cell has the same uniform number for all matrices, so that matrices are
    compared without sampling noise between them. Draw r equals what `MatrixPram` returns with
    generator r.

    Args:
        attributes: names of the ordinal or nominal attributes to mask.
        draws: returns the generator of draw r.
        chances: cache of the uniform numbers of earlier draws.
    """

    table: Table
    attributes: tuple[str, ...]
    draws: Callable[[int], np.random.Generator]
    chances: dict[int, Mapping[str, Floats]] = field(default_factory=dict)

    @cached_property
    def frequencies(self) -> Mapping[str, Floats]:
        """Number of records in each category of each attribute."""
        return frequencies_of(self.table, self.attributes)

    def masked(self, matrices: Matrices, number: int) -> Table:
        """Return the masked file of draw *number*; attributes without a matrix are unchanged."""
        if number not in self.chances:
            rng = self.draws(number)
            self.chances[number] = {name: rng.random(len(self.table)) for name in self.attributes}
        uniforms = self.chances[number]
        return self.table.with_columns(
            {
                name: draw_by_inversion(self.table.codes(name), matrices[name], uniforms[name])
                for name in self.attributes
                if name in matrices
            }
        )


def frequency_shift(matrix: Transitions, frequencies: Floats) -> float:
    """Largest expected change in the share of a category; 0 for an invariant matrix."""
    shares = frequencies / frequencies.sum()
    return float(np.abs(shares @ matrix - shares).max())


def percent_kept(matrices: Matrices, frequencies: Mapping[str, Floats]) -> dict[str, float]:
    """Expected percentage of unchanged cells, by attribute."""
    return {
        name: 100.0 * float(frequencies[name] @ np.diagonal(matrix) / frequencies[name].sum())
        for name, matrix in matrices.items()
    }


def is_dominant(matrix: Transitions) -> bool:
    """Whether the matrix is diagonally dominant (every diagonal above 1/2), hence invertible."""
    return bool((np.diagonal(matrix) > 0.5).all())


def frequencies_of(table: Table, attributes: tuple[str, ...]) -> dict[str, Floats]:
    """Number of records in each category of each attribute."""
    return {name: category_frequencies(table, name) for name in attributes}


def properties_of(
    matrix: Transitions, categories: Sequence[str], frequencies: Floats
) -> dict[str, object]:
    """Return a matrix and its properties as plain data for JSON."""
    diagonal = np.diagonal(matrix)
    return {
        "categories": list(categories),
        "rows": matrix.tolist(),
        "diagonal": [float(diagonal.min()), float(diagonal.max())],
        "dominant": is_dominant(matrix),
        "frequency_shift": frequency_shift(matrix, frequencies),
    }
