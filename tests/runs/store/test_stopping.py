"""Stopping a run from outside: by a signal, and by its name."""

import json
import os
import signal
import subprocess
import sys
import time

import numba
import numpy as np
import pytest

from evomask.runs.store.journal import RoundFinished, read_events
from evomask.runs.store.run_control import InterruptHandler, unwrap_interrupts
from evomask.runs.store.run_folder import RunList, RunStatus
from tests.runs.test_protect import write_town

INTERRUPTED = 130


@numba.njit(nogil=True)
def slowly(steps):
    total = 0.0
    for step in range(steps):
        total += np.sin(step * 1.0)
    return np.full(2, total), np.full(2, total)


@pytest.fixture
def alarmed():
    """An interrupt comes a tenth of a second from now."""
    before = signal.signal(signal.SIGALRM, InterruptHandler())
    slowly(1)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_an_interrupt_while_compiled_code_runs_is_an_interrupt(alarmed):
    with pytest.raises(KeyboardInterrupt), unwrap_interrupts():
        slowly(200_000_000)


def test_another_error_of_the_system_stays_what_it_is():
    with pytest.raises(SystemError, match="bad"), unwrap_interrupts():
        raise SystemError("bad") from ValueError()


def started(folder, name):
    """A protection in a process of its own that has had its first turn."""
    run = subprocess.Popen(
        [
            sys.executable, "-m", "evomask", "protect", str(folder / "town.csv"),
            "--quasi", "age,income", "--drop", "name", "--searches", "recipes,partition",
            "--seconds", "100", "--out", str(folder / name), "--quiet", "--json",
            "--accept-risk", "--accept-loss",
        ],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    journal = folder / name / "journal.jsonl"
    while run.poll() is None and not any(
        isinstance(e, RoundFinished) for e in read_events(journal)
    ):
        time.sleep(0.05)
    return run


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)]
)
def test_a_signal_stops_a_run_which_keeps_what_it_found(tmp_path, number):
    write_town(tmp_path)
    run = started(tmp_path, "run")
    run.send_signal(number)
    answer, _ = run.communicate(timeout=60)
    assert run.returncode == INTERRUPTED
    assert json.loads(answer)["interrupted"]
    assert (tmp_path / "run" / "masked" / "town.csv").exists()
    assert RunList(tmp_path).find("run").standing is RunStatus.STOPPED


def test_a_run_is_stopped_by_its_name(tmp_path):
    write_town(tmp_path)
    run = started(tmp_path, "run")
    RunList(tmp_path).stop("run")
    answer, _ = run.communicate(timeout=60)
    assert run.returncode == INTERRUPTED
    assert json.loads(answer)["interrupted"]
    assert RunList(tmp_path).find("run").standing is RunStatus.STOPPED
