"""Analyses to preserve: prepared once for an original, and compared on each masked file."""

from collections.abc import Mapping
from dataclasses import dataclass

from evomask.data.table import Table
from evomask.measures.analyses.estimates import AnalysisComparison
from evomask.measures.analyses.indicators import PreparedIndicator, prepare_indicator
from evomask.measures.analyses.models import PreparedModel, prepare_model
from evomask.measures.analyses.parser import parse_indicator, parse_model, parse_table
from evomask.measures.analyses.records import OriginalFile
from evomask.measures.analyses.tables import PreparedTable, prepare_table
from evomask.measures.measure import check_masked, check_original

TABLE_ERROR, MODEL_ERROR, INDICATOR_ERROR = "table_error", "model_error", "indicator_error"

ERROR_NAMES = {"table": TABLE_ERROR, "model": MODEL_ERROR, "indicator": INDICATOR_ERROR}
"""Name of the largest error of each kind of analysis."""

PreparedAnalysis = PreparedTable | PreparedModel | PreparedIndicator


@dataclass(frozen=True)
class AnalysesToPreserve:
    """Analyses that masking should preserve, as text.

    Args:
        tables: such as ``education x sex: mean hours``.
        models: such as ``income ~ age + education``.
        indicators: such as ``gini(income) by region``.
    """

    tables: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    indicators: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.tables or self.models or self.indicators)

    def __add__(self, other: "AnalysesToPreserve") -> "AnalysesToPreserve":
        """Union of both, without duplicates."""
        return AnalysesToPreserve(
            tuple(dict.fromkeys(self.tables + other.tables)),
            tuple(dict.fromkeys(self.models + other.models)),
            tuple(dict.fromkeys(self.indicators + other.indicators)),
        )

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
        )


NO_ANALYSES = AnalysesToPreserve()


@dataclass(frozen=True, eq=False)
class PreparedAnalyses:
    """Analyses of an original, ready to be compared with those of its masked files.

    Args:
        by_kind: tables, models and indicators.
    """

    original: OriginalFile
    by_kind: Mapping[str, tuple[PreparedAnalysis, ...]]

    def compare(self, masked: Table) -> tuple[AnalysisComparison, ...]:
        """Compare each analysis before and after masking: tables, models, then indicators."""
        analyses = [analysis for some in self.by_kind.values() for analysis in some]
        for analysis in analyses:
            check_masked(self.original.table, masked, analysis.wish.attributes)
        file = self.original.against(masked)
        return tuple(analysis.compare(file) for analysis in analyses)

    def errors(self, masked: Table) -> Mapping[str, float]:
        """Largest error of each kind in percent, as `errors_of`, without any interval.

        Analyses of unchanged columns are not computed again.
        """
        file = self.original.against(masked)
        found = {}
        for kind, analyses in self.by_kind.items():
            if analyses:
                changed = (one for one in analyses if file.has_changed(one.wish.attributes))
                found[ERROR_NAMES[kind]] = max((one.error(file) for one in changed), default=0.0)
        return found


def errors_of(comparisons: tuple[AnalysisComparison, ...]) -> Mapping[str, float]:
    """Largest error of each kind of analysis in percent; no entry for a kind without any."""
    found: dict[str, float] = {}
    for one in comparisons:
        name = ERROR_NAMES[one.kind]
        found[name] = max(found.get(name, 0.0), one.error)
    return found
