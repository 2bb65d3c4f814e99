"""A release: the chosen file in random order, its record and both reports, as one thing."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from evomask.arrays import Indices
from evomask.errors import RunError
from evomask.evolution.streams import order_stream
from evomask.io.files import replace_file
from evomask.io.tables import Written, released_name, write_table
from evomask.portfolio.front import UNBOUNDED, Bounds, Candidate
from evomask.record.protection import Choice, Protection
from evomask.record.record import FileNote, PointsNote, ReleaseRecord, still_said
from evomask.record.recording import points_of, record_of
from evomask.runs.inputs import Loaded
from evomask.runs.kept.plan import Plan
from evomask.runs.report import Reports, load_record, write_reports

MASKED, ORDER, IN_MEMORY = "masked", "order.npy", "data frame"


@dataclass(frozen=True, eq=False)
class Release:
    """What was released of a protection, and all that was written of it.

    Args:
        protection: what was found, and what is known of it.
        choice: which point, and why.
        written: the masked file.
        folder: where everything is kept.
        phases: seconds that each phase of the run took, all in.
    """

    protection: Protection
    choice: Choice
    written: Written
    record: ReleaseRecord
    reports: Reports
    folder: Path
    phases: Mapping[str, float] = field(default_factory=dict)

    @property
    def chosen(self) -> Candidate:
        """The candidate that was released."""
        return self.choice.candidate


def release(
    protection: Protection, choice: Choice, loaded: Loaded, plan: Plan, folder: Path
) -> Release:
    """Write the chosen file, its record and both reports into the folder of a run.

    What a person said of the same point before stays; of another point only what does not
    hang on the choice.
    """
    written = _write_shuffled(protection, choice.candidate.number, loaded, plan, folder)
    files = (
        FileNote(
            plan.input.path.name,
            plan.sha256["data"],
            len(protection.table),
            len(protection.table.schema),
        ),
        FileNote(written.path.name, _sha256(written.path), written.records, 0),
    )
    record = record_of(
        protection, choice, files, written.suppressed, _parameters(plan), plan.bounds.given
    )
    record = _with_earlier_words(record, folder)
    return Release(protection, choice, written, record, write_reports(record, folder), folder)


def _with_earlier_words(record: ReleaseRecord, folder: Path) -> ReleaseRecord:
    """The record with what a person said in the folder before, where a record is there."""
    try:
        return still_said(record, load_record(folder))
    except RunError:
        return record


def record_without_file(
    protection: Protection, choice: Choice, bounds: Bounds = UNBOUNDED
) -> ReleaseRecord:
    """The record of a protection that was made in memory: there is no file to name."""
    table = protection.table
    released = int((~protection.files(choice.candidate.number).masked.suppressed).sum())
    files = (
        FileNote(IN_MEMORY, "", len(table), len(table.schema)),
        FileNote(IN_MEMORY, "", released, 0),
    )
    return record_of(protection, choice, files, len(table) - released, bounds=bounds.given)


def map_of(protection: Protection, choice: Choice) -> PointsNote:
    """The points of a protection as they stand on the map of loss and risk."""
    return points_of(protection, choice)


def order_of(seed: int, point: int, records: int) -> Indices:
    """The random order in which a point's records are released.

    Every point has an order of its own, so that two released files cannot be put side by side.
    """
    return order_stream(seed, point).permutation(records)


def _write_shuffled(
    protection: Protection, number: int, loaded: Loaded, plan: Plan, folder: Path
) -> Written:
    """Write the records in random order; how they were shuffled stays in the folder."""
    order = order_of(plan.seed, number, len(protection.table))
    replace_file(folder / ORDER, lambda file: np.save(file, order, allow_pickle=False))
    (folder / MASKED).mkdir(exist_ok=True)
    masked = protection.files(number).masked.take(order)
    path = folder / MASKED / released_name(plan.input.path)
    return write_table(masked, path, force=True, dialect=loaded.dialect)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _parameters(plan: Plan) -> dict[str, object]:
    """What the choice and the schema add to the parameters of the search."""
    schema = plan.sha256.get("schema")
    budget = msgspec.to_builtins(plan.budget)
    return {
        "budget": {name: value for name, value in budget.items() if value is not None},
        "picked by": plan.pick,
        **({"schema sha256": schema} if schema else {}),
        **({"keep": msgspec.to_builtins(plan.keep)} if plan.keep else {}),
        **({"at most": plan.bounds.given} if plan.bounds.given else {}),
    }
