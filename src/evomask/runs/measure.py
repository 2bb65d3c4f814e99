"""Measure a masked file against its original: loss, risk, and every applicable measure."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.io.dialects import Dialect
from evomask.io.files import check_not_input, write_text
from evomask.io.masked_tables import masked_version, match_records
from evomask.io.sources import Source
from evomask.io.tables import read_source
from evomask.masking.enforce.enforcement import broken_rules
from evomask.measures.analyses.analyses import NO_ANALYSES, AnalysesToPreserve
from evomask.measures.analyses.estimates import AnalysisComparison
from evomask.measures.attacks.audit import are_in_order
from evomask.measures.catalogue import (
    ABOUT,
    applicable_measures,
    describe_measure,
    sample_sizes,
    select_measures,
)
from evomask.measures.disclosure.population import PopulationRisk, population_risks
from evomask.measures.disclosure.risk import DisclosureRisk, RiskAssessment
from evomask.measures.loss.loss import LossAssessment, LossReading, parse_loss_weights
from evomask.measures.loss.similarity import Similarity, similarity
from evomask.measures.measure import About
from evomask.measures.profiles import Profile, profile, scope
from evomask.runs.inputs import Input, Loaded, load, load_control
from evomask.runs.purposes import expand_purposes
from evomask.types import Indices

Explanation = About

MOST_GROUPS = 5
"""Warnings of groups that lose most; the outcome has all of them."""


@dataclass(frozen=True)
class Measuring:
    """Options for measuring masked records, in files or in memory.

    Args:
        measures: names of measures; all applicable ones by default.
        profile: measures that define loss and risk: ``strict`` or ``papers``.
        exact: whether every record is a target of the attacks, however many there are.
        keep: analyses to compare, besides those of the schema.
        key: column of both files by which records are matched; by position without one. Records
            of the original that are not in the masked file are then its control group.
        loss: weights of the parts of the loss.
        control: file of people who are not in the masked file, with the columns of the original.
    """

    measures: tuple[str, ...] = ()
    profile: str = "strict"
    exact: bool = False
    keep: AnalysesToPreserve = NO_ANALYSES
    key: str = ""
    loss: str = ""
    control: Path | None = None


DEFAULT_MEASURING = Measuring()


@dataclass(frozen=True)
class MeasureOutcome:
    """Measures in percent; lower is better.

    Args:
        losses: information loss of each attribute.
        loss_parts: components of the loss; None under the profile ``papers``.
        assessment, original: components of the risk of the masked file and of the original; None
            under the profile ``papers``.
        population, original_population: risk in the population by scenario, of the masked file
            and of the original.
        sampled: number of records of measures that use a fixed sample.
        similarity: pMSE, SPECKS and distances of distributions, and groups that lose most.
    """

    profile: str
    attributes: tuple[str, ...]
    records: int
    loss: float
    risk: float
    measures: Mapping[str, float]
    notes: tuple[str, ...]
    losses: Mapping[str, float]
    loss_parts: LossAssessment | None
    assessment: RiskAssessment | None
    original: RiskAssessment | None
    sampled: Mapping[str, int]
    kept: tuple[AnalysisComparison, ...] = ()
    population: tuple[PopulationRisk, ...] = ()
    original_population: tuple[PopulationRisk, ...] = ()
    similarity: Similarity | None = None

    @property
    def score_mean(self) -> float:
        """Mean of loss and risk."""
        return (self.loss + self.risk) / 2

    @property
    def score_worst(self) -> float:
        """The larger of loss and risk."""
        return max(self.loss, self.risk)

    def as_json(self) -> dict[str, object]:
        """Outcome as a JSON object."""
        return {
            "profile": self.profile,
            "records": self.records,
            "attributes": list(self.attributes),
            "loss": self.loss,
            "loss_parts": self.loss_parts.as_json() if self.loss_parts else None,
            "risk": self.risk,
            "risk_parts": self.assessment.as_json() if self.assessment else None,
            "original_risk": self.original.risk if self.original else None,
            "original_risk_parts": self.original.as_json() if self.original else None,
            "losses": dict(self.losses),
            "sampled": dict(self.sampled),
            "score_mean": self.score_mean,
            "score_worst": self.score_worst,
            "measures": dict(self.measures),
            "population": [risk.as_json() for risk in self.population],
            "original_population": [risk.as_json() for risk in self.original_population],
            "kept": [asdict(statistic) for statistic in self.kept],
            "similarity": self.similarity.as_json() if self.similarity else None,
            "notes": list(self.notes),
        }


def measure_files(
    original: Input, masked: Path, how: Measuring = DEFAULT_MEASURING
) -> MeasureOutcome:
    """Load both files with one schema and measure the masked one."""
    profile(how.profile)
    loaded = load(original)
    control = None
    if how.control is not None:
        control, notes = load_control(how.control, loaded)
        loaded = replace(loaded, notes=(*loaded.notes, *notes))
    dialect = Dialect(missing=loaded.dialect.missing if loaded.dialect else ())
    return measure_loaded(loaded, read_source(masked, dialect), how, control)


def measure_loaded(
    loaded: Loaded, source: Source, how: Measuring, control: Table | None = None
) -> MeasureOutcome:
    """Measure a masked file that was read against its original.

    Args:
        control: original records of people who are not in the masked file.
    """
    pair = profile(how.profile)
    masked = masked_version(loaded.table, source, loaded.trees)
    if how.key:
        everybody = loaded.table
        loaded, gone = _match(how.key, loaded, source)
        control = control if control is not None or not len(gone) else everybody.take(gone)
    elif not are_records_in_order(masked, loaded.table):
        loaded = replace(loaded, notes=(*loaded.notes, OTHER_ORDER))
    names = scope(loaded.table, masked)
    risk, assessment, before = pair.reported(names, exact=how.exact), None, None
    if isinstance(risk, DisclosureRisk):
        reading = risk.against(loaded.table, control)
        assessment, before = reading.assess(masked), reading.of_original
    notes = loaded.notes
    if control is None and assessment is not None:
        notes = (*notes, NO_CONTROL)
    loss = pair.loss_by_weights(names, parse_loss_weights(how.loss)).against(loaded.table)
    parts = loss.assess(masked) if isinstance(loss, LossReading) else None
    measures = _values(how, loaded.table, masked, names)
    sampled = {} if how.exact else sample_sizes(loaded.table.schema, names, len(loaded.table))
    keep, uses = expand_purposes(loaded.keep + how.keep, loaded.table)
    kept = keep.against(loaded.table).compare(masked)
    near = similarity(loaded.table, masked, names)
    return MeasureOutcome(
        profile=pair.name,
        attributes=names,
        records=len(loaded.table),
        loss=parts.loss if parts else loss(masked),
        risk=assessment.risk if assessment else risk.against(loaded.table)(masked),
        measures=measures,
        notes=(
            *notes,
            *uses,
            *broken_rules(loaded.table, masked),
            *(group.sentence for group in near.groups[:MOST_GROUPS]),
        ),
        losses=_losses(parts, pair, loaded.table, masked, names),
        loss_parts=parts,
        assessment=assessment,
        original=before,
        sampled={name: records for name, records in sampled.items() if name in measures},
        kept=kept,
        population=population_risks(masked, every_model=True),
        original_population=population_risks(loaded.table, every_model=True),
        similarity=near,
    )


def _losses(
    parts: LossAssessment | None,
    pair: Profile,
    original: Table,
    masked: Table,
    names: tuple[str, ...],
) -> dict[str, float]:
    """Information loss of each attribute: the mean of its parts, or the published loss of it."""
    if parts is None:
        return {name: pair.loss((name,)).against(original)(masked) for name in names}
    return {name: one.loss for name, one in parts.attributes.items()}


NO_CONTROL = (
    "without a control group, attribute disclosure is measured against guessing and includes "
    "inferences from the statistics of the file; give records of other people with --control"
)

OTHER_ORDER = (
    "the masked records seem to be in another order than the original, but are compared by "
    "position, so these measures are invalid; name a key column of both files with --key"
)


def are_records_in_order(masked: Table, original: Table) -> bool:
    """Whether masked records seem to be in the order of their originals."""
    names = [name for name in original.schema.quasi_identifiers if name in masked.schema]
    return not names or len(masked) != len(original) or are_in_order(masked, original)


def _match(key: str, loaded: Loaded, source: Source) -> tuple[Loaded, Indices]:
    """Reorder the original by the records of the masked file; return those that it has not."""
    records = match_records(key, loaded.origin, source)
    gone = np.setdiff1d(np.arange(len(loaded.table)), records)
    note = (f"{len(gone)} records of the original are not in the masked file",) if len(gone) else ()
    table = loaded.table.take(records)
    return replace(loaded, table=table, notes=(*loaded.notes, *note)), gone


def _values(
    how: Measuring, original: Table, masked: Table, names: tuple[str, ...]
) -> dict[str, float]:
    if how.measures:
        measures = select_measures(original, names, how.measures, exact=how.exact)
    else:
        measures = applicable_measures(original.schema, names, len(original), exact=how.exact)
    return {name: measure.against(original)(masked) for name, measure in measures.items()}


def write_similarity_page(
    outcome: MeasureOutcome, name: str, path: Path, *, inputs: Iterable[Path] = ()
) -> None:
    """Write k-marginals, similarity and analyses of a masked file as a page."""
    from evomask.report.similarity import similarity_page

    if outcome.similarity is None:
        raise ParameterError("a page needs two files that are compared in memory")
    check_not_input(path, inputs)
    page = similarity_page(name, outcome.loss, outcome.risk, outcome.similarity, outcome.kept)
    write_text(path, page, force=True)


explain = describe_measure


def every_measure() -> tuple[Explanation, ...]:
    """Explanations of all measures."""
    return tuple(ABOUT.values())
