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
from evomask.measures.comparison_space import Space
from evomask.measures.measure import About, Measure
from evomask.measures.targets import FIXED_SEED
from evomask.types import Flags, Indices, Points

CONFIDENCE = 1.96
"""Standard errors on both sides of an estimate in a 95 % interval."""


@dataclass(frozen=True, kw_only=True)
class AttackResult:
    """Success of one attack, in percent; lower is better.

    Args:
        targets: number of people who were attacked.
        success: share of the targets for whom the attack succeeds.
        control: share of the control group for whom it succeeds; without a control group that of
            an intruder who does not use the records of the masked file.
        control_people: size of the control group; 0 without one.
        interval: 95 % interval of the gain, by Wilson's intervals.
        sentence: what the intruder does, and how to interpret the success.
        details: further percentages by name.
        attributes: the most revealing set of attributes, where several sets were tried.
        unmasked: success of the same attack on the original itself; None if it was not tried.
    """

    name: str
    title: str
    targets: int
    success: float
    control: float
    control_people: int = 0
    interval: tuple[float, float]
    sentence: str
    details: Mapping[str, float] = field(default_factory=dict)
    attributes: tuple[str, ...] = ()
    unmasked: float | None = None

    @property
    def gain(self) -> float:
        """Success beyond the control group, or beyond guessing, in percentage points."""
        return self.success - self.control

    @property
    def is_controlled(self) -> bool:
        return self.control_people > 0

    def as_json(self) -> dict[str, object]:
        """Return the result under the keys of the JSON output; the last ones are older names."""
        return {
            "title": self.title,
            "targets": self.targets,
            "success": self.success,
            "control": self.control,
            "control_people": self.control_people,
            "gain": self.gain,
            "interval": list(self.interval),
            "unmasked": self.unmasked,
            "details": dict(self.details),
            "attributes": list(self.attributes),
            "sentence": self.sentence,
            "meaning": self.sentence,
            "value": self.success,
            "baseline": self.control,
        }


def result_of(
    about: About, *, success: float, targets: int, control: float, control_people: int = 0,
    details: Mapping[str, float] | None = None, attributes: tuple[str, ...] = (),
) -> AttackResult:  # fmt: skip
    """Result of an attack with the interval of its gain."""
    return AttackResult(
        name=about.name,
        title=about.title,
        targets=targets,
        success=success,
        control=control,
        control_people=control_people,
        interval=gain_interval(success, targets, control, control_people),
        sentence=about.meaning,
        details=details or {},
        attributes=attributes,
    )


def wilson_interval(percent: float, people: int) -> tuple[float, float]:
    """95 % interval of a percentage of so many people (Wilson, 1927)."""
    share, square = percent / 100.0, CONFIDENCE**2
    middle = (share + square / (2 * people)) / (1.0 + square / people)
    reach = np.sqrt(share * (1.0 - share) / people + square / (4.0 * people**2))
    reach *= CONFIDENCE / (1.0 + square / people)
    low, high = middle - float(reach), middle + float(reach)
    return 100.0 * min(share, max(0.0, low)), 100.0 * max(share, min(1.0, high))


def gain_interval(
    success: float, targets: int, control: float, control_people: int
) -> tuple[float, float]:
    """95 % interval of a difference of percentages (Newcombe, 1998, method 10).

    Without control people the control is a fixed number.
    """
    low, high = wilson_interval(success, targets)
    if not control_people:
        return low - control, high - control
    least, most = wilson_interval(control, control_people)
    gain = success - control
    return (
        gain - float(np.hypot(success - low, most - control)),
        gain + float(np.hypot(high - success, control - least)),
    )


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
        """Whether success is a linked record, which needs both files in one order.

        Other attacks succeed on people, and are compared with a control group if there is one.
        """
        ...

    def against(self, original: Table, control: Table | None = None) -> PreparedAttack:
        """Prepare the attack for many masked versions of *original*.

        Args:
            control: original records of people who are not among those of *original*.
        """
        ...


@dataclass(frozen=True, eq=False)
class Twin:
    """A table masked by the recipe of a release, without the people of a control group.

    Args:
        original: original records of the people in *masked*.
        control: original records of people who are not.
    """

    original: Table
    masked: Table
    control: Table


@dataclass(frozen=True)
class LinkageAttack:
    """A measure of record linkage as an attack; compared with a random pick."""

    measure: Measure
    matches_records: bool = True

    @property
    def about(self) -> About:
        return self.measure.about

    def against(self, original: Table, control: Table | None = None) -> PreparedAttack:
        reading, guess = self.measure.against(original), blind_guess(original)
        return lambda masked: result_of(
            self.about, success=reading(masked), targets=len(original), control=guess
        )


def blind_guess(original: Table) -> float:
    """Success of picking a record at random, in percent."""
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


def people_rows(space: Space, table: Table) -> Rows:
    """Original records of any people as rows of a space."""
    numbers = [table.values(column.name) for column in space.numbers]
    codes = [table.codes(column.attribute.name) for column in space.categories]
    low = np.column_stack(numbers) if numbers else np.empty((len(table), 0))
    empty = np.empty((len(table), 0), dtype=np.int32)
    return Rows(low, low, np.column_stack(codes) if codes else empty)
