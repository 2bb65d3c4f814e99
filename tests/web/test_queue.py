"""Waiting runs: so many at once, in order, in processes that outlive whoever started them."""

import sys

import pytest

from evomask.errors import RunError
from evomask.web.processes import QueuedRun, RunQueue
from tests.web.conftest import until

SLEEP = (sys.executable, "-I", "-c", "import time; time.sleep(60)")
NOTHING = (sys.executable, "-I", "-c", "")


def request(words, asked=0.0):
    return QueuedRun("", "town.csv", {}, words, asked)


@pytest.fixture
def queue(tmp_path):
    queue = RunQueue(tmp_path, 2)
    yield queue
    for name in queue._requested():
        if queue.is_alive(name):
            queue.cancel(name)
    queue.detach()


def test_so_many_work_at_once_and_the_others_wait_in_order(queue):
    for place, name in enumerate(("c", "a", "b")):
        queue.add(name, request(SLEEP, place))
    assert queue.waiting() == ["c", "a", "b"]
    queue.start_waiting()
    assert queue.waiting() == ["b"]
    assert queue.is_alive("c")
    assert queue.is_alive("a")
    queue.cancel("c")
    until(lambda: queue.is_alive("c"), lambda alive: not alive, 20)
    queue.start_waiting()
    assert queue.waiting() == []


def test_another_server_knows_what_runs(queue, tmp_path):
    queue.add("a", request(SLEEP))
    queue.start_waiting()
    other = RunQueue(tmp_path, 1)
    assert other.is_alive("a")
    other.add("b", request(SLEEP, 1.0))
    other.start_waiting()
    assert other.waiting() == ["b"]
    other.cancel("b")


def test_a_process_that_ended_is_not_alive(queue):
    queue.add("a", request(NOTHING))
    queue.start_waiting()
    until(lambda: queue.is_alive("a"), lambda alive: not alive, 20)


def test_what_waits_can_be_taken_back(queue, tmp_path):
    queue.add("a", request(SLEEP))
    queue.cancel("a")
    assert not (tmp_path / "a").exists()


def test_a_run_of_somebody_else_is_not_ended(queue):
    with pytest.raises(RunError, match="not started by this server"):
        queue.cancel("unknown")


def test_names_are_new_and_no_paths(queue, tmp_path):
    (tmp_path / "up-1").mkdir()
    assert queue.new_name("../../Up.csv") == "up-2"
    assert queue.new_name("é.csv") == "run-1"


def test_what_a_process_said_last_is_told(queue, tmp_path):
    words = (
        sys.executable,
        "-I",
        "-c",
        "import sys; sys.stderr.write('evomask: no such column\\n')",
    )
    queue.add("a", request(words))
    queue.start_waiting()
    until(lambda: queue.is_alive("a"), lambda alive: not alive, 20)
    assert queue.error_of("a") == "no such column"
