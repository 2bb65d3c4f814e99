"""Local suppression: single cells are suppressed until every record matches k records."""

from dataclasses import dataclass
from enum import StrEnum
from math import inf
from typing import ClassVar

import numpy as np

from evomask.data.partition import validate_k
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.masking.method import About, require_attributes
from evomask.masking.suppression.category import category_cells
from evomask.masking.suppression.covering import covering_cells, wildcard_cells
from evomask.masking.suppression.exact import fewest_cells, is_small
from evomask.types import Codes, Flags


class SuppressionMatching(StrEnum):
    """When two records with suppressed cells match."""

    CATEGORY = "category"
    COVERING = "covering"
    WILDCARD = "wildcard"


@dataclass(frozen=True)
class LocalSuppression:
    """Suppress few cells, so that every record matches at least k records.

    Args:
        attributes: names of the ordinal, nominal or recoded attributes, masked together.
        k: number of records that must match.
        matching: ``category``: each released combination, with suppressed as a value of its
            own, is shared by k records, as an audit counts; ``covering``: each released
            record is compatible with k original records; ``wildcard``: each released record
            matches k, where a suppressed cell of either record matches any value.
        importance: cost of suppressing a cell of each attribute, in their order; cells of
            important attributes are suppressed last; only for ``category``.

    A file that satisfies ``category`` satisfies ``covering``, and one that satisfies
    ``covering`` satisfies ``wildcard``, but not conversely: the minimum under ``wildcard`` is a
    few fully suppressed records, which protect no other record. The number of cells is
    minimal for ``covering``; for the others on small files, heuristic otherwise.
    """

    about: ClassVar[About] = About(
        name="local-suppression",
        title="local suppression",
        steward="local suppression (every record matches {k} or more)",
        public=(
            "Local suppression was applied: single values were removed from records with a rare "
            "combination of values."
        ),
        together=True,
    )

    attributes: tuple[str, ...]
    k: int = 3
    matching: SuppressionMatching = SuppressionMatching.CATEGORY
    importance: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        require_attributes(self.attributes, "local suppression")
        validate_k(self.k)
        if self.importance:
            self._check_importance()

    def _check_importance(self) -> None:
        values, names = self.importance, self.attributes
        if len(values) != len(names) or not all(0 < value < inf for value in values):
            raise ParameterError(
                f"importance must name a positive number for each of {', '.join(names)}, "
                f"got {', '.join(f'{value:g}' for value in values)}"
            )
        if self.matching is not SuppressionMatching.CATEGORY:
            raise ParameterError(
                f"importance needs the matching category, and it is {self.matching}; leave one out"
            )

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        k = validate_k(self.k, len(table))
        for name in self.attributes:
            if not table.is_recoded(name):
                table.codes(name)  # raises for a column of numbers
        rows = np.column_stack([table[name] for name in self.attributes])
        for name, cells in zip(self.attributes, self._cells(rows, k).T, strict=True):
            recoding = table.recoding(name)
            codes = np.where(cells, len(recoding.labels), table[name]).astype(np.int32)
            table = table.with_recoded(name, codes, recoding.with_suppressed_cell())
        return table

    def _cells(self, rows: Codes, k: int) -> Flags:
        if self.importance:
            return category_cells(rows, k, np.array(self.importance, dtype=np.float64))
        if self.matching is SuppressionMatching.COVERING:
            return covering_cells(rows, k)
        wildcard = self.matching is SuppressionMatching.WILDCARD
        heuristic = wildcard_cells(rows, k) if wildcard else category_cells(rows, k)
        if not heuristic.any() or not is_small(rows):
            return heuristic
        exact = fewest_cells(rows, k, wildcard=wildcard)
        return heuristic if exact is None or exact.sum() >= heuristic.sum() else exact
