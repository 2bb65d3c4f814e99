"""Protocol of held-out attacks: attacks that no search optimises against.

A search adapts to the measures in its fitness. Held-out attacks show whether its files protect
individuals or merely score well on those measures.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from typing import Protocol

import numpy as np

from evomask.data.table import Table
from evomask.kernels.linking.linkage import TIE, Rows, Terms
from evomask.measures.measure import About, Measure
from evomask.measures.targets import FIXED_SEED
from evomask.types import Flags, Indices, Points


@dataclass(frozen=True)
class AttackResult:
    """Success of an attack, in percent; lower is better.

    Args:
        baseline: success of an intruder who does not use the records of the masked file.
        details: further percentages by name.
        attributes: the most revealing set of attributes, where several sets were tried.
    """

    value: float
    baseline: float
    details: Mapping[str, float] = field(default_factory=dict)
    attributes: tuple[str, ...] = ()


PreparedAttack = Callable[[Table], AttackResult]
"""An attack prepared for an original: maps a masked table to its result."""


class Attack(Protocol):
    """One intruder; pure and deterministic."""

    @property
    def about(self) -> About:
        """What the intruder does, and how to interpret the success."""
        ...

    @property
    def matches_records(self) -> bool:
        """Whether success is a linked record, which needs both files in one order."""
        ...

    def against(self, original: Table) -> PreparedAttack:
        """Prepare the attack for many masked versions of *original*."""
        ...


@dataclass(frozen=True)
class LinkageAttack:
    """A measure of record linkage as an attack; the baseline is a random pick."""

    measure: Measure
    matches_records: bool = True

    @property
    def about(self) -> About:
        return self.measure.about

    def against(self, original: Table) -> PreparedAttack:
        reading, baseline = self.measure.against(original), blind_guess(original)
        return lambda masked: AttackResult(reading(masked), baseline)


def blind_guess(original: Table) -> float:
    """AttackResult of picking a record at random, in percent."""
    return 100.0 / len(original)


def sets_of_attributes(names: tuple[str, ...], size: int, most: int) -> tuple[tuple[str, ...], ...]:
    """All sets of *size* names, or a fixed random sample of *most* of them."""
    if comb(len(names), size) <= most:
        return tuple(combinations(names, size))
    rng = np.random.default_rng(FIXED_SEED)
    sets: set[tuple[int, ...]] = set()
    while len(sets) < most:
        drawn = rng.choice(len(names), size, replace=False)
        sets.add(tuple(sorted(drawn.tolist())))
    return tuple(tuple(names[j] for j in chosen) for chosen in sorted(sets))


BLOCK_CELLS = 4_000_000
"""Distances held in memory at once."""


def target_blocks(targets: Indices, n_candidates: int) -> Iterator[Indices]:
    """Iterate over the targets in blocks whose distances fit into memory."""
    size = max(1, BLOCK_CELLS // max(1, n_candidates))
    for start in range(0, len(targets), size):
        yield targets[start : start + size]


def distances(targets: Rows, candidates: Rows, terms: Terms) -> Points:
    """Distance of every target (rows) to every candidate (columns), as defined by the kernels."""
    total = np.zeros((len(targets), len(candidates)))
    plain = targets.are_plain and candidates.are_plain
    for a, weight in enumerate(terms.weights):
        if plain:
            total += weight * (candidates.low[:, a] - targets.low[:, a, None]) ** 2
        else:
            total += _gaps(targets, candidates, a, weight, terms.missing)
    for a, (start, width) in enumerate(zip(terms.starts, terms.widths, strict=True)):
        stop = terms.starts[a + 1] if a + 1 < len(terms.starts) else len(terms.tables)
        table = terms.tables[start:stop].reshape(-1, width)
        total += table[:, candidates.codes[:, a]][targets.codes[:, a]]
    return total


def _gaps(targets: Rows, candidates: Rows, a: int, weight: float, missing: float) -> Points:
    """Contribution of numbers some of which are intervals or missing."""
    low, high = targets.low[:, a, None], targets.high[:, a, None]
    gaps = np.maximum(candidates.low[:, a] - high, low - candidates.high[:, a])
    only_one_known = np.isnan(low) != np.isnan(candidates.low[:, a])
    return np.where(only_one_known, missing, np.nan_to_num(weight * np.maximum(gaps, 0.0) ** 2))


def smallest(values: Points, among: Flags | None = None) -> Flags:
    """Flag the smallest entries of each row up to rounding, optionally only *among* some."""
    compared = values if among is None else np.where(among, values, np.inf)
    least: Flags = compared <= compared.min(axis=1, keepdims=True) * (1.0 + TIE)
    return least
