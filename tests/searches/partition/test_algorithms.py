"""The algorithms of the papers and ours, from bare points."""

import numpy as np
import pytest

from evomask.data.distance import Standardizer
from evomask.data.partition import canonical, group_sizes, within_sum_of_squares
from evomask.errors import ParameterError
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.stopping import Budget
from evomask.evolution.streams import draw_stream
from evomask.execution.local import InProcess
from evomask.kernels.groups.exact import optimum
from evomask.kernels.groups.mdav import mdav
from evomask.searches.base import SearchContext
from evomask.searches.partition import genetic
from evomask.searches.partition.constructions import Construction, consecutive_groups, fixed_size
from evomask.searches.partition.genetic import Inner, one_step, two_step
from evomask.searches.partition.problem import PartitionProblem
from evomask.searches.partition.proof import lower_bound
from evomask.searches.partition.search import Algorithm, Parameters, build_setup
from tests.tables import numbers


def uniform(n_records, n_columns, seed=0):
    points = np.random.default_rng(seed).uniform(-10_000, 10_000, size=(n_records, n_columns))
    return Standardizer.of(points)(points)


def searched(points, budget, seed=3, **parameters):
    table = numbers(x=points[:, 0])
    told = Parameters(**parameters)
    around = SearchContext(lambda number: draw_stream(seed, number), None, budget)
    setup = build_setup(PartitionProblem(table, ("x",), points, told.k), told, around)
    work = InProcess(Worker(setup.problem, seed))
    state = begin(setup.first, work, archive=setup.archive)
    until = budget.until(lambda _: 0.0)
    state = evolve(state, setup.scheme, work, seed=seed, until=until)
    return state, setup


def least(points, budget, **parameters):
    state, _ = searched(points, budget, **parameters)
    return state.summary.best


def test_memetic_finds_the_optimum_of_a_small_file():
    points = uniform(18, 3)
    best = within_sum_of_squares(points, optimum(points, 3))
    assert least(points, Budget(evaluations=400_000)) == pytest.approx(best)


def test_memetic_is_far_below_mdav():
    points = uniform(300, 4)
    assert least(points, Budget(evaluations=1_000_000)) < 0.92 * within_sum_of_squares(
        points, mdav(points, 3)
    )


def test_memetic_keeps_groups_of_k_to_2k_minus_1():
    state, _ = searched(uniform(150, 3), Budget(evaluations=300_000), k=5)
    for member in state.population:
        assert 5 <= group_sizes(member.genome).min() <= group_sizes(member.genome).max() <= 9


def test_memetic_repeats_itself_for_a_seed():
    runs = [searched(uniform(120, 3), Budget(evaluations=300_000))[0] for _ in range(2)]
    assert runs[0] == runs[1]
    assert np.array_equal(runs[0].population[0].genome, runs[1].population[0].genome)


@pytest.mark.parametrize("points", [np.ones((30, 2)), np.zeros((7, 1))], ids=["many", "few"])
def test_memetic_takes_identical_records(points):
    assert least(points, Budget(evaluations=20_000)) == 0.0


def test_fewer_than_2k_records_are_one_group():
    state, _ = searched(uniform(5, 2), Budget(evaluations=10_000))
    assert state.population[0].genome.tolist() == [0] * 5


def test_a_generation_budget_needs_no_clock():
    state, _ = searched(uniform(40, 2), Budget(generations=1))
    assert state.generation == 1


def test_the_answer_has_a_bound_below_its_sum_of_squares():
    state, setup = searched(uniform(200, 3), Budget(evaluations=400_000))
    told = setup.problem.answer(state.population[0].genome)
    assert 0 < told["lower_bound"] <= told["sse"]
    assert set(told) == {"sse", "il", "groups", "lower_bound"}


def test_a_genome_survives_packing():
    state, setup = searched(uniform(40, 2), Budget(evaluations=10_000))
    genome = state.population[0].genome
    assert np.array_equal(setup.problem.unpack(setup.problem.pack(genome)), genome)


@pytest.mark.parametrize("n_columns", [2, 3, 5, 7, 10])
def test_genetic_finds_the_optimum_of_11_records_in_nine_runs_of_ten(n_columns):
    points = uniform(11, n_columns, seed=n_columns)
    best = within_sum_of_squares(points, optimum(points, 3))
    rates = genetic.Rates(epochs=2_000)
    found = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        start = genetic.initial_population(points, 3, rates, rng)
        found.append(genetic.run_epochs(points, 3, rates, start, rates.epochs, rng).labels)
    hits = [within_sum_of_squares(points, labels) == pytest.approx(best) for labels in found]
    assert sum(hits) >= 9


def test_genetic_ends_with_its_epochs():
    state, setup = searched(
        uniform(11, 2), Budget(generations=99), algorithm=Algorithm.GENETIC, epochs=2_500
    )
    assert state.population[0].genome.epochs == 2_500
    assert state.evaluations == 2_500 * 100 + 3
    assert setup.problem.answer(state.population[0].genome)["convergence_epoch"] <= 2_500


def test_genetic_population_survives_packing():
    state, setup = searched(
        uniform(11, 2), Budget(generations=0), algorithm=Algorithm.GENETIC, epochs=100
    )
    genome = state.population[0].genome
    again = setup.problem.unpack(setup.problem.pack(genome))
    assert np.array_equal(again.genomes, genome.genomes)
    assert again[1:] == genome[1:]


@pytest.mark.parametrize("inner", [Inner.BEST, Inner.GENETIC, Inner.MEMETIC])
@pytest.mark.parametrize("macro", [12, 27])
def test_two_step_is_never_worse_than_its_heuristic(inner, macro):
    points = uniform(110, 2, seed=macro)
    told = {"algorithm": Algorithm.TWO_STEP, "macro": macro, "inner": inner, "epochs": 300}
    alone = within_sum_of_squares(points, mdav(points, 3))
    assert least(points, Budget(generations=5), **told) <= alone * (1 + 1e-12)


def test_two_step_solved_exactly_is_the_best_inside_its_macrogroups():
    points = uniform(60, 2)
    macrogroups, _ = two_step(points, 3, 12)
    parts = [points[macrogroups == g] for g in range(macrogroups.max() + 1)]
    expected = sum(within_sum_of_squares(part, optimum(part, 3)) for part in parts)
    told = {"algorithm": Algorithm.TWO_STEP, "macro": 12, "inner": Inner.EXACT}
    assert least(points, Budget(generations=5), **told) == pytest.approx(expected)


def test_one_step_solved_exactly_is_the_best_inside_its_macrogroups():
    points = uniform(60, 2)
    macrogroups = one_step(points, 3, 12)
    parts = [points[macrogroups == g] for g in range(macrogroups.max() + 1)]
    expected = sum(within_sum_of_squares(part, optimum(part, 3)) for part in parts)
    told = {"algorithm": Algorithm.ONE_STEP, "macro": 12, "inner": Inner.EXACT}
    assert least(points, Budget(generations=5), **told) == pytest.approx(expected)


def test_two_step_macrogroups_never_cut_a_group():
    points = uniform(100, 2)
    macrogroups, groups = two_step(points, 3, 18)
    assert all(len(set(macrogroups[groups == g])) == 1 for g in range(groups.max() + 1))


def test_macro_must_be_a_multiple_of_k_in_two_steps():
    with pytest.raises(ParameterError, match="multiple of k"):
        two_step(uniform(50, 2), 3, 13)


def test_macro_must_exceed_k_in_one_step():
    with pytest.raises(ParameterError, match="larger than k"):
        one_step(uniform(50, 2), 5, 5)


def test_exact_equals_the_kernel():
    points = uniform(15, 2)
    best = within_sum_of_squares(points, optimum(points, 3))
    assert least(points, Budget(seconds=1), algorithm=Algorithm.EXACT) == pytest.approx(best)


def test_exact_refuses_many_records():
    with pytest.raises(ParameterError, match="at most 24 records"):
        searched(uniform(25, 2), Budget(seconds=1), algorithm=Algorithm.EXACT)


def test_mdav_is_mdav():
    points = uniform(50, 2)
    state, _ = searched(points, Budget(seconds=1), algorithm=Algorithm.MDAV)
    assert np.array_equal(state.population[0].genome, canonical(mdav(points, 3)))


def test_vmdav_has_groups_of_k():
    state, _ = searched(uniform(50, 2), Budget(seconds=1), algorithm=Algorithm.VMDAV)
    assert group_sizes(state.population[0].genome).min() >= 3


@pytest.mark.parametrize("rate", [-0.1, 1.5])
def test_rates_are_rates(rate):
    with pytest.raises(ParameterError, match="lie in"):
        genetic.Rates(mutation=rate)


@pytest.mark.parametrize(
    ("preset", "rates"),
    [
        (None, (100, 0.1, 0.3, 10_000)),
        (genetic.Preset.WHOLE_FILE, (100, 0.1, 0.3, 10_000)),
        (genetic.Preset.FIFTY_RECORDS, (100, 0.1, 0.3, 100_000)),
        (genetic.Preset.MACROGROUPS, (10, 0.1, 0.5, 10_000)),
    ],
)
def test_presets_are_those_of_the_papers(preset, rates):
    told = Parameters(preset=preset).rates(genetic.Preset.WHOLE_FILE)
    assert told == genetic.Rates(*rates)


def test_what_is_set_takes_the_place_of_a_preset():
    told = Parameters(preset=genetic.Preset.MACROGROUPS, epochs=7, per_gene=False)
    assert told.rates(genetic.Preset.WHOLE_FILE) == genetic.Rates(10, 0.1, 0.5, 7, per_gene=False)


def test_exact_inside_large_macrogroups_is_refused():
    told = {"algorithm": Algorithm.ONE_STEP, "macro": 30, "inner": Inner.EXACT}
    with pytest.raises(ParameterError, match="a macrogroup has 40; use a smaller --macro"):
        searched(uniform(40, 2), Budget(seconds=1), **told)


def test_gamma_is_not_negative():
    with pytest.raises(ParameterError, match="gamma must be 0 or more"):
        Parameters(gamma=-0.1)


SIZES = [(k, n) for k in (2, 4, 7, 20) for n in (k, k + 1, 2 * k - 1, 2 * k, 2 * k + 1, 3 * k)]


@pytest.mark.parametrize(("k", "n_records"), SIZES)
def test_memetic_takes_files_of_few_groups(k, n_records):
    state, _ = searched(uniform(n_records, 2), Budget(evaluations=1_000), k=k)
    sizes = group_sizes(state.population[0].genome)
    assert k <= sizes.min() <= sizes.max() <= 2 * k - 1


@pytest.mark.parametrize("k", [2, 8, 9, 17, 50])
def test_memetic_goes_on_for_many_generations_with_any_k(k):
    state, _ = searched(uniform(200, 3), Budget(generations=9), k=k, burst=2_000)
    assert group_sizes(state.population[0].genome).min() >= k


SHAPES = {
    "one attribute": uniform(200, 1),
    "thirty attributes": uniform(200, 30),
    "many equals": np.repeat(uniform(20, 2), 10, axis=0),
    "a constant": np.column_stack([uniform(200, 1), np.zeros(200)]),
    "far outliers": np.exp(5.0 * uniform(200, 2)),
}


@pytest.mark.parametrize("k", [2, 7, 50])
@pytest.mark.parametrize("shape", SHAPES)
def test_memetic_is_no_worse_than_mdav_whatever_the_file_looks_like(shape, k):
    points = SHAPES[shape]
    state, setup = searched(points, Budget(evaluations=200_000), k=k)
    assert state.summary.best <= within_sum_of_squares(points, mdav(points, k)) + 1e-9
    told = setup.problem.answer(state.population[0].genome)
    assert told["lower_bound"] <= told["sse"] + 1e-9


def test_memetic_of_one_attribute_is_its_optimum():
    points = uniform(18, 1)
    best = within_sum_of_squares(points, optimum(points, 3))
    assert least(points, Budget(evaluations=100)) == pytest.approx(best)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_bound_is_below_the_optimum(k, seed):
    points = uniform(14, 2, seed)
    best = optimum(points, k)
    assert 0 < lower_bound(points, k, best) <= within_sum_of_squares(points, best)


@pytest.mark.parametrize("construction", Construction)
@pytest.mark.parametrize("n", [12, 50, 61])
def test_every_construction_makes_groups_of_k_or_more(construction, n):
    labels = fixed_size(uniform(n, 2), 5, construction)
    sizes = np.bincount(labels)
    assert sizes.min() >= 5
    assert len(labels) == n


@pytest.mark.parametrize("construction", [c for c in Construction if c is not Construction.HALVES])
def test_a_construction_of_fixed_size_makes_groups_of_k_but_for_a_rest(construction):
    sizes = group_sizes(fixed_size(uniform(63, 2), 5, construction))
    assert (sizes == 5).sum() >= len(sizes) - 3
    assert len(sizes) == 12
    assert group_sizes(fixed_size(uniform(60, 2), 5, construction)).tolist() == [5] * 12


def test_halves_make_groups_of_k_to_2k_minus_1():
    sizes = group_sizes(fixed_size(uniform(63, 2), 5, Construction.HALVES))
    assert 5 < sizes.min() <= sizes.max() <= 9


def cbfs_by_the_book(points, k):
    """The farthest from the centroid and its nearest, by lists."""
    left, groups = list(range(len(points))), []
    while len(left) >= 2 * k:
        centre = points[left].mean(axis=0)
        far = max(left, key=lambda i: (np.sum((points[i] - centre) ** 2), -i))
        near = sorted(left, key=lambda i: (np.sum((points[i] - points[far]) ** 2), i))[:k]
        groups.append(set(near))
        left = [i for i in left if i not in near]
    return [*groups, set(left)]


@pytest.mark.parametrize("points", [uniform(47, 3), np.round(uniform(40, 2))], ids=["real", "ties"])
def test_cbfs_is_as_it_is_described(points):
    labels = fixed_size(points, 4, Construction.CBFS)
    groups = [set(np.flatnonzero(labels == g)) for g in range(labels.max() + 1)]
    assert groups == cbfs_by_the_book(points, 4)


def test_a_hybrid_may_use_cbfs():
    points = uniform(200, 2)
    told = {"algorithm": Algorithm.TWO_STEP, "macro": 12, "construction": Construction.CBFS}
    alone = within_sum_of_squares(points, fixed_size(points, 3, Construction.CBFS))
    assert least(points, Budget(generations=1), **told) < alone


def test_mdav_has_either_ending():
    points = uniform(20, 2)
    for construction in (Construction.MDAV, Construction.CLASSIC):
        told = {"algorithm": Algorithm.MDAV, "construction": construction}
        expected = mdav(points, 3, classic=construction is Construction.CLASSIC)
        found = least(points, Budget(generations=1), **told)
        assert found == pytest.approx(within_sum_of_squares(points, expected))


@pytest.mark.parametrize(
    ("algorithm", "construction"),
    [
        (Algorithm.MDAV, Construction.CBFS),
        (Algorithm.VMDAV, Construction.CLASSIC),
        (Algorithm.MEMETIC, Construction.HALVES),
    ],
)
def test_a_construction_that_means_nothing_is_refused(algorithm, construction):
    with pytest.raises(ParameterError, match="use it with one-step or two-step"):
        Parameters(algorithm=algorithm, construction=construction)


def test_records_in_turn_leave_their_rest_to_the_last_group():
    assert consecutive_groups(8, 3).tolist() == [0, 0, 0, 1, 1, 1, 1, 1]
    assert consecutive_groups(2, 3).tolist() == [0, 0]


TRIPLES = np.repeat(uniform(4, 2), 3, axis=0)
"""Records in threes that are alike, one after the other."""

ONE_EPOCH = {
    "k": 3,
    "algorithm": Algorithm.ONE_STEP,
    "macro": 12,
    "inner": Inner.GENETIC,
    "epochs": 1,
    "chromosomes": 2,
}


def test_a_hybrid_that_is_not_informed_knows_nothing_of_the_order_of_records():
    assert least(TRIPLES, Budget(generations=1), **ONE_EPOCH) == pytest.approx(0.0, abs=1e-12)
    assert least(TRIPLES, Budget(generations=1), **ONE_EPOCH, informed=False) > 1.0


def test_a_hybrid_that_is_not_informed_anneals_random_groups():
    parameters = {**ONE_EPOCH, "inner": Inner.MEMETIC, "informed": False}
    state, _ = searched(TRIPLES, Budget(generations=1), **parameters)
    assert group_sizes(state.population[0].genome).tolist() == [3, 3, 3, 3]


def test_two_steps_always_know_their_groups():
    told = {**ONE_EPOCH, "algorithm": Algorithm.TWO_STEP, "informed": False}
    assert least(TRIPLES, Budget(generations=1), **told) == pytest.approx(0.0, abs=1e-12)
