"""Every loop shape of the papers on a toy problem with a known answer."""

import ast
import inspect

import numpy as np
import pytest

from evomask.evolution import schemes
from evomask.evolution.archive import BoxedFront
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.schemes import (
    AdaptiveSelection,
    Archived,
    Generational,
    MutateOrCross,
    OneAgainstChild,
    PlusSelection,
    WinnersAndLosers,
)
from evomask.evolution.selection import plus, without_clones
from evomask.evolution.stopping import either, evaluations, generations, target
from evomask.execution.local import InProcess
from tests.toys import LeadingOnesTrailingZeros, NoisyOneMax, OneMax, Regression


def run(problem, scheme, size, until, archive=None, seed=3):
    work = InProcess(Worker(problem, seed))
    return evolve(begin(size, work, archive=archive), scheme, work, seed=seed, until=until)


def best_of(state):
    return min(member.fitness for member in state.population)


def test_generational_roulette_solves_onemax():
    sharp = Generational(0.7, weigh=lambda costs: np.exp(-costs))
    state = run(OneMax(), sharp, 40, either(target(0), generations(200)))
    assert best_of(state) == (0.0,)


def test_generational_roulette_never_loses_its_best():
    bests = []
    work = InProcess(Worker(OneMax(), 1))
    note = lambda before, brood, outcomes, after: bests.append(best_of(after))  # noqa: E731
    evolve(
        begin(10, work), Generational(0.5), work, seed=1, until=generations(60), observers=[note]
    )
    assert bests == sorted(bests, reverse=True)


def test_a_generation_gap_replaces_that_share_of_the_population():
    state = run(OneMax(), Generational(0.5, gap=0.3), 20, generations(5))
    assert state.tasks == 20 + 5 * 6


def test_plus_selection_solves_onemax():
    scheme = PlusSelection(5, {"mutate": 10})
    state = run(OneMax(), scheme, 20, either(target(0), generations(200)))
    assert best_of(state) == (0.0,)


def test_plus_selection_makes_two_children_a_crossover_and_one_a_mutation():
    state = run(OneMax(), PlusSelection(5, {"mutate": 3, "shake": 2}), 10, generations(1))
    assert {name: rows.last(1)[0].children for name, rows in state.ledger.births.items()} == {
        "first": 10,
        "cross": 10,
        "mutate": 3,
        "shake": 2,
    }


def test_plus_selection_without_clones_keeps_a_population_of_different_genomes():
    scheme = PlusSelection(5, {"mutate": 10}, keep=without_clones(plus))
    state = run(OneMax(length=40), scheme, 12, generations(60))
    assert len({member.genome.tobytes() for member in state.population}) == 12


class Spoiled(OneMax):
    """OneMax with an operator that never makes anything good."""

    def fitness(self, genome):
        return (99.0,) if not genome.any() else super().fitness(genome)

    def child(self, task, rng):
        if task.operator == "spoil":
            return np.zeros(self.length, dtype=np.uint8)
        return super().child(task, rng)


def test_the_dynamic_optimizer_sets_an_operator_aside_after_five_vain_generations():
    scheme = PlusSelection(2, {"mutate": 5, "spoil": 1}, patience=5)
    state = run(Spoiled(), scheme, 10, generations(20))
    assert len(state.ledger.births["spoil"]) == 5


def test_an_operator_that_always_fails_is_used_less_but_never_given_up():
    state = run(Spoiled(), AdaptiveSelection(12, ("mutate", "spoil")), 10, generations(20))
    tried = {
        name: sum(row.children for row in state.ledger.births[name].last(100))
        for name in ("mutate", "spoil")
    }
    assert 0 < tried["spoil"] < tried["mutate"] / 2
    assert state.evaluations == 10 + 20 * 12


def test_adaptive_selection_solves_onemax():
    state = run(
        OneMax(), AdaptiveSelection(12, ("mutate",)), 10, either(target(0), generations(99))
    )
    assert best_of(state) == (0.0,)


def test_mutate_or_cross_with_crowding_solves_onemax():
    state = run(OneMax(), MutateOrCross(), 10, either(target(0), evaluations(20_000)))
    assert best_of(state) == (0.0,)


def test_crowding_never_makes_any_place_worse():
    work = InProcess(Worker(OneMax(), 5))
    first = begin(10, work)
    last = evolve(first, MutateOrCross(turns=4), work, seed=5, until=generations(50))
    pairs = zip(first.population, last.population, strict=True)
    assert all(new.fitness <= old.fitness for old, new in pairs)


def test_one_against_its_child_descends_an_averaged_noisy_fitness():
    scheme = OneAgainstChild({"mutate": 1.0})
    problem = NoisyOneMax(seed=3)
    state = run(problem, scheme, 1, generations(1500))
    zero_by_zero = [problem.fitness(np.arange(24) != i)[0] for i in range(24)]
    best = sum(cost for cost in zero_by_zero if cost < 0)
    assert best_of(state)[0] == pytest.approx(best)


def test_winners_and_losers_find_an_equation():
    state = run(Regression(), WinnersAndLosers(12), 60, either(target(1e-9), generations(600)))
    assert best_of(state)[0] == pytest.approx(0.0, abs=1e-9)


def test_winners_are_never_replaced_by_their_children():
    state = run(OneMax(), WinnersAndLosers(4), 4, generations(1))
    assert sum(member.operator == "first" for member in state.population) >= 2


def test_archived_box_dominance_finds_the_whole_front():
    state = run(
        LeadingOnesTrailingZeros(), Archived(), 25, generations(400), BoxedFront((1.0, 1.0))
    )
    found = sorted(member.fitness for member in state.archive.members)
    assert found == [(float(i - 8), float(-i)) for i in range(9)]


def test_archived_lets_an_odd_one_pass_unpaired():
    state = run(LeadingOnesTrailingZeros(), Archived(1.0), 25, generations(1), BoxedFront((1, 1)))
    births = {name: rows.last(1)[0].children for name, rows in state.ledger.births.items()}
    assert births == {"first": 25, "cross": 24, "mutate": 1}


SCHEMES = [
    node for node in ast.parse(inspect.getsource(schemes)).body if isinstance(node, ast.ClassDef)
]


@pytest.mark.parametrize("node", SCHEMES, ids=lambda node: node.name)
def test_a_scheme_is_shorter_than_forty_lines(node):
    documentation = len(ast.get_docstring(node, clean=False).splitlines())
    assert node.end_lineno - node.lineno + 1 - documentation < 40
