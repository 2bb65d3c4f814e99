"""Compare a masked file with its original: every measure that applies, and the pair in short."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evomask.data.frames import Declaration
from evomask.data.recoding import SUPPRESSED, with_suppression
from evomask.data.schema import MISSING, Attribute
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.io.dialects import Dialect
from evomask.io.tables import Source, read_source
from evomask.measures.catalogue import ABOUT, applicable, chosen_measures, explained
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
    """

    original: Input
    masked: Path
    measures: tuple[str, ...] = ()
    profile: str = "strict"


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
    masked = masked_version(loaded.table, source)
    return _measured(job, loaded.table, masked, loaded.notes, pair.name)


def _measured(
    job: MeasureJob, original: Table, masked: Table, notes: tuple[str, ...], name: str
) -> MeasureOutcome:
    names = scope(original, masked)
    if job.measures:
        measures = chosen_measures(original, names, job.measures)
    else:
        measures = applicable(original.schema, names, len(original))
    pair = profile(name)
    return MeasureOutcome(
        name,
        names,
        len(original),
        pair.loss(names).against(original)(masked),
        pair.risk(names).against(original)(masked),
        {key: measure.against(original)(masked) for key, measure in measures.items()},
        notes,
    )


def masked_version(original: Table, source: Source) -> Table:
    """The masked file's records under the original's schema.

    A categorical cell written as suppressed, or empty where the original has no missing
    values, stands for any category.
    """
    present = [a for a in original.schema if a.name in source.frame.columns]
    absent = set(original.schema.quasi_identifiers) - {a.name for a in present}
    if absent:
        raise SchemaError(
            f"the masked file has no column {min(absent)!r}; "
            "measure what both files have with --quasi"
        )
    table = source.table({a.name: _declared(a) for a in present}).only(a.name for a in present)
    return _under(original, table, (a for a in present if a.is_categorical))


def _declared(attribute: Attribute) -> Declaration:
    known = attribute.categories[: attribute.domain_size]
    extra = () if SUPPRESSED in known else (SUPPRESSED,)
    categories = (*known, *extra, MISSING) if attribute.is_categorical else ()
    return Declaration(
        attribute.kind, attribute.role, categories, attribute.decimals, notes=attribute.notes
    )


def _under(original: Table, masked: Table, categorical: Iterable[Attribute]) -> Table:
    """The categorical columns with the original's categories, suppressed cells told apart."""
    schema = original.schema.only(masked.schema.names)
    columns = dict(masked.columns)
    suppressed = {}
    for attribute in categorical:
        codes = masked.codes(attribute.name)
        anything = codes >= attribute.domain_size
        if attribute.has_missing:
            missing = codes == len(masked.attribute(attribute.name).categories) - 1
            codes = np.where(missing, attribute.domain_size, codes)
            anything = anything & ~missing
        columns[attribute.name] = np.where(anything, len(attribute.categories), codes)
        if anything.any():
            suppressed[attribute.name] = with_suppression(attribute)
    return Table(schema, columns, suppressed)


def explain(name: str) -> Explanation:
    """What one measure means, for someone who is not an expert."""
    return explained(name)


def every_measure() -> tuple[Explanation, ...]:
    """What every measure says of itself."""
    return tuple(ABOUT.values())
