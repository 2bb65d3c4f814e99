"""The engine of `protect`: candidates, first front, hypervolume, shares of evolution, time kept.

    python benchmarks/bench_engine.py [--seconds S] [--case NAME ...] [--former CHECKOUT]

Cases by a part of their names: survey (3,000 x 11, three scenarios), adult (16,281 x 6), large
(100,000 x 6), million (1,000,000 x 6), and three files of numbers that the engine was not tuned
on: tarragona, eia, census. With *--former*, the folder of a checkout of an earlier version, that
version runs on the same inputs with the same seed and budget; its loss and risk are by its own
judge.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

import numpy as np
import polars as pl

from evomask.engine.front import volume_of
from evomask.execution.local import Local
from evomask.io.datasets import reference_file, survey
from evomask.masking.enforce.requirement import Requirement
from evomask.runs.inputs import Input
from evomask.runs.protect import ProtectJob, protect_file
from evomask.runs.store.journal import RoundFinished

SEED, WORKERS, K = 1, 2, 5

REGISTER = "register: municipality, age, sex, household_size"
COLLEAGUE = "colleague: age, sex, occupation, education"
NEIGHBOUR = "neighbour: municipality, sex, marital, household_size"
SURVEYED = (
    "municipality", "sex", "marital", "occupation", "household_size", "age", "education", "area",
    "wage", "other_income", "income",
)  # fmt: skip
ADULT = ("age", "workclass", "education", "marital-status", "race", "sex")


@dataclass(frozen=True)
class Case:
    """A file, what is asked of it, and seconds.

    Args:
        words: options of the command line, for the earlier version.
    """

    name: str
    frame: Callable[[], pl.DataFrame]
    quasi: tuple[str, ...]
    confidential: tuple[str, ...]
    nominal: tuple[str, ...]
    ordinal: tuple[str, ...]
    seconds: float
    scenarios: tuple[str, ...] = ()

    @property
    def words(self) -> list[str]:
        options = {
            "--quasi": self.quasi, "--confidential": self.confidential,
            "--nominal": self.nominal, "--ordinal": self.ordinal,
        }  # fmt: skip
        words = [word for name, own in options.items() if own for word in (name, ",".join(own))]
        return [*words, *(word for one in self.scenarios for word in ("--scenario", one))]

    def input(self, path: Path) -> Input:
        return Input(
            path, None, self.quasi, self.confidential, (), self.ordinal, self.nominal,
            scenarios=self.scenarios,
        )  # fmt: skip


def surveyed() -> pl.DataFrame:
    return survey().select(*SURVEYED, "health")


def adult(records: int) -> pl.DataFrame:
    frame = pl.read_csv(reference_file("uci/adult.csv")).select(*ADULT, "occupation")
    if records <= len(frame):
        return frame.sample(records, seed=SEED, shuffle=True)
    return frame.sample(records, seed=SEED, shuffle=True, with_replacement=True).with_columns(
        (pl.col("age") + pl.Series(np.random.default_rng(SEED).integers(-2, 3, records))).abs()
    )


def numbers(name: str) -> Callable[[], pl.DataFrame]:
    """The first ten columns of a file of numbers."""

    def read() -> pl.DataFrame:
        frame = pl.read_csv(reference_file(name))
        return frame.select([c for c in frame.columns if frame[c].dtype.is_numeric()][:10])

    return read


CATEGORIES = ("workclass", "marital-status", "race", "sex")


def cases() -> list[Case]:
    found = [
        Case("survey", surveyed, SURVEYED, ("health",),
             ("municipality", "sex", "marital", "occupation"), ("household_size", "education"),
             60.0, (REGISTER, COLLEAGUE, NEIGHBOUR))
    ]  # fmt: skip
    for name, records, seconds in (
        ("adult", 16_281, 60.0), ("large", 100_000, 120.0), ("million", 1_000_000, 300.0),
    ):  # fmt: skip
        found.append(
            Case(name, partial(adult, records), ADULT, ("occupation",), CATEGORIES,
                 ("education",), seconds)
        )  # fmt: skip
    for name, path in (
        ("tarragona", "casc/tarragona.csv"), ("eia", "casc/eia.csv"), ("census", "casc/census.csv"),
    ):  # fmt: skip
        read = numbers(path)
        found.append(Case(name, read, tuple(read().columns), (), (), (), 60.0))
    return found


def run(case: Case, seconds: float, folder: Path) -> dict[str, object]:
    """Figures of one run."""
    path = folder / f"{case.name}.csv"
    case.frame().write_csv(path)
    first: list[float] = []
    began = time.monotonic()

    def watch(event: object) -> None:
        if isinstance(event, RoundFinished) and event.front and not first:
            first.append(time.monotonic() - began)

    cpu = _cpu_seconds()
    job = ProtectJob(case.input(path), folder / "run", Requirement(K), seconds=seconds, seed=SEED)
    done = protect_file(job, evaluators=Local(WORKERS), watch=watch, began=began)
    wall = time.monotonic() - began
    state = done.protection.state
    made = Counter(point.search for point in state.front)
    chosen = done.chosen
    return {
        "candidates": state.born,
        "evaluations": state.evaluations,
        "whole files": len(state.candidates),
        "first front, s": round(first[0], 1) if first else None,
        "wall, s": round(wall, 1),
        "cores used": round((_cpu_seconds() - cpu) / wall, 2),
        "hypervolume": round(state.volume, 2),
        "points": len(state.front),
        "evolved, %": round(100 - 100 * made["design"] / max(1, len(state.front))),
        "least loss at risk 10, 5": [_least(state.front, 10.0), _least(state.front, 5.0)],
        "suggested": [round(chosen.loss, 1), round(chosen.risk, 1), chosen.search],
    }


def _least(front: Sequence[object], risk: float) -> float | None:
    losses = [point.loss for point in front if point.risk <= risk]  # type: ignore[attr-defined]
    return round(min(losses), 1) if losses else None


def _cpu_seconds() -> float:
    return sum(
        used.ru_utime + used.ru_stime for used in map(getrusage, (RUSAGE_SELF, RUSAGE_CHILDREN))
    )


def former(case: Case, seconds: float, folder: Path, checkout: Path) -> dict[str, object]:
    """Figures of an earlier version, by its own judge."""
    out = folder / "former"
    words = [
        sys.executable, "-m", "evomask", "protect", str(folder / f"{case.name}.csv"), "--out",
        str(out), "--require", f"k={K}", "--seconds", str(seconds), "--seed", str(SEED),
        "--workers", str(WORKERS), "--accept-proposal", "--quiet", "--json", *case.words,
    ]  # fmt: skip
    began = time.monotonic()
    done = subprocess.run(
        words, env={"PYTHONPATH": str(checkout / "src"), "PATH": "/usr/bin:/bin", "HOME": "/tmp"},
        capture_output=True, text=True, check=False, cwd=folder,
    )  # fmt: skip
    if done.returncode:
        return {"error": done.stderr[-300:]}
    front = pl.read_parquet(out / "front.parquet")
    points = [_Point(*row) for row in front.select("loss", "risk").iter_rows()]
    grid = front.filter(pl.col("search").is_in(["grid", "design"]))
    return {
        "wall, s": round(time.monotonic() - began, 1),
        "hypervolume": round(volume_of(points), 2),  # type: ignore[arg-type]
        "points": len(points),
        "evolved, %": round(100 - 100 * len(grid) / max(1, len(points))),
        "least loss at risk 10, 5": [_least(points, 10.0), _least(points, 5.0)],
    }


@dataclass(frozen=True)
class _Point:
    loss: float
    risk: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--case", nargs="*", default=[])
    parser.add_argument("--former", type=Path)
    asked = parser.parse_args()
    for case in cases():
        if asked.case and case.name not in asked.case:
            continue
        seconds = asked.seconds or case.seconds
        with tempfile.TemporaryDirectory() as text:
            folder = Path(text)
            print(case.name, json.dumps(run(case, seconds, folder)), flush=True)
            if asked.former:
                print(
                    "  former", json.dumps(former(case, seconds, folder, asked.former)), flush=True
                )


if __name__ == "__main__":
    main()
