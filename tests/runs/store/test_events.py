"""What a run tells, in what order, and that its journal has it all."""

import json

import pytest

from evomask.cli.saved_runs import runs
from evomask.engine.front import Bounds
from evomask.errors import ParameterError, RunError, UnmetError
from evomask.evolution.stopping import Budget
from evomask.report.describe import describe_provenance
from evomask.runs.protect import choose, protect_file
from evomask.runs.search import perform, resume
from evomask.runs.store.journal import (
    EventDispatcher,
    GenerationFinished,
    Journal,
    NoteAdded,
    Phase,
    PhaseStarted,
    PointChecked,
    RoundFinished,
    RunEnded,
    RunOutcome,
    read_events,
)
from evomask.runs.store.run_control import StopRequest, request_stop
from evomask.runs.store.run_folder import RunFolder, RunList, RunStatus
from tests.runs.test_protect import job_for, results, write_town


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    folder = tmp_path_factory.mktemp("town")
    write_town(folder)
    return folder


@pytest.fixture(scope="module")
def watched(town):
    """A job, and the events that whoever watched has seen."""
    seen = []
    job = job_for(town, "watched", evaluations=20)
    return protect_file(job, watch=seen.append), seen


def test_the_journal_holds_every_event_that_was_told(watched):
    done, seen = watched
    assert read_events(done.folder / "journal.jsonl") == tuple(seen)


def test_phases_follow_one_another_to_the_end(watched):
    phases = [event.phase for event in watched[1] if isinstance(event, PhaseStarted)]
    asked = [Phase.LOADING, Phase.SEARCHING, Phase.AUDITING, Phase.RELEASING]
    assert [phase for phase in phases if phase is not Phase.COMPILING] == asked


def test_every_round_of_the_search_is_told_with_its_share(watched):
    done, seen = watched
    turns = [event for event in seen if isinstance(event, RoundFinished)]
    assert {turn.member for turn in turns} <= {one.search for one in done.protection.front} | {
        one.search for one in done.protection.state.candidates
    }
    assert turns[-1].share >= 1.0
    assert turns[-1].files == len(done.protection.state.candidates)


def test_the_last_front_that_was_told_is_the_front(watched):
    done, seen = watched
    fronts = [event.front for event in seen if isinstance(event, RoundFinished) and event.front]
    expected = [(c.point, c.loss, c.risk) for c in done.protection.front]
    assert [(point.point, point.loss, point.risk) for point in fronts[-1]] == expected
    assert all(point.method == describe_provenance(point.making) for point in fronts[-1])


def test_the_audit_tells_of_every_point_it_looked_at(watched):
    done, seen = watched
    checked = [event for event in seen if isinstance(event, PointChecked)]
    assert checked[-1].done == checked[-1].of == len(done.protection.front)


def test_notes_and_the_end_are_told(watched):
    done, seen = watched
    notes = tuple(event.text for event in seen if isinstance(event, NoteAdded))
    assert notes == done.protection.notes
    assert seen[-1] == RunEnded(RunOutcome.FINISHED, point=done.chosen.point)


def test_a_failure_is_told_with_its_reason(town):
    seen = []
    with pytest.raises(ParameterError):
        protect_file(job_for(town, "failed", searches=("nobody",)), watch=seen.append)
    assert seen[-1].how is RunOutcome.FAILED
    assert "nobody" in seen[-1].reason


@pytest.mark.parametrize("stopped", [False, True])
def test_limits_that_nothing_meets_leave_a_run_that_ended_well(town, stopped):
    seen, stop = [], StopRequest()
    if stopped:
        stop.ask()
    job = job_for(town, f"unmet-{stopped}", evaluations=20, bounds=Bounds(risk=0.0, loss=0.0))
    with pytest.raises(UnmetError, match="no point has a risk of at most 0 %"):
        protect_file(job, watch=seen.append, stop=stop)
    endings = [event for event in seen if isinstance(event, RunEnded)]
    assert [ended.how for ended in endings] == [
        RunOutcome.STOPPED if stopped else RunOutcome.FINISHED
    ]
    assert endings[0].reason.startswith("no point has a risk of at most 0 %")
    assert choose(job.folder, "1").chosen.point == 1


def test_what_happens_before_there_is_a_journal_is_kept_too(tmp_path):
    events, journal = EventDispatcher(), Journal(tmp_path / "journal.jsonl")
    events.begin(Phase.LOADING)
    events.kept_in(journal)
    events.tell(NoteAdded("later"))
    assert read_events(tmp_path / "journal.jsonl") == (
        PhaseStarted(Phase.LOADING),
        NoteAdded("later"),
    )


def test_lines_that_are_no_events_and_a_torn_one_are_passed_over(tmp_path):
    path = tmp_path / "journal.jsonl"
    rows = [json.dumps({"generation": 0, "seconds": 1.0}), '{"event":"noted","text":"a"}', '{"ev']
    path.write_text("\n".join(rows), encoding="utf-8")
    assert read_events(path) == (NoteAdded("a"),)


def test_events_leave_the_clock_of_a_journal_alone(tmp_path):
    journal = Journal(tmp_path / "journal.jsonl")
    journal.keep({"event": "noted", "text": "a"})
    assert Journal(tmp_path / "journal.jsonl").times == ()


def stopping_after(count, stop):
    def watch(event):
        if isinstance(event, RoundFinished) and event.round == count:
            stop()

    return watch


def test_a_run_that_is_asked_to_stop_keeps_what_it_found_and_goes_on_to_the_same_bytes(town):
    from evomask.runs.protect import resume_protection

    whole = protect_file(job_for(town, "whole", evaluations=30))
    job, stop = job_for(town, "asked", evaluations=30), StopRequest()
    done = protect_file(job, watch=stopping_after(1, stop.ask), stop=stop)
    assert done.protection.unfinished
    assert len(done.protection.state.rounds) == 2
    resume_protection(job.folder)
    assert results(job.folder) == results(whole.folder)


def test_a_file_in_its_folder_asks_a_run_to_stop(town):
    job = job_for(town, "by-file", evaluations=3000)
    done = protect_file(job, watch=stopping_after(1, lambda: request_stop(job.folder)))
    assert done.protection.unfinished
    assert RunList(town).find("by-file").standing is RunStatus.STOPPED


def test_runs_are_listed_with_how_they_stand(watched, town):
    done, _ = watched
    found = {run.name: run for run in RunList(town)}["watched"]
    assert found.standing is RunStatus.FINISHED
    assert (found.search, found.file) == ("protect", "town.csv")
    assert found.points == len(done.protection.front)
    assert found.released == done.chosen.point


def test_a_run_someone_works_on_is_running(town):
    seen = []
    job = job_for(town, "busy", evaluations=10)

    def watch(event):
        if isinstance(event, RoundFinished):
            seen.append(RunList(town).find("busy").standing)

    protect_file(job, watch=watch)
    assert set(seen) == {RunStatus.RUNNING}


def test_a_run_that_was_killed_is_broken_off(town):
    job = job_for(town, "killed", evaluations=10)
    protect_file(job)
    journal = job.folder / "journal.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))
    assert RunList(town).find("killed").standing is RunStatus.BROKEN_OFF


def test_a_run_that_nobody_works_on_cannot_be_stopped(watched, town):
    with pytest.raises(RunError, match="not running"):
        RunList(town).stop("watched")


@pytest.mark.parametrize("name", ["nothing", "../town", ""])
def test_a_run_that_is_not_there_is_an_error(town, name):
    with pytest.raises(RunError, match="there is no run"):
        RunList(town).find(name)


def test_a_choice_that_cannot_be_made_leaves_a_finished_run_finished(watched, town):
    with pytest.raises(ParameterError, match="no point has a risk"):
        choose(watched[0].folder, "max-risk=0")
    assert RunList(town).find("watched").standing is RunStatus.FINISHED


def test_another_choice_is_told_too(watched):
    done, _ = watched
    seen = []
    other = choose(done.folder, str(done.protection.front[0].point), watch=seen.append)
    assert seen[-1] == RunEnded(RunOutcome.FINISHED, point=other.chosen.point)


def test_a_single_search_tells_its_phases_generations_and_end(plan_of, tmp_path):
    plan, seen = plan_of(Budget(generations=3)), []
    store = RunFolder.create(tmp_path / "run", plan)
    perform(plan, store, watch=seen.append)
    generations = [event.generation for event in seen if isinstance(event, GenerationFinished)]
    assert generations == [0, 1, 2, 3]
    assert [e.phase for e in seen if isinstance(e, PhaseStarted)] == [
        Phase.LOADING,
        Phase.SEARCHING,
    ]
    assert seen[-1] == RunEnded(RunOutcome.FINISHED)
    assert read_events(tmp_path / "run" / "journal.jsonl") == tuple(seen)
    assert RunList(tmp_path).find("run").standing is RunStatus.FINISHED


def test_a_single_search_that_is_asked_to_stop_goes_on_to_the_same_result(plan_of, tmp_path):
    plan, stop = plan_of(Budget(generations=12)), StopRequest()
    whole = perform(plan)

    def after_five(event):
        if isinstance(event, GenerationFinished) and event.generation == 5:
            stop.ask()

    store = RunFolder.create(tmp_path / "run", plan)
    stopped = perform(plan, store, watch=after_five, stop=stop)
    assert stopped.state.generation == 5
    assert RunList(tmp_path).find("run").standing is RunStatus.STOPPED
    assert resume(tmp_path / "run").state == whole.state


def test_the_command_lists_runs_and_refuses_to_stop_a_finished_one(watched, town, capsys):
    runs(town, json=True)
    listed = {run["name"]: run for run in json.loads(capsys.readouterr().out)["runs"]}
    assert listed["watched"]["standing"] == "finished"
    runs(town)
    assert "watched" in capsys.readouterr().out
    with pytest.raises(RunError, match="not running"):
        runs(town, stop="watched")
