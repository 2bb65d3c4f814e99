"""Attribute inference by a learned model: nearest neighbours vote on what is not known.

The intruder knows the quasi-identifiers of a person, learns from the masked file how the
attribute wanted depends on them, and predicts it. The model is k nearest neighbours with 1, 5
or 25 of them, whichever does best: no library, no training, and nothing left to chance.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from evomask.arrays import Codes, Flags, Floats, Indices, Points
from evomask.data.classes import Classes
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.kernels.linking.linkage import TIE, Rows, Terms
from evomask.measures.attacks.attack import Strike, Success
from evomask.measures.attacks.distances import blocks, distances
from evomask.measures.categories import CategoricalColumn
from evomask.measures.comparability import check_columns, check_original
from evomask.measures.measure import About, Side
from evomask.measures.numbers import NumberColumn
from evomask.measures.risk.inference import WINDOW, fixed_targets
from evomask.measures.risk.linkage import classes_of_rows
from evomask.measures.risk.space import Space

NEIGHBOURS = (1, 5, 25)


class Near(NamedTuple):
    """For some people, which classes of masked records are near, and a record not to look at.

    ``left_out`` holds a record for each person, or -1.
    """

    classes: Classes
    near: Flags
    left_out: Indices


class Guesser(Protocol):
    """One attribute that the intruder wants to know."""

    def usual(self, people: Indices) -> Flags:
        """Whose true value is guessed by taking the most usual one."""
        ...

    def learned(self, masked: Table) -> "Learned":
        """What the neighbours in a masked table say."""
        ...


class Learned(Protocol):
    """What a masked table says of one attribute."""

    def right(self, people: Indices, near: Near) -> Flags:
        """Whose true value the vote of the neighbours gets right."""
        ...


@dataclass(frozen=True, eq=False)
class CategoryGuesser:
    """Guesses the category that most neighbours have; right is the same category."""

    column: CategoricalColumn

    def usual(self, people: Indices) -> Flags:
        """Whose true category is the most frequent one of the original."""
        right: Flags = self.column.codes[people] == int(np.argmax(self.column.counts))
        return right

    def learned(self, masked: Table) -> "LearnedCategories":
        """The votes of each record; a generalized cell votes for all it covers, by frequency."""
        cells = self.column.cells(masked)
        return LearnedCategories(self.column.codes, cells.codes, cells.spread)


@dataclass(frozen=True, eq=False)
class LearnedCategories:
    """Votes by the cells of the masked records."""

    truth: Codes
    cells: Codes
    spread: Floats

    def right(self, people: Indices, near: Near) -> Flags:
        """By the most voted category, the first in the domain among equals."""
        classes, n_cells = near.classes, len(self.spread)
        keys = classes.labels * n_cells + self.cells
        counts = np.bincount(keys, minlength=len(classes) * n_cells)
        votes: Points = near.near.astype(np.float64) @ counts.reshape(len(classes), n_cells)
        out = np.flatnonzero(near.left_out >= 0)
        records = near.left_out[out]
        votes[out, self.cells[records]] -= near.near[out, classes.labels[records]]
        guesses = np.argmax(np.round(votes @ self.spread, 9), axis=1)
        right: Flags = self.truth[people] == guesses
        return right


@dataclass(frozen=True, eq=False)
class NumberGuesser:
    """Guesses the median of the neighbours; right is within ten percent of the ranks."""

    column: NumberColumn

    @property
    def window(self) -> float:
        """How many ranks a right guess may be away."""
        return WINDOW / 100 * len(self.column.values)

    def usual(self, people: Indices) -> Flags:
        """By the median; nobody's value is guessed where none is known."""
        known = self.column.sorted
        middle = known[(len(known) - 1) // 2] if len(known) else np.nan
        return self.are_right(people, np.full(len(people), middle))

    def are_right(self, people: Indices, guesses: Floats) -> Flags:
        """Whose true rank is close to that of the guess; never that of a missing value."""
        apart = np.abs(self.column.places(guesses) - self.column.ranks[people])
        right: Flags = apart <= self.window
        return right

    def learned(self, masked: Table) -> "LearnedNumbers":
        """The numbers of the masked records; an interval says its middle."""
        return LearnedNumbers(self, self.column.cells(masked).centre)


@dataclass(frozen=True, eq=False)
class LearnedNumbers:
    """Guesses a number by the median of what the nearest masked records hold."""

    guesser: NumberGuesser
    numbers: Floats

    def right(self, people: Indices, near: Near) -> Flags:
        """By the lower median of what the neighbours know."""
        pairs = zip(near.near, near.left_out, strict=True)
        guesses = [self._median(neighbours[near.classes.labels], out) for neighbours, out in pairs]
        return self.guesser.are_right(people, np.array(guesses))

    def _median(self, near: Flags, left_out: int) -> float:
        if left_out >= 0:
            near[left_out] = False
        known = np.sort(self.numbers[near & ~np.isnan(self.numbers)])
        return float(known[(len(known) - 1) // 2]) if len(known) else np.nan


@dataclass(frozen=True)
class LearnedInference:
    """People whose unknown value is predicted right from what the masked file teaches.

    Args:
        attributes: names of those that the intruder knows.
        wanted: name of the one that the intruder wants to know.

    The baseline guesses the usual value. ``without_own_record`` is the success when each
    person's own masked record is left out: what the file would tell about someone who is not
    in it. Above 2,000 records a fixed sample of 1,000 people is attacked.
    """

    attributes: tuple[str, ...]
    wanted: str
    matches_records: bool = False

    def __post_init__(self) -> None:
        if self.wanted in self.attributes:
            raise SchemaError(f"{self.wanted!r} cannot be known and wanted at once")

    @property
    def about(self) -> About:
        """What the attack tells of itself, with the name of the attribute that is wanted."""
        return About(
            f"learned-{self.wanted}",
            f"inference of {self.wanted} by a learned model",
            Side.RISK,
            f"the share of people whose value of {self.wanted!r} is predicted right by a model "
            "learned from the masked file; harmless where guessing the usual value does as well",
        )

    def against(self, original: Table) -> Strike:
        """Prepare the people attacked and the usual guess."""
        check_original(original, (*self.attributes, self.wanted))
        space, guesser = Space.of(original, self.attributes), _guesser(original, self.wanted)
        people = fixed_targets(original, self.attributes)
        usual = 100.0 * float(guesser.usual(people).mean())

        def strike(masked: Table) -> Success:
            check_columns(original, masked, (*self.attributes, self.wanted))
            lesson = _Lesson.of(space, masked, guesser.learned(masked))
            with_own, without = lesson.shares_right(people)
            best = int(np.argmax(with_own))
            paired = len(masked) == len(original) > 1
            details = {"without_own_record": without[best]} if paired else {}
            return Success(with_own[best], usual, details)

        return strike


@dataclass(frozen=True, eq=False)
class _Lesson:
    """A masked file as the model sees it: distinct records, and what they say."""

    space: Space
    classes: Classes
    rows: Rows
    terms: Terms
    learned: Learned

    @classmethod
    def of(cls, space: Space, masked: Table, learned: Learned) -> "_Lesson":
        released = space.masked(masked)
        classes = classes_of_rows(released.rows)
        rows = released.rows.take(classes.representatives)
        return cls(space, classes, rows, space.terms(released, from_originals=True), learned)

    def shares_right(self, people: Indices) -> tuple[list[float], list[float]]:
        """Percent guessed right by each number of neighbours, with and without own records."""
        parts = blocks(people, len(self.classes))
        right = np.concatenate([self._right(block) for block in parts], axis=2)
        with_own, without = 100.0 * right.mean(axis=2)
        return with_own.tolist(), without.tolist()

    def _right(self, people: Indices) -> Flags:
        """Who is guessed right: with and without the own record, by number of neighbours."""
        apart = distances(self.space.originals.take(people), self.rows, self.terms)
        nobody = np.full(len(people), -1)
        own_records = np.where(people < len(self.classes.labels), people, -1)
        right = [
            [self.learned.right(people, Near(self.classes, near, out)) for near in ways]
            for out, ways in (
                (out, _nearest(apart, self.classes, out)) for out in (nobody, own_records)
            )
        ]
        return np.array(right)


def _guesser(original: Table, name: str) -> Guesser:
    if original.attribute(name).is_categorical:
        return CategoryGuesser(CategoricalColumn.of(original, name))
    return NumberGuesser(NumberColumn.of(original, name))


def _nearest(apart: Points, classes: Classes, left_out: Indices) -> list[Flags]:
    """For each number of neighbours, the classes that hold them; ties are all in.

    One class more than the most neighbours is enough: all but one hold a record at least.
    """
    count = min(max(NEIGHBOURS) + 1, len(classes))
    order = np.argpartition(apart, count - 1, axis=1)[:, :count]
    order = np.take_along_axis(
        order, np.argsort(np.take_along_axis(apart, order, axis=1), axis=1), axis=1
    )
    in_order = np.take_along_axis(apart, order, axis=1)
    own_class = np.where(left_out >= 0, classes.labels[left_out], -1)
    reached = np.cumsum(classes.sizes[order] - (order == own_class[:, None]), axis=1)
    places = [np.argmax(reached >= np.minimum(k, reached[:, -1:]), axis=1) for k in NEIGHBOURS]
    limits = [np.take_along_axis(in_order, place[:, None], axis=1) for place in places]
    return [apart <= limit * (1.0 + TIE) for limit in limits]
