"""Laws of a loss and a risk that serve as objectives of searches, like the strict pair.

They are stricter than those of other measures: a loss attains 0 and 100 and grows with the
information removed, and a risk is not lowered by changes that protect no record.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from evomask.data.recoding import CategorySets, Intervals
from evomask.data.table import Column, Table
from evomask.measures.measure import Measure, Reading, Side
from evomask.testing.examples import example_table
from evomask.testing.law import Law, check, name_of
from evomask.types import Codes

RECORDS = 120
DRAWS = 5
TOLERANCE = 1e-6
SHARES = (0.0, 0.1, 0.3, 0.6, 1.0)
"""Shares of records or cells that are suppressed or changed."""


@dataclass(frozen=True, eq=False)
class JudgeCase:
    """A loss or a risk, and an original."""

    measure: Measure
    original: Table

    @cached_property
    def reading(self) -> Reading:
        return self.measure.against(self.original)

    @cached_property
    def of_original(self) -> float:
        return self.reading(self.original)

    @cached_property
    def suppressed(self) -> Mapping[str, Table]:
        """Files without information: all records suppressed, and all cells suppressed."""
        every = np.ones(len(self.original), dtype=bool)
        return {"no records": self.original.suppressing(every), "no cells": self.at_level(3)}

    def at_level(self, level: int) -> Table:
        """Return the original generalized: level 0 is unchanged, level 3 one class."""
        table = self.original
        for name in self.measure.attributes:
            table = _at_level(table, name, level)
        return table

    def means(self, masked: Callable[[float, np.random.Generator], Table]) -> list[float]:
        """Return the mean value over random files, for each share."""
        return [
            float(np.mean([self.reading(masked(share, _generator(draw))) for draw in range(DRAWS)]))
            for share in SHARES
        ]

    def without(self, share: float, rng: np.random.Generator) -> Table:
        """Suppress a random share of the records."""
        return self.original.suppressing(rng.random(len(self.original)) < share)

    def noisy(self, share: float, rng: np.random.Generator) -> Table:
        """Add noise of this share of the deviation; redraw this share of the categories."""
        n, changes = len(self.original), {}
        for name in self.measure.attributes:
            column = self.original[name]
            if self.original.attribute(name).is_categorical:
                drawn = column[rng.integers(0, n, n)]
                changes[name] = np.where(rng.random(n) < share, drawn, column)
            else:
                changes[name] = column + rng.normal(0.0, share * np.nanstd(column), n)
        return self.original.with_columns(changes)


def _generator(draw: int) -> np.random.Generator:
    return np.random.default_rng([7, draw])


def _at_level(table: Table, name: str, level: int) -> Table:
    if level == 0:
        return table
    if table.attribute(name).is_categorical:
        size = len(table.attribute(name).categories)
        parts = np.arange(size) >> level if level < 3 else np.zeros(size, np.int64)
        leaves = parts[None, :] == np.unique(parts)[:, None]
        labels = tuple(f"part {part}" for part in range(len(leaves)))
        codes: Codes = parts[table.codes(name)].astype(np.int32)
        return table.with_recoded(name, codes, CategorySets(labels, leaves))
    values = table.values(name)
    cuts = np.nanquantile(values, np.linspace(0, 1, (8 >> level) + 1))
    low, high = np.append(cuts[:-1], np.nan), np.append(cuts[1:], np.nan)
    if level == 3:
        low, high = (np.array([end(values)] * 2) for end in (np.nanmin, np.nanmax))
    places = np.clip(np.searchsorted(cuts, values, "right") - 1, 0, len(low) - 2)
    places = np.where(np.isnan(values), len(low) - 1, places)
    labels = tuple(f"part {part}" for part in range(len(low)))
    return table.with_recoded(name, places.astype(np.int32), Intervals(labels, low, high))


def is_100_if_everything_is_suppressed(case: JudgeCase) -> Iterator[str]:
    """A file without information has a loss of 100."""
    for kind, masked in case.suppressed.items():
        if abs(case.reading(masked) - 100.0) > TOLERANCE:
            yield f"the value is {case.reading(masked)} ({kind})"


def does_not_decrease_with_suppressed_records(case: JudgeCase) -> Iterator[str]:
    """The mean loss grows with the share of suppressed records."""
    yield from _decreases(case.means(case.without))


def does_not_decrease_with_noise(case: JudgeCase) -> Iterator[str]:
    """The mean loss grows with the amount of noise."""
    yield from _decreases(case.means(case.noisy))


def does_not_decrease_with_generalization(case: JudgeCase) -> Iterator[str]:
    """The loss grows with the size of sets and intervals."""
    yield from _decreases([case.reading(case.at_level(level)) for level in range(4)])


def _decreases(values: list[float]) -> Iterator[str]:
    for before, after in pairwise(values):
        if after < before - TOLERANCE:
            yield f"{before} became {after}"


def is_at_most_guessing_if_everything_is_suppressed(case: JudgeCase) -> Iterator[str]:
    """Without information the risk is that of guessing one record among all."""
    for kind, masked in case.suppressed.items():
        if case.reading(masked) > 100.0 / len(case.original) + TOLERANCE:
            yield f"the value is {case.reading(masked)} ({kind})"


def ignores_the_order_of_records(case: JudgeCase) -> Iterator[str]:
    """A permutation of the records protects no record."""
    shuffled = case.original.take(_generator(0).permutation(len(case.original)))
    yield from _differs(case, case.reading(shuffled))


def is_not_lowered_by_relabelled_categories(case: JudgeCase) -> Iterator[str]:
    """A permutation of the category labels protects no record."""
    changes: dict[str, Column] = {}
    for name in case.measure.attributes:
        if case.original.attribute(name).is_categorical:
            size = len(case.original.attribute(name).categories)
            changes[name] = np.roll(np.arange(size), 1)[case.original.codes(name)]
    yield from _differs(case, case.reading(case.original.with_columns(changes)))


def is_not_lowered_for_remaining_records(case: JudgeCase) -> Iterator[str]:
    """Suppressing records protects these records only."""
    share = 0.1
    left = float(np.mean([case.reading(case.without(share, _generator(d))) for d in range(DRAWS)]))
    if left < (1.0 - 2.0 * share) * case.of_original:
        yield f"with a tenth of the records suppressed, {case.of_original} became {left}"


def _differs(case: JudgeCase, value: float) -> Iterator[str]:
    if abs(value - case.of_original) > TOLERANCE:
        yield f"{case.of_original} became {value}"


LAWS_OF_LOSS: tuple[Law[JudgeCase], ...] = (
    is_100_if_everything_is_suppressed,
    does_not_decrease_with_suppressed_records,
    does_not_decrease_with_noise,
    does_not_decrease_with_generalization,
)
LAWS_OF_RISK: tuple[Law[JudgeCase], ...] = (
    is_at_most_guessing_if_everything_is_suppressed,
    ignores_the_order_of_records,
    is_not_lowered_by_relabelled_categories,
    is_not_lowered_for_remaining_records,
)


def check_judge(
    measure: Measure, make: Callable[[], Table] = lambda: example_table(RECORDS)
) -> None:
    """Raise if a loss or a risk breaks a law of objectives.

    The laws of all measures are checked by ``check_measure``.
    """
    laws = LAWS_OF_LOSS if measure.about.side is Side.LOSS else LAWS_OF_RISK
    check(name_of(measure), laws, JudgeCase(measure, make()))
