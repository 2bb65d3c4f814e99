"""The disclosure risk against a slow reference implementation and scikit-learn."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.measures.disclosure.relabelling import relabel, relabelling_maps
from evomask.measures.disclosure.risk import Attacker, DisclosureRisk
from tests.measures.disclosure.population import NAMES as PEOPLE_NAMES
from tests.measures.disclosure.population import people
from tests.measures.disclosure.reference_attacks import disclosure, reidentification
from tests.measures.disclosure.small_tables import KNOWN, STEPS, masked, original
from tests.tables import numbers

SEEDS = st.integers(0, 10**6)


def compare(table, control, released, known=KNOWN):
    """Every part of the risk, before and after a relabelling is undone."""
    found = DisclosureRisk(known).against(table, control).assess(released)
    files = [released, relabel(released, relabelling_maps(table, released, known))]
    slow = max(reidentification(table, file, known) for file in files)
    assert found.reidentification.percent == pytest.approx(slow, abs=1e-6)
    secrets = [disclosure(table, file, control, [(known, "illness")]) for file in files]
    assert found.confidential.percent == pytest.approx(max(secrets), abs=1e-6)
    tasks = [([n for n in known if n != name], name) for name in known]
    if len(known) > 1:
        masked_ones = [disclosure(table, file, control, tasks) for file in files]
        assert found.attribute_disclosure.percent == pytest.approx(max(masked_ones), abs=1e-6)
    else:
        assert found.attribute_disclosure is None
    assert found.risk == max(part.percent for part in found.parts.values())
    assert found.expected == pytest.approx(found.risk / 100 * len(table))


@pytest.mark.parametrize("how", STEPS)
@given(SEEDS)
@settings(max_examples=2, deadline=None)
def test_every_part_is_that_of_a_loop_over_all_pairs(how, seed):
    rng = np.random.default_rng(seed)
    table, control = original(rng), original(rng, 9)
    compare(table, control, masked(table, how, rng))


@pytest.mark.parametrize("known", [("age",), ("region",), ("age", "income"), ("school", "region")])
def test_few_attributes_of_one_kind_are_compared_as_all_pairs_are(known):
    rng = np.random.default_rng(len(known))
    table, control = original(rng), original(rng, 9)
    compare(table, control, masked(table, "all", rng), known)


def test_trees_of_several_leaves_find_what_all_pairs_find():
    rng = np.random.default_rng(4)
    table, control = original(rng, 90), original(rng, 9)
    compare(table, control, masked(table, "perturbed and generalized", rng))


def test_a_relabelling_of_categories_is_undone():
    rng = np.random.default_rng(1)
    table = original(rng, 200)
    reading = DisclosureRisk(("school", "region")).against(table)
    assert reading.assess(masked(table, "renamed", rng)).reidentification.renamed


@pytest.mark.parametrize("deviations", [0.05, 0.3, 1.0])
def test_numbers_are_linked_at_least_as_often_as_by_nearest_neighbours(deviations):
    rng = np.random.default_rng(2)
    values = rng.normal(size=(500, 3)) @ np.diag([1, 10, 100])
    table = numbers(**dict(zip("xyz", values.T, strict=True)))
    noisy = values + rng.normal(size=values.shape) * values.std(axis=0) * deviations
    released = table.with_columns(dict(zip("xyz", noisy.T, strict=True)))
    scale = values.std(axis=0)
    ranks = [
        np.column_stack(
            [np.searchsorted(np.sort(a), b) for a, b in zip(values.T, own.T, strict=True)]
        )
        for own in (values, noisy)
    ]
    linked = []
    for people_of, records in ((values / scale, noisy / scale), ranks):
        nearest = NearestNeighbors(n_neighbors=1).fit(records).kneighbors(people_of)[1]
        linked.append(100 * np.mean(nearest[:, 0] == np.arange(500)))
    found = DisclosureRisk(("x", "y", "z")).against(table).assess(released).reidentification
    if found.attacker is Attacker.WEIGHING:
        assert found.percent >= max(linked) - 1
    else:
        assert found.percent == pytest.approx(max(linked), abs=1)


@pytest.mark.parametrize("place", range(4))
def test_a_permuted_number_protects_nobody_whom_the_others_single_out(place):
    """Skewed numbers that go together, as of firms; an intruder may leave one of them aside."""
    rng = np.random.default_rng(place)
    level = rng.normal(0, 2, 600)
    columns = {n: np.exp(level + rng.normal(0, 0.3, 600)).round(2) for n in "wxyz"}
    table, name = numbers(**columns), "wxyz"[place]
    released = table.with_columns({name: rng.permutation(columns[name])})
    left = pl.DataFrame({n: released[n] for n in "wxyz" if n != name})
    unique = 100 * left.is_unique().mean()
    found = DisclosureRisk(tuple("wxyz")).against(table).assess(released)
    assert unique > 90
    assert found.reidentification.percent >= unique


def test_the_record_of_another_person_with_the_same_values_is_no_re_identification():
    table, rng = people(600, 4), np.random.default_rng(0)
    order = rng.permutation(len(table))
    moved = table.with_columns({name: table[name][order] for name in PEOPLE_NAMES})
    reading = DisclosureRisk(PEOPLE_NAMES).against(table)
    assert reading.of_original.reidentification.percent > 95
    assert reading.assess(moved).reidentification.percent < 10


@pytest.mark.parametrize("left", [(), ("note",)])
def test_a_shuffled_file_protects_nobody(left):
    """Nor does a file that leaves a single column in place."""
    table, rng = people(600, 4), np.random.default_rng(0)
    schema = Schema((*table.schema, Attribute("note", Kind.NOMINAL, Role.OTHER, tuple("abcdef"))))
    columns = {name: table[name] for name in table.schema.names}
    table = Table(schema, {**columns, "note": rng.integers(0, 6, len(table))})
    order = rng.permutation(len(table))
    shuffled = {name: table[name][order] for name in schema.names if name not in left}
    reading = DisclosureRisk(PEOPLE_NAMES).against(table)
    found = reading.assess(table.with_columns(shuffled)).reidentification
    assert found.percent == pytest.approx(reading.of_original.reidentification.percent)


def test_there_is_nothing_to_infer_of_a_single_attribute():
    table = numbers(x=range(20))
    found = DisclosureRisk(("x",)).against(table).assess(table)
    assert found.attribute_disclosure is None
    assert found.confidential is None
    assert found.reidentification.percent == 100


def test_what_is_confidential_is_inferred_and_not_known():
    rng = np.random.default_rng(3)
    table = original(rng)
    both = DisclosureRisk((*KNOWN, "illness")).against(table).assess(table)
    assert both == DisclosureRisk(KNOWN).against(table).assess(table)
    assert both.confidential.attribute == "illness"
    plain = table.with_schema(table.schema.assigning({"illness": Role.OTHER}))
    without = DisclosureRisk(KNOWN).against(plain).assess(plain)
    assert without.confidential is None
    assert without.reidentification == both.reidentification
    assert without.attribute_disclosure == both.attribute_disclosure


def test_what_a_control_group_shares_is_no_disclosure():
    """Everybody's illness is known from the file, and so is that of people who are not in it."""
    table, control = people(600, 1), people(300, 2)
    alike, others = (
        one.with_columns({"illness": (one["age"] > 50) + 0}) for one in (table, control)
    )
    alone = DisclosureRisk(PEOPLE_NAMES).against(alike).assess(alike).confidential.percent
    beside = DisclosureRisk(PEOPLE_NAMES).against(alike, others).assess(alike).confidential.percent
    assert alone > 20
    assert beside < 10


def disclosed(release, targets, control):
    """Success on targets less that on the control group, of both kinds of attribute."""
    found = DisclosureRisk(PEOPLE_NAMES).against(targets, control).assess(release)
    parts = (found.attribute_disclosure, found.confidential)
    return [part.in_release - part.control for part in parts]


def test_nothing_is_disclosed_of_people_who_are_not_in_the_release():
    """Neither the targets nor the control group are among the people in the file."""
    gains, of_members = [], []
    for seed in range(12):
        release, targets, control = (people(300, 3 * seed + i) for i in range(3))
        gains.append(disclosed(release, targets, control))
        of_members.append(disclosed(release, release, control))
    errors = np.std(gains, axis=0, ddof=1) / np.sqrt(len(gains))
    assert np.all(np.mean(gains, axis=0) <= 2 * errors)
    assert np.all(np.mean(of_members, axis=0) > 5 * errors)
