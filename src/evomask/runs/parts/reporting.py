"""The record and both reports of a file that was protected in parts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from platform import python_version

from evomask.arrays import Indices
from evomask.data.schema import Attribute
from evomask.io.parts import hashes_of
from evomask.masking.guarantees.requirement import Requirement
from evomask.masking.making import Making
from evomask.measures.risk.records import EDGES, MINIMUM, histogram
from evomask.record.comparison import compared
from evomask.record.record import (
    AttributeNote,
    CheckNote,
    FileNote,
    ModelNote,
    PointNote,
    PointsNote,
    ReleaseRecord,
    RiskCell,
)
from evomask.record.recording import measure_note, required, risk_note
from evomask.record.words import sentences
from evomask.runs.kept.log import Named, digest
from evomask.runs.parts.closing import ONLY, Counted
from evomask.runs.parts.comparing import Comparison
from evomask.runs.parts.opening import Opened
from evomask.runs.parts.steps import MASKED
from evomask.runs.report import report_parts

Sizes = tuple[Indices, Indices]
"""Sizes of classes of look-alikes, and how many classes have each."""


@dataclass(frozen=True, eq=False)
class Found:
    """What is known of a protection in parts.

    Args:
        making: how all parts were made; its search is what found that.
        method: the same in words.
        parameters: what it hangs on besides.
        reason: why this was chosen.
        suppressed: how many records were left out.
        tried: how many ways were looked at.
        before, after: classes of look-alikes.
        front: what else could have been chosen, measured on a sample.
        chosen: which of these it is.
        notes: what else is to be known.
    """

    requirement: Requirement
    making: Making
    method: str
    parameters: Mapping[str, object]
    reason: str
    suppressed: int
    tried: int
    compared: Comparison
    before: Sizes = field(repr=False)
    after: Sizes = field(repr=False)
    front: tuple[PointNote, ...] = ()
    chosen: Named = ONLY
    notes: tuple[str, ...] = ()


def reports_of(file: Opened, found: Found, counted: Counted) -> dict[str, bytes]:
    """Both reports and both records, by the names of their files."""
    return report_parts(record_of_parts(file, found, counted))


def record_of_parts(file: Opened, found: Found, counted: Counted) -> ReleaseRecord:
    """The record of a protection in parts; what became of attributes is read from a sample."""
    side_by_side = compared(*found.compared.sample)
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
        required=required(found.requirement),
        achieved=_achieved(counted),
        attributes=tuple(notes.get(a.name) or _untouched(a) for a in file.schema),
        method=sentences(found.making),
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
        notes=(*file.notes, *found.notes, _on_sample(found), NO_AUDIT),
        checked=CheckNote(
            counted.alike.records, len(file.schema) - len(file.dropped), counted.alike.least,
            counted.l, counted.t,
        ),
    )  # fmt: skip


NO_AUDIT = (
    "the file was protected in parts: the attacks of an audit, which no search has seen, were not "
    "tried; draw a sample and use `evomask audit` for them"
)


def _on_sample(found: Found) -> str:
    records = len(found.compared.sample[0])
    return (
        f"how attributes changed, are spread and hang together is read from a fixed sample of "
        f"{records} records; loss and guarantees are those of all records"
    )


def _points(found: Found) -> PointsNote:
    own, search = found.compared, found.making.search
    original = PointNote(
        0, "original", "the original as it is", 0.0, own.original.risk, risk_note(own.original),
        file=-1,
    )  # fmt: skip
    chosen = PointNote(
        found.chosen.point, search, found.method, own.loss, own.judged.risk,
        risk_note(own.judged), file=found.chosen.file,
    )  # fmt: skip
    return PointsNote(original, chosen, found.front or (chosen,), (), (), found.tried)


def _achieved(counted: Counted) -> dict[str, float]:
    reached = {"k": counted.alike.least, "l": counted.l, "t": counted.t}
    return {name: float(value) for name, value in reached.items() if value is not None}


def _model(classes: Sizes, l: int | None, t: float | None) -> ModelNote:  # noqa: E741
    """Look-alikes and the risk of single records, by the sizes of classes."""
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


def _file_note(file: Opened) -> FileNote:
    return FileNote(file.name, _together(file.hashes), file.parts.records, len(file.schema))


def _released_note(file: Opened, counted: Counted) -> FileNote:
    columns = len(file.schema) - len(file.dropped)
    together = _together(hashes_of(file.folder / MASKED))
    return FileNote(MASKED, together, counted.alike.records, columns)


def _together(hashes: Mapping[str, str]) -> str:
    """One hash for several files: that of the lines that ``sha256sum`` prints of them."""
    lines = "".join(f"{found}  {name}\n" for name, found in sorted(hashes.items()))
    return digest(lines.encode())
