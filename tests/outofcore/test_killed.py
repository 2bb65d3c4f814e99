"""Work on parts of which processes are killed: it goes on, and nothing is half-written."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from evomask.errors import RunError
from evomask.execution.local import open_evaluators
from evomask.masking.enforce.requirement import Requirement
from evomask.outofcore.generalize import GeneralizeJob, generalize_parts
from evomask.outofcore.mask import mask_parts
from evomask.outofcore.protect import protect_parts, read_job
from evomask.outofcore.release import verify_parts
from evomask.runs.inputs import Input
from tests.execution.test_dask_apart import cluster_of_processes
from tests.outofcore.conftest import bytes_of, town, written
from tests.outofcore.test_mask import job
from tests.outofcore.test_protect import in_place
from tests.outofcore.test_protect import job as by_recipe
from tests.outofcore.test_verify import SCRIPT

pytestmark = pytest.mark.filterwarnings("ignore")  # of the engine

QUASI = ("age", "sex", "region")


def command(*words, limit=0):
    return [sys.executable, "-c", SCRIPT, *map(str, [limit, *words])]


LEVELS = ("--searches", "generalization", "--require", "k=5,l=2", "--suppression", 5)


def protecting(people, out):
    roles = ("--quasi", ",".join(QUASI), "--confidential", "illness", "--drop", "name")
    return "protect", people, *roles, *LEVELS, "--out", out


def run(*words, limit=0):
    return subprocess.run(command(*words, limit=limit), capture_output=True, text=True, check=False)


def half_written(folder):
    """Files that only somebody who was killed leaves behind."""
    return [path.name for path in folder.rglob(".*") if path.is_file() and path.name != ".lock"]


class Killer:
    """Kills a worker of a cluster when a step begins, each time."""

    def __init__(self, client, *steps):
        self.client, self.steps, self.killed = client, list(steps), []

    def __call__(self, step, done, count):
        if step in self.steps and not done:
            self.steps.remove(step)
            victim = next(iter(self.client.run(os.getpid).values()))
            os.kill(victim, signal.SIGKILL)
            self.killed.append(victim)


@pytest.mark.slow
def test_workers_killed_twice_change_no_byte(people, tmp_path):
    options = {"k": "5"}
    mask_parts(job(people, tmp_path / "whole", "mdav", options=options))
    with open_evaluators(cluster="local:2") as evaluators:
        killer = Killer(evaluators.client, "sort", "mask")
        out = tmp_path / "out"
        mask_parts(job(people, out, "mdav", options=options), evaluators=evaluators, told=killer)
    assert len(killer.killed) == 2
    assert bytes_of(out) == bytes_of(tmp_path / "whole")
    assert not half_written(out)


@pytest.mark.slow
def test_a_lost_scheduler_is_one_sentence_and_another_goes_on(people, tmp_path):
    out, options = tmp_path / "out", {"k": "5"}
    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()
    with cluster_of_processes(tmp_path / "first") as (file, scheduler):

        def kill(step, done, count):
            if step == "group" and not done:
                scheduler.kill()

        with (
            pytest.raises(RunError, match="the connection to the cluster was lost") as told,
            open_evaluators(cluster=str(file)) as evaluators,
        ):
            mask_parts(job(people, out, "mdav", options=options), evaluators=evaluators, told=kill)
        assert "\n" not in str(told.value)
    assert not (out / "done.json").exists()
    assert not half_written(out)
    begun = {path: path.stat().st_mtime_ns for path in out.glob("work/sort*.json")}
    assert len(begun) == 5
    seen = []
    with (
        cluster_of_processes(tmp_path / "second") as (file, _),
        open_evaluators(cluster=str(file)) as evaluators,
    ):
        mask_parts(read_job(out), evaluators=evaluators, told=lambda *told: seen.append(told))
    assert ("sort", 5, 5) in seen
    assert ("sort", 0, 5) not in seen
    mask_parts(job(people, tmp_path / "whole", "mdav", options=options))
    assert bytes_of(out) == bytes_of(tmp_path / "whole")


@pytest.mark.parametrize(
    "step",
    [pytest.param("count", marks=pytest.mark.slow), pytest.param("recode", marks=pytest.mark.slow),
     pytest.param("compare", marks=pytest.mark.slow), "attack",
     pytest.param("scatter", marks=pytest.mark.slow), "mask"],
)  # fmt: skip
def test_a_killed_protection_is_resumed_by_its_folder(people, tmp_path, step):
    out = tmp_path / "out"
    words = command(*protecting(people, out))
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not list(Path(out).glob(f"work/{step}-*.json")):
            time.sleep(0.002)
        os.kill(process.pid, signal.SIGKILL)
    assert not (out / "done.json").exists()
    before = {path.name: path.stat().st_mtime_ns for path in out.glob("work/*.json")}
    done = run("resume", out)
    assert done.returncode == 0, done.stderr
    assert f"{step}: 0 of 5 parts" not in done.stderr
    assert before
    assert verify_parts(out).holds
    assert not half_written(out)
    frame = written(out)
    classes = frame.group_by(QUASI).agg(pl.len(), pl.col("illness").n_unique().alias("l"))
    assert classes["len"].min() >= 5
    assert classes["l"].min() >= 2
    assert frame["income"].is_in(town()["income"].to_list()).all()


def recipes(people, out):
    roles = ("--quasi", "income,sex", "--nominal", "sex", "--drop", "name")
    return "protect", people, *roles, "--evaluations", 4, "--seed", 3, "--keep-order", "--out", out


@pytest.mark.slow
@pytest.mark.parametrize("step", ["mix", "apply", "compare", "mask"])
def test_a_killed_search_for_recipes_is_resumed_and_comes_to_the_same(people, tmp_path, step):
    out, whole = tmp_path / "out", tmp_path / "whole"
    words = command(*recipes(people, out))
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not list(Path(out).glob(f"work/{step}-*.json")):
            time.sleep(0.002)
        os.kill(process.pid, signal.SIGKILL)
    assert not (out / "done.json").exists()
    done = run("resume", out)
    assert done.returncode == 0, done.stderr
    assert verify_parts(out).holds
    assert not half_written(out)
    assert run(*recipes(people, whole)).returncode == 0
    for name in ("search/front.parquet", "done.json"):
        assert (out / name).read_bytes() == (whole / name).read_bytes()
    assert in_place(out).equals(in_place(whole))


@pytest.mark.slow
def test_workers_killed_twice_change_no_record_of_a_recipe(people, tmp_path):
    protect_parts(by_recipe(people, tmp_path / "whole", keep_order=True))
    with open_evaluators(cluster="local:2") as evaluators:
        killer = Killer(evaluators.client, "mix", "apply")
        out = tmp_path / "out"
        wanted = by_recipe(people, out, keep_order=True)
        protect_parts(wanted, evaluators=evaluators, told=killer)
    assert len(killer.killed) == 2
    front = "search/front.parquet"
    assert (out / front).read_bytes() == (tmp_path / "whole" / front).read_bytes()
    assert in_place(out).equals(in_place(tmp_path / "whole"))
    assert not half_written(out)


@pytest.mark.slow
def test_recipes_on_a_disk_that_takes_no_more_are_one_sentence_and_go_on(people, tmp_path):
    out = tmp_path / "out"
    done = run(*recipes(people, out), limit=8_000)
    assert done.returncode == 1
    assert "File too large; nothing was kept" in done.stderr
    assert "Traceback" not in done.stderr
    assert not half_written(out)
    assert run(*recipes(people, out)).returncode == 0
    assert verify_parts(out).holds


def test_a_protection_on_a_disk_that_takes_no_more_is_one_sentence_and_goes_on(people, tmp_path):
    out = tmp_path / "out"
    done = run(*protecting(people, out), limit=20_000)
    assert done.returncode == 1
    assert "could not be written: File too large; nothing was kept" in done.stderr
    assert "Traceback" not in done.stderr
    assert not half_written(out)
    assert run(*protecting(people, out)).returncode == 0
    assert verify_parts(out).holds


def test_a_resumed_job_is_the_one_that_was_begun(people, tmp_path):
    source = Input(people, quasi_identifiers=QUASI, identifiers=("name",))
    begun = GeneralizeJob(source, tmp_path / "out", Requirement(k=4), 3.0, seed=9, keep_order=True)

    def stop(step, done, count):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generalize_parts(begun, told=lambda step, done, _: stop(step, done, 0) if done else None)
    assert read_job(tmp_path / "out") == begun


def test_a_plan_that_does_not_tell_the_job_is_one_sentence(people, tmp_path):
    mask_parts(job(people, tmp_path / "out", "top-coding"))
    plan = tmp_path / "out" / "plan.json"
    plan.write_text(plan.read_text().replace('"source"', '"sauce"'))
    with pytest.raises(RunError, match="does not describe the job"):
        read_job(tmp_path / "out")
