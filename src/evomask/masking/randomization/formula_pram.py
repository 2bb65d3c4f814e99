"""PRAM by a formula: one equation defines the transition matrices of all attributes.

An equation gives cell (i, j), the unnormalised probability that category i becomes category j.
It is a tuple of symbols in prefix order: `+ same * 2 freq_j` is same + 2 · freq_j. It refers to
frequencies and distances, not to categories, so one that was evolved on one file applies to others
(Marés, 2013, section 4.2). Those that ship with evomask are in `formulas.toml`, which
`benchmarks/make_formulas.py` writes.
"""

import re
import tomllib
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np

from evomask.data.distance import category_distances
from evomask.data.hierarchy import Hierarchy
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.masking.method import About, require_attributes, require_share
from evomask.masking.randomization.pram import (
    PUBLIC,
    PramMethod,
    Transitions,
    category_frequencies,
    limit_matrix,
)
from evomask.masking.randomization.transition_limits import TransitionLimits
from evomask.types import Flags, Floats

Equation: TypeAlias = tuple[str, ...]
Terms = Mapping[str, Floats]
"""Values of all terminals: arrays that broadcast over attributes, rows and columns."""

FREQUENCIES = ("N", "freq_max", "freq_min", "freq_i", "freq_j")
OTHERS = ("same", "distance", "size")
TERMINALS = (*FREQUENCIES, *OTHERS)

MAX_BRACKETS = 100
WORD = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|\w+|[-+*/()])")


class RowRule(StrEnum):
    """Rule that turns the values of an equation into rows that sum to 1."""

    NORMALISED = "normalised"
    REST = "rest"
    PENALISED = "penalised"


@dataclass(frozen=True, eq=False)
class Domains:
    """Terminals of several attributes in padded arrays, so that all are evaluated at once.

    Args:
        sizes: number of categories of each attribute; arrays are as wide as the largest.
        terms: values of all terminals, by attribute, row and column.
        valid: flags of the cells that are not padding.
    """

    sizes: tuple[int, ...]
    terms: Terms
    valid: Flags

    @classmethod
    def of(cls, frequencies: Sequence[Floats], distances: Sequence[Floats]) -> "Domains":
        """Build the terminals from category frequencies and distances between categories."""
        sizes = tuple(len(counts) for counts in frequencies)
        width = max(sizes)
        counts, distance = np.zeros((len(sizes), width)), np.zeros((len(sizes), width, width))
        for place, size in enumerate(sizes):
            counts[place, :size] = frequencies[place]
            distance[place, :size, :size] = distances[place]
        has = np.arange(width) < np.array(sizes)[:, None]
        terms = {
            "N": counts.sum(axis=1)[:, None, None],
            "freq_max": counts.max(axis=1)[:, None, None],
            "freq_min": np.array([frequency.min() for frequency in frequencies])[:, None, None],
            "freq_i": counts[:, :, None],
            "freq_j": counts[:, None, :],
            "same": np.eye(width)[None],
            "distance": distance,
            "size": np.array(sizes, dtype=np.float64)[:, None, None],
        }
        return cls(sizes, terms, has[:, :, None] & has[:, None, :])

    def split(self, matrices: Floats) -> list[Transitions]:
        """Return the matrix of each attribute without padding."""
        return [m[:size, :size] for m, size in zip(matrices, self.sizes, strict=True)]


def is_constant(symbol: str) -> bool:
    """Whether a symbol is a numeric constant."""
    return "0" <= symbol[0] <= "9"


def divide_protected(numerator: Floats, denominator: Floats) -> Floats:
    """Protected division: division by zero gives 1."""
    zero = denominator == 0
    quotient: Floats = np.where(zero, 1.0, numerator / np.where(zero, 1.0, denominator))
    return quotient


OPERATIONS: Mapping[str, Callable[[Floats, Floats], Floats]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": divide_protected,
}  # fmt: skip


def cells(equation: Equation, domains: Domains) -> Floats:
    """Absolute value of an equation in all cells of all attributes (Algorithm 8); 0 in padding."""
    values: dict[str, Floats] = {**domains.terms}
    for symbol in equation:
        if is_constant(symbol):
            values[symbol] = np.array(float(symbol))
    with np.errstate(over="ignore", invalid="ignore"):
        results = deque(stacks(equation, values), maxlen=1).pop().pop()
        return np.where(domains.valid, np.abs(results), 0.0)


def stacks(equation: Equation, values: Terms) -> Iterator[list[Floats]]:
    """Yield the evaluation stack after each symbol, from the last symbol to the first.

    The same list is yielded each time; in the end it holds the value of the equation.
    """
    stack: list[Floats] = []
    for symbol in reversed(equation):
        if symbol in OPERATIONS:
            left, right = stack.pop(), stack.pop()
            stack.append(OPERATIONS[symbol](left, right))
        else:
            stack.append(values[symbol])
        yield stack


def normalize(values: Floats) -> Transitions:
    """Divide each row by its sum; a zero or non-finite row becomes an identity row."""
    largest = values.max(axis=-1, keepdims=True)
    usable = np.isfinite(largest) & (largest > 0)
    scaled = np.where(usable, values, np.eye(values.shape[-1])) / np.where(usable, largest, 1.0)
    matrix: Transitions = scaled / scaled.sum(axis=-1, keepdims=True)
    return matrix


def with_rest(values: Floats) -> Transitions:
    """Keep the off-diagonal values and set the diagonal to what is missing to 1.

    A row whose off-diagonal sum exceeds 1 is scaled to 1; a non-finite row becomes an identity
    row.
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
    """Return the transition matrices of an equation, padded to the largest."""
    values = cells(equation, domains)
    return with_rest(values) if rows is RowRule.REST else normalize(values)


def parse_equation(text: str) -> Equation:
    """Parse a formula such as ``same + freq_j / N``."""
    if text.count("(") > MAX_BRACKETS:
        raise ParameterError(f"an equation has at most {MAX_BRACKETS} pairs of brackets")
    words = _words(text)
    equation = _sum(words)
    if words:
        raise _syntax_error(text, words[0])
    return equation


def _words(text: str) -> list[str]:
    words, at = [], 0
    while text[at:].strip():
        match = WORD.match(text, at)
        if match is None:
            raise _syntax_error(text, text[at:].strip()[0])
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
    word = words.pop(0) if words else "the end"
    if word == "(":
        inner = _sum(words)
        closing = words.pop(0) if words else "the end"
        if closing != ")":
            raise _syntax_error("an equation", closing)
        return inner
    if word in TERMINALS or is_constant(word):
        return (word,)
    raise _syntax_error("an equation", word)


def _syntax_error(text: str, word: str) -> ParameterError:
    names = ", ".join(TERMINALS)
    return ParameterError(
        f"{text!r} cannot be parsed at {word!r}; an equation is made of {names}, "
        "numbers, + - * / and brackets"
    )


def depends_on_frequencies(formula: str) -> bool:
    """Whether the matrices of a formula depend on the category frequencies of the file."""
    return bool(formula) and not set(FREQUENCIES).isdisjoint(parse_equation(formula))


FORMULAS_PATH = Path(__file__).with_name("formulas.toml")

FORMULA_CHANGES = (0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0)
"""Shares of randomised values for which each shipped formula is tried."""


class FormulaLibrary(NamedTuple):
    """Formulas, and the shares of randomised values for which each is tried."""

    formulas: tuple[str, ...]
    changes: tuple[float, ...] = FORMULA_CHANGES


@lru_cache(maxsize=1)
def shipped_formulas() -> FormulaLibrary:
    """Return the formulas that ship with evomask, the best single one first."""
    entries = tomllib.loads(FORMULAS_PATH.read_text(encoding="utf-8"))["formulas"]
    return FormulaLibrary(tuple(str(entry["formula"]) for entry in entries))


def hash_formulas(formulas: Sequence[str]) -> str:
    """Return the checksum that the file of formulas stores, so that manual edits are detected."""
    return sha256("\n".join(formulas).encode()).hexdigest()


@dataclass(frozen=True)
class FormulaPram(PramMethod):
    """Randomise categories (PRAM) with matrices that a formula computes from frequencies.

    Args:
        attributes: names of the ordinal or nominal attributes, masked one at a time.
        formula: unnormalised probability that category i becomes j, such as
            ``freq_j / distance``; made of N, freq_max, freq_min, freq_i, freq_j, same,
            distance, size, numbers, + - * / and brackets; by default the first of those that
            ship with evomask.
        change: share of the values that are drawn by the formula; the others are unchanged.
        rows: ``normalised``: rows are divided by their sums; ``rest``: the formula gives the
            off-diagonal probabilities, and the diagonal is the rest.
        invariant: apply the matrix and its reverse, so that expected frequencies are preserved.
        forbidden: transitions with probability 0, as ``ATTRIBUTE:FROM->TO``; ``*`` is any other
            category. With ``invariant``, the opposite direction is forbidden too.
        band: number of positions that an ordinal category may move; by default any number.
        level: level of the attribute's hierarchy at which a category and its replacement must have
            the same ancestor; by default there is no such limit.
        hierarchies: the hierarchy of each attribute, for ``level``.
    """

    about: ClassVar[About] = About(
        name="formula-pram",
        title="PRAM by a formula",
        steward=(
            "PRAM with transition probabilities by an evolved formula (share of values "
            "randomised {change}[{invariant}, invariant]"
            "[, at most {band} positions][, within level {level} of the hierarchies]"
            "[, without {forbidden}])"
        ),
        public=PUBLIC,
    )

    attributes: tuple[str, ...]
    formula: str = field(default_factory=lambda: shipped_formulas().formulas[0])
    change: float = 1.0
    rows: RowRule = RowRule.NORMALISED
    invariant: bool = False
    forbidden: tuple[str, ...] | None = None
    band: int | None = None
    level: int | None = None
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_attributes(self.attributes, "PRAM")
        require_share(self.change, "change")
        parse_equation(self.formula)
        self._limits.check_attributes(self.attributes)

    @property
    def _limits(self) -> TransitionLimits:
        return TransitionLimits(
            self.forbidden or (), self.band or 0, self.level or 0, self.hierarchies
        )

    @cached_property
    def equation(self) -> Equation:
        return parse_equation(self.formula)

    def matrix(self, table: Table, name: str) -> Transitions:
        frequencies = category_frequencies(table, name)
        domains = Domains.of([frequencies], [category_distances(table.attribute(name))])
        (by_formula,) = domains.split(transitions(self.equation, domains, self.rows))
        identity = np.eye(len(by_formula))
        matrix: Transitions = (1 - self.change) * identity + self.change * by_formula
        permitted = self._limits.permitted(table.attribute(name))
        return limit_matrix(matrix, permitted, frequencies, invariant=self.invariant)
