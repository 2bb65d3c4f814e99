"""Rank swapping (Moore, 1996)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.data.classes import classes_of
from evomask.data.table import Column, Table
from evomask.errors import ParameterError, SchemaError
from evomask.masking.method import (
    About,
    ordered_attribute,
    require_attributes,
    require_count,
    require_percent,
)
from evomask.types import Indices

FEWEST = 10
"""Records of a class that are swapped with one another alone; smaller classes are joined."""


@dataclass(frozen=True)
class RankSwapping:
    """Swap each value with one whose rank lies within a window.

    Args:
        attributes: names of the ordered attributes, masked one at a time.
        window: largest difference of ranks, in percent of the records.
        positions: largest difference of ranks as a number; replaces *window* if given.
        within: attributes in which both records agree, so that the relation with them is preserved;
            records in classes of fewer than ten are swapped with one another. By default none.

    The distribution of each attribute is preserved exactly; relations between attributes are
    weakened. Ties are ranked in random order. Missing values stay in their records.
    """

    about: ClassVar[About] = About(
        name="rank-swapping",
        title="rank swapping",
        steward=(
            "rank swapping (within [{positions} ranks|{window} % of the ranks]"
            "[, between records with the same {within}])"
        ),
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
    within: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        require_attributes(self.attributes, "rank swapping")
        require_percent(self.window, "window")
        if self.positions is not None:
            require_count(self.positions, "positions", least=1)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        if self.positions is not None and self.positions >= len(table):
            raise ParameterError(
                f"positions must be below the number of records, got {self.positions} "
                f"for {len(table)}; choose fewer"
            )
        for name in sorted({*self.attributes} & {*(self.within or ())}):
            raise SchemaError(f"{name!r} is swapped within its own classes; leave it out of one")
        changes: dict[str, Column] = {}
        for name in self.attributes:
            ordered_attribute(table, name, "rank swapping")
            column = (
                table.codes(name) if table.attribute(name).is_categorical else table.values(name)
            )
            changes[name] = column.copy()
            groups = self._groups(table, name)
            known = sum(map(len, groups))
            for records in groups:
                order = rng.permutation(records)
                ranked = order[np.argsort(column[order], kind="stable")]
                reach = self._reach(len(table) * (len(ranked) / known) if known else 0)
                partners = swap_partners(len(ranked), reach, rng)
                changes[name][ranked] = column[ranked][partners]
        return table.with_columns(changes)

    def _groups(self, table: Table, name: str) -> list[Indices]:
        """The records with a value, by the classes between which nothing is swapped."""
        attribute, column = table.attribute(name), table[name]
        is_missing = (
            column == attribute.domain_size if attribute.is_categorical else np.isnan(column)
        )
        known = np.flatnonzero(~is_missing)
        if not self.within:
            return [known]
        classes = classes_of(table, self.within)
        labels = np.where(classes.sizes_of_records < FEWEST, -1, classes.labels)[known]
        order = np.argsort(labels, kind="stable")
        ends = np.flatnonzero(np.diff(labels[order])) + 1
        return np.split(known[order], ends)

    def _reach(self, count: float) -> int:
        """Largest difference of ranks in a group of *count* records."""
        return self.positions or max(1, int(count * self.window / 100))


def swap_partners(count: int, reach: int, rng: np.random.Generator) -> Indices:
    """Return the swap partner of each rank, at most *reach* ranks away.

    From the lowest rank up, each rank without a partner draws one among the next *reach* ranks
    without a partner; if there is none, it is not swapped.
    """
    from evomask.kernels.swapping import partners_within

    return partners_within(rng.random(count), reach)
