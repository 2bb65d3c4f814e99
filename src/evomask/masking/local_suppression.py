"""Local suppression: single cells are left out until records look alike."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import inf
from typing import ClassVar

import numpy as np

from evomask.arrays import Codes, Flags
from evomask.data.partition import checked_k
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.masking.checks import require_attributes, require_cells
from evomask.masking.method import About
from evomask.masking.suppression.category import category_cells
from evomask.masking.suppression.covering import covering_cells
from evomask.masking.suppression.exact import fewest_cells, is_small
from evomask.masking.suppression.wildcard import wildcard_cells


class Likeness(StrEnum):
    """When two records count as alike although cells are suppressed."""

    CATEGORY = "category"
    COVERING = "covering"
    WILDCARD = "wildcard"


@dataclass(frozen=True)
class LocalSuppression:
    """Suppress few cells, so that no record stands out among fewer than k.

    Args:
        attributes: names of the ordinal, nominal or recoded attributes, masked together.
        k: how many records must be alike.
        matching: ``category``: every released combination, suppressed cells being a value of
            their own, is shared by k records, as an audit counts; ``covering``: every released
            record could be any of k original records; ``wildcard``: every released record
            matches k, where a suppressed cell of either record matches any value.
        importance: what a cell of each attribute is worth, in their order; cells of important
            ones are kept if others can go; for ``category`` alone.

    What is ``category`` is ``covering``, and what is ``covering`` is ``wildcard`` too, not the
    other way round: the fewest cells under ``wildcard`` are a few records wholly suppressed,
    which protect nobody else. Fewest is exact for ``covering``; for the others on small files,
    a good heuristic else.
    """

    about: ClassVar[About] = About(
        name="local-suppression",
        title="local suppression",
        steward="few cells left out, so that no record stands out among fewer than {k}",
        public="Single values were left out where a record would have stood out.",
        together=True,
    )

    attributes: tuple[str, ...]
    k: int = 3
    matching: Likeness = Likeness.CATEGORY
    importance: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        require_attributes(self.attributes, "local suppression")
        checked_k(self.k)
        if self.importance:
            _check_importance(self)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Few cells suppressed; no random number is drawn."""
        k = checked_k(self.k, len(table))
        for name in self.attributes:
            require_cells(table, name)
        rows = np.column_stack([table[name] for name in self.attributes])
        for name, cells in zip(self.attributes, self._cells(rows, k).T, strict=True):
            table = _suppressed(table, name, cells)
        return table

    def _cells(self, rows: Codes, k: int) -> Flags:
        if self.importance:
            return category_cells(rows, k, np.array(self.importance, dtype=np.float64))
        return _FEWEST[self.matching](rows, k)


def _check_importance(method: LocalSuppression) -> None:
    values, names = method.importance, method.attributes
    if len(values) != len(names) or not all(0 < value < inf for value in values):
        raise ParameterError(
            f"importance must name a positive number for each of {', '.join(names)}, "
            f"got {', '.join(f'{value:g}' for value in values)}"
        )
    if method.matching is not Likeness.CATEGORY:
        raise ParameterError(
            f"importance needs the matching category, and it is {method.matching}; leave one out"
        )


def _fewest_category(rows: Codes, k: int) -> Flags:
    return _better(rows, k, category_cells(rows, k), wildcard=False)


def _fewest_wildcard(rows: Codes, k: int) -> Flags:
    return _better(rows, k, wildcard_cells(rows, k), wildcard=True)


def _better(rows: Codes, k: int, heuristic: Flags, *, wildcard: bool) -> Flags:
    """The exact answer for a small file, if it is found and better."""
    if not heuristic.any() or not is_small(rows):
        return heuristic
    exact = fewest_cells(rows, k, wildcard=wildcard)
    return heuristic if exact is None or exact.sum() >= heuristic.sum() else exact


_FEWEST: Mapping[Likeness, Callable[[Codes, int], Flags]] = {
    Likeness.CATEGORY: _fewest_category,
    Likeness.COVERING: covering_cells,
    Likeness.WILDCARD: _fewest_wildcard,
}


def _suppressed(table: Table, name: str, cells: Flags) -> Table:
    """The table with the flagged cells of one column suppressed."""
    recoding = table.recoding(name)
    codes = np.where(cells, len(recoding.labels), table[name]).astype(np.int32)
    return table.with_recoded(name, codes, recoding.with_suppressed_cell())
