"""Campaigns of hostile tests on the code as it is; results go into docs/reliability.md.

    python benchmarks/campaigns.py                      # all that is left to do on this commit
    python benchmarks/campaigns.py --list               # what there is, and what is left
    python benchmarks/campaigns.py --only kills damage  # some of them
    python benchmarks/campaigns.py --seconds 1800       # begin no portion after half an hour

A campaign consists of portions. A finished portion is remembered in build/campaigns.json by the
last commit that changed code or tests, so an interrupted script goes on where it was; the page is
written after each portion. Uncommitted changes of code or tests are refused: no commit would have
those results. What needs an environment of its own is left out where that is missing, and the page
says so; `make campaigns` makes these environments first.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict

ROOT = Path(__file__).parents[1]
STATE = ROOT / "build" / "campaigns.json"
OUTPUT = ROOT / "build" / "campaigns"
PAGE = ROOT / "docs" / "reliability.md"
BEGIN, END = "<!-- campaigns -->", "<!-- end of campaigns -->"
FUZZER = ROOT / ".venv-fuzz" / "bin" / "python"
ASKING = ROOT / ".venv-schemathesis" / "bin" / "st"
READERS = ("table", "schema", "tree", "matrix", "graph", "plan", "journal", "events", "rule")


@dataclass(frozen=True)
class Campaign:
    """A series of hostile tests.

    Args:
        what: for the page. size: cases of one portion. portions: arguments of each portion.
        program: called with the arguments; pytest unless told otherwise.
        needs: a file without which the campaign is left out.
        counted: pattern of the number of cases in the output, where chance or time decides it.
    """

    what: str
    size: int
    portions: tuple[tuple[str, ...], ...]
    program: tuple[str, ...] = (sys.executable, "-m", "pytest", "-q", "-n", "0", "-s")
    needs: Path | None = None
    counted: str = ""
    environment: tuple[tuple[str, str], ...] = (("EVOMASK_TESTS", "thorough"),)


class Portion(TypedDict):
    """Result of a portion."""

    cases: int
    failed: bool
    seconds: float


def cases(test: str, numbers: Iterable[object]) -> tuple[str, ...]:
    return tuple(f"tests/{test}[{number}]" for number in numbers)


def one_each(test: str, numbers: Iterable[object]) -> tuple[tuple[str, ...], ...]:
    return tuple((case,) for case in cases(test, numbers))


CAMPAIGNS: Mapping[str, Campaign] = {
    "written": Campaign(
        "random files written by every method and every search: k, l and t in the bytes", 50,
        one_each("releases/test_written_files.py::"
                 "test_a_thousand_written_files_fulfil_what_is_asked", range(0, 1000, 50)),
    ),
    "elsewhere": Campaign(
        "the same in packed text, workbooks, streams and parts", 20,
        one_each("releases/test_written_elsewhere.py::"
                 "test_more_files_written_in_other_ways_fulfil_what_is_asked",
                 range(1000, 1120, 20)),
    ),
    "leaks": Campaign(
        "public records attacked for a planted person", 200,
        (("tests/releases/test_leaks.py", "-k", "two_hundred_files"),),
    ),
    "kills": Campaign(
        "`kill -9` of protect, choose, report and resume", 20,
        one_each("releases/test_killed_releases.py::"
                 "test_killed_at_two_hundred_moments_a_whole_release_is_left",
                 range(1000, 1200, 20)),
    ),
    "left-behind": Campaign(
        "`kill -9` of commands: records in files for temporary use", 20,
        one_each("hostile/test_left_behind.py::test_a_killed_command_leaves_no_record_behind",
                 range(20, 120, 20)),
    ),
    "terminated": Campaign(
        "SIGTERM at random moments of every kind of command", 10,
        one_each("hostile/test_left_behind.py::test_a_terminated_command_ends_soon_and_cleanly",
                 range(10, 60, 10)),
    ),
    "workers": Campaign(
        "tasks of which a third kill their worker: the same bytes", 300,
        (cases("execution/test_local.py::"
               "test_killed_workers_are_replaced_and_the_bytes_are_the_same", [300]),),
    ),
    "damage": Campaign(
        "damaged files of a run: named by `verify`, a sentence elsewhere", 50,
        tuple(cases("hostile/test_damage.py::"
                    "test_a_damaged_file_of_a_run_is_noticed_and_never_a_traceback",
                    range(first, first + 50)) for first in range(0, 500, 50)),
    ),
    "fuzzing": Campaign(
        "fuzzed inputs of every command that reads", 2000,
        tuple(("tests/hostile/test_fuzzing.py", "-k", f"[{n}]") for n in range(1, 51)),
    ),
    "atheris": Campaign(
        "coverage-guided fuzzing, ten minutes for each reader", 0,
        tuple(("tests/fuzz/readers.py", name, "-max_total_time=600") for name in READERS),
        (str(FUZZER),), FUZZER, r"Done (\d+) runs",
    ),
    "interface": Campaign(
        "requests of schemathesis to the server's interface", 0,
        (("-m", "browser", "tests/browser/test_schema.py"),),
        needs=ASKING, counted=r"(\d+) generated",
        environment=(("EVOMASK_EXAMPLES", "250"),),
    ),
}  # fmt: skip


def git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def made(campaign: Campaign, number: int, name: str) -> Portion:
    """Run one portion; its output is in build/campaigns."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    began, output = time.monotonic(), OUTPUT / f"{name}-{number}.txt"
    with output.open("w", encoding="utf-8") as file:
        code = subprocess.run(
            [*campaign.program, *campaign.portions[number]],
            cwd=ROOT, stdout=file, stderr=subprocess.STDOUT, check=False,
            env=os.environ | dict(campaign.environment),
        ).returncode  # fmt: skip
    found = re.findall(campaign.counted, output.read_text("utf-8")) if campaign.counted else []
    count = sum(map(int, found)) if campaign.counted else campaign.size
    return {"cases": count, "failed": code != 0, "seconds": time.monotonic() - began}


def table(commit: str, results: Mapping[str, Mapping[str, Portion]]) -> str:
    """The section of the page."""
    lines = [
        f"On commit {commit}, {datetime.now(UTC):%Y-%m-%d}, by `python benchmarks/campaigns.py`:",
        "",
        "| campaign | cases | portions | failed | minutes |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, campaign in CAMPAIGNS.items():
        done = list(results.get(name, {}).values())
        if done:
            lines.append(
                f"| {name}: {campaign.what} | {sum(p['cases'] for p in done):,} | {len(done)} of "
                f"{len(campaign.portions)} | {sum(p['failed'] for p in done)} | "
                f"{sum(p['seconds'] for p in done) / 60:.1f} |"
            )
    missing = [name for name in CAMPAIGNS if not results.get(name)]
    text = f"\nNot run on this commit: {', '.join(missing)}." if missing else ""
    return "\n".join([*lines, text]).rstrip()


def write_page(commit: str, results: Mapping[str, Mapping[str, Portion]]) -> None:
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{table(commit, results)}\n{END}{after}", "utf-8")


def main() -> None:
    """Run what is left of the campaigns."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", nargs="+", choices=list(CAMPAIGNS), default=list(CAMPAIGNS))
    parser.add_argument("--portions", type=int, help="portions of each campaign, at most")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--list", action="store_true")
    asked = parser.parse_args()
    if git("status", "--porcelain", "src", "tests", "pyproject.toml") and not asked.list:
        sys.exit("commit the changes first: results belong to a commit")
    commit = git("log", "-1", "--format=%h", "--", "src", "tests", "pyproject.toml")
    end = time.monotonic() + asked.seconds
    state: dict[str, dict[str, dict[str, Portion]]] = (
        json.loads(STATE.read_text("utf-8")) if STATE.exists() else {}
    )
    results = state.setdefault(commit, {})
    for name in asked.only:
        campaign, done = CAMPAIGNS[name], results.setdefault(name, {})
        if campaign.needs and not campaign.needs.exists():
            print(f"{name}: left out, {campaign.needs.relative_to(ROOT)} is not here")
            continue
        left = [n for n in range(len(campaign.portions)) if str(n) not in done]
        print(f"{name}: {len(left)} of {len(campaign.portions)} portions are left", flush=True)
        for number in () if asked.list else left[: asked.portions]:
            if time.monotonic() > end:
                return
            done[str(number)] = made(campaign, number, name)
            STATE.write_text(json.dumps(state), "utf-8")
            write_page(commit, results)
            print(f"  {number}: {done[str(number)]}", flush=True)


if __name__ == "__main__":
    main()
