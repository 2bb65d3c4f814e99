"""Rank swapping (Moore, 1996): values change places with others of a near rank."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.arrays import Indices
from evomask.data.schema import Attribute
from evomask.data.table import Column, Table
from evomask.errors import ParameterError
from evomask.masking.checks import (
    ordered_attribute,
    require_attributes,
    require_count,
    require_percent,
)
from evomask.masking.method import About


@dataclass(frozen=True)
class RankSwapping:
    """Swap each value with one whose rank lies within a window.

    Args:
        attributes: names of the ordered attributes, masked one at a time.
        window: largest difference of ranks, in percent of the records.
        positions: largest difference of ranks as a number; where given, *window* is not used.

    The distribution of every attribute is kept exactly; the relation between attributes is
    not. Equal values are ranked in random order. Missing values stay where they are.
    """

    about: ClassVar[About] = About(
        name="rank-swapping",
        title="rank swapping",
        steward=(
            "values swapped with others within [{positions} ranks|{window} % of the ranks] "
            "(rank swapping)"
        ),
        public=(
            "Values changed places with others of a near rank, one attribute at a time. Each "
            "single distribution is kept; relations between attributes are weakened."
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
        """Every attribute with its values swapped among near ranks, each on its own."""
        changes: dict[str, Column] = {}
        for name in self.attributes:
            attribute = ordered_attribute(table, name, "rank swapping")
            changes[name] = _swapped(_column(table, name), attribute, self._reach(table), rng)
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


def _column(table: Table, name: str) -> Column:
    return table.codes(name) if table.attribute(name).is_categorical else table.values(name)


def _swapped(column: Column, attribute: Attribute, reach: int, rng: np.random.Generator) -> Column:
    missing = column == attribute.domain_size if attribute.is_categorical else np.isnan(column)
    known = rng.permutation(np.flatnonzero(~missing))
    ranked = known[np.argsort(column[known], kind="stable")]
    masked = column.copy()
    masked[ranked] = column[ranked][swap_partners(len(ranked), reach, rng)]
    return masked


def swap_partners(count: int, reach: int, rng: np.random.Generator) -> Indices:
    """For each rank the rank it swaps with, at most *reach* away.

    From the lowest rank up, each that has no partner yet draws one among the *reach* next
    ranks without a partner; one that finds none stays where it is.
    """
    from evomask.kernels.swapping import partners_within

    return partners_within(rng.random(count), reach)
