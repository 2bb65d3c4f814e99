"""Record and reports of a file that was protected in chunks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from platform import python_version

import msgspec

from evomask.data.schema import Attribute
from evomask.io.chunks import hashes_of
from evomask.masking.enforce.requirement import Requirement
from evomask.masking.provenance import Provenance
from evomask.measures.disclosure.record_risk import EDGES, MINIMUM, histogram
from evomask.outofcore.compare import Comparison
from evomask.outofcore.prepare import MASKED, PreparedFile
from evomask.outofcore.release import ONLY_POINT, CountedGuarantees
from evomask.report.attribute_changes import compare_tables
from evomask.report.build import loss_note, measure_note, risk_note
from evomask.report.describe import public_sentences
from evomask.report.record import (
    AttributeNote,
    CheckNote,
    FileNote,
    ModelNote,
    PointNote,
    PointsNote,
    ReleaseRecord,
    RiskCell,
)
from evomask.report.scenarios import required_models
from evomask.runs.release import report_parts
from evomask.runs.store.release import digest
from evomask.types import Indices

Sizes = tuple[Indices, Indices]
"""Sizes of equivalence classes, and how many classes have each."""


@dataclass(frozen=True, eq=False)
class ChunkedProtection:
    """Everything known about a protection in chunks.

    Args:
        making: provenance of all chunks.
        method: the same in words.
        parameters: further parameters.
        reason: why this point was chosen.
        suppressed: number of suppressed records.
        tried: number of candidates.
        before, after: sizes of equivalence classes.
    """

    requirement: Requirement
    making: Provenance
    method: str
    parameters: Mapping[str, object]
    reason: str
    suppressed: int
    tried: int
    compared: Comparison
    before: Sizes = field(repr=False)
    after: Sizes = field(repr=False)


@dataclass(frozen=True, eq=False)
class SearchedProtection:
    """Everything known about a protection by a recipe that was found on a sample.

    Args:
        found: record of the protection of the sample.
        suppressed: number of suppressed records.
        before, after: sizes of equivalence classes.
        notes: further notes.
    """

    found: ReleaseRecord
    compared: Comparison
    suppressed: int
    before: Sizes = field(repr=False)
    after: Sizes = field(repr=False)
    notes: tuple[str, ...] = ()


def record_of_chunks(
    file: PreparedFile, done: SearchedProtection, counted: CountedGuarantees
) -> ReleaseRecord:
    """The record of the sample with what is known of all records in place of it."""
    found, own = done.found, done.compared
    original = msgspec.structs.replace(
        found.points.original, risk=own.original.risk, parts=risk_note(own.original)
    )
    chosen = msgspec.structs.replace(
        found.chosen, loss=own.loss, risk=own.assessment.risk, parts=risk_note(own.assessment)
    )
    return msgspec.structs.replace(
        found,
        input=_file_note(file),
        output=_released_note(file, counted),
        suppressed_records=done.suppressed,
        parameters={
            **found.parameters, "sample": found.input.records, "parts": len(file.parts),
        },
        achieved=_achieved(counted),
        points=msgspec.structs.replace(found.points, original=original, chosen=chosen),
        measures=tuple(measure_note(n, v) for n, v in own.measures.items()),
        before=_model(done.before, None, None),
        after=_model(done.after, counted.l, counted.t),
        loss_parts=loss_note(own.loss_parts),
        notes=(*found.notes, *done.notes, _on_sample(found.input.records)),
        checked=_check_note(file, counted),
        released_before=(),
        released_elsewhere=(),
    )  # fmt: skip


def render_reports(
    file: PreparedFile, found: ChunkedProtection, counted: CountedGuarantees
) -> dict[str, bytes]:
    """Both reports and both records, by file name."""
    return report_parts(build_chunked_record(file, found, counted))


def build_chunked_record(
    file: PreparedFile, found: ChunkedProtection, counted: CountedGuarantees
) -> ReleaseRecord:
    """Build the record; changes of attributes are computed on a sample."""
    side_by_side = compare_tables(*found.compared.sample)
    notes = {note.name: note for note in side_by_side.attributes}
    points = _points(found)
    return ReleaseRecord(
        versions={name: version(name) for name in ("evomask", "numpy")}
        | {"python": python_version()},
        input=_file_note(file),
        output=_released_note(file, counted),
        suppressed_records=found.suppressed,
        seed=file.seed,
        profile="strict",
        parameters={**found.parameters, "parts": len(file.parts)},
        required=required_models(found.requirement),
        achieved=_achieved(counted),
        attributes=tuple(notes.get(a.name) or _untouched(a) for a in file.schema),
        method=public_sentences(found.making),
        points=points,
        reason=found.reason,
        measures=tuple(measure_note(n, v) for n, v in found.compared.measures.items()),
        before=_model(found.before, None, None),
        after=_model(found.after, counted.l, counted.t),
        attacks=(),
        rules={},
        spreads=side_by_side.spreads,
        associations=side_by_side.associations,
        matrices=(),
        searches=(),
        notes=(*file.notes, _on_sample(len(found.compared.sample[0])), NO_AUDIT),
        checked=_check_note(file, counted),
    )


def _check_note(file: PreparedFile, counted: CountedGuarantees) -> CheckNote:
    columns = len(file.schema) - len(file.dropped)
    least = min([counted.alike.least, *(one.k for one in counted.scenarios)])
    return CheckNote(counted.alike.records, columns, least, counted.l, counted.t, counted.scenarios)


NO_AUDIT = (
    "the file was protected in chunks, without the held-out attacks of an audit; "
    "use `evomask "
    "audit` on a sample for them"
)


def _on_sample(records: int) -> str:
    return (
        "changes, distributions and associations of attributes, and held-out attacks and analyses "
        f"if there are any, are computed on a sample of {records:,} records; loss, risk and "
        "guarantees are those of all records"
    )


def _points(found: ChunkedProtection) -> PointsNote:
    own, search = found.compared, found.making.search
    original = PointNote(
        0, "original", "the original as it is", 0.0, own.original.risk, risk_note(own.original),
        file=-1,
    )  # fmt: skip
    chosen = PointNote(
        ONLY_POINT.point, search, found.method, own.loss, own.assessment.risk,
        risk_note(own.assessment), file=ONLY_POINT.file,
    )  # fmt: skip
    return PointsNote(original, chosen, (chosen,), (), (), found.tried)


def _achieved(counted: CountedGuarantees) -> dict[str, float]:
    reached = {"k": counted.alike.least, "l": counted.l, "t": counted.t}
    return {name: float(value) for name, value in reached.items() if value is not None}


def _model(classes: Sizes, l: int | None, t: float | None) -> ModelNote:  # noqa: E741
    """Equivalence classes and record risk, from class sizes."""
    sizes, often = classes
    records, count = max(1, int((sizes * often).sum())), int(often.sum())
    cells = histogram(100.0 / sizes, EDGES, MINIMUM, sizes * often)
    return ModelNote(
        int(sizes.min(initial=records)),
        int(often[sizes == 1].sum()),
        l,
        t,
        100.0 * count / records,
        tuple(RiskCell(cell.low, cell.high, cell.records) for cell in cells),
        float(count),
    )


def _untouched(attribute: Attribute) -> AttributeNote:
    return AttributeNote(
        attribute.name, attribute.label, str(attribute.kind), str(attribute.role),
        released=attribute.role.is_released,
    )  # fmt: skip


def _file_note(file: PreparedFile) -> FileNote:
    return FileNote(file.name, _combined_hash(file.hashes), file.parts.records, len(file.schema))


def _released_note(file: PreparedFile, counted: CountedGuarantees) -> FileNote:
    columns = len(file.schema) - len(file.dropped)
    together = _combined_hash(hashes_of(file.folder / MASKED))
    return FileNote(MASKED, together, counted.alike.records, columns)


def _combined_hash(hashes: Mapping[str, str]) -> str:
    """One hash for several files: of the lines that ``sha256sum`` prints."""
    lines = "".join(f"{found}  {name}\n" for name, found in sorted(hashes.items()))
    return digest(lines.encode())
