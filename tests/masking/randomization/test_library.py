import tomllib

import numpy as np
import pytest

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.masking.randomization.formula_pram import FormulaPram
from evomask.masking.randomization.library import PATH, hashed, shipped_formulas
from evomask.masking.randomization.pram import check_transitions


def test_the_formulas_are_those_that_were_evolved():
    told = tomllib.loads(PATH.read_text(encoding="utf-8"))["hash"]
    assert hashed(shipped_formulas().formulas) == told


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
