from math import inf

import numpy as np
import pytest

from evomask.evolution.individual import Individual, Outcome, Task, worst_objective
from evomask.evolution.selection import (
    elitist,
    overlap,
    plus,
    replace_if_better,
    replace_if_no_worse,
    without_clones,
)
from evomask.evolution.state import State


def state_of(*costs):
    people = (Individual(f"old{c}", (float(c),), i, "first", (), 0) for i, c in enumerate(costs))
    return State(tuple(people), generation=0, tasks=len(costs))


def brood_of(*costs, rivals=None):
    tasks = tuple(Task("mutate", (), r) for r in (rivals or [None] * len(costs)))
    return tasks, [Outcome(f"new{c}", (float(c),)) for c in costs]


def genomes(population):
    return [member.genome for member in population]


def test_in_a_duel_an_equal_child_takes_its_rivals_place():
    assert genomes(replace_if_no_worse(state_of(5, 7), *brood_of(7, rivals=[1]))) == [
        "old5",
        "new7",
    ]


def test_in_a_duel_a_worse_child_does_not():
    assert genomes(replace_if_no_worse(state_of(5, 7), *brood_of(6, rivals=[0]))) == [
        "old5",
        "old7",
    ]


def test_two_children_may_duel_for_one_place_one_after_another():
    assert genomes(replace_if_no_worse(state_of(9), *brood_of(3, 5, rivals=[0, 0]))) == ["new3"]


def test_a_duel_can_be_judged_by_the_worst_number():
    state = State((Individual("old", (2.0, 8.0), 0, "first", (), 0),), generation=0, tasks=1)
    outcomes = [Outcome("new", (7.0, 7.0))]
    assert genomes(
        replace_if_no_worse(state, (Task("mutate", (), 0),), outcomes, by=worst_objective)
    ) == ["new"]


def test_a_child_that_must_not_survive_loses_even_to_its_like():
    assert genomes(replace_if_no_worse(state_of(inf), *brood_of(inf, rivals=[0]))) == ["oldinf"]


def test_a_loser_is_ousted_only_by_a_better_child():
    assert genomes(replace_if_better(state_of(5, 5), *brood_of(5, 4, rivals=[0, 1]))) == [
        "old5",
        "new4",
    ]


def test_a_duel_without_a_rival_is_a_mistake_of_the_scheme():
    with pytest.raises(TypeError, match="rival"):
        replace_if_no_worse(state_of(5), *brood_of(1))


def test_plus_keeps_the_best_of_all_and_the_incumbent_on_a_tie():
    assert genomes(plus(state_of(5, 7), *brood_of(7, 6, 5))) == ["old5", "new5"]


def test_overlap_puts_children_in_the_places_of_the_worst():
    assert genomes(overlap(state_of(5, 9, 7), *brood_of(8))) == ["old5", "old7", "new8"]


def test_overlap_with_a_full_brood_replaces_everyone():
    assert genomes(overlap(state_of(1, 2), *brood_of(9, 8))) == ["new8", "new9"]


def test_overlap_keeps_a_member_where_a_child_must_not_survive():
    assert genomes(overlap(state_of(1, 2), *brood_of(inf, 8))) == ["old1", "new8"]


def test_elitist_keeps_the_best_member_instead_of_the_worst_child():
    assert genomes(elitist(state_of(1, 2), *brood_of(9, 8))) == ["old1", "new8"]


def test_elitist_lets_everyone_go_when_a_child_is_as_good():
    assert genomes(elitist(state_of(4, 5), *brood_of(4, 8))) == ["new4", "new8"]


def array_state():
    member = Individual(np.array([1, 0]), (3.0,), 0, "first", (), 0)
    rest = Individual(np.array([1, 1]), (9.0,), 1, "first", (), 0)
    return State((member, rest), generation=0, tasks=2)


def test_a_clone_of_the_living_is_not_let_in_twice():
    outcomes = [Outcome(np.array([1, 0]), (3.0,))]
    after = without_clones(plus)(array_state(), (Task("mutate"),), outcomes)
    assert [member.serial for member in after] == [0, 1]


def test_a_clone_of_an_earlier_child_is_not_let_in_twice():
    outcomes = [Outcome(np.array([0, 0]), (3.0,)), Outcome(np.array([0, 0]), (2.0,))]
    after = without_clones(plus)(array_state(), (Task("mutate"),) * 2, outcomes)
    assert [member.serial for member in after] == [0, 2]


def test_what_makes_a_clone_can_be_said():
    outcomes = [Outcome(np.array([0, 1]), (1.0,))]
    policy = without_clones(plus, identify=lambda genome: int(genome.sum()))
    after = policy(array_state(), (Task("mutate"),), outcomes)
    assert [member.serial for member in after] == [0, 1]
