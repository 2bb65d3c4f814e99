"""The searches on a lattice small enough to know the answer."""

import numpy as np
import pytest

from evomask.errors import ParameterError
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.stopping import generations
from evomask.execution.local import InProcess
from evomask.searches.generalization.guided_search import features, predict
from evomask.searches.generalization.objectives import ClassIndex, Objectives, index_named
from evomask.searches.generalization.problem import (
    convergence_error,
    cross,
    lattice_chart,
    minimal,
    node_of,
    number_of,
    pack,
    random_node,
    representation_ratio,
    step,
    unpack,
)
from evomask.searches.generalization.search import (
    Algorithm,
    Conditions,
    Parameters,
    build_setup,
)
from tests.searches.generalization.lattices import all_nodes, small_lattice

LATTICE = small_lattice()
K_GLM = (index_named("k"), index_named("glm"))


def run(algorithm, turns=5, seed=1, indices=K_GLM, conditions=None):
    setup = build_setup(
        LATTICE, indices, algorithm, conditions or Conditions(limit=5, compare=True)
    )
    work = InProcess(Worker(setup.problem, seed))
    state = begin(setup.first, work, archive=setup.archive, cost=setup.cost)
    until = generations(turns)
    state = evolve(state, setup.scheme, work, seed=seed, until=until, cost=setup.cost)
    return state, setup.problem


def exact(indices=K_GLM, limit=5):
    objectives = Objectives(LATTICE, indices)
    values = objectives.of_all(LATTICE.sweep(LATTICE.rule(limit=limit)))
    fitness = objectives.fitness(values)
    return {tuple(row) for row in fitness[minimal(fitness)]}


def test_exhaustive_search_finds_the_exact_front():
    state, problem = run(Algorithm.EXHAUSTIVE)
    assert {member.fitness for member in state.archive.members} == exact()
    told = problem.overview(state)
    assert (told["nodes_evaluated"], told["rr"]) == (LATTICE.size, 1.0)
    assert told["ce"] == pytest.approx(0.0, abs=1e-12)


def test_exhaustive_search_takes_an_index_of_the_users_own():
    own = ClassIndex("classes", more=False, read=lambda node: float(node.stays.sum()))
    state, _ = run(Algorithm.EXHAUSTIVE, indices=(own, K_GLM[1]), conditions=Conditions())
    assert len(state.archive.members) > 1


def test_guided_search_reads_every_node_in_the_end():
    state, problem = run(Algorithm.GUIDED, turns=20)
    assert problem.overview(state)["nodes_evaluated"] == LATTICE.size
    assert {member.fitness for member in state.archive.members} == exact()


def test_guided_search_never_reads_a_node_twice():
    state, _ = run(Algorithm.GUIDED, turns=2, conditions=Conditions(population=4))
    bred = [m.genome for m in state.population if m.operator == "node"]
    assert len(set(bred)) == len(bred)
    assert not set(bred) & {m.genome for m in state.population if m.operator == "first"}


def test_guided_search_of_a_lattice_beyond_its_pool_stays_near_the_front():
    from evomask.evolution.state import State
    from evomask.searches.generalization.guided_search import Guided

    state, _ = run(Algorithm.GUIDED, turns=0)
    objectives = Objectives(LATTICE, K_GLM)
    scheme = Guided(objectives, pool=12)
    brood = scheme.propose(State(population=state.population), np.random.default_rng(0))
    read = {member.genome for member in state.population}
    assert not {node_of(task.rival, LATTICE.shape) for task in brood} & read


def test_pbg_ea_begins_with_both_ends_of_the_lattice():
    state, _ = run(Algorithm.PBG_EA, turns=0)
    assert [member.genome for member in state.population[:2]] == [LATTICE.top, (0, 0, 0)]
    assert len(state.population) == 25


def test_pbg_ea_counts_each_node_once():
    state, problem = run(Algorithm.PBG_EA, turns=10)
    assert state.tasks == 275
    assert problem.overview(state)["nodes_evaluated"] <= LATTICE.size


def test_pbg_ea_repeats_itself_with_the_same_seed():
    one, other = (run(Algorithm.PBG_EA, turns=4)[0] for _ in range(2))
    assert [m.genome for m in one.population] == [m.genome for m in other.population]


def test_pbg_ea_remembers_every_node_it_met():
    setup = build_setup(LATTICE, K_GLM, Algorithm.PBG_EA, Conditions(population=6))
    work = InProcess(Worker(setup.problem, 2))
    met = []
    see = [lambda *turn: met.extend(outcome.genome for outcome in turn[2])]
    state = begin(setup.first, work, archive=setup.archive, cost=setup.cost, observers=see)
    state = evolve(
        state, setup.scheme, work, seed=2, until=generations(8), cost=setup.cost, observers=see
    )
    assert {member.genome for member in state.population} == set(met)
    assert [member.genome for member in state.population[-6:]] == met[-6:]
    assert setup.problem.overview(state) == {"nodes_evaluated": len(set(met))}


def test_the_cost_of_an_index_without_a_bound_falls_as_it_grows():
    own = ClassIndex("classes", more=True, read=lambda node: float(node.stays.sum()))
    cost = build_setup(LATTICE, (own,)).cost
    assert cost((-9.0,)) < cost((-1.0,)) < cost((-0.0,)) == 1.0


def test_every_point_of_a_front_can_be_applied():
    state, problem = run(Algorithm.PBG_EA)
    for member in state.archive.members:
        told = problem.read(member.genome, 0)
        masked = problem.decode(member.genome, 0)
        assert masked.suppressed.sum() == told["suppressed"] <= 5
        columns = np.column_stack([masked[name] for name in LATTICE.names])
        _, sizes = np.unique(columns[~masked.suppressed], axis=0, return_counts=True)
        assert sizes.min() == told["k"]


def test_boxes_need_a_side_for_each_objective():
    with pytest.raises(ParameterError, match="each of 2 objectives"):
        build_setup(LATTICE, K_GLM, conditions=Conditions(boxes=(1.0,)))


def test_genomes_come_back_from_arrays_and_numbers():
    for number, node in enumerate(all_nodes(LATTICE)):
        assert unpack(pack(node)) == node
        assert number_of(node, LATTICE.shape) == number
        assert node_of(number, LATTICE.shape) == node


@pytest.mark.parametrize("seed", range(30))
def test_a_step_moves_levels_by_one_at_most_and_stays_in_the_lattice(seed):
    rng = np.random.default_rng(seed)
    node = random_node(LATTICE.shape, rng)
    moved = step(node, LATTICE.heights, rng)
    assert LATTICE.checked(moved) == moved
    assert max(abs(a - b) for a, b in zip(node, moved, strict=True)) <= 1


def test_a_cross_begins_as_one_parent_and_ends_as_the_other():
    children = {cross((0, 0, 0), (1, 1, 1), np.random.default_rng(seed)) for seed in range(20)}
    assert children == {(0, 1, 1), (0, 0, 1)}


def test_a_forecast_of_a_function_of_levels_and_pairs_is_exact():
    objectives = Objectives(LATTICE, (ClassIndex("sum", more=False, read=lambda _: 0.0),))
    nodes = np.array(all_nodes(LATTICE))
    weights = np.random.default_rng(0).normal(size=features(nodes, LATTICE.shape).shape[1])
    values = (features(nodes, LATTICE.shape) @ weights)[:, None]
    told = predict(objectives, nodes[::2], values[::2], nodes[1::2])
    error = np.abs(told.expected - values[1::2]).max()
    assert error < 0.2 * np.ptp(values)


def test_convergence_error_adds_distances_on_scales_of_the_exact_maximum():
    exact_points = np.array([[10.0, 100.0], [5.0, 50.0]])
    found = np.array([[10.0, 100.0], [5.0, 60.0], [4.0, 50.0]])
    assert convergence_error(found, exact_points) == pytest.approx(0.1 + 0.1)


def test_representation_ratio_counts_boxes_of_the_exact_front_that_are_reached():
    front = np.array([[-9.0, 4.0], [-6.0, 2.0], [-3.0, 1.0]])
    found = np.array([[-9.5, 4.5], [-3.0, 1.0]])
    assert representation_ratio(found, front, (1.0, 1.0)) == pytest.approx(1 / 3)
    assert representation_ratio(found, front, (5.0, 5.0)) == 1.0


def test_minimal_keeps_one_of_equals_and_none_that_is_dominated():
    points = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0], [2.0, 2.0]])
    assert sorted(map(tuple, points[minimal(points)])) == [(1.0, 2.0), (2.0, 1.0)]


def test_the_lattice_is_drawn_with_its_front():
    objectives = Objectives(LATTICE, K_GLM)
    nodes = objectives.of_all(LATTICE.sweep(LATTICE.rule(limit=5)))
    front = nodes[minimal(objectives.fitness(nodes))]
    chart = lattice_chart("lattice", "nodes", objectives, nodes, front)
    assert [series.name for series in chart.series] == ["nodes", "front"]
    assert len(chart.series[1].x) == len(exact())
    assert chart.series[1].x == tuple(sorted(chart.series[1].x))


def test_pbg_ea_takes_its_population_and_rates_from_the_conditions():
    conditions = Conditions(population=6, crossover=0.0, mutation=0.0)
    setup = build_setup(LATTICE, K_GLM, Algorithm.PBG_EA, conditions)
    work = InProcess(Worker(setup.problem, 2))
    state = begin(setup.first, work, archive=setup.archive, cost=setup.cost)
    later = evolve(state, setup.scheme, work, seed=2, until=generations(5), cost=setup.cost)
    assert setup.first == 6
    assert {m.genome for m in later.population} == {m.genome for m in state.population}


def test_with_mutation_rate_one_every_level_tries_to_move():
    rng = np.random.default_rng(0)
    low = (0,) * len(LATTICE.shape)
    moved = np.array([step(low, LATTICE.heights, rng, 1.0) for _ in range(50)])
    assert 0.3 < moved[:, LATTICE.heights > 0].mean() < 0.7


@pytest.mark.parametrize("wrong", [{"population": 1}, {"crossover": 1.5}, {"mutation": -0.1}])
def test_rates_outside_their_range_are_refused(wrong):
    with pytest.raises(ParameterError, match="must"):
        Parameters(**wrong)


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ({"crossover": 0.5}, "crossover"),
        ({"mutation": 0.1}, "mutation"),
        ({"crossover": 0.5, "exhaustive": True, "algorithm": Algorithm.PBG_EA}, "crossover"),
        ({"mutation": 0.1, "uses": True}, "mutation"),
    ],
)
def test_rates_of_pbg_ea_are_refused_where_it_does_not_search(wanted, name):
    with pytest.raises(ParameterError, match=f"{name} is a rate of pbg-ea"):
        Parameters(**wanted)


@pytest.mark.parametrize(
    "wanted",
    [
        {"algorithm": Algorithm.PBG_EA, "crossover": 0.5, "mutation": 0.1},
        {"uses": True, "crossover": 0.5},
        {"crossover": 0.8},
    ],
)
def test_rates_are_taken_where_they_are_used(wanted):
    assert Parameters(**wanted)
