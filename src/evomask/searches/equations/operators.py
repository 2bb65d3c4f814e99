"""How equations begin and vary: half-and-half, subtree crossover, six mutations (section 2.2)."""

from collections.abc import Callable, Mapping

import numpy as np

from evomask.evolution.tree import (
    Symbols,
    collapse,
    cross,
    expand,
    half_and_half,
    hoist,
    mutate_point,
    mutate_subtree,
)
from evomask.masking.randomization.equations import Equation, is_constant
from evomask.searches.equations.genome import CONSTANT

Mutation = Callable[[Equation, Symbols, int, np.random.Generator], Equation]

DECADES = -2.0, 1.0
"""Powers of ten between which a new constant lies."""

NUDGE = 0.4
"""Standard deviation of a nudged constant's logarithm."""


def settled(equation: Equation, rng: np.random.Generator) -> Equation:
    """The equation with a random number, of two digits, in place of each open constant."""
    return tuple(_drawn(rng) if symbol == CONSTANT else symbol for symbol in equation)


def _drawn(rng: np.random.Generator) -> str:
    return _digits(10.0 ** rng.uniform(*DECADES), 2)


def _digits(value: float, digits: int) -> str:
    return np.format_float_positional(value, digits, unique=False, fractional=False, trim="-")


def first_equation(
    number: int, symbols: Symbols, levels: int, rng: np.random.Generator
) -> Equation:
    """Equation *number* of a half-and-half start."""
    return settled(half_and_half(symbols, levels, number, rng), rng)


def crossed(
    parents: tuple[Equation, Equation], symbols: Symbols, levels: int, rng: np.random.Generator
) -> Equation:
    """The first parent with a subtree of the second; neither child may exceed *levels*.

    The other child comes of the parents changed round and a generator in the same state.
    """
    first, second = sorted(parents)
    children = cross(first, second, symbols, levels, rng)
    return children[0] if parents[0] == first else children[1]


def subtree(
    equation: Equation, symbols: Symbols, levels: int, rng: np.random.Generator
) -> Equation:
    """A random subtree is replaced by a new one: the mutation of the thesis."""
    return settled(mutate_subtree(equation, symbols, levels, rng), rng)


def point(equation: Equation, symbols: Symbols, _: int, rng: np.random.Generator) -> Equation:
    """One symbol becomes another with as many operands."""
    return settled(mutate_point(equation, symbols, rng), rng)


def hoisted(equation: Equation, symbols: Symbols, _: int, rng: np.random.Generator) -> Equation:
    """A random subtree on its own."""
    return hoist(equation, symbols, rng)


def collapsed(equation: Equation, symbols: Symbols, _: int, rng: np.random.Generator) -> Equation:
    """A random subtree becomes a terminal."""
    return settled(collapse(equation, symbols, rng), rng)


def expanded(
    equation: Equation, symbols: Symbols, levels: int, rng: np.random.Generator
) -> Equation:
    """A random terminal becomes a subtree."""
    return settled(expand(equation, symbols, levels, rng), rng)


def nudged(equation: Equation, _: Symbols, __: int, rng: np.random.Generator) -> Equation:
    """One constant grows or shrinks a little; without constants nothing changes."""
    places = [place for place, symbol in enumerate(equation) if is_constant(symbol)]
    if not places:
        return equation
    place = places[int(rng.integers(len(places)))]
    value = max(float(equation[place]), 1e-6) * float(np.exp(rng.normal(0.0, NUDGE)))
    return (*equation[:place], _digits(value, 3), *equation[place + 1 :])


MUTATIONS: Mapping[str, Mutation] = {
    "subtree": subtree,
    "point": point,
    "hoist": hoisted,
    "collapse": collapsed,
    "expand": expanded,
    "nudge": nudged,
}
