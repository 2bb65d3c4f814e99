"""Attacks of the strict risk against the slow reference implementation and scikit-learn."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors

from evomask.data.schema import Role
from evomask.measures.disclosure.relabelling import undo_relabelling
from evomask.measures.disclosure.risk import Attacker, StrictRisk
from tests.measures.disclosure.reference_attacks import Twin
from tests.measures.disclosure.small_tables import KNOWN, STEPS, masked, original
from tests.tables import numbers

SEEDS = st.integers(0, 10**6)


def attacks(table, known=KNOWN):
    reading = StrictRisk(known).against(table)
    return reading._attacks(("illness",) if "illness" in table.schema else ())


def compare(table, released, known=KNOWN):
    """Every intruder's success, suppressed cells believed, and passed over where there are any."""
    confidential = ("illness",)
    found = [success.percent for success in attacks(table, known).on(released)]
    slow = Twin(table, released, known, confidential).successes()
    if len(found) > len(slow):
        slow += Twin(table, released, known, confidential, passing_over=True).successes()
    assert found == pytest.approx(slow, abs=1e-6)


@pytest.mark.parametrize("how", STEPS)
@given(SEEDS)
@settings(max_examples=6, deadline=None)
def test_every_intruder_gets_as_many_right_as_among_all_pairs(how, seed):
    rng = np.random.default_rng(seed)
    table = original(rng)
    compare(table, masked(table, how, rng))


@pytest.mark.parametrize("known", [("age",), ("region",), ("age", "income"), ("school", "region")])
def test_few_attributes_of_one_kind_are_compared_as_all_pairs_are(known):
    rng = np.random.default_rng(len(known))
    table = original(rng)
    compare(table, masked(table, "all", rng), known)


def test_trees_of_several_leaves_find_what_all_pairs_find():
    rng = np.random.default_rng(4)
    table = original(rng, 90)
    compare(table, masked(table, "perturbed and generalized", rng))


def test_suppressed_cells_are_believed_to_be_anything_and_passed_over():
    rng = np.random.default_rng(0)
    table = original(rng)
    plain, whole = (masked(table, how, rng) for how in ("perturbed", "suppressed"))
    assert len(attacks(table).on(whole)) == 2 * len(attacks(table).on(plain))


@given(SEEDS)
@settings(max_examples=10, deadline=None)
def test_the_risk_is_the_largest_of_all_intruders_before_and_after_renaming(seed):
    rng = np.random.default_rng(seed)
    table = original(rng)
    released = masked(table, "renamed", rng)
    judged = StrictRisk(KNOWN).against(table).judged(released)
    every = [
        attacks(table).on(file) for file in (released, undo_relabelling(table, released, KNOWN))
    ]
    best = max(success.percent for found in every for success in found)
    assert judged.risk == judged.worst.percent == pytest.approx(best)
    assert judged.expected == pytest.approx(best / 100 * len(table))


def test_a_file_with_renamed_categories_is_read_by_who_puts_them_right():
    rng = np.random.default_rng(1)
    table = original(rng, 200)
    judged = StrictRisk(("school", "region")).against(table).judged(masked(table, "renamed", rng))
    assert judged.worst.renamed


@pytest.mark.parametrize("deviations", [0.05, 0.3, 1.0])
def test_people_with_numbers_are_linked_as_by_nearest_neighbours(deviations):
    rng = np.random.default_rng(2)
    values = rng.normal(size=(500, 3)) @ np.diag([1, 10, 100])
    table = numbers(**dict(zip("xyz", values.T, strict=True)))
    noisy = values + rng.normal(size=values.shape) * values.std(axis=0) * deviations
    released = table.with_columns(dict(zip("xyz", noisy.T, strict=True)))
    scale = values.std(axis=0)
    nearest = NearestNeighbors(n_neighbors=1).fit(noisy / scale).kneighbors(values / scale)[1]
    linked = 100 * np.mean(nearest[:, 0] == np.arange(500))
    found = attacks(table, ("x", "y", "z")).on(released)
    assert found[0].attacker is Attacker.NEAREST
    assert found[0].percent == pytest.approx(linked)


def test_there_is_nothing_to_read_of_a_single_attribute():
    table = numbers(x=range(20))
    judged = StrictRisk(("x",)).against(table).judged(table)
    assert judged.read is None
    assert judged.confidential is None
    assert judged.linked.percent == 100


def test_what_is_confidential_is_read_and_not_known():
    rng = np.random.default_rng(3)
    table = original(rng)
    both = StrictRisk((*KNOWN, "illness")).against(table).judged(table)
    assert both == StrictRisk(KNOWN).against(table).judged(table)
    assert both.confidential.attribute == "illness"
    plain = table.with_schema(table.schema.assigning({"illness": Role.OTHER}))
    without = StrictRisk(KNOWN).against(plain).judged(plain)
    assert replace(both, confidential=None) == without


def test_alike_records_with_alike_illnesses_give_the_illness_away():
    """k without l: nobody can be linked, and everybody's illness is known."""
    table = original(np.random.default_rng(5), 60)
    first = np.zeros(60, dtype=int)
    columns = {name: table[name][first] for name in ("age", "income", "school")}
    table = table.with_columns({**columns, "illness": table["region"] % 3})
    judged = StrictRisk(KNOWN).against(table).judged(table)
    assert judged.linked.percent < 10
    assert judged.confidential.percent == 100
    assert judged.worst.attacker is Attacker.CONFIDENTIAL
