import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.evolution.tree import half_and_half, span
from evomask.masking.randomization.formula_pram import (
    Domains,
    RowRule,
    cells,
    divide_protected,
    normalize,
    parse_equation,
    transitions,
    with_rest,
)
from evomask.searches.equations.genome import SYMBOLS, Terminals
from evomask.searches.equations.operators import first_equation

THESIS = SYMBOLS[Terminals.THESIS]
MORE = SYMBOLS[Terminals.MORE]
FREQUENCIES = np.array([5.0, 0.0, 3.0, 2.0])
DOMAINS = Domains.of([FREQUENCIES], [1.0 - np.eye(4)])


def equations():
    return st.builds(
        lambda seed, number: first_equation(number, MORE, 6, np.random.default_rng(seed)),
        st.integers(0, 2**32),
        st.integers(0, 9),
    )


def value_of_cell(equation, frequencies, i, j):
    """Slow reference: Algorithm 8 for one cell, with a postorder vector and a stack."""
    values = {
        "N": frequencies.sum(), "freq_max": frequencies.max(), "freq_min": frequencies.min(),
        "freq_i": frequencies[i], "freq_j": frequencies[j], "same": float(i == j),
        "distance": float(i != j), "size": float(len(frequencies)),
    }  # fmt: skip
    stack = []
    for symbol in postorder(equation):
        if symbol not in "+-*/":
            stack.append(values[symbol] if symbol in values else float(symbol))
            continue
        second, first = stack.pop(), stack.pop()
        if symbol == "/":
            stack.append(first / second if second != 0 else 1.0)
        else:
            stack.append({"+": first + second, "-": first - second, "*": first * second}[symbol])
    return abs(stack.pop())


def postorder(equation):
    if len(equation) == 1:
        return list(equation)
    middle = span(equation, 1, MORE)
    return [*postorder(equation[1:middle]), *postorder(equation[middle:]), equation[0]]


def test_the_postorder_vector_of_figure_4_14():
    assert postorder(("+", "a", "*", "2", "b")) == ["a", "2", "b", "*", "+"]


def test_the_stack_of_figure_4_15_ends_with_seven():
    domains = Domains.of([np.array([1.0, 3.0])], [np.zeros((2, 2))])
    assert cells(("+", "freq_i", "*", "2", "freq_j"), domains)[0, 0, 1] == 7.0


@given(equations())
def test_all_cells_at_once_are_the_cells_one_by_one(equation):
    slow = [[value_of_cell(equation, FREQUENCIES, i, j) for j in range(4)] for i in range(4)]
    assert cells(equation, DOMAINS)[0] == pytest.approx(np.array(slow), rel=1e-9)


@pytest.mark.parametrize(
    ("above", "below", "result"), [(6.0, 3.0, 2.0), (6.0, 0.0, 1.0), (0, 0, 1)]
)
def test_division_by_zero_gives_one(above, below, result):
    assert divide_protected(np.float64(above), np.float64(below)) == result


@given(equations(), st.sampled_from(RowRule))
def test_every_equation_makes_a_transition_matrix(equation, rows):
    (matrix,) = transitions(equation, DOMAINS, rows)
    assert matrix.shape == (4, 4)
    assert (matrix >= 0).all()
    assert matrix.sum(axis=1) == pytest.approx(np.ones(4), abs=1e-12)


def test_rows_are_normalised_and_one_of_zeros_is_the_identity_row():
    matrix = normalize(np.array([[1.0, 3.0], [0.0, 0.0]]))
    assert matrix.tolist() == [[0.25, 0.75], [0.0, 1.0]]


def test_a_row_with_an_infinite_cell_is_the_identity_row():
    matrix = normalize(np.array([[1.0, np.inf], [1.0, 1.0]]))
    assert matrix.tolist() == [[1.0, 0.0], [0.5, 0.5]]


def test_cells_too_large_to_be_added_up_are_normalised_all_the_same():
    assert normalize(np.full((2, 2), 1e308)).tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_the_diagonal_is_the_rest_of_the_row():
    matrix = with_rest(np.array([[9.0, 0.25, 0.25], [3.0, 9.0, 1.0], [0.0, 0.0, 0.0]]))
    assert matrix.tolist() == [[0.5, 0.25, 0.25], [0.75, 0.0, 0.25], [0.0, 0.0, 1.0]]


def test_redrawing_by_frequency_keeps_the_frequencies():
    (matrix,) = transitions(parse_equation("0.3 * same + freq_j / N"), DOMAINS, RowRule.NORMALISED)
    assert FREQUENCIES @ matrix == pytest.approx(FREQUENCIES)


@pytest.mark.parametrize("size", [1, 2, 40])
def test_any_number_of_categories(size):
    frequencies = np.arange(size, dtype=float)
    frequencies[-1] += 1
    domains = Domains.of([frequencies], [1.0 - np.eye(size)])
    for number in range(12):
        equation = half_and_half(THESIS, 5, number, np.random.default_rng(number))
        (matrix,) = transitions(equation, domains, RowRule.NORMALISED)
        assert matrix.sum(axis=1) == pytest.approx(np.ones(size))


@given(equations(), st.sampled_from(RowRule))
def test_attributes_side_by_side_are_computed_as_if_alone(equation, rows):
    counts = [FREQUENCIES, np.array([3.0, 7.0])]
    apart = [1.0 - np.eye(4), 1.0 - np.eye(2)]
    together = Domains.of(counts, apart)
    made = together.split(transitions(equation, together, rows))
    for place, matrix in enumerate(made):
        alone = Domains.of([counts[place]], [apart[place]])
        assert matrix == pytest.approx(transitions(equation, alone, rows)[0], rel=1e-12)


def test_moves_too_large_to_be_added_up_leave_nothing_behind():
    assert with_rest(np.full((3, 3), 1e308))[0].tolist() == [0.0, 0.5, 0.5]
