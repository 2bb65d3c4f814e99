"""The people that intruders are let loose on: all of a small file, a fixed sample of a large one.

People who are alike in everything an intruder may know are judged together, so that who of them
stands where in the file makes no difference.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from evomask.arrays import Floats, Indices
from evomask.data.classes import Classes, classes_of
from evomask.data.table import Table

SEARCHING = 2_000
"""People attacked while a search goes on; smaller files are attacked as a whole."""

REPORTING = 10_000
"""People attacked for what is reported in the end."""

EVERYONE = 2**62
"""More people than any file has: attacks on all of them."""


FIXED = 0
"""Seed of a sample where nobody gives one: it is part of a measure's definition."""


def fixed_records(original: Table, names: Sequence[str], people: int | None) -> Indices:
    """Records to attack: all, or so many evenly spread over classes in the order of values."""
    if people is None or len(original) <= people:
        return np.arange(len(original))
    in_order = np.argsort(classes_of(original, names).labels, kind="stable")
    return np.sort(in_order[_evenly(len(original), people, FIXED)])


def _evenly(records: int, people: int, seed: int) -> Indices:
    """So many places among the records, one drawn in each of as many equal stretches."""
    within = np.random.default_rng(seed).random(people)
    places = ((within + np.arange(people)) * (records / people)).astype(np.int64)
    return np.minimum(places, records - 1)


@dataclass(frozen=True, eq=False)
class Sample:
    """Classes of people who look alike, and how many of each are attacked.

    Args:
        classes: all people by what is known of them.
        chosen: the classes that are attacked.
        weights: how many people of each chosen class were drawn.
    """

    classes: Classes
    chosen: Indices
    weights: Indices

    @classmethod
    def of(cls, original: Table, names: tuple[str, ...], people: int, seed: int) -> "Sample":
        """At most so many people, evenly spread over the classes in the order of their values.

        In that order one is drawn of each of as many stretches of equal length.
        """
        classes = classes_of(original, names)
        if len(original) <= people:
            return cls(classes, np.arange(len(classes)), classes.sizes)
        places = _evenly(len(original), people, seed)
        drawn = np.searchsorted(np.cumsum(classes.sizes), places, "right")
        chosen, weights = np.unique(drawn, return_counts=True)
        return cls(classes, chosen.astype(np.int64), weights.astype(np.int64))

    @property
    def size(self) -> int:
        """How many people are attacked."""
        return int(self.weights.sum())

    @property
    def n_records(self) -> int:
        """How many people there are."""
        return len(self.classes.labels)

    @property
    def is_everyone(self) -> bool:
        """Whether nobody was left out."""
        return self.size == self.n_records

    @cached_property
    def representatives(self) -> Indices:
        """A record of each chosen class."""
        return self.classes.representatives[self.chosen]

    @cached_property
    def sizes(self) -> Indices:
        """People in each chosen class, drawn or not."""
        return self.classes.sizes[self.chosen]

    @cached_property
    def members(self) -> tuple[Indices, Indices]:
        """All records of the chosen classes, and the place of their class among these."""
        place = np.full(len(self.classes), -1)
        place[self.chosen] = np.arange(len(self.chosen))
        of_records = place[self.classes.labels]
        records = np.flatnonzero(of_records >= 0)
        return records, of_records[records]

    @property
    def often(self) -> Indices:
        """How many people each of these records stands for: one."""
        return np.ones(len(self.members[0]), dtype=np.int64)

    def mean(self, values: Floats) -> float:
        """The average over people of what each chosen class has."""
        return float(np.average(values, weights=self.weights))

    def error(self, values: Floats) -> float:
        """The standard error of that average; none where everybody is attacked.

        As if one more person had been attacked with the rarer outcome: an error is never 0 by
        luck.
        """
        if self.is_everyone:
            return 0.0
        mean = self.mean(values)
        squares = float(self.weights @ (values - mean) ** 2) + max(abs(mean), abs(1.0 - mean)) ** 2
        left_out = 1.0 - self.size / self.n_records
        return float(np.sqrt(squares / self.size / max(self.size - 1, 1) * left_out))

    def within(self, values: Floats) -> Floats:
        """What the members of each chosen class have on average."""
        _, places = self.members
        averages: Floats = np.bincount(places, values, len(self.chosen)) / self.sizes
        return averages


@dataclass(frozen=True, eq=False)
class CountedSample(Sample):
    """People of a file of which few records are at hand; each of these stands for several.

    Args:
        records: how many people the whole file has.
        times: how many of them each record at hand stands for; sizes of classes add these up.
    """

    records: int = 0
    times: Indices = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    @property
    def n_records(self) -> int:
        """How many people there are in the whole file."""
        return self.records

    @property
    def often(self) -> Indices:
        """How many people each member's record stands for."""
        return self.times[self.members[0]]

    def within(self, values: Floats) -> Floats:
        """What the members of each chosen class have on average."""
        _, places = self.members
        averages: Floats = np.bincount(places, values * self.often, len(self.chosen)) / self.sizes
        return averages
