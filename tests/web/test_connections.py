"""A real server: strangers who hold connections, slow requests, and an owner who gets in."""

import http.client
import os
import socket
import subprocess
import sys
import time
from contextlib import ExitStack

import pytest

HALF = b"GET /api/about HTTP/1.1\r\nhost: 127.0.0.1\r\nx-"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Port and key of a server in a process of its own."""
    folder = tmp_path_factory.mktemp("served") / "runs"
    process = subprocess.Popen(
        [sys.executable, "-m", "evomask", "serve", folder, "--port", str(free_port()),
         "--no-browser", "--quiet"],
        stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    process.stdout.readline()
    port = int(process.stdout.readline().split("127.0.0.1:")[1].split("/")[0])
    yield port, (folder / ".web" / "key").read_text().strip()
    process.terminate()
    process.wait(timeout=30)
    process.stdout.close()


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def ask(server, method="GET", path="/api/about", body=None):
    port, key = server
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(method, path, body, {"authorization": f"Bearer {key}"})
        return connection.getresponse().status
    finally:
        connection.close()


def connect(server, sent=b""):
    connection = socket.create_connection(("127.0.0.1", server[0]), timeout=20)
    connection.sendall(sent)
    return connection


def is_closed(connection, seconds):
    """Whether the server closes a connection within a time; until then, a byte at a time goes."""
    end = time.monotonic() + seconds
    connection.settimeout(0.5)
    while time.monotonic() < end:
        try:
            connection.sendall(b"x")
            if connection.recv(1000) == b"":
                return True
        except TimeoutError:
            continue
        except OSError:
            return True
    return False


def test_the_owner_is_answered_within_a_second_under_500_strangers(server):
    assert ask(server) == 200
    with ExitStack() as stack:
        for _ in range(500):
            stack.enter_context(connect(server, HALF))
        for _ in range(3):
            began = time.monotonic()
            assert ask(server) == 200
            assert time.monotonic() - began < 1 or os.getloadavg()[0] > os.cpu_count()


def test_headers_that_come_byte_by_byte_are_given_up(server):
    with connect(server, HALF) as slow:
        assert not is_closed(slow, 3)
        assert is_closed(slow, 15)
    assert ask(server) == 200


def test_headers_of_a_second_request_are_given_up_too(server):
    port, key = server
    whole = (
        f"GET /api/about HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nauthorization: Bearer {key}\r\n\r\n"
    )
    with connect(server, whole.encode()) as slow:
        assert slow.recv(100_000).startswith(b"HTTP/1.1 200")
        time.sleep(0.5)
        slow.settimeout(0)
        try:
            while slow.recv(100_000):
                pass
        except BlockingIOError:
            pass
        slow.sendall(HALF)
        assert is_closed(slow, 15)


def test_an_upload_that_ends_early_leaves_nothing_and_the_server_answers(server):
    port, key = server
    head = (
        f"POST /api/files?name=a.csv HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n"
        f"authorization: Bearer {key}\r\ncontent-length: 1000\r\n\r\na,b\n"
    )
    connect(server, head.encode()).close()
    assert ask(server) == 200
