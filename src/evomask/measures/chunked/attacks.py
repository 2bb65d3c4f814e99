"""Linkage and inference attacks on sampled individuals against all chunks of the release.

An attacker decides by the records nearest to a target. A record that is nearest in the whole file
is nearest in its chunk; so every chunk returns its records nearest to any target, with their
counts, and all of them together give the same result as the whole file.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from evomask.data.classes import Classes, classes_of_columns, merge_counts
from evomask.data.schema import Role
from evomask.data.table import Column, Table
from evomask.errors import DataError
from evomask.kernels.linking.linkage import Rows
from evomask.measures.chunked.columns import CountedNumbers, WholeFile
from evomask.measures.columns import CategoricalColumn, CategoryCells
from evomask.measures.comparison_space import Masked, Space
from evomask.measures.disclosure.reidentification import (
    agree,
    agreement_tolerances,
    count_agreeing,
    log_odds_ratio,
)
from evomask.measures.disclosure.relabelling import relabelling_map
from evomask.measures.disclosure.release_index import (
    AgreementWeights,
    DistinctRecords,
    ReleaseIndex,
    uninformative_cells,
    uninformative_numbers,
)
from evomask.measures.disclosure.risk import (
    AttackerSuccess,
    AttackSuite,
    RiskAssessment,
    assess_risk,
)
from evomask.measures.targets import FIXED_SEED, WeightedTargetSample
from evomask.types import Flags, Floats, Indices, Points


@dataclass(frozen=True, eq=False)
class Drawn:
    """The targets, one per equivalence class.

    Args:
        table: one record for each, with all compared attributes.
        weights: number of targets in each class.
        known, confidential: attributes that an intruder may know, and those to infer.
    """

    table: Table
    weights: Indices
    known: tuple[str, ...]
    confidential: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.known, *self.confidential)


def drawn_from(table: Table, people: int, attributes: Sequence[str]) -> Drawn:
    """Draw at most *people* targets from a sample, always the same ones.

    Args:
        attributes: compared attributes; confidential ones are inferred unless all are confidential.
    """
    roles = {name: table.attribute(name).role for name in table.schema.names}
    open_ones = tuple(n for n in attributes if roles[n] is not Role.CONFIDENTIAL)
    known = open_ones or tuple(attributes)
    secret = [n for n, role in roles.items() if role is Role.CONFIDENTIAL and n not in known]
    rng = np.random.default_rng(FIXED_SEED)
    chosen = np.sort(rng.permutation(len(table))[:people])
    table = table.take(chosen)
    classes = classes_of_columns([table[name] for name in known], len(table))
    return Drawn(table.take(classes.representatives), classes.sizes, known, tuple(secret))


@dataclass(frozen=True, eq=False)
class Met:
    """Data on the targets from one chunk, before any attack.

    Args:
        people: rows of numbers: target, its original and its masked record, count.
        agreeing: number of masked values that agree with each target, per attribute; first with all
            cells, then without those that may be any value.
        whole: number of cells of each numeric attribute that may be any value.
    """

    people: Points
    agreeing: Indices
    whole: Indices


def met_in(whole: WholeFile, drawn: Drawn, original: Table, masked: Table) -> Met:
    """Find the records of the targets in one chunk."""
    columns = [np.concatenate([original[name], drawn.table[name]]) for name in drawn.known]
    labels = classes_of_columns(columns, len(original) + len(drawn.weights)).labels
    place = np.full(int(labels.max()) + 1, -1)
    place[labels[len(original) :]] = np.arange(len(drawn.weights))
    who = place[labels[: len(original)]]
    records = np.flatnonzero(who >= 0)
    space = whole.space(original, drawn.names)
    rows = space.masked(masked).rows
    people = np.column_stack(
        [who[records], *flat(space.originals.take(records)), *flat(rows.take(records))]
    )
    flags = uninformative_numbers(space, rows)
    low, high = (np.where(flags, np.nan, end) for end in (rows.low, rows.high))
    passing = Rows(low, high, rows.codes)
    targets, tolerances = whole.space(drawn.table, drawn.names), agreement_tolerances(space)
    agreeing = [
        [count_agreeing(column.values, own.low[:, a], own.high[:, a], float(tolerances[a]))
         for a, column in enumerate(targets.numbers)]
        for own in (rows, passing)
    ]  # fmt: skip
    shape = 2, len(targets.numbers), len(drawn.weights)
    return Met(
        counted_rows(people, np.ones(len(people))),
        np.array(agreeing, dtype=np.int64).reshape(shape),
        flags.sum(axis=0),
    )


def flat(rows: Rows) -> list[Column]:
    """Records as arrays, the columns of rows of numbers."""
    return [rows.low, rows.high, rows.codes]


def counted_rows(rows: Points, counts: Floats | Indices) -> Points:
    """Distinct rows of numbers, with their counts in a last column."""
    classes = classes_of_columns([_whole(column) for column in rows.T], len(rows))
    often = np.bincount(classes.labels, counts, len(classes))
    return np.column_stack([rows[classes.representatives], often])


def _whole(column: Floats) -> Column:
    """Whole numbers as integers, which are compared without sorting."""
    with np.errstate(invalid="ignore"):
        codes = column.astype(np.int64)
    is_whole = np.array_equal(codes, column) and codes.min(initial=0) >= 0
    return codes if is_whole else column


def merged_rows(parts: Iterable[Points]) -> Points:
    """Distinct counted rows of all chunks, with summed counts."""
    merged = merge_counts(parts, _merged)
    if merged is None:
        raise DataError("there is nothing to count")
    return merged


def _merged(parts: Sequence[Points]) -> Points:
    both = np.concatenate(parts)
    return counted_rows(both[:, :-1], both[:, -1])


@dataclass(frozen=True, eq=False)
class Layout:
    """Columns of such rows: numbers, twice, then codes."""

    numbers: int
    codes: int

    @property
    def width(self) -> int:
        return 2 * self.numbers + self.codes

    def rows(self, matrix: Points) -> Rows:
        low = np.ascontiguousarray(matrix[:, : self.numbers])
        high = np.ascontiguousarray(matrix[:, self.numbers : 2 * self.numbers])
        codes = matrix[:, 2 * self.numbers : self.width].astype(np.int32)
        return Rows(low, low if np.array_equal(low, high, equal_nan=True) else high, codes)


MASKED, RENAMED, ORIGINAL, STRANGERS = "masked", "renamed", "original", "strangers"
"""Files whose nearest records are collected; strangers are other people of the original."""


@dataclass(frozen=True, eq=False)
class File:
    """A released file, with the records of the targets.

    Args:
        cells: meaning of its categories, without records.
        theirs: the record of each target.
        names: for relabelled categories the restored code of each; None for others.
        astray: whether cells that may be any value mislead an attacker who uses them.
    """

    cells: tuple[CategoryCells, ...]
    theirs: Rows
    steps: Mapping[bool, AgreementWeights]
    astray: bool = False
    names: tuple[Indices | None, ...] = ()

    def renamed(self, rows: Rows) -> Rows:
        if not self.names:
            return rows
        codes = rows.codes.copy()
        for j, names in enumerate(self.names):
            if names is not None:
                codes[:, j] = names[rows.codes[:, j]]
        return Rows(rows.low, rows.high, codes)


@dataclass(frozen=True, eq=False)
class Raid:
    """Everything that attackers need for a chunk.

    Args:
        files: the masked file, the same with relabelling undone if that matters, and the original.
    """

    drawn: Drawn
    space: Space
    sample: WeightedTargetSample
    files: Mapping[str, File]
    strangers: ReleaseIndex | None = field(default=None, repr=False)

    @cached_property
    def attack(self) -> AttackSuite:
        return AttackSuite(
            self.drawn.table, self.space, self.sample, self.drawn.known, self.drawn.confidential,
            probabilistic=True, strangers=self.strangers,
        )  # fmt: skip

    @property
    def layout(self) -> Layout:
        return Layout(len(self.space.numbers), len(self.space.categories))

    def released(self, name: str, rows: Rows, counts: Indices) -> ReleaseIndex:
        """Some records of a file with their counts, indexed for search."""
        file = self.files[name]
        distinct = DistinctRecords.gathered(rows, counts, file.theirs, self.sample)
        masked = Masked(rows, file.cells)
        return ReleaseIndex(
            self.space, self.sample, masked, distinct, self.attack.everything, steps=file.steps
        )

    def looked_at(self, whole: WholeFile, original: Table, masked: Table) -> dict[str, Points]:
        """Records of one chunk that any attacker needs, with their counts, by file."""
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

    def judged(self, found: Mapping[str, Points]) -> tuple[RiskAssessment, RiskAssessment]:
        """Risk of the masked file and of the original, from the records of all chunks."""
        raid = self
        if self.drawn.confidential:
            raid = replace(self, strangers=self._of(ORIGINAL, found[STRANGERS]))
        achieved = raid._achieved(MASKED, found)
        if RENAMED in self.files:
            named = raid._achieved(RENAMED, found)
            achieved += [replace(success, renamed=True) for success in named]
        before = raid._achieved(ORIGINAL, found)
        return assess_risk(achieved, self.sample), assess_risk(before, self.sample)

    def _achieved(self, name: str, found: Mapping[str, Points]) -> list[AttackerSuccess]:
        return self.attack.against(self._of(name, found[name]), astray=self.files[name].astray)

    def _of(self, name: str, rows: Points) -> ReleaseIndex:
        return self.released(name, self.layout.rows(rows), rows[:, -1].astype(np.int64))


def _kept(released: ReleaseIndex, found: Flags) -> Points:
    """Selected records as rows of numbers, with their counts."""
    distinct = released.distinct
    places = np.flatnonzero(found & (distinct.counts > 0))
    return np.column_stack([*flat(distinct.rows.take(places)), distinct.counts[places]])


def met_in_all(parts: Iterable[Met]) -> Met:
    """Combine the data of all chunks."""
    found = list(parts)
    return Met(
        merged_rows(met.people for met in found),
        np.sum([met.agreeing for met in found], axis=0),
        np.sum([met.whole for met in found], axis=0),
    )


@dataclass(frozen=True, eq=False)
class Preparing:
    """Prepares the attacks from the data of all chunks.

    Args:
        cells: meaning of the masked categories of each attribute, without records.
        joints: records of each category (rows) in each masked cell.
    """

    whole: WholeFile
    drawn: Drawn
    cells: tuple[CategoryCells, ...]
    met: Met
    joints: Sequence[Indices]

    def raid(self) -> Raid:
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
        """Original records of the targets and of their equivalence classes."""
        return self._layout.rows(self.met.people[:, 1:])

    @cached_property
    def _theirs(self) -> Rows:
        """Masked records of the same people."""
        return self._layout.rows(self.met.people[:, 1 + self._layout.width :])

    @cached_property
    def _sample(self) -> WeightedTargetSample:
        who, often = (self.met.people[:, place].astype(np.int64) for place in (0, -1))
        firsts = np.unique(who, return_index=True)[1].astype(np.int64)
        sizes = np.bincount(who, often).astype(np.int64)
        chosen = np.arange(len(self.drawn.weights))
        classes = Classes(who, sizes, firsts)
        return WeightedTargetSample(
            classes, chosen, self.drawn.weights, self.whole.n_records, often
        )

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
        """Whether, in any attribute, some but not all cells may be any value."""
        counts: list[float] = self.met.whole.tolist()
        triples = zip(self._space.categories, self.cells, self.joints, strict=True)
        counts += [
            float(uninformative_cells(c, own) @ joint.sum(axis=0)) for c, own, joint in triples
        ]
        return any(0.0 < count < self.whole.n_records for count in counts)

    @cached_property
    def _names(self) -> tuple[Indices | None, ...]:
        """Restored codes of relabelled categories; None if they are unchanged."""
        triples = zip(self._space.categories, self.cells, self.joints, strict=True)
        known = self.drawn.known
        return tuple(
            _put_right(own, joint) if column.attribute.name in known else None
            for column, own, joint in triples
        )

    @cached_property
    def _agreeing_originals(self) -> Indices:
        """Number of originals that agree with each target."""
        tolerances = agreement_tolerances(self._space)
        people = self._sample.representatives
        found = [
            _n_near(self.whole.numbers[column.name], column.values[people], float(tolerance))
            for column, tolerance in zip(self._space.numbers, tolerances, strict=True)
        ]
        return np.array([found, found], dtype=np.int64).reshape(2, len(found), len(people))

    def _weighed(self, file: File, agreeing: Indices, counts: Sequence[Indices]) -> File:
        """The file with agreement weights, with and without cells that may be any value."""
        both = {passing: self._steps(file, agreeing[int(passing)], counts, passing=passing)
                for passing in (False, True)}  # fmt: skip
        return replace(file, steps=both)

    def _steps(
        self, file: File, agreeing: Indices, counts: Sequence[Indices], *, passing: bool
    ) -> AgreementWeights:
        sample, space, n = self._sample, self._space, self.whole.n_records
        raid = Raid(self.drawn, space, sample, {MASKED: file})
        none = np.zeros(len(file.theirs), np.int64)
        released = replace(raid.released(MASKED, file.theirs, none), passing_over=passing)
        tolerances, rows = agreement_tolerances(space), file.theirs
        gone = (
            uninformative_numbers(space, rows) if passing else np.zeros(rows.low.shape, dtype=bool)
        )
        low, high = (np.where(gone, np.nan, end) for end in (rows.low, rows.high))
        numbers, codes = np.zeros(len(space.numbers)), np.zeros(len(space.categories))
        known = raid.attack.everything
        for a in np.flatnonzero(known.numbers).tolist():
            own = agree(space.numbers[a].values, low[:, a], high[:, a], float(tolerances[a]))
            numbers[a] = log_odds_ratio(self._mean(own), sample.mean(agreeing[a] / n))
        for j in np.flatnonzero(known.codes).tolist():
            table, own_codes = released.tables[j] == 0.0, space.categories[j].codes
            shares = table @ counts[j] / n
            own = table[own_codes, rows.codes[:, j]]
            codes[j] = log_odds_ratio(
                self._mean(own), sample.mean(shares[own_codes[sample.representatives]])
            )
        return AgreementWeights(numbers, codes, tolerances)

    def _mean(self, own: Flags) -> float:
        return self._sample.mean(self._sample.within(own.astype(np.float64)))


def _n_near(column: CountedNumbers, people: Floats, tolerance: float) -> Indices:
    """Number of values of the whole file near each target's; missing ones for a missing one."""
    near = column.up_to(people + tolerance) - column.below(people - tolerance)
    return np.where(np.isnan(people), column.missing, near).astype(np.int64)


def _plain(column: CategoricalColumn) -> CategoryCells:
    """CategoryCells that are the categories themselves."""
    leaves = np.eye(column.size, dtype=bool)
    return CategoryCells(np.empty(0, dtype=np.int32), leaves, leaves.astype(np.float64))


def _put_right(cells: CategoryCells, joint: Indices) -> Indices | None:
    """Restored code of each cell, if cells are single categories that were relabelled."""
    size = len(joint)
    if not np.array_equal(cells.leaves[:size], np.eye(size, dtype=bool)):
        return None
    names = relabelling_map(joint[:, :size])
    if np.array_equal(names, np.arange(size)):
        return None
    return np.append(names, np.arange(size, len(cells))).astype(np.int64)


def _moved(counts: Indices, names: Indices) -> Indices:
    return np.bincount(names, counts, len(counts)).astype(np.int64)
