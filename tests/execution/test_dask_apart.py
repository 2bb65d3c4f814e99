"""A scheduler and its workers as processes of their own, as on other machines."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from evomask.errors import ParameterError, RunError
from evomask.execution.local import open_evaluators
from tests.execution.works import Sleeping

pytestmark = pytest.mark.filterwarnings("ignore")  # of the engine

WORKER = ["--nthreads", "1", "--nworkers", "1", "--no-dashboard", "--host", "127.0.0.1"]


@contextmanager
def _process(*words):
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    with subprocess.Popen(
        [sys.executable, "-m", *words], env=environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def cluster_of_processes(folder: Path):
    """The file of a scheduler with one worker, and the scheduler's process."""
    file = folder / "scheduler.json"
    scheduler = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file"]
    with _process("distributed.cli.dask_scheduler", *scheduler, str(file)) as process:
        while not file.exists() or not file.read_text():
            time.sleep(0.05)
        words = ["--scheduler-file", str(file), *WORKER, "--local-directory", str(folder)]
        with _process("distributed.cli.dask_worker", *words):
            yield file, process


def _work_on(work):
    for first in range(0, 100_000, 50):
        work(range(50), first)


def test_a_cluster_is_reached_by_its_file_and_a_lost_scheduler_is_one_sentence(tmp_path):
    with (
        cluster_of_processes(tmp_path) as (file, scheduler),
        open_evaluators(cluster=str(file)) as evaluators,
        evaluators(Sleeping(0.01)) as work,
    ):
        assert work(range(5), 2) == [(i, i + 2) for i in range(5)]
        threading.Timer(1.0, scheduler.kill).start()
        with pytest.raises(
            RunError, match=r"^the connection to the cluster was lost during tasks .*resume"
        ):
            _work_on(work)


def test_a_file_that_names_another_machine_without_encryption_is_refused(tmp_path):
    file = tmp_path / "scheduler.json"
    file.write_text(json.dumps({"address": "tcp://192.0.2.9:8786"}), encoding="utf-8")
    with pytest.raises(ParameterError, match="unencrypted"), open_evaluators(cluster=file):
        pass


def test_a_file_that_is_none_of_a_scheduler_is_refused(tmp_path):
    file = tmp_path / "other.json"
    file.write_text("[]", encoding="utf-8")
    with (
        pytest.raises(ParameterError, match="is not a scheduler file"),
        open_evaluators(cluster=file),
    ):
        pass
