from math import inf, nan

import numpy as np
import pytest

from evomask.errors import DataError, ParameterError, RunError
from evomask.evolution.individual import Individual, Outcome, Task
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.schemes import MutateOrCross, OneAgainstChild, PlusSelection
from evomask.evolution.state import State
from evomask.evolution.stopping import generations
from evomask.evolution.streams import breeding_stream, draw_stream, litter_stream, working_stream
from evomask.execution.local import InProcess
from tests.toys import OneMax


class Fixed:
    """A problem whose fitness is given, or which fails."""

    def __init__(self, fitness=None, error=None):
        self.fitness, self.error = fitness, error

    def work(self, task, rng):
        if self.error:
            raise self.error
        return Outcome(None, self.fitness)


@pytest.mark.parametrize("fitness", [(nan,), (1.0, nan), (-inf,), ()], ids=repr)
def test_a_fitness_that_is_no_number_is_an_error_naming_the_serial(fitness):
    with pytest.raises(RunError, match=r"fitness of task 17 \(mutate\)"):
        Worker(Fixed(fitness), 1)(Task("mutate"), 17)


def test_plus_infinity_is_a_fitness():
    assert Worker(Fixed((inf,)), 1)(Task("mutate"), 1).fitness == (inf,)


def test_an_error_of_ours_arrives_with_the_serial_and_its_own_sentence():
    with pytest.raises(RunError, match=r"task 4 \(cross\) failed: no records"):
        Worker(Fixed(error=DataError("no records")), 1)(Task("cross"), 4)


def test_any_other_error_arrives_with_the_serial_and_without_its_values():
    with pytest.raises(RunError, match=r"task 4 \(cross\) failed with ValueError") as caught:
        Worker(Fixed(error=ValueError("salary 51000")), 1)(Task("cross"), 4)
    assert "51000" not in str(caught.value)


@pytest.mark.parametrize(
    ("stream", "words"), [(breeding_stream, 0), (working_stream, 1), (draw_stream, 2)]
)
def test_streams_are_named_by_seed_purpose_and_number(stream, words):
    assert stream(7, 5).random() == np.random.default_rng([7, words, 5]).random()


def test_twins_share_their_crossing_points():
    work = InProcess(Worker(OneMax(), 1))
    first = begin(4, work)
    scheme = PlusSelection(1, {})
    brood = scheme.propose(first, np.random.default_rng(1))
    children = [outcome.genome for outcome in work(brood, 4)]
    parents = [parent.genome for parent in brood[0].parents]
    assert brood[0].litter == brood[1].litter
    assert np.array_equal(np.sort(children, axis=0), np.sort(parents, axis=0))


def test_litters_differ():
    rng = np.random.default_rng(1)
    state = State((Individual(np.zeros(4), (0.0,), 0, "first", (), 0),), generation=0, tasks=1)
    brood = PlusSelection(2, {}).propose(state, rng)
    assert litter_stream(brood[0].litter).random() != litter_stream(brood[2].litter).random()


def test_observers_see_before_brood_outcomes_and_after():
    seen = []
    work = InProcess(Worker(OneMax(), 1))
    state = begin(3, work)
    last = evolve(
        state,
        OneAgainstChild({"mutate": 1}),
        work,
        seed=1,
        until=generations(1),
        observers=[lambda *all_of_it: seen.append(all_of_it)],
    )
    ((before, brood, outcomes, after),) = seen
    assert before is state
    assert after is last
    assert len(brood) == len(outcomes) == 1


def test_a_run_without_first_genomes_is_refused():
    with pytest.raises(ParameterError, match="at least 1 initial genome"):
        begin(0, InProcess(Worker(OneMax(), 1)))


def test_a_run_stops_before_breeding_when_it_is_already_done():
    work = InProcess(Worker(OneMax(), 1))
    state = begin(3, work)
    assert evolve(state, MutateOrCross(), work, seed=1, until=generations(0)) is state
