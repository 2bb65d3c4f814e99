"""Units: constant values stay constant, and k counts persons and households."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evomask.data.scenario import Scenario
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.data.units import unit_levels, unit_of
from evomask.errors import EvomaskError, SchemaError
from evomask.masking.catalogue import METHODS, method_named
from evomask.masking.enforce.enforcement import Enforcement
from evomask.masking.enforce.requirement import Requirement

QUASI = Role.QUASI_IDENTIFIER
LETTERS = tuple("abcdef")


def households(rng, n=60, panel=False):
    """Households of persons, with waves of each person in a panel; two constant attributes each."""
    home = np.sort(rng.integers(0, n // 3, n))
    person = np.arange(n) // 2 if panel else np.arange(n)
    home = home[person * 2] if panel else home
    rooms, place = rng.integers(1, 6, n)[home].astype(float), rng.integers(0, 4, n)[home]
    sex, age = rng.integers(0, 2, n)[person], rng.integers(20, 60, n).astype(float)
    attributes = [
        Attribute("home", Kind.CONTINUOUS, Role.HOUSEHOLD),
        Attribute("rooms", Kind.CONTINUOUS, QUASI, decimals=0),
        Attribute("place", Kind.NOMINAL, QUASI, LETTERS[:4]),
        Attribute("sex", Kind.NOMINAL, QUASI, ("f", "m")),
        Attribute("age", Kind.CONTINUOUS, QUASI),
        Attribute("ill", Kind.NOMINAL, Role.CONFIDENTIAL, ("n", "y")),
    ]
    columns = {
        "home": home.astype(float), "rooms": rooms, "place": place, "sex": sex, "age": age,
        "ill": rng.integers(0, 2, n),
    }  # fmt: skip
    if panel:
        attributes.append(Attribute("person", Kind.CONTINUOUS, Role.PERSON))
        columns["person"] = person.astype(float)
    return Table(Schema(tuple(attributes)), columns)


def with_scenarios(table, *scenarios):
    schema = table.schema
    return table.with_schema(Schema(schema.attributes, scenarios=scenarios))


def cell(table, name, record):
    code = table[name][record]
    return table.labels(name)[code] if table[name].dtype.kind == "i" else float(code)


def fewest_units(table, names, unit):
    """Fewest units of released records in a class, counted record by record."""
    found = defaultdict(set)
    for record in np.flatnonzero(~table.suppressed):
        number = record if unit is None else float(table[unit][record])
        found[tuple(cell(table, name, record) for name in names)].add(number)
    return min(map(len, found.values()))


def is_constant(table, names, unit):
    """Whether each unit has one value of each attribute, compared record by record."""
    found = defaultdict(set)
    for record in np.flatnonzero(~table.suppressed):
        for name in names:
            found[float(table[unit][record]), name].add(cell(table, name, record))
    return all(len(values) == 1 for values in found.values())


def test_constant_attributes_belong_to_the_coarsest_unit():
    levels = unit_levels(households(np.random.default_rng(0), panel=True))
    assert [(level.unit, level.names) for level in levels] == [
        ("home", ("rooms", "place")),
        ("person", ("sex",)),
    ]


@given(st.integers(0, 10_000), st.sampled_from([2, 3, 5]), st.booleans())
@settings(max_examples=60, deadline=None)
def test_k_holds_in_households_whatever_was_masked(seed, k, in_households):
    rng = np.random.default_rng(seed)
    unit = "household" if in_households else ""
    table = with_scenarios(
        households(rng),
        Scenario(name="a", knows=("rooms", "place", "age"), unit=unit),
        Scenario(name="b", knows=("place", "sex"), unit=unit),
    )
    masked = table.with_columns(
        {
            "age": rng.permutation(table["age"]).round(-1),
            "rooms": rng.permutation(table["rooms"]),
            "place": np.where(rng.random(60) < 0.5, table["place"], 0),
        }
    )
    found = Enforcement.of(table, Requirement(k))(masked)
    counted = "home" if in_households else None
    assert fewest_units(found, ("rooms", "place", "age"), counted) >= k
    assert fewest_units(found, ("place", "sex"), counted) >= k
    assert is_constant(found, ("rooms", "place"), "home")


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_k_counts_persons_of_a_panel(seed):
    rng = np.random.default_rng(seed)
    table = households(rng, panel=True)
    found = Enforcement.of(table, Requirement(3))(table)
    names = ("rooms", "place", "sex", "age")
    assert fewest_units(found, names, "person") >= 3
    assert is_constant(found, ("rooms", "place"), "home")
    assert is_constant(found, ("sex",), "person")


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_l_holds_beside_k_in_households(seed):
    table = with_scenarios(
        households(np.random.default_rng(seed)),
        Scenario(name="a", knows=("rooms", "sex"), unit="household"),
    )
    found = Enforcement.of(table, Requirement(3, 2))(table)
    values = defaultdict(set)
    for record in range(len(found)):
        values[cell(found, "rooms", record), cell(found, "sex", record)].add(found["ill"][record])
    assert fewest_units(found, ("rooms", "sex"), "home") >= 3
    assert min(map(len, values.values())) >= 2
    assert is_constant(found, ("rooms", "place"), "home")


@pytest.mark.parametrize("name", [entry.name for entry in METHODS])
def test_what_is_constant_stays_so_under_every_method(name):
    table = households(np.random.default_rng(3))
    entry = method_named(name)
    names = [n for n in table.schema.quasi_identifiers if table.attribute(n).kind in entry.kinds]
    try:
        method = entry.build(names, {})
    except (EvomaskError, TypeError):
        pytest.skip(f"{name} needs parameters")
    masked = Enforcement.of(table)(method.mask(table, np.random.default_rng(1)))
    assert is_constant(masked, ("rooms", "place"), "home")


def test_records_left_out_do_not_decide_the_value_of_their_unit():
    table = households(np.random.default_rng(1))
    first = np.arange(60) == np.argmax(table["home"] == table["home"][1])
    masked = table.with_columns({"rooms": np.where(first, 99.0, table["rooms"])})
    found = Enforcement.of(table)(masked.suppressing(first))
    assert 99.0 not in found["rooms"][~found.suppressed]


def test_a_stratum_that_differs_within_a_household_is_refused():
    table = households(np.random.default_rng(0))
    table = table.with_schema(table.schema.assigning({"age": Role.STRATUM}))
    with pytest.raises(SchemaError, match="stratum 'age' differs between records"):
        Enforcement.of(table, Requirement(2))(table)


def test_persons_in_two_households_are_refused():
    table = households(np.random.default_rng(0), panel=True)
    table = table.with_columns({"home": np.arange(60.0)})
    with pytest.raises(SchemaError, match="same 'person' differ in 'home'"):
        unit_levels(table)


def test_a_unit_that_no_column_has_is_refused():
    table = households(np.random.default_rng(0))
    with pytest.raises(SchemaError, match="counts units of 'person'"):
        unit_of(table.schema, Scenario(name="a", knows=("age",), unit="person"))
