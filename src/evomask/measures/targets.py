"""Targets: the individuals attacked in an evaluation, all of them or a fixed sample.

Individuals with equal values in everything that an intruder may know form one equivalence class
and are evaluated together, so that the order of records has no influence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evomask.data.classes import Classes, classes_of
from evomask.data.table import Table
from evomask.types import Floats, Indices

SEARCH_TARGETS = 2_000
"""Number of targets while a search runs; smaller files are attacked as a whole."""

REPORT_TARGETS = 10_000
"""Number of targets in the final report."""

ALL_TARGETS = 2**62
"""More targets than any file has: everybody is attacked."""

FIXED_SEED = 0
"""Seed of samples that are part of the definition of a measure."""


def fixed_records(original: Table, names: Sequence[str], most: int | None) -> Indices:
    """Records to attack: all, or *most* of them, spread evenly over the equivalence classes."""
    if most is None or len(original) <= most:
        return np.arange(len(original))
    in_order = np.argsort(classes_of(original, names).labels, kind="stable")
    return np.sort(in_order[_systematic_sample(len(original), most, FIXED_SEED)])


def _systematic_sample(n_records: int, size: int, seed: int) -> Indices:
    """Draw one position in each of *size* intervals of equal length."""
    within = np.random.default_rng(seed).random(size)
    places = ((within + np.arange(size)) * (n_records / size)).astype(np.int64)
    return np.minimum(places, n_records - 1)


@dataclass(frozen=True, eq=False)
class TargetSample:
    """Sampled targets, by equivalence class.

    Args:
        classes: equivalence classes of all individuals on what may be known of them.
        chosen: the classes that are attacked.
        weights: number of targets drawn from each chosen class.
    """

    classes: Classes
    chosen: Indices
    weights: Indices

    @classmethod
    def of(cls, original: Table, names: tuple[str, ...], most: int, seed: int) -> "TargetSample":
        """Draw up to *most* targets by systematic sampling over the sorted classes."""
        classes = classes_of(original, names)
        if len(original) <= most:
            return cls(classes, np.arange(len(classes)), classes.sizes)
        places = _systematic_sample(len(original), most, seed)
        drawn = np.searchsorted(np.cumsum(classes.sizes), places, "right")
        chosen, weights = np.unique(drawn, return_counts=True)
        return cls(classes, chosen.astype(np.int64), weights.astype(np.int64))

    @cached_property
    def size(self) -> int:
        return int(self.weights.sum())

    @property
    def n_records(self) -> int:
        return len(self.classes.labels)

    @property
    def is_everyone(self) -> bool:
        return self.size == self.n_records

    @cached_property
    def representatives(self) -> Indices:
        """One record of each chosen class."""
        return self.classes.representatives[self.chosen]

    @cached_property
    def sizes(self) -> Indices:
        """Individuals in each chosen class, drawn or not."""
        return self.classes.sizes[self.chosen]

    @cached_property
    def members(self) -> tuple[Indices, Indices]:
        """All records of the chosen classes, and the position of their class in ``chosen``."""
        place = np.full(len(self.classes), -1)
        place[self.chosen] = np.arange(len(self.chosen))
        of_records = place[self.classes.labels]
        records = np.flatnonzero(of_records >= 0)
        return records, of_records[records]

    @cached_property
    def by_class(self) -> tuple[Indices, Indices]:
        """Ends and records: chosen class i has ``records[ends[i]:ends[i + 1]]``."""
        records, places = self.members
        sizes = np.bincount(places, minlength=len(self.chosen))
        ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return ends, records[np.argsort(places, kind="stable")]

    @property
    def at_hand(self) -> Indices:
        """Members of each chosen class whose records are known."""
        return self.sizes

    def mean(self, values: Floats) -> float:
        """Mean over targets of a value per chosen class."""
        return float(self.weights @ values / self.size)

    def error(self, values: Floats) -> float:
        """Standard error of the mean over targets; 0 where everybody is attacked.

        One target with the rarer outcome is added, so that the error of a sample is never 0.
        """
        if self.is_everyone:
            return 0.0
        mean = self.mean(values)
        squares = float(self.weights @ (values - mean) ** 2) + max(abs(mean), abs(1.0 - mean)) ** 2
        not_sampled = 1.0 - self.size / self.n_records
        return float(np.sqrt(squares / self.size / max(self.size - 1, 1) * not_sampled))

    def error_of_population(self, values: Floats) -> float:
        """Standard error of the mean as that of a sample of a large population.

        A control group stands for all people who are not in the release.
        """
        mean = self.mean(values)
        squares = float(self.weights @ (values - mean) ** 2) + max(abs(mean), abs(1.0 - mean)) ** 2
        return float(np.sqrt(squares / self.size / max(self.size - 1, 1)))

    def within(self, values: Floats) -> Floats:
        """Mean over the members of each chosen class."""
        _, places = self.members
        averages: Floats = np.bincount(places, values, len(self.chosen)) / self.at_hand
        return averages


@dataclass(frozen=True, eq=False)
class DrawnTargets(TargetSample):
    """Targets drawn from a file of which no other records are at hand; all of them are members.

    Args:
        records: number of individuals in the file.
        alike: those of the file who are in each class; the targets alone by default.
    """

    records: int = 0
    alike: Indices | None = None

    @property
    def n_records(self) -> int:
        return self.records

    @property
    def at_hand(self) -> Indices:
        return self.weights

    @cached_property
    def sizes(self) -> Indices:
        return self.weights if self.alike is None else self.alike
