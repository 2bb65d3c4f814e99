"""How fast and how small the web app is, in a real browser: ``python benchmarks/bench_web.py``.

Prints medians of several runs, warm: from the command to a page that can be used, from opening a
run of 10,000 files tried and 200 on the front to its map, one redraw of it, the answer to a click
on *Pause*; then the memory of a server with ten runs, and the lines of script.
"""

import fcntl
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from browsing import browsed, served

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
from tests.browser.large import large_run  # noqa: E402

RUNS = 5
RUNS_AT_ONCE = 10


def median(measure: Callable[[], float]) -> float:
    return statistics.median(measure() for _ in range(RUNS))


def first_page(page: Any, folder: Path) -> float:
    """Seconds from the command to the list of runs, drawn by its script."""
    began = time.monotonic()
    with served(folder) as server:
        page.goto(server.link)
        page.wait_for_selector("#runs table")
        return time.monotonic() - began


def map_of(page: Any, address: str) -> float:
    """Seconds from opening a run to its whole map on the screen, by the page's own clock."""
    page.goto(f"{address}/")
    page.wait_for_selector("#runs table")
    page.goto(f"{address}/runs/run-0/search")
    page.wait_for_selector("#map[data-tried='10000'][data-front='200'][data-seen]")
    return float(page.get_attribute("#map", "data-seen")) / 1000


def redraw_of(page: Any) -> float:
    """Milliseconds of one redraw of everything."""
    page.locator("#whole").click()
    page.wait_for_timeout(800)
    return float(page.get_attribute("#map", "data-redraw"))


def stop_of(page: Any, run: Path) -> float:
    """Seconds from a click on Pause to the request in the run's folder."""
    (run / "stop").unlink(missing_ok=True)
    began = time.monotonic()
    page.click("#buttons >> text=Pause")
    while not (run / "stop").exists():
        time.sleep(0.005)
    return time.monotonic() - began


def megabytes_of(process: int) -> float:
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    found = re.search(r"VmRSS:\s+(\d+)", status)
    return int(found[1]) / 1000 if found else float("nan")


def memory(page: Any, folder: Path) -> float:
    """Megabytes of a server after every one of ten runs was opened."""
    with served(folder) as server:
        page.goto(server.link)
        page.wait_for_selector("#runs table")
        for number in range(RUNS_AT_ONCE):
            page.goto(f"{server.address}/runs/run-{number}/search")
            page.wait_for_selector("#map[data-tried='10000']")
        return megabytes_of(server.process)


def lines_of_script() -> int:
    scripts = (ROOT / "src" / "evomask" / "web" / "static").glob("*.js")
    return sum(len(script.read_text(encoding="utf-8").splitlines()) for script in scripts)


def tell(what: str, figure: str, aim: str) -> None:
    print(f"{what:44} {figure:>10}   (aim: {aim})", flush=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as place, browsed() as page:
        folder = Path(place) / "releases"
        for number in range(RUNS_AT_ONCE):
            large_run(folder / f"run-{number}")
        first_page(page, folder)
        tell(
            "evomask serve to a page that can be used",
            f"{median(lambda: first_page(page, folder)):.2f} s",
            "under 2",
        )
        run = folder / "run-0"
        with served(folder) as server, (run / ".lock").open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            page.goto(server.link)
            tell(
                "a run opened to its map, 10,000 files",
                f"{median(lambda: map_of(page, server.address)):.2f} s",
                "under 1",
            )
            tell(
                "one redraw, 10,000 files, 200 on the front",
                f"{median(lambda: redraw_of(page)):.0f} ms",
                "under 100",
            )
            tell(
                "Pause, clicked to asked", f"{median(lambda: stop_of(page, run)):.2f} s", "under 1"
            )
        tell("memory of the server, ten runs", f"{memory(page, folder):.0f} MB", "under 300")
        tell("lines of script", f"{lines_of_script():,}", "under 2,000")


if __name__ == "__main__":
    main()
