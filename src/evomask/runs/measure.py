"""Compare a masked file with its original: every measure that applies, and the pair in short."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from evomask.data.table import Table
from evomask.io.dialects import Dialect
from evomask.io.masked import masked_version, matched_records
from evomask.io.tables import Source, read_source
from evomask.masking.guarantees.fulfilment import broken_rules
from evomask.measures.attacks.audit import are_in_order
from evomask.measures.catalogue import ABOUT, applicable, chosen_measures, explained, samples
from evomask.measures.judging.risk import Judged, StrictReading
from evomask.measures.keeping.estimates import KeptStatistic
from evomask.measures.keeping.keeping import NO_STATISTICS, Keeping
from evomask.measures.measure import About
from evomask.measures.profiles import profile, scope
from evomask.runs.inputs import Input, Loaded, load

Explanation = About


@dataclass(frozen=True)
class Measuring:
    """How masked records are compared with their originals, be they files or at hand.

    Args:
        measures: names of the measures wanted; all that apply by default.
        profile: which pair is the pair: ``strict`` or ``papers``.
        exact: whether attacks are tried on everybody, however many there are.
        keep: tables and models to compare, besides those that the schema names.
        key: column of both files by which records are matched; by their places without one.
    """

    measures: tuple[str, ...] = ()
    profile: str = "strict"
    exact: bool = False
    keep: Keeping = NO_STATISTICS
    key: str = ""


PLAINLY = Measuring()


@dataclass(frozen=True)
class MeasureJob:
    """Which files to compare, and how."""

    original: Input
    masked: Path
    how: Measuring = PLAINLY


@dataclass(frozen=True)
class MeasureOutcome:
    """What was measured, all in percent, lower is better.

    Args:
        losses: of each attribute alone.
        judged, original: the parts of the risk, of the masked file and of releasing the
            original itself; none under the papers' profile.
        sampled: measures that were read from a fixed sample of records, and how many.
    """

    profile: str
    attributes: tuple[str, ...]
    records: int
    loss: float
    risk: float
    measures: Mapping[str, float]
    notes: tuple[str, ...]
    losses: Mapping[str, float]
    judged: Judged | None
    original: Judged | None
    sampled: Mapping[str, int]
    kept: tuple[KeptStatistic, ...] = ()

    @property
    def score_mean(self) -> float:
        """Average of loss and risk."""
        return (self.loss + self.risk) / 2

    @property
    def score_worst(self) -> float:
        """The larger of loss and risk."""
        return max(self.loss, self.risk)

    def as_json(self) -> dict[str, object]:
        """All of it as one object."""
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


def measure_files(job: MeasureJob) -> MeasureOutcome:
    """Read both files under one schema and measure the masked one."""
    profile(job.how.profile)
    loaded = load(job.original)
    missing = loaded.dialect.missing if loaded.dialect else ()
    return measure_loaded(loaded, read_source(job.masked, Dialect(missing=missing)), job.how)


def measure_loaded(loaded: Loaded, source: Source, how: Measuring) -> MeasureOutcome:
    """Measure a masked file at hand against its original."""
    pair = profile(how.profile)
    masked = masked_version(loaded.table, source, loaded.trees)
    if how.key:
        loaded = _matched(how.key, loaded, source)
    elif not seem_in_order(masked, loaded.table):
        loaded = replace(loaded, notes=(*loaded.notes, OTHER_ORDER))
    names = scope(loaded.table, masked)
    read = pair.reported(names, exact=how.exact).against(loaded.table)
    judged = read.judged(masked) if isinstance(read, StrictReading) else None
    measures = _each(how, loaded.table, masked, names)
    sampled = {} if how.exact else samples(loaded.table.schema, names, len(loaded.table))
    kept = (how.keep + loaded.keep).against(loaded.table).compare(masked)
    return MeasureOutcome(
        pair.name,
        names,
        len(loaded.table),
        pair.loss(names).against(loaded.table)(masked),
        judged.risk if judged else read(masked),
        measures,
        (*loaded.notes, *broken_rules(loaded.table, masked)),
        {name: pair.loss((name,)).against(loaded.table)(masked) for name in names},
        judged,
        read.of_original if isinstance(read, StrictReading) else None,
        {name: people for name, people in sampled.items() if name in measures},
        kept,
    )


OTHER_ORDER = (
    "the records do not seem to be in the original's order, and are compared place by place: "
    "what is told below does not hold; name a column that both files have with --key"
)


def seem_in_order(masked: Table, original: Table) -> bool:
    """Whether masked records stand where their originals do, as far as that shows."""
    names = [name for name in original.schema.quasi_identifiers if name in masked.schema]
    return not names or len(masked) != len(original) or are_in_order(masked, original)


def _matched(key: str, loaded: Loaded, source: Source) -> Loaded:
    """The original with the records of the masked file, in its order."""
    records = matched_records(key, loaded.origin, source)
    gone = len(loaded.table) - len(records)
    note = (f"{gone} records of the original are not in the masked file",) if gone else ()
    return replace(loaded, table=loaded.table.take(records), notes=(*loaded.notes, *note))


def _each(
    how: Measuring, original: Table, masked: Table, names: tuple[str, ...]
) -> dict[str, float]:
    if how.measures:
        measures = chosen_measures(original, names, how.measures, exact=how.exact)
    else:
        measures = applicable(original.schema, names, len(original), exact=how.exact)
    return {name: measure.against(original)(masked) for name, measure in measures.items()}


def explain(name: str) -> Explanation:
    """What one measure means, for someone who is not an expert."""
    return explained(name)


def every_measure() -> tuple[Explanation, ...]:
    """What every measure says of itself."""
    return tuple(ABOUT.values())
