"""Attribute disclosure: unknown values inferred from the nearest released records.

The intruder knows some attributes of a person, takes the nearest released records and believes the
most frequent category among them, or the median of ordered values, if enough of them agree. What
is believed and right counts beyond a control group: people who are like the others and are not in
the release. What is inferred of them is what the statistics of the file tell about anybody.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evomask.data.classes import classes_of_columns
from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.kernels.compiler.bundles import bundle_tuple
from evomask.kernels.linking.attribute_inference import CELLS, Cells, infer_values
from evomask.kernels.linking.boxes import TARGETS, Targets
from evomask.kernels.linking.linkage import Rows
from evomask.measures.columns import NumberColumn
from evomask.measures.comparison_space import Space
from evomask.measures.disclosure.release_index import Knowledge, ReleaseIndex
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
    """The attributes that an intruder knows, and those to infer.

    Args:
        is_shared: whether the values to infer are equal within each class of people.
    """

    known: Knowledge
    unknown: Knowledge
    is_shared: bool = False


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

    def members(self, classes: Indices, *, one_each: bool) -> tuple[Indices, Indices]:
        """Records of some classes, all or one each, and the position of the class of each."""
        if one_each:
            return self.sample.representatives[classes], np.arange(len(classes))
        place = np.full(len(self.sample.chosen), -1)
        place[classes] = np.arange(len(classes))
        records, places = self.sample.members
        chosen = place[places] >= 0
        return records[chosen], place[places[chosen]]

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


@dataclass(frozen=True, eq=False)
class InferenceAttack:
    """An intruder who infers unknown attributes of people from a released file.

    Args:
        sure: share of the nearest records that must agree before a value is believed.
    """

    index: ReleaseIndex
    sure: float

    def success(
        self, task: InferenceTask, group: AttackedGroup, classes: Indices, *, outside: bool
    ) -> Points:
        """Share of the members of each class for whom each unknown value is believed and right.

        Args:
            classes: positions of the attacked classes among those of the group's sample.
            outside: whether the people are not in the release.

        Returns:
            A row for each unknown attribute, numbers first; a column for each class.
        """
        index, unknown = self.index, task.unknown
        chosen, targets = group.distinct(task.known, classes)
        cells = self._cells._replace(
            wanted_numbers=unknown.numbers.astype(np.int64),
            wanted_codes=unknown.codes.astype(np.int64),
        )
        numbers, shares, agreements = infer_values(
            index.boxes, index.distances(task.known),
            group.outsiders if outside else index.targets, index.search,
            bundle_tuple(CELLS, cells), chosen,
        )  # fmt: skip
        records, places = group.members(classes, one_each=task.is_shared)
        rows, starts = targets[places], self._cells.places
        sizes = np.bincount(places, minlength=len(classes))
        right = []
        for a in np.flatnonzero(unknown.numbers).tolist():
            found = _near(numbers[rows, a], group.ranks[a][records], group.window)
            right.append(found * (agreements[rows, a] >= self.sure))
        for j in np.flatnonzero(unknown.codes).tolist():
            inferred = shares[:, starts[j] : starts[j + 1]] @ group.close[j].T
            found = inferred[rows, group.codes[j][records]]
            right.append(found * (agreements[rows, numbers.shape[1] + j] >= self.sure))
        return np.array([np.bincount(places, one, len(classes)) / sizes for one in right])

    @cached_property
    def _cells(self) -> Cells:
        """The values that cells stand for, with no unknown attribute selected yet."""
        index = self.index
        columns, numbers = index.space.categories, index.space.numbers
        spreads = [cells.spread for cells in index.masked.cells]
        sizes = np.array([column.size for column in columns], dtype=np.int64)
        lengths = np.array([spread.size for spread in spreads], dtype=np.int64)
        window = WINDOW * index.space.n_records
        close = [close_categories(column, window).astype(np.float64).ravel() for column in columns]
        squares = np.array([one.size for one in close], dtype=np.int64)
        missing = [c.size - 1 if c.attribute.has_missing else -1 for c in columns]
        rows = index.rows
        low = ranks_of(numbers, rows.low)
        plain = rows.low is rows.high
        high = low if plain else ranks_of(numbers, rows.high)
        return Cells(
            low,
            high,
            low if plain else ranks_of(numbers, index.middles),
            window,
            np.concatenate([s.ravel() for s in spreads]) if spreads else np.empty(0),
            np.cumsum(lengths) - lengths,
            np.array([len(spread) for spread in spreads], dtype=np.int64),
            sizes,
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            np.concatenate(close) if close else np.empty(0),
            np.cumsum(squares) - squares,
            np.array([c.attribute.kind is Kind.ORDINAL for c in columns], dtype=np.int64),
            np.array(missing, dtype=np.int64),
            np.zeros(len(numbers), np.int64),
            np.zeros(len(columns), np.int64),
        )


def ranks_of(numbers: Sequence[NumberColumn], values: Points) -> Points:
    """Ranks of released numbers among the original values."""
    ranks = np.empty(values.shape)
    for a, column in enumerate(numbers):
        ranks[:, a] = column.places(values[:, a])
    return ranks


def attributes_left_out(n_attributes: int) -> Indices:
    """Attributes that are inferred, one at a time, with all others known."""
    if n_attributes <= MOST_LEFT_OUT:
        return np.arange(n_attributes)
    return (np.arange(MOST_LEFT_OUT) * n_attributes // MOST_LEFT_OUT).astype(np.int64)


def classes_of_task(task: int, tasks: int, sample: TargetSample) -> Indices:
    """Classes that take part in one of several tasks: each takes part in a few."""
    each = min(tasks, max(2, PAIRS // max(1, sample.size)))
    places = np.arange(len(sample.chosen))
    return places[(places * each + task) % tasks < each] if each < tasks else places
