"""A real server and a real browser: errors in a page and requests that leave the machine fail."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
AXE = Path(__file__).parents[2] / ".browser" / "node_modules" / "axe-core" / "axe.min.js"
LONGEST = 240_000
"""Milliseconds that something may take to appear: these machines are busy."""


SERVER_GONE = ("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET")
"""What a browser says of requests to a server that was killed."""


class Server:
    """`evomask serve` in a process of its own, which can be killed and started again."""

    def __init__(self, folder):
        self.folder, self.process = folder, None
        self.is_killed = self.is_to_refuse = False

    def start(self, *options):
        log = (self.folder.parent / "serve.log").open("ab")
        words = [sys.executable, "-m", "evomask", "serve", self.folder, "--no-browser", *options]
        self.process = subprocess.Popen(
            list(map(str, words)), stdout=subprocess.PIPE, stderr=log, text=True
        )
        log.close()
        for line in self.process.stdout:
            if "token=" in line:
                self.link = line.strip()
                break
        self.address = self.link.split("/?")[0]
        return self

    def kill(self):
        self.is_killed = True
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(30)
        self.process.stdout.close()

    @property
    def key(self):
        return (self.folder / ".web" / "key").read_text()


@pytest.fixture
def server(tmp_path):
    server = Server(tmp_path / "runs").start()
    yield server
    server.kill()
    for process in server.folder.glob("*/.process"):
        try:
            os.killpg(int(process.read_text()), signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue


@pytest.fixture(scope="session")
def chromium():
    sync_api = pytest.importorskip("playwright.sync_api")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("there is no Chromium on the path; install it")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium, server):
    """Open pages in a browser of their own; at the end nothing must have gone wrong in them."""
    wrong, contexts = [], []

    def new(width=1280, height=900, scheme="light"):
        context = chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, accept_downloads=True
        )
        contexts.append(context)
        context.set_default_timeout(LONGEST)
        page = context.new_page()
        watch(page, server, wrong)
        page.goto(server.link if len(contexts) == 1 else new_link(server))
        page.wait_for_url(f"{server.address}/")
        return page

    yield new
    for context in contexts:
        context.close()
    assert not wrong, "\n".join(wrong)


def new_link(server):
    """Another link, as a second `evomask serve` prints it."""
    words = [sys.executable, "-m", "evomask", "serve", str(server.folder), "--no-browser"]
    out = subprocess.run(words, capture_output=True, text=True, timeout=200, check=True).stdout
    return next(line.strip() for line in out.splitlines() if "token=" in line)


def watch(page, server, wrong):
    """Write down errors of scripts and requests that leave the machine."""

    def told(message):
        is_of_the_kill = any(word in message.text for word in SERVER_GONE)
        is_a_refusal = "responded with a status of 4" in message.text
        expected = (server.is_killed and is_of_the_kill) or (server.is_to_refuse and is_a_refusal)
        if message.type == "error" and not expected:
            wrong.append(f"{message.type}: {message.text}")

    def asked(request):
        if not request.url.startswith((server.address, "data:", "blob:")):
            wrong.append(f"asked {request.url}")

    page.on("console", told)
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("request", asked)


@pytest.fixture(scope="session")
def axe():
    path = Path(os.environ.get("EVOMASK_AXE", AXE))
    if not path.exists():
        pytest.skip("axe-core is not here; run `npm install axe-core` in .browser")
    return path.read_text(encoding="utf-8")


def violations(page, axe):
    """What axe-core finds wrong with a page as it stands."""
    page.evaluate(axe)
    found = page.evaluate("async () => (await axe.run()).violations")
    return [f"{v['id']}: {v['nodes'][0]['html'][:200]}" for v in found]


def town_file(folder, records=240):
    """A town as a file: numbers, ordered categories, names."""
    lines = ["name,age,income,school,illness"]
    for i in range(records):
        age, income = 20 + (i * 7) % 50, 1000 + (i * 37) % 900
        lines.append(f"p{i},{age},{income},{'abc'[(i * 5) % 3]},{'xyz'[(i * 11) % 3]}")
    path = folder / "town.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def tried_in(server, run):
    """How many files a run has tried, by its journal alone: of a round told twice, the last."""
    rounds = {}
    try:
        text = (server.folder / run / "journal.jsonl").read_text()
    except FileNotFoundError:
        return 0
    for line in text[: text.rfind("\n") + 1].splitlines():
        event = json.loads(line)
        if event.get("event") == "turn":
            rounds = {n: tried for n, tried in rounds.items() if n < event["round"]}
            rounds[event["round"]] = len(event["tried"])
    return sum(rounds.values())


def wait_for(look, seconds=240.0):
    """Wait until something is there."""
    end = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < end, "it never came"
        time.sleep(0.2)
    return found
