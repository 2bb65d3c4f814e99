"""Reproducible to the byte: any number of workers, killed or not, replayed or not."""

import os
import shutil
import signal
import subprocess
import sys
import time

import msgspec
import numpy as np
import polars as pl
import pytest

from evomask.errors import RunError
from evomask.evolution.stopping import Budget
from evomask.execution.local import Local
from evomask.runs.search import perform, resume
from evomask.runs.store.journal import GenerationFinished
from evomask.runs.store.run_folder import RunFolder
from tests.conftest import TOY_PACKAGE

SOME = Budget(generations=30)


def results(store):
    """The bytes that must not depend on anything but the plan."""
    state = sorted(store.folder.glob("state-*.npz"))[-1]
    front = (store.folder / "front.parquet").read_bytes()
    return state.name, state.read_bytes(), front, store.plan().out.read_bytes()


@pytest.fixture
def new_store(plan_of, tmp_path):
    """A folder with a plan that takes snapshots often; the same plan but for its output."""

    def make(name, budget=SOME, pause="0"):
        plan = plan_of(budget, out=tmp_path / f"{name}.csv", pause=pause)
        plan = msgspec.structs.replace(plan, snapshot=5)
        return RunFolder.create(tmp_path / name, plan)

    return make


def done(store, **how):
    perform(store.plan(), store, **how)
    return results(store)


@pytest.mark.parametrize("workers", [2, 3])
def test_any_number_of_workers_gives_the_same_bytes(new_store, workers):
    alone, many = new_store("alone"), new_store("many")
    assert done(many, evaluators=Local(workers)) == done(alone)


def test_a_run_that_is_kept_and_one_that_is_not_find_the_same(new_store, plan_of):
    kept = perform(new_store("kept").plan(), new_store("again"))
    fleeting = perform(plan_of(SOME))
    assert [p.as_json() for p in kept.front] == [p.as_json() for p in fleeting.front]


def test_another_seed_finds_something_else(plan_of):
    fronts = [perform(plan_of(SOME, seed=seed)).front for seed in (1, 2)]
    assert [p.as_json() for p in fronts[0]] != [p.as_json() for p in fronts[1]]


def test_a_finished_run_resumed_gives_the_same_again(new_store):
    store = new_store("run")
    first = done(store)
    run = resume(store.folder)
    assert results(store) == first
    assert run.state.generation == 30


def test_a_run_stopped_between_snapshots_recomputes_the_rest(new_store):
    straight, stopped = new_store("straight"), new_store("stopped")

    def stop(event):
        if isinstance(event, GenerationFinished) and event.generation == 17:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        perform(stopped.plan(), stopped, watch=stop)
    assert done(stopped) == done(straight)


def killed(store, lines, delay):
    """Resume a run in a process of its own and kill it once its journal has so many lines."""
    paths = os.pathsep.join([str(TOY_PACKAGE), *sys.path])
    run = subprocess.Popen(
        [sys.executable, "-m", "evomask", "resume", str(store.folder), "--quiet"],
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.DEVNULL,
    )
    journal = store.folder / "journal.jsonl"
    while run.poll() is None and not (journal.exists() and _lines(journal) >= lines):
        time.sleep(0.002)
    time.sleep(delay)
    run.send_signal(signal.SIGKILL)
    return run.wait(timeout=30) == -signal.SIGKILL


def _lines(journal):
    return journal.read_bytes().count(b"\n")


def check_kill(new_store, moment):
    rng = np.random.default_rng(moment)
    straight, hit = new_store("straight"), new_store("hit", pause="0.004")
    plain = msgspec.structs.replace(straight.plan(), parameters=hit.plan().parameters)
    shutil.rmtree(straight.folder)
    straight = RunFolder.create(straight.folder, plain)
    assert killed(hit, int(rng.integers(1, 28)), float(rng.uniform(0, 0.02)))
    assert done(hit, evaluators=Local(int(rng.integers(1, 3)))) == done(straight)


@pytest.mark.parametrize("moment", [0, *(pytest.param(m, marks=pytest.mark.slow) for m in (1, 2))])
def test_a_run_killed_at_a_random_moment_resumes_to_the_same_bytes(new_store, moment):
    check_kill(new_store, moment)


@pytest.mark.slow
@pytest.mark.parametrize("moment", range(3, 23))
def test_a_run_killed_at_twenty_random_moments_resumes_to_the_same_bytes(new_store, moment):
    check_kill(new_store, moment)


def test_a_run_bound_by_time_replays_from_its_journal_alone(new_store):
    timed = new_store("timed", Budget(seconds=0.3))
    first = done(timed)
    for state in timed.folder.glob("state-*.npz"):
        state.unlink()
    time.sleep(0.1)
    assert done(timed) == first


def test_a_run_bound_by_time_killed_goes_on_with_the_seconds_left(new_store):
    timed = new_store("timed", Budget(seconds=1.0), pause="0.002")
    assert killed(timed, 20, 0.0)
    decided = RunFolder(timed.folder).journal().notes["turns"]
    used = RunFolder(timed.folder).journal().seconds
    started = time.monotonic()
    run = resume(timed.folder)
    assert RunFolder(timed.folder).journal().notes["turns"] == decided
    assert used < 1.0 <= run.seconds
    assert run.seconds - used <= time.monotonic() - started


def test_the_first_best_is_told_also_after_a_resume(new_store):
    store = new_store("run")
    first = perform(store.plan(), store).initial_best
    assert resume(store.folder).initial_best == first
    assert first["score"] >= resume(store.folder).best.readings["score"]


def test_the_best_is_the_point_of_the_smallest_cost(plan_of):
    run = perform(plan_of(SOME))
    assert run.best.readings["score"] == min(p.readings["score"] for p in run.front)


def test_the_masked_file_is_the_chosen_points(plan_of, tmp_path):
    plan = msgspec.structs.replace(plan_of(SOME, out=tmp_path / "masked.csv"), pick="1")
    run = perform(plan)
    masked = pl.read_csv(tmp_path / "masked.csv")
    uniques = masked.group_by("age", "income").len().filter(pl.col("len") == 1).height
    assert run.chosen.point == 1
    assert 100 * uniques / 40 == pytest.approx(run.front[0].readings["risk"])


def test_a_run_whose_data_changed_does_not_go_on(new_store, people):
    store = new_store("run")
    people.write_text(people.read_text(encoding="utf-8") + "30,1000,n\n", encoding="utf-8")
    with pytest.raises(RunError, match="has changed"):
        resume(store.folder)


def test_a_run_without_its_journal_is_refused(new_store):
    store = new_store("run")
    done(store)
    (store.folder / "journal.jsonl").unlink()
    with pytest.raises(RunError, match="journal"):
        resume(store.folder)


@pytest.mark.parametrize(("allowed", "is_noted"), [(2, True), (100, False)])
def test_evaluations_far_beyond_the_limit_are_noted(plan_of, allowed, is_noted):
    done = perform(plan_of(Budget(evaluations=allowed, generations=3)))
    assert any(f"{allowed} allowed" in note for note in done.notes) == is_noted
