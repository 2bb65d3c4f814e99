"""A budget of seconds is a promise: everything ends in time, and what was left out is told."""

import time
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from evomask.engine.evaluation import Breed
from evomask.engine.portfolio import Duration, Forecast, Portfolio
from evomask.engine.state import PortfolioState
from evomask.evolution.stopping import Budget
from evomask.execution.evaluator import GivenUpError
from evomask.execution.local import InProcess
from evomask.masking.enforce.requirement import Requirement
from evomask.runs import protect
from evomask.runs.front_evaluation import findings, skipped
from evomask.runs.protect import Exploration, protect_file, resume_protection
from evomask.runs.store import run_folder
from evomask.runs.store.journal import EventDispatcher, Journal, Phase
from evomask.runs.store.run_control import (
    Deadline,
    StopRequest,
    approximate_count,
    seconds_after_search,
)
from tests.engine.test_portfolio import maker_for, people, table_of
from tests.runs.test_protect import job_for, write_town


class Clock:
    """A clock that goes on when somebody says so."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds

    def pass_by(self, seconds):
        self.seconds += seconds


class Slowly:
    """Does tasks at once, by a clock on which each takes its time."""

    def __init__(self, maker, clock, file, child):
        self.work, self.clock, self.file, self.child = InProcess(maker), clock, file, child

    def __call__(self, tasks, first):
        for task in tasks:
            bred = isinstance(task, Breed)
            free = bred and task.member == "grid"
            self.clock.pass_by(0.0 if free else self.child if bred else self.file)
        return self.work(tasks, first)


def searched(seconds, file, child, searches=("grid", "partition")):
    """Turns of a search of so many seconds, where files and children take so long."""
    clock, maker = Clock(), maker_for(table_of(people()), Requirement(k=3), searches)
    journal = Journal(now=clock)
    work = Slowly(maker, clock, file, child)
    portfolio = Portfolio(maker, Budget(seconds=seconds), journal, work)
    states = list(portfolio.states(PortfolioState()))
    assert portfolio.next_search(states[-1]) is None
    return states[-1], journal


@pytest.mark.parametrize(("file", "child"), [(1.0, 0.5), (2.0, 2.0), (7.0, 3.0)])
def test_a_search_ends_in_time_whatever_its_files_and_children_cost(file, child):
    state, journal = searched(60.0, file, child)
    assert journal.seconds <= 60.0
    assert journal.seconds >= 60.0 - 8 * (file + child)
    assert state.front


def test_a_first_turn_that_would_take_more_than_a_tenth_is_not_begun():
    late, _ = searched(40.0, 1.0, 1.0)
    early, _ = searched(120.0, 1.0, 1.0)
    assert {row.member for row in late.rounds} == {"grid"}
    assert "partition-3" in {row.member for row in early.rounds}


def test_there_is_a_front_even_where_there_is_no_time_for_one():
    state, _ = searched(0.0, 5.0, 5.0)
    assert state.front
    assert len(state.rounds) == 1


def test_a_turn_that_makes_everything_ready_tells_nothing_of_later_ones():
    turns = [Duration("grid", 2, 60.0), Duration("grid", 2, 1.0), Duration("grid", 2, 3.0)]
    assert Forecast(turns, 2).evaluating("grid") == 3.0
    assert Forecast(turns, 2).per_file() == 1.0


def test_turns_without_files_tell_nothing_of_what_files_take():
    turns = [Duration("grid", 2, 10.0), Duration("grid", 0, 3.0), Duration("grid", 0, 3.0)]
    assert Forecast(turns, 2).per_file() == 5.0
    assert Forecast(turns, 2).evaluating("grid") == 5.0


def test_first_turns_cost_more_on_large_files():
    forecast = Forecast([Duration("grid", 4, 4.0), Duration("grid", 4, 4.0)], 2)
    assert forecast.first(1.0, 1_000) == forecast.first(1.0, 10_000) == 6.0
    assert forecast.first(1.0, 1_000_000) == 42.0


def test_more_is_kept_for_the_end_of_a_large_file_but_never_most_of_it():
    assert seconds_after_search(120.0, 0.01) == 12.0
    assert seconds_after_search(120.0, 1.0) == pytest.approx(14.5)
    assert seconds_after_search(120.0, 1.0, compared=5) == pytest.approx(29.5)
    assert seconds_after_search(120.0, 100.0) == 60.0


@pytest.mark.parametrize(
    ("files", "words"),
    [(3.2, "fewer than 10"), (14.0, "about 15"), (87.0, "about 90"), (312.0, "about 300")],
)
def test_what_is_foretold_is_a_round_number(files, words):
    assert approximate_count(files) == f"{words} files"


def test_what_took_long_is_begun_again_only_where_there_is_time():
    clock = Clock()
    deadline = Deadline(clock, 20.0, measuring=0.1)
    assert deadline.allows("attack")
    with deadline.timing("attack"):
        clock.pass_by(12.0)
    assert not deadline.allows("attack")
    assert deadline.allows("another")
    assert not deadline.allows("another", beyond=100.0)


def test_phases_have_their_seconds_and_compiling_is_told_apart():
    clock = Clock()
    events = EventDispatcher(now=clock)
    for phase, seconds in ((Phase.LOADING, 1), (Phase.COMPILING, 50), (Phase.LOADING, 2)):
        events.enter(phase)
        clock.pass_by(seconds)
    events.begin(Phase.SEARCHING)
    clock.pass_by(7)
    assert events.seconds == {"loading": 3.0, "compiling": 50.0, "searching": 7.0}
    assert events.elapsed == 10.0


def test_what_there_was_no_time_for_is_left_out_and_told():
    table = table_of(people())
    points = [SimpleNamespace(number=0), SimpleNamespace(number=1)]
    file = SimpleNamespace(masked=table, repaired={"age": 0.0})
    out_of_time = Deadline(lambda: 10.0, 10.0, measuring=1.0)
    found = findings(points, table, lambda _: file, {}, out_of_time)
    assert found[0].audit.k == 1
    assert found[0].audit.attacks == ()
    assert found[0].audit.special is None
    assert {"inference", "dbrl"}.isdisjoint(found[0].measures)
    assert 1 not in found
    sentence = skipped(points, found, table)
    assert "singling-out" in sentence
    assert "special-uniques" in sentence
    assert "attacks on 1 of the 1 other points" in sentence


def test_nothing_is_told_where_there_was_time_for_everything():
    table = table_of(people())
    points = [SimpleNamespace(number=0), SimpleNamespace(number=1)]
    file = SimpleNamespace(masked=table, repaired={"age": 0.0})
    found = findings(points, table, lambda _: file, {}, Deadline(lambda: 0.0, 1e9))
    assert found[0].audit.attacks
    assert found[0].audit.special is not None
    assert skipped(points, found, table) == ""


@pytest.fixture(scope="module")
def timed(tmp_path_factory):
    """A job of three seconds, how long it took, and what was told of it.

    By the time that this process worked, since others may keep it waiting.
    """
    parent, seen = tmp_path_factory.mktemp("town"), []
    write_town(parent)
    protect_file(job_for(parent, "warm", evaluations=2, searches=("grid",)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(protect, "EventDispatcher", partial(EventDispatcher, now=time.process_time))
        patch.setattr(run_folder, "Journal", partial(Journal, now=time.process_time))
        began = time.process_time()
        job = job_for(parent, "run", evaluations=None, seconds=3.0)
        return protect_file(job, watch=seen.append), time.process_time() - began, seen


def test_a_job_of_seconds_takes_no_longer_all_in(timed):
    done, took, _ = timed
    assert took <= 3.0 * 1.1 + 5.0
    assert sum(done.phases.values()) == pytest.approx(took, abs=0.5)
    assert not done.protection.unfinished


def test_how_many_files_there_is_time_for_is_told_beforehand(timed):
    texts = [event.text for event in timed[2] if getattr(event, "phase", "") == Phase.SEARCHING]
    assert len(texts) == 1
    assert "files" in texts[0]


def test_where_the_time_went_is_in_the_record_and_the_report(timed):
    done, record = timed[0], timed[0].record
    assert {"loading", "searching", "auditing", "releasing"} <= record.phases.keys()
    spent = {search.name: search.seconds for search in record.searches}
    assert sum(spent.values()) == pytest.approx(done.protection.seconds, abs=0.1 * len(spent))
    measured = sum(row.files - row.refused for row in done.protection.state.rounds)
    assert sum(search.files for search in record.searches) >= measured
    assert "Time per phase" in done.reports.internal.read_text(encoding="utf-8")


def test_a_job_of_evaluations_has_no_time_in_its_record(tmp_path):
    write_town(tmp_path)
    done = protect_file(job_for(tmp_path, "run", evaluations=8, searches=("grid",)))
    assert done.record.phases == {}
    assert [search.seconds for search in done.record.searches] == [None]
    assert done.phases["searching"] > 0
    assert "Time per phase" not in done.reports.internal.read_text(encoding="utf-8")


def test_a_job_that_is_resumed_after_its_time_searches_no_more(timed):
    done = timed[0]
    again = resume_protection(done.folder)
    assert again.protection.times == done.protection.times
    assert np.array_equal(
        [c.loss for c in again.protection.front], [c.loss for c in done.protection.front]
    )


class Impatient:
    """Evaluators in this process who give up at their fourth batch of tasks."""

    workers = 1

    @contextmanager
    def __call__(self, work):
        calls = iter(range(3))

        def some(tasks, first):
            if next(calls, None) is None:
                raise GivenUpError
            return InProcess(work)(tasks, first)

        yield some


def test_a_turn_that_is_given_up_stays_so():
    maker = maker_for(table_of(people()), searches=("grid",))
    journal, budget = Journal(), Budget(seconds=600.0)
    search = Exploration(
        context=maker,
        budget=budget,
        journal=journal,
        events=EventDispatcher(),
        stop=StopRequest(),
        evaluators=Impatient(),
    )
    state = search.explore(PortfolioState())
    assert state.front
    assert journal.notes["given up"] == state.generation + 1
    assert not search.is_unfinished(state)
    assert search.explore(state) == state
