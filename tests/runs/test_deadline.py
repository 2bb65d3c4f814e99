"""A budget of seconds is a promise: everything ends in time, and what was left out is told."""

import time
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from evomask.engine.evaluation import Breed, Timed
from evomask.engine.state import EngineState
from evomask.execution.local import Postponed
from evomask.masking.enforce.requirement import Requirement
from evomask.runs import protect
from evomask.runs.front_evaluation import Rehearsal, findings, skipped
from evomask.runs.protect import protect_file, resume_protection
from evomask.runs.store import run_folder
from evomask.runs.store.journal import EventDispatcher, Journal, Phase
from evomask.runs.store.run_control import (
    Deadline,
    seconds_after_search,
)
from tests.engine.runs import context_for, engine_for, people, table_of
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

    def __init__(self, context, clock, file, child):
        self.context, self.clock, self.file, self.child = context, clock, file, child

    def submit(self, task, serial):
        return Postponed(partial(self.carry_out, task, serial))

    def carry_out(self, task, serial):
        seconds = self.child if isinstance(task, Breed) else self.file
        self.clock.pass_by(seconds)
        return Timed(self.context(task, serial).result, seconds)


def searched(seconds, file, child):
    """Last state of a search of so many seconds, where files and children take so long."""
    clock = Clock()
    context = context_for(table_of(people()), Requirement(k=3), ("partition",))
    journal = Journal(now=clock)
    work = Slowly(context, clock, file, child)
    engine = engine_for(context, work=work, journal=journal, seconds=max(seconds, 1e-9))
    states = list(engine.states(EngineState()))
    assert not engine.can_continue(states[-1])
    return states[-1], journal


@pytest.mark.parametrize(("file", "child"), [(1.0, 0.5), (2.0, 2.0), (7.0, 3.0)])
def test_a_search_ends_in_time_whatever_its_tasks_cost(file, child):
    state, journal = searched(40.0, file, child)
    assert 40.0 - 2 * (file + child) <= journal.seconds <= 40.0 + max(file, child)
    assert state.front


def test_the_cost_of_a_search_is_the_time_of_its_tasks():
    state, _ = searched(60.0, 1.0, 5.0)
    efforts = state.efforts
    assert efforts["design"].cost == pytest.approx(efforts["design"].files)
    partition = efforts["partition"]
    assert partition.cost == pytest.approx(5.0 * partition.bred + partition.files)
    assert partition.cost < 30.0


def test_there_is_a_front_even_where_there_is_no_time_for_one():
    state, _ = searched(0.0, 5.0, 5.0)
    assert state.front


def test_more_is_kept_for_the_end_of_a_large_file_but_never_most_of_it():
    assert seconds_after_search(120.0, 0.01) == 12.0
    assert seconds_after_search(120.0, 1.0) == pytest.approx(16.5)
    assert seconds_after_search(120.0, 1.0, compared=5) == pytest.approx(41.5)
    assert seconds_after_search(120.0, 1.0, attacks=7.0) == pytest.approx(23.5)
    assert seconds_after_search(120.0, 100.0) == 60.0


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
    assert sentence.startswith("the released file was not attacked, so do not call it safe")
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
    protect_file(job_for(parent, "warm", evaluations=2, searches=("recipes",)))
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


def test_time_and_records_of_the_search_are_told_beforehand(timed):
    texts = [event.text for event in timed[2] if getattr(event, "phase", "") == Phase.SEARCHING]
    assert len(texts) == 1
    assert "candidates on all" in texts[0]


def test_where_the_time_went_is_in_the_record_and_the_report(timed):
    done, record = timed[0], timed[0].record
    assert {"loading", "searching", "auditing", "releasing"} <= record.phases.keys()
    spent = {search.name: search.seconds for search in record.searches}
    assert 0.0 < sum(spent.values())
    measured = len(done.protection.state.candidates)
    assert sum(search.files for search in record.searches) >= measured
    assert "Time per phase" in done.reports.internal.read_text(encoding="utf-8")


def test_a_job_of_evaluations_has_no_time_in_its_record(tmp_path):
    write_town(tmp_path)
    done = protect_file(job_for(tmp_path, "run", evaluations=8, searches=("recipes",)))
    assert done.record.phases == {}
    assert {search.seconds for search in done.record.searches} == {None}
    assert done.phases["searching"] > 0
    assert "Time per phase" not in done.reports.internal.read_text(encoding="utf-8")


def test_a_job_that_is_resumed_after_its_time_searches_no_more(timed):
    done = timed[0]
    again = resume_protection(done.folder)
    assert again.protection.times == done.protection.times
    assert np.array_equal(
        [c.loss for c in again.protection.front], [c.loss for c in done.protection.front]
    )


def test_the_original_is_attacked_until_the_share_of_the_seconds_is_used():
    clock = Clock()
    rehearsal = Rehearsal(clock, most=4.0)
    for kind in ("links", "links", "learns", "guesses"):
        if rehearsal.allows(kind):
            with rehearsal.timing(kind):
                clock.pass_by(1.5)
    assert rehearsal.seconds == {"links": 1.5, "learns": 1.5}
    assert rehearsal.total == pytest.approx(4.5)


def test_the_time_of_the_attacks_is_left_to_them():
    deadline = Deadline(Clock(), 20.0, measuring=0.1, attacks=12.0)
    assert deadline.allows("judging", beyond=4.0, attacks=True)
    assert not deadline.allows("judging", guess=70.0, attacks=True)
    assert deadline.allows("judging", guess=70.0)
