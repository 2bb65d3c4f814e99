"""Sensitivity study of the genetic algorithm for microaggregation on a user's own file."""

import csv
import io
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evomask.data.partition import within_sum_of_squares
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.io.files import write_text
from evomask.kernels.groups.exact import optimum
from evomask.kernels.groups.mdav import mdav
from evomask.runs.figures import make_folder, write_study
from evomask.runs.inputs import Input, check_stated, load
from evomask.searches.partition.genome import embed
from evomask.types import Points
from evomask_papers.partition.genetic import EXACT
from evomask_papers.partition.sensitivity import (
    FactorialDesign,
    SensitivityStudy,
    Trial,
    trials,
)

TRIALS = "trials.csv"
REPORT_SECONDS = 5.0
"""Seconds between progress messages."""


@dataclass(frozen=True)
class StudyJob:
    """What to study.

    Args:
        attributes: attributes of the partition; by default all quasi-identifiers.
        jointly: whether values are compared by the error of the model of all parameters.
        out: folder for data, runs and charts.
    """

    source: Input
    k: int
    design: FactorialDesign
    attributes: tuple[str, ...] = ()
    jointly: bool = False
    out: Path | None = None
    seed: int | None = None
    force: bool = False


@dataclass(frozen=True, eq=False)
class OwnStudy:
    """A sensitivity study of one file.

    Args:
        mdav: sum of squares of MDAV, for comparison. written: paths of files.
    """

    records: int
    k: int
    attributes: tuple[str, ...]
    mdav: float
    found: SensitivityStudy
    seed: int
    notes: tuple[str, ...]
    written: tuple[str, ...] = ()

    @property
    def as_json(self) -> dict[str, Any]:
        return {
            "records": self.records,
            "k": self.k,
            "attributes": list(self.attributes),
            "mdav": self.mdav,
            "seed": self.seed,
            **self.found.as_json,
            "written": list(self.written),
            "notes": list(self.notes),
        }


def parse_values(name: str, text: str, kind: type[int] | type[float]) -> tuple[Any, ...]:
    """Parse a list of numbers, V,V,V."""
    try:
        return tuple(kind(part) for part in text.split(",") if part.strip())
    except ValueError:
        what = "whole numbers" if kind is int else "numbers"
        raise ParameterError(f"{name} must be {what} as V,V,V, got {text!r}") from None


def study_file(job: StudyJob, watch: Callable[[str], None]) -> OwnStudy:
    """Run the design on a file; results are written after the last run."""
    if job.out is not None and (job.out / TRIALS).exists() and not job.force:
        raise ParameterError(f"{job.out} holds a study; choose another folder or add --force")
    loaded = load(job.source)
    check_stated(loaded.table, (*loaded.stated, *job.attributes))
    names = job.attributes or loaded.table.schema.quasi_identifiers
    points = _points(loaded.table, names, job.k)
    seed = secrets.randbits(63) if job.seed is None else job.seed
    found = SensitivityStudy.of(_run_trials(points, job, seed, watch), jointly=job.jointly)
    alone = within_sum_of_squares(points, mdav(points, job.k))
    study = OwnStudy(len(points), job.k, names, alone, found, seed, loaded.notes)
    if job.out is None:
        return study
    charts = write_study(study.as_json, found.charts, job.out)
    path = make_folder(job.out) / TRIALS
    write_text(path, _trials_text(found.trials), force=True)
    return replace(study, written=(*charts, str(path)))


def _points(table: Table, names: tuple[str, ...], k: int) -> Points:
    if k < 2:
        raise ParameterError(f"k must be at least 2, got {k}")
    points = embed(table, names)
    if len(points) < 2 * k:
        raise ParameterError(
            f"a study with k = {k} needs {2 * k} records or more, got {len(points)}; "
            "use a smaller k"
        )
    return points


def _run_trials(
    points: Points, job: StudyJob, seed: int, watch: Callable[[str], None]
) -> list[Trial]:
    proven = within_sum_of_squares(points, optimum(points, job.k)) if len(points) <= EXACT else 0.0
    total = job.design.trials
    made: list[Trial] = []
    started = reported = time.perf_counter()
    for trial in trials(points, job.k, job.design, seed, proven):
        made.append(trial)
        now = time.perf_counter()
        if now - reported >= REPORT_SECONDS:
            left = (now - started) / len(made) * (total - len(made))
            watch(f"{len(made)} of {total} runs, about {left / 60:.1f} minutes left")
            reported = now
    return made


def _trials_text(made: Sequence[Trial]) -> str:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(Trial._fields)
    rows.writerows(made)
    return text.getvalue()
