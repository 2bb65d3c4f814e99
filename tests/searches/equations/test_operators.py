import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.evolution.tree import depth, span
from evomask.masking.randomization.formula_pram import is_constant
from evomask.searches.equations.genome import CONSTANT, SYMBOLS, Terminals
from evomask.searches.equations.operators import (
    MUTATIONS,
    cross_subtrees,
    fill_constants,
    first_equation,
    nudge_constant,
)

MORE = SYMBOLS[Terminals.MORE]
THESIS = SYMBOLS[Terminals.THESIS]
LEVELS = 5


def rng_of(seed):
    return np.random.default_rng(seed)


def seeds():
    return st.integers(0, 2**32)


def equations(symbols=MORE):
    return st.builds(
        lambda seed, number: first_equation(number, symbols, LEVELS, rng_of(seed)),
        seeds(),
        st.integers(0, 9),
    )


def is_valid(equation):
    return span(equation, 0, MORE) == len(equation) and depth(equation, MORE) <= LEVELS


@pytest.mark.parametrize("operator", MUTATIONS.values(), ids=list(MUTATIONS))
@given(equation=equations(), seed=seeds())
def test_every_mutation_makes_a_whole_equation_within_the_levels(operator, equation, seed):
    child = operator(equation, MORE, LEVELS, rng_of(seed))
    assert is_valid(child)
    assert CONSTANT not in child


@pytest.mark.parametrize("operator", MUTATIONS.values(), ids=list(MUTATIONS))
@given(equation=equations(THESIS), seed=seeds())
def test_the_terminals_of_the_thesis_stay_among_themselves(operator, equation, seed):
    child = operator(equation, THESIS, LEVELS, rng_of(seed))
    assert set(child) <= {*THESIS.functions, *THESIS.terminals}


@given(equations(), equations(), seeds())
def test_both_children_of_a_crossover_are_within_the_levels_and_lose_nothing(one, other, seed):
    children = (
        cross_subtrees((one, other), MORE, LEVELS, rng_of(seed)),
        cross_subtrees((other, one), MORE, LEVELS, rng_of(seed)),
    )
    assert all(is_valid(child) for child in children)
    assert one == other or sorted((*children[0], *children[1])) == sorted((*one, *other))


@given(equations(), seeds())
def test_a_nudge_changes_one_constant_and_nothing_else(equation, seed):
    child = nudge_constant(equation, MORE, LEVELS, rng_of(seed))
    changed = [(a, b) for a, b in zip(equation, child, strict=True) if a != b]
    assert len(changed) <= 1
    assert all(is_constant(a) and is_constant(b) for a, b in changed)


def test_an_equation_without_constants_is_not_nudged():
    assert nudge_constant(("+", "N", "freq_i"), MORE, LEVELS, rng_of(1)) == ("+", "N", "freq_i")


def test_constants_are_drawn_between_a_hundredth_and_ten():
    drawn = [float(fill_constants((CONSTANT,), rng_of(seed))[0]) for seed in range(300)]
    assert 0.01 <= min(drawn) < 0.02
    assert 5.0 < max(drawn) <= 10.0
