"""Analyses to preserve: tables and models, prepared once and compared on each masked file."""

from collections.abc import Mapping
from dataclasses import dataclass

from evomask.data.table import Table
from evomask.measures.analyses.estimates import AnalysisComparison
from evomask.measures.analyses.models import PreparedModel, prepare_model
from evomask.measures.analyses.parser import parse_model, parse_table
from evomask.measures.analyses.tables import PreparedTable, prepare_table
from evomask.measures.measure import check_masked, check_original

TABLE_ERROR, MODEL_ERROR = "table_error", "model_error"


@dataclass(frozen=True)
class AnalysesToPreserve:
    """Analyses that masking should preserve, as text.

    Args:
        tables: such as ``education x sex: mean hours``.
        models: such as ``income ~ age + education``.
    """

    tables: tuple[str, ...] = ()
    models: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.tables or self.models)

    def __add__(self, other: "AnalysesToPreserve") -> "AnalysesToPreserve":
        """Union of both, without duplicates."""
        return AnalysesToPreserve(
            tuple(dict.fromkeys(self.tables + other.tables)),
            tuple(dict.fromkeys(self.models + other.models)),
        )

    def against(self, original: Table) -> "PreparedAnalyses":
        """Compute the analyses of the original; raise if one is invalid or not computable."""
        tables = [parse_table(text) for text in self.tables]
        models = [parse_model(text) for text in self.models]
        check_original(original, ())
        return PreparedAnalyses(
            original,
            tuple(prepare_table(spec, original) for spec in tables),
            tuple(prepare_model(spec, original) for spec in models),
        )


NO_ANALYSES = AnalysesToPreserve()


@dataclass(frozen=True, eq=False)
class PreparedAnalyses:
    """Analyses of an original, ready to be compared with those of its masked files."""

    original: Table
    tables: tuple[PreparedTable, ...]
    models: tuple[PreparedModel, ...]

    def compare(self, masked: Table) -> tuple[AnalysisComparison, ...]:
        """Compare each analysis before and after masking, tables first."""
        analyses: tuple[PreparedTable | PreparedModel, ...] = (*self.tables, *self.models)
        for analysis in analyses:
            check_masked(self.original, masked, analysis.wish.attributes)
        return tuple(analysis.compare(masked) for analysis in analyses)


def errors_of(comparisons: tuple[AnalysisComparison, ...]) -> Mapping[str, float]:
    """Largest error of the tables and of the models in percent; no entry for a kind without any."""
    by_kind = {
        TABLE_ERROR: [found.error for found in comparisons if found.kind == "table"],
        MODEL_ERROR: [found.error for found in comparisons if found.kind == "model"],
    }
    return {name: max(errors) for name, errors in by_kind.items() if errors}
