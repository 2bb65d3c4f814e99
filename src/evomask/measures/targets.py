"""Targets: the individuals attacked in an evaluation, all of them or a fixed sample.

Individuals with equal values in everything that an intruder may know form one equivalence class
and are evaluated together, so that the order of records has no influence. Where several records
belong to a unit, a person or a household, the targets are units, with all their records.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evomask.data.classes import Classes, classes_of, classes_of_columns
from evomask.data.table import Table
from evomask.data.units import unit_labels
from evomask.types import Floats, Indices, Labels

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
    weights: Indices | Floats

    @classmethod
    def of(
        cls, original: Table, names: tuple[str, ...], most: int, seed: int, unit: str = ""
    ) -> "TargetSample":
        """Draw up to *most* targets by systematic sampling over the sorted classes.

        Args:
            unit: column with the numbers of the units that are targets; each record is one by
                default.
        """
        classes = classes_of(original, names)
        if unit:
            return _draw_units(classes, unit_labels(original, unit), most, seed)
        if len(original) <= most:
            return cls(classes, np.arange(len(classes)), classes.sizes)
        places = _systematic_sample(len(original), most, seed)
        drawn = np.searchsorted(np.cumsum(classes.sizes), places, "right")
        chosen, weights = np.unique(drawn, return_counts=True)
        return cls(classes, chosen.astype(np.int64), weights.astype(np.int64))

    @cached_property
    def size(self) -> int:
        """Number of targets."""
        return int(self.weights.sum())

    @property
    def n_individuals(self) -> int:
        """Number of individuals of whom the targets were drawn."""
        return len(self.classes.labels)

    @property
    def is_everyone(self) -> bool:
        return self.size == self.n_individuals

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

    @property
    def own_records(self) -> tuple[Indices, Indices]:
        """Ends and records: a link of class i to one of ``records[ends[i]:ends[i + 1]]`` is
        right for the target that it belongs to."""
        return self.by_class

    def most_exposed(self, values: Floats) -> Floats:
        """A value per chosen class, the largest among all classes of the same target."""
        return values

    def mean(self, values: Floats) -> float:
        """Mean over the attacked people of a value that each equivalence class has."""
        return float(self.weights @ values / self.size)

    def error(self, values: Floats) -> float:
        """Standard error of the mean over targets; 0 where everybody is attacked.

        One target with the rarer outcome is added, so that the error of a sample is never 0.
        """
        if self.is_everyone:
            return 0.0
        not_sampled = 1.0 - self.size / self.n_individuals
        return float(np.sqrt(self._variance(values) * not_sampled))

    def error_of_population(self, values: Floats) -> float:
        """Standard error of the mean as that of a sample of a large population.

        A control group stands for all people who are not in the release.
        """
        return float(np.sqrt(self._variance(values)))

    def _variance(self, values: Floats) -> float:
        """Variance of the mean over a sample of a large population."""
        mean = self.mean(values)
        squares = self._squares(values, mean) + max(abs(mean), abs(1.0 - mean)) ** 2
        return squares / self.size / max(self.size - 1, 1)

    def _squares(self, values: Floats, mean: float) -> float:
        """Sum of squared deviations over the targets."""
        return float(self.weights @ (values - mean) ** 2)

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
        alike: number of individuals of the file in each class; by default the targets are counted.
    """

    records: int = 0
    alike: Indices | None = None

    @property
    def n_individuals(self) -> int:
        return self.records

    @property
    def at_hand(self) -> Indices:
        return self.classes.sizes[self.chosen]

    @cached_property
    def sizes(self) -> Indices:
        return self.at_hand if self.alike is None else self.alike


@dataclass(frozen=True, eq=False)
class UnitSample(TargetSample):
    """Sampled persons or households; a class has the records of one unit with equal known values.

    A unit counts once: its records share the weight of the unit.

    Args:
        unit_of_class: unit of each chosen class.
        times: how often each unit was drawn.
        units: unit of each record.
        alike: records of the file with the known values of each chosen class.
    """

    unit_of_class: Indices
    times: Indices
    units: Labels
    alike: Indices

    @cached_property
    def size(self) -> int:
        return int(self.times.sum())

    @property
    def n_individuals(self) -> int:
        return len(self.times)

    @cached_property
    def sizes(self) -> Indices:
        return self.alike

    @property
    def at_hand(self) -> Indices:
        return self.classes.sizes[self.chosen]

    @cached_property
    def own_records(self) -> tuple[Indices, Indices]:
        """Ends and records: all records of the unit of each chosen class."""
        sizes = np.bincount(self.units, minlength=self.n_individuals)
        begins = (np.cumsum(sizes) - sizes)[self.unit_of_class]
        lengths = sizes[self.unit_of_class]
        ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        places = np.arange(ends[-1]) + np.repeat(begins - ends[:-1], lengths)
        return ends, np.argsort(self.units, kind="stable")[places]

    def most_exposed(self, values: Floats) -> Floats:
        largest = np.full(self.n_individuals, -np.inf)
        np.maximum.at(largest, self.unit_of_class, values)
        return largest[self.unit_of_class]

    def _squares(self, values: Floats, mean: float) -> float:
        drawn = self.times > 0
        sums = np.bincount(self.unit_of_class, self.weights * values, self.n_individuals)[drawn]
        times = self.times[drawn]
        return float(times @ (sums / times - mean) ** 2)


def _draw_units(classes: Classes, units: Labels, most: int, seed: int) -> UnitSample:
    """Draw up to *most* units, in the order of the first classes of their records."""
    pairs = classes_of_columns([classes.labels, units], len(units))
    units_of_pairs = units[pairs.representatives]
    sizes = np.bincount(units)
    times = np.ones(len(sizes), dtype=np.int64)
    if len(sizes) > most:
        in_order = np.argsort(np.unique(units_of_pairs, return_index=True)[1], kind="stable")
        drawn = in_order[_systematic_sample(len(sizes), most, seed)]
        times = np.bincount(drawn, minlength=len(sizes)).astype(np.int64)
    chosen = np.flatnonzero(times[units_of_pairs] > 0)
    own = units_of_pairs[chosen]
    weights = pairs.sizes[chosen] / sizes[own] * times[own]
    alike = classes.sizes_of_records[pairs.representatives[chosen]]
    return UnitSample(pairs, chosen, weights, own, times, units, alike)
