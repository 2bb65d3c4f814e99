"""Information loss in its parts: which attributes and which analyses lose most."""

import msgspec
import numpy as np
import pytest

from evomask.measures.loss.loss import InformationLoss
from evomask.report.build import loss_note
from evomask.report.loss_parts import LOSS_PARTS, largest_pairs, relations_sentence
from evomask.report.pages import internal_page, public_page
from evomask.report.public_record import build_public_record
from evomask.report.record import PairNote
from tests.report.reading import words
from tests.tables import numbers


@pytest.fixture(scope="module")
def parts():
    """Two attributes that go together and one that does not; the first is permuted."""
    rng = np.random.default_rng(1)
    first = rng.normal(size=600)
    table = numbers(a=first, b=first + 0.3 * rng.normal(size=600), c=rng.normal(size=600))
    masked = table.with_columns({"a": rng.permutation(first)})
    return loss_note(InformationLoss(("a", "b", "c")).against(table).assess(masked))


def test_the_broken_relation_comes_first(parts):
    pair = largest_pairs(parts)[0]
    assert {pair.first, pair.second} == {"a", "b"}
    assert pair.association > 0.3
    assert pair.lost > 90
    assert parts.attributes["a"].accuracy > 90
    assert parts.attributes["c"].accuracy == 0
    assert "most in tables of a with b (" in relations_sentence(largest_pairs(parts))


def test_where_little_is_lost_the_sentence_says_so():
    text = relations_sentence((PairNote("a", "b", 0.4, 3.0),))
    assert text.startswith("No table of two attributes loses 10 %")


def test_reports_show_parts_attributes_and_relations(record, parts):
    size = msgspec.structs.replace(record.input, records=500)
    full = msgspec.structs.replace(record, loss_parts=parts, input=size)
    shown = build_public_record(full)
    for page in (internal_page(full), public_page(shown)):
        told = words(page)
        assert "Relations between attributes" in told
        assert "Information loss of each masked attribute" in page
    notes = (shown.loss_parts, *shown.loss_parts.attributes.values())
    values = [getattr(one, name) for one in notes for name in LOSS_PARTS]
    assert all(value % shown.step == 0 for value in values)
    assert all(pair.lost % shown.step == 0 for pair in shown.loss_parts.pairs)


def test_the_record_of_a_run_has_the_parts_of_the_chosen_file(record):
    parts = record.loss_parts
    assert set(parts.attributes) == {"age", "income", "school", "side"}
    mean = (parts.accuracy + parts.distributions + parts.relations) / 3
    assert mean == pytest.approx(record.chosen.loss)
