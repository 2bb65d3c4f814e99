"""Intruders on sampled people, with the released records of all parts.

An intruder decides by the records that are nearest to a person. A record that is nearest in the
whole file is nearest in its part; so every part hands over the records nearest to anybody there,
each with how often it occurs, and all of them together tell the same as the whole file would.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from evomask.arrays import Flags, Indices, Points
from evomask.data.table import Table
from evomask.kernels.linking.linkage import Rows
from evomask.measures.categories import Cells
from evomask.measures.judging.released import Distinct, Released, Steps
from evomask.measures.judging.risk import Attack, Judged, Success, worst_of
from evomask.measures.people import CountedSample
from evomask.measures.risk.space import Masked, Space
from evomask.measures.summed.columns import WholeFile
from evomask.measures.summed.people import Drawn, Layout, flat

MASKED, RENAMED, ORIGINAL, STRANGERS = "masked", "renamed", "original", "strangers"
"""Whose nearest records are looked at: strangers are people of the original who differ."""


@dataclass(frozen=True, eq=False)
class File:
    """A released file of which the people's own records are at hand.

    Args:
        cells: what its categories stand for, without records.
        theirs: the record of each person at hand.
        names: for categories that were put right, the new code of each; none for others.
        astray: whether cells that may be anything lead those astray who believe them.
    """

    cells: tuple[Cells, ...]
    theirs: Rows
    steps: Mapping[bool, Steps]
    astray: bool = False
    names: tuple[Indices | None, ...] = ()

    def renamed(self, rows: Rows) -> Rows:
        """Records with their categories put right."""
        if not self.names:
            return rows
        codes = rows.codes.copy()
        for j, names in enumerate(self.names):
            if names is not None:
                codes[:, j] = names[rows.codes[:, j]]
        return Rows(rows.low, rows.high, codes)


@dataclass(frozen=True, eq=False)
class Raid:
    """Everything that intruders bring along to a part.

    Args:
        files: the masked file, with renamed categories put right where that matters, and the
            original itself.
    """

    drawn: Drawn
    space: Space
    sample: CountedSample
    files: Mapping[str, File]
    strangers: Released | None = field(default=None, repr=False)

    @cached_property
    def attack(self) -> Attack:
        """All intruders, let loose on the people drawn."""
        return Attack(
            self.drawn.table, self.space, self.sample, self.drawn.known, self.drawn.confidential,
            probabilistic=True, strangers=self.strangers,
        )  # fmt: skip

    @property
    def layout(self) -> Layout:
        """How rows of numbers stand for records."""
        return Layout(len(self.space.numbers), len(self.space.categories))

    def released(self, name: str, rows: Rows, counts: Indices) -> Released:
        """Some records of a file, each there so often, as intruders search them."""
        file = self.files[name]
        distinct = Distinct.gathered(rows, counts, file.theirs, self.sample)
        masked = Masked(rows, file.cells)
        return Released(
            self.space, self.sample, masked, distinct, self.attack.everything, steps=file.steps
        )

    def looked_at(self, whole: WholeFile, original: Table, masked: Table) -> dict[str, Points]:
        """By file the records of one part that any intruder looks at, with their counts."""
        space = whole.space(original, self.drawn.names)
        released = space.masked(masked).rows
        rows = {MASKED: released, ORIGINAL: space.originals}
        if RENAMED in self.files:
            rows[RENAMED] = self.files[RENAMED].renamed(released)
        found = {name: self._nearest(name, own) for name, own in rows.items()}
        if self.drawn.confidential:
            found[STRANGERS] = self._nearest_strangers(space.originals)
        return found

    def _nearest(self, name: str, rows: Rows) -> Points:
        released = self.released(name, rows, np.ones(len(rows), np.int64))
        found = self.attack.nearest(released)
        if self.files[name].astray:
            found |= self.attack.nearest(released.passing_over_whole_cells())
        return _kept(released, found)

    def _nearest_strangers(self, rows: Rows) -> Points:
        released = self.released(ORIGINAL, rows, np.ones(len(rows), np.int64))
        everyone = np.arange(len(self.sample.chosen))
        costs = released.distances(self.attack.everything)
        return _kept(released, released.nearest(costs, everyone, strangers=True))

    def judged(self, found: Mapping[str, Points]) -> tuple[Judged, Judged]:
        """The risk of the masked file and of the original, by the records of all parts."""
        raid = self
        if self.drawn.confidential:
            raid = replace(self, strangers=self._of(ORIGINAL, found[STRANGERS]))
        achieved = raid._achieved(MASKED, found)
        if RENAMED in self.files:
            named = raid._achieved(RENAMED, found)
            achieved += [replace(success, renamed=True) for success in named]
        before = raid._achieved(ORIGINAL, found)
        return worst_of(achieved, self.sample), worst_of(before, self.sample)

    def _achieved(self, name: str, found: Mapping[str, Points]) -> list[Success]:
        return self.attack.against(self._of(name, found[name]), astray=self.files[name].astray)

    def _of(self, name: str, rows: Points) -> Released:
        return self.released(name, self.layout.rows(rows), rows[:, -1].astype(np.int64))


def _kept(released: Released, found: Flags) -> Points:
    """Marked records that are there, as rows of numbers, and how often each is."""
    distinct = released.distinct
    places = np.flatnonzero(found & (distinct.counts > 0))
    return np.column_stack([*flat(distinct.rows.take(places)), distinct.counts[places]])
