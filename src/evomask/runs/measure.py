"""Compare a masked file with its original: every measure that applies, and the pair in short."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evomask.data.table import Table
from evomask.io.dialects import Dialect
from evomask.io.masked import masked_version
from evomask.io.tables import read_source
from evomask.masking.guarantees.fulfilment import broken_rules
from evomask.measures.catalogue import ABOUT, applicable, chosen_measures, explained
from evomask.measures.keeping.estimates import KeptStatistic
from evomask.measures.keeping.keeping import NO_STATISTICS, Keeping
from evomask.measures.measure import About
from evomask.measures.profiles import profile, scope
from evomask.runs.inputs import Input, load

Explanation = About


@dataclass(frozen=True)
class MeasureJob:
    """Which files to compare, and how.

    Args:
        measures: names of the measures wanted; all that apply by default.
        profile: which risk is the risk: ``strict`` or ``papers``.
        keep: tables and models to compare, besides those that the schema names.
    """

    original: Input
    masked: Path
    measures: tuple[str, ...] = ()
    profile: str = "strict"
    keep: Keeping = NO_STATISTICS


@dataclass(frozen=True)
class MeasureOutcome:
    """What was measured, all in percent, lower is better."""

    profile: str
    attributes: tuple[str, ...]
    records: int
    loss: float
    risk: float
    measures: Mapping[str, float]
    notes: tuple[str, ...]
    kept: tuple[KeptStatistic, ...] = ()

    @property
    def score_mean(self) -> float:
        """Average of loss and risk."""
        return (self.loss + self.risk) / 2

    @property
    def score_worst(self) -> float:
        """The larger of loss and risk."""
        return max(self.loss, self.risk)


def measure_files(job: MeasureJob) -> MeasureOutcome:
    """Read both files under one schema and measure the masked one."""
    pair = profile(job.profile)
    loaded = load(job.original)
    missing = loaded.dialect.missing if loaded.dialect else ()
    source = read_source(job.masked, Dialect(missing=missing))
    masked = masked_version(loaded.table, source, loaded.trees)
    names = scope(loaded.table, masked)
    kept = (job.keep + loaded.keep).against(loaded.table).compare(masked)
    return MeasureOutcome(
        pair.name,
        names,
        len(loaded.table),
        pair.loss(names).against(loaded.table)(masked),
        pair.risk(names).against(loaded.table)(masked),
        _each(job.measures, loaded.table, masked, names),
        (*loaded.notes, *broken_rules(loaded.table, masked)),
        kept,
    )


def _each(
    wanted: tuple[str, ...], original: Table, masked: Table, names: tuple[str, ...]
) -> dict[str, float]:
    if wanted:
        measures = chosen_measures(original, names, wanted)
    else:
        measures = applicable(original.schema, names, len(original))
    return {name: measure.against(original)(masked) for name, measure in measures.items()}


def explain(name: str) -> Explanation:
    """What one measure means, for someone who is not an expert."""
    return explained(name)


def every_measure() -> tuple[Explanation, ...]:
    """What every measure says of itself."""
    return tuple(ABOUT.values())
