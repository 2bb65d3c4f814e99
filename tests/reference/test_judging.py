"""The disclosure risk on Adult, beside all pairs of 300 people and every record."""

from dataclasses import replace

import numpy as np
import pytest

from evomask.data.schema import Kind, Role
from evomask.masking.microaggregation.mdav import MdavGeneric
from evomask.measures.disclosure.risk import DisclosureRisk
from evomask.measures.loss.loss import InformationLoss
from evomask.measures.targets import REPORT_TARGETS
from tests.reference.adult import NINE, complete_adult

KNOWN = tuple(name for name in NINE if name != "income")
SOME = 300
TWO_ERRORS = 5.8
"""Percentage points: two standard errors of 300 people."""


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
    return DisclosureRisk(KNOWN, people=REPORT_TARGETS).against(adult)


def distances(original, masked, name, targets):
    """Distance of every record from the targets in one attribute."""
    before, after = original.codes(name)[targets, None], masked.codes(name)[None, :]
    if original.attribute(name).kind is Kind.ORDINAL:
        return np.abs(before - after) / original.attribute(name).domain_size
    return (before != after).astype(float)


def picked(original, masked, targets):
    """Percentage of the targets whose nearest record is their own; ties are shared."""
    apart = sum(distances(original, masked, name, targets) for name in KNOWN)
    near = apart <= apart.min(axis=1, keepdims=True) + 1e-9
    return 100 * np.mean(near[np.arange(len(targets)), targets] / near.sum(axis=1))


def inferred(original, masked, targets):
    """Percentage of values that half of the nearest records agree on, and that are right."""
    every = {name: distances(original, masked, name, targets) for name in KNOWN}
    right = []
    for name in KNOWN:
        apart = sum(own for other, own in every.items() if other != name)
        near = apart <= apart.min(axis=1, keepdims=True) + 1e-9
        codes, truth = masked.codes(name), original.codes(name)
        ranks = np.cumsum(np.bincount(truth)) - np.bincount(truth) / 2
        is_ordered = original.attribute(name).kind is Kind.ORDINAL
        for row, target in zip(near, targets, strict=True):
            counts = np.bincount(codes[row], minlength=len(ranks))
            found = np.argmax(counts)
            alike = np.arange(len(ranks)) == found
            if is_ordered:
                found = np.searchsorted(np.cumsum(counts), counts.sum() / 2)
                alike = np.abs(ranks - ranks[found]) <= 0.1 * len(truth)
            right.append(counts[alike].sum() >= counts.sum() / 2 and alike[truth[target]])
    return 100 * np.mean(right)


FILES = {"the original": None, "k = 5": 5, "k = 50": 50}


@pytest.mark.parametrize("k", FILES.values(), ids=FILES)
def test_people_are_at_risk_as_among_all_pairs(adult, reading, k):
    masked = MdavGeneric(KNOWN, k).mask(adult, np.random.default_rng(1)) if k else adult
    targets = np.random.default_rng(2).permutation(len(adult))[:SOME]
    found = reading.assess(masked)
    linked = picked(adult, masked, targets)
    assert found.reidentification.percent == pytest.approx(linked, abs=TWO_ERRORS)
    assert found.reidentification.percent <= 100 / (k or 1)
    assert found.attribute_disclosure.in_release == pytest.approx(
        inferred(adult, masked, targets), abs=TWO_ERRORS
    )


def test_permuted_rows_are_as_risky_as_the_original(adult, reading):
    shuffled = adult.take(np.random.default_rng(2).permutation(len(adult)))
    assert reading(shuffled) == pytest.approx(reading.of_original.risk)


def test_a_file_of_nothing_but_suppressed_cells_has_lost_everything(adult, reading):
    nothing = adult.suppressing(np.ones(len(adult), dtype=bool))
    assert InformationLoss(KNOWN).against(adult)(nothing) == pytest.approx(100)
    assert reading(nothing) < 0.05  # a few of 10,000 targets by ties of medians


def test_leaving_a_hundredth_out_hides_a_hundredth(adult, reading):
    left = adult.suppressing(np.random.default_rng(1).random(len(adult)) < 0.01)
    assert reading(left) == pytest.approx(0.99 * reading.of_original.risk, abs=0.5)
