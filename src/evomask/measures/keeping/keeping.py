"""What a user wants to keep: tables and models, checked once and compared with every file."""

from collections.abc import Mapping
from dataclasses import dataclass

from evomask.data.table import Table
from evomask.measures.comparability import check_masked, check_original
from evomask.measures.keeping.estimates import KeptStatistic
from evomask.measures.keeping.models import PreparedModel, prepare_model
from evomask.measures.keeping.tables import PreparedTable, prepare_table
from evomask.measures.keeping.wording import model_in, table_in

TABLE_ERROR, MODEL_ERROR = "table_error", "model_error"


@dataclass(frozen=True)
class Keeping:
    """Statistics that must survive, as a user writes them.

    Args:
        tables: such as ``education x sex: mean hours``.
        models: such as ``income ~ age + education``.
    """

    tables: tuple[str, ...] = ()
    models: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.tables or self.models)

    def __add__(self, other: "Keeping") -> "Keeping":
        """All that either wants, each once."""
        return Keeping(
            tuple(dict.fromkeys(self.tables + other.tables)),
            tuple(dict.fromkeys(self.models + other.models)),
        )

    def against(self, original: Table) -> "Kept":
        """The statistics of the original; what cannot be read or made is said in a sentence."""
        tables = [table_in(text) for text in self.tables]
        models = [model_in(text) for text in self.models]
        check_original(original, ())
        return Kept(
            original,
            tuple(prepare_table(wish, original) for wish in tables),
            tuple(prepare_model(wish, original) for wish in models),
        )


NO_STATISTICS = Keeping()


@dataclass(frozen=True, eq=False)
class Kept:
    """Statistics of an original, to be compared with those of its masked files."""

    original: Table
    tables: tuple[PreparedTable, ...]
    models: tuple[PreparedModel, ...]

    def compare(self, masked: Table) -> tuple[KeptStatistic, ...]:
        """Every statistic before and after, tables first."""
        statistics: tuple[PreparedTable | PreparedModel, ...] = (*self.tables, *self.models)
        for statistic in statistics:
            check_masked(self.original, masked, statistic.wish.attributes)
        return tuple(statistic.compare(masked) for statistic in statistics)


def errors_of(found: tuple[KeptStatistic, ...]) -> Mapping[str, float]:
    """The largest error of tables and of models, in percent; none where nothing is to be kept."""
    by_kind = {
        TABLE_ERROR: [statistic.error for statistic in found if statistic.kind == "table"],
        MODEL_ERROR: [statistic.error for statistic in found if statistic.kind == "model"],
    }
    return {name: max(errors) for name, errors in by_kind.items() if errors}
