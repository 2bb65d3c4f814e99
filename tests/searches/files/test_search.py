"""The whole search: what it offers, what it keeps, how its algorithms differ."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from evomask.data.edits import rules_of
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.evolution.individual import FIRST, ScoreRule, Task
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.stopping import generations
from evomask.evolution.streams import draw_stream
from evomask.execution.local import InProcess
from evomask.masking.grid import first_population
from evomask.masking.method import provenance_of
from evomask.masking.provenance import Provenance, Step
from evomask.measures.disclosure.privacy_models import distinct_l, k_anonymity, t_closeness
from evomask.measures.profiles import RiskProfile
from evomask.searches.base import SearchContext
from evomask.searches.files.search import FILES, Algorithm, Parameters
from tests.tables import mixed

TABLE = mixed(40)
NAMES = TABLE.schema.quasi_identifiers
SOME = 6
"""First files that are enough for a test."""


def ready(table=TABLE, **wanted):
    around = SearchContext(lambda number: draw_stream(1, number))
    return FILES.setup(table, Parameters(**{"burst": 300, "first": SOME, **wanted}), around)


def begun(table=TABLE, **wanted):
    setup = ready(table, **wanted)
    work = InProcess(Worker(setup.problem, 1))
    return setup, work, begin(setup.first, work, archive=setup.archive, cost=setup.cost)


def searched(table=TABLE, until=4, **wanted):
    setup, work, state = begun(table, **wanted)
    last = evolve(state, setup.scheme, work, seed=1, until=generations(until), cost=setup.cost)
    return setup, state, last


def costs(setup, state):
    return [setup.cost(member.fitness) for member in state.population]


@pytest.mark.parametrize("algorithm", list(Algorithm))
@pytest.mark.parametrize("profile", list(RiskProfile))
def test_every_fitness_is_that_of_its_file(algorithm, profile):
    setup, _, last = searched(algorithm=algorithm, profile=profile)
    judge = setup.problem.judge
    for member in last.population:
        masked = setup.problem.decode(member.genome, 0)
        assert member.fitness == pytest.approx(judge.full(masked), abs=1e-9)


@pytest.mark.parametrize("algorithm", list(Algorithm))
@pytest.mark.parametrize("score", list(ScoreRule))
def test_no_member_gets_worse(algorithm, score):
    setup, first, last = searched(algorithm=algorithm, score=score)
    pairs = zip(costs(setup, last), costs(setup, first), strict=True)
    assert all(after <= before for after, before in pairs)


@pytest.mark.parametrize("names", [("age", "income"), ("school", "region")])
def test_any_kind_of_table_can_be_searched(names):
    schema = TABLE.schema.assigning({n: Role.OTHER for n in NAMES if n not in names})
    setup, first, last = searched(TABLE.with_schema(schema))
    assert min(costs(setup, last)) < min(costs(setup, first))


def test_members_of_a_front_only_get_better_in_both():
    _, first, last = searched(algorithm=Algorithm.FRONT, until=6)
    pairs = [(a.fitness, b.fitness) for a, b in zip(last.population, first.population, strict=True)]
    assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in pairs)
    assert any(a != b for a, b in pairs)


def test_what_is_required_holds_in_every_file():
    _, _, last = searched(require="k=4,l=2,t=0.6")
    problem = ready(require="k=4,l=2,t=0.6").problem
    for member in (*last.population, *last.archive.members):
        masked = problem.decode(member.genome, 0)
        assert k_anonymity(masked, NAMES) >= 4
        assert distinct_l(masked, NAMES, "illness") >= 2
        assert t_closeness(masked, NAMES, "illness") <= 0.6


@pytest.mark.parametrize("algorithm", [Algorithm.GUIDED, Algorithm.THESIS])
def test_k_records_stay_alike_while_files_improve(algorithm):
    setup, first, last = searched(require="k=4", algorithm=algorithm, until=8)
    assert sum(costs(setup, last)) < sum(costs(setup, first))
    masked = [setup.problem.decode(member.genome, 0) for member in last.population]
    assert min(k_anonymity(one, NAMES) for one in masked) >= 4


def with_rules(n_records=50):
    rng = np.random.default_rng(3)
    one, other = rng.integers(0, 60, n_records), rng.integers(0, 40, n_records)
    names = ("one", "other", "total", "low")
    attributes = [Attribute(n, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER, decimals=0) for n in names]
    schema = Schema(tuple(attributes), ("total = one + other", "low <= one"))
    return Table(schema, dict(zip(names, (one, other, one + other, one // 2), strict=True)))


@pytest.mark.parametrize("require", ["", "k=3"])
def test_edit_rules_hold_in_every_file(require):
    table = with_rules()
    setup, first, last = searched(table, require=require, until=6)
    masked = [setup.problem.decode(member.genome, 0) for member in last.population]
    assert not any(rules_of(table.schema).broken_by(one).any() for one in masked)
    assert sum(costs(setup, last)) < sum(costs(setup, first))


def test_values_stay_inside_the_original_range_at_its_precision():
    setup, _, last = searched()
    for member in last.population:
        age = setup.problem.decode(member.genome, 0).values("age")
        assert np.array_equal(age, np.round(age))
        assert age.min() >= TABLE.values("age").min()
        assert age.max() <= TABLE.values("age").max()


def test_without_its_best_a_population_begins_smaller_and_worse():
    setup, first, last = searched(without_best=20.0, until=3)
    gone = round(SOME * 0.2)
    assert len(last.population) == SOME - gone
    assert all(member.operator != FIRST for member in last.archive.members)
    best = first.population[int(np.argmin(costs(setup, first)))]
    assert best.serial not in {member.serial for member in last.population}


@pytest.mark.parametrize("first", [1, 5, 0])
def test_so_many_first_files_are_made_as_are_asked_for(first):
    every = len(tuple(first_population(TABLE)))
    assert ready(first=first).first == (first or every)


def test_a_first_file_is_the_same_whenever_it_is_made():
    problem = ready().problem
    outcomes = [problem.work(Task(FIRST, (), 3), np.random.default_rng(s)) for s in (1, 2)]
    assert np.array_equal(outcomes[0].genome, outcomes[1].genome)


def test_a_packed_genome_is_unpacked_as_it_was():
    problem = ready().problem
    genome = problem.first(0)
    assert np.array_equal(problem.unpack(problem.pack(genome)), genome)


def test_readings_tell_the_risk_that_was_searched_beside_the_whole_one():
    setup, _, last = searched(until=1)
    member = last.population[0]
    told = setup.problem.read(member.genome, 0)
    assert (told["loss"], told["risk_searched"]) == pytest.approx(member.fitness)
    assert told["score"] == max(told["loss"], told["risk"])


def test_a_file_is_offered_for_comparison_beside_a_first_one():
    problem = ready().problem
    first, last = problem.compared(0, problem.first(1))
    for name in problem.coding.names:
        np.testing.assert_array_equal(first[name], problem.decode(problem.first(0), 0)[name])
        np.testing.assert_array_equal(last[name], problem.decode(problem.first(1), 0)[name])


def test_the_comparison_can_be_left_out():
    problem = ready(held_out=False).problem
    assert problem.compared(0, problem.first(0)) is None


WRONG = {"first": -1, "burst": 0, "turns": 0, "leaders": 0, "mutation": 2, "without_best": 100}


@pytest.mark.parametrize("wrong", [{name: value} for name, value in WRONG.items()], ids=WRONG)
def test_impossible_parameters_are_refused(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong)).replace("_", "-")):
        Parameters(**wrong)


def test_a_table_without_quasi_identifiers_is_refused():
    schema = TABLE.schema.assigning(dict.fromkeys(NAMES, Role.OTHER))
    with pytest.raises(SchemaError, match="no quasi-identifier"):
        ready(TABLE.with_schema(schema))


def with_strata(table):
    """The table with its illnesses as strata."""
    stratum = replace(table.attribute("illness"), role=Role.STRATUM)
    return table.with_schema(table.schema.replacing([stratum]))


STRATIFIED = with_strata(mixed(60))


@pytest.mark.parametrize("algorithm", [Algorithm.GUIDED, Algorithm.FRONT])
def test_where_there_are_strata_no_move_takes_anything_from_another_record(algorithm):
    _, _, last = searched(STRATIFIED, until=5, algorithm=algorithm)
    kept = Counter()
    for rows in last.ledger.births.values():
        for row in rows:
            kept.update(dict(row.counts))
    assert kept["near"] > 0
    assert not any(kept[name] for name in ("draw", "swap", "join", "exchange"))


def test_first_files_are_masked_stratum_by_stratum():
    setup = ready(STRATIFIED, first=0)
    makings = [provenance_of(own.method) for own in setup.problem.methods]
    place = makings.index(Provenance((Step("mdav-generic", {"k": 5}, NAMES),), strata=("illness",)))
    masked = setup.problem.decode(setup.problem.first(place), 0)
    for code in range(3):
        own = masked.take(np.flatnonzero(STRATIFIED["illness"] == code))
        assert k_anonymity(own, NAMES) >= 5


def test_a_requirement_holds_within_every_stratum():
    setup, _, last = searched(STRATIFIED, until=5, require="k=4")
    for member in last.population:
        masked = setup.problem.decode(member.genome, 0)
        for code in range(3):
            own = masked.take(np.flatnonzero(STRATIFIED["illness"] == code))
            assert k_anonymity(own, NAMES) >= 4
