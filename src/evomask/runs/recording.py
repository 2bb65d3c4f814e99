"""Making the release record of a finished job."""

import hashlib
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from platform import python_version

from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.masking.composition import InTurn
from evomask.masking.method import MaskingMethod
from evomask.masking.pram import MatrixPram, Pram, category_frequencies
from evomask.measures.audit import Audit, audit
from evomask.measures.catalogue import explained
from evomask.runs.associations import associations
from evomask.runs.cells import MINIMUM, spread
from evomask.runs.changes import attribute_notes
from evomask.runs.protect import Candidate, Protected
from evomask.runs.record import (
    AttackNote,
    AttributeNote,
    FileNote,
    MatrixNote,
    MeasureNote,
    ModelNote,
    PointNote,
    Record,
    RiskCell,
    SearchNote,
)
from evomask.runs.requirements import Requirement
from evomask.runs.words import method_in_words

BALANCED = "the balanced choice: the larger of its loss and risk is the smallest on the front"

MOST_OTHERS = 400
"""Points besides the front that a record keeps; those that would lie on one another go."""


def record_of(
    done: Protected,
    original: Table,
    masked: Table,
    matrices: Sequence[MatrixNote] = (),
    searches: Sequence[SearchNote] = (),
) -> Record:
    """The record of a finished job; *masked* has the records of *original* in their order."""
    attributes = attribute_notes(original, masked)
    names = [one.name for one in attributes if one.released and one.role != Role.WEIGHT]
    masking = _masked_names(attributes)
    found, before = audit(masked, original, in_order=True), audit(original)
    requirement = done.job.requirement
    return Record(
        versions={name: version(name) for name in ("evomask", "numpy")}
        | {"python": python_version()},
        input=FileNote(done.job.source.path.name, done.sha256, len(original), len(original.schema)),
        output=_released(done, attributes),
        suppressed_records=done.written.suppressed,
        seed=done.seed,
        profile=done.job.profile,
        parameters=_parameters(done),
        required=_required(requirement),
        achieved=_achieved(found),
        attributes=attributes,
        method=method_in_words("grid", done.chosen.description, repaired=requirement.asks_anything),
        original=_point(done.original),
        chosen=_point(done.chosen),
        reason=BALANCED,
        front=tuple(map(_point, done.front)),
        others=_thinned(done.candidates, done.front),
        baselines=(),
        tried=len(done.candidates),
        measures=tuple(_measure(name, value) for name, value in done.measures.items()),
        before=_models(before),
        after=_models(found),
        attacks=tuple(_attacks(found)),
        spreads=tuple(
            shown for name in masking if (shown := spread(original, masked, name)) is not None
        ),
        associations=associations(original, masked, names) if masking else None,
        matrices=tuple(matrices),
        searches=tuple(searches),
        notes=tuple(dict.fromkeys((*done.notes, *found.notes))),
    )


def _masked_names(attributes: Iterable[AttributeNote]) -> list[str]:
    """Attributes that something was done to."""
    return [one.name for one in attributes if one.released and one.changed > 0]


def _released(done: Protected, attributes: Sequence[AttributeNote]) -> FileNote:
    with done.written.path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    width = sum(one.released for one in attributes)
    return FileNote(done.written.path.name, digest, done.written.records, width)


def _parameters(done: Protected) -> dict[str, object]:
    return {"seconds": done.job.seconds}


def _required(requirement: Requirement) -> dict[str, float]:
    asked = {"k": requirement.k, "l": requirement.l, "t": requirement.t}
    return {name: value for name, value in asked.items() if value != 1}


def _achieved(found: Audit) -> dict[str, float]:
    measured = {"k": found.k, "l": found.l, "t": found.t}
    return {name: value for name, value in measured.items() if value is not None}


def _point(one: Candidate) -> PointNote:
    return PointNote(one.number, "grid", one.description, one.loss, one.risk)


def _thinned(candidates: Sequence[Candidate], front: Sequence[Candidate]) -> tuple[PointNote, ...]:
    """Candidates beside the front, one for each place of the map."""
    places = {(round(2 * one.loss), round(2 * one.risk)): one for one in reversed(candidates)}
    numbers = {one.number for one in front}
    others = sorted(
        (one for one in places.values() if one.number not in numbers), key=lambda one: one.worst
    )
    return tuple(_point(one) for one in others[:MOST_OTHERS])


def _measure(name: str, value: float) -> MeasureNote:
    about = explained(name)
    return MeasureNote(
        name, about.title, str(about.side), str(about.direction), about.meaning, value
    )


def _models(found: Audit) -> ModelNote:
    cells = tuple(RiskCell(c.low, c.high, c.records) for c in found.record_risk.cells)
    return ModelNote(found.k, found.uniques, found.l, found.t, found.record_risk.average, cells)


def _attacks(found: Audit) -> Iterable[AttackNote]:
    for finding in found.attacks:
        about, success = finding.about, finding.success
        yield AttackNote(
            about.name, about.title, about.meaning, success.value, success.baseline,
            finding.unmasked,
        )  # fmt: skip


def matrices_of(
    method: MaskingMethod, original: Table, minimum: int = MINIMUM
) -> tuple[MatrixNote, ...]:
    """The transition matrices of a method that changes categories by chance."""
    if isinstance(method, InTurn):
        return tuple(note for one in method.methods for note in matrices_of(one, original))
    if not isinstance(method, (Pram, MatrixPram)):
        return ()
    return tuple(_matrix(method, original, name, minimum) for name in method.attributes)


def _matrix(method: Pram | MatrixPram, original: Table, name: str, minimum: int) -> MatrixNote:
    rare = category_frequencies(original, name) < minimum
    return MatrixNote(
        name,
        tuple(one or "missing" for one in original.attribute(name).categories),
        tuple(tuple(map(float, row)) for row in method.matrix(original, name)),
        method.invariant,
        tuple(map(bool, rare)),
    )
