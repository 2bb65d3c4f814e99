"""What a generalization costs each use, all in percent: the objectives of many analysts."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evomask.arrays import Codes, Flags, Labels
from evomask.data.table import Table
from evomask.data.trees.making import with_categories
from evomask.errors import ParameterError, SchemaError
from evomask.measures.keeping.keeping import Kept

ANONYMITY, CELLS = "anonymity", "cells"
"""The chance to pick the right one of the smallest class, and the loss of cells."""


@dataclass(frozen=True, eq=False)
class Uses:
    """What several analysts want of one table.

    Args:
        labels: attributes that records are classified by, each an analyst's.
        kept: tables and models that must survive; none where nobody declared any.
    """

    original: Table
    labels: tuple[str, ...]
    kept: Kept | None = None

    def __post_init__(self) -> None:
        for name in self.labels:
            if name not in self.original.schema.names:
                raise SchemaError(f"no attribute {name!r} to classify by; correct --labels")
        if not self.labels and self.kept is None:
            raise ParameterError(
                "several uses need a label, a table or a model; "
                "add --labels, --keep-table or --keep-model"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all objectives, in order."""
        return (ANONYMITY, CELLS, *(f"label {name}" for name in self.labels), *self._statistics)

    @property
    def _statistics(self) -> tuple[str, ...]:
        if self.kept is None:
            return ()
        tables = (f"table {table.wish.text}" for table in self.kept.tables)
        return (*tables, *(f"model {model.wish.text}" for model in self.kept.models))

    @cached_property
    def _codes(self) -> Sequence[Codes]:
        return [with_categories(self.original, name).codes(name) for name in self.labels]

    def misclassified(self, classes: Labels, stays: Flags) -> list[float]:
        """For each label the records that do not have the main one of their class.

        Iyengar's classification metric; a suppressed record is misclassified.
        """
        return [_not_of_the_majority(classes, codes, stays) for codes in self._codes]

    def changed(self, masked: Table) -> list[float]:
        """The error of each table and model."""
        if self.kept is None:
            return []
        return [statistic.error for statistic in self.kept.compare(masked)]


def _not_of_the_majority(classes: Labels, codes: Codes, stays: Flags) -> float:
    counts = np.zeros((int(classes.max()) + 1, int(codes.max()) + 1), dtype=np.int64)
    np.add.at(counts, (classes[stays], codes[stays]), 1)
    return 100.0 * (1.0 - float(counts.max(axis=1).sum()) / len(classes))
