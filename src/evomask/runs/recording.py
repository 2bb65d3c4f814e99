"""Making the release record of a finished job."""

import hashlib
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from itertools import accumulate
from platform import python_version
from typing import Any, Protocol, runtime_checkable

import msgspec

from evomask.data.table import Table
from evomask.masking.composition import InTurn
from evomask.masking.method import MaskingMethod
from evomask.masking.pram import MatrixPram, Pram, category_frequencies
from evomask.masking.transitions import frequency_shift
from evomask.measures.audit import Audit
from evomask.measures.catalogue import explained
from evomask.runs.candidates import ORIGINAL, Candidate, balanced
from evomask.runs.cells import MINIMUM
from evomask.runs.comparison import compared
from evomask.runs.protected import Protected
from evomask.runs.record import (
    AttackNote,
    FileNote,
    MatrixNote,
    MeasureNote,
    ModelNote,
    OperatorNote,
    PointNote,
    PointsNote,
    Record,
    RiskCell,
    SearchNote,
)
from evomask.runs.requirements import Requirement
from evomask.runs.words import method_in_words

MOST_OTHERS = 400
"""Points besides the front that a record keeps; those that would lie on one another go."""

INVARIANT = 1e-9
"""Largest change of a category's expected share that counts as none."""

GRID = "grid"
SIMPLE = {
    "microaggregation (MDAV)": ("microaggregation, k",),
    "swapping": ("rank swapping",),
    "recoding": ("global recoding", "top coding", "bottom coding"),
    "noise": ("noise",),
    "PRAM": ("PRAM",),
}
"""Simple methods that the map shows for comparison, and how their descriptions begin."""


@runtime_checkable
class MatrixProblem(Protocol):
    """A problem whose genomes are transition matrices."""

    def matrix_pram(self, genome: Any) -> MatrixPram:  # noqa: ANN401
        """The method that masks with a genome's matrices."""
        ...


def record_of(done: Protected) -> Record:
    """The record of a finished job."""
    original, masked = done.table, done.masked(done.chosen.number)
    found, before = done.found[done.chosen.number], done.found[ORIGINAL]
    side_by_side = compared(original, masked)
    released = sum(one.released for one in side_by_side.attributes)
    requirement = done.job.requirement
    return Record(
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
        spreads=side_by_side.spreads,
        associations=side_by_side.associations,
        matrices=_matrices(done),
        searches=tuple(_search(done, name) for name in done.shares),
        notes=done.notes,
    )


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
        **members,
    }


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
    """The balanced point of each simple method alone; of those that were tried."""
    alone = [one for one in candidates if one.search == GRID and ";" not in one.description]
    found = {
        name: [one for one in alone if one.description.startswith(starts)]
        for name, starts in SIMPLE.items()
    }
    return tuple(
        msgspec.structs.replace(_point(balanced(some)), method=name)
        for name, some in found.items()
        if some
    )


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
    )


def _evolution(done: Protected, name: str) -> tuple[tuple[int, float], ...]:
    """The best score of a member's files by the evaluations that all members had used."""
    used = {row.generation: row.evaluations for row in done.history}
    own = [(used[one.round], one.worst) for one in done.candidates if one.member == name]
    best = accumulate((score for _, score in own), min)
    by_round = {evaluations: score for (evaluations, _), score in zip(own, best, strict=True)}
    return tuple(by_round.items())


def _matrices(done: Protected) -> tuple[MatrixNote, ...]:
    """Transition matrices, where the chosen file was made with some."""
    problem: Any = done.shop.setup(done.chosen.member).problem
    genome = done.genomes[done.chosen.number]
    if isinstance(problem, MatrixProblem):
        return matrices_of(problem.matrix_pram(genome), done.table)
    if done.chosen.search != GRID or not hasattr(problem, "methods"):
        return ()
    return matrices_of(problem.methods[genome][0], done.table)


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
    frequencies, matrix = category_frequencies(original, name), method.matrix(original, name)
    rare = frequencies < minimum
    return MatrixNote(
        name,
        tuple(one or "missing" for one in original.attribute(name).categories),
        tuple(tuple(map(float, row)) for row in matrix),
        frequency_shift(matrix, frequencies) < INVARIANT,
        tuple(map(bool, rare)),
    )
