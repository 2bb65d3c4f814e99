"""Genome of the equations search: one equation for the transition matrices of all attributes.

Cell (i, j) of a matrix is the probability that category i becomes category j, up to the row total.
The terminals of the thesis (4.2.1) are the number of records and frequencies; the extended set adds
the diagonal, the distance between categories, their number, and constants. Formulas are parsed by
`masking.randomization.equations.parsed`.
"""

from collections.abc import Mapping
from enum import StrEnum

import numpy as np

from evomask.evolution.tree import Symbols, Tree, depth, span
from evomask.masking.randomization.formula_pram import (
    FREQUENCIES,
    OTHERS,
    Domains,
    Equation,
    RowRule,
    cells,
    is_constant,
    parse_equation,
)

CONSTANT = "?"
"""A terminal that is replaced by a random number when it is drawn."""

FUNCTIONS: Mapping[str, int] = {"+": 2, "-": 2, "*": 2, "/": 2}


class Terminals(StrEnum):
    """Terminals of equations: those of the thesis, or the extended set."""

    THESIS = "thesis"
    MORE = "more"


SYMBOLS: Mapping[Terminals, Symbols] = {
    Terminals.THESIS: Symbols(FUNCTIONS, FREQUENCIES),
    Terminals.MORE: Symbols(FUNCTIONS, (*FREQUENCIES, *OTHERS, CONSTANT, CONSTANT)),
}


def row_sum_error(equation: Equation, domains: Domains) -> float:
    """Return the mean deviation of the row sums of the equation's own matrices from 1, at most 1.

    All attributes have equal weight; categories without records are ignored.
    """
    held = domains.terms["freq_i"][:, :, 0] > 0
    with np.errstate(over="ignore", invalid="ignore"):
        sums = cells(equation, domains).sum(axis=-1)
    gaps = np.abs(np.where(np.isfinite(sums), sums, 2.0) - 1.0)
    lacking = np.where(held, np.minimum(gaps, 1.0), 0.0).sum(axis=1)
    return float(np.mean(lacking / held.sum(axis=1)))


PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2}
"""Precedence of each function."""

KNOWN = SYMBOLS[Terminals.MORE]
ZERO, ONE, TWO = ("0",), ("1",), ("2",)
CONSTANT_FACTORS = ("N", "freq_max", "size")
"""Terminals that are the same positive number in all cells."""


def formula(equation: Tree, symbols: Symbols = KNOWN) -> str:
    """Return the equation in infix notation, with as few brackets as possible."""
    stack: list[tuple[str, int]] = []
    for symbol in reversed(equation):
        if not symbols.operands(symbol):
            stack.append((symbol, 3))
            continue
        (left, left_precedence), (right, right_precedence) = stack.pop(), stack.pop()
        binding = PRECEDENCE[symbol]
        left = f"({left})" if left_precedence < binding else left
        right = f"({right})" if right_precedence <= binding else right
        stack.append((f"{left} {symbol} {right}", binding))
    return stack.pop()[0]


def simplify(equation: Equation) -> Equation:
    """Return an equivalent, shorter equation by simple algebraic rules.

    Protected division is respected: x / x is 1 even where x is 0, but (x * y) / y is not
    always x and is left unchanged.
    """
    symbol, operands = equation[0], _operands(equation)
    if not operands:
        return equation
    left, right = (simplify(operand) for operand in operands)
    if symbol in "+*" and _rank(right) < _rank(left):
        left, right = right, left
    return _simplify_node(symbol, left, right) or _fold_constants(symbol, left, right)


def readable_formula(equation: Equation, rows: RowRule) -> str:
    """Return the simplified formula, without factors that normalisation cancels."""
    short = simplify(equation)
    while rows is RowRule.NORMALISED and short[0] in "*/":
        left, right = _operands(short)
        if _is_positive(right):
            short = left
        elif _is_positive(left) and short[0] == "*":
            short = right
        else:
            break
    return formula(short)


def _is_positive(equation: Equation) -> bool:
    symbol = equation[0]
    return len(equation) == 1 and (
        symbol in CONSTANT_FACTORS or (is_constant(symbol) and float(symbol) > 0)
    )


def _operands(equation: Equation) -> tuple[Equation, ...]:
    if equation[0] not in FUNCTIONS:
        return ()
    middle = span(equation, 1, KNOWN)
    return equation[1:middle], equation[middle:]


def _rank(equation: Equation) -> tuple[int, Equation]:
    return (0 if is_constant(equation[0]) else len(equation)), equation


def _fold_constants(symbol: str, left: Equation, right: Equation) -> Equation:
    if len(left) == len(right) == 1 and is_constant(left[0]) and is_constant(right[0]):
        first, second = float(left[0]), float(right[0])
        value = {"+": first + second, "-": first - second, "*": first * second}.get(symbol)
        if symbol == "/":
            value = first / second if second else 1.0
        if value is not None and 0 <= value < float("inf"):
            return (constant_symbol(value),)
    return (symbol, *left, *right)


def constant_symbol(value: float) -> str:
    """Return a constant as a symbol; integers without a decimal point, others exactly."""
    return str(int(value)) if value == int(value) and value < 1e15 else repr(value)


def _simplify_node(symbol: str, left: Equation, right: Equation) -> Equation | None:
    """Return a shorter equivalent of one function of two operands, if a rule applies."""
    rules: Mapping[str, tuple[tuple[bool, Equation], ...]] = {
        "+": ((left == ZERO, right), (left == right != ONE, ("*", *TWO, *left))),
        "-": ((right == ZERO, left), (left == right, ZERO)),
        "*": ((left == ZERO, ZERO), (left == ONE, right)),
        "/": ((right == ONE, left), (right in (left, ZERO), ONE)),
    }
    return next((shorter for applies, shorter in rules[symbol] if applies), None)


CHANGES = (0.1, 0.2, 0.3, 0.4, 0.5)

ROW_DESIGNS: Mapping[str, str] = {
    "redraw": "{stay} * same + {change} * freq_j / N",
    "entropy": "{stay} * same + {change} * (1 - same) / (size - 1)",
    "diagonal": "same * (size - 1) * (freq_i - {twice} * freq_min)"
    " + (1 - same) * {twice} * freq_min",
    "off-diagonal": "{stay} * same * ((size - 2) * (N - freq_i))"
    " + {change} * (1 - same) * (N - freq_i - freq_j)",
    "near": "{change} * freq_j / (N * distance) + {stay} * same",
}
"""Standard designs as rows to be normalised; `redraw` and `entropy` already sum to one.

`entropy`, `diagonal` and `off-diagonal` are the designs of `Pram`; `redraw` draws a changed value
by the frequencies, so that these are preserved, and `near` prefers close categories.
"""

OFF_DIAGONAL_DESIGNS: Mapping[str, str] = {
    "redraw": "{change} * freq_j / N",
    "entropy": "{change} / (size - 1)",
    "diagonal": "{twice} * freq_min / (freq_i * (size - 1))",
    "off-diagonal": "{change} * (N - freq_i - freq_j) / ((size - 2) * (N - freq_i))",
    "near": "{change} * freq_j / (N * distance * size)",
}
"""The same designs as off-diagonal cells; the diagonal is the remainder."""


def standard_equations(rows: RowRule, symbols: Symbols, levels: int) -> tuple[Equation, ...]:
    """Return the standard designs that the symbols and levels allow, at several change rates.

    ``diagonal`` changes frequent categories less; the rarest changes at twice the nominal rate.
    """
    if "same" not in symbols.terminals:
        return ()
    texts = OFF_DIAGONAL_DESIGNS if rows is RowRule.REST else ROW_DESIGNS
    equations = [
        parse_equation(text.format(change=change, stay=round(1 - change, 9), twice=2 * change))
        for change in CHANGES
        for text in texts.values()
    ]
    return tuple(equation for equation in equations if depth(equation, symbols) <= levels)
