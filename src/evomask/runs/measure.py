"""Measure a masked file against its original: loss, risk, and every applicable measure."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from evomask.data.table import Table
from evomask.io.dialects import Dialect
from evomask.io.masked_tables import masked_version, matched_records
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
from evomask.measures.disclosure.risk import RiskAssessment, StrictReading
from evomask.measures.measure import About
from evomask.measures.profiles import profile, scope
from evomask.runs.inputs import Input, Loaded, load

Explanation = About


@dataclass(frozen=True)
class Measuring:
    """Options for measuring masked records, in files or in memory.

    Args:
        measures: names of measures; all applicable ones by default.
        profile: measures that define loss and risk: ``strict`` or ``papers``.
        exact: whether every record is a target of the attacks, however many there are.
        keep: tables and models to compare, besides those of the schema.
        key: column of both files by which records are matched; by position without one.
    """

    measures: tuple[str, ...] = ()
    profile: str = "strict"
    exact: bool = False
    keep: AnalysesToPreserve = NO_ANALYSES
    key: str = ""


DEFAULT_MEASURING = Measuring()


@dataclass(frozen=True)
class MeasureOutcome:
    """Measures in percent; lower is better.

    Args:
        losses: information loss of each attribute alone.
        judged, original: components of the risk of the masked file and of the original; None
            under the profile ``papers``.
        sampled: number of records of measures that use a fixed sample.
    """

    profile: str
    attributes: tuple[str, ...]
    records: int
    loss: float
    risk: float
    measures: Mapping[str, float]
    notes: tuple[str, ...]
    losses: Mapping[str, float]
    judged: RiskAssessment | None
    original: RiskAssessment | None
    sampled: Mapping[str, int]
    kept: tuple[AnalysisComparison, ...] = ()

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
            "risk": self.risk,
            "risk_parts": self.judged.as_json() if self.judged else None,
            "original_risk": self.original.risk if self.original else None,
            "original_risk_parts": self.original.as_json() if self.original else None,
            "losses": dict(self.losses),
            "sampled": dict(self.sampled),
            "score_mean": self.score_mean,
            "score_worst": self.score_worst,
            "measures": dict(self.measures),
            "kept": [asdict(statistic) for statistic in self.kept],
            "notes": list(self.notes),
        }


def measure_files(
    original: Input, masked: Path, how: Measuring = DEFAULT_MEASURING
) -> MeasureOutcome:
    """Load both files with one schema and measure the masked one."""
    profile(how.profile)
    loaded = load(original)
    missing = loaded.dialect.missing if loaded.dialect else ()
    return measure_loaded(loaded, read_source(masked, Dialect(missing=missing)), how)


def measure_loaded(loaded: Loaded, source: Source, how: Measuring) -> MeasureOutcome:
    """Measure a masked file that was read against its original."""
    pair = profile(how.profile)
    masked = masked_version(loaded.table, source, loaded.trees)
    if how.key:
        loaded = _match(how.key, loaded, source)
    elif not are_records_in_order(masked, loaded.table):
        loaded = replace(loaded, notes=(*loaded.notes, OTHER_ORDER))
    names = scope(loaded.table, masked)
    risk = pair.reported(names, exact=how.exact).against(loaded.table)
    judged = risk.judged(masked) if isinstance(risk, StrictReading) else None
    measures = _values(how, loaded.table, masked, names)
    sampled = {} if how.exact else sample_sizes(loaded.table.schema, names, len(loaded.table))
    kept = (how.keep + loaded.keep).against(loaded.table).compare(masked)
    return MeasureOutcome(
        profile=pair.name,
        attributes=names,
        records=len(loaded.table),
        loss=pair.loss(names).against(loaded.table)(masked),
        risk=judged.risk if judged else risk(masked),
        measures=measures,
        notes=(*loaded.notes, *broken_rules(loaded.table, masked)),
        losses={name: pair.loss((name,)).against(loaded.table)(masked) for name in names},
        judged=judged,
        original=risk.of_original if isinstance(risk, StrictReading) else None,
        sampled={name: records for name, records in sampled.items() if name in measures},
        kept=kept,
    )


OTHER_ORDER = (
    "the records do not seem to be in the original's order, and are compared by position: "
    "the measures below do not hold; name a column that both files have with --key"
)


def are_records_in_order(masked: Table, original: Table) -> bool:
    """Whether masked records seem to be in the order of their originals."""
    names = [name for name in original.schema.quasi_identifiers if name in masked.schema]
    return not names or len(masked) != len(original) or are_in_order(masked, original)


def _match(key: str, loaded: Loaded, source: Source) -> Loaded:
    """Reorder the original by the records of the masked file."""
    records = matched_records(key, loaded.origin, source)
    gone = len(loaded.table) - len(records)
    note = (f"{gone} records of the original are not in the masked file",) if gone else ()
    return replace(loaded, table=loaded.table.take(records), notes=(*loaded.notes, *note))


def _values(
    how: Measuring, original: Table, masked: Table, names: tuple[str, ...]
) -> dict[str, float]:
    if how.measures:
        measures = select_measures(original, names, how.measures, exact=how.exact)
    else:
        measures = applicable_measures(original.schema, names, len(original), exact=how.exact)
    return {name: measure.against(original)(masked) for name, measure in measures.items()}


explain = describe_measure


def every_measure() -> tuple[Explanation, ...]:
    """Explanations of all measures."""
    return tuple(ABOUT.values())
