"""Killed at any moment, the folder of a run holds a whole release, or none yet."""

import multiprocessing
import shutil
import time

import numpy as np
import pytest

from evomask.report.record import Statement
from evomask.runs.protect import choose, protect_file, resume_protection
from evomask.runs.release import report_again, reports_in
from evomask.runs.store.release import COMMITTED, STAGING, read_lines
from evomask.runs.store.run_folder import RunFolder
from evomask.runs.store.run_summary import MASKED, PLAN
from evomask.runs.store.verify import verify
from tests.runs.test_protect import job_for, write_town

ACTS = ("protect", "choose", "report", "resume")
MOMENTS, PORTION = 200, 20
LONGEST_RELEASE = 0.3
"""Seconds within which an aimed kill comes after a release began to be put together."""


def small_job(folder):
    return job_for(folder.parent, folder.name, evaluations=14, searches=("recipes",))


def act(name, folder, point, begun):
    """What is killed, in a process of its own."""
    begun.set()
    if name == "protect":
        protect_file(small_job(folder))
    elif name == "choose":
        choose(folder, point)
    elif name == "report":
        report_again(folder, Statement(by="A Steward"))
    else:
        resume_protection(folder)


class Killer:
    """Starts an act, and kills it by SIGKILL after some time or in the midst of its release."""

    def __init__(self):
        self.processes = multiprocessing.get_context("forkserver")
        self.processes.set_forkserver_preload([__name__])

    def start(self, *words):
        begun = self.processes.Event()
        process = self.processes.Process(target=act, args=(*words, begun))
        process.start()
        begun.wait(120)
        return process

    def kill(self, process):
        """Whether it had not ended before."""
        process.kill()
        process.join()
        return process.exitcode != 0

    def lasting(self, *words):
        """Seconds that an act takes where nobody kills it."""
        started = time.monotonic()
        process = self.start(*words)
        process.join()
        assert process.exitcode == 0
        return time.monotonic() - started


def wait_for(process, *paths):
    while process.is_alive() and not any(path.exists() for path in paths):
        time.sleep(0.001)


@pytest.fixture(scope="module")
def killer():
    return Killer()


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    parent = tmp_path_factory.mktemp("town")
    write_town(parent)
    return parent


@pytest.fixture(scope="module")
def finished(town):
    return protect_file(small_job(town / "finished"))


@pytest.fixture(scope="module")
def half_done(town, killer):
    """The folder of a run that was killed while it searched."""
    folder = town / "half"
    process = killer.start("protect", folder, "")
    while process.is_alive() and not list(folder.glob("state-*")):
        time.sleep(0.001)
    assert killer.kill(process)
    assert not read_lines(folder)
    return folder


@pytest.fixture(scope="module")
def lengths(killer, town, finished, half_done):
    """Seconds that each act takes."""
    point = str(finished.protection.front[0].point)
    again = {name: shutil.copytree(finished.folder, town / f"length-{name}") for name in ACTS[1:3]}
    again["resume"] = shutil.copytree(half_done, town / "length-resume")
    folders = {"protect": town / "length-protect", **again}
    return {name: killer.lasting(name, folders[name], point) for name in ACTS}


def is_whole(folder):
    """Whether a release is there and holds, or nothing of one is there."""
    if not (folder / PLAN).exists():
        return not folder.exists() or not list(folder.glob("[!.]*"))
    with RunFolder(folder).locked():
        pass
    if read_lines(folder):
        return verify(folder).holds
    return not any(path.exists() for path in (*reports_in(folder), folder / MASKED))


def killed_once(number, town, killer, finished, half_done, lengths):
    """Kill an act at a moment that hangs on the number alone; what was hit, if it is whole."""
    rng = np.random.default_rng([number, 9])
    name, folder = ACTS[number % len(ACTS)], town / f"killed-{number}"
    if name != "protect":
        shutil.copytree(half_done if name == "resume" else finished.folder, folder)
    point = str(finished.protection.front[int(rng.integers(len(finished.protection.front)))].point)
    process = killer.start(name, folder, point)
    if number // len(ACTS) % 2:
        wait_for(process, folder / STAGING, folder / COMMITTED)
        time.sleep(rng.uniform(0, LONGEST_RELEASE))
    else:
        time.sleep(rng.uniform(0, lengths[name]))
    in_time = killer.kill(process)
    hit = "releasing" if any((folder / n).exists() for n in (STAGING, COMMITTED)) else "elsewhere"
    whole = is_whole(folder)
    if whole and (folder / PLAN).exists() and not read_lines(folder):
        resume_protection(folder)
        whole = verify(folder).holds
    shutil.rmtree(folder, ignore_errors=True)
    return whole, hit if in_time else "too late"


@pytest.fixture
def kill(town, killer, finished, half_done, lengths):
    return lambda number: killed_once(number, town, killer, finished, half_done, lengths)


def test_killed_at_random_moments_a_whole_release_is_left(kill):
    assert [number for number in (4, 6) if not kill(number)[0]] == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1000 + MOMENTS, PORTION))
def test_killed_at_two_hundred_moments_a_whole_release_is_left(kill, first):
    found = [kill(number) for number in range(first, first + PORTION)]
    hits = [hit for _, hit in found]
    print(f"{sum(w for w, _ in found)} of {PORTION} whole; {hits.count('releasing')} while "
          f"releasing, {hits.count('too late')} had ended")  # fmt: skip
    assert all(whole for whole, _ in found)
