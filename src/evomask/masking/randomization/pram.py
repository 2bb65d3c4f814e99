"""The post randomization method (Gouweleeuw et al., 1998): categories change by chance.

Designs of the transition matrix: De Wolf and Van Gelder (2004), Domingo-Ferrer and Torra
(2001); the invariant version: Willenborg and De Waal (2000). Row i of a matrix holds the
probabilities that category i becomes each of the categories.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Protocol

import numpy as np

from evomask.arrays import Codes, Floats, Points
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.masking.checks import require_attributes, require_share
from evomask.masking.method import About
from evomask.masking.statistics import Statistics

Transitions = Points
"""A square matrix of probabilities whose rows sum to 1."""

_TOLERANCE = 1e-9
AS_DESIGNED = 0.01
"""How far the probabilities of a matrix may lie from those of a design that it still tells of."""


PUBLIC = (
    "Categories were changed by chance, one attribute at a time, with fixed probabilities "
    "(post-randomisation)."
)
"""What may be told of any PRAM."""


class Drawing(Protocol):
    """A method that draws the values of its attributes by matrices."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of what is masked."""
        ...

    def matrix(self, table: Table, name: str) -> Transitions:
        """The transition matrix of one attribute."""
        ...


class Design(StrEnum):
    """How a transition matrix is made from an attribute's frequencies."""

    OFF_DIAGONAL = "off-diagonal"
    DIAGONAL = "diagonal"
    ENTROPY = "entropy"


@dataclass(frozen=True)
class Pram:
    """Change categories by chance, with a matrix designed from their frequencies.

    Args:
        attributes: names of the ordinal or nominal attributes, masked one at a time.
        design: ``off-diagonal``: all categories change equally often, rather to rare ones
            (2.3); ``diagonal``: frequent ones change less (2.4, 2.5); ``entropy``: all change
            equally often, to any other.
        change: probability that a value changes; in the ``diagonal`` design that of the
            rarest category.
        invariant: apply the matrix and its reverse, so that expected frequencies stay.
    """

    about: ClassVar[About] = About(
        name="pram",
        title="PRAM",
        steward=(
            "categories changed by chance (PRAM, {design} design, change "
            "{change}[{invariant}, frequencies kept in expectation])"
        ),
        public=PUBLIC,
        simple="PRAM",
    )

    attributes: tuple[str, ...]
    design: Design = Design.OFF_DIAGONAL
    change: float = 0.2
    invariant: bool = False

    def __post_init__(self) -> None:
        require_attributes(self.attributes, "PRAM")
        require_share(self.change, "change")

    def fitted(self, statistics: Statistics) -> "MatrixPram":
        """The method with the matrices that the frequencies of the whole file give."""
        own = {name: self._designed(statistics.frequencies[name]) for name in self.attributes}
        return MatrixPram(self.attributes, own)

    def matrix(self, table: Table, name: str) -> Transitions:
        """The transition matrix of one attribute."""
        return self._designed(category_frequencies(table, name))

    def _designed(self, frequencies: Floats) -> Transitions:
        designed = _DESIGNS[self.design](frequencies, self.change)
        return made_invariant(designed, frequencies) if self.invariant else designed

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Every value drawn anew from its category's row."""
        return randomized(self, table, rng)


@dataclass(frozen=True, eq=False)
class MatrixPram:
    """Change categories by chance, with given transition matrices.

    Args:
        attributes: names of the ordinal or nominal attributes, masked one at a time.
        matrices: a square matrix for each attribute, in the order of its categories.
        invariant: apply the matrix and its reverse, so that expected frequencies stay.
    """

    about: ClassVar[About] = About(
        name="matrix-pram",
        title="PRAM with given matrices",
        steward=(
            "categories changed by chance with given probabilities (PRAM[{invariant}, "
            "frequencies kept in expectation])"
        ),
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
        """The transition matrix of one attribute."""
        frequencies = category_frequencies(table, name)
        given = self.matrices[name]
        if len(given) != len(frequencies):
            raise ParameterError(
                f"the matrix of {name!r} must have a row and a column for each of its "
                f"{len(frequencies)} categories, got {len(given)}"
            )
        return made_invariant(given, frequencies) if self.invariant else given

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Every value drawn anew from its category's row."""
        return randomized(self, table, rng)


def check_transitions(matrix: Transitions, name: str) -> None:
    """Refuse what is not a square matrix of probabilities with rows that sum to 1."""
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
    """How many records hold each category, missing values being one where there are any."""
    size = len(table.attribute(name).categories)
    return np.bincount(table.codes(name), minlength=size).astype(np.float64)


def off_diagonal(frequencies: Floats, change: float) -> Transitions:
    """Equation (2.3): a constant diagonal, and rare categories are rather changed to.

    Where all records share one category, the others are equally likely.
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
    """Maximum entropy: stay with probability 1 - *change*, else any other category alike."""
    return _spread(np.full(len(frequencies), 1 - change))


def frequency_diagonal(frequencies: Floats, change: float) -> Transitions:
    """Equations (2.4, 2.5): the more frequent a category, the rarer it changes.

    An empty category gets the identity row.
    """
    held = frequencies > 0
    rarest = frequencies[held].min(initial=np.inf)
    moves = np.divide(change * rarest, frequencies, out=np.zeros(len(held)), where=held)
    return _spread(1 - moves)


def _spread(diagonal: Floats) -> Transitions:
    """The given diagonal, the rest of each row shared by the other categories."""
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
    """Whether a design that reads the frequencies makes nearly this matrix, for some change.

    Who knows the design could read the frequencies from it.
    """
    change = float(1 - matrix.diagonal().min(initial=1.0))
    if np.abs(matrix - constant_diagonal(frequencies, change)).max() < _TOLERANCE:
        return False
    designs = (off_diagonal, frequency_diagonal)
    made = (design(frequencies, change) for design in designs)
    return any(np.abs(matrix - other).max() < AS_DESIGNED for other in made)


def made_invariant(matrix: Transitions, frequencies: Floats) -> Transitions:
    """R = P Q with Q the reverse of P by Bayes: expected frequencies are the original ones."""
    joint = matrix * (frequencies / frequencies.sum())[:, None]
    arriving = joint.sum(axis=0)
    reverse = np.eye(len(matrix))
    reached = arriving > 0
    reverse[reached] = (joint[:, reached] / arriving[reached]).T
    return matrix @ reverse


def randomized(method: Drawing, table: Table, rng: np.random.Generator) -> Table:
    """Every value of a method's attributes drawn anew from its category's row."""
    return table.with_columns(
        {name: drawn(table.codes(name), method.matrix(table, name), rng)
         for name in method.attributes}
    )  # fmt: skip


def drawn(codes: Codes, matrix: Transitions, rng: np.random.Generator) -> Codes:
    """Each code replaced by a draw from its row; what has probability 0 is never drawn."""
    return drawn_by(codes, matrix, rng.random(len(codes)))


def drawn_by(codes: Codes, matrix: Transitions, chances: Floats) -> Codes:
    """Each code replaced by the category up to which its row's probabilities reach its chance."""
    reached = np.cumsum(matrix, axis=1)
    reached /= reached[:, -1:]
    masked = np.empty(len(codes), dtype=np.int32)
    for code in np.unique(codes):
        holders = codes == code
        masked[holders] = np.searchsorted(reached[code], chances[holders], side="right")
    return masked
