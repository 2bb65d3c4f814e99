"""PRAM by a formula, and the formulas that ship with the package."""

import tomllib

import numpy as np
import pytest

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import EvomaskError, ParameterError
from evomask.masking.composition import InTurn, transitions_of
from evomask.masking.randomization.formula_pram import (
    FORMULAS_PATH,
    FormulaPram,
    RowRule,
    hash_formulas,
    shipped_formulas,
)
from evomask.masking.randomization.pram import Design, Pram, check_transitions
from evomask.searches.equations.search import EquationsSearch, Parameters
from evomask_papers.effort import Effort

COUNTS = (50, 30, 15, 5)


def table(counts=COUNTS):
    names = tuple("abcdef"[: len(counts)])
    schema = Schema((Attribute("side", Kind.ORDINAL, Role.QUASI_IDENTIFIER, names),))
    return Table(schema, {"side": np.repeat(np.arange(len(counts)), counts)})


def test_the_formula_of_equal_chances_is_the_entropy_design():
    made = FormulaPram(("side",), "1 - same", 0.3).matrix(table(), "side")
    assert made == pytest.approx(Pram(("side",), Design.ENTROPY, 0.3).matrix(table(), "side"))


def test_drawing_by_frequency_keeps_the_frequencies():
    made = FormulaPram(("side",), "freq_j", 0.6).matrix(table(), "side")
    assert np.array(COUNTS) @ made == pytest.approx(np.array(COUNTS))


def test_an_invariant_matrix_keeps_the_frequencies_whatever_the_formula():
    method = FormulaPram(("side",), "distance + same / 3", 0.6, invariant=True)
    assert np.array(COUNTS) @ method.matrix(table(), "side") == pytest.approx(np.array(COUNTS))


def test_without_change_everything_stays():
    masked = FormulaPram(("side",), "freq_j", 0.0).mask(table(), np.random.default_rng(1))
    assert np.array_equal(masked["side"], table()["side"])


def test_near_categories_are_preferred_where_the_formula_says_so():
    made = FormulaPram(("side",), "(1 - same) / distance").matrix(table(), "side")
    assert made[0, 1] > made[0, 2] > made[0, 3] > 0


def test_the_rest_stays_on_the_diagonal():
    made = FormulaPram(("side",), "0.1", rows=RowRule.REST).matrix(table(), "side")
    assert np.diagonal(made) == pytest.approx(np.full(4, 0.7))


def test_a_formula_that_a_search_found_makes_the_same_matrices_again():
    original = table((40, 25, 20, 10, 5))
    problem = EquationsSearch.setup(original, Parameters(climb=0), Effort(1).around).problem
    genome = problem.initial(0, np.random.default_rng(0))
    again = FormulaPram(("side",), problem.answer(genome)["equation"]).matrix(original, "side")
    assert again == pytest.approx(problem.matrices(genome)["side"])


def test_its_matrices_are_found_in_a_sequence_of_methods():
    method = FormulaPram(("side",), "freq_j / distance", 0.4)
    (found,) = transitions_of(InTurn((method,)), table()).values()
    assert found == pytest.approx(method.matrix(table(), "side"))


def test_the_first_formula_of_the_library_is_the_default():
    assert FormulaPram(("side",)).formula == shipped_formulas().formulas[0]


@pytest.mark.parametrize(
    "formula",
    ["", "freq_k", "freq_j +", "1 / (2", "__import__", "²", "9²", "(" * 101 + "N" + ")" * 101],
)
def test_what_is_no_formula_is_refused(formula):
    with pytest.raises(EvomaskError):
        FormulaPram(("side",), formula)


def test_a_share_above_one_is_refused():
    with pytest.raises(ParameterError, match="change must lie in"):
        FormulaPram(("side",), "freq_j", 1.5)


def test_the_formulas_are_those_that_were_evolved():
    told = tomllib.loads(FORMULAS_PATH.read_text(encoding="utf-8"))["hash"]
    assert hash_formulas(shipped_formulas().formulas) == told


@pytest.mark.parametrize("kind", [Kind.ORDINAL, Kind.NOMINAL])
@pytest.mark.parametrize("counts", [(7, 7), (5, 5, 5), (90, 9, 1, 0), (1,) * 40])
@pytest.mark.parametrize("formula", shipped_formulas().formulas)
def test_every_formula_changes_values_whatever_the_frequencies(formula, counts, kind):
    names = tuple(f"c{i}" for i in range(len(counts)))
    schema = Schema((Attribute("a", kind, Role.QUASI_IDENTIFIER, names),))
    table = Table(schema, {"a": np.repeat(np.arange(len(counts)), counts)})
    for invariant in (True, False):
        matrix = FormulaPram(("a",), formula, 0.5, invariant=invariant).matrix(table, "a")
        check_transitions(matrix, "a")
        assert np.array(counts) @ np.diagonal(matrix) < 0.99 * sum(counts)


def test_no_formula_is_there_twice():
    formulas = shipped_formulas().formulas
    assert len(set(formulas)) == len(formulas) >= 3
