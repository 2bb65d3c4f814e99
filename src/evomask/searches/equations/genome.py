"""The genome: one equation that gives every cell of every attribute's transition matrix.

Cell (i, j) is how likely category i becomes category j, up to the row's total. The terminals
of the thesis (4.2.1) are the number of records and frequencies; ours also know the diagonal,
the distance between categories, their number, and constants.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum

import numpy as np

from evomask.evolution.tree import Symbols, Tree, evaluate
from evomask.kernels.arrays import Floats
from evomask.masking.pram import Transitions

Equation = Tree
Terms = Mapping[str, Floats]
"""The values of all terminals for one attribute; arrays that broadcast over its cells."""

CONSTANT = "?"
"""A terminal that becomes a random number as soon as it is drawn."""

FUNCTIONS: Mapping[str, int] = {"+": 2, "-": 2, "*": 2, "/": 2}


class Terminals(StrEnum):
    """What equations speak of."""

    THESIS = "thesis"
    MORE = "more"


class Rows(StrEnum):
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


def terms_of(frequencies: Floats, distances: Floats) -> Terms:
    """The values of all terminals for an attribute.

    Args:
        frequencies: records in each category.
        distances: between every two categories, in [0, 1].
    """
    return {
        "N": frequencies.sum(),
        "freq_max": frequencies.max(),
        "freq_min": frequencies.min(),
        "freq_i": frequencies[:, None],
        "freq_j": frequencies[None, :],
        "same": np.eye(len(frequencies)),
        "distance": distances,
        "size": np.float64(len(frequencies)),
    }


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


def cells(equation: Equation, terms: Terms) -> Floats:
    """What an equation gives for all cells of a matrix at once, whatever the sign (Algorithm 8)."""
    size = int(terms["size"])
    constants = {symbol: np.array(float(symbol)) for symbol in equation if is_constant(symbol)}
    with np.errstate(over="ignore", invalid="ignore"):
        values = evaluate(equation, SYMBOLS[Terminals.MORE], OPERATIONS, {**terms, **constants})
    return np.broadcast_to(np.abs(values), (size, size))


def normalised(values: Floats) -> Transitions:
    """Every row divided by its sum; one of zeros, or not finite, becomes the identity row."""
    largest = values.max(axis=1, keepdims=True)
    usable = np.isfinite(values).all(axis=1, keepdims=True) & (largest > 0)
    scaled = np.where(usable, values, np.eye(len(values))) / np.where(usable, largest, 1.0)
    matrix: Transitions = scaled / scaled.sum(axis=1, keepdims=True)
    return matrix


def with_rest(values: Floats) -> Transitions:
    """Off the diagonal as it is, the rest on the diagonal: rows sum to one by their form.

    A row that gives away more than 1 is scaled to 1; one that is not finite becomes the
    identity row.
    """
    moves = np.where(np.eye(len(values), dtype=bool), 0.0, values)
    moves = np.where(np.isfinite(moves).all(axis=1, keepdims=True), moves, 0.0)
    moves = moves / np.maximum(1.0, moves.sum(axis=1, keepdims=True))
    matrix: Transitions = moves + np.diag(np.maximum(0.0, 1.0 - moves.sum(axis=1)))
    return matrix


def transitions(equation: Equation, terms: Terms, rows: Rows) -> Transitions:
    """The transition matrix that an equation makes of an attribute."""
    values = cells(equation, terms)
    return with_rest(values) if rows is Rows.REST else normalised(values)


def departure(equation: Equation, terms: Terms) -> float:
    """How far the equation's own rows are from summing to one on average, 1 at most.

    Rows of categories that no record holds do not count.
    """
    held = terms["freq_i"].ravel() > 0
    sums = cells(equation, terms).sum(axis=1)[held]
    gaps = np.abs(np.where(np.isfinite(sums), sums, 2.0) - 1.0)
    return float(np.mean(np.minimum(gaps, 1.0)))
