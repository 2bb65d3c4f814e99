import numpy as np
import pytest

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.evolution.individual import ScoreRule
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.stopping import generations
from evomask.evolution.streams import draw_stream
from evomask.execution.local import InProcess
from evomask.searches.base import SearchContext
from evomask.searches.grouping.baselines import (
    BASELINES,
    correlated_apart,
    correlated_together,
    correlations,
    explain_groups,
)
from evomask.searches.grouping.genome import grouping_of, groups_of, identity
from evomask.searches.grouping.search import (
    GroupingMeasures,
    GroupingSearch,
    Parameters,
)
from tests.searches.grouping.conftest import numbers

SMALL = {"population": 12, "crossovers": 4, "mutations": 2}


def ready(table, **wanted):
    parameters = Parameters(**{"k": 4, **SMALL, **wanted})
    around = SearchContext(lambda number: draw_stream(1, number))
    return GroupingSearch.setup(table, parameters, around)


def searched(table, until=15, seed=1, **wanted):
    setup = ready(table, **wanted)
    work = InProcess(Worker(setup.problem, seed))
    state = begin(setup.first, work, archive=setup.archive, cost=setup.cost)
    return setup, evolve(
        state, setup.scheme, work, seed=seed, until=generations(until), cost=setup.cost
    )


def all_groupings(n):
    """Restricted growth strings: every grouping of n attributes once."""
    found = [[0]]
    for _ in range(n - 1):
        found = [[*g, new] for g in found for new in range(max(g) + 2)]
    return [np.array(g) for g in found]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_it_finds_the_best_of_all_groupings(table, seed):
    setup, state = searched(table, 40, seed, population=30, crossovers=10, mutations=5)
    best = min(setup.cost(setup.problem.fitness(g)) for g in all_groupings(6))
    assert state.summary.best == best


@pytest.mark.parametrize("measured", list(GroupingMeasures))
@pytest.mark.parametrize("joined", list(ScoreRule))
def test_any_score_can_be_its_fitness(measured, joined):
    setup, state = searched(numbers(24, 4), 2, fitness=measured, score=joined)
    told = setup.problem.read(state.population[0].genome, 0)
    parts = told["loss"], told["risk"]
    assert told["score"] == (max(parts) if joined is ScoreRule.WORST else sum(parts) / 2)


@pytest.mark.parametrize("n_attributes", [1, 2, 200])
def test_any_number_of_attributes(n_attributes):
    _, state = searched(numbers(20, n_attributes), 2)
    assert len(state.population) == 12


def test_a_population_of_one():
    _, state = searched(numbers(20, 3), 4, population=1)
    assert len(state.population) == 1


def test_the_same_grouping_is_let_in_once(table):
    _, state = searched(table, 15)
    living = [identity(member.genome) for member in state.population]
    assert len(set(living)) == len(living)


def test_clones_are_let_in_when_wanted():
    _, state = searched(numbers(20, 3), 15, clones=True)
    assert len({identity(member.genome) for member in state.population}) < len(state.population)


def test_the_dynamic_optimizer_makes_fewer_evaluations(table):
    _, plain = searched(table, 40)
    _, dynamic = searched(table, 40, dynamic=True)
    assert dynamic.evaluations < plain.evaluations


def test_the_dynamic_optimizer_ends_when_all_operators_work_in_vain(table):
    """A hundred generations later nothing was added, unless operators come back."""
    wanted = {"dynamic": True, "clones": True}
    ended, later = (searched(table, until, **wanted)[1] for until in (60, 160))
    assert ended.evaluations == later.evaluations
    assert searched(table, 160, **wanted, fallback=True)[1].evaluations > later.evaluations


def test_each_generation_has_two_children_a_crossover_and_one_a_mutation(table):
    _, state = searched(table, 3)
    assert state.evaluations == 12 + 3 * (2 * 4 + 5 * 2)


def test_the_best_never_gets_worse_and_incumbents_win_ties(table):
    _, state = searched(table, 15)
    bests = [summary.best for summary in state.history]
    assert bests == sorted(bests, reverse=True)


@pytest.mark.parametrize(("measured", "k"), [("simple", 4), ("thesis", 7)])
def test_a_masked_file_has_k_equals_in_every_group(table, measured, k):
    """With k = 7 the thesis' MDAV leaves a cluster of four of sixty records."""
    setup, state = searched(table, fitness=GroupingMeasures(measured), k=k)
    masked = setup.problem.decode(state.population[0].genome, 0)
    for names in setup.problem.named(state.population[0].genome):
        _, sizes = np.unique(masked.matrix(names), axis=0, return_counts=True)
        assert sizes.min() >= k


def test_the_answer_has_the_keys_promised(table):
    setup, state = searched(table)
    told = setup.problem.answer(state.population[0].genome)
    assert {"score", "il", "id", "dld", "groups"} <= told.keys()
    assert sorted(name for group in told["groups"] for name in group) == sorted(table.schema.names)


def test_the_answer_tells_what_every_baseline_costs(table):
    setup, state = searched(table, 40)
    told = setup.problem.answer(state.population[0].genome)
    assert told["baselines"].keys() == BASELINES.keys()
    assert all(told["score"] <= baseline["score"] for baseline in told["baselines"].values())


def test_correlated_attributes_stand_together_or_apart():
    strengths = np.kron(np.eye(2), np.full((2, 2), 0.9))[np.ix_([0, 2, 1, 3], [0, 2, 1, 3])]
    np.fill_diagonal(strengths, 1.0)
    assert set(groups_of(correlated_together(strengths))) == {(0, 2), (1, 3)}
    assert all((0, 2) != group != (1, 3) for group in groups_of(correlated_apart(strengths)))


@pytest.mark.parametrize("n_attributes", [1, 2, 7, 38])
@pytest.mark.parametrize("baseline", BASELINES.values(), ids=list(BASELINES))
def test_baselines_group_every_attribute(baseline, n_attributes):
    table = numbers(30, n_attributes)
    grouping = baseline(correlations(table.matrix(table.schema.names)))
    assert sorted(a for group in groups_of(grouping) for a in group) == [*range(n_attributes)]


def test_correlations_are_those_of_numpy(table):
    values = table.matrix(table.schema.names)
    centred = values - values.mean(axis=0)
    assert correlations(centred) == pytest.approx(np.abs(np.corrcoef(values.T)))


def test_an_explanation_names_the_correlations_inside_and_outside():
    strengths = np.array([[1.0, 0.8, 0.1], [0.8, 1.0, 0.3], [0.1, 0.3, 1.0]])
    pair, single = explain_groups([(0, 1), (2,)], ["x", "y", "z"], strengths)
    assert (pair["inside"], pair["outside"]) == (0.8, pytest.approx(0.2))
    assert "x and y (0.80)" in str(pair["because"])
    assert single["inside"] is None
    assert "strongest correlation is 0.30, with y" in str(single["because"])


def test_a_categorical_quasi_identifier_is_refused_by_name():
    quasi = Role.QUASI_IDENTIFIER
    schema = Schema((Attribute("sex", Kind.NOMINAL, quasi, ("f", "m")),))
    table = Table(schema, {"sex": np.array([0, 1] * 5, dtype=np.int32)})
    with pytest.raises(SchemaError, match="'sex' is nominal"):
        ready(table)


def test_k_above_the_number_of_records_is_refused(table):
    with pytest.raises(ParameterError, match="k must not exceed"):
        ready(table, k=61)


@pytest.mark.parametrize("wrong", [{"population": 0}, {"crossovers": 0, "mutations": 0}, {"k": 1}])
def test_parameters_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ParameterError):
        Parameters(**wrong)


def test_what_intruders_know_changes_the_risk(table):
    grouping = np.array([0, 0, 1, 1, 2, 2])
    usual = ready(table).problem.components(grouping)
    told = ready(table, known="a0, a2;a1,a3,a4").problem.components(grouping)
    assert (told.il, told.id) == (usual.il, usual.id)
    assert told.dld != usual.dld


def test_an_intruder_knows_masked_attributes_only(table):
    with pytest.raises(ParameterError, match="known contains 'b', which is not masked"):
        ready(table, known="a0;b")
    with pytest.raises(ParameterError, match="fitness simple or thesis"):
        Parameters(known="a0", fitness=GroupingMeasures.CLASSIC)


def test_groups_must_hold_every_attribute_once():
    with pytest.raises(ParameterError, match="exactly once"):
        grouping_of([(0, 1), (1, 2)], 3)


def test_fitness_does_not_depend_on_what_was_met_before(table):
    fresh = ready(table).problem
    used, _ = searched(table, 10)
    genomes = [np.array(g) for g in ([0, 1, 0, 2, 1, 0], [0, 0, 0, 0, 1, 1])]
    assert [fresh.fitness(g) for g in genomes] == [used.problem.fitness(g) for g in genomes[:2]]
