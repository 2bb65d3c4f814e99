import multiprocessing
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from evomask.errors import ParameterError, RunError
from evomask.execution.evaluator import GivenUpError
from evomask.execution.local import InProcess, Local, ProcessEvaluator


def square(task, serial):
    return task * task, serial


@dataclass(frozen=True)
class FailsAt:
    serial: int

    def __call__(self, task, serial):
        if serial >= self.serial:
            raise RunError(f"task {serial} failed")
        return task


def dies(task, serial):
    os._exit(3)


def sleeps(task, serial):
    time.sleep(60)


def lets_no_other_thread_run(task, serial):
    """One long call that keeps the interpreter's lock, as a kernel does."""
    return sum(range(10**11))


class SleepsOver:
    """Work that takes long, with an array that its workers borrow."""

    def __init__(self, arrays=None):
        self.arrays = arrays

    def lent(self):
        return SleepsOver, {"some": np.arange(5)}

    def __call__(self, task, serial):
        sleeps(task, serial)


def test_in_process_keeps_the_order_and_numbers_on():
    assert InProcess(square)([3, 1, 2], 10) == [(9, 10), (1, 11), (4, 12)]


@pytest.mark.parametrize("count", [0, 1, 7, 50])
def test_across_cores_gives_the_answers_of_one_process(count):
    with ProcessEvaluator(square, 2) as cores:
        assert cores(range(count), 5) == InProcess(square)(range(count), 5)


def test_one_error_names_the_lowest_serial_that_failed():
    with (
        pytest.raises(RunError, match=r"^task 13 failed$"),
        ProcessEvaluator(FailsAt(13), 2) as cores,
    ):
        cores(range(40), 0)


@dataclass(frozen=True)
class KilledOnce:
    """Random numbers of a stream by serial number; every third task is killed the first time."""

    folder: Path

    def __call__(self, task, serial):
        mark = self.folder / str(serial)
        if serial % 3 == 0 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return np.random.default_rng([7, serial]).random(50).tobytes()


@pytest.mark.parametrize("count", [30, pytest.param(300, marks=pytest.mark.slow)])
def test_killed_workers_are_replaced_and_the_bytes_are_the_same(count, tmp_path):
    expected = [np.random.default_rng([7, i]).random(50).tobytes() for i in range(count)]
    with ProcessEvaluator(KilledOnce(tmp_path), 2) as cores:
        pending = [cores.submit(None, serial) for serial in range(count)]
        assert [one.result() for one in pending] == expected
        assert len(list(tmp_path.iterdir())) == count // 3
        assert cores([None] * count, 0) == expected
    assert multiprocessing.active_children() == []


def test_idle_workers_that_are_killed_are_replaced():
    with ProcessEvaluator(square, 2) as cores:
        assert cores(range(4), 0) == InProcess(square)(range(4), 0)
        for worker in cores._pool._workers:
            worker.kill()
        assert cores(range(4), 0) == InProcess(square)(range(4), 0)


def test_tasks_that_run_when_the_block_ends_are_not_waited_for():
    with ProcessEvaluator(sleeps, 2) as cores:
        pending = [cores.submit(None, serial) for serial in range(4)]
        with pytest.raises(GivenUpError):
            pending[0].result(0.2)
        began = time.monotonic()
    assert time.monotonic() - began < 20
    assert multiprocessing.active_children() == []


def test_a_task_whose_workers_all_die_is_one_clear_error():
    message = "worker process died during task 4, 5 times in a row"
    with pytest.raises(RunError, match=message), ProcessEvaluator(dies, 2) as cores:
        cores(range(3), 4)


def test_no_process_is_left_after_an_error():
    with pytest.raises(RunError), ProcessEvaluator(FailsAt(0), 2) as cores:
        cores(range(4), 0)
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("work", [sleeps, lets_no_other_thread_run])
def test_tasks_that_take_too_long_are_given_up_with_their_workers(work):
    began = time.monotonic()
    impatient = ProcessEvaluator(work, 2)
    impatient.patience = lambda: 0.2
    with pytest.raises(GivenUpError), impatient as cores:
        cores(range(4), 0)
    assert time.monotonic() - began < 40
    assert multiprocessing.active_children() == []


def test_one_worker_means_this_process():
    with Local(1)(square) as work:
        assert isinstance(work, InProcess)


def test_no_workers_are_refused():
    with pytest.raises(ParameterError, match="workers must be at least 1, got 0"):
        Local(0)


SCRIPT = """
from tests.execution import test_local
from evomask.execution.local import ProcessEvaluator
if __name__ == "__main__":
    with ProcessEvaluator(test_local.SleepsOver(), 2) as cores:
        print(cores._shared.path, flush=True)
        cores(range(4), 0)
"""


def children_of(pid):
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False
    )
    return [int(child) for child in listed.stdout.split()]


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").split()[2] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes through /proc")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_an_ended_run_leaves_no_process_and_no_array_behind(ending, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    paths = [str(Path(__file__).parents[2]), *sys.path]
    run = subprocess.Popen(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    lent = Path(run.stdout.readline().decode().strip())
    assert lent.is_file()
    workers = wait_for(lambda: children_of(run.pid), lambda found: len(found) >= 3)
    time.sleep(1.0)
    run.send_signal(ending)
    run.wait(timeout=20)
    run.stdout.close()
    assert wait_for(lambda: [p for p in workers if is_alive(p)], lambda left: not left) == []
    assert not lent.exists()


def wait_for(look, enough):
    end = time.monotonic() + 20
    while not enough(found := look()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


UNGUARDED = """
from operator import add
from evomask.errors import RunError
from evomask.execution.local import Local
try:
    with Local(2)(add) as work:
        work([1, 2], first=0)
except RunError as error:
    print(error)
"""


def test_a_script_without_a_guard_is_told_of_it(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(UNGUARDED, encoding="utf-8")
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert run.stdout.rstrip().endswith(
        "a script that uses several has to start them below `if __name__ == '__main__':`; "
        "or it may have run out of memory: try fewer workers"
    )
