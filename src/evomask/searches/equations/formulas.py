"""Equations as formulas that a person can read: written, and made simpler.

`masking.randomization.equations.parsed` reads them again.
"""

from evomask.evolution.tree import Symbols, Tree, span
from evomask.masking.randomization.equations import Equation, RowRule, is_constant
from evomask.searches.equations.genome import FUNCTIONS, SYMBOLS, Terminals

BINDS = {"+": 1, "-": 1, "*": 2, "/": 2}
"""How strongly each function binds its operands."""

KNOWN = SYMBOLS[Terminals.MORE]
ZERO, ONE, TWO = ("0",), ("1",), ("2",)
CONSTANT_FACTORS = ("N", "freq_max", "size")
"""Terminals that are the same positive number in all cells."""


def formula(equation: Tree, symbols: Symbols = KNOWN) -> str:
    """The equation with as few brackets as its order of computation allows."""
    stack: list[tuple[str, int]] = []
    for symbol in reversed(equation):
        if not symbols.operands(symbol):
            stack.append((symbol, 3))
            continue
        (left, mine), (right, theirs) = stack.pop(), stack.pop()
        binding = BINDS[symbol]
        left = f"({left})" if mine < binding else left
        right = f"({right})" if theirs <= binding else right
        stack.append((f"{left} {symbol} {right}", binding))
    return stack.pop()[0]


def simplified(equation: Equation) -> Equation:
    """An equal equation that is shorter where simple rules make it so.

    Protected division is respected: x / x is 1 even where x is 0, but (x * y) / y is not
    always x, and stays.
    """
    symbol, operands = equation[0], _operands(equation)
    if not operands:
        return equation
    left, right = (simplified(operand) for operand in operands)
    if symbol in "+*" and _rank(right) < _rank(left):
        left, right = right, left
    return _RULES[symbol](left, right) or _folded(symbol, left, right)


def shown(equation: Equation, rows: RowRule) -> str:
    """The simplified formula; a factor that normalising takes out again is left out."""
    short = simplified(equation)
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
    """Whether it is one positive number, the same in all cells."""
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
    """Operands that may change places stand in this order: constants, short ones, by name."""
    return (0 if is_constant(equation[0]) else len(equation)), equation


def _folded(symbol: str, left: Equation, right: Equation) -> Equation:
    """Two numbers as one, where that is not negative."""
    if len(left) == len(right) == 1 and is_constant(left[0]) and is_constant(right[0]):
        first, second = float(left[0]), float(right[0])
        value = {"+": first + second, "-": first - second, "*": first * second}.get(symbol)
        if symbol == "/":
            value = first / second if second else 1.0
        if value is not None and 0 <= value < float("inf"):
            return (number(value),)
    return (symbol, *left, *right)


def number(value: float) -> str:
    """A constant as a symbol: whole numbers without a point, others exactly."""
    return str(int(value)) if value == int(value) and value < 1e15 else repr(value)


def _shorter_sum(left: Equation, right: Equation) -> Equation | None:
    if left == ZERO:
        return right
    return ("*", *TWO, *left) if left == right and left != ONE else None


def _shorter_difference(left: Equation, right: Equation) -> Equation | None:
    if right == ZERO:
        return left
    return ZERO if left == right else None


def _shorter_product(left: Equation, right: Equation) -> Equation | None:
    if left == ZERO:
        return ZERO
    return right if left == ONE else None


def _shorter_quotient(left: Equation, right: Equation) -> Equation | None:
    if right == ONE:
        return left
    return ONE if right in (left, ZERO) else None


_RULES = {
    "+": _shorter_sum,
    "-": _shorter_difference,
    "*": _shorter_product,
    "/": _shorter_quotient,
}
