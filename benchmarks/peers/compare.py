"""What users would pick instead, side by side: the same work, one machine, one run.

``make bench-peers`` installs the peers, each into an environment of its own, and runs this;
``python benchmarks/peers/compare.py --mdav 1000,20000 --adult 30162`` asks for other sizes.
Times are CPU seconds of the work itself, told as ratios. Reference data through EVOMASK_DATA.
"""

import argparse
import json
import os
import platform
import tempfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

from alternatives import alternatives
from outside import figures, outside_rows
from page import write_page
from roster import OURS, PEERS, ROOT, Failed, ask, peer
from works import WORKS, Work

from evomask.errors import FileError

SIZES = {
    "mdav": (1_000, 10_000, 100_000, 1_000_000), "univariate": (100_000, 1_000_000),
    "mondrian": (2_000, 30_162), "recoding": (2_000, 30_162),
    "suppression": (4_580,), "pram": (4_580,), "k": (30_162,), "l": (30_162,), "t": (2_000,),
    "linkage": (300,),
}  # fmt: skip
SMALL = {
    "mdav": (200,), "univariate": (2_000,), "mondrian": (300,), "recoding": (500,),
    "suppression": (300,), "pram": (300,), "k": (300,), "l": (300,), "t": (300,),
    "linkage": (60,),
}  # fmt: skip
MAIN = (2_000, 30_162, 100_000)
Row = dict[str, Any]


def compared(work: Work, size: int, limit: float, failed: set[str]) -> Iterator[Row]:
    """A row for us and for each peer that does this work; who failed before is not asked again."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        task = work.make(size, folder)
        for one in PEERS:
            if work.name in one.does and one.name not in failed:
                row: Row = {"work": work.name, "title": work.title, "size": size, "peer": one.name}
                try:
                    answer = ask(one, work.name, task, folder, limit)
                except Failed as failure:
                    failed.add(one.name)
                    yield {**row, "failed": str(failure)}
                    continue
                told = {key: answer[key] for key in ("seconds", "wall", "peak_mb", "version")}
                yield {**row, **told, "quality": work.judge(task, answer)}


def all_rows(sizes: Mapping[str, tuple[int, ...]], limit: float) -> Iterator[Row]:
    """Every work at every size; a work whose data are not here is told and left out."""
    for work in WORKS:
        failed: set[str] = set()
        for size in sorted(sizes.get(work.name, ())):
            try:
                for row in chain(
                    compared(work, size, limit, failed), outside_rows(work, size, limit)
                ):
                    print(told(row), flush=True)
                    yield row
            except FileError as missing:
                yield {"work": work.name, "title": work.title, "size": size, "peer": OURS,
                       "failed": str(missing)}  # fmt: skip


def told(row: Row) -> str:
    """A row for the terminal."""
    start = f"{row['work']:12}{row['size']:>9,}  {row['peer']:20}"
    if "failed" in row:
        return f"{start} failed: {row['failed']}"
    quality = ", ".join(f"{name} {value:.4g}" for name, value in row["quality"].items())
    return f"{start} {row['seconds']:9.4f} s CPU  {row.get('peak_mb', 0):6.0f} MB  {quality}"


def machine() -> dict[str, str]:
    """What the figures were measured on; no names of hosts or people."""
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "evomask": version("evomask"),
        "date": datetime.now(UTC).date().isoformat(),
        "load": f"{os.getloadavg()[0]:.0f}",
    }


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or "unknown"


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(",") if part)


def asked() -> argparse.Namespace:
    """Sizes of each work, limits, and where to write."""
    parser = argparse.ArgumentParser(description=__doc__)
    for work in WORKS:
        parser.add_argument(f"--{work.name}", type=_sizes, help=f"records: {work.title}")
    parser.add_argument("--only", default="", help="works, by name; none of them: main alone")
    parser.add_argument("--small", action="store_true", help="all at sizes of a few seconds")
    parser.add_argument(
        "--main", type=_sizes, default=MAIN, help="records of the main job; 0: none"
    )
    parser.add_argument("--seconds", type=float, default=120.0, help="given to the main job")
    parser.add_argument("--limit", type=float, default=60.0, help="CPU seconds for an answer")
    parser.add_argument("--add", action="store_true", help="to what was found before, in --out")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "peers")
    parser.add_argument("--docs", type=Path, help="the folder of docs to write the page into")
    return parser.parse_args()


def added(before: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """What was found now, with the works and the main job of before that were not asked again."""
    done = {row["work"] for row in found["rows"]}
    rows = [row for row in before["rows"] if row["work"] not in done]
    kept = [run for run in (*before["earlier"], before) if {*run["works"]} - done]
    about = [{key: run[key] for key in ("machine", "limit", "works")} for run in kept]
    asked = {main["records"] for main in found["main"]}
    mains = [main for main in before["main"] if main["records"] not in asked] + found["main"]
    return {**found, "rows": rows + found["rows"], "main": mains, "earlier": about}


def main() -> None:
    """Ask everybody, keep each answer as it comes, and write the page where it is asked for."""
    wish = asked()
    usual = SMALL if wish.small else SIZES
    only = wish.only.split(",") if wish.only else [work.name for work in WORKS]
    sizes = {name: getattr(wish, name) or usual[name] for name in only if name in usual}
    path = wish.out / "found.json"
    wish.out.mkdir(parents=True, exist_ok=True)
    kept = path.read_text(encoding="utf-8") if wish.add and path.exists() else ""
    found: dict[str, Any] = {
        "machine": machine(),
        "limit": f"{wish.limit:g} CPU seconds",
        "works": list(sizes),
        "earlier": [],
        "absent": {one.name: one.absence for one in PEERS if one.absence},
        "peers": {one.name: one.about for one in PEERS if one is not peer(OURS)},
        "rows": [],
        "main": [],
        "figures": figures(),
    }

    def keep() -> None:
        whole = added(json.loads(kept), found) if kept else found
        path.write_text(json.dumps(whole, indent=1), encoding="utf-8")

    for row in all_rows(sizes, wish.limit):
        found["rows"].append(row)
        keep()
    for records in filter(None, wish.main):
        found["main"].append(alternatives(records, wish.seconds, wish.limit))
        keep()
    if wish.docs:
        write_page(json.loads(path.read_text(encoding="utf-8")), wish.docs)


if __name__ == "__main__":
    main()
