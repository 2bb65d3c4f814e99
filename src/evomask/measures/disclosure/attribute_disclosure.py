"""Attribute disclosure: unknown values inferred from the nearest released records.

The intruder knows some attributes of a person, takes the nearest released records and believes the
most frequent category among them, or the median of ordered values, if enough of them agree. What
is believed and right counts beyond a control group: people who are like the others and are not in
the release. What is inferred of them is what the statistics of the file tell about anybody.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from evomask.data.classes import classes_of_columns
from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.kernels.compiler.bundles import bundle_tuple
from evomask.kernels.linking.attribute_inference import (
    CELLS,
    UNKNOWN,
    Cells,
    Unknown,
    attack_people,
)
from evomask.kernels.linking.boxes import TARGETS, Costs, Targets
from evomask.kernels.linking.linkage import Rows
from evomask.measures.columns import NumberColumn
from evomask.measures.comparison_space import Space
from evomask.measures.disclosure.release_index import Knowledge, ReleaseIndex
from evomask.measures.disclosure.released_columns import stacked, stacked_codes
from evomask.measures.papers.inference import close_categories
from evomask.measures.targets import TargetSample
from evomask.types import Codes, Flags, Floats, Indices, Points

WINDOW = 0.1
"""An ordered value is right within this share of the ranks."""

PAIRS = 4_000
"""Pairs of a target and an attribute to infer, about, where one attribute after another is left
out of what is known."""

MOST_LEFT_OUT = 12
"""Attributes that are left out of what is known, at most; evenly spread."""


@dataclass(frozen=True, eq=False)
class InferenceTask:
    """The attributes that an intruder knows, and those to infer."""

    known: Knowledge
    unknown: Knowledge


@dataclass(frozen=True, eq=False)
class AttackedGroup:
    """People who are attacked: targets in the release, or a control group.

    Args:
        space: attributes that are compared, with the values of the original.
        sample: the people, by classes of equal known values.
        table: their original records.
    """

    space: Space
    sample: TargetSample
    table: Table

    @cached_property
    def window(self) -> float:
        """Largest difference of ranks at which a number is right."""
        return WINDOW * self.space.n_records

    @cached_property
    def ranks(self) -> list[Floats]:
        """Rank of each number among the original values, an attribute an array."""
        return [column.places(self.table.values(column.name)) for column in self.space.numbers]

    @cached_property
    def codes(self) -> list[Codes]:
        """Category of each record, an attribute an array."""
        return [self.table.codes(c.attribute.name) for c in self.space.categories]

    @cached_property
    def rows(self) -> Rows:
        """One record of each class, as it is compared."""
        chosen = self.sample.representatives
        numbers = [self.table.values(c.name)[chosen] for c in self.space.numbers]
        codes = [codes[chosen] for codes in self.codes]
        low = np.column_stack(numbers) if numbers else np.empty((len(chosen), 0))
        empty = np.empty((len(chosen), 0), dtype=np.int32)
        return Rows(low, low, np.column_stack(codes) if codes else empty)

    @cached_property
    def outsiders(self) -> Targets:
        """The people as targets without a record of their own in the release."""
        n = len(self.rows)
        nothing = np.zeros(n + 1, np.int64)
        targets = Targets(
            np.array(self.rows.low, np.float64, order="C"),
            np.array(self.rows.codes, np.int32, order="C"),
            np.array(self.sample.sizes, np.int64), nothing, nothing.copy(), nothing.copy(),
        )  # fmt: skip
        return bundle_tuple(TARGETS, targets)

    @cached_property
    def close(self) -> list[Flags]:
        """For each categorical attribute, the categories (columns) that are right for each."""
        return [close_categories(column, self.window) for column in self.space.categories]

    def unknown(
        self, left_out: Sequence["InferenceTask"], hidden: Knowledge, sure: float
    ) -> Unknown:
        """What is inferred of these people.

        Args:
            left_out: tasks in which one known attribute is left out and inferred.
            hidden: attributes that are not known.
        """
        places = np.full(len(hidden.numbers) + len(hidden.codes), -1)
        for task, one in enumerate(left_out):
            flags = np.concatenate([one.unknown.numbers, one.unknown.codes])
            places[flags] = task
        ends, records = self.sample.by_class
        ranks = stacked(self.ranks, self.sample.representatives)
        unknown = Unknown(
            places, len(left_out), tasks_of_each(len(left_out), self.sample), ranks,
            np.flatnonzero(hidden.numbers), np.flatnonzero(hidden.codes), ends,
            stacked(self.ranks, records), stacked_codes(self.codes, records), sure,
        )  # fmt: skip
        return bundle_tuple(UNKNOWN, unknown)

    def distinct(self, known: Knowledge, classes: Indices) -> tuple[Indices, Indices]:
        """One class for each combination of known values, and the combination of each class."""
        low, codes = self.rows.low[classes], self.rows.codes[classes]
        columns = [*low.T[known.numbers], *codes.T[known.codes]]
        equal = classes_of_columns(columns, len(classes))
        return classes[equal.representatives], equal.labels

    def guessed(self, unknown: Knowledge, sure: float) -> list[float]:
        """For each unknown attribute, the share of people for whom the usual value is right.

        0 where fewer than *sure* of the records agree with it, so that nobody would believe it.
        """
        records, _ = self.sample.members
        shares = []
        for a in np.flatnonzero(unknown.numbers).tolist():
            middle = np.array(_median_rank(self.space.numbers[a]))
            shares.append(_near(middle, self.ranks[a][records], self.window))
        for j in np.flatnonzero(unknown.codes).tolist():
            right = self.close[j][self.codes[j][records], self._usual(j)]
            shares.append(right.astype(np.float64))
        means = [self.sample.mean(self.sample.within(right)) for right in shares]
        return [mean if mean >= sure else 0.0 for mean in means]

    def _usual(self, j: int) -> int:
        """The most frequent category; the median of ordered categories."""
        column = self.space.categories[j]
        if column.attribute.kind is not Kind.ORDINAL:
            return int(np.argmax(column.counts))
        known = column.counts[: column.size - int(column.attribute.has_missing)]
        if 2 * known.sum() < column.counts.sum():
            return column.size - 1
        return int(np.searchsorted(np.cumsum(known), known.sum() / 2))


def _median_rank(column: NumberColumn) -> float:
    """Median of the known ranks; NaN where most are missing."""
    known = column.n_known
    if not known or 2 * known < column.n_records:
        return float("nan")
    return float(column.ranks_at(np.array([(known - 1) // 2, known // 2])).mean())


def _near(inferred: Floats, ranks: Floats, window: float) -> Floats:
    """Whether inferred ranks are right; missing is right for missing."""
    missing = np.isnan(inferred) & np.isnan(ranks)
    return ((np.abs(inferred - ranks) <= window) | missing).astype(np.float64)


class Found(NamedTuple):
    """What an intruder finds out about each class of people.

    Args:
        links: nearest records, members whose own record is among them, their cost, and how many
            individuals they may cover.
        left_out: mean success over the attributes that are left out in turn.
        unknown: success in each unknown attribute (rows), numbers first.
    """

    links: Points
    left_out: Floats
    unknown: Points


def attack(
    index: ReleaseIndex, costs: Costs, targets: Targets, cells: Cells, unknown: Unknown
) -> Found:
    """Attack people by the released records at the lowest cost."""
    return Found(
        *attack_people(index.boxes, costs, targets, index.search, cells, unknown, index.covered)
    )


def cells_of(index: ReleaseIndex, meanings: "Meanings", *, has_members: bool) -> Cells:
    """The released records of an index, and what their cells mean.

    Args:
        has_members: whether attributes are inferred that are not known.
    """
    released, every = index.released, np.arange(len(index.released))
    times = np.ones(len(released)) if index.counts is None else index.counts.astype(np.float64)
    low = stacked([number.ranks[0] for number in released.numbers], every)
    plain = all(number.are_plain for number in released.numbers)
    spreads = [np.empty(0) if one.meaning.are_plain else one.meaning.cells.spread.ravel()
               for one in released.categories]  # fmt: skip
    lengths = np.array([len(one) for one in spreads], dtype=np.int64)
    cells = [0 if one.meaning.are_plain else len(one.meaning.cells) for one in released.categories]
    nothing = np.empty(0, np.int64)
    ends, records = index.distinct.members if has_members else (nothing, nothing.copy())
    return bundle_tuple(
        CELLS,
        Cells(
            low,
            low if plain else stacked([number.ranks[1] for number in released.numbers], every),
            low if plain else stacked([number.middles for number in released.numbers], every),
            stacked_codes([one.codes for one in released.categories], every),
            times,
            index.distinct.representatives,
            ends,
            records,
            meanings.window,
            np.concatenate([np.empty(0), *spreads]),
            np.cumsum(lengths) - lengths,
            np.array(cells, dtype=np.int64),
            *meanings.categories,
        ),
    )


@dataclass(frozen=True, eq=False)
class Meanings:
    """What is right for the values of an original, as kernels take it."""

    space: Space

    @property
    def window(self) -> float:
        """Largest difference of ranks at which a number is right."""
        return WINDOW * self.space.n_records

    @cached_property
    def categories(self) -> tuple[Indices, Floats, Indices, Indices, Indices]:
        """Numbers of categories, which agree and where, which are ordered, and missing ones."""
        columns = self.space.categories
        close = [
            close_categories(column, self.window).astype(np.float64).ravel() for column in columns
        ]
        squares = np.array([one.size for one in close], dtype=np.int64)
        missing = [c.size - 1 if c.attribute.has_missing else -1 for c in columns]
        return (
            np.array([column.size for column in columns], dtype=np.int64),
            np.concatenate([np.empty(0), *close]),
            np.cumsum(squares) - squares,
            np.array([c.attribute.kind is Kind.ORDINAL for c in columns], dtype=np.int64),
            np.array(missing, dtype=np.int64),
        )


def attributes_left_out(n_attributes: int) -> Indices:
    """Attributes that are inferred, one at a time, with all others known."""
    if n_attributes <= MOST_LEFT_OUT:
        return np.arange(n_attributes)
    return (np.arange(MOST_LEFT_OUT) * n_attributes // MOST_LEFT_OUT).astype(np.int64)


def tasks_of_each(tasks: int, sample: TargetSample) -> int:
    """Number of tasks that each class takes part in."""
    return min(tasks, max(2, PAIRS // max(1, sample.size)))


def classes_of_task(task: int, tasks: int, sample: TargetSample) -> Indices:
    """Classes that take part in one of several tasks: each takes part in a few."""
    each = tasks_of_each(tasks, sample)
    places = np.arange(len(sample.chosen))
    return places[(places * each + task) % tasks < each] if each < tasks else places
