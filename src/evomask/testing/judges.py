"""The laws of a loss and a risk that searches and stewards are steered by, like the strict pair.

They are more than other measures promise: a loss has true ends and grows with all that is taken
away, and a risk is not lowered by what protects nobody.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from evomask.arrays import Codes
from evomask.data.recoding import CategorySets, Intervals
from evomask.data.table import Column, Table
from evomask.measures.measure import Measure, Reading, Side
from evomask.testing.examples import example_table
from evomask.testing.law import Law, check, name_of

RECORDS = 120
DRAWS = 5
NEAR = 1e-6
SHARES = (0.0, 0.1, 0.3, 0.6, 1.0)
"""How much is suppressed, or changed, from nothing to everything."""


@dataclass(frozen=True, eq=False)
class Judging:
    """A loss or a risk, and an original."""

    measure: Measure
    original: Table

    @cached_property
    def reading(self) -> Reading:
        """The measure bound to its original."""
        return self.measure.against(self.original)

    @cached_property
    def of_original(self) -> float:
        """What the original itself reads."""
        return self.reading(self.original)

    @cached_property
    def suppressed(self) -> Mapping[str, Table]:
        """Files with nothing in them: without records, and with suppressed cells alone."""
        every = np.ones(len(self.original), dtype=bool)
        return {"no records": self.original.suppressing(every), "no cells": self.at_level(3)}

    def at_level(self, level: int) -> Table:
        """Values as they are, in small parts, in larger ones, or all together, by their level."""
        table = self.original
        for name in self.measure.attributes:
            table = _at_level(table, name, level)
        return table

    def means(self, masked: Callable[[float, np.random.Generator], Table]) -> list[float]:
        """For each share the mean reading of some files that are made of it by chance."""
        return [
            float(np.mean([self.reading(masked(share, _dice(draw))) for draw in range(DRAWS)]))
            for share in SHARES
        ]

    def without(self, share: float, rng: np.random.Generator) -> Table:
        """The original with a share of its records left out."""
        return self.original.suppressing(rng.random(len(self.original)) < share)

    def noisy(self, share: float, rng: np.random.Generator) -> Table:
        """Numbers with errors of that share of their deviation, and as many categories drawn."""
        n, changes = len(self.original), {}
        for name in self.measure.attributes:
            column = self.original[name]
            if self.original.attribute(name).is_categorical:
                drawn = column[rng.integers(0, n, n)]
                changes[name] = np.where(rng.random(n) < share, drawn, column)
            else:
                changes[name] = column + rng.normal(0.0, share * np.nanstd(column), n)
        return self.original.with_columns(changes)


def _dice(draw: int) -> np.random.Generator:
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


def reads_100_where_everything_is_suppressed(case: Judging) -> Iterator[str]:
    """A file with nothing in it has lost everything."""
    for kind, masked in case.suppressed.items():
        if abs(case.reading(masked) - 100.0) > NEAR:
            yield f"it reads {case.reading(masked)} ({kind})"


def does_not_fall_when_records_are_suppressed(case: Judging) -> Iterator[str]:
    """The more records are left out, the larger the loss, on average over which they are."""
    yield from _falls(case.means(case.without))


def does_not_fall_with_more_noise(case: Judging) -> Iterator[str]:
    """The more numbers and categories are off, the larger the loss, on average over draws."""
    yield from _falls(case.means(case.noisy))


def does_not_fall_one_level_up(case: Judging) -> Iterator[str]:
    """The larger the sets and intervals, the larger the loss."""
    yield from _falls([case.reading(case.at_level(level)) for level in range(4)])


def _falls(values: list[float]) -> Iterator[str]:
    for before, after in pairwise(values):
        if after < before - NEAR:
            yield f"{before} became {after}"


def finds_nobody_where_everything_is_suppressed(case: Judging) -> Iterator[str]:
    """What is left to the intruder is to guess one person of all."""
    for kind, masked in case.suppressed.items():
        if case.reading(masked) > 100.0 / len(case.original) + NEAR:
            yield f"it reads {case.reading(masked)} ({kind})"


def finds_as_many_in_another_order(case: Judging) -> Iterator[str]:
    """The original with its records in another order protects nobody."""
    shuffled = case.original.take(_dice(0).permutation(len(case.original)))
    yield from _differs(case, case.reading(shuffled))


def finds_as_many_behind_other_names(case: Judging) -> Iterator[str]:
    """The original with the names of its categories exchanged protects nobody."""
    changes: dict[str, Column] = {}
    for name in case.measure.attributes:
        if case.original.attribute(name).is_categorical:
            size = len(case.original.attribute(name).categories)
            changes[name] = np.roll(np.arange(size), 1)[case.original.codes(name)]
    yield from _differs(case, case.reading(case.original.with_columns(changes)))


def finds_those_who_are_left(case: Judging) -> Iterator[str]:
    """Leaving records out protects those who were left out, and nobody else."""
    share = 0.1
    left = float(np.mean([case.reading(case.without(share, _dice(d))) for d in range(DRAWS)]))
    if left < (1.0 - 2.0 * share) * case.of_original:
        yield f"with a tenth left out, {case.of_original} became {left}"


def _differs(case: Judging, value: float) -> Iterator[str]:
    if abs(value - case.of_original) > NEAR:
        yield f"{case.of_original} became {value}"


LAWS_OF_LOSS: tuple[Law[Judging], ...] = (
    reads_100_where_everything_is_suppressed,
    does_not_fall_when_records_are_suppressed,
    does_not_fall_with_more_noise,
    does_not_fall_one_level_up,
)
LAWS_OF_RISK: tuple[Law[Judging], ...] = (
    finds_nobody_where_everything_is_suppressed,
    finds_as_many_in_another_order,
    finds_as_many_behind_other_names,
    finds_those_who_are_left,
)


def check_judge(
    measure: Measure, make: Callable[[], Table] = lambda: example_table(RECORDS)
) -> None:
    """Raise where a loss or a risk breaks a law of those that searches may be steered by.

    What every measure promises is for ``check_measure``.
    """
    laws = LAWS_OF_LOSS if measure.about.side is Side.LOSS else LAWS_OF_RISK
    check(name_of(measure), laws, Judging(measure, make()))
