"""The main job: a file in, a front of protected files, one of them written.

Every masking method that fits the file is tried with many parameters, repaired to what is
required, and measured. What nothing else beats in both loss and risk is the front; the
balanced point of it, whose larger part is smallest, is released.
"""

import hashlib
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from evomask.data.schema import Role, Schema
from evomask.data.table import Table
from evomask.errors import RunError
from evomask.evolution.dominance import non_dominated_ranks
from evomask.execution.local import evaluator
from evomask.io.dialects import Dialect
from evomask.io.tables import Written, write_table
from evomask.masking.grid import Described, first_population
from evomask.measures.catalogue import applicable
from evomask.measures.measure import Reading
from evomask.measures.profiles import profile
from evomask.runs.inputs import Input, load
from evomask.runs.preparation import load_kernels
from evomask.runs.requirements import NOTHING, Requirement

Watch = Callable[["Progress"], None]


@dataclass(frozen=True)
class ProtectJob:
    """What to protect, and what is asked of the result.

    Args:
        folder: where the masked file, the front and the report go; it must be new or empty.
        seconds: how long methods are tried; all of the grid where there is no limit.
        seed: drawn from the system when absent, and kept in the folder only.
    """

    source: Input
    folder: Path
    requirement: Requirement = NOTHING
    profile: str = "strict"
    seconds: float | None = None
    seed: int | None = None


@dataclass(frozen=True)
class Candidate:
    """One protected file: how it was made, and its loss and risk in percent."""

    number: int
    description: str
    loss: float
    risk: float

    @property
    def worst(self) -> float:
        """The larger of loss and risk."""
        return max(self.loss, self.risk)

    def as_point(self) -> dict[str, object]:
        """What users see of it."""
        return {
            "point": self.number,
            "search": "grid",
            "method": self.description,
            "loss": self.loss,
            "risk": self.risk,
            "score": self.worst,
        }


@dataclass(frozen=True)
class Progress:
    """How far the job is."""

    tried: int
    of: int
    best: Candidate


@dataclass(frozen=True)
class Protected:
    """All that came of a job, and what a report needs."""

    job: ProtectJob
    schema: Schema
    seed: int
    sha256: str
    records: int
    original: Candidate
    candidates: tuple[Candidate, ...]
    front: tuple[Candidate, ...]
    chosen: Candidate
    measures: Mapping[str, float]
    written: Written
    seconds: float
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Workshop:
    """Makes and measures any candidate by its number: the same file for the same seed."""

    table: Table
    requirement: Requirement
    profile: str
    seed: int

    @cached_property
    def methods(self) -> tuple[Described, ...]:
        """Every method of the grid with its parameters."""
        return tuple(first_population(self.table))

    @cached_property
    def readings(self) -> tuple[Reading, Reading]:
        """Loss and risk against the original."""
        pair = profile(self.profile)
        names = self.table.schema.quasi_identifiers
        return pair.loss(names).against(self.table), pair.risk(names).against(self.table)

    def masked(self, number: int) -> Table:
        """The protected file of one candidate, repaired to what is required."""
        method, _ = self.methods[number]
        rng = np.random.default_rng([self.seed, 1, number])
        return self.repaired(method.mask(self.table, rng))

    def repaired(self, masked: Table) -> Table:
        """The same file, brought to fulfil the requirement."""
        if not self.requirement.asks_anything:
            return masked
        rng = np.random.default_rng([self.seed, 1])
        return self.requirement.repair(self.table).mask(masked, rng)

    def measured(self, number: int, masked: Table, description: str) -> Candidate:
        """Loss and risk of a file."""
        loss, risk = self.readings
        return Candidate(number, description, loss(masked), risk(masked))

    def __call__(self, task: int, serial: int) -> Candidate:
        """Make and measure candidate number *task*."""
        return self.measured(task, self.masked(task), self.methods[task][1])


def protect_file(
    job: ProtectJob,
    *,
    workers: int = 1,
    watch: Watch | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Protected:
    """Find the front of protected files, write the balanced one and what is known of it."""
    loaded = load(job.source)
    seed = secrets.randbits(63) if job.seed is None else job.seed
    shop = Workshop(loaded.table, job.requirement, job.profile, seed)
    load_kernels(tell)
    shop.repaired(loaded.table)
    _claim(job.folder)
    started = time.monotonic()
    candidates = _tried(shop, job, workers, watch, started)
    front = front_of(candidates)
    chosen = min(front, key=lambda one: (one.worst, one.loss, one.number))
    masked = shop.masked(chosen.number)
    return Protected(
        replace(job, seed=seed),
        loaded.table.schema,
        seed,
        hashlib.sha256(job.source.path.read_bytes()).hexdigest(),
        len(loaded.table),
        shop.measured(-1, loaded.table, "the original file"),
        candidates,
        front,
        chosen,
        _every_measure(loaded.table, masked),
        _release(masked, job, seed, loaded.dialect),
        time.monotonic() - started,
        (*loaded.notes, *_about_schema(loaded.table.schema)),
    )


def front_of(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """What nothing else beats in both loss and risk, by loss; equals appear once."""
    pairs = np.array([[one.loss, one.risk] for one in candidates])
    ranks = non_dominated_ranks(pairs)
    best = sorted((c for c, rank in zip(candidates, ranks, strict=True) if rank == 0), key=_by_loss)
    shown = {(f"{one.loss:.2f}", f"{one.risk:.2f}"): one for one in reversed(best)}
    return tuple(reversed(shown.values()))


def _by_loss(one: Candidate) -> tuple[float, float, int]:
    return one.loss, one.risk, one.number


def _claim(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RunError(f"{folder} is not empty; choose another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)
    except OSError as error:
        raise RunError(f"{folder} cannot be made: {error.strerror or error}") from None


def _tried(
    shop: Workshop, job: ProtectJob, workers: int, watch: Watch | None, started: float
) -> tuple[Candidate, ...]:
    """Candidates in an order that mixes all methods, until all are done or time is up."""
    order = np.random.default_rng([shop.seed, 0]).permutation(len(shop.methods)).tolist()
    found: list[Candidate] = []
    with evaluator(shop, workers) as work:
        while len(found) < len(order):
            late = job.seconds is not None and time.monotonic() - started >= job.seconds
            if late and found:
                break
            batch = order[len(found) : len(found) + workers]
            found += work(batch, first=len(found))
            if watch:
                watch(Progress(len(found), len(order), min(found, key=lambda one: one.worst)))
    return tuple(found)


def _every_measure(original: Table, masked: Table) -> dict[str, float]:
    names = original.schema.quasi_identifiers
    measures = applicable(original.schema, names, len(original))
    return {name: measure.against(original)(masked) for name, measure in measures.items()}


def _release(masked: Table, job: ProtectJob, seed: int, dialect: Dialect | None) -> Written:
    """Write the records in random order; how they were shuffled stays in the folder."""
    order = np.random.default_rng([seed, 3]).permutation(len(masked))
    np.save(job.folder / "order.npy", order, allow_pickle=False)
    folder = job.folder / "masked"
    folder.mkdir()
    return write_table(masked.take(order), folder / job.source.path.name, dialect=dialect)


def _about_schema(schema: Schema) -> tuple[str, ...]:
    identifiers = schema.with_role(Role.IDENTIFIER)
    dropped = (f"identifiers left out: {', '.join(identifiers)}",) if identifiers else ()
    edits = (f"edit rules are not enforced yet: {'; '.join(schema.edits)}",) if schema.edits else ()
    return dropped + edits
