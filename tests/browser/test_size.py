"""Many files on the map, many runs in the folder: the page stays usable, the server small."""

import fcntl
import re
import time
from pathlib import Path

import pytest

from tests.browser.conftest import LONGEST, wait_for
from tests.browser.large import large_run

pytestmark = pytest.mark.browser
expect = pytest.importorskip("playwright.sync_api").expect
expect.set_options(timeout=LONGEST)

STATIC = Path(__file__).parents[2] / "src" / "evomask" / "web" / "static"


def test_ten_thousand_files_are_drawn_at_once_and_the_page_stays_usable(opened, server):
    run = server.folder / "large"
    large_run(run)
    page = opened()
    with (run / ".lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        began = time.monotonic()
        page.goto(f"{server.address}/runs/large/search")
        expect(page.locator("#map")).to_have_attribute("data-tried", "10000")
        opened_in = time.monotonic() - began
        expect(page.locator("#map")).to_have_attribute("data-front", "200")
        page.check("#whole")
        page.wait_for_timeout(1500)
        redraw = float(page.get_attribute("#map", "data-redraw"))
        clicked = time.monotonic()
        page.click("#buttons >> text=Pause")
        wait_for((run / "stop").exists, 30)
        answered = time.monotonic() - clicked
    print(f"opened in {opened_in:.2f} s, redraw {redraw:.1f} ms, stop answered in {answered:.2f} s")
    assert redraw < 100
    assert answered < 5


def test_the_server_stays_small_with_ten_runs(opened, server):
    for number in range(10):
        large_run(server.folder / f"run-{number}", 2000, 100)
    page = opened()
    expect(page.locator("#runs tbody tr")).to_have_count(10)
    for number in range(10):
        page.goto(f"{server.address}/runs/run-{number}/search")
        expect(page.locator("#map")).to_have_attribute("data-tried", "2000")
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    megabytes = int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1000
    print(f"{megabytes:.0f} MB with ten runs")
    assert megabytes < 300


def test_there_is_little_script_and_none_of_others():
    lines = {path.name: len(path.read_text().splitlines()) for path in STATIC.glob("*.js")}
    assert sum(lines.values()) < 2000, lines
    assert not [path.name for path in STATIC.rglob("*.min.js")]
