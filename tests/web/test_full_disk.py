"""A server whose disk is full: sentences, nothing half-written, and it answers on."""

import http.client
import json
import os
import subprocess
import sys
from resource import RLIMIT_FSIZE, setrlimit

import pytest

from tests.web.test_connections import free_port

MOST = 30_000
"""Bytes that the disk takes of a file."""
TOWN = "age,school\n" + "".join(f"{20 + i % 50},{'abc'[i % 3]}\n" for i in range(90))


@pytest.fixture
def server(tmp_path):
    """Folder, port and key of a server that can write no more than so many bytes of a file."""
    folder = tmp_path / "runs"
    process = subprocess.Popen(
        [sys.executable, "-m", "evomask", "serve", folder, "--port", str(free_port()),
         "--no-browser", "--quiet"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        preexec_fn=lambda: setrlimit(RLIMIT_FSIZE, (MOST, MOST)),  # noqa: PLW1509 - no threads yet
    )  # fmt: skip
    process.stdout.readline()
    port = int(process.stdout.readline().split("127.0.0.1:")[1].split("/")[0])
    yield folder, port, (folder / ".web" / "key").read_text().strip()
    process.terminate()
    _, err = process.communicate(timeout=30)
    assert "Traceback" not in err


def ask(server, method, path, body=None):
    _, port, key = server
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, body, {"authorization": f"Bearer {key}"})
    answer = connection.getresponse()
    found = answer.status, answer.read()
    connection.close()
    return found


def test_an_upload_onto_a_full_disk_is_a_sentence_and_leaves_nothing(server):
    status, answer = ask(server, "POST", "/api/files?name=large.csv", TOWN + "20,a\n" * 20_000)
    assert status in (400, 500, 507)
    assert json.loads(answer)["error"]
    assert not [p for p in (server[0] / ".files").rglob("*") if p.is_file()]
    status, answer = ask(server, "POST", "/api/files?name=town.csv", TOWN)
    assert status == 201
    file = json.loads(answer)["id"]
    assert json.loads(ask(server, "GET", f"/api/files/{file}/columns")[1])["records"] == 90
