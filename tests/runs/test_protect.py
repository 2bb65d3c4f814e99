"""The main job on disk: repeatable to the byte, killed or not, and guarantees that hold."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest

from evomask.errors import ParameterError, RunError
from evomask.execution.local import Local
from evomask.masking.enforce.requirement import Requirement
from evomask.runs.inputs import Input
from evomask.runs.protect import ProtectJob, choose, protect_file, resume_protection
from evomask.runs.store.journal import RoundFinished
from tests.oracles.anonymity import pycanon_answers

QUASI = ("age", "income", "school")


def write_town(folder):
    """Eighty people with numbers, ordered categories and an illness, as a file."""
    rng = np.random.default_rng(5)
    frame = pl.DataFrame(
        {
            "name": [f"p{i}" for i in range(80)],
            "age": rng.integers(20, 70, 80),
            "income": rng.integers(1000, 2000, 80),
            "school": rng.choice(["a", "b", "c"], 80),
            "illness": rng.choice(["flu", "cold", "none"], 80),
        }
    )
    frame.write_csv(folder / "town.csv")


def job_for(parent, name, **more):
    """A small job on the town in one folder, kept in another."""
    source = Input(parent / "town.csv", None, QUASI, ("illness",), ("name",), ("school",))
    searches = ("recipes", "partition", "files")
    usual = {"requirement": Requirement(k=3), "evaluations": 60, "seed": 7, "searches": searches}
    return ProtectJob(source, parent / name, **(usual | more))


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """The usual job, done once; nothing may be changed in it."""
    parent = tmp_path_factory.mktemp("town")
    write_town(parent)
    return protect_file(job_for(parent, "run"))


@pytest.fixture
def folder(once, tmp_path):
    """A copy of its folder that may be changed."""
    shutil.copytree(once.folder, tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def job_in(once):
    """The same job for another folder."""

    def make(name, **more):
        return job_for(once.folder.parent, name, **more)

    return make


def results(folder):
    """The bytes that must not depend on anything but the plan."""
    state = sorted(folder.glob("state-*.npz"))[-1]
    lines = sorted((folder / "masked" / "town.csv").read_bytes().splitlines())
    return state.name, [state.read_bytes(), (folder / "front.parquet").read_bytes(), lines]


def test_every_point_of_the_front_fulfils_what_is_required(once):
    assert len(once.protection.front) > 2
    for one in once.protection.front:
        masked = once.protection.files(one.number).masked
        classes = np.unique([masked[name] for name in QUASI], axis=1, return_counts=True)[1]
        assert classes.min() >= 3


def test_pycanon_finds_every_point_as_anonymous_as_required(once):
    tables = [once.protection.files(one.number).masked for one in once.protection.front]
    assert all(answer["k"] >= 3 for answer in pycanon_answers(tables, QUASI))


def test_diversity_is_guaranteed_too(job_in):
    done = protect_file(job_in("diverse", requirement=Requirement(l=2), evaluations=16))
    assert all(
        done.protection.findings[one.number].guarantees["l"] >= 2 for one in done.protection.front
    )


def test_points_of_searches_and_of_simple_methods_are_on_one_map(once):
    assert {"design", "recipes"} <= {one.search for one in once.protection.state.candidates}


def test_values_are_generalized_though_nobody_gave_hierarchies(job_in):
    job = job_in("general", searches=("generalization",), evaluations=120)
    done = protect_file(job)
    assert "generalization" in done.protection.efforts
    assert any("hierarchies were built for age, income" in note for note in done.protection.notes)
    point = next(
        one
        for one in done.protection.front
        if any(step.method == "generalization" and "age" in step.attributes
               for step in one.making.steps)
    )  # fmt: skip
    written = choose(job.folder, str(point.point)).written.path
    ages = pl.read_csv(written)["age"].cast(pl.String).to_list()
    assert any("-" in age or "*" in age for age in ages)


def test_the_loss_and_risk_of_a_point_are_those_of_its_released_file(once):
    for one in once.protection.front:
        again = once.protection.maker.measured(once.protection.files(one.number).masked)
        assert (again.loss, again.risk) == (one.loss, one.risk)


def test_the_journal_has_a_line_for_every_round(once):
    lines = (once.folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    rounds = [row for row in map(json.loads, lines) if "event" not in row and "note" not in row]
    progress = once.protection.state.rounds
    assert [row["evaluations"] for row in rounds] == [row.evaluations for row in progress]
    assert rounds[-1]["front"] == len(once.protection.front)


def test_shares_of_the_effort_add_up(once):
    assert sum(once.protection.shares.values()) == pytest.approx(100.0)
    assert set(once.protection.shares) == set(once.protection.efforts)


def test_another_point_can_be_chosen_later(once, folder):
    last = once.protection.front[-1]
    other = choose(folder, str(last.point))
    assert other.chosen == last
    masked = pl.read_csv(other.written.path)
    expected = once.protection.files(last.number).masked.values("income")
    assert sorted(masked["income"].to_list()) == pytest.approx(sorted(np.round(expected)))


def test_a_choice_is_remembered(once, folder):
    choose(folder, "max-risk=100")
    assert choose(folder).chosen.loss == min(one.loss for one in once.protection.front)


def test_two_releases_of_one_run_are_not_in_the_same_order(once, folder):
    orders = []
    for _ in range(2):
        choose(folder, str(once.chosen.point), keep_order=True)
        orders.append(np.load(folder / "order.npy"))
    assert not np.array_equal(*orders)


def test_the_order_is_kept_only_if_asked_for(once, folder):
    assert not (folder / "order.npy").exists()
    done = choose(folder, str(once.chosen.point), keep_order=True)
    order = np.load(folder / "order.npy")
    assert (folder / "order.npy").stat().st_mode & 0o777 == 0o600
    incomes = once.protection.files(once.chosen.number).masked.values("income")[order]
    assert pl.read_csv(done.written.path)["income"].to_list() == np.round(incomes).tolist()
    choose(folder, str(once.chosen.point))
    assert not (folder / "order.npy").exists()


def test_the_order_is_not_found_by_trying_seeds(once):
    masked = once.protection.files(once.chosen.number).masked
    illness = np.array(masked.labels("illness"))[masked["illness"]]
    rows = np.column_stack([np.round(masked.values("age")).astype(int).astype(str), illness])
    assert len(np.unique(rows, axis=0)) > 5
    shown = pl.read_csv(once.written.path).select(pl.col("age", "illness").cast(pl.String))
    shown = shown.to_numpy()
    assert sorted(map(tuple, shown)) == sorted(map(tuple, rows))
    for seed in range(200):
        for stream in ([seed], [seed, 3, once.chosen.number], [7, seed, once.chosen.number]):
            order = np.random.default_rng(stream).permutation(len(rows))
            assert not np.array_equal(rows[order], shown)


def test_a_wish_that_no_point_meets_leaves_the_release_alone(folder):
    before = results(folder)
    with pytest.raises(ParameterError, match="no point has a risk"):
        choose(folder, "max-risk=0")
    assert results(folder) == before


def test_everything_is_there_again_when_a_run_is_opened(once, folder):
    again = choose(folder)
    assert tuple(again.protection.state.candidates) == tuple(once.protection.state.candidates)
    assert again.protection.front == once.protection.front
    assert tuple(again.protection.state.rounds) == tuple(once.protection.state.rounds)
    assert again.protection.findings == once.protection.findings
    assert not again.protection.unfinished


def test_a_finished_run_resumed_gives_the_same_again(folder):
    before = results(folder)
    resume_protection(folder)
    assert results(folder) == before


def interrupted_at(count):
    def stop(event):
        if isinstance(event, RoundFinished) and event.round == count:
            raise KeyboardInterrupt

    return stop


def test_an_interrupted_run_keeps_its_front_and_goes_on_to_the_same_bytes(once, job_in):
    job = job_in("stopped")
    stopped = protect_file(job, watch=interrupted_at(3))
    assert stopped.protection.unfinished
    assert stopped.written.path.exists()
    assert len(tuple(stopped.protection.state.rounds)) == 4
    done = resume_protection(job.folder)
    assert not done.protection.unfinished
    assert results(job.folder) == results(once.folder)
    assert done.protection.findings == once.protection.findings


def test_a_run_bound_by_time_continues_from_its_last_snapshot(job_in):
    job = job_in("timed", evaluations=None, seconds=2.0)
    done = protect_file(job)
    snapshots = sorted(job.folder.glob("state-*.npz"))
    snapshots[-1].unlink()
    again = resume_protection(job.folder).protection
    known = {point.number: point for point in again.state.candidates}
    for point in list(done.protection.state.candidates)[: len(known) // 2]:
        assert known[point.number] == point
    assert again.seconds <= job.budget.seconds
    assert not again.unfinished


def test_a_run_without_anything_found_says_how_to_go_on(job_in, monkeypatch):
    job = job_in("nothing")

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("evomask.engine.engine.Engine.states", stop)
    with pytest.raises(KeyboardInterrupt):
        protect_file(job)
    with pytest.raises(RunError, match="nothing was found yet"):
        choose(job.folder)


def killed(folder, rounds, delay):
    """Resume a job in a process of its own and kill it once its journal has so many lines."""
    run = subprocess.Popen(
        [sys.executable, "-m", "evomask", "resume", str(folder), "--quiet"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.DEVNULL,
    )
    journal = folder / "journal.jsonl"
    while run.poll() is None and _lines(journal) < rounds:
        time.sleep(0.002)
    time.sleep(delay)
    run.send_signal(signal.SIGKILL)
    return run.wait(timeout=60) == -signal.SIGKILL


def _lines(journal):
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def check_kill(once, job, moment, monkeypatch):
    rng = np.random.default_rng(moment)

    def never(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("evomask.engine.engine.Engine.states", never)
        with pytest.raises(KeyboardInterrupt):
            protect_file(job)
    rounds = int(rng.integers(0, len(once.protection.state.rounds)))
    assert killed(job.folder, rounds, float(rng.uniform(0, 0.05)))
    resume_protection(job.folder, evaluators=Local(int(rng.integers(1, 3))))
    assert results(job.folder) == results(once.folder)


@pytest.mark.parametrize("moment", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_a_run_killed_at_a_random_moment_resumes_to_the_same_bytes(
    once, job_in, moment, monkeypatch
):
    check_kill(once, job_in(f"killed{moment}"), moment, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("moment", range(2, 52))
def test_a_run_killed_at_fifty_random_moments_resumes_to_the_same_bytes(
    once, job_in, moment, monkeypatch
):
    check_kill(once, job_in(f"killed{moment}"), moment, monkeypatch)
