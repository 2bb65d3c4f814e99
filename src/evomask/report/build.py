"""Build the release record of a finished run."""

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from itertools import accumulate
from platform import python_version
from typing import Any

import msgspec

from evomask.data.edits import rules_of
from evomask.data.parameters import summary_of
from evomask.data.scenario import Scenario
from evomask.data.table import Table
from evomask.engine.front import DESIGN, ORIGINAL, FrontPoint, balanced
from evomask.engine.specialists import Specialist, is_main_search, search_of
from evomask.engine.state import EngineState
from evomask.masking.provenance import Provenance
from evomask.masking.randomization.formula_pram import depends_on_frequencies
from evomask.masking.randomization.pram import (
    Transitions,
    category_frequencies,
    frequency_shift,
    is_designed,
)
from evomask.measures.analyses.analyses import ERROR_NAMES, MEAN_ERROR
from evomask.measures.attacks.audit import Audit
from evomask.measures.catalogue import describe_measure
from evomask.measures.disclosure.record_risk import HouseholdRisk
from evomask.measures.disclosure.risk import DisclosureRisk, RiskAssessment, ScenarioRisk
from evomask.measures.loss.loss import LossAssessment, LossReading
from evomask.report.attribute_changes import compare_tables, group_means
from evomask.report.describe import method_text, public_sentences, simple_name
from evomask.report.distributions import MINIMUM
from evomask.report.explanation import explain
from evomask.report.population import population_note
from evomask.report.protection import Choice, Protection
from evomask.report.record import (
    AttackNote,
    AttributeLossNote,
    FileNote,
    HouseholdNote,
    LossNote,
    MatrixNote,
    MeasureNote,
    ModelNote,
    OperatorNote,
    PairNote,
    PointNote,
    PointsNote,
    ReleaseRecord,
    RiskCell,
    RiskNote,
    ScenarioNote,
    SearchNote,
    SpecialNote,
)
from evomask.report.scenarios import describe_intruder, promise_notes, required_models

DESIGN_SUMMARY = "Masking methods with fixed parameters, and recipes that data stewards use."

NO_BOUNDS: Mapping[str, float] = {}

MOST_OTHERS = 400
"""Dominated candidates that a record holds."""

INVARIANCE_TOLERANCE = 0.5
"""Records by which a matrix that counts as invariant may shift the frequencies."""

MOST_PAIRS = 200
"""Pairs of attributes that a record holds."""

MOST_SIMPLE = 5
"""Simple methods that the map shows for comparison."""


def build_record(
    protection: Protection,
    choice: Choice,
    files: tuple[FileNote, FileNote],
    suppressed: int = 0,
    parameters: Mapping[str, object] | None = None,
    bounds: Mapping[str, float] | None = None,
) -> ReleaseRecord:
    """Build the record of releasing one point of a protection.

    Args:
        files: the original and the released one.
        suppressed: number of suppressed records.
        parameters: what the result depends on besides the parameters of the searches.
        bounds: upper bounds of the point, by reading.
    """
    maker, number, loss = protection.maker, choice.candidate.number, protection.maker.loss
    file, finding = protection.files(number), protection.findings[number]
    side_by_side = compare_tables(protection.table, file.masked)
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
        parameters=_json_types({**(parameters or {}), **maker.settings.members}),
        required=required_models(maker.settings.requirement),
        achieved=finding.guarantees,
        scenarios=promise_notes(protection.table.schema, maker.settings.requirement),
        attributes=side_by_side.attributes,
        method=public_sentences(choice.candidate.making),
        points=build_points(protection, choice, bounds or {}),
        reason=choice.reason,
        measures=tuple(measure_note(name, value) for name, value in finding.measures.items()),
        before=model_note(protection.findings[ORIGINAL].audit),
        after=model_note(finding.audit),
        attacks=tuple(_attack_notes(finding.audit)),
        rules=rule_violations(file.masked),
        spreads=side_by_side.spreads,
        associations=side_by_side.associations,
        matrices=_matrices(protection, choice.candidate, file.repaired),
        searches=tuple(
            _search_note(protection, name, share) for name, share in protection.shares.items()
        ),
        notes=protection.notes,
        bounds=dict(bounds or {}),
        kept=protection.kept.compare(file.masked) if protection.kept else (),
        group_means=group_means(protection.table, file.masked, side_by_side.attributes),
        phases={name: round(took, 1) for name, took in protection.phases.items()},
        loss_parts=loss_note(loss.assess(file.masked)) if isinstance(loss, LossReading) else None,
        explanation=explain(
            maker,
            protection.state,
            protection.times if protection.clocked else (),
            choice.candidate,
        ),
        offers=protection.offers,
    )


def rule_violations(masked: Table) -> dict[str, int]:
    """Number of released records that violate each edit rule."""
    broken = rules_of(masked.schema).violations(masked)
    return {text: broken.get(text, 0) for text in masked.schema.edits}


def build_points(
    protection: Protection, choice: Choice, bounds: Mapping[str, float] = NO_BOUNDS
) -> PointsNote:
    """All points of the risk-utility map of a protection, with the bounds that they break."""
    candidates = tuple(protection.state.candidates)
    scenarios = scenarios_of(protection.table)
    return PointsNote(
        original=_point_note(protection.original, scenarios),
        chosen=_point_note(choice.candidate, scenarios),
        front=tuple(_point_note(point, bounds=bounds) for point in protection.front),
        others=_thin_out(candidates, protection.front),
        simple=_simple_methods(candidates),
        tried=len(candidates),
        baselines=_with_names(protection.baselines),
    )


def points_without_choice(protection: Protection) -> PointsNote:
    """All points of the map of a protection of which nothing is released."""
    return build_points(protection, Choice(protection.front[0], ""))


def _with_names(points: Mapping[str, FrontPoint]) -> tuple[PointNote, ...]:
    return tuple(msgspec.structs.replace(_point_note(p), method=name) for name, p in points.items())


def _point_note(
    candidate: FrontPoint,
    scenarios: Sequence[Scenario] = (),
    bounds: Mapping[str, float] = NO_BOUNDS,
) -> PointNote:
    risk, columns = candidate.assessment, (*ERROR_NAMES.values(), MEAN_ERROR)
    return PointNote(
        point=candidate.point,
        search=candidate.search,
        method=method_text(candidate),
        loss=candidate.loss,
        risk=candidate.risk,
        parts=None if risk is None else risk_note(risk, scenarios),
        file=candidate.number,
        errors={n: error for n, error in candidate.errors.items() if n not in columns},
        **{name: candidate.errors.get(name) for name in columns},
        breaks=candidate.broken(bounds),
    )


def risk_note(assessment: RiskAssessment, scenarios: Sequence[Scenario] = ()) -> RiskNote:
    """Components of a risk, for the record.

    Args:
        scenarios: what intruders know, to describe them.
    """
    percents = {name: part.percent for name, part in assessment.parts.items()}
    known = {scenario.name: scenario for scenario in scenarios}
    return RiskNote(
        reidentification=percents["reidentification"],
        attribute_disclosure=percents.get("attribute_disclosure"),
        confidential=percents.get("confidential"),
        largest=assessment.kind,
        attacker=assessment.worst.sentence,
        error=assessment.worst.error,
        people=assessment.people,
        expected=assessment.expected,
        control=assessment.control,
        scenarios=tuple(_scenario_note(one, known.get(one.name)) for one in assessment.scenarios),
        scenario=assessment.worst.scenario,
        attribute=assessment.confidential.attribute if assessment.confidential else "",
        interval=assessment.worst.interval,
    )


def _scenario_note(risk: ScenarioRisk, scenario: Scenario | None) -> ScenarioNote:
    percents = {name: part.percent for name, part in risk.parts.items()}
    return ScenarioNote(
        name=risk.name,
        reidentification=percents["reidentification"],
        attribute_disclosure=percents.get("attribute_disclosure"),
        confidential=percents.get("confidential"),
        at_risk=risk.at_risk,
        attribute=risk.confidential.attribute if risk.confidential else "",
        intruder=describe_intruder(scenario) if scenario else "",
        intervals={name: part.interval for name, part in risk.parts.items()},
        individuals=risk.individuals,
        counts_households=risk.counts_households,
    )


def scenarios_of(original: Table) -> tuple[Scenario, ...]:
    """Scenarios in which the risk of masked versions of a table is assessed."""
    return DisclosureRisk(original.schema.quasi_identifiers).against(original).scenarios


def loss_note(found: LossAssessment) -> LossNote:
    """Information loss in its parts, for the record."""
    pairs = sorted(found.pairs, key=lambda pair: -pair.association * pair.lost)
    return LossNote(
        accuracy=found.accuracy,
        distributions=found.distributions,
        relations=found.relations,
        attributes={
            name: AttributeLossNote(one.accuracy, one.distributions, one.relations)
            for name, one in found.attributes.items()
        },
        pairs=tuple(
            PairNote(pair.first, pair.second, pair.association, pair.lost)
            for pair in pairs[:MOST_PAIRS]
        ),
    )


def _thin_out(
    candidates: Iterable[FrontPoint], front: Iterable[FrontPoint]
) -> tuple[PointNote, ...]:
    """Dominated candidates, thinned to one per map cell; the best ones if there are many."""
    numbers = {candidate.number for candidate in front}
    places: dict[tuple[int, int], FrontPoint] = {}
    for candidate in candidates:
        if candidate.number not in numbers:
            places.setdefault((round(2 * candidate.loss), round(2 * candidate.risk)), candidate)
    best = sorted(places.values(), key=lambda candidate: (candidate.worst, candidate.number))
    return tuple(map(_point_note, best[:MOST_OTHERS]))


def _simple_methods(candidates: Sequence[FrontPoint]) -> tuple[PointNote, ...]:
    """The balanced candidate of each simple method, for the best methods."""
    found: dict[str, list[FrontPoint]] = {}
    for candidate in candidates:
        if candidate.search == DESIGN:
            found.setdefault(simple_name(candidate.making), []).append(candidate)
    best = {name: balanced(some) for name, some in found.items() if name}
    chosen = sorted(best, key=lambda name: (best[name].worst, name))[:MOST_SIMPLE]
    return _with_names({name: best[name] for name in chosen})


def measure_note(name: str, value: float) -> MeasureNote:
    """A measure of the released file, with its description."""
    about = describe_measure(name)
    return MeasureNote(
        name, about.title, str(about.side), str(about.direction), about.meaning, value
    )


def _attack_notes(found: Audit) -> Iterable[AttackNote]:
    for one in found.attacks:
        yield AttackNote(
            one.name, one.title, one.sentence, one.success, one.control, one.unmasked or 0.0
        )


def _search_note(protection: Protection, name: str, share: float) -> SearchNote:
    state = protection.state
    effort = protection.efforts[name]
    return SearchNote(
        name=name,
        evaluations=effort.bred + effort.trials + effort.files,
        share=share,
        points=sum(candidate.search == name for candidate in protection.front),
        evolution=_evolution(state, name),
        operators=tuple(
            OperatorNote(operator, row.children, row.entered, row.improved)
            for operator, row in state.operators.items()
            if is_main_search(name)
        ),
        does=DESIGN_SUMMARY if name == DESIGN else summary_of(search_of(Specialist(name))),
        files=effort.files,
        seconds=round(effort.cost, 1) if protection.clocked else None,
    )


def _evolution(state: EngineState, name: str) -> tuple[tuple[int, float], ...]:
    """Best score of a search by the evaluations that all searches had used."""
    used = {row.generation: row.evaluations for row in state.rounds}
    own = [
        (used.get(candidate.round, state.evaluations), candidate.worst)
        for candidate in state.candidates
        if candidate.search == name
    ]
    best = accumulate((score for _, score in own), min)
    by_round = {evaluations: score for (evaluations, _), score in zip(own, best, strict=True)}
    return tuple(by_round.items())


def _matrices(
    protection: Protection, candidate: FrontPoint, repaired: Mapping[str, float]
) -> tuple[MatrixNote, ...]:
    """Transition matrices of the chosen file, and what enforcement changed after them."""
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


def _formula(making: Provenance, name: str) -> str:
    """The formula of an attribute's matrix; empty if there is none."""
    formulas = (s.parameters.get("formula", "") for s in making.steps if name in s.attributes)
    return str(next(filter(None, formulas), ""))


def matrix_note(
    original: Table, name: str, matrix: Transitions, repaired: float = 0.0, formula: str = ""
) -> MatrixNote:
    """A transition matrix for the record, its rare categories marked.

    Args:
        formula: its origin; a formula that uses the frequencies reveals them.
    """
    frequencies = category_frequencies(original, name)
    return MatrixNote(
        attribute=name,
        categories=tuple(category or "missing" for category in original.attribute(name).categories),
        rows=tuple(tuple(map(float, row)) for row in matrix),
        invariant=frequency_shift(matrix, frequencies) * len(original) < INVARIANCE_TOLERANCE,
        rare=tuple(map(bool, frequencies < MINIMUM)),
        repaired=repaired,
        designed=is_designed(matrix, frequencies) or depends_on_frequencies(formula),
    )


def _json_types(values: Mapping[str, object]) -> dict[str, Any]:
    """Values as decoded from JSON: lists instead of tuples."""
    read: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(dict(values)))
    return read


def model_note(found: Audit) -> ModelNote:
    """Privacy models, record and household risk, and special uniques of one file."""
    risk = found.record_risk
    return ModelNote(
        k=found.k,
        uniques=found.uniques,
        l=found.l,
        t=found.t,
        record_risk=risk.average,
        cells=msgspec.convert(risk.cells, tuple[RiskCell, ...], from_attributes=True),
        expected=risk.expected,
        households=_household_note(found.households) if found.households else None,
        special=msgspec.convert(found.special, SpecialNote | None, from_attributes=True),
        population=tuple(map(population_note, found.population)),
    )


def _household_note(risk: HouseholdRisk) -> HouseholdNote:
    cells = tuple(RiskCell(cell.low, cell.high, cell.households) for cell in risk.cells)
    shares = risk.average, risk.expected, risk.of_records
    return HouseholdNote(risk.households, *shares, cells, risk.most_exposed)
