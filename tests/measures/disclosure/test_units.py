"""Persons and households as targets: against loops over all pairs, and by laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evomask.data.scenario import Scenario
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.masking.noise import IndependentNoise
from evomask.measures.disclosure.control_group import ControlledRisk, held_out
from evomask.measures.disclosure.risk import DisclosureRisk
from evomask.measures.targets import ALL_TARGETS, TargetSample
from tests.measures.disclosure.population import NAMES, NUMBERS, people
from tests.measures.disclosure.reference_attacks import disclosure, reidentification
from tests.measures.disclosure.small_tables import KNOWN, STEPS, masked, original

SEEDS = st.integers(0, 10**6)


def with_units(table, units, role=Role.PERSON, scenarios=()):
    """The table with a column of unit numbers."""
    number = Attribute("number", Kind.CONTINUOUS, role)
    schema = Schema((*table.schema.attributes, number), scenarios=scenarios)
    columns = {**table.columns, "number": np.asarray(units, float)}
    return Table(schema, columns, table.recodings, table.suppressed)


def parts(found):
    return {name: part.percent for name, part in found.parts.items()}


@pytest.mark.parametrize("how", [how for how in STEPS if how not in ("renamed", "all")])
@given(SEEDS)
@settings(max_examples=2, deadline=None)
def test_every_part_of_a_panel_is_that_of_a_loop_over_all_pairs(how, seed):
    rng = np.random.default_rng(seed)
    own, others = rng.integers(0, 9, 24), 100 + rng.integers(0, 4, 9)
    table, control = with_units(original(rng), own), with_units(original(rng, 9), others)
    released = masked(table, how, rng)
    found = DisclosureRisk(KNOWN).against(table, control).assess(released)
    linked = reidentification(table, released, KNOWN, own)
    assert found.reidentification.percent >= linked - 1e-6  # a relabelling may be undone besides
    if not found.reidentification.renamed:
        assert found.reidentification.percent == pytest.approx(linked, abs=1e-6)
    tasks = [([n for n in KNOWN if n != name], name) for name in KNOWN]
    for part, asked in (
        (found.confidential, [(KNOWN, "illness")]),
        (found.attribute_disclosure, tasks),
    ):
        if not part.renamed:
            slow = disclosure(table, released, control, asked, (own, others))
            assert part.percent == pytest.approx(slow, abs=1e-6)
    assert (found.people, found.records) == (len(set(own)), len(set(own)))
    assert found.control == len(set(others))


@pytest.mark.parametrize("how", STEPS)
def test_persons_with_one_record_each_are_attacked_as_records_are(how):
    rng = np.random.default_rng(5)
    table, control = original(rng, 60), original(rng, 30)
    released = masked(table, how, rng)
    alone = DisclosureRisk(KNOWN).against(table, control).assess(released)
    numbered = with_units(table, rng.permutation(60)), with_units(control, np.arange(30))
    found = DisclosureRisk(KNOWN).against(*numbered).assess(released)
    assert parts(found) == pytest.approx(parts(alone))


@pytest.mark.parametrize("people_attacked", [150, ALL_TARGETS])
@pytest.mark.parametrize("times", [2, 5])
def test_records_that_occur_several_times_do_not_change_the_risk_of_a_person(
    times, people_attacked
):
    table, control = people(400, 1), people(200, 2)
    released = IndependentNoise(NUMBERS, 25).mask(table, np.random.default_rng(1))
    table, control = with_units(table, np.arange(400)), with_units(control, np.arange(200))
    released = with_units(released, np.arange(400))
    measure = DisclosureRisk(NAMES, people=people_attacked)
    once = measure.against(table, control).assess(released)
    rows, others = np.repeat(np.arange(400), times), np.repeat(np.arange(200), times)
    panel = measure.against(table.take(rows), control.take(others)).assess(released.take(rows))
    assert parts(panel) == pytest.approx(parts(once), abs=1e-6)
    assert panel.scenarios[0].at_risk == pytest.approx(once.scenarios[0].at_risk)
    assert panel.worst.error == pytest.approx(once.worst.error)
    assert (panel.people, panel.records, panel.control) == (once.people, 400, 200)


def test_a_link_to_another_record_of_the_person_is_right():
    """Two waves of each person exchange their values: nobody's own record is the nearest."""
    rng = np.random.default_rng(3)
    values = np.repeat(rng.permutation(40) * 10.0, 2) + np.tile([0.0, 4.0], 40)
    schema = Schema((Attribute("x", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER),))
    table = Table(schema, {"x": values})
    swapped = table.with_columns({"x": values.reshape(40, 2)[:, ::-1].ravel() + 1.0})
    panel = with_units(table, np.arange(80) // 2)
    found = DisclosureRisk(("x",)).against(panel).assess(swapped)
    assert found.reidentification.percent == 100
    as_records = DisclosureRisk(("x",)).against(table).assess(swapped)
    assert as_records.reidentification.percent <= 25


def test_a_person_is_found_by_their_most_exposed_record():
    schema = Schema((Attribute("x", Kind.NOMINAL, Role.QUASI_IDENTIFIER, tuple("abcd")),))
    table = Table(schema, {"x": np.array([0, 1, 0, 2, 0, 0])})
    panel = with_units(table, [1, 1, 2, 2, 3, 3])
    found = DisclosureRisk(("x",)).against(panel).assess(panel)
    # the first two are alone once, the third is half of those who have a
    assert found.reidentification.percent == pytest.approx(100 * (1 + 1 + 0.5) / 3)
    assert found.scenarios[0].at_risk == pytest.approx((100, 100))


def test_households_are_targets_where_a_scenario_counts_them():
    table = people(300, 4)
    released = IndependentNoise(NUMBERS, 30).mask(table, np.random.default_rng(1))
    homes = np.arange(300) // 3
    known = ("age", "school", "region")
    scenarios = (Scenario(name="a", knows=known), Scenario(name="b", knows=known, unit="household"))
    both = with_units(table, homes, Role.HOUSEHOLD, scenarios)
    persons, households = DisclosureRisk(NAMES).against(both).assess(released).scenarios
    plain = DisclosureRisk(NAMES, scenarios=scenarios[:1]).against(table).assess(released)
    assert persons.as_json() == plain.scenarios[0].as_json()
    assert households.reidentification.percent > persons.reidentification.percent + 5
    assert (persons.individuals, households.individuals) == (300, 100)
    assert (persons.counts_households, households.counts_households) == (False, True)
    panel = with_units(table, homes, Role.PERSON, scenarios[:1])
    of_persons = DisclosureRisk(NAMES).against(panel).assess(released).scenarios[0]
    assert of_persons.reidentification.percent == households.reidentification.percent


def test_a_control_group_has_whole_units():
    rng = np.random.default_rng(2)
    units = rng.integers(0, 400, 1200)
    table = with_units(people(1200), units)
    out = held_out(table)
    risk = ControlledRisk(table, DisclosureRisk(NAMES))
    assert not set(units[out]) & set(units[risk.others])
    assert len(set(units[out])) == len(set(units)) // 10
    found = risk.assess(table, table.take(risk.others))
    assert (found.control, found.records) == (len(set(units[out])), len(set(units)))


def test_the_order_of_records_has_no_influence_on_sampled_units():
    rng = np.random.default_rng(7)
    table = with_units(people(900, 3), rng.integers(0, 300, 900))
    released = IndependentNoise(NUMBERS, 20).mask(table, np.random.default_rng(1))
    order = rng.permutation(900)
    first, second = (
        DisclosureRisk(NAMES, people=80).against(one).assess(other)
        for one, other in ((table, released), (table.take(order), released.take(order)))
    )
    assert parts(first) == pytest.approx(parts(second))
    assert (first.people, first.records) == (80, len(set(table.values("number"))))


def test_standard_errors_of_sampled_units_are_honest():
    rng = np.random.default_rng(8)
    table = with_units(people(3000, 5), rng.integers(0, 1000, 3000))
    everyone = TargetSample.of(table, NAMES, ALL_TARGETS, 0, "number")
    values = rng.random(len(everyone.classes)) ** 3
    largest = everyone.most_exposed(values)
    within = total = 0
    for seed in range(200):
        sample = TargetSample.of(table, NAMES, 150, seed, "number")
        own = values[sample.chosen]
        for found, truth in ((own, values), (sample.most_exposed(own), largest)):
            off = abs(sample.mean(found) - everyone.mean(truth))
            within, total = within + (off <= 2 * sample.error(found)), total + 1
    assert within >= 0.93 * total
