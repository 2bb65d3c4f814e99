"""Equations that give every cell of an attribute's transition matrix, read and worked out.

Cell (i, j) is how likely category i becomes category j, up to the row's total. An equation is
a tuple of symbols in prefix order: `+ same * 2 freq_j` is same + 2 · freq_j.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

import numpy as np

from evomask.arrays import Flags, Floats
from evomask.errors import ParameterError
from evomask.masking.randomization.pram import Transitions

Equation: TypeAlias = tuple[str, ...]
Terms = Mapping[str, Floats]
"""The values of all terminals; arrays that broadcast over attributes, rows and columns."""

FREQUENCIES = ("N", "freq_max", "freq_min", "freq_i", "freq_j")
OTHERS = ("same", "distance", "size")
TERMINALS = (*FREQUENCIES, *OTHERS)

MOST_BRACKETS = 100
WORD = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|\w+|[-+*/()])")


class RowRule(StrEnum):
    """How the values of an equation become rows that sum to one."""

    NORMALISED = "normalised"
    REST = "rest"
    PENALISED = "penalised"


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
    return "0" <= symbol[0] <= "9"


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
        results = deque(stacks(equation, values), maxlen=1).pop().pop()
        return np.where(domains.valid, np.abs(results), 0.0)


def stacks(equation: Equation, values: Terms) -> Iterator[list[Floats]]:
    """What waits for its operation after each symbol, from the last to the first.

    It is one list that changes; in the end it holds the value of the equation alone.
    """
    stack: list[Floats] = []
    for symbol in reversed(equation):
        if symbol in OPERATIONS:
            left, right = stack.pop(), stack.pop()
            stack.append(OPERATIONS[symbol](left, right))
        else:
            stack.append(values[symbol])
        yield stack


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


def parsed(text: str) -> Equation:
    """The equation that a formula such as ``same + freq_j / N`` stands for."""
    if text.count("(") > MOST_BRACKETS:
        raise ParameterError(f"an equation has at most {MOST_BRACKETS} pairs of brackets")
    words = _words(text)
    equation = _sum(words)
    if words:
        raise _unreadable(text, words[0])
    return equation


def _words(text: str) -> list[str]:
    words, at = [], 0
    while text[at:].strip():
        match = WORD.match(text, at)
        if match is None:
            raise _unreadable(text, text[at:].strip()[0])
        words.append(match[1])
        at = match.end()
    return words


def _sum(words: list[str]) -> Equation:
    left = _product(words)
    while words and words[0] in "+-":
        left = (words.pop(0), *left, *_product(words))
    return left


def _product(words: list[str]) -> Equation:
    left = _factor(words)
    while words and words[0] in "*/":
        left = (words.pop(0), *left, *_factor(words))
    return left


def _factor(words: list[str]) -> Equation:
    word = words.pop(0) if words else "its end"
    if word == "(":
        inner = _sum(words)
        closing = words.pop(0) if words else "its end"
        if closing != ")":
            raise _unreadable("an equation", closing)
        return inner
    if word in TERMINALS or is_constant(word):
        return (word,)
    raise _unreadable("an equation", word)


def _unreadable(text: str, word: str) -> ParameterError:
    names = ", ".join(TERMINALS)
    return ParameterError(
        f"{text!r} cannot be read at {word!r}; an equation is made of {names}, "
        "numbers, + - * / and brackets"
    )


def reads_frequencies(formula: str) -> bool:
    """Whether the matrices of a formula depend on how many records hold each category."""
    return bool(formula) and not set(FREQUENCIES).isdisjoint(parsed(formula))
