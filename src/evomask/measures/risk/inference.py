"""Inference: what can be read about a person from the most similar masked record anywhere.

The attack does not care which masked record belongs to whom, so the order of the records
gives no protection. The intruder knows half of the attributes of every person, takes the
nearest masked record (ties share) and reads the other attributes from it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np

from evomask.arrays import Flags, Floats, Indices
from evomask.data.classes import classes_of, classes_of_columns
from evomask.data.schema import Kind
from evomask.data.table import Column, Table
from evomask.measures.categories import CategoricalColumn
from evomask.measures.comparability import check_masked, check_original
from evomask.measures.measure import About, Reading, Side
from evomask.measures.numbers import NumberColumn
from evomask.measures.risk.nearest import nearest_ties
from evomask.measures.risk.space import Space
from evomask.measures.tracked.trackable import Request, TrackableReading

HALVES = 5
WINDOW = 10.0
ALL_UP_TO = 2_000
SAMPLE = 1_000
FEWEST, PAIRS = 100, 100_000_000
"""Fewer people where there would be more pairs of a person and a record than this."""

FIXED = 0
"""Seed of the halves and of the sample: they are part of the measure's definition."""


def fixed_halves(n_attributes: int) -> list[Indices]:
    """Positions of the attributes that the intruder knows, five times."""
    rng = np.random.default_rng(FIXED)
    size = n_attributes // 2
    return [np.sort(rng.permutation(n_attributes)[:size]) for _ in range(HALVES)]


def fixed_targets(original: Table, names: Sequence[str]) -> Indices:
    """The people attacked: all, or a sample that does not depend on the order of records."""
    if len(original) <= ALL_UP_TO:
        return np.arange(len(original))
    in_order = np.argsort(classes_of(original, names).labels, kind="stable")
    people = min(SAMPLE, max(FEWEST, PAIRS // len(original)))
    drawn = np.random.default_rng(FIXED).permutation(len(original))[:people]
    return in_order[np.sort(drawn)]


class AttributeReader(Protocol):
    """One attribute as the intruder reads it: is what is read close to the truth?"""

    def closeness(self, masked: Table) -> "Closeness":
        """For pairs of a record and a masked record read for it, the chance to be close."""
        ...

    def guessed(self, records: Indices) -> float:
        """Share of *records* for which the usual value is close."""
        ...


Closeness = Callable[[Indices, Indices], Floats]


@dataclass(frozen=True, eq=False)
class CategoryReader:
    """Reads categories; the usual value is the most frequent one."""

    column: CategoricalColumn
    near: Flags

    def closeness(self, masked: Table) -> Closeness:
        """By a table of original categories against masked cells."""
        cells = self.column.cells(masked)
        table: Floats = self.near @ cells.spread.T

        def close(records: Indices, read: Indices) -> Floats:
            shares: Floats = table[self.column.codes[records], cells.codes[read]]
            return shares

        return close

    def guessed(self, records: Indices) -> float:
        """Share of *records* whose category is close to the most frequent one."""
        most = int(np.argmax(self.column.counts))
        return float(self.near[self.column.codes[records], most].mean())


@dataclass(frozen=True, eq=False)
class NumberReader:
    """Reads numbers; the usual value is the median."""

    column: NumberColumn
    window: float

    def closeness(self, masked: Table) -> Closeness:
        """How close, by mean rank, the number read in a masked record is to a person's own."""
        cells, windows = self.column.cells(masked), np.array([self.window])
        return lambda records, read: self.column.shares_near(
            cells.take(read), self.column.ranks[records], windows
        )

    def guessed(self, records: Indices) -> float:
        """By the median; nothing is close to it where nothing is known."""
        known = self.column.sorted
        middle = self.column.places(known[(len(known) - 1) // 2 :][:1])
        apart = np.abs(self.column.ranks[records] - (middle[0] if len(middle) else np.nan))
        return float((apart <= self.window).mean())


def closeness(column: CategoricalColumn, window: float) -> Flags:
    """Which categories are right for which: equal ones, of ordered ones those near in rank."""
    if column.attribute.kind is Kind.ORDINAL:
        return column.nearness(window)
    return np.eye(column.size, dtype=bool)


def reader(original: Table, name: str) -> AttributeReader:
    """How the attribute *name* is read."""
    window = WINDOW / 100 * len(original)
    if original.attribute(name).is_categorical:
        column = CategoricalColumn.of(original, name)
        return CategoryReader(column, closeness(column, window))
    return NumberReader(NumberColumn.of(original, name), window)


@dataclass(frozen=True)
class Inference:
    """Share of unknown cells read closely, beyond guessing.

    0 is what guessing the median (the most frequent category) gives, 100 where all is read.
    Close is the same category, or within ten percent of the ranks. Above 2,000 records a fixed
    sample of 1,000 people is attacked. With one attribute there is nothing to infer.
    """

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "inference",
        "inference from the most similar record",
        Side.RISK,
        "how much better an intruder guesses unknown values of a person by looking up similar "
        "masked records than by guessing the usual value",
    )

    def against(self, original: Table) -> Reading:
        """Prepare the people attacked and the usual guess."""
        check_original(original, self.attributes)
        attack = HalvesAttack(original, self.attributes)

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            if len(self.attributes) < 2 or attack.floor >= 1.0:
                return 0.0
            gained = (attack.success(masked) - attack.floor) / (1.0 - attack.floor)
            return 100.0 * max(0.0, gained)

        return TrackableReading(reading, original, Request(self.about.name, self.attributes))


@dataclass(frozen=True, eq=False)
class HalvesAttack:
    """An intruder who knows half of the attributes, five different halves in turn."""

    original: Table
    names: tuple[str, ...]

    @cached_property
    def targets(self) -> Indices:
        """Positions of the original records that are attacked, the same for every masked file."""
        return fixed_targets(self.original, self.names)

    @cached_property
    def people(self) -> tuple[Indices, Floats]:
        """One target for each distinct record among them, and the share that is like it."""
        columns = [self.original[name][self.targets] for name in self.names]
        classes = classes_of_columns(columns, len(self.targets))
        return self.targets[classes.representatives], classes.sizes / len(self.targets)

    @cached_property
    def readers(self) -> list[AttributeReader]:
        """How the intruder reads each attribute: categories or numbers."""
        return [reader(self.original, name) for name in self.names]

    @cached_property
    def halves(self) -> list[tuple[Space, Indices]]:
        """The known attributes as a space, and the positions of the unknown ones."""
        every = np.arange(len(self.names))
        return [
            (Space.of(self.original, [self.names[j] for j in half]), np.setdiff1d(every, half))
            for half in fixed_halves(len(self.names))
        ]

    @cached_property
    def floor(self) -> float:
        """Success of guessing the usual value."""
        guessed = [reader.guessed(self.targets) for reader in self.readers]
        return float(np.mean([np.mean([guessed[j] for j in other]) for _, other in self.halves]))

    def success(self, masked: Table) -> float:
        """Share of the unknown cells that are read closely, over all halves."""
        distinct = _distinct(masked, self.names)
        close = [reader.closeness(masked) for reader in self.readers]
        return float(np.mean([self._half(masked, half, distinct, close) for half in self.halves]))

    def _half(
        self,
        masked: Table,
        half: tuple[Space, Indices],
        distinct: tuple[Indices, Indices],
        close: Sequence[Closeness],
    ) -> float:
        space, others = half
        representatives, sizes = distinct
        released = space.masked(masked)
        rows = released.rows.take(representatives)
        candidates = space.sorted_candidates(rows, sizes)
        targets, shares = self.people
        people = space.originals.take(targets)
        ends, nearest = nearest_ties(
            people, space.places(people), candidates.candidates,
            space.terms(released, from_originals=True),
        )  # fmt: skip
        nearest = candidates.order[nearest]
        person = np.repeat(np.arange(len(people)), np.diff(ends))
        weights = sizes[nearest].astype(np.float64)
        weights *= (shares / np.bincount(person, weights=weights))[person]
        records, read = targets[person], representatives[nearest]
        closeness = [close[j](records, read) for j in others]
        return float(np.mean(closeness, axis=0) @ weights)


def _distinct(masked: Table, names: Sequence[str]) -> tuple[Indices, Indices]:
    """One record for each distinct masked one, and how many there are of it."""
    columns: list[Column] = [masked[name] for name in names]
    if masked.suppressed.any():
        columns.append(masked.suppressed.astype(np.int32))
    classes = classes_of_columns(columns, len(masked))
    return classes.representatives, classes.sizes
