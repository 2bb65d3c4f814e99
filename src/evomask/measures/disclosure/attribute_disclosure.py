"""Attribute disclosure: unknown values inferred from the nearest released records.

The intruder knows some attributes of a target, takes the nearest released records and infers the
other attributes from them: the most frequent category, or the median of ordered values. Success
is counted beyond a baseline, guessing without the release.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evomask.data.classes import classes_of_columns
from evomask.data.schema import Kind
from evomask.kernels.compiler.bundles import bundle_tuple
from evomask.kernels.linking.attribute_inference import CELLS, Cells, infer_values
from evomask.measures.comparison_space import Space
from evomask.measures.disclosure.release_index import Knowledge, ReleaseIndex
from evomask.measures.papers.inference import close_categories
from evomask.measures.targets import FIXED_SEED, TargetSample
from evomask.types import Flags, Floats, Indices, Points

WINDOW = 0.1
"""An ordered value is right within this share of the ranks."""

HALVES = 5
FEWEST_TASKS = 2
"""Inference tasks per class of a sample, at least."""

MOST_LEFT_OUT = 12
"""Attributes that are inferred with all others known, at most; evenly spread."""


@dataclass(frozen=True, eq=False)
class InferenceTask:
    """The attributes that an intruder knows, and those to infer."""

    known: Knowledge
    unknown: Knowledge


@dataclass(frozen=True, eq=False)
class Gain:
    """Success of inference and of the baseline guess, for each class of targets."""

    right: Floats
    guessed: Floats

    def share(self, sample: TargetSample) -> float:
        """Success beyond the baseline, as a share of what the baseline leaves open."""
        guessed = sample.mean(self.guessed)
        if guessed >= 1.0:
            return 0.0
        return max(0.0, (sample.mean(self.right) - guessed) / (1.0 - guessed))

    def error(self, sample: TargetSample) -> float:
        """Standard error of the share."""
        guessed = sample.mean(self.guessed)
        if guessed >= 1.0:
            return 0.0
        left_open = (1.0 - sample.mean(self.right)) / (1.0 - guessed)
        return sample.error(self.right - left_open * self.guessed) / (1.0 - guessed)


def mean_gain(gains: Sequence[Gain]) -> Gain:
    """Average several gains over the tasks in which each class takes part (NaN elsewhere)."""
    right = np.nanmean([gain.right for gain in gains], axis=0)
    return Gain(right, np.nanmean([gain.guessed for gain in gains], axis=0))


def task_assignment(tasks: int, sample: TargetSample) -> list[Flags]:
    """Flag the classes that take part in each task: all, or of a sample every n-th class.

    Each class takes part in a few tasks, however many tasks there are.
    """
    period = 1 if sample.is_everyone else max(1, tasks // FEWEST_TASKS)
    places = np.arange(len(sample.chosen))
    return [places % period == task % period for task in range(tasks)]


def random_halves(n_attributes: int) -> list[Flags]:
    """Flag the known attributes of five fixed random halves."""
    rng = np.random.default_rng(FIXED_SEED)
    drawn = [rng.permutation(n_attributes)[: n_attributes // 2] for _ in range(HALVES)]
    return [np.isin(np.arange(n_attributes), half) for half in drawn]


def left_out_attributes(n_attributes: int) -> Indices:
    """Attributes that are inferred, one at a time, with all others known."""
    if n_attributes <= MOST_LEFT_OUT:
        return np.arange(n_attributes)
    return (np.arange(MOST_LEFT_OUT) * n_attributes // MOST_LEFT_OUT).astype(np.int64)


@dataclass(frozen=True, eq=False)
class TrueValues:
    """True values of the targets, and whether an inferred value or a guess is right."""

    space: Space
    sample: TargetSample

    @cached_property
    def window(self) -> float:
        """Largest difference of ranks at which a number is right."""
        return WINDOW * self.space.n_records

    @cached_property
    def targets(self) -> tuple[Indices, Indices]:
        """Numbers (as ranks of distinct values) and codes of each class, an attribute a row."""
        records = self.sample.representatives
        numbers = [np.unique(c.values[records], return_inverse=True)[1] for c in self.space.numbers]
        codes = [column.codes[records] for column in self.space.categories]
        shape = (-1, len(records))
        return (
            np.array(numbers, dtype=np.int64).reshape(shape),
            np.array(codes, dtype=np.int64).reshape(shape),
        )

    @cached_property
    def close(self) -> list[Flags]:
        """For each categorical attribute, the categories (columns) that are right for each."""
        return [close_categories(column, self.window) for column in self.space.categories]

    def code_right(self, j: int, shares: Points, records: Indices) -> Floats:
        """Probability that the inferred category of each record is right."""
        codes = self.space.categories[j].codes[records]
        chances: Floats = np.einsum("iv,iv->i", shares, self.close[j][codes])
        return chances

    def number_right(self, a: int, numbers: Floats, records: Indices) -> Floats:
        """Whether the inferred number of each record is right; missing is right for missing."""
        column = self.space.numbers[a]
        apart = np.abs(column.places(numbers) - column.ranks[records])
        missing = np.isnan(numbers) & np.isnan(column.ranks[records])
        return ((apart <= self.window) | missing).astype(np.float64)

    def guessed(self, unknown: Knowledge, records: Indices) -> list[Floats]:
        """For each unknown attribute, whether the baseline guess is right for each record."""
        right = []
        for a in np.flatnonzero(unknown.numbers).tolist():
            guess = np.full(len(records), self.number_guess(a))
            right.append(self.number_right(a, guess, records))
        for j in np.flatnonzero(unknown.codes).tolist():
            codes = self.space.categories[j].codes[records]
            right.append(self.close[j][codes, self.code_guess(j)].astype(np.float64))
        return right

    def code_guess(self, j: int) -> int:
        """The most frequent category; the median of ordered categories."""
        column = self.space.categories[j]
        if column.attribute.kind is not Kind.ORDINAL:
            return int(np.argmax(column.counts))
        known = column.counts[: column.size - int(column.attribute.has_missing)]
        if 2 * known.sum() < column.counts.sum():
            return column.size - 1
        return int(np.searchsorted(np.cumsum(known), known.sum() / 2))

    def number_guess(self, a: int) -> float:
        """The median of the original; missing where most values are missing."""
        column = self.space.numbers[a]
        known = column.n_known
        if 2 * known < self.space.n_records:
            return float("nan")
        return float(column.at(np.array([(known - 1) // 2, known // 2])).mean())


@dataclass(frozen=True, eq=False)
class InferenceAttack:
    """An intruder who infers unknown attributes of the targets from a released file."""

    index: ReleaseIndex
    truth: TrueValues

    @cached_property
    def _cells(self) -> Cells:
        """The values that cells stand for, with no unknown attribute selected yet."""
        spreads = [cells.spread for cells in self.index.masked.cells]
        columns = self.index.space.categories
        sizes = np.array([column.size for column in columns], dtype=np.int64)
        lengths = np.array([spread.size for spread in spreads], dtype=np.int64)
        missing = [c.size - 1 if c.attribute.has_missing else -1 for c in columns]
        return Cells(
            self.index.middles,
            np.concatenate([s.ravel() for s in spreads]) if spreads else np.empty(0),
            np.cumsum(lengths) - lengths,
            np.array([len(spread) for spread in spreads], dtype=np.int64),
            sizes,
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            np.array([c.attribute.kind is Kind.ORDINAL for c in columns], dtype=np.int64),
            np.array(missing, dtype=np.int64),
            np.zeros(len(self.index.space.numbers), np.int64),
            np.zeros(len(columns), np.int64),
        )

    def gain(self, task: InferenceTask, taking_part: Flags) -> Gain:
        """Gain on attributes whose values are equal within each class of targets.

        Args:
            taking_part: the classes that take part; the gain of the others is NaN.
        """
        records, places = (
            self.index.sample.representatives[taking_part],
            np.flatnonzero(taking_part),
        )
        gain = Gain(*np.full((2, len(taking_part)), np.nan))
        gain.right[taking_part] = np.mean(self.success(task, records, places), axis=0)
        gain.guessed[taking_part] = np.mean(self.truth.guessed(task.unknown, records), axis=0)
        return gain

    def class_success(
        self, task: InferenceTask, *, without_equal_records: bool = False
    ) -> list[Floats]:
        """For each unknown attribute, the mean success over the members of each class."""
        sample = self.index.sample
        records, places = sample.members
        right = self.success(task, records, places, without_equal_records=without_equal_records)
        return [sample.within(one) for one in right]

    def success(
        self, task: InferenceTask, records: Indices, places: Indices, *,
        without_equal_records: bool = False,
    ) -> list[Floats]:  # fmt: skip
        """For each unknown attribute, the probability that it is inferred right for each record.

        Args:
            places: positions of the classes of the records among the attacked classes.
            without_equal_records: infers from the nearest records that differ from the target.
        """
        unknown = task.unknown
        classes, places = np.unique(places, return_inverse=True)
        chosen, targets = self._distinct_targets(task.known, classes)
        cells = self._cells._replace(
            wanted_numbers=unknown.numbers.astype(np.int64),
            wanted_codes=unknown.codes.astype(np.int64),
        )
        index = self.index
        numbers, shares = infer_values(
            index.boxes, index.distances(task.known), index.targets, index.search,
            bundle_tuple(CELLS, cells), chosen, without_equal_records,
        )  # fmt: skip
        rows, starts = targets[places], self._cells.places
        right = [
            self.truth.number_right(a, numbers[rows, a], records)
            for a in np.flatnonzero(unknown.numbers).tolist()
        ]
        for j in np.flatnonzero(unknown.codes).tolist():
            inferred = shares[rows, starts[j] : starts[j + 1]]
            right.append(self.truth.code_right(j, inferred, records))
        return right

    def _distinct_targets(self, known: Knowledge, classes: Indices) -> tuple[Indices, Indices]:
        """One class for each combination of known values, and the combination of each class."""
        numbers, codes = self.truth.targets
        columns = [*numbers[known.numbers], *codes[known.codes]]
        equal = classes_of_columns([column[classes] for column in columns], len(classes))
        return classes[equal.representatives], equal.labels
