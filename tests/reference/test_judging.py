"""The strict risk on Adult, beside a trial of its definitions with all pairs of 600 people."""

from dataclasses import replace

import numpy as np
import pytest

from evomask.data.schema import Kind, Role
from evomask.masking.microaggregation.mdav import MdavGeneric
from evomask.measures.disclosure.risk import StrictRisk
from evomask.measures.loss.loss import StrictLoss
from evomask.measures.targets import REPORT_TARGETS
from tests.reference.adult import NINE, complete_adult

KNOWN = tuple(name for name in NINE if name != "income")
TWO_ERRORS = 4.5
"""Percentage points: two standard errors of 600 people, and of the halves that are known."""


@pytest.fixture(scope="module")
def adult(reference):
    table = complete_adult(reference).only(KNOWN)
    roles = dict.fromkeys(KNOWN, Role.QUASI_IDENTIFIER)
    return ordered_by_age(table.with_schema(table.schema.assigning(roles)))


def ordered_by_age(table):
    """Ages as an ordered attribute, in the order of their numbers."""
    age = table.attribute("age")
    texts = [text for text in age.categories if text]
    order = np.argsort([float(text) for text in texts])
    places = np.empty(len(texts), dtype=int)
    places[order] = np.arange(len(texts))
    ordered = replace(age, kind=Kind.ORDINAL, categories=tuple(texts[i] for i in order))
    attributes = [ordered if a.name == "age" else a for a in table.schema]
    schema = type(table.schema)(tuple(attributes))
    return table.with_columns({"age": places[table.codes("age")]}).with_schema(schema)


@pytest.fixture(scope="module")
def reading(adult):
    return StrictRisk(KNOWN, people=REPORT_TARGETS).against(adult)


def test_the_original_is_as_risky_as_in_the_trial(reading):
    judged = reading.of_original
    assert judged.linked.percent == pytest.approx(60.8, abs=TWO_ERRORS)
    assert judged.read.percent == pytest.approx(53.4, abs=TWO_ERRORS)
    assert judged.linked.error < 0.5


def test_permuted_rows_are_as_risky_as_the_original(adult, reading):
    shuffled = adult.take(np.random.default_rng(2).permutation(len(adult)))
    assert reading(shuffled) == pytest.approx(reading.of_original.risk)


@pytest.mark.parametrize(("k", "linked", "read"), [(5, 13.1, 22.8), (50, 0.9, 4.6)])
def test_microaggregated_files_are_as_risky_as_in_the_trial(adult, reading, k, linked, read):
    masked = MdavGeneric(KNOWN, k).mask(adult, np.random.default_rng(1))
    judged = reading.judged(masked)
    assert judged.linked.percent == pytest.approx(linked, abs=3)
    assert judged.linked.percent <= 100 / k
    assert judged.read.percent == pytest.approx(read, abs=TWO_ERRORS)


def test_a_file_of_nothing_but_suppressed_cells_has_lost_everything(adult, reading):
    nothing = adult.suppressing(np.ones(len(adult), dtype=bool))
    assert StrictLoss(KNOWN).against(adult)(nothing) == pytest.approx(100)
    assert reading(nothing) < 0.01


def test_leaving_a_hundredth_out_hides_a_hundredth(adult, reading):
    left = adult.suppressing(np.random.default_rng(1).random(len(adult)) < 0.01)
    assert reading(left) == pytest.approx(0.99 * reading.of_original.risk, abs=0.5)
