"""What intruders bring along to every part, from what all parts told of the people drawn."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from evomask.arrays import Flags, Floats, Indices
from evomask.data.classes import Classes
from evomask.kernels.linking.linkage import Rows
from evomask.measures.categories import CategoricalColumn, Cells
from evomask.measures.judging.linked import agree, tolerances_of, worth
from evomask.measures.judging.names import names_of
from evomask.measures.judging.released import Steps
from evomask.measures.judging.wide import are_whole, whole_numbers
from evomask.measures.people import CountedSample
from evomask.measures.risk.space import Space
from evomask.measures.summed.columns import CountedNumbers, WholeFile
from evomask.measures.summed.intruders import MASKED, ORIGINAL, RENAMED, File, Raid
from evomask.measures.summed.people import Drawn, Layout, Met, merged_rows


def met_in_all(parts: Iterable[Met]) -> Met:
    """What all parts told, together."""
    found = list(parts)
    return Met(
        merged_rows(met.people for met in found),
        np.sum([met.agreeing for met in found], axis=0),
        np.sum([met.whole for met in found], axis=0),
    )


@dataclass(frozen=True, eq=False)
class Preparing:
    """From what all parts told to what goes to each of them.

    Args:
        cells: what the masked categories stand for, attribute by attribute, without records.
        joints: records of each category (rows) in each masked cell.
    """

    whole: WholeFile
    drawn: Drawn
    cells: tuple[Cells, ...]
    met: Met
    joints: Sequence[Indices]

    def raid(self) -> Raid:
        """All intruders, ready for any part."""
        masked = File(self.cells, self._theirs, {}, self._astray)
        counts = [joint.sum(axis=0) for joint in self.joints]
        files = {MASKED: self._weighed(masked, self.met.agreeing, counts)}
        if any(names is not None for names in self._names):
            named = replace(masked, names=self._names)
            named = replace(named, theirs=named.renamed(self._theirs))
            pairs = zip(counts, self._names, strict=True)
            moved = [own if names is None else _moved(own, names) for own, names in pairs]
            files[RENAMED] = self._weighed(named, self.met.agreeing, moved)
        plain = tuple(_plain(column) for column in self._space.categories)
        original = File(plain, self._before, {})
        before = [column.counts for column in self._space.categories]
        files[ORIGINAL] = self._weighed(original, self._agreeing_originals, before)
        return Raid(self.drawn, self._space, self._sample, files)

    @cached_property
    def _layout(self) -> Layout:
        names = self.drawn.names
        numbers = sum(name in self.whole.numbers for name in names)
        return Layout(numbers, len(names) - numbers)

    @cached_property
    def _before(self) -> Rows:
        """The original records of people and those who look like them."""
        return self._layout.rows(self.met.people[:, 1:])

    @cached_property
    def _theirs(self) -> Rows:
        """The masked records of the same people."""
        return self._layout.rows(self.met.people[:, 1 + self._layout.width :])

    @cached_property
    def _sample(self) -> CountedSample:
        who, often = (self.met.people[:, place].astype(np.int64) for place in (0, -1))
        firsts = np.unique(who, return_index=True)[1].astype(np.int64)
        sizes = np.bincount(who, often).astype(np.int64)
        chosen = np.arange(len(self.drawn.weights))
        classes = Classes(who, sizes, firsts)
        return CountedSample(classes, chosen, self.drawn.weights, self.whole.n_records, often)

    @cached_property
    def _space(self) -> Space:
        blank, rows = self.whole.space(self.drawn.table, self.drawn.names), self._before
        numbers = zip(blank.numbers, rows.low.T, strict=True)
        codes = zip(blank.categories, rows.codes.T, strict=True)
        return Space(
            tuple(replace(column, values=np.ascontiguousarray(own)) for column, own in numbers),
            tuple(replace(column, codes=np.ascontiguousarray(own)) for column, own in codes),
            blank.n_records,
        )

    @cached_property
    def _astray(self) -> bool:
        """Whether in any attribute some cells may be anything, and some may not."""
        counts: list[float] = self.met.whole.tolist()
        triples = zip(self._space.categories, self.cells, self.joints, strict=True)
        counts += [float(are_whole(c, own) @ joint.sum(axis=0)) for c, own, joint in triples]
        return any(0.0 < count < self.whole.n_records for count in counts)

    @cached_property
    def _names(self) -> tuple[Indices | None, ...]:
        """New codes of categories whose names are put right; none where they are right."""
        triples = zip(self._space.categories, self.cells, self.joints, strict=True)
        known = self.drawn.known
        return tuple(
            _put_right(own, joint) if column.attribute.name in known else None
            for column, own, joint in triples
        )

    @cached_property
    def _agreeing_originals(self) -> Indices:
        """With how many originals each person agrees, whichever cells are passed over."""
        tolerances = tolerances_of(self._space)
        people = self._sample.representatives
        found = [
            _n_near(self.whole.numbers[column.name], column.values[people], float(tolerance))
            for column, tolerance in zip(self._space.numbers, tolerances, strict=True)
        ]
        return np.array([found, found], dtype=np.int64).reshape(2, len(found), len(people))

    def _weighed(self, file: File, agreeing: Indices, counts: Sequence[Indices]) -> File:
        """The file with what agreeing is worth, cells that may be anything believed or not."""
        both = {passing: self._steps(file, agreeing[int(passing)], counts, passing=passing)
                for passing in (False, True)}  # fmt: skip
        return replace(file, steps=both)

    def _steps(
        self, file: File, agreeing: Indices, counts: Sequence[Indices], *, passing: bool
    ) -> Steps:
        sample, space, n = self._sample, self._space, self.whole.n_records
        raid = Raid(self.drawn, space, sample, {MASKED: file})
        none = np.zeros(len(file.theirs), np.int64)
        released = replace(raid.released(MASKED, file.theirs, none), passing_over=passing)
        tolerances, rows = tolerances_of(space), file.theirs
        gone = whole_numbers(space, rows) if passing else np.zeros(rows.low.shape, dtype=bool)
        low, high = (np.where(gone, np.nan, end) for end in (rows.low, rows.high))
        numbers, codes = np.zeros(len(space.numbers)), np.zeros(len(space.categories))
        known = raid.attack.everything
        for a in np.flatnonzero(known.numbers).tolist():
            own = agree(space.numbers[a].values, low[:, a], high[:, a], float(tolerances[a]))
            numbers[a] = worth(self._mean(own), sample.mean(agreeing[a] / n))
        for j in np.flatnonzero(known.codes).tolist():
            table, own_codes = released.tables[j] == 0.0, space.categories[j].codes
            shares = table @ counts[j] / n
            own = table[own_codes, rows.codes[:, j]]
            codes[j] = worth(
                self._mean(own), sample.mean(shares[own_codes[sample.representatives]])
            )
        return Steps(numbers, codes, tolerances)

    def _mean(self, own: Flags) -> float:
        return self._sample.mean(self._sample.within(own.astype(np.float64)))


def _n_near(column: CountedNumbers, people: Floats, tolerance: float) -> Indices:
    """How many values of the whole file are near each person's; missing ones to a missing one."""
    near = column.up_to(people + tolerance) - column.below(people - tolerance)
    return np.where(np.isnan(people), column.missing, near).astype(np.int64)


def _plain(column: CategoricalColumn) -> Cells:
    """Cells that are the categories themselves."""
    leaves = np.eye(column.size, dtype=bool)
    return Cells(np.empty(0, dtype=np.int32), leaves, leaves.astype(np.float64))


def _put_right(cells: Cells, joint: Indices) -> Indices | None:
    """The new code of each cell, where cells are single categories that were renamed."""
    size = len(joint)
    if not np.array_equal(cells.leaves[:size], np.eye(size, dtype=bool)):
        return None
    names = names_of(joint[:, :size])
    if np.array_equal(names, np.arange(size)):
        return None
    return np.append(names, np.arange(size, len(cells))).astype(np.int64)


def _moved(counts: Indices, names: Indices) -> Indices:
    return np.bincount(names, counts, len(counts)).astype(np.int64)
