"""Making the release record of a finished job."""

import hashlib
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from itertools import accumulate
from platform import python_version
from typing import Any

import msgspec

from evomask.data.parameters import summary_of
from evomask.data.rules.edits import rules_of
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.masking.composition import InTurn
from evomask.masking.guarantees.requirement import Requirement
from evomask.masking.method import MaskingMethod
from evomask.masking.randomization.pram import MatrixPram, Pram, Transitions, category_frequencies
from evomask.masking.randomization.transitions import frequency_shift
from evomask.measures.attacks.audit import Audit
from evomask.measures.catalogue import explained
from evomask.portfolio.candidate import ORIGINAL, Candidate, balanced
from evomask.portfolio.members import search_of
from evomask.record.comparison import compared
from evomask.record.record import (
    AttackNote,
    FileNote,
    MatrixNote,
    MeasureNote,
    ModelNote,
    OperatorNote,
    PointNote,
    PointsNote,
    ReleaseRecord,
    RiskCell,
    SearchNote,
)
from evomask.record.spreads import MINIMUM
from evomask.record.words import method_in_words
from evomask.runs.protected import Protected
from evomask.searches.grid.search import Grid
from evomask.searches.search import WithMatrices

MOST_OTHERS = 400
"""Points besides the front that a record keeps; those that would lie on one another go."""

GRID = "grid"
HALF_A_RECORD = 0.5
"""A matrix that keeps all frequencies so well tells them, whether it was made to or not."""

SIMPLE = {
    "microaggregation, k": "MDAV",
    "rank swapping": "swapping",
    "global recoding": "recoding",
    "top coding": "recoding",
    "bottom coding": "recoding",
    "noise": "noise",
    "PRAM": "PRAM",
}
"""Simple methods that the map shows for comparison, by how their descriptions begin."""

MOST_SIMPLE = 5


def record_of(done: Protected) -> ReleaseRecord:
    """The record of a finished job."""
    original, masked = done.table, done.masked(done.chosen.number)
    found, before = done.found[done.chosen.number], done.found[ORIGINAL]
    side_by_side = compared(original, masked)
    released = sum(one.released for one in side_by_side.attributes)
    requirement = done.job.requirement
    return ReleaseRecord(
        versions={name: version(name) for name in ("evomask", "numpy")}
        | {"python": python_version()},
        input=FileNote(done.job.source.path.name, done.sha256, len(original), len(original.schema)),
        output=FileNote(done.written.path.name, _sha256(done), done.written.records, released),
        suppressed_records=done.written.suppressed,
        seed=done.seed,
        profile=done.job.profile,
        parameters=_parameters(done),
        required=required(requirement),
        achieved=found.guarantees,
        attributes=side_by_side.attributes,
        method=method_in_words(
            done.chosen.search, done.chosen.description, repaired=requirement.asks_anything
        ),
        points=points_of(done),
        reason=done.reason,
        measures=tuple(_measure(name, value) for name, value in found.measures.items()),
        before=_models(before.audit),
        after=_models(found.audit),
        attacks=tuple(_attacks(found.audit)),
        rules=rules_kept(masked),
        spreads=side_by_side.spreads,
        associations=side_by_side.associations,
        matrices=_matrices(done),
        searches=tuple(_search(done, name) for name in done.shares),
        notes=done.notes,
    )


def rules_kept(masked: Table) -> dict[str, int]:
    """How many released records break each edit rule."""
    broken = rules_of(masked.schema).violations(masked)
    return {text: broken.get(text, 0) for text in masked.schema.edits}


def _sha256(done: Protected) -> str:
    """Of the released file; empty where none was written."""
    if done.plan is None:
        return ""
    with done.written.path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _parameters(done: Protected) -> dict[str, object]:
    budget = msgspec.to_builtins(done.job.budget)
    members = msgspec.to_builtins(done.shop.settings.members)
    return {
        "budget": {name: value for name, value in budget.items() if value is not None},
        "picked by": done.job.pick,
        **_schema_hash(done),
        **members,
    }


def _schema_hash(done: Protected) -> dict[str, object]:
    told = done.plan.sha256.get("schema") if done.plan else None
    return {"schema sha256": told} if told else {}


def required(requirement: Requirement) -> dict[str, float]:
    """What is guaranteed, by name; nothing where nothing is asked."""
    asked = {"k": requirement.k, "l": requirement.l, "t": requirement.t}
    return {name: float(value) for name, value in asked.items() if value != 1}


def points_of(done: Protected) -> PointsNote:
    """All points of the map of a job."""
    return PointsNote(
        _point(done.original),
        _point(done.chosen),
        tuple(map(_point, done.front)),
        _thinned(done.candidates, done.front),
        _simple_methods(done.candidates),
        len(done.candidates),
    )


def _point(one: Candidate) -> PointNote:
    return PointNote(one.number, one.member, one.description, one.loss, one.risk)


def _thinned(candidates: Iterable[Candidate], front: Iterable[Candidate]) -> tuple[PointNote, ...]:
    """Candidates beside the front, one for each place of the map; the better ones if many."""
    numbers = {one.number for one in front}
    places: dict[tuple[int, int], Candidate] = {}
    for one in candidates:
        if one.number not in numbers:
            places.setdefault((round(2 * one.loss), round(2 * one.risk)), one)
    best = sorted(places.values(), key=lambda one: (one.worst, one.number))
    return tuple(map(_point, best[:MOST_OTHERS]))


def _simple_methods(candidates: Sequence[Candidate]) -> tuple[PointNote, ...]:
    """The balanced point of each simple method that was tried, the best methods of all."""
    found: dict[str, list[Candidate]] = {}
    for one in candidates:
        if one.search == GRID:
            found.setdefault(_simple_name(one.description), []).append(one)
    best = {name: balanced(some) for name, some in found.items() if name}
    chosen = sorted(best, key=lambda name: (best[name].worst, name))[:MOST_SIMPLE]
    return tuple(msgspec.structs.replace(_point(best[name]), method=name) for name in chosen)


def _simple_name(description: str) -> str:
    """MDAV, or swapping and PRAM for numbers and categories; empty for what is not simple."""
    parts = description.split("; ")
    known = [next((n for start, n in SIMPLE.items() if p.startswith(start)), "") for p in parts]
    return " and ".join(dict.fromkeys(known)) if all(known) else ""


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


def _search(done: Protected, name: str) -> SearchNote:
    rounds = [row for row in done.history if row.member == name]
    return SearchNote(
        name,
        sum(row.bred + row.files for row in rounds),
        done.shares[name],
        sum(one.member == name for one in done.front),
        _evolution(done, name),
        tuple(
            OperatorNote(row.operator, row.children, row.entered, row.improved)
            for row in done.operators
            if row.member == name
        ),
        summary_of(search_of(done.shop.settings.members[name])),
    )


def _evolution(done: Protected, name: str) -> tuple[tuple[int, float], ...]:
    """The best score of a member's files by the evaluations that all members had used."""
    used = {row.generation: row.evaluations for row in done.history}
    own = [(used[one.round], one.worst) for one in done.candidates if one.member == name]
    best = accumulate((score for _, score in own), min)
    by_round = {evaluations: score for (evaluations, _), score in zip(own, best, strict=True)}
    return tuple(by_round.items())


def _matrices(done: Protected) -> tuple[MatrixNote, ...]:
    """Transition matrices of the chosen file, and how much was changed again after them."""
    again = done.repaired[done.chosen.number]
    return tuple(
        msgspec.structs.replace(one, repaired=again.get(one.attribute, 0.0))
        for one in _matrices_used(done)
    )


def _matrices_used(done: Protected) -> tuple[MatrixNote, ...]:
    """Transition matrices, where the chosen file was made with some, the same for all strata."""
    problem: Any = done.shop.setup(done.chosen.member).problem
    genome, strata = done.genomes[done.chosen.number], done.schema.with_role(Role.STRATUM)
    if isinstance(problem, WithMatrices):
        made = problem.matrices(genome)
        return tuple(_matrix(done.table, name, matrix) for name, matrix in made.items())
    if isinstance(problem, Grid) and not strata:
        return matrices_of(problem.methods[genome][0], done.table)
    return ()


def matrices_of(method: MaskingMethod, original: Table) -> tuple[MatrixNote, ...]:
    """The transition matrices of a method that changes categories by chance."""
    if isinstance(method, InTurn):
        return tuple(note for one in method.methods for note in matrices_of(one, original))
    if not isinstance(method, (Pram, MatrixPram)):
        return ()
    names = method.attributes
    return tuple(_matrix(original, name, method.matrix(original, name)) for name in names)


def _matrix(original: Table, name: str, matrix: Transitions) -> MatrixNote:
    frequencies = category_frequencies(original, name)
    return MatrixNote(
        name,
        tuple(one or "missing" for one in original.attribute(name).categories),
        tuple(tuple(map(float, row)) for row in matrix),
        frequency_shift(matrix, frequencies) * len(original) < HALF_A_RECORD,
        tuple(map(bool, frequencies < MINIMUM)),
    )
