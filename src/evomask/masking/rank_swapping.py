"""Rank swapping (Moore, 1996)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.data.table import Column, Table
from evomask.errors import ParameterError
from evomask.masking.method import (
    About,
    ordered_attribute,
    require_attributes,
    require_count,
    require_percent,
)
from evomask.types import Indices


@dataclass(frozen=True)
class RankSwapping:
    """Swap each value with one whose rank lies within a window.

    Args:
        attributes: names of the ordered attributes, masked one at a time.
        window: largest difference of ranks, in percent of the records.
        positions: largest difference of ranks as a number; replaces *window* if given.

    The distribution of each attribute is preserved exactly; relations between attributes are
    weakened. Ties are ranked in random order. Missing values stay in their records.
    """

    about: ClassVar[About] = About(
        name="rank-swapping",
        title="rank swapping",
        steward="rank swapping (within [{positions} ranks|{window} % of the ranks])",
        public=(
            "Rank swapping was applied: values were swapped between records of similar rank, one "
            "attribute at a time. Univariate distributions are preserved; relations between "
            "attributes are weakened."
        ),
        simple="swapping",
    )

    attributes: tuple[str, ...]
    window: float = 5.0
    positions: int | None = None

    def __post_init__(self) -> None:
        require_attributes(self.attributes, "rank swapping")
        require_percent(self.window, "window")
        if self.positions is not None:
            require_count(self.positions, "positions", least=1)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        changes: dict[str, Column] = {}
        for name in self.attributes:
            ordered_attribute(table, name, "rank swapping")
            changes[name] = _swap(table, name, self._reach(table), rng)
        return table.with_columns(changes)

    def _reach(self, table: Table) -> int:
        if self.positions is None:
            return max(1, int(len(table) * self.window / 100))
        if self.positions >= len(table):
            raise ParameterError(
                f"positions must be below the number of records, got {self.positions} "
                f"for {len(table)}; choose fewer"
            )
        return self.positions


def _swap(table: Table, name: str, reach: int, rng: np.random.Generator) -> Column:
    attribute = table.attribute(name)
    if attribute.is_categorical:
        column: Column = table.codes(name)
        missing = column == attribute.domain_size
    else:
        column = table.values(name)
        missing = np.isnan(column)
    known = rng.permutation(np.flatnonzero(~missing))
    ranked = known[np.argsort(column[known], kind="stable")]
    masked = column.copy()
    masked[ranked] = column[ranked][swap_partners(len(ranked), reach, rng)]
    return masked


def swap_partners(count: int, reach: int, rng: np.random.Generator) -> Indices:
    """Return the swap partner of each rank, at most *reach* ranks away.

    From the lowest rank up, each rank without a partner draws one among the next *reach* ranks
    without a partner; if there is none, it is not swapped.
    """
    from evomask.kernels.swapping import partners_within

    return partners_within(rng.random(count), reach)
