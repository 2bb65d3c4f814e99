"""Codes that may mean a missing value are asked about; nothing is guessed."""

import numpy as np
import pytest

from evomask.data.roles.proposal import propose
from evomask.data.schema import Attribute, Kind, Role, Schema, Storage
from evomask.data.table import Table


def proposed(values, stated=None):
    savings = Attribute("savings", Kind.CONTINUOUS, storage=Storage.REAL)
    schema = Schema((savings, Attribute("sex", Kind.NOMINAL, categories=("f", "m"))))
    column = np.array([float(value) for value in values])
    table = Table(schema, {"savings": column, "sex": np.arange(len(column)) % 2})
    return propose(table, stated)


SPREAD = [float(i * i % 97) for i in range(60)]


@pytest.mark.parametrize("code", [-999, -9, 999, 9999])
def test_a_code_apart_from_all_numbers_is_a_question_and_a_remark(code):
    found = proposed([*SPREAD, code, code, code])
    assert f"does {code} in column 'savings' mean a missing value?" in found.questions[0]
    assert f"{code} may mean a missing value" in found.attributes[0].remarks[0]


@pytest.mark.parametrize(
    "values",
    [
        SPREAD,
        [*SPREAD, -999],  # once
        [*SPREAD, -9, -9, -3],  # other numbers are negative too
        [*SPREAD, 99, 99],  # not apart
        [-999.0] * 50,
    ],
)
def test_what_may_be_a_value_is_no_question(values):
    assert proposed(values).questions == ()


def test_a_stated_role_answers_the_question():
    assert proposed([*SPREAD, -999, -999], {"savings": Role.CONFIDENTIAL}).questions == ()
