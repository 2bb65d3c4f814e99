"""Disclosure risk of the strict profile: share of individuals whom an intruder gets right.

The largest of three parts. *Re-identification*: the probability that an intruder who knows all
quasi-identifiers picks the record of a target, by distance or by Fellegi-Sunter weights.
*Attribute disclosure of quasi-identifiers*: inference beyond guessing, with half of the attributes
known or all but one. *Attribute disclosure of confidential attributes*: inference with all
quasi-identifiers known, beyond what the records of other individuals reveal. Each attack is tried
before and after undoing a relabelling of categories, and with uninformative cells compared by
distance or skipped. None depends on the order of records.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import ClassVar

import numpy as np

from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.measures.comparison_space import Space
from evomask.measures.disclosure.attribute_disclosure import (
    Gain,
    InferenceAttack,
    InferenceTask,
    TrueValues,
    left_out_attributes,
    mean_gain,
    random_halves,
    task_assignment,
)
from evomask.measures.disclosure.reidentification import (
    agreement_linkage_chances,
    distance_linkage_chances,
)
from evomask.measures.disclosure.relabelling import same_codes, undo_relabelling
from evomask.measures.disclosure.release_index import (
    Knowledge,
    ReleaseIndex,
    has_misleading_cells,
)
from evomask.measures.measure import About, Side, categorical, check_masked, check_original
from evomask.measures.targets import SEARCH_TARGETS, TargetSample
from evomask.types import Flags, Floats


class Attacker(StrEnum):
    """Intruders by what they know and how they attack."""

    NEAREST = "nearest"
    WEIGHING = "weighing"
    HALF = "half-known"
    ALL_BUT_ONE = "all-but-one-known"
    CONFIDENTIAL = "confidential"


DESCRIPTIONS = {
    Attacker.NEAREST: "links each target to the most similar record (distance-based linkage)",
    Attacker.WEIGHING: "links by weights of agreement, knowing how often masking leaves a value "
    "unchanged (probabilistic linkage)",
    Attacker.HALF: "knows half of the attributes and infers the others from similar records",
    Attacker.ALL_BUT_ONE: "knows all attributes but one and infers that one from similar records",
    Attacker.CONFIDENTIAL: "knows all quasi-identifiers and infers {attribute} from similar "
    "records",
}
"""What each attacker does; a relabelling of categories may be undone first."""


@dataclass(frozen=True)
class AttackerSuccess:
    """Success of one attacker.

    Args:
        percent: share of individuals whom the attacker gets right.
        error: standard error, 0 where everybody was attacked.
        renamed: whether a relabelling of categories was undone first.
        attribute: the confidential attribute that was inferred.
    """

    percent: float
    error: float
    attacker: Attacker
    renamed: bool = False
    attribute: str = ""

    @property
    def sentence(self) -> str:
        """Description of the attacker."""
        text = DESCRIPTIONS[self.attacker].format(attribute=self.attribute)
        return f"{text}, after undoing a relabelling of categories" if self.renamed else text


@dataclass(frozen=True)
class RiskAssessment:
    """Disclosure risk of a file, in its parts.

    Args:
        linked: the most successful re-identification.
        read: the most successful attribute disclosure of quasi-identifiers; none for a single
            attribute.
        confidential: the most successful attribute disclosure of confidential attributes; none
            where there are none.
        people: number of targets.
        records: number of individuals.
    """

    linked: AttackerSuccess
    read: AttackerSuccess | None
    confidential: AttackerSuccess | None
    people: int
    records: int

    @property
    def parts(self) -> dict[str, AttackerSuccess]:
        """The most successful attacker of each kind that was tried, by the JSON key."""
        parts = {"linked": self.linked, "read": self.read, "confidential": self.confidential}
        return {name: part for name, part in parts.items() if part}

    @property
    def kind(self) -> str:
        """JSON key of the largest part."""
        return max(self.parts, key=lambda name: self.parts[name].percent)

    @property
    def worst(self) -> AttackerSuccess:
        return self.parts[self.kind]

    @property
    def risk(self) -> float:
        return self.worst.percent

    @property
    def expected(self) -> float:
        """Expected number of individuals whom the worst attacker gets right."""
        return self.risk / 100 * self.records

    @property
    def is_sampled(self) -> bool:
        return self.people < self.records

    def as_json(self) -> dict[str, object]:
        """Return the parts in percent under the keys of the JSON output."""
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
    """Share of individuals whom the most successful of several intruders gets right.

    Args:
        attributes: what an intruder may know; confidential ones among them are inferred instead.
        probabilistic: whether linkage by weights of agreement is tried too.
        people: number of targets, at most.
        seed: of the sample of targets.
    """

    attributes: tuple[str, ...]
    probabilistic: bool = True
    people: int = SEARCH_TARGETS
    seed: int = 0

    about: ClassVar[About] = About(
        "risk",
        "disclosure risk",
        Side.RISK,
        "the share of individuals who are re-identified, or whose unknown values are inferred "
        "(attribute disclosure), by the most successful of several intruders, beyond guessing",
    )

    def against(self, original: Table) -> "StrictReading":
        check_original(original, self.attributes)
        return StrictReading(original, self)


@dataclass(frozen=True, eq=False)
class StrictReading:
    """The strict risk, prepared for one original."""

    original: Table
    measure: StrictRisk

    @cached_property
    def known(self) -> tuple[str, ...]:
        """Attributes that an intruder may know: all but the confidential ones."""
        schema = self.original.schema
        known = [n for n in self.measure.attributes if schema[n].role is not Role.CONFIDENTIAL]
        return tuple(known) or self.measure.attributes

    @cached_property
    def sample(self) -> TargetSample:
        """The targets, the same for every masked file."""
        return TargetSample.of(self.original, self.known, self.measure.people, self.measure.seed)

    @cached_property
    def of_original(self) -> RiskAssessment:
        """The risk of releasing the original itself."""
        return self.judged(self.original)

    def __call__(self, masked: Table) -> float:
        return self.judged(masked).risk

    def judged(self, masked: Table) -> RiskAssessment:
        """Assess the risk of a masked table in its parts."""
        check_masked(self.original, masked, self.measure.attributes)
        attack = self._attacks(self._confidential(masked))
        successes = attack.on(masked)
        if categorical(self.original.schema, self.known):
            renamed = undo_relabelling(self.original, masked, self.known)
            if not same_codes(masked, renamed, self.known):
                successes += [replace(success, renamed=True) for success in attack.on(renamed)]
        return assess_risk(successes, self.sample)

    def _confidential(self, masked: Table) -> tuple[str, ...]:
        schema = self.original.schema
        names = [n for n in schema.with_role(Role.CONFIDENTIAL) if n not in self.known]
        return tuple(name for name in names if name in masked.schema)

    @cached_property
    def _attacks(self) -> Callable[[tuple[str, ...]], "AttackSuite"]:
        """Attacks by the confidential attributes of a file, cached."""
        cache: dict[tuple[str, ...], AttackSuite] = {}

        def attack(confidential: tuple[str, ...]) -> AttackSuite:
            if confidential not in cache:
                space = Space.of(self.original, (*self.known, *confidential))
                cache[confidential] = AttackSuite(
                    self.original, space, self.sample, self.known, confidential,
                    self.measure.probabilistic,
                )  # fmt: skip
            return cache[confidential]

        return attack


@dataclass(frozen=True, eq=False)
class AttackSuite:
    """All attacks of the strict risk on the same targets.

    Args:
        strangers: index of the original records nearest to the targets among those that differ
            from them, where the original is not in memory as a whole.
    """

    original: Table
    space: Space
    sample: TargetSample
    known: tuple[str, ...]
    confidential: tuple[str, ...]
    probabilistic: bool
    strangers: ReleaseIndex | None = None

    def on(self, masked: Table) -> list[AttackerSuccess]:
        """AttackSuite a masked table."""
        index = ReleaseIndex.of(self.space, self.sample, masked, self.everything)
        return self.against(index, astray=has_misleading_cells(self.space, index.masked))

    def against(self, index: ReleaseIndex, *, astray: bool) -> list[AttackerSuccess]:
        """Attack an indexed release.

        Args:
            astray: whether uninformative cells mislead intruders who compare them by distance.
        """
        successes = self._attack(index)
        return successes + self._attack(index.passing_over_whole_cells()) if astray else successes

    @cached_property
    def everything(self) -> Knowledge:
        """All attributes that an intruder may know."""
        return self._knowledge(self.known)

    def nearest(self, index: ReleaseIndex) -> Flags:
        """Flag the distinct records that any of the attacks uses."""
        sample, known = self.sample, index.ordering
        everyone = np.arange(len(sample.chosen))
        flags = index.nearest(index.distances(known), everyone)
        if self.probabilistic:
            weights = index.steps[index.passing_over]
            flags |= index.nearest(index.differences(known, weights), everyone)
        if len(self.known) > 1:
            shares = task_assignment(len(self._halves), sample)
            for task, taking_part in zip(self._halves, shares, strict=True):
                other = index.ordered_by(task.known)
                flags |= other.nearest(other.distances(task.known), np.flatnonzero(taking_part))
            shares = task_assignment(len(self._left_out), sample)
            for task, taking_part in zip(self._left_out, shares, strict=True):
                flags |= index.nearest(index.distances(task.known), np.flatnonzero(taking_part))
        return flags

    def _attack(self, index: ReleaseIndex) -> list[AttackerSuccess]:
        everything = index.ordering
        successes = [self._linkage(distance_linkage_chances(index, everything), Attacker.NEAREST)]
        if self.probabilistic:
            chances = agreement_linkage_chances(index, everything)
            successes.append(self._linkage(chances, Attacker.WEIGHING))
        attack = InferenceAttack(index, self._truth)
        if len(self.known) > 1:
            by_half = (
                InferenceAttack(index.ordered_by(task.known), self._truth) for task in self._halves
            )
            successes.append(self._inference(by_half, self._halves, Attacker.HALF))
            same = [attack] * len(self._left_out)
            successes.append(self._inference(same, self._left_out, Attacker.ALL_BUT_ONE))
        return successes + (self._confidential(attack) if self.confidential else [])

    def _knowledge(self, names: Sequence[str]) -> Knowledge:
        return Knowledge(
            np.array([column.name in names for column in self.space.numbers], dtype=bool),
            np.array([c.attribute.name in names for c in self.space.categories], dtype=bool),
        )

    def _task(self, known: Flags) -> InferenceTask:
        """Infer the attributes that are not flagged from those that are."""
        names = [[self.known[i] for i in np.flatnonzero(flags)] for flags in (known, ~known)]
        return InferenceTask(self._knowledge(names[0]), self._knowledge(names[1]))

    @cached_property
    def _truth(self) -> TrueValues:
        return TrueValues(self.space, self.sample)

    @cached_property
    def _halves(self) -> list[InferenceTask]:
        return [self._task(half) for half in random_halves(len(self.known))]

    @cached_property
    def _left_out(self) -> list[InferenceTask]:
        count = len(self.known)
        return [self._task(np.arange(count) != place) for place in left_out_attributes(count)]

    def _linkage(self, chances: Floats, attacker: Attacker) -> AttackerSuccess:
        return AttackerSuccess(
            100.0 * self.sample.mean(chances), 100.0 * self.sample.error(chances), attacker
        )

    def _gain(self, gain: Gain, attacker: Attacker, attribute: str = "") -> AttackerSuccess:
        share, error = gain.share(self.sample), gain.error(self.sample)
        return AttackerSuccess(100.0 * share, 100.0 * error, attacker, attribute=attribute)

    def _inference(
        self, attacks: Iterable[InferenceAttack], tasks: Sequence[InferenceTask],
        attacker: Attacker,
    ) -> AttackerSuccess:  # fmt: skip
        """Mean gain of several tasks; *attacks* is lazy, so that one index is in memory."""
        shares = task_assignment(len(tasks), self.sample)
        triples = zip(attacks, tasks, shares, strict=True)
        gains = [attack.gain(task, taking_part) for attack, task, taking_part in triples]
        return self._gain(mean_gain(gains), attacker)

    def _confidential(self, attack: InferenceAttack) -> list[AttackerSuccess]:
        """Inference of each confidential attribute, beyond the baseline."""
        names, task = self._confidential_task
        triples = zip(names, attack.class_success(task), self._baseline, strict=True)
        return [
            self._gain(Gain(right, guessed), Attacker.CONFIDENTIAL, name)
            for name, right, guessed in triples
        ]

    @cached_property
    def _confidential_task(self) -> tuple[list[str], InferenceTask]:
        """Confidential attributes in the order of the inferred values, and the task."""
        numbers = [column.name for column in self.space.numbers]
        codes = [column.attribute.name for column in self.space.categories]
        names = [name for name in (*numbers, *codes) if name in self.confidential]
        return names, InferenceTask(self.everything, self._knowledge(self.confidential))

    @cached_property
    def _baseline(self) -> list[Floats]:
        """Success on each confidential attribute without the record of the target.

        By the most usual value, or by the nearest original records that differ from the target,
        whichever is right more often: what holds for everybody discloses nobody.
        """
        _, task = self._confidential_task
        index = self.strangers
        if index is None:
            index = ReleaseIndex.of(self.space, self.sample, self.original, task.known)
        attack = InferenceAttack(index, self._truth)
        nearest = attack.class_success(task, without_equal_records=True)
        records, _ = self.sample.members
        usual = [self.sample.within(g) for g in self._truth.guessed(task.unknown, records)]
        pairs = zip(nearest, usual, strict=True)
        return [max(pair, key=self.sample.mean) for pair in pairs]


def assess_risk(successes: Sequence[AttackerSuccess], sample: TargetSample) -> RiskAssessment:
    """Take the most successful attacker of each part."""

    def best(*attackers: Attacker) -> AttackerSuccess | None:
        chosen = [success for success in successes if success.attacker in attackers]
        return max(chosen, key=lambda success: success.percent, default=None)

    return RiskAssessment(
        best(Attacker.NEAREST, Attacker.WEIGHING) or successes[0],
        best(Attacker.HALF, Attacker.ALL_BUT_ONE),
        best(Attacker.CONFIDENTIAL),
        sample.size,
        sample.n_records,
    )
