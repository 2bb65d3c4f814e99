"""The genome: one equation that gives every cell of every attribute's transition matrix.

Cell (i, j) is how likely category i becomes category j, up to the row's total. The terminals
of the thesis (4.2.1) are the number of records and frequencies; ours also know the diagonal,
the distance between categories, their number, and constants.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from evomask.arrays import Flags, Floats
from evomask.evolution.tree import Symbols, Tree, evaluate
from evomask.masking.randomization.pram import Transitions

Equation = Tree
Terms = Mapping[str, Floats]
"""The values of all terminals; arrays that broadcast over attributes, rows and columns."""

CONSTANT = "?"
"""A terminal that becomes a random number as soon as it is drawn."""

FUNCTIONS: Mapping[str, int] = {"+": 2, "-": 2, "*": 2, "/": 2}


class Terminals(StrEnum):
    """The values that equations are made of: those of the thesis, or more and constants."""

    THESIS = "thesis"
    MORE = "more"


class RowRule(StrEnum):
    """How the values of an equation become rows that sum to one."""

    NORMALISED = "normalised"
    REST = "rest"
    PENALISED = "penalised"


FREQUENCIES = ("N", "freq_max", "freq_min", "freq_i", "freq_j")
OTHERS = ("same", "distance", "size")
SYMBOLS: Mapping[Terminals, Symbols] = {
    Terminals.THESIS: Symbols(FUNCTIONS, FREQUENCIES),
    Terminals.MORE: Symbols(FUNCTIONS, (*FREQUENCIES, *OTHERS, CONSTANT, CONSTANT)),
}


@dataclass(frozen=True, eq=False)
class Domains:
    """The categories of several attributes side by side, so that all are computed at once.

    Args:
        sizes: number of categories of each attribute; arrays are as wide as the largest.
        terms: the values of all terminals, by attribute, row and column.
        valid: the cells that an attribute has.
    """

    sizes: tuple[int, ...]
    terms: Terms
    valid: Flags

    @classmethod
    def of(cls, frequencies: Sequence[Floats], distances: Sequence[Floats]) -> "Domains":
        """Attributes by their records in each category and distances between categories."""
        sizes = tuple(len(counts) for counts in frequencies)
        width = max(sizes)
        counts, apart = np.zeros((len(sizes), width)), np.zeros((len(sizes), width, width))
        for place, size in enumerate(sizes):
            counts[place, :size] = frequencies[place]
            apart[place, :size, :size] = distances[place]
        has = np.arange(width) < np.array(sizes)[:, None]
        terms = {
            "N": counts.sum(axis=1)[:, None, None],
            "freq_max": counts.max(axis=1)[:, None, None],
            "freq_min": np.array([frequency.min() for frequency in frequencies])[:, None, None],
            "freq_i": counts[:, :, None],
            "freq_j": counts[:, None, :],
            "same": np.eye(width)[None],
            "distance": apart,
            "size": np.array(sizes, dtype=np.float64)[:, None, None],
        }
        return cls(sizes, terms, has[:, :, None] & has[:, None, :])

    def split(self, matrices: Floats) -> list[Transitions]:
        """Each attribute's transition matrix, without the cells that pad it to the widest."""
        return [m[:size, :size] for m, size in zip(matrices, self.sizes, strict=True)]


def is_constant(symbol: str) -> bool:
    """Whether a symbol is a number."""
    return symbol[0].isdigit()


def divided(above: Floats, below: Floats) -> Floats:
    """Protected division: by zero it gives 1."""
    zero = below == 0
    quotient: Floats = np.where(zero, 1.0, above / np.where(zero, 1.0, below))
    return quotient


OPERATIONS: Mapping[str, Callable[[Floats, Floats], Floats]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": divided,
}  # fmt: skip


def cells(equation: Equation, domains: Domains) -> Floats:
    """What an equation gives for all cells at once, whatever the sign (Algorithm 8).

    One matrix an attribute, with 0 where it has no cell.
    """
    values: dict[str, Floats] = {**domains.terms}
    for symbol in equation:
        if is_constant(symbol):
            values[symbol] = np.array(float(symbol))
    with np.errstate(over="ignore", invalid="ignore"):
        results = evaluate(equation, SYMBOLS[Terminals.MORE], OPERATIONS, values)
        return np.where(domains.valid, np.abs(results), 0.0)


def normalised(values: Floats) -> Transitions:
    """Every row divided by its sum; one of zeros, or not finite, becomes the identity row."""
    largest = values.max(axis=-1, keepdims=True)
    usable = np.isfinite(largest) & (largest > 0)
    scaled = np.where(usable, values, np.eye(values.shape[-1])) / np.where(usable, largest, 1.0)
    matrix: Transitions = scaled / scaled.sum(axis=-1, keepdims=True)
    return matrix


def with_rest(values: Floats) -> Transitions:
    """Off the diagonal as it is, the rest on the diagonal: rows sum to one by their form.

    A row that gives away more than 1 is scaled to 1; one that is not finite becomes the
    identity row.
    """
    identity = np.eye(values.shape[-1])
    moves = np.where(identity > 0, 0.0, values)
    moves = np.where(np.isfinite(moves).all(axis=-1, keepdims=True), moves, 0.0)
    largest = np.maximum(1.0, moves.max(axis=-1, keepdims=True))
    scaled = moves / largest
    moves = scaled / np.maximum(1.0 / largest, scaled.sum(axis=-1, keepdims=True))
    left = np.maximum(0.0, 1.0 - moves.sum(axis=-1, keepdims=True))
    matrix: Transitions = moves + left * identity
    return matrix


def transitions(equation: Equation, domains: Domains, rows: RowRule) -> Floats:
    """The transition matrices that an equation makes, as wide as the largest."""
    values = cells(equation, domains)
    return with_rest(values) if rows is RowRule.REST else normalised(values)


def departure(equation: Equation, domains: Domains) -> float:
    """How far the equation's own rows are from summing to one on average, 1 at most.

    All attributes count the same; rows of categories that no record holds do not count.
    """
    held = domains.terms["freq_i"][:, :, 0] > 0
    with np.errstate(over="ignore", invalid="ignore"):
        sums = cells(equation, domains).sum(axis=-1)
    gaps = np.abs(np.where(np.isfinite(sums), sums, 2.0) - 1.0)
    lacking = np.where(held, np.minimum(gaps, 1.0), 0.0).sum(axis=1)
    return float(np.mean(lacking / held.sum(axis=1)))
