"""Risk: the share of people an intruder gets right, absolute.

The largest of three. *Linked*: the chance that an intruder who knows all quasi-identifiers picks
a person's record, by the nearest one or by weighing agreements. *Read*: what can be read of
people beyond guessing, with half of the attributes known or with all but one. *Confidential*:
the same for confidential attributes, with all quasi-identifiers known. Each is tried before and
after putting renamed categories right, with suppressed cells believed to be anything and passed
over, and none cares about the order of records.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import ClassVar

import numpy as np

from evomask.arrays import Flags, Floats
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.measures.comparability import categorical, check_masked, check_original
from evomask.measures.judging.linked import (
    MOST_ATTRIBUTES,
    chances_by_agreement,
    chances_by_distance,
)
from evomask.measures.judging.names import put_right
from evomask.measures.judging.people import SEARCHING, Sample
from evomask.measures.judging.read import Question, Reader, Truth, halves_of, left_out
from evomask.measures.judging.released import Known, Released
from evomask.measures.judging.wide import has_whole_cells
from evomask.measures.measure import About, Side
from evomask.measures.risk.space import Space


class Attacker(StrEnum):
    """Who gets people right."""

    NEAREST = "nearest"
    WEIGHING = "weighing"
    HALF = "half-known"
    ALL_BUT_ONE = "all-but-one-known"
    CONFIDENTIAL = "confidential"


@dataclass(frozen=True)
class Success:
    """How many people one attacker gets right, in percent.

    Args:
        error: standard error, 0 where everybody was attacked.
        renamed: whether renamed categories were put right first.
        attribute: the confidential attribute that was read.
    """

    percent: float
    error: float
    attacker: Attacker
    renamed: bool = False
    attribute: str = ""


@dataclass(frozen=True)
class Judged:
    """The risk of a file in its parts.

    Args:
        linked, read, confidential: the most successful attacker of each kind; there is nothing
            to read of a single attribute, and nothing confidential in many files.
        people: how many were attacked.
        records: how many there are.
    """

    linked: Success
    read: Success | None
    confidential: Success | None
    people: int
    records: int

    @property
    def worst(self) -> Success:
        """The attacker that gets most people right."""
        parts = [part for part in (self.linked, self.read, self.confidential) if part]
        return max(parts, key=lambda part: part.percent)

    @property
    def risk(self) -> float:
        """The share of people that the worst attacker gets right, in percent."""
        return self.worst.percent

    @property
    def expected(self) -> float:
        """How many people that is."""
        return self.risk / 100 * self.records

    @property
    def is_sampled(self) -> bool:
        """Whether some people were left out."""
        return self.people < self.records


@dataclass(frozen=True)
class StrictRisk:
    """The share of people that the most successful of several intruders gets right.

    Args:
        attributes: what an intruder may know; confidential ones among them are read instead.
        probabilistic: whether agreements are weighed too.
        people: how many are attacked at most.
        seed: draws them.
    """

    attributes: tuple[str, ...]
    probabilistic: bool = True
    people: int = SEARCHING
    seed: int = 0

    about: ClassVar[About] = About(
        "risk",
        "disclosure risk",
        Side.RISK,
        "the share of people whose record, or whose unknown values, the most successful of "
        "several intruders gets right, beyond what guessing would",
    )

    def against(self, original: Table) -> "StrictReading":
        """Prepare the people that are attacked."""
        check_original(original, self.attributes)
        return StrictReading(original, self)


@dataclass(frozen=True, eq=False)
class StrictReading:
    """The risk, prepared for one original."""

    original: Table
    measure: StrictRisk

    @cached_property
    def known(self) -> tuple[str, ...]:
        """What an intruder may know: all attributes but the confidential ones."""
        schema = self.original.schema
        open_ones = [n for n in self.measure.attributes if schema[n].role is not Role.CONFIDENTIAL]
        return tuple(open_ones) or self.measure.attributes

    @cached_property
    def sample(self) -> Sample:
        """The people attacked, the same for every masked file."""
        return Sample.of(self.original, self.known, self.measure.people, self.measure.seed)

    @cached_property
    def of_original(self) -> Judged:
        """The risk of releasing the original itself."""
        return self.judged(self.original)

    def __call__(self, masked: Table) -> float:
        """The risk of a masked table in percent."""
        return self.judged(masked).risk

    def judged(self, masked: Table) -> Judged:
        """The risk of a masked table in its parts."""
        check_masked(self.original, masked, self.measure.attributes)
        confidential = self._confidential(masked)
        attack = self._attacks(confidential)
        found = attack.on(masked)
        if categorical(self.original.schema, self.known):
            named = put_right(self.original, masked, self.known)
            if not same_codes(masked, named, self.known):
                found += [replace(success, renamed=True) for success in attack.on(named)]
        return Judged(
            _best(found, Attacker.NEAREST, Attacker.WEIGHING) or found[0],
            _best(found, Attacker.HALF, Attacker.ALL_BUT_ONE),
            _best(found, Attacker.CONFIDENTIAL),
            self.sample.size,
            len(self.original),
        )

    def _confidential(self, masked: Table) -> tuple[str, ...]:
        schema = self.original.schema
        names = [n for n in schema.with_role(Role.CONFIDENTIAL) if n not in self.known]
        return tuple(name for name in names if name in masked.schema)

    @cached_property
    def _attacks(self) -> Callable[[tuple[str, ...]], "Attack"]:
        """Attacks by the confidential attributes that a file has."""
        made: dict[tuple[str, ...], Attack] = {}

        def attack(confidential: tuple[str, ...]) -> Attack:
            if confidential not in made:
                space = Space.of(self.original, (*self.known, *confidential))
                made[confidential] = Attack(
                    space, self.sample, self.known, confidential, self.measure.probabilistic
                )
            return made[confidential]

        return attack


@dataclass(frozen=True, eq=False)
class Attack:
    """Every intruder, let loose on the same people."""

    space: Space
    sample: Sample
    known: tuple[str, ...]
    confidential: tuple[str, ...]
    probabilistic: bool

    def on(self, masked: Table) -> list[Success]:
        """What each intruder achieves with a masked table."""
        released = Released.of(self.space, self.sample, masked, self._knowing(self.known))
        found = self._tried(released)
        if has_whole_cells(self.space, released.masked):
            found += self._tried(released.passing_over_whole_cells())
        return found

    def _tried(self, released: Released) -> list[Success]:
        everything = released.ordering
        found = [self._success(chances_by_distance(released, everything), Attacker.NEAREST)]
        if self.probabilistic and len(self.known) <= MOST_ATTRIBUTES:
            chances = chances_by_agreement(released, everything)
            found.append(self._success(chances, Attacker.WEIGHING))
        reader = Reader(released, self._truth)
        if len(self.known) > 1:
            found.append(self._gained(reader, self._halves, Attacker.HALF))
            found.append(self._gained(reader, self._each, Attacker.ALL_BUT_ONE))
        return found + [self._told(reader, name, everything) for name in self.confidential]

    def _knowing(self, names: Sequence[str]) -> Known:
        return Known(
            np.array([column.name in names for column in self.space.numbers], dtype=bool),
            np.array([c.attribute.name in names for c in self.space.categories], dtype=bool),
        )

    def _of_flags(self, flags: Flags) -> Known:
        return self._knowing([self.known[i] for i in np.flatnonzero(flags)])

    @cached_property
    def _truth(self) -> Truth:
        return Truth(self.space, self.sample)

    @cached_property
    def _halves(self) -> list[Question]:
        halves = halves_of(len(self.known))
        return [Question(self._of_flags(half), self._of_flags(~half)) for half in halves]

    @cached_property
    def _each(self) -> list[Question]:
        count = len(self.known)
        flags = [np.arange(count) == place for place in left_out(count)]
        return [Question(self._of_flags(~flag), self._of_flags(flag)) for flag in flags]

    def _success(self, chances: Floats, attacker: Attacker) -> Success:
        return Success(
            100.0 * self.sample.mean(chances), 100.0 * self.sample.error(chances), attacker
        )

    def _gained(
        self, reader: Reader, questions: list[Question], attacker: Attacker
    ) -> Success:  # fmt: skip
        gain = reader.gain(questions)
        share, error = gain.share(self.sample), gain.error(self.sample)
        return Success(100.0 * share, 100.0 * error, attacker)

    def _told(self, reader: Reader, name: str, everything: Known) -> Success:
        gain = reader.gain([Question(everything, self._knowing([name]))], of_members=True)
        share, error = gain.share(self.sample), gain.error(self.sample)
        return Success(100.0 * share, 100.0 * error, Attacker.CONFIDENTIAL, attribute=name)


def _best(found: Sequence[Success], *attackers: Attacker) -> Success | None:
    """The most successful of some attackers; none where none was tried."""
    chosen = [success for success in found if success.attacker in attackers]
    return max(chosen, key=lambda success: success.percent, default=None)


def same_codes(masked: Table, named: Table, names: tuple[str, ...]) -> bool:
    """Whether renaming has left every category its name."""
    return all(
        np.array_equal(masked[name], named[name]) for name in categorical(masked.schema, names)
    )
