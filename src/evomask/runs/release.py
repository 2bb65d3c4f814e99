"""A release: the chosen file in random order, its record and both reports, as one thing."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec
import numpy as np

from evomask.errors import RunError
from evomask.io.files import OWNER_ALONE
from evomask.io.tables import Asked, Written, promise_of, released_name, write_table
from evomask.portfolio.front import UNBOUNDED, Bounds, Candidate
from evomask.record.protection import Choice, Protection
from evomask.record.record import CheckNote, FileNote, PointsNote, ReleaseRecord, still_said
from evomask.record.recording import points_of, record_of
from evomask.runs.inputs import Loaded
from evomask.runs.kept.log import Named, file_hash, released_files
from evomask.runs.kept.order import new_order
from evomask.runs.kept.plan import Plan, encode_plan
from evomask.runs.kept.sealing import MASKED, ORDER, PROMISE, Promised, seal
from evomask.runs.kept.staging import Stage, staged
from evomask.runs.kept.store import PLAN
from evomask.runs.report import Reports, load_record, report_parts, reports_in

IN_MEMORY = "data frame"


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


@dataclass(frozen=True)
class Handling:
    """How a release is carried out.

    Args:
        did: what the log says of it: released, or chose.
        parts: files of the run that go with it, by name.
        key: signs it, where one is given.
    """

    did: str = "released"
    parts: Mapping[str, bytes] = field(default_factory=dict)
    key: Path | None = None


PLAINLY = Handling()


def release(
    protection: Protection, choice: Choice, loaded: Loaded, plan: Plan, folder: Path,
    handling: Handling = PLAINLY,
) -> Release:  # fmt: skip
    """Write the chosen file, its record and both reports into the folder of a run, all or none.

    What a person said of the same point before stays; of another point only what does not
    hang on the choice. The file was read back and checked before anything takes its place.
    """
    with staged(folder) as stage:
        written = _write_shuffled(protection, choice.candidate.number, loaded, plan, stage)
        record = msgspec.structs.replace(
            _recorded(protection, choice, written, plan),
            statement=loaded.statement,
            released_before=released_files(folder),
        )
        record = _with_earlier_words(record, folder)
        parts = {**handling.parts, PLAN: encode_plan(plan), **report_parts(record)}
        for name, content in parts.items():
            stage.write(name, content)
        named = Named(choice.candidate.point, choice.candidate.number)
        seal(stage, folder, handling.did, named, handling.key)
    written = replace(written, path=folder / MASKED / written.path.name)
    return Release(protection, choice, written, record, reports_in(folder), folder)


def _recorded(
    protection: Protection, choice: Choice, written: Written, plan: Plan
) -> ReleaseRecord:
    original = FileNote(
        plan.input.path.name,
        plan.sha256["data"],
        len(protection.table),
        len(protection.table.schema),
    )
    files = original, FileNote(written.path.name, file_hash(written.path), written.records, 0)
    record = record_of(
        protection, choice, files, written.suppressed, _parameters(plan), plan.bounds.given
    )
    found = written.reading
    checked = CheckNote(found.records, len(found.columns), found.k, found.l, found.t)
    return msgspec.structs.replace(record, checked=checked)


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


def _write_shuffled(
    protection: Protection, number: int, loaded: Loaded, plan: Plan, stage: Stage
) -> Written:
    """Write the records in random order, and what was promised of them."""
    order = new_order(len(protection.table))
    if plan.keep_order:
        np.save(stage.path(ORDER), order, allow_pickle=False)
        stage.path(ORDER).chmod(OWNER_ALONE)
    else:
        stage.drop([ORDER])
    masked = protection.files(number).masked.take(order)
    requirement = protection.maker.settings.requirement
    asked = Asked(requirement.k, requirement.l, requirement.t)
    promised = Promised(promise_of(masked, asked), loaded.dialect)
    stage.write(PROMISE, msgspec.json.encode(promised))
    return write_table(
        masked, stage.path(f"{MASKED}/{released_name(plan.input.path)}"), dialect=loaded.dialect,
        origin=loaded.origin and loaded.origin.shuffled(order), asked=asked,
    )  # fmt: skip


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
