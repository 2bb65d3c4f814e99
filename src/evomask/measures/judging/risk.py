"""Risk: the share of people an intruder gets right, absolute.

The largest of three. *Linked*: the chance that an intruder who knows all quasi-identifiers picks
a person's record, by the nearest one or by weighing agreements. *Read*: what can be read of
people beyond guessing, with half of the attributes known or with all but one. *Confidential*:
what is read of confidential attributes with all quasi-identifiers known, beyond what the records
of other people tell. Each is tried before and after putting renamed categories right, with
suppressed cells believed to be anything and passed over, and none cares about the order of records.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import ClassVar

import numpy as np

from evomask.arrays import Flags, Floats
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.measures.comparability import categorical, check_masked, check_original
from evomask.measures.judging.linked import chances_by_agreement, chances_by_distance
from evomask.measures.judging.names import put_right
from evomask.measures.judging.read import (
    Gain,
    Question,
    Reader,
    Truth,
    halves_of,
    left_out,
    mean_gain,
    shifts_of,
)
from evomask.measures.judging.released import Known, Released
from evomask.measures.judging.wide import has_whole_cells_among_others
from evomask.measures.measure import About, Side
from evomask.measures.people import SEARCHING, Sample
from evomask.measures.risk.space import Space


class Attacker(StrEnum):
    """Who gets people right."""

    NEAREST = "nearest"
    WEIGHING = "weighing"
    HALF = "half-known"
    ALL_BUT_ONE = "all-but-one-known"
    CONFIDENTIAL = "confidential"


WORDS = {
    Attacker.NEAREST: "takes the record most similar to what is known of a person",
    Attacker.WEIGHING: "weighs which values agree, knowing how often masking keeps them",
    Attacker.HALF: "knows half of the attributes and reads the others in similar records",
    Attacker.ALL_BUT_ONE: "knows all attributes but one and reads that one in similar records",
    Attacker.CONFIDENTIAL: "knows all quasi-identifiers and reads {attribute} in similar records",
}
"""What each attacker does, in words; renamed categories may be put right before."""


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

    @property
    def sentence(self) -> str:
        """Who it is, in words."""
        words = WORDS[self.attacker].format(attribute=self.attribute)
        return f"{words}, after putting renamed categories right" if self.renamed else words


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
    def parts(self) -> dict[str, Success]:
        """The most successful attacker of each kind that was tried, by the kind's name."""
        parts = {"linked": self.linked, "read": self.read, "confidential": self.confidential}
        return {name: part for name, part in parts.items() if part}

    @property
    def kind(self) -> str:
        """Which part is the largest."""
        return max(self.parts, key=lambda name: self.parts[name].percent)

    @property
    def worst(self) -> Success:
        """The attacker that gets most people right."""
        return self.parts[self.kind]

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

    def as_json(self) -> dict[str, object]:
        """The parts as JSON answers show them, in percent."""
        return {
            **{name: part.percent for name, part in self.parts.items()},
            "largest": self.kind,
            "attacker": self.worst.sentence,
            "standard_error": self.worst.error,
            "people_attacked": self.people,
            "people_expected": self.expected,
        }


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
        return worst_of(found, self.sample)

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
                    self.original, space, self.sample, self.known, confidential,
                    self.measure.probabilistic,
                )  # fmt: skip
            return made[confidential]

        return attack


@dataclass(frozen=True, eq=False)
class Attack:
    """Every intruder, let loose on the same people."""

    original: Table
    space: Space
    sample: Sample
    known: tuple[str, ...]
    confidential: tuple[str, ...]
    probabilistic: bool
    strangers: Released | None = None
    """Original records that hold the nearest strangers of all people, where not all are at hand."""

    def on(self, masked: Table) -> list[Success]:
        """What each intruder achieves with a masked table."""
        released = Released.of(self.space, self.sample, masked, self.everything)
        return self.against(
            released, astray=has_whole_cells_among_others(self.space, released.masked)
        )

    def against(self, released: Released, *, astray: bool) -> list[Success]:
        """What each intruder achieves with released records.

        Args:
            astray: whether cells that may be anything lead those astray who believe them.
        """
        found = self._tried(released)
        return found + self._tried(released.passing_over_whole_cells()) if astray else found

    @cached_property
    def everything(self) -> Known:
        """All that an intruder may know."""
        return self._knowing(self.known)

    def nearest(self, released: Released) -> Flags:
        """Which distinct records any of the intruders would look at."""
        sample, known = self.sample, released.ordering
        everyone = np.arange(len(sample.chosen))
        found = released.nearest(released.distances(known), everyone)
        if self.probabilistic:
            steps = released.steps[released.passing_over]
            found |= released.nearest(released.differences(known, steps), everyone)
        if len(self.known) > 1:
            for half, who in zip(self._halves, shifts_of(len(self._halves), sample), strict=True):
                other = released.ordered_by(half.known)
                found |= other.nearest(other.distances(half.known), np.flatnonzero(who))
            for one, who in zip(self._each, shifts_of(len(self._each), sample), strict=True):
                found |= released.nearest(released.distances(one.known), np.flatnonzero(who))
        return found

    def _tried(self, released: Released) -> list[Success]:
        everything = released.ordering
        found = [self._success(chances_by_distance(released, everything), Attacker.NEAREST)]
        if self.probabilistic:
            chances = chances_by_agreement(released, everything)
            found.append(self._success(chances, Attacker.WEIGHING))
        reader = Reader(released, self._truth)
        if len(self.known) > 1:
            halves = (Reader(released.ordered_by(half.known), self._truth) for half in self._halves)
            found.append(self._gained(halves, self._halves, Attacker.HALF))
            found.append(self._gained([reader] * len(self._each), self._each, Attacker.ALL_BUT_ONE))
        return found + (self._confidential(reader) if self.confidential else [])

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
        self, readers: Iterable[Reader], questions: Sequence[Question], attacker: Attacker
    ) -> Success:  # fmt: skip
        """What several questions bring together; of the trees of readers one is held at a time."""
        shifts = shifts_of(len(questions), self.sample)
        asked = zip(readers, questions, shifts, strict=True)
        gain = mean_gain([reader.ask(question, who) for reader, question, who in asked])
        share, error = gain.share(self.sample), gain.error(self.sample)
        return Success(100.0 * share, 100.0 * error, attacker)

    def _confidential(self, reader: Reader) -> list[Success]:
        """What is read of each confidential attribute, beyond what strangers tell of people."""
        names, question = self._secrets
        found = zip(names, reader.told(question), self._strangers, strict=True)
        gains = [(name, Gain(right, guessed)) for name, right, guessed in found]
        return [
            Success(
                100.0 * gain.share(self.sample), 100.0 * gain.error(self.sample),
                Attacker.CONFIDENTIAL, attribute=name,
            )
            for name, gain in gains
        ]  # fmt: skip

    @cached_property
    def _secrets(self) -> tuple[list[str], Question]:
        """Confidential attributes in the order in which they are read, and the question."""
        wanted = self._knowing(self.confidential)
        numbers = [column.name for column in self.space.numbers]
        codes = [column.attribute.name for column in self.space.categories]
        names = [name for name in (*numbers, *codes) if name in self.confidential]
        return names, Question(self._knowing(self.known), wanted)

    @cached_property
    def _strangers(self) -> list[Floats]:
        """How well each confidential attribute is guessed without the person's own record.

        By the usual value, or by the nearest originals of people who do not look the same,
        whichever is right more often: what is known of everybody gives nobody away.
        """
        _, question = self._secrets
        released = self.strangers
        if released is None:
            released = Released.of(self.space, self.sample, self.original, question.known)
        nearest = Reader(released, self._truth).told(question, by_strangers=True)
        records, _ = self.sample.members
        usual = [self.sample.within(g) for g in self._truth.guessed(question.wanted, records)]
        pairs = zip(nearest, usual, strict=True)
        return [max(pair, key=self.sample.mean) for pair in pairs]


def worst_of(found: Sequence[Success], sample: Sample) -> Judged:
    """The risk by what every intruder achieved."""
    return Judged(
        _best(found, Attacker.NEAREST, Attacker.WEIGHING) or found[0],
        _best(found, Attacker.HALF, Attacker.ALL_BUT_ONE),
        _best(found, Attacker.CONFIDENTIAL),
        sample.size,
        sample.n_records,
    )


def _best(found: Sequence[Success], *attackers: Attacker) -> Success | None:
    """The most successful of some attackers; none where none was tried."""
    chosen = [success for success in found if success.attacker in attackers]
    return max(chosen, key=lambda success: success.percent, default=None)


def same_codes(masked: Table, named: Table, names: tuple[str, ...]) -> bool:
    """Whether renaming has left every category its name."""
    return all(
        np.array_equal(masked[name], named[name]) for name in categorical(masked.schema, names)
    )
