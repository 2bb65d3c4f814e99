"""Attribute inference from the most similar masked record.

The intruder knows half of the attributes of every target, takes the nearest masked record (ties
share) and infers the other attributes from it. The attack does not depend on which masked record
belongs to whom, so that the order of the records gives no protection.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np

from evomask.data.classes import classes_of, classes_of_columns
from evomask.data.schema import Kind
from evomask.data.table import Column, Table
from evomask.measures.columns import CategoricalColumn, NumberColumn
from evomask.measures.comparison_space import Space, nearest_ties
from evomask.measures.incremental.readings import Request, TrackableReading
from evomask.measures.measure import About, Reading, Side, check_masked, check_original
from evomask.measures.targets import FIXED_SEED
from evomask.types import Flags, Floats, Indices

HALVES = 5
WINDOW = 10.0
ALL_UP_TO = 2_000
SAMPLE = 1_000
FEWEST, PAIRS = 100, 100_000_000
"""Smallest sample, and the number of pairs of target and record above which it shrinks."""


def fixed_halves(n_attributes: int) -> list[Indices]:
    """Positions of the known attributes of five fixed random halves."""
    rng = np.random.default_rng(FIXED_SEED)
    size = n_attributes // 2
    return [np.sort(rng.permutation(n_attributes)[:size]) for _ in range(HALVES)]


def fixed_targets(original: Table, names: Sequence[str]) -> Indices:
    """The targets: all records, or a sample that does not depend on the order of records."""
    if len(original) <= ALL_UP_TO:
        return np.arange(len(original))
    in_order = np.argsort(classes_of(original, names).labels, kind="stable")
    size = min(SAMPLE, max(FEWEST, PAIRS // len(original)))
    drawn = np.random.default_rng(FIXED_SEED).permutation(len(original))[:size]
    return in_order[np.sort(drawn)]


Closeness = Callable[[Indices, Indices], Floats]
"""Probability that the values of masked records are close to those of original records."""


class InferredAttribute(Protocol):
    """One attribute as the intruder infers it."""

    def closeness(self, masked: Table) -> Closeness:
        """Prepare the comparison with the values of a masked table."""
        ...

    def guessed(self, records: Indices) -> float:
        """Share of *records* for which the baseline guess is close."""
        ...


@dataclass(frozen=True, eq=False)
class InferredCategory:
    """Infers categories; the baseline guess is the most frequent one."""

    column: CategoricalColumn
    near: Flags

    def closeness(self, masked: Table) -> Closeness:
        cells = self.column.cells(masked)
        table: Floats = self.near @ cells.spread.T
        return lambda records, found: table[self.column.codes[records], cells.codes[found]]

    def guessed(self, records: Indices) -> float:
        most = int(np.argmax(self.column.counts))
        return float(self.near[self.column.codes[records], most].mean())


@dataclass(frozen=True, eq=False)
class InferredNumber:
    """Infers numbers; the baseline guess is the median."""

    column: NumberColumn
    window: float

    def closeness(self, masked: Table) -> Closeness:
        cells, windows = self.column.cells(masked), np.array([self.window])
        return lambda records, found: self.column.shares_near(
            cells.take(found), self.column.ranks[records], windows
        )

    def guessed(self, records: Indices) -> float:
        known = self.column.sorted
        middle = self.column.places(known[(len(known) - 1) // 2 :][:1])
        apart = np.abs(self.column.ranks[records] - (middle[0] if len(middle) else np.nan))
        return float((apart <= self.window).mean())


def close_categories(column: CategoricalColumn, window: float) -> Flags:
    """Categories (columns) that are right for each: equal ones, or near in rank if ordered."""
    if column.attribute.kind is Kind.ORDINAL:
        return column.nearness(window)
    return np.eye(column.size, dtype=bool)


def inferred_attribute(original: Table, name: str) -> InferredAttribute:
    """Return the inference of the attribute *name*."""
    window = WINDOW / 100 * len(original)
    if original.attribute(name).is_categorical:
        column = CategoricalColumn.of(original, name)
        return InferredCategory(column, close_categories(column, window))
    return InferredNumber(NumberColumn.of(original, name), window)


@dataclass(frozen=True)
class Inference:
    """Share of unknown cells inferred closely, beyond guessing.

    0 is the success of guessing the median (the most frequent category), 100 complete success.
    Close is the same category, or within ten percent of the ranks. Above 2,000 records a fixed
    sample of 1,000 targets is attacked. With one attribute there is nothing to infer.
    """

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "inference",
        "attribute inference from the most similar record",
        Side.RISK,
        "the share of unknown values that an intruder infers from similar masked records, beyond "
        "guessing the median or the most frequent category",
    )

    def against(self, original: Table) -> Reading:
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
    """An intruder who knows half of the attributes, for five different halves."""

    original: Table
    names: tuple[str, ...]

    @cached_property
    def targets(self) -> Indices:
        """Positions of the attacked original records, the same for every masked file."""
        return fixed_targets(self.original, self.names)

    @cached_property
    def distinct_targets(self) -> tuple[Indices, Floats]:
        """One target for each distinct record, and the share of targets equal to it."""
        columns = [self.original[name][self.targets] for name in self.names]
        classes = classes_of_columns(columns, len(self.targets))
        return self.targets[classes.representatives], classes.sizes / len(self.targets)

    @cached_property
    def inferred(self) -> list[InferredAttribute]:
        return [inferred_attribute(self.original, name) for name in self.names]

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
        """Success of the baseline guess."""
        guessed = [attribute.guessed(self.targets) for attribute in self.inferred]
        return float(np.mean([np.mean([guessed[j] for j in other]) for _, other in self.halves]))

    def success(self, masked: Table) -> float:
        """Share of the unknown cells that are inferred closely, over all halves."""
        distinct = _distinct(masked, self.names)
        close = [attribute.closeness(masked) for attribute in self.inferred]
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
        targets, shares = self.distinct_targets
        known = space.originals.take(targets)
        terms = space.terms(released, from_originals=True)
        ends, nearest = nearest_ties(known, space.places(known), candidates.candidates, terms)
        nearest = candidates.order[nearest]
        target = np.repeat(np.arange(len(known)), np.diff(ends))
        weights = sizes[nearest].astype(np.float64)
        weights *= (shares / np.bincount(target, weights=weights))[target]
        records, found = targets[target], representatives[nearest]
        closeness = [close[j](records, found) for j in others]
        return float(np.mean(closeness, axis=0) @ weights)


def _distinct(masked: Table, names: Sequence[str]) -> tuple[Indices, Indices]:
    """One record for each distinct masked one, and the number of records equal to it."""
    columns: list[Column] = [masked[name] for name in names]
    if masked.suppressed.any():
        columns.append(masked.suppressed.astype(np.int32))
    classes = classes_of_columns(columns, len(masked))
    return classes.representatives, classes.sizes
