"""The job of masking a file that does not fit in memory, with one method, part by part."""

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from evomask.data.hierarchy import Hierarchy, all_fitted, fitted
from evomask.errors import ParameterError, SchemaError
from evomask.evolution.streams import working_stream
from evomask.execution.evaluator import Evaluators
from evomask.execution.local import Local
from evomask.io.parts import Alike, Parts, part_name, with_masked, write_part
from evomask.masking.catalogue import METHODS, MethodEntry, method_named
from evomask.masking.method import Fitting, MaskingMethod
from evomask.masking.microaggregation.mdav import Mdav
from evomask.runs.inputs import Input
from evomask.runs.notes import note_on_seed
from evomask.runs.parts.closing import Promised, closed
from evomask.runs.parts.microaggregation import Aggregated, microaggregated
from evomask.runs.parts.opening import Opened, Overview, all_values, asked_for, opened, surveyed
from evomask.runs.parts.steps import MASKED, Result, Step, Told, carried_out


@dataclass(frozen=True)
class PartsJob:
    """What to mask, how, and the folder that the parts are written to.

    Args:
        attributes: what to mask; by default the quasi-identifiers that the method can mask.
        options: the method's parameters as text, by name.
        seed: drawn from the system when absent, and kept in the folder only.
    """

    source: Input
    method: str
    out: Path
    options: Mapping[str, str] = field(default_factory=dict)
    attributes: tuple[str, ...] = ()
    seed: int | None = None


@dataclass(frozen=True)
class PartsOutcome:
    """What came of a job on parts.

    Args:
        alike: how many records look alike on the masked attributes, counted in what was written.
    """

    method: str
    out: Path
    records: int
    parts: int
    seconds: float
    attributes: tuple[str, ...]
    alike: Alike
    aggregation: Aggregated | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Masking:
    """Masks one part with a method that knows of the whole file all that it needs."""

    parts: Parts
    overview: Overview
    method: MaskingMethod
    folder: str
    seed: int
    dropped: tuple[str, ...]

    def __call__(self, number: int) -> Result:
        """The part as it is released, and its hash."""
        table = self.parts.table(number, self.overview.declared)
        masked = self.method.mask(table, working_stream(self.seed, number))
        frame = with_masked(self.parts.read(number), masked, self.dropped)
        file = f"{MASKED}/{part_name(number)}"
        written = write_part(frame, Path(self.folder) / file)
        return {"records": len(frame), "file": file, "sha256": written}


def mask_parts(
    job: PartsJob, *, evaluators: Evaluators = Local(), told: Told = lambda *_: None
) -> PartsOutcome:
    """Mask a large file; begun work goes on, and a part that is written is not made again."""
    began = time.perf_counter()
    method_named(job.method)
    settings = {"method": job.method, "options": dict(job.options), "names": job.attributes}
    seed = secrets.randbits(63) if job.seed is None else job.seed
    with opened(job.source, job.out, settings, seed, job=asked_for("mask", job)) as file:
        done = _masked(job, file, evaluators, told)
    return replace(done, seconds=time.perf_counter() - began)


def _masked(job: PartsJob, file: Opened, evaluators: Evaluators, told: Told) -> PartsOutcome:
    entry = method_named(job.method)
    names = job.attributes or _suitable(entry, file)
    trial = entry.build(names, job.options, _trees(entry, file, None))
    _check_able(trial, job.method)
    declared = {name: file.declaration(name) for name in names}
    overview = surveyed(file, declared, evaluators, told)
    aggregation = None
    if isinstance(trial, Mdav):
        aggregation = microaggregated(file, overview, names, trial.k, evaluators, told)
    else:
        method = entry.build(names, job.options, _trees(entry, file, overview))
        _mask(file, overview, method, evaluators, told)
    alike = closed(file, Promised(names, trial.k if isinstance(trial, Mdav) else 1))
    return PartsOutcome(
        job.method, job.out, alike.records, len(file.parts), 0.0, names, alike, aggregation,
        (*file.notes, *note_on_seed(file.seed)),
    )  # fmt: skip


def _mask(
    file: Opened, overview: Overview, method: MaskingMethod, evaluators: Evaluators, told: Told
) -> None:
    ready = method.fitted(overview.statistics) if isinstance(method, Fitting) else method
    make = Masking(file.parts, overview, ready, str(file.folder), file.seed, file.dropped)
    carried_out(Step(str(file.folder), "mask", make), len(file.parts), evaluators, told)


def _suitable(entry: MethodEntry, file: Opened) -> tuple[str, ...]:
    known = file.schema.quasi_identifiers
    names = tuple(name for name in known if file.schema[name].kind in entry.kinds)
    if not names:
        raise SchemaError(
            f"{entry.name} masks {' or '.join(sorted(entry.kinds))} attributes, and no "
            "quasi-identifier is one; name one with --attributes or choose another method"
        )
    return names


def _trees(
    entry: MethodEntry, file: Opened, overview: Overview | None
) -> dict[str, dict[str, Hierarchy]]:
    """Value trees that a method takes: over the categories of all parts, once they are known."""
    if "hierarchies" not in entry.from_files:
        return {}
    if overview is None:
        return {"hierarchies": all_fitted(file.trees, file.first)}
    own = [attribute for attribute in overview.attributes if attribute.name in file.trees]
    return {"hierarchies": {a.name: fitted(a.name, file.trees[a.name], all_values(a)) for a in own}}


def _check_able(method: object, name: str) -> None:
    if not isinstance(method, Mdav | Fitting):
        raise ParameterError(
            f"{name} needs the whole file at once; of files in parts use {_able()}"
        )


def _able() -> str:
    """The methods that work part by part."""
    return ", ".join(e.name for e in METHODS if hasattr(e.method, "fitted") or e.method is Mdav)
