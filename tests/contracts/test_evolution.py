"""Laws of the evolution core: operators, archives, evaluators, states, fitness."""

from io import BytesIO

import numpy as np
import pytest

from evomask.evolution.archive import Best, BoxedFront, Front
from evomask.evolution.checkpoint import StateCodec, read_state, write_state
from evomask.evolution.individual import Individual
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.schemes import (
    Archived,
    Generational,
    MutateOrCross,
    OneAgainstChild,
    PlusSelection,
    WinnersAndLosers,
)
from evomask.evolution.stopping import generations
from evomask.evolution.tree import (
    collapse,
    cross,
    expand,
    half_and_half,
    hoist,
    mutate_point,
    mutate_subtree,
    span,
)
from evomask.evolution.variation import cross_points, cross_uniformly
from evomask.execution.local import InProcess, Local
from tests.toys import SYMBOLS, LeadingOnesTrailingZeros, OneMax, Regression

TREES = [half_and_half(SYMBOLS, 4, i, np.random.default_rng(i)) for i in range(2)]
BITS = [np.random.default_rng(i).integers(2, size=12) for i in range(2)]

TREE_OPERATORS = {
    "cross": lambda one, other, rng: cross(one, other, SYMBOLS, 5, rng)[0],
    "subtree": lambda one, _, rng: mutate_subtree(one, SYMBOLS, 5, rng),
    "point": lambda one, _, rng: mutate_point(one, SYMBOLS, rng),
    "hoist": lambda one, _, rng: hoist(one, SYMBOLS, rng),
    "collapse": lambda one, _, rng: collapse(one, SYMBOLS, rng),
    "expand": lambda one, _, rng: expand(one, SYMBOLS, 5, rng),
}
ARRAY_OPERATORS = {
    "two points": lambda one, other, rng: cross_points(one, other, 2, rng)[0],
    "uniform": lambda one, other, rng: cross_uniformly(one, other, rng)[0],
}


class TestEveryTreeOperator:
    @pytest.fixture(params=TREE_OPERATORS.values(), ids=TREE_OPERATORS)
    def operator(self, request):
        return request.param

    @pytest.mark.parametrize("seed", range(5))
    def test_makes_a_whole_tree(self, operator, seed):
        child = operator(*TREES, np.random.default_rng(seed))
        assert span(child, 0, SYMBOLS) == len(child)

    @pytest.mark.parametrize("seed", range(5))
    def test_same_stream_same_child(self, operator, seed):
        children = [operator(*TREES, np.random.default_rng(seed)) for _ in range(2)]
        assert children[0] == children[1]


class TestEveryArrayOperator:
    @pytest.fixture(params=ARRAY_OPERATORS.values(), ids=ARRAY_OPERATORS)
    def operator(self, request):
        return request.param

    def test_leaves_its_arguments_alone(self, operator):
        before = [genome.copy() for genome in BITS]
        operator(*BITS, np.random.default_rng(1))[:] = 7
        assert np.array_equal(BITS, before)

    def test_same_stream_same_child(self, operator):
        children = [operator(*BITS, np.random.default_rng(3)) for _ in range(2)]
        assert np.array_equal(*children)


class TestEveryArchive:
    @pytest.fixture(
        params=[Best(2), Front(), BoxedFront((0.1, 0.1))], ids=lambda a: type(a).__name__
    )
    def archive(self, request):
        return request.param

    @pytest.fixture
    def arrivals(self):
        points = np.random.default_rng(5).random((60, 2)).round(1).tolist()
        return [Individual(i, tuple(p), i, "first", (), 0) for i, p in enumerate(points)]

    @pytest.mark.parametrize("order", range(4))
    def test_never_loses_its_best(self, archive, arrivals, order):
        best = min(arrival.fitness for arrival in arrivals)
        arrived = [arrivals[i] for i in np.random.default_rng(order).permutation(60)]
        kept = min(member.fitness for member in archive.updated(arrived).members)
        assert kept[0] == best[0]

    def test_leaves_the_archive_it_came_from_alone(self, archive, arrivals):
        first = archive.updated(arrivals[:30])
        members = first.members
        first.updated(arrivals[30:])
        assert first.members == members

    def test_holds_what_it_is_given(self, archive, arrivals):
        full = archive.updated(arrivals)
        assert archive.holding(full.members) == full


RUNS = {
    "generational": (OneMax(), Generational(0.5), 10, Best()),
    "plus": (OneMax(), PlusSelection(3, {"mutate": 4}, patience=5), 10, Best()),
    "mutate or cross": (OneMax(), MutateOrCross(turns=3), 10, Front()),
    "one against its child": (OneMax(), OneAgainstChild({"mutate": 1.0}), 1, Best()),
    "winners and losers": (Regression(), WinnersAndLosers(6), 12, Front()),
    "archived": (LeadingOnesTrailingZeros(), Archived(), 9, BoxedFront((1.0, 1.0))),
}


class TestEveryScheme:
    @pytest.fixture(params=RUNS.values(), ids=RUNS)
    def run(self, request):
        return request.param

    def test_saved_and_loaded_on_the_way_equals_run_straight(self, run):
        problem, scheme, size, archive = run
        work = InProcess(Worker(problem, 4))
        first = begin(size, work, archive=archive)
        straight = evolve(first, scheme, work, seed=4, until=generations(20))
        halfway = evolve(first, scheme, work, seed=4, until=generations(9))
        codec, file = StateCodec(problem.pack, problem.unpack, archive), BytesIO()
        write_state(file, halfway, codec)
        file.seek(0)
        resumed = read_state(file, codec)
        assert evolve(resumed, scheme, work, seed=4, until=generations(20)) == straight

    def test_keeps_the_size_of_its_population(self, run):
        problem, scheme, size, archive = run
        work = InProcess(Worker(problem, 4))
        first = begin(size, work, archive=archive)
        last = evolve(first, scheme, work, seed=4, until=generations(8))
        assert len(last.population) == size

    def test_other_seed_other_run(self, run):
        problem, scheme, size, archive = run
        runs = []
        for seed in (1, 2):
            work = InProcess(Worker(problem, seed))
            first = begin(size, work, archive=archive)
            runs.append(evolve(first, scheme, work, seed=seed, until=generations(8)))
        assert runs[0] != runs[1]


def test_evaluators_give_the_same_state_with_any_number_of_workers():
    problem, scheme, size, archive = RUNS["plus"]
    states = []
    for workers in (1, 2):
        with Local(workers)(Worker(problem, 4)) as work:
            first = begin(size, work, archive=archive)
            states.append(evolve(first, scheme, work, seed=4, until=generations(4)))
    genomes = [[m.genome.tolist() for m in state.population] for state in states]
    assert states[0] == states[1]
    assert genomes[0] == genomes[1]
