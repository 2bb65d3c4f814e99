"""Making the release record of a finished job."""

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from itertools import accumulate
from platform import python_version
from typing import Any

import msgspec

from evomask.data.parameters import summary_of
from evomask.data.rules.edits import rules_of
from evomask.data.table import Table
from evomask.masking.guarantees.requirement import Requirement
from evomask.masking.making import Making
from evomask.masking.randomization.equations import reads_frequencies
from evomask.masking.randomization.pram import Transitions, category_frequencies, is_designed
from evomask.masking.randomization.transitions import frequency_shift
from evomask.measures.attacks.audit import Audit
from evomask.measures.catalogue import explained
from evomask.measures.judging.risk import Judged
from evomask.measures.keeping.keeping import MODEL_ERROR, TABLE_ERROR
from evomask.portfolio.front import ORIGINAL, Candidate, balanced
from evomask.portfolio.members import search_of
from evomask.portfolio.state import PortfolioState, operators_of
from evomask.record.comparison import compared
from evomask.record.groups import group_means
from evomask.record.modelling import models_of
from evomask.record.protection import Choice, Protection
from evomask.record.record import (
    AttackNote,
    FileNote,
    MatrixNote,
    MeasureNote,
    OperatorNote,
    PointNote,
    PointsNote,
    ReleaseRecord,
    RiskNote,
    SearchNote,
)
from evomask.record.spreads import MINIMUM
from evomask.record.words import method_in_words, sentences, simple_name

MOST_OTHERS = 400
"""Points besides the front that a record keeps; those that would lie on one another go."""

GRID = "grid"
HALF_A_RECORD = 0.5
"""A matrix that keeps all frequencies so well tells them, whether it was made to or not."""

MOST_SIMPLE = 5
"""Simple methods that the map shows for comparison."""


def record_of(
    protection: Protection,
    choice: Choice,
    files: tuple[FileNote, FileNote],
    suppressed: int = 0,
    parameters: Mapping[str, object] | None = None,
    bounds: Mapping[str, float] | None = None,
) -> ReleaseRecord:
    """The record of releasing one point of a protection.

    Args:
        files: the original and the released one.
        suppressed: how many records were left out.
        parameters: what the result depends on besides the parameters of the searches.
        bounds: what the point may have at most, by reading.
    """
    maker, number = protection.maker, choice.candidate.number
    file, finding = protection.files(number), protection.findings[number]
    side_by_side = compared(protection.table, file.masked)
    return ReleaseRecord(
        versions={name: version(name) for name in ("evomask", "numpy")}
        | {"python": python_version()},
        input=files[0],
        output=msgspec.structs.replace(
            files[1], attributes=sum(note.released for note in side_by_side.attributes)
        ),
        suppressed_records=suppressed,
        seed=maker.seed,
        profile=maker.settings.profile,
        parameters=_as_read({**(parameters or {}), **maker.settings.members}),
        required=required(maker.settings.requirement),
        achieved=finding.guarantees,
        attributes=side_by_side.attributes,
        method=sentences(choice.candidate.making),
        points=points_of(protection, choice),
        reason=choice.reason,
        measures=tuple(measure_note(name, value) for name, value in finding.measures.items()),
        before=models_of(protection.findings[ORIGINAL].audit),
        after=models_of(finding.audit),
        attacks=tuple(_attacks(finding.audit)),
        rules=rules_kept(file.masked),
        spreads=side_by_side.spreads,
        associations=side_by_side.associations,
        matrices=_matrices(protection, choice.candidate, file.repaired),
        searches=tuple(
            _search(protection, name, share) for name, share in protection.shares.items()
        ),
        notes=protection.notes,
        bounds=dict(bounds or {}),
        kept=protection.kept.compare(file.masked) if protection.kept else (),
        group_means=group_means(protection.table, file.masked, side_by_side.attributes),
        phases={name: round(took, 1) for name, took in protection.phases.items()},
    )


def rules_kept(masked: Table) -> dict[str, int]:
    """How many released records break each edit rule."""
    broken = rules_of(masked.schema).violations(masked)
    return {text: broken.get(text, 0) for text in masked.schema.edits}


def required(requirement: Requirement) -> dict[str, float]:
    """What is guaranteed, by name; nothing where nothing is asked."""
    asked = {"k": requirement.k, "l": requirement.l, "t": requirement.t}
    return {name: float(value) for name, value in asked.items() if value != 1}


def points_of(protection: Protection, choice: Choice) -> PointsNote:
    """All points of the map of a protection."""
    candidates = tuple(protection.state.candidates)
    return PointsNote(
        _point(protection.original),
        _point(choice.candidate),
        tuple(map(_point, protection.front)),
        _thinned(candidates, protection.front),
        _simple_methods(candidates),
        len(candidates),
        _named(protection.baselines),
    )


def _named(points: Mapping[str, Candidate]) -> tuple[PointNote, ...]:
    """Points of the map under names of their own."""
    return tuple(msgspec.structs.replace(_point(p), method=name) for name, p in points.items())


def _point(candidate: Candidate) -> PointNote:
    return PointNote(
        candidate.point,
        candidate.member,
        method_in_words(candidate),
        candidate.loss,
        candidate.risk,
        None if candidate.judged is None else risk_note(candidate.judged),
        candidate.errors.get(TABLE_ERROR),
        candidate.errors.get(MODEL_ERROR),
        candidate.number,
    )


def risk_note(judged: Judged) -> RiskNote:
    """The parts of a risk, as the record tells them."""
    percents = {name: part.percent for name, part in judged.parts.items()}
    return RiskNote(
        percents["linked"],
        percents.get("read"),
        percents.get("confidential"),
        judged.kind,
        judged.worst.sentence,
        judged.worst.error,
        judged.people,
        judged.expected,
    )


def _thinned(candidates: Iterable[Candidate], front: Iterable[Candidate]) -> tuple[PointNote, ...]:
    """Candidates beside the front, one for each place of the map; the better ones if many."""
    numbers = {candidate.number for candidate in front}
    places: dict[tuple[int, int], Candidate] = {}
    for candidate in candidates:
        if candidate.number not in numbers:
            places.setdefault((round(2 * candidate.loss), round(2 * candidate.risk)), candidate)
    best = sorted(places.values(), key=lambda candidate: (candidate.worst, candidate.number))
    return tuple(map(_point, best[:MOST_OTHERS]))


def _simple_methods(candidates: Sequence[Candidate]) -> tuple[PointNote, ...]:
    """The balanced point of each simple method that was tried, the best methods of all."""
    found: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        if candidate.search == GRID:
            found.setdefault(simple_name(candidate.making), []).append(candidate)
    best = {name: balanced(some) for name, some in found.items() if name}
    chosen = sorted(best, key=lambda name: (best[name].worst, name))[:MOST_SIMPLE]
    return _named({name: best[name] for name in chosen})


def measure_note(name: str, value: float) -> MeasureNote:
    """A measure of the released file, with what it says of itself."""
    about = explained(name)
    return MeasureNote(
        name, about.title, str(about.side), str(about.direction), about.meaning, value
    )


def _attacks(found: Audit) -> Iterable[AttackNote]:
    for finding in found.attacks:
        about, success = finding.about, finding.success
        yield AttackNote(
            about.name, about.title, about.meaning, success.value, success.baseline,
            finding.unmasked,
        )  # fmt: skip


def _search(protection: Protection, name: str, share: float) -> SearchNote:
    state = protection.state
    effort = protection.efforts[name]
    return SearchNote(
        name,
        effort.bred + effort.trials + effort.files,
        share,
        sum(candidate.member == name for candidate in protection.front),
        _evolution(state, name),
        tuple(
            OperatorNote(row.operator, row.children, row.entered, row.improved)
            for row in operators_of(state)
            if row.member == name
        ),
        summary_of(search_of(protection.maker.settings.members[name])),
        effort.files,
        round(effort.seconds, 1) if protection.clocked else None,
    )


def _evolution(state: PortfolioState, name: str) -> tuple[tuple[int, float], ...]:
    """The best score of a member's files by the evaluations that all members had used."""
    used = {row.generation: row.evaluations for row in state.rounds}
    own = [
        (used[candidate.round], candidate.worst)
        for candidate in state.candidates
        if candidate.member == name
    ]
    best = accumulate((score for _, score in own), min)
    by_round = {evaluations: score for (evaluations, _), score in zip(own, best, strict=True)}
    return tuple(by_round.items())


def _matrices(
    protection: Protection, candidate: Candidate, repaired: Mapping[str, float]
) -> tuple[MatrixNote, ...]:
    """Transition matrices of the chosen file, and how much was changed again after them."""
    genome = protection.state.genomes[candidate.number]
    found = protection.maker.matrices(candidate.member, genome)
    return tuple(
        matrix_note(
            protection.table,
            name,
            matrix,
            repaired.get(name, 0.0),
            _formula(candidate.making, name),
        )
        for name, matrix in found.items()
    )


def _formula(making: Making, name: str) -> str:
    """The formula by which an attribute's matrix was made; empty where there is none."""
    formulas = (s.parameters.get("formula", "") for s in making.steps if name in s.attributes)
    return str(next(filter(None, formulas), ""))


def matrix_note(
    original: Table, name: str, matrix: Transitions, repaired: float = 0.0, formula: str = ""
) -> MatrixNote:
    """A transition matrix as the record tells it, its rare categories marked.

    Args:
        formula: what made it; one that reads frequencies tells them, to who knows it.
    """
    frequencies = category_frequencies(original, name)
    return MatrixNote(
        name,
        tuple(category or "missing" for category in original.attribute(name).categories),
        tuple(tuple(map(float, row)) for row in matrix),
        frequency_shift(matrix, frequencies) * len(original) < HALF_A_RECORD,
        tuple(map(bool, frequencies < MINIMUM)),
        repaired,
        is_designed(matrix, frequencies) or reads_frequencies(formula),
    )


def _as_read(values: Mapping[str, object]) -> dict[str, Any]:
    """The values as a file of them would be read: lists where there were tuples."""
    read: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(dict(values)))
    return read
