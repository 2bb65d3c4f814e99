"""The weight of a survey: known by its name, asked for where there may be two."""

import numpy as np
import polars as pl

from evomask.data.frames import table_from
from evomask.data.roles.proposal import propose
from evomask.data.schema import Role

RNG = np.random.default_rng(3)
SAMPLING, HOMES, HEIGHTS = (RNG.uniform(40, 99, 200).round(1) for _ in range(3))


def proposed(stated=None, **columns):
    return propose(table_from(pl.DataFrame(columns)), stated)


def roles(found):
    return {a.name: a.role for a in found.attributes}


def test_two_columns_that_may_be_the_weight_are_a_question():
    found = proposed(sampling_weight=SAMPLING, household_weight=HOMES)
    (question,) = found.questions
    assert "'sampling_weight' or 'household_weight'" in question
    assert Role.WEIGHT not in roles(found).values()


def test_a_weight_that_is_named_leaves_no_question_and_protects_the_other():
    stated = {"sampling_weight": Role.WEIGHT}
    found = proposed(stated, sampling_weight=SAMPLING, household_weight=HOMES)
    assert found.questions == ()
    assert roles(found) == {**stated, "household_weight": Role.QUASI_IDENTIFIER}


def test_what_people_weigh_is_no_weight():
    assert roles(proposed(weight=SAMPLING, height=HEIGHTS))["weight"] is Role.QUASI_IDENTIFIER
    assert roles(proposed(birth_weight=SAMPLING))["birth_weight"] is Role.QUASI_IDENTIFIER


def test_a_weight_is_a_number_however_few_values_it_has():
    (found,) = proposed(weight=[100, 200] * 30).attributes
    assert (found.role, found.kind) == (Role.WEIGHT, "continuous")
