"""The laws of readings that know what PRAM makes of them on average."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Protocol, cast

import numpy as np

from evomask.arrays import Points
from evomask.data.table import Table
from evomask.masking.randomization.pram import MatrixPram
from evomask.measures.measure import Measure
from evomask.testing.law import Law

NEAR = 1e-9
DRAWS = 40
SLACK = 1.0
"""Percent by which an expectation may be off besides the error of the draws: some are
approximations of second order."""


class Expected(Protocol):
    """A reading with an expectation under PRAM."""

    def __call__(self, masked: Table) -> float:
        """The measure of a masked table."""
        ...

    def expected(self, matrices: Mapping[str, Points]) -> float:
        """The expected value when the original is masked with these matrices."""
        ...


@dataclass(frozen=True, eq=False)
class Expecting:
    """A measure of categories and its original."""

    measure: Measure
    original: Table

    @cached_property
    def reading(self) -> Expected:
        """The measure bound to its original."""
        return cast(Expected, self.measure.against(self.original))

    def matrices(self, kept: float) -> Mapping[str, Points]:
        """For each attribute: a category stays with this probability, or becomes any other."""
        sizes = {name: len(self.original.attribute(name).categories) for name in self.names}
        return {name: _matrix(size, kept) for name, size in sizes.items()}

    @property
    def is_possible(self) -> bool:
        """Whether the measure has an expectation and looks at categories."""
        return bool(self.names) and bool(getattr(self.reading, "has_expectation", False))

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that can be masked by PRAM."""
        names = self.measure.attributes
        return tuple(name for name in names if self.original.attribute(name).is_categorical)


def _matrix(size: int, kept: float) -> Points:
    away = np.full((size, size), (1.0 - kept) / max(size - 1, 1))
    np.fill_diagonal(away, kept)
    return away


def expects_the_original_where_nothing_changes(case: Expecting) -> Iterator[str]:
    """Matrices that keep every category give the reading of the original."""
    expected, read = case.reading.expected(case.matrices(1.0)), case.reading(case.original)
    if not abs(expected - read) <= NEAR:
        yield f"expected {expected}, the original reads {read}"


def expects_the_mean_over_many_draws(case: Expecting) -> Iterator[str]:
    """Files drawn with the matrices read on average what was expected."""
    matrices = case.matrices(0.7)
    method = MatrixPram(case.names, matrices)
    draws = (method.mask(case.original, np.random.default_rng(i)) for i in range(DRAWS))
    values = [case.reading(masked) for masked in draws]
    error = float(np.std(values)) / sqrt(DRAWS)
    expected, mean = case.reading.expected(matrices), float(np.mean(values))
    if not abs(expected - mean) <= SLACK + 5 * error:
        yield f"expected {expected}, {DRAWS} draws have the mean {mean}"


LAWS_OF_EXPECTING: tuple[Law[Expecting], ...] = (
    expects_the_original_where_nothing_changes,
    expects_the_mean_over_many_draws,
)
