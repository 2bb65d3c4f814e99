"""The main job gives the same bytes in process, across cores and on a cluster that suffers."""

import os
import signal
import threading

import pytest

from evomask.execution.local import Local, open_evaluators
from evomask.runs.protect import protect_file, resume_protection
from evomask.runs.store.journal import RoundFinished
from evomask.runs.store.run_control import StopRequest
from tests.runs.test_protect import job_for as usual_job
from tests.runs.test_protect import results, write_town

pytestmark = pytest.mark.filterwarnings("ignore")  # of the engine


def job_for(folder, name):
    return usual_job(folder, name, searches=("recipes", "partition"), evaluations=30)


@pytest.fixture(scope="module")
def cluster():
    with open_evaluators(cluster="local:2") as evaluators:
        yield evaluators


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    folder = tmp_path_factory.mktemp("town")
    write_town(folder)
    return folder


@pytest.fixture(scope="module")
def alone(town):
    return results(protect_file(job_for(town, "alone")).folder)


class Killer:
    """Kills a worker soon after two of the turns, while the next is at work."""

    def __init__(self, cluster):
        self.cluster, self.killed = cluster, []

    def __call__(self, event):
        if isinstance(event, RoundFinished) and event.round in {1, 3}:
            threading.Timer(0.02, self.kill).start()

    def kill(self):
        victim = next(iter(self.cluster.client.run(os.getpid).values()))
        os.kill(victim, signal.SIGKILL)
        self.killed.append(victim)


@pytest.mark.slow
def test_two_cores_give_the_bytes_of_one_process(town, alone):
    assert results(protect_file(job_for(town, "cores"), evaluators=Local(2)).folder) == alone


def test_a_cluster_gives_the_bytes_of_one_process(town, alone, cluster):
    assert results(protect_file(job_for(town, "cluster"), evaluators=cluster).folder) == alone


def test_a_worker_killed_twice_changes_no_byte(town, alone, cluster):
    killer = Killer(cluster)
    done = protect_file(job_for(town, "killed"), evaluators=cluster, watch=killer)
    assert len(set(killer.killed)) == 2
    assert results(done.folder) == alone


@pytest.mark.slow
def test_a_run_begun_on_a_cluster_is_finished_in_process(town, alone, cluster):
    stop = StopRequest()
    stop.ask()
    first = protect_file(job_for(town, "moved"), evaluators=cluster, stop=stop)
    assert first.protection.unfinished
    assert results(resume_protection(first.folder).folder) == alone
