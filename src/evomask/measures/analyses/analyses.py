"""Analyses to preserve: prepared once for an original, and compared on each masked file."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np

from evomask.data.table import Table
from evomask.errors import EvomaskError
from evomask.measures.analyses.estimates import AnalysisComparison, verdict_of
from evomask.measures.analyses.indicators import PreparedIndicator, prepare_indicator
from evomask.measures.analyses.models import PreparedModel, prepare_model
from evomask.measures.analyses.parser import (
    IndicatorSpec,
    ModelSpec,
    TableSpec,
    parse_indicator,
    parse_model,
    parse_table,
    split_limit,
)
from evomask.measures.analyses.records import AnalysedFile, OriginalFile
from evomask.measures.analyses.replicates import Replicates, replicates_of
from evomask.measures.analyses.tables import PreparedTable, prepare_table
from evomask.measures.measure import check_masked, check_original

MEAN_ERROR = "analysis_error"
"""Name of the mean error of all analyses, where it is an objective."""

ERROR_NAMES = {kind: f"{kind}_error" for kind in ("table", "model", "indicator")}
"""Name of the largest error of each kind of analysis."""

LEAST_VAGUE = 0.001
"""Share of variation within cells that a note names."""

KINDS = ("tables", "models", "indicators")

PreparedAnalysis = PreparedTable | PreparedModel | PreparedIndicator


@dataclass(frozen=True)
class AnalysesToPreserve:
    """Analyses that masking should preserve, as text, with limits of their errors.

    Args:
        tables: such as ``education x sex: mean hours``.
        models: such as ``income ~ age + education``.
        indicators: such as ``gini(income) by region``.
        uses: purposes in words, for which analyses have yet to be found (`runs.purposes`).
        objective: whether their mean error is an objective beside loss and risk.
        replicates: replicate weights or units by which intervals are computed (`replicates`).
    """

    tables: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    indicators: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    objective: bool = field(default=False, kw_only=True)
    replicates: str = field(default="", kw_only=True)

    def __bool__(self) -> bool:
        return bool(self.tables or self.models or self.indicators)

    def __add__(self, other: "AnalysesToPreserve") -> "AnalysesToPreserve":
        """Union of both, without duplicates; of two limits the later one holds."""
        return AnalysesToPreserve(
            _union(self.tables + other.tables),
            _union(self.models + other.models),
            _union(self.indicators + other.indicators),
            _union(self.uses + other.uses),
            objective=self.objective or other.objective,
            replicates=other.replicates or self.replicates,
        )

    def possible_in(self, sample: Table) -> "AnalysesToPreserve":
        """Return the analyses that a table has the columns and enough records for."""

        def possible(kind: str) -> tuple[str, ...]:
            found = []
            for text in getattr(self, kind):
                single = AnalysesToPreserve(*((text,) if kind == one else () for one in KINDS))
                with suppress(EvomaskError):
                    single.against(sample)
                    found.append(text)
            return tuple(found)

        return AnalysesToPreserve(*map(possible, KINDS), objective=self.objective)

    @property
    def limits(self) -> dict[str, float]:
        """Limits of the errors of single analyses, by reading."""
        texts = map(split_limit, (*self.tables, *self.models, *self.indicators))
        return {error_reading(text): limit for text, limit in texts if limit is not None}

    def against(self, original: Table) -> "PreparedAnalyses":
        """Compute the analyses of the original; raise if one is invalid or not computable."""
        tables = [parse_table(text) for text in self.tables]
        models = [parse_model(text) for text in self.models]
        indicators = [parse_indicator(text) for text in self.indicators]
        check_original(original, ())
        file = OriginalFile(original)
        return PreparedAnalyses(
            file,
            {
                "table": tuple(prepare_table(spec, file) for spec in tables),
                "model": tuple(prepare_model(spec, file) for spec in models),
                "indicator": tuple(prepare_indicator(spec, file) for spec in indicators),
            },
            self.objective,
            replicates_of(self.replicates, original) if self.replicates else None,
        )


NO_ANALYSES = AnalysesToPreserve()


def _union(texts: tuple[str, ...]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for text in texts:
        bare, limit = split_limit(text)
        if limit is not None or bare not in found:
            found[bare] = text
    return tuple(found.values())


def error_reading(text: str) -> str:
    """Name of the error of one analysis, among the measures that are bounded."""
    return f"error of {text}"


@dataclass(frozen=True, eq=False)
class PreparedAnalyses:
    """Analyses of an original, ready to be compared with those of its masked files.

    Args:
        by_kind: tables, models and indicators.
        objective: whether errors include the mean of all.
        replicates: replicate weights that intervals are computed by, if there are any.
    """

    original: OriginalFile
    by_kind: Mapping[str, tuple[PreparedAnalysis, ...]]
    objective: bool = False
    replicates: Replicates | None = None

    @property
    def limits(self) -> dict[str, float]:
        """Limits of the errors of single analyses, by reading."""
        specs = (one.wish for some in self.by_kind.values() for one in some)
        return {error_reading(one.text): one.limit for one in specs if one.limit is not None}

    def compare(self, masked: Table) -> tuple[AnalysisComparison, ...]:
        """Compare each analysis before and after masking: tables, models, then indicators."""
        analyses = [analysis for some in self.by_kind.values() for analysis in some]
        for analysis in analyses:
            check_masked(self.original.table, masked, analysis.wish.attributes)
        file = self.original.against(masked)
        found = ((one.compare(file), one) for one in analyses)
        if self.replicates is not None:
            found = ((self.replicates.with_intervals(own, one, file), one) for own, one in found)
        return tuple(_with_vague(own, one.wish, file) for own, one in found)

    def errors(self, masked: Table) -> Mapping[str, float]:
        """Errors in percent, as `errors_of`, without any interval.

        Analyses of unchanged columns are not computed again.
        """
        file = self.original.against(masked)
        found = [
            (
                kind,
                one.wish,
                _joint(one.error(file), file.vague(one.wish.attributes))
                if file.has_changed(one.wish.attributes)
                else 0.0,
            )
            for kind, analyses in self.by_kind.items()
            for one in analyses
        ]
        if not self.objective:
            return _summary(found)
        return {**_summary(found), MEAN_ERROR: float(np.mean([error for *_, error in found]))}


Spec = TableSpec | ModelSpec | IndicatorSpec


def _joint(error: float, vague: float) -> float:
    """Combine the error of an estimate with the share of variation that its cells hide."""
    return 100.0 - (100.0 - error) * (1.0 - vague)


def _with_vague(found: AnalysisComparison, spec: Spec, file: AnalysedFile) -> AnalysisComparison:
    """A comparison with its limit, and an error that counts what the file does not show."""
    vague = file.vague(spec.attributes)
    note = (
        f"{100.0 * vague:.1f} % of the variation of its columns is within generalized, suppressed "
        "and missing cells and counts as an error"
    )
    judged = replace(
        found,
        error=_joint(found.error, vague),
        limit=spec.limit,
        ratio=float(np.mean([one.ratio for one in found.values])) if found.values else None,
        notes=(*found.notes, note) if vague >= LEAST_VAGUE else found.notes,
    )
    return replace(judged, verdict=verdict_of(judged))


def errors_of(comparisons: tuple[AnalysisComparison, ...]) -> Mapping[str, float]:
    """Largest error of each kind of analysis in percent, and that of each with its own limit."""
    return _summary((one.kind, one, one.error) for one in comparisons)


def _summary(
    errors: Iterable[tuple[str, AnalysisComparison | Spec, float]],
) -> Mapping[str, float]:
    largest: dict[str, float] = {}
    single: dict[str, float] = {}
    for kind, one, error in errors:
        name = ERROR_NAMES[kind]
        largest[name] = max(largest.get(name, 0.0), error)
        if one.limit is not None:
            single[error_reading(one.text)] = error
    return largest | single
