"""Operators on equations: half-and-half initialisation, subtree crossover, six mutations (2.2)."""

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
from evomask.masking.randomization.formula_pram import Equation, is_constant
from evomask.searches.equations.genome import CONSTANT

Mutation = Callable[[Equation, Symbols, int, np.random.Generator], Equation]

DECADES = -2.0, 1.0
"""Powers of ten between which a new constant lies."""

NUDGE = 0.4
"""Standard deviation of the logarithm of a constant's change."""


def fill_constants(equation: Equation, rng: np.random.Generator) -> Equation:
    """Replace each open constant by a random number of two digits."""
    return tuple(
        _format_digits(10.0 ** rng.uniform(*DECADES), 2) if symbol == CONSTANT else symbol
        for symbol in equation
    )


def _format_digits(value: float, digits: int) -> str:
    return np.format_float_positional(value, digits, unique=False, fractional=False, trim="-")


def first_equation(
    number: int, symbols: Symbols, levels: int, rng: np.random.Generator
) -> Equation:
    """Return equation *number* of a half-and-half initialisation."""
    return fill_constants(half_and_half(symbols, levels, number, rng), rng)


def cross_subtrees(
    parents: tuple[Equation, Equation], symbols: Symbols, levels: int, rng: np.random.Generator
) -> Equation:
    """Return the first parent with a subtree of the second; neither child may exceed *levels*.

    The other child results from exchanged parents and a generator in the same state.
    """
    first, second = sorted(parents)
    children = cross(first, second, symbols, levels, rng)
    return children[0] if parents[0] == first else children[1]


def nudge_constant(equation: Equation, _: Symbols, __: int, rng: np.random.Generator) -> Equation:
    """Increase or decrease one constant a little; unchanged without constants."""
    places = [place for place, symbol in enumerate(equation) if is_constant(symbol)]
    if not places:
        return equation
    place = places[int(rng.integers(len(places)))]
    value = max(float(equation[place]), 1e-6) * float(np.exp(rng.normal(0.0, NUDGE)))
    return (*equation[:place], _format_digits(value, 3), *equation[place + 1 :])


def _filled(mutation: Mutation) -> Mutation:
    return lambda *arguments: fill_constants(mutation(*arguments), arguments[-1])


MUTATIONS: Mapping[str, Mutation] = {
    "subtree": _filled(mutate_subtree),
    "point": _filled(lambda equation, symbols, _, rng: mutate_point(equation, symbols, rng)),
    "hoist": lambda equation, symbols, _, rng: hoist(equation, symbols, rng),
    "collapse": _filled(lambda equation, symbols, _, rng: collapse(equation, symbols, rng)),
    "expand": _filled(expand),
    "nudge": nudge_constant,
}
"""Mutations of an equation; those of `evolution.tree`, with open constants filled, and a nudge."""
