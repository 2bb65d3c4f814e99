"""How the memetic search spends its budget."""

from dataclasses import replace

import numpy as np
import pytest

from evomask.evolution.individual import Individual
from evomask.evolution.loop import Worker, begin
from evomask.evolution.stopping import Budget
from evomask.execution.local import InProcess, Local
from evomask.runs.inputs import Input
from evomask.runs.search import Limits, SearchJob, search_file
from evomask.searches.partition.memetic import BURSTS, FOUNDERS, GENERATIONS, Effort, MemeticScheme
from evomask.searches.partition.problem import ANNEAL, RECOMBINE, RENEW, RESOLVE
from tests.searches.partition.test_algorithms import searched, uniform


@pytest.mark.parametrize("evaluations", [2e6, 2e7, 2e9])
def test_long_and_short_bursts_together_are_the_budget(evaluations):
    effort = Effort.within(evaluations, 1000, 3)
    later = BURSTS * GENERATIONS * effort.short
    assert effort.initial_tasks * effort.long + later == pytest.approx(evaluations, rel=1e-3)


def test_a_larger_budget_has_more_founders_up_to_a_limit():
    counts = [Effort.within(10.0**e, 1000, 3).initial_tasks for e in range(4, 12)]
    assert counts == sorted(counts)
    assert (counts[0], counts[-1]) == (2, FOUNDERS)


def test_larger_groups_have_fewer_and_longer_founders():
    small, large = (Effort.within(1e8, 1000, k) for k in (3, 10))
    assert large.initial_tasks < small.initial_tasks
    assert large.long > small.long


def test_a_wide_generation_has_as_many_tasks_and_crosses_everybody_once():
    effort = Effort.within(20_000_000, 834, 3).wide(64)
    people = tuple(Individual(np.array([i]), (float(i),), i, ANNEAL, (), 0) for i in range(64))
    setup = searched(uniform(40, 3), Budget(evaluations=1_000), k=3)[1]
    initial_population = begin(4, InProcess(Worker(setup.problem, 1)), archive=setup.archive)
    state = replace(initial_population, population=people, generation=3)
    memes = MemeticScheme(size=64, bursts=effort.bursts, crossings=effort.crossings)
    brood = memes.propose(state, np.random.default_rng(1))
    crossed = [task.parents for task in brood if task.operator == RECOMBINE]
    assert len(brood) == 64
    assert len(crossed) == 8
    assert sorted(p.serial for own in crossed for p in own) == list(range(64))
    assert brood[0].operator == RESOLVE


def test_all_founders_are_made_before_short_bursts():
    effort = Effort.within(1e9, 1000, 3)
    assert effort.first + BURSTS * effort.renewals == effort.initial_tasks


def test_founders_after_the_first_come_beside_crossovers():
    setup = searched(uniform(40, 3), Budget(evaluations=1_000), k=3)[1]
    first = begin(4, InProcess(Worker(setup.problem, 1)), archive=setup.archive)
    brood = MemeticScheme(renewals=1).propose(first, np.random.default_rng(1))
    assert [task.operator for task in brood] == [RECOMBINE, *[RENEW] * BURSTS]


@pytest.mark.parametrize("n_records", [24, pytest.param(90, marks=pytest.mark.slow)])
def test_one_and_two_workers_find_the_same_groups(tmp_path, n_records):
    file = tmp_path / "file.csv"
    rows = [f"{a:.6f},{b:.6f}" for a, b in uniform(n_records, 2)]
    file.write_text("\n".join(["a,b", *rows]) + "\n")
    job = SearchJob(
        Input(file, quasi_identifiers=("a", "b")),
        "partition",
        {"k": "3"},
        Limits(evaluations=2_000_000),
        seed=1,
    )
    genomes = [
        search_file(job, evaluators=Local(workers)).state.population[0].genome.tolist()
        for workers in (1, 2)
    ]
    assert genomes[0] == genomes[1]
