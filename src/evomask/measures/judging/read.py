"""Read: what can be read of people in the records nearest to them, beyond guessing."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evomask.arrays import Flags, Floats, Indices, Points
from evomask.data.classes import classes_of_columns
from evomask.data.schema import Kind
from evomask.kernels.bundles import laid
from evomask.kernels.linking.reading import CELLS, Cells, readings
from evomask.measures.judging.released import Known, Released
from evomask.measures.people import Sample
from evomask.measures.risk.inference import closeness
from evomask.measures.risk.space import Space

WINDOW = 0.1
"""A number, or an ordered category, is right within this share of the ranks."""

HALVES = 5
FEWEST_ASKED = 2
"""Questions that each class of a sample is asked, at least."""

MOST_LEFT_OUT = 12
"""Of more attributes so many, evenly spread, are read with all others known."""

FIXED = 0
"""Seed of the halves: they are part of the measure's definition."""


@dataclass(frozen=True, eq=False)
class Question:
    """What is known of people, and what shall be read."""

    known: Known
    wanted: Known


@dataclass(frozen=True, eq=False)
class Gain:
    """How often each class of people is read right, and how often it is guessed right."""

    right: Floats
    guessed: Floats

    def share(self, sample: Sample) -> float:
        """What reading adds to guessing, as a share of what guessing leaves open."""
        guessed = sample.mean(self.guessed)
        if guessed >= 1.0:
            return 0.0
        return max(0.0, (sample.mean(self.right) - guessed) / (1.0 - guessed))

    def error(self, sample: Sample) -> float:
        """The standard error of the share."""
        guessed = sample.mean(self.guessed)
        if guessed >= 1.0:
            return 0.0
        left_open = (1.0 - sample.mean(self.right)) / (1.0 - guessed)
        return sample.error(self.right - left_open * self.guessed) / (1.0 - guessed)


def mean_gain(gains: Sequence[Gain]) -> Gain:
    """What several questions bring on average, over those that each class was asked."""
    right = np.nanmean([gain.right for gain in gains], axis=0)
    return Gain(right, np.nanmean([gain.guessed for gain in gains], axis=0))


def shifts_of(questions: int, sample: Sample) -> list[Flags]:
    """Which classes each question is asked: all, or of a sample every second, third, … in turn.

    So many that every class is asked a few questions, no matter how many there are.
    """
    turns = 1 if sample.is_everyone else max(1, questions // FEWEST_ASKED)
    places = np.arange(len(sample.chosen))
    return [places % turns == place % turns for place in range(questions)]


def halves_of(names: int) -> list[Flags]:
    """Which attributes are known, five times half of them."""
    rng = np.random.default_rng(FIXED)
    size = names // 2
    drawn = [rng.permutation(names)[:size] for _ in range(HALVES)]
    return [np.isin(np.arange(names), half) for half in drawn]


def left_out(names: int) -> Indices:
    """The attributes that are read with all others known, each in turn."""
    if names <= MOST_LEFT_OUT:
        return np.arange(names)
    return (np.arange(MOST_LEFT_OUT) * names // MOST_LEFT_OUT).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Truth:
    """The attributes of a space as people have them: what is right, and what is a guess."""

    space: Space
    sample: Sample

    @cached_property
    def window(self) -> float:
        """How many ranks away a number may be."""
        return WINDOW * self.space.n_records

    @cached_property
    def people(self) -> tuple[Indices, Indices]:
        """Numbers and codes of a person of each class, an attribute a row, as whole numbers."""
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
        """For each code attribute which categories (columns) are right for which (rows)."""
        return [closeness(column, self.window) for column in self.space.categories]

    def code_right(self, j: int, shares: Points, records: Indices) -> Floats:
        """Chance that what was read of a code attribute is right for a record each."""
        codes = self.space.categories[j].codes[records]
        chances: Floats = np.einsum("iv,iv->i", shares, self.close[j][codes])
        return chances

    def number_right(self, a: int, numbers: Floats, records: Indices) -> Floats:
        """Whether the number read is right for a record each; missing is right for missing."""
        column = self.space.numbers[a]
        apart = np.abs(column.places(numbers) - column.ranks[records])
        missing = np.isnan(numbers) & np.isnan(column.ranks[records])
        return ((apart <= self.window) | missing).astype(np.float64)

    def guessed(self, wanted: Known, records: Indices) -> list[Floats]:
        """For each attribute wanted, whether the usual value is right for each record."""
        found = []
        for a in np.flatnonzero(wanted.numbers).tolist():
            usual = np.full(len(records), self.number_guess(a))
            found.append(self.number_right(a, usual, records))
        for j in np.flatnonzero(wanted.codes).tolist():
            codes = self.space.categories[j].codes[records]
            found.append(self.close[j][codes, self.code_guess(j)].astype(np.float64))
        return found

    def code_guess(self, j: int) -> int:
        """The usual category: the most frequent, of ordered ones the median."""
        column = self.space.categories[j]
        if column.attribute.kind is not Kind.ORDINAL:
            return int(np.argmax(column.counts))
        known = column.counts[: column.size - int(column.attribute.has_missing)]
        if 2 * known.sum() < column.counts.sum():
            return column.size - 1
        return int(np.searchsorted(np.cumsum(known), known.sum() / 2))

    def number_guess(self, a: int) -> float:
        """The usual number: the median of the original."""
        column = self.space.numbers[a]
        known = column.n_known
        if 2 * known < self.space.n_records:
            return float("nan")
        return float(column.at(np.array([(known - 1) // 2, known // 2])).mean())


@dataclass(frozen=True, eq=False)
class Reader:
    """An intruder who reads a released file."""

    released: Released
    truth: Truth

    @cached_property
    def _cells(self) -> Cells:
        """What cells stand for, with nothing wanted yet."""
        spreads = [cells.spread for cells in self.released.masked.cells]
        columns = self.released.space.categories
        sizes = np.array([column.size for column in columns], dtype=np.int64)
        lengths = np.array([spread.size for spread in spreads], dtype=np.int64)
        missing = [c.size - 1 if c.attribute.has_missing else -1 for c in columns]
        return Cells(
            self.released.middles,
            np.concatenate([s.ravel() for s in spreads]) if spreads else np.empty(0),
            np.cumsum(lengths) - lengths,
            np.array([len(spread) for spread in spreads], dtype=np.int64),
            sizes,
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            np.array([c.attribute.kind is Kind.ORDINAL for c in columns], dtype=np.int64),
            np.array(missing, dtype=np.int64),
            np.zeros(len(self.released.space.numbers), np.int64),
            np.zeros(len(columns), np.int64),
        )

    def ask(self, question: Question, who: Flags) -> Gain:
        """What a question about attributes that look-alikes share brings, beyond guessing.

        Args:
            who: the classes that are asked; the gain of the others is NaN.
        """
        records, places = self.released.sample.representatives[who], np.flatnonzero(who)
        gain = Gain(*np.full((2, len(who)), np.nan))
        gain.right[who] = np.mean(self.right(question, records, places), axis=0)
        gain.guessed[who] = np.mean(self.truth.guessed(question.wanted, records), axis=0)
        return gain

    def told(self, question: Question, *, by_strangers: bool = False) -> list[Floats]:
        """How often each class is read right in each attribute wanted, over its members."""
        sample = self.released.sample
        records, places = sample.members
        right = self.right(question, records, places, by_strangers=by_strangers)
        return [sample.within(one) for one in right]

    def right(
        self, question: Question, records: Indices, places: Indices, *, by_strangers: bool = False
    ) -> list[Floats]:
        """For each attribute wanted, the chance that it is read right of each record.

        Args:
            places: of their classes among those that are attacked.
            by_strangers: reads it in the nearest records that do not equal the person.
        """
        wanted = question.wanted
        asked, places = np.unique(places, return_inverse=True)
        chosen, targets = self._targets(question.known, asked)
        cells = self._cells._replace(
            wanted_numbers=wanted.numbers.astype(np.int64),
            wanted_codes=wanted.codes.astype(np.int64),
        )
        numbers, shares = readings(
            self.released.boxes, self.released.distances(question.known), self.released.people,
            self.released.search, laid(CELLS, cells), chosen, by_strangers,
        )  # fmt: skip
        rows, starts = targets[places], self._cells.places
        found = [self.truth.number_right(a, numbers[rows, a], records)
                 for a in np.flatnonzero(wanted.numbers).tolist()]  # fmt: skip
        for j in np.flatnonzero(wanted.codes).tolist():
            read = shares[rows, starts[j] : starts[j + 1]]
            found.append(self.truth.code_right(j, read, records))
        return found

    def _targets(self, known: Known, asked: Indices) -> tuple[Indices, Indices]:
        """A person for each way to be known, and the one that each class asked is like."""
        numbers, codes = self.truth.people
        columns = [*numbers[known.numbers], *codes[known.codes]]
        alike = classes_of_columns([column[asked] for column in columns], len(asked))
        return asked[alike.representatives], alike.labels
