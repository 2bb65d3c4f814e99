"""Requirements in scenarios, counted by code that shares nothing with the enforcement."""

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from evomask.data.edits import rules_of
from evomask.data.frames import Declaration, polars_from
from evomask.data.hierarchy import fit_hierarchy
from evomask.data.recoding import identity_recoding
from evomask.data.scenario import Scenario, Tolerance
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import EvomaskError, ParameterError, SchemaError
from evomask.io.tables import read_table
from evomask.masking.enforce.enforcement import Enforcement
from evomask.masking.enforce.requirement import Requirement, known_attributes
from evomask.masking.enforce.scenarios import KnownAttributes, ScenarioRepair, without_implied
from evomask.masking.local_suppression import LocalSuppression, SuppressionMatching
from evomask.masking.randomization.pram import Pram
from evomask.searches.recipes.design import (
    generalization_methods,
    recoding_methods,
    suppression_methods,
    swapping_methods,
)

KEYS = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
CELLS_OF_KANON = 293
"""Cells that `kAnon` of sdcMicro 5.8.1 suppresses for k = 3."""


def random_table(rng, stratum=False):
    """A small table of mixed kinds, with missing values, recoded columns and scenarios."""
    n, width = int(rng.integers(6, 60)), int(rng.integers(2, 7))
    attributes, columns, recoded = [], {}, []
    for j in range(width):
        name = f"x{j}"
        kind = list(Kind)[int(rng.integers(3))]
        size = int(rng.integers(1, 12))
        drawn = np.minimum(rng.geometric(rng.uniform(0.15, 0.7), n) - 1, size)
        if kind is Kind.CONTINUOUS:
            columns[name] = np.where(rng.random(n) < 0.05, np.nan, drawn * 1.5)
            attributes.append(Attribute(name, kind, Role.QUASI_IDENTIFIER))
        else:
            categories = tuple(f"c{c}" for c in range(size + 1)) + ("",) * int(rng.integers(2))
            columns[name] = drawn
            attributes.append(Attribute(name, kind, Role.QUASI_IDENTIFIER, categories))
            if rng.random() < 0.3:
                recoded.append(name)
    attributes.append(Attribute("secret", Kind.NOMINAL, Role.CONFIDENTIAL, tuple("abcdef")))
    columns["secret"] = rng.integers(0, 6, n)
    if stratum:
        attributes.append(Attribute("part", Kind.NOMINAL, Role.STRATUM, ("north", "south")))
        columns["part"] = rng.integers(0, 2, n)
    names = [a.name for a in attributes[:width]]
    schema = Schema(tuple(attributes), (), random_scenarios(rng, names))
    table = Table(schema, columns)
    for name in recoded:
        table = table.with_recoded(name, table[name], identity_recoding(table.attribute(name)))
    return table


def random_scenarios(rng, names):
    some = []
    for number in range(int(rng.integers(1, 4))):
        known = rng.permutation(names)[: int(rng.integers(1, len(names) + 1))].tolist()
        require = str(rng.choice(["", "", "k=2", "k=4"]))
        if len(known) > 2 and rng.random() < 0.3:
            of, m = known[1:], int(rng.integers(1, len(known)))
            some.append(
                Scenario(name=f"s{number}", knows=(known[0],), any=m, of=tuple(of), require=require)
            )
        else:
            some.append(Scenario(name=f"s{number}", knows=tuple(known), require=require))
    return tuple(some)


def combinations_in(scenario):
    return [(*scenario.knows, *some) for some in combinations(scenario.of, scenario.any)]


def k_of(scenario, requirement):
    return int(scenario.require[2:]) if scenario.require else requirement.k


def violations(table, requirement):
    """Scenarios whose requirement does not hold, counted in the cells as they are written."""
    columns = {s.name: [str(v) for v in s.to_list()] for s in polars_from(table)}
    found = []
    for scenario in table.schema.scenarios:
        for names in combinations_in(scenario):
            rows = list(zip(*(columns[name] for name in names), strict=True))
            classes = defaultdict(set)
            for row, secret in zip(rows, columns["secret"], strict=True):
                classes[row].add(secret)
            fewest = min(map(len, classes.values()))
            is_own = bool(scenario.require)
            if min(Counter(rows).values()) < k_of(scenario, requirement) or (
                fewest < requirement.l and not is_own
            ):
                found.append((scenario.name, names))
    return found


def check_random_tables(seeds):
    checked = changed = 0
    for seed in seeds:
        rng = np.random.default_rng([seed, 5])
        table = random_table(rng, stratum=rng.random() < 0.2)
        requirement = Requirement(int(rng.choice([2, 3, 5])), int(rng.choice([1, 1, 1, 2])))
        plain = [n for n in table.schema.quasi_identifiers if table.attribute(n).is_categorical]
        masked = table
        if rng.random() < 0.3 and plain and not table.is_recoded(plain[0]):
            masked = Pram((plain[0],), change=0.3).mask(table, rng)
        try:
            released = Enforcement.of(table, requirement)(masked)
        except EvomaskError:
            assert requirement.k > 2 or requirement.l > 1 or "part" in table.schema
            continue
        assert violations(released, requirement) == [], seed
        checked += 1
        changed += bool(violations(masked, requirement))
    return checked, changed


def test_requirements_hold_in_every_scenario_of_random_tables():
    checked, changed = check_random_tables(range(500))
    assert checked > 400
    assert changed > 250


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1_000, 11_000, 1_000))
def test_enforcement_ends_on_ten_thousand_random_tables(first):
    checked, _ = check_random_tables(range(first, first + 1_000))
    assert checked > 800


def test_edit_rules_strata_and_scenarios_hold_together():
    rng = np.random.default_rng(3)
    n = 300
    wage, other = rng.integers(0, 30, n) * 10.0, rng.integers(0, 5, n) * 10.0
    columns = {"wage": wage, "other": other, "total": wage + other}
    attributes = [
        Attribute(name, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER, decimals=0) for name in columns
    ]
    attributes.append(Attribute("part", Kind.NOMINAL, Role.STRATUM, ("north", "south")))
    scenarios = (
        Scenario(name="employer", knows=("wage", "part")),
        Scenario(name="tax", knows=("total", "other"), require="k=3"),
    )
    schema = Schema(tuple(attributes), ("total = wage + other",), scenarios)
    table = Table(schema, columns | {"part": rng.integers(0, 2, n)})
    released = Enforcement.of(table, Requirement(4))(table)
    assert smallest(released, ("wage", "part")) >= 4
    assert smallest(released, ("total", "other", "part")) >= 3
    assert not rules_of(schema).broken_by(released).any()
    assert smallest(table, ("wage", "part")) < 4


def smallest(table, names):
    columns = [np.nan_to_num(table[name], nan=-1.0).tolist() for name in names]
    return min(Counter(zip(*columns, strict=True)).values())


def crowd(n, seed=1):
    """Records with an age and a school of few levels; most are alone in both and a town."""
    rng = np.random.default_rng(seed)
    quasi, towns = Role.QUASI_IDENTIFIER, tuple(f"town {number}" for number in range(14))
    attributes = (
        Attribute("age", Kind.CONTINUOUS, quasi, decimals=0),
        Attribute("school", Kind.ORDINAL, quasi, tuple("abcdef")),
        Attribute("town", Kind.NOMINAL, quasi, towns),
    )
    columns = {
        "age": rng.integers(16, 97, n).astype(float),
        "school": rng.choice(6, n, p=[0.05, 0.3, 0.25, 0.2, 0.15, 0.05]),
        "town": rng.integers(0, 14, n),
    }
    return Table(Schema(attributes, scenarios=(Scenario(name="a", knows=tuple(columns)),)), columns)


@pytest.mark.parametrize("n", [3_000, 12_000])
def test_where_most_are_at_risk_numbers_get_coarser_and_few_levels_stay(n):
    table = crowd(n)
    released = Enforcement.of(table, Requirement(5))(table)
    rows = zip(*(released[name].tolist() for name in ("age", "school", "town")), strict=True)
    assert min(Counter(rows).values()) >= 5
    ages = np.abs(released["age"] - table["age"])
    assert np.mean(ages > 0) > 0.4
    assert ages.mean() < 4
    assert np.mean(released["school"] != table["school"]) < 0.1
    assert np.mean(released["town"] != table["town"]) < 0.2


def test_enforcement_is_deterministic():
    table = random_table(np.random.default_rng(8))
    first, second = (Enforcement.of(table, Requirement(4))(table) for _ in range(2))
    for name in table.schema.names:
        np.testing.assert_array_equal(first[name], second[name])


def test_scenarios_with_everything_known_are_no_laxer_than_none():
    table = random_table(np.random.default_rng(4))
    names = table.schema.quasi_identifiers
    schema = replace(table.schema, scenarios=(Scenario(name="all", knows=names),))
    released = Enforcement.of(table.with_schema(schema), Requirement(3))(table)
    kept = released.take(np.flatnonzero(~released.suppressed))
    assert len(kept) > 0.9 * len(table)
    assert smallest(kept, names) >= 3
    assert smallest(table, names) < 3


def test_a_requirement_of_a_scenario_overrides_the_general_one():
    attributes = tuple(Attribute(n, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER) for n in "abc")
    scenarios = (
        Scenario(name="first", knows=("a", "b"), require="k=7"),
        Scenario(name="second", knows=("c",), knows_about={"a": Tolerance(2.0)}),
    )
    schema = Schema(attributes, (), scenarios)
    assert set(known_attributes(schema, Requirement(4))) == {
        KnownAttributes(("a", "b"), 7),
        KnownAttributes(("c",), 4),
    }


def test_what_another_scenario_implies_is_not_enforced_twice():
    pairs = [("abc", 5), ("ab", 5), ("ab", 6), ("c", 2)]
    known = [KnownAttributes(tuple(names), k) for names, k in pairs]
    assert set(without_implied(known)) == {known[0], known[2]}


def test_numbers_known_about_take_no_part_in_k():
    attributes = tuple(Attribute(n, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER) for n in "ab")
    some = Scenario(name="neighbour", knows=("a",), knows_about={"b": Tolerance(0.2, True)})  # noqa: FBT003
    table = Table(
        Schema(attributes, (), (some,)),
        {"a": np.repeat([1.0, 2.0], 10), "b": np.arange(20.0)},
    )
    released = Enforcement.of(table, Requirement(10))(table)
    assert smallest(released, ("a",)) == 10
    np.testing.assert_array_equal(released["b"], table["b"])


def test_a_requirement_that_holds_for_nobody_is_refused():
    attributes = (Attribute("a", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER),)
    some = Scenario(name="neighbour", knows_about={"a": Tolerance(2.0)})
    with pytest.raises(ParameterError, match="no scenario knows an attribute exactly"):
        known_attributes(Schema(attributes, (), (some,)), Requirement(3))


def test_a_weight_that_a_scenario_knows_is_refused():
    attributes = (Attribute("w", Kind.CONTINUOUS, Role.WEIGHT),)
    schema = Schema(attributes, (), (Scenario(name="office", knows=("w",)),))
    with pytest.raises(SchemaError, match="'w' is a weight"):
        known_attributes(schema, Requirement(3))


@pytest.fixture
def sdcmicro(reference):
    """The test data of sdcMicro with its seven keys."""
    declared = {key: Declaration(Kind.NOMINAL, Role.QUASI_IDENTIFIER) for key in KEYS}
    return read_table(reference("sdcmicro/testdata.csv"), declared)


def test_local_suppression_needs_no_more_cells_than_kanon_of_sdcmicro(sdcmicro):
    """As strict as its wildcards: each released record agrees with three original ones."""
    masked = LocalSuppression(KEYS, 3, SuppressionMatching.COVERING).mask(
        sdcmicro, np.random.default_rng(0)
    )
    assert 0 < sum(masked.suppressed_cells().values()) <= CELLS_OF_KANON


def test_enforcement_changes_no_more_cells_than_kanon_of_sdcmicro(sdcmicro):
    """Though k is counted with every changed cell as a value of its own."""
    masked = ScenarioRepair((KnownAttributes(KEYS, 3),)).mask(sdcmicro, np.random.default_rng(0))
    changed = sum(int((masked[key] != sdcmicro[key]).sum()) for key in KEYS)
    assert smallest(masked, KEYS) >= 3
    assert 0 < changed <= CELLS_OF_KANON


def test_local_suppression_in_every_scenario_is_on_the_grid_and_enforced(sdcmicro):
    scenarios = (
        Scenario(name="home", knows=("urbrur", "roof", "walls")),
        Scenario(name="family", knows=("relat", "sex", "urbrur")),
    )
    table = sdcmicro.with_schema(replace(sdcmicro.schema, scenarios=scenarios))
    methods = [own.method for own in suppression_methods(table)]
    method = next(own for own in methods if own.methods[-1].k == 5)
    masked = Enforcement.of(table, Requirement(5))(method.mask(table, np.random.default_rng(0)))
    for scenario in scenarios:
        assert smallest(masked, scenario.knows) >= 5
        assert smallest(table, scenario.knows) < 5
    assert masked.suppressed_cells()


def test_generalization_of_what_scenarios_know_is_on_the_grid_and_enforced(sdcmicro):
    some = (Scenario(name="home", knows=KEYS[:5]),)
    table = sdcmicro.with_schema(replace(sdcmicro.schema, scenarios=some))
    categories = table.attribute("walls").categories
    lines = [
        [c, "low" if i < len(categories) // 2 else "high", "*"] for i, c in enumerate(categories)
    ]
    trees = {"walls": fit_hierarchy("walls", lines, table)}
    methods = [own.method for own in generalization_methods(table, trees)]
    assert len(methods) == 2
    masked = Enforcement.of(table, Requirement(5))(methods[0].mask(table, np.random.default_rng(0)))
    assert smallest(masked, KEYS[:5]) >= 5
    assert set(masked.labels("walls")) <= {"low", "high", "*"}
    plain = sdcmicro.with_schema(replace(sdcmicro.schema, scenarios=()))
    assert list(generalization_methods(plain, trees))


def test_few_suppressions_after_generalization_are_on_the_grid(sdcmicro):
    """Fewer cells than without generalization, and every scenario is satisfied."""
    scenarios = (
        Scenario(name="home", knows=KEYS[:5]),
        Scenario(name="family", knows=("relat", "sex", "urbrur")),
    )
    table = sdcmicro.with_schema(replace(sdcmicro.schema, scenarios=scenarios))
    trees = {}
    for name in ("walls", "relat"):
        categories = table.attribute(name).categories
        lines = [[c, "few" if i else "one", "*"] for i, c in enumerate(categories)]
        trees[name] = fit_hierarchy(name, lines, table)
    methods = [own.method for own in recoding_methods(table, trees)]
    assert [type(step).__name__ for step in methods[0].methods] == [
        "Generalization", "LocalSuppression", "LocalSuppression",
    ]  # fmt: skip
    rng = np.random.default_rng(0)
    last = next(method for method in methods if method.methods[1].k == 5)
    after = last.mask(table, rng)
    plain = next(own.method for own in suppression_methods(table) if own.method.methods[0].k == 5)
    cells = [sum(one.suppressed_cells().values()) for one in (after, plain.mask(table, rng))]
    assert 0 < cells[0] < cells[1]
    released = Enforcement.of(table, Requirement(5))(after)
    assert all(smallest(released, one.knows) >= 5 for one in scenarios)


def test_numbers_known_roughly_are_swapped_within_categories():
    rng = np.random.default_rng(0)
    kinds = {"sex": Kind.NOMINAL, "job": Kind.NOMINAL, "pay": Kind.CONTINUOUS}
    attributes = [
        Attribute(name, kind, Role.QUASI_IDENTIFIER, tuple("abc") if kind is Kind.NOMINAL else ())
        for name, kind in kinds.items()
    ]
    columns = {"sex": rng.integers(0, 2, 90), "job": rng.integers(0, 3, 90), "pay": rng.random(90)}
    roughly = Scenario(name="a", knows=("job", "sex"), knows_about={"pay": Tolerance(0.1)})
    exactly = Scenario(name="a", knows=("sex", "pay"))
    tables = [Table(Schema(tuple(attributes), (), (one,)), columns) for one in (roughly, exactly)]
    found = [own.method for own in swapping_methods(tables[0])]
    assert {method.within for method in found} == {("sex",), ("sex", "job")}
    assert list(swapping_methods(tables[1])) == []
