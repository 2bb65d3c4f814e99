"""A server of its own and a real browser, for pictures and figures of the web app.

Needs Chromium, and ``pip install playwright``.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
LONGEST = 1_800_000


@dataclass(frozen=True)
class Server:
    """`evomask serve` at work: the link that opens it, and its process."""

    link: str
    process: int

    @property
    def address(self) -> str:
        return self.link.split("/?")[0]


@contextmanager
def served(folder: Path) -> Iterator[Server]:
    """Serve a folder in a process of its own, to the end of the block."""
    words = [sys.executable, "-m", "evomask", "serve", str(folder), "--no-browser"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield Server(next(line.strip() for line in process.stdout if "token=" in line), process.pid)
    finally:
        process.terminate()
        process.wait(30)


@contextmanager
def browsed(width: int = 1280, height: int = 900) -> Iterator[Any]:
    """An empty page of a real browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        program = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        page = browser.new_page(viewport={"width": width, "height": height})
        page.set_default_timeout(LONGEST)
        yield page
        browser.close()
