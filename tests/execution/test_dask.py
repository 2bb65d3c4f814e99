"""The evaluator protocol on a real Dask cluster: its laws, what dies, what is refused."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from evomask.errors import ParameterError, RunError
from evomask.execution.dask import Cluster
from evomask.execution.evaluator import GivenUpError
from evomask.execution.local import InProcess, open_evaluators
from evomask.testing import check_evaluator
from tests.execution.works import Borrowing, Deadly, Dying, OfThisProcess, Sleeping

pytestmark = pytest.mark.filterwarnings("ignore")  # of the engine

INTERRUPTED = """
import sys
from evomask.execution.local import open_evaluators
from tests.execution.works import Sleeping

if __name__ == "__main__":
    with open_evaluators(cluster=sys.argv[1]) as evaluators:
        with evaluators(Sleeping(0.5)) as work:
            print("at work", flush=True)
            work(range(1000), 0)
"""


@pytest.fixture(scope="module")
def cluster():
    with open_evaluators(cluster="local:2:2GB") as evaluators:
        yield evaluators


def _loaded_works():
    from evomask.execution import dask

    return len(dask._loaded)


def test_the_workers_of_a_cluster_obey_the_laws_of_evaluators(cluster):
    check_evaluator(cluster)


def test_both_workers_take_part(cluster):
    with Cluster(cluster.client, verify=False)(OfThisProcess()) as work:
        assert len(set(work(range(8), 0))) == 2 == cluster.workers


def test_arrays_that_a_work_lends_arrive_whole_and_cannot_be_changed(cluster):
    some = np.arange(100_000)
    some.setflags(write=False)
    here = Borrowing({"some": some})
    with cluster(here) as work:
        assert work(range(3), 0) == InProcess(here)(range(3), 0)


def test_a_worker_that_dies_twice_changes_no_answer(cluster, tmp_path):
    dying = Dying(str(tmp_path), at=5)
    expected = InProcess(dying)(range(12), 0)
    for name in ("once", "twice"):
        (tmp_path / name).touch()
    with cluster(dying) as work:
        assert work(range(12), 0) == expected
    assert list(tmp_path.iterdir()) == []


def test_a_task_that_kills_every_worker_is_one_sentence(cluster):
    message = r"^several workers of the cluster died during tasks 3 to 4, one after another"
    with pytest.raises(RunError, match=message), cluster(Deadly(os.getpid())) as work:
        work(range(2), 3)


def test_another_outcome_here_is_refused(cluster):
    with (
        pytest.raises(RunError, match="task 7 has different results on the cluster and here"),
        cluster(OfThisProcess()) as work,
    ):
        work(range(2), 7)


def test_tasks_that_take_too_long_are_given_up(cluster):
    with cluster(Sleeping(3.0)) as work:
        work.patience = lambda: 0.2
        with pytest.raises(GivenUpError):
            work(range(4), 0)


def test_the_work_is_taken_back_when_its_block_is_left(cluster):
    with cluster(Sleeping(0.0)) as work:
        work(range(4), 0)
        assert set(cluster.client.run(_loaded_works).values()) == {1}
    assert set(cluster.client.run(_loaded_works).values()) == {0}


def test_a_worker_with_other_sources_is_refused(cluster, monkeypatch):
    from evomask.execution import payload

    monkeypatch.setattr(payload, "_hash_of_sources", lambda: "0123456789ab")
    payload.environment.cache_clear()
    message = r"the environment of worker tls://.* differs \(sources .* there, 0123456789ab here\)"
    with pytest.raises(RunError, match=message), cluster(Sleeping()):
        pass
    payload.environment.cache_clear()


def test_a_client_of_the_caller_is_taken(cluster):
    with open_evaluators(cluster=cluster.client) as evaluators, evaluators(Sleeping(0.0)) as work:
        assert work((4, 2), 0) == [(4, 0), (2, 1)]
    assert cluster.client.status == "running"


def test_an_interrupt_ends_at_once_and_says_nothing_else(tmp_path):
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, str(script), "local:2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env={**os.environ, "PYTHONPATH": str(Path.cwd())}, start_new_session=True,
    ) as process:  # fmt: skip
        assert process.stdout.readline() == "at work\n"
        time.sleep(1.0)
        began = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert time.monotonic() - began < 15.0
    assert errors.count("Traceback") == 1
    assert errors.rstrip().endswith("KeyboardInterrupt")


@pytest.mark.parametrize(
    ("cluster_text", "sentence"),
    [
        ("tcp://192.0.2.9:8786", "records would be sent to 192.0.2.9 unencrypted"),
        ("http://127.0.0.1", "http://127.0.0.1 is not an address of a cluster"),
        ("local:none", "a local cluster is written like local:8, got local:none"),
        ("local:1:much", "memory of a worker is a size like 2GB, got much"),
        ("no-such-file.json", "there is no cluster 'no-such-file.json'"),
    ],
)
def test_a_cluster_that_cannot_be_is_one_sentence(cluster_text, sentence):
    with pytest.raises(ParameterError, match=sentence), open_evaluators(cluster=cluster_text):
        pass


def test_workers_and_a_cluster_exclude_one_another():
    with pytest.raises(ParameterError, match="exclude one another"):
        open_evaluators(2, "local:2")


def test_a_scheduler_that_does_not_answer_is_one_sentence(monkeypatch):
    from evomask.execution import dask

    monkeypatch.setattr(dask, "ANSWER_SECONDS", 0.5)
    message = "no scheduler answers at tcp://127.0.0.1:1;"
    with pytest.raises(RunError, match=message), open_evaluators(cluster="tcp://127.0.0.1:1"):
        pass
