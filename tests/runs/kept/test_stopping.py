"""Stopping a run from outside: by a signal, and by its name."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from evomask.runs.kept.events import Turn, read_events
from evomask.runs.kept.runs import Runs, Standing
from tests.runs.test_protect import write_town

INTERRUPTED = 130


def started(folder, name):
    """A protection in a process of its own that has had its first turn."""
    run = subprocess.Popen(
        [
            sys.executable, "-m", "evomask", "protect", str(folder / "town.csv"),
            "--quasi", "age,income", "--drop", "name", "--searches", "grid,partition",
            "--seconds", "100", "--out", str(folder / name), "--quiet", "--json",
        ],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    journal = folder / name / "journal.jsonl"
    while run.poll() is None and not any(isinstance(e, Turn) for e in read_events(journal)):
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
    assert Runs(tmp_path).find("run").standing is Standing.STOPPED


def test_a_run_is_stopped_by_its_name(tmp_path):
    write_town(tmp_path)
    run = started(tmp_path, "run")
    Runs(tmp_path).stop("run")
    answer, _ = run.communicate(timeout=60)
    assert run.returncode == INTERRUPTED
    assert json.loads(answer)["interrupted"]
    assert Runs(tmp_path).find("run").standing is Standing.STOPPED
