"""The papers' risk, read anew only for the records that have changed.

Whether a masked record is linked, and which of its cells lie close, depends on that record
alone: what was found for a parent holds for its child wherever the two agree. These are whole
numbers, so a child's risk is the same to the last bit whether it was read anew or not.
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b

import numpy as np

from evomask.arrays import Indices
from evomask.data.table import Table
from evomask.kernels.linking.linkage import tied_with_own
from evomask.measures.categories import CategoricalColumn
from evomask.measures.numbers import NumberColumn
from evomask.measures.risk.interval import CATEGORICAL_WINDOW, CONTINUOUS_WINDOWS
from evomask.measures.risk.linkage import expected
from evomask.measures.risk.space import Space
from evomask.searches.files.genome import Coding, Genome, changed_records

REMEMBERED = 256
"""Files that are remembered; it saves time and changes nothing."""

Marks = Indices
"""For each record (row) its ties, its close numbers times windows, its close categories."""


@dataclass(frozen=True, eq=False)
class IncrementalRisk:
    """The papers' risk without probabilistic linkage, record by record."""

    coding: Coding
    remembered: OrderedDict[bytes, Marks] = field(default_factory=OrderedDict)

    @cached_property
    def space(self) -> Space:
        """The space in which an intruder compares masked records with original ones."""
        return Space.of(self.coding.original, self.coding.names)

    def risk(self, genome: Genome, masked: Table, parent: Genome) -> float:
        """The risk, in percent, of a child that resembles its parent."""
        marks = self._marks(genome, masked, parent)
        self._remember(genome, marks)
        cells = marks[:, 1].sum() / len(CONTINUOUS_WINDOWS) + marks[:, 2].sum()
        return 50.0 * float(expected(marks[:, 0]).mean() + cells / genome.size)

    def _marks(self, genome: Genome, masked: Table, parent: Genome) -> Marks:
        known = self._known(parent)
        if known is None:
            return self._read(masked, np.arange(len(masked)))
        changed, marks = changed_records(genome, parent), known.copy()
        if len(changed):
            marks[changed] = self._read(masked.take(changed), changed)
        return marks

    def _read(self, masked: Table, records: Indices) -> Marks:
        """Marks of some records, of which *masked* holds just these."""
        nothing = np.zeros(len(records), dtype=np.int64)
        numbers = [_close_numbers(c, masked, records) for c in self.space.numbers]
        codes = [_close_codes(c, masked, records) for c in self.space.categories]
        ties = self._ties(masked, records)
        return np.column_stack([ties, sum(numbers, start=nothing), sum(codes, start=nothing)])

    def _ties(self, masked: Table, records: Indices) -> Indices:
        candidates, own = self.space.candidates
        released = self.space.masked(masked)
        places = self.space.places(released.rows)
        terms = self.space.terms(released)
        return tied_with_own(released.rows, places, own[records], candidates, terms)

    def _known(self, genome: Genome) -> Marks | None:
        name = _name(genome)
        if name in self.remembered:
            self.remembered.move_to_end(name)
        return self.remembered.get(name)

    def _remember(self, genome: Genome, marks: Marks) -> None:
        self.remembered[_name(genome)] = marks
        while len(self.remembered) > REMEMBERED:
            self.remembered.popitem(last=False)


def _close_numbers(column: NumberColumn, masked: Table, records: Indices) -> Indices:
    """How many windows hold each record's number."""
    values, ranks = masked.values(column.name), column.ranks[records]
    windows = np.array(CONTINUOUS_WINDOWS) / 100 * len(column.ranks)
    apart = np.abs(column.places(values) - ranks)
    inside = len(windows) - np.searchsorted(windows, apart, side="left")
    both_missing = np.isnan(values) & np.isnan(ranks)
    return np.where(both_missing, len(windows), np.where(np.isnan(apart), 0, inside))


def _close_codes(column: CategoricalColumn, masked: Table, records: Indices) -> Indices:
    """Whether each record's category is close to its own."""
    near = column.nearness(CATEGORICAL_WINDOW / 100 * len(column.codes))
    return near[column.codes[records], masked.codes(column.attribute.name)].astype(np.int64)


def _name(genome: Genome) -> bytes:
    return blake2b(genome.tobytes(), digest_size=16).digest()
