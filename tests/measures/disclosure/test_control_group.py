"""Attribute disclosure beyond people who are not in the release."""

import numpy as np
import pytest

from evomask.data.scenario import Scenario, Tolerance
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.masking.microaggregation.mdav import MdavGeneric
from evomask.measures.disclosure.control_group import ControlledRisk, held_out
from evomask.measures.disclosure.risk import DisclosureRisk

KNOWN = ("age", "school", "region")
LETTERS = tuple("abcdef")


def people(n, seed=1, secret="tied"):
    """Records whose health follows from region and school, or is independent of everything."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n).astype(np.float64)
    school, region = rng.integers(0, 4, n), rng.integers(0, 6, n)
    health = (school + region) % 3 if secret == "tied" else rng.integers(0, 3, n)
    schema = Schema(
        (
            Attribute("age", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER, decimals=0),
            Attribute("school", Kind.ORDINAL, Role.QUASI_IDENTIFIER, LETTERS[:4]),
            Attribute("region", Kind.NOMINAL, Role.QUASI_IDENTIFIER, LETTERS),
            Attribute("health", Kind.NOMINAL, Role.CONFIDENTIAL, LETTERS[:3]),
        )
    )
    columns = {"age": age, "school": school, "region": region, "health": health}
    return Table(schema, columns)


def test_a_law_that_holds_for_everybody_discloses_nobody():
    table, control = people(1500), people(400, seed=2)
    masked = MdavGeneric(("age",), 50).mask(table, np.random.default_rng(1))
    with_control = DisclosureRisk(KNOWN).against(table, control).assess(masked).confidential
    by_guessing = DisclosureRisk(KNOWN).against(table).assess(masked).confidential
    assert by_guessing.percent > 50  # school and region tell health
    assert with_control.percent <= 2 * with_control.error


def test_a_secret_of_persons_is_disclosed_by_their_records():
    table, control = people(600, secret="free"), people(300, seed=2, secret="free")
    found = DisclosureRisk(KNOWN).against(table, control).assess(table).confidential
    assert found.in_release > found.control + 20
    assert found.percent == pytest.approx(found.in_release - found.control)


def test_the_control_group_is_small_fixed_and_none_of_few():
    assert np.array_equal(held_out(people(3000)), held_out(people(3000)))
    assert [len(held_out(people(n))) for n in (100, 1080, 3000, 10_000, 100_000)] == [
        0,
        108,
        200,
        500,
        1000,
    ]


def test_a_twin_has_the_reidentification_of_the_release():
    table = people(1200)
    risk = ControlledRisk(table, DisclosureRisk(KNOWN))
    masked = MdavGeneric(KNOWN, 5).mask(table, np.random.default_rng(1))
    twin = MdavGeneric(KNOWN, 5).mask(table.take(risk.others), np.random.default_rng(1))
    found, alone = risk.assess(masked, twin), DisclosureRisk(KNOWN).against(table).assess(masked)
    assert found.reidentification == alone.reidentification
    assert found.control == len(risk.control) == 120
    assert found.attribute_disclosure.percent < alone.attribute_disclosure.percent


def test_without_a_twin_attribute_disclosure_counts_beyond_guessing():
    table = people(1200)
    masked = MdavGeneric(KNOWN, 5).mask(table, np.random.default_rng(1))
    risk = ControlledRisk(table, DisclosureRisk(KNOWN))
    assert risk.assess(masked, None) == DisclosureRisk(KNOWN).against(table).assess(masked)


class TestScenarios:
    def test_who_knows_less_finds_fewer(self):
        table = people(800)
        little, much = (
            Scenario(name="little", knows=("region",)),
            Scenario(name="much", knows=("age", "school", "region")),
        )
        found = DisclosureRisk(KNOWN, scenarios=(little, much)).against(table).assess(table)
        by_name = {one.name: one.reidentification.percent for one in found.scenarios}
        assert by_name["little"] < by_name["much"] == found.reidentification.percent
        assert found.reidentification.scenario == "much"

    def test_knowledge_within_a_tolerance_finds_fewer_than_exact_knowledge(self):
        table = people(800)
        exact = Scenario(name="exact", knows=("school", "region", "age"))
        about = Scenario(
            name="about", knows=("school", "region"), knows_about={"age": Tolerance(5.0)}
        )
        risks = DisclosureRisk(KNOWN, scenarios=(exact, about)).against(table).assess(table)
        of = {one.name: one.reidentification.percent for one in risks.scenarios}
        assert 0 < of["about"] < of["exact"]

    def test_chances_within_a_tolerance_by_brute_force(self):
        table = people(200)
        about = Scenario(
            name="about", knows=("school", "region"), knows_about={"age": Tolerance(5.0)}
        )
        reading = DisclosureRisk(KNOWN, probabilistic=False, scenarios=(about,)).against(table)
        found = reading.assess(table).reidentification
        age, school, region = (table[name] for name in KNOWN)
        same = (school[:, None] == school) & (region[:, None] == region)
        fits = same & (np.abs(age[:, None] - age) <= 5.0)
        assert found.percent == pytest.approx(100 * np.mean(1 / fits.sum(axis=1)), abs=2.0)

    def test_any_two_attributes_are_as_harmful_as_the_worst_two(self):
        table = people(600)
        pairs = [("age", "school"), ("age", "region"), ("school", "region")]
        single = [
            DisclosureRisk(KNOWN, scenarios=(Scenario(name="a", knows=pair),))
            .against(table)
            .assess(table)
            .reidentification.percent
            for pair in pairs
        ]
        some = Scenario(name="any", any=2, of=KNOWN)
        found = DisclosureRisk(KNOWN, scenarios=(some,)).against(table).assess(table)
        assert found.reidentification.percent == max(single)

    def test_scenarios_of_the_schema_are_used(self):
        table = people(300)
        table = table.with_schema(
            Schema(table.schema.attributes, scenarios=(Scenario(name="a", knows=("age",)),))
        )
        found = DisclosureRisk(KNOWN).against(table).assess(table)
        assert [one.name for one in found.scenarios] == ["a"]
