import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.errors import ParameterError
from evomask.evolution.tree import Symbols, depth
from evomask.masking.randomization.formula_pram import (
    Domains,
    RowRule,
    cells,
    parse_equation,
    transitions,
)
from evomask.searches.equations.genome import (
    SYMBOLS,
    Terminals,
    formula,
    readable_formula,
    simplify,
)
from evomask.searches.equations.operators import first_equation

MORE = SYMBOLS[Terminals.MORE]
DOMAINS = Domains.of([np.array([5.0, 0.0, 3.0, 2.0])], [1.0 - np.eye(4)])


def equations():
    return st.builds(
        lambda seed, number: first_equation(number, MORE, 6, np.random.default_rng(seed)),
        st.integers(0, 2**32),
        st.integers(0, 9),
    )


def test_the_equation_of_figure_4_14():
    symbols = Symbols({"+": 2, "*": 2}, ("a", "b", "2"))
    assert formula(("+", "a", "*", "2", "b"), symbols) == "a + 2 * b"


@pytest.mark.parametrize(
    "text",
    [
        "N",
        "N + freq_i + freq_j",
        "N - (freq_i - freq_j)",
        "N / (freq_i * freq_j)",
        "(N + 0.25) * same / size",
        "freq_max / freq_min / distance",
    ],
)
def test_brackets_stand_where_they_are_needed_only(text):
    assert formula(parse_equation(text)) == text


@given(equations())
def test_a_formula_is_read_as_it_was_written(equation):
    assert parse_equation(formula(equation)) == equation


@pytest.mark.parametrize("text", ["", "N +", "N freq_i", "(N", "N)", "x + N", "N % 2", "-N", ".5"])
def test_what_is_no_equation_is_refused(text):
    with pytest.raises(ParameterError, match="made of N, freq_max"):
        parse_equation(text)


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("freq_i - freq_i", "0"),
        ("freq_i / freq_i", "1"),
        ("N / (freq_j - freq_j)", "1"),
        ("N + (freq_i - freq_i)", "N"),
        ("N * (freq_i / freq_i)", "N"),
        ("freq_i * freq_j - freq_j * freq_i", "0"),
        ("freq_i + freq_i", "2 * freq_i"),
        ("2 * 3 + N", "6 + N"),
        ("0.5 - 2", "0.5 - 2"),
        ("freq_i * freq_j / freq_j", "freq_i * freq_j / freq_j"),
    ],
)
def test_simple_rules_make_it_shorter(text, short):
    assert formula(simplify(parse_equation(text))) == short


@given(equations())
def test_a_simplified_equation_gives_the_same_cells(equation):
    short = simplify(equation)
    assert cells(short, DOMAINS) == pytest.approx(cells(equation, DOMAINS), rel=1e-6, abs=1e-9)


@given(equations())
def test_a_simplified_equation_is_no_longer_and_no_deeper(equation):
    short = simplify(equation)
    assert len(short) <= len(equation)
    assert depth(short, MORE) <= depth(equation, MORE)


@given(equations())
def test_what_is_shown_makes_the_same_matrix(equation):
    text = readable_formula(equation, RowRule.NORMALISED)
    matrices = [
        transitions(e, DOMAINS, RowRule.NORMALISED) for e in (equation, parse_equation(text))
    ]
    assert matrices[1] == pytest.approx(matrices[0], abs=1e-6)


def test_factors_that_normalising_takes_out_are_not_shown():
    assert (
        readable_formula(parse_equation("3 * (same + freq_j / N) * N / size"), RowRule.NORMALISED)
        == "same + freq_j / N"
    )
    assert readable_formula(parse_equation("N * same"), RowRule.REST) == "N * same"
