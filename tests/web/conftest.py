"""A served folder asked as scripts ask it, and a run of a small town to ask about."""

import shutil
import time

import pytest
from starlette.testclient import TestClient

from evomask.web.app import make_app
from evomask.web.security import Limits
from evomask.web.server import Served
from tests.cli.conftest import evomask_process, write_town

PORT = 8123
ADDRESS = f"http://127.0.0.1:{PORT}"
FREELY = Limits(rate=1e6, burst=1e6)


def asking(served, **headers):
    """Somebody who asks a served folder, with a key unless told otherwise."""
    known = {"authorization": f"Bearer {served.keys.secret}", **headers}
    return TestClient(make_app(served), base_url=ADDRESS, headers=known)


@pytest.fixture
def served(tmp_path):
    return Served(tmp_path / "runs", PORT, limits=FREELY)


@pytest.fixture
def client(served):
    with asking(served) as client:
        yield client


@pytest.fixture
def town(client, tmp_path):
    """The town, brought: its number."""
    content = write_town(tmp_path).read_bytes()
    return client.post("/api/files", params={"name": "town.csv"}, content=content).json()["id"]


@pytest.fixture(scope="session")
def town_run(tmp_path_factory):
    """The town protected once by the command line, for all tests that only look."""
    folder = tmp_path_factory.mktemp("served")
    town = write_town(folder)
    words = ("--quasi", "age,income,school", "--drop", "name", "--ordinal", "school",
             "--require", "k=3", "--seed", 5, "--evaluations", 8, "--json", "--quiet")  # fmt: skip
    process = evomask_process("protect", town, *words, "--out", folder / "by-hand")
    process.communicate(timeout=600)
    return folder


@pytest.fixture
def run(served, town_run):
    """A copy of that run in the served folder: its name."""
    shutil.copytree(town_run / "by-hand", served.folder / "by-hand")
    return "by-hand"


def until(look, wanted, seconds=120.0):
    """Look again and again until what is seen is as wanted."""
    end = time.monotonic() + seconds
    while not wanted(seen := look()):
        assert time.monotonic() < end, f"still {seen}"
        time.sleep(0.05)
    return seen
