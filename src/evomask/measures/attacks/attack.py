"""What an attack promises that no search ever tries to please.

A search is fitted to the measures in its fitness; attacks that are in no fitness tell whether
its files protect people or only please those measures.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from typing import Protocol

import numpy as np

from evomask.data.table import Table
from evomask.measures.measure import About, Measure

FIXED = 0
"""Seed of every choice among sets of attributes: it is part of the attacks' definition."""


@dataclass(frozen=True)
class Success:
    """How far an attack got, in percent, lower is better.

    Args:
        baseline: what an intruder gets without looking at the masked file's records.
        details: further percentages by name.
        attributes: those that gave the intruder most, where the attack tried several sets.
    """

    value: float
    baseline: float
    details: Mapping[str, float] = field(default_factory=dict)
    attributes: tuple[str, ...] = ()


Strike = Callable[[Table], Success]
"""An attack bound to its original: a masked table in, its success out."""


class Attack(Protocol):
    """One intruder; pure, and without any choice left to chance."""

    @property
    def about(self) -> About:
        """What the intruder does, and how to read the success, in one sentence."""
        ...

    @property
    def matches_records(self) -> bool:
        """Whether success is a matched record, which needs both files in one order."""
        ...

    def against(self, original: Table) -> Strike:
        """The attack, prepared for many masked versions of *original*."""
        ...


@dataclass(frozen=True)
class Matching:
    """A measure of record linkage as an attack; the baseline is a blind guess."""

    measure: Measure
    matches_records: bool = True

    @property
    def about(self) -> About:
        """What the measure says of itself."""
        return self.measure.about

    def against(self, original: Table) -> Strike:
        """Prepare the measure; its reading is the success, a random pick the baseline."""
        read, blind = self.measure.against(original), blind_guess(original)
        return lambda masked: Success(read(masked), blind)


def blind_guess(original: Table) -> float:
    """Success of picking a record at random, in percent."""
    return 100.0 / len(original)


def sets_of_attributes(names: tuple[str, ...], size: int, most: int) -> tuple[tuple[str, ...], ...]:
    """All sets of *size* names, or *most* of them chosen once and for all."""
    if comb(len(names), size) <= most:
        return tuple(combinations(names, size))
    rng = np.random.default_rng(FIXED)
    sets: set[tuple[int, ...]] = set()
    while len(sets) < most:
        drawn = rng.choice(len(names), size, replace=False)
        sets.add(tuple(sorted(drawn.tolist())))
    return tuple(tuple(names[j] for j in chosen) for chosen in sorted(sets))
