"""Disclosure risk: the share of people whom an intruder gets right because they are in the file.

The largest over scenarios of two parts. *Re-identification*: the chance that an intruder picks the
record of a person, by distance of values, by distance of ranks, or by Fellegi-Sunter weights.
*Attribute disclosure*: values that the intruder does not know, inferred from similar records,
beyond what is inferred of a control group of people who are not in the file: the mean over masked
attributes, and the largest over confidential ones. Attacks are tried before and after undoing a
relabelling of categories. None depends on the order of records.

Where a scenario counts persons or households, these are the targets. A link to any record of the
same unit is right, and a unit counts by its most exposed record. Of attribute disclosure it counts
by the mean over its records: one of several guesses is often right where nothing is disclosed.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, partial
from typing import ClassVar, TypeVar

import numpy as np

from evomask.data.classes import classes_of
from evomask.data.roles.dependencies import are_equivalent
from evomask.data.scenario import Scenario, default_scenario
from evomask.data.schema import Role
from evomask.data.table import Column, Table
from evomask.data.units import counted_unit, unit_labels
from evomask.kernels.linking.attribute_inference import Cells, Unknown
from evomask.measures.columns import (
    CategoricalColumn,
    ColumnOf,
    NumberColumn,
    OriginalColumn,
    column_of,
)
from evomask.measures.comparison_space import Space
from evomask.measures.disclosure.attribute_disclosure import (
    AttackedGroup,
    Found,
    InferenceTask,
    Meanings,
    attack,
    attributes_left_out,
    cells_of,
)
from evomask.measures.disclosure.reidentification import (
    agreement_costs,
    agreement_linkage_chances,
    distance_linkage_chances,
)
from evomask.measures.disclosure.relabelling import joint_counts, relabel, relabelling_map
from evomask.measures.disclosure.release_index import Constants, Knowledge, ReleaseIndex
from evomask.measures.disclosure.released_columns import (
    ColumnMemory,
    ReleasedColumns,
    ReleasedNumber,
)
from evomask.measures.measure import About, Side, categorical, check_masked, check_original
from evomask.measures.targets import SEARCH_TARGETS, TargetSample
from evomask.types import Codes, Floats, Labels, Points

CONFIDENCE = 1.96
"""Standard errors on both sides of an estimate in a 95 % interval."""

AT_RISK = (0.2, 0.09)
"""Chances of re-identification above which a person is at risk: confidential and public files."""


class Attacker(StrEnum):
    """Intruders by how they attack."""

    NEAREST = "nearest"
    RANKS = "ranks"
    WEIGHING = "weighing"
    INFERENCE = "inference"
    CONFIDENTIAL = "confidential"


DESCRIPTIONS = {
    Attacker.NEAREST: "links each person to the most similar record (distance-based linkage)",
    Attacker.RANKS: "links each person to the record of most similar ranks (rank-based linkage)",
    Attacker.WEIGHING: "links by weights of agreement, knowing how often masking leaves a value "
    "unchanged (probabilistic linkage)",
    Attacker.INFERENCE: "infers masked attributes from similar records",
    Attacker.CONFIDENTIAL: "infers {attribute} from similar records",
}
"""What each attacker does; a relabelling of categories may be undone first."""


@dataclass(frozen=True, kw_only=True)
class AttackerSuccess:
    """Success of one attacker.

    Args:
        percent: share of people whom the attacker gets right; of attribute disclosure the
            percentage points beyond the baseline.
        error: standard error, 0 where everybody was attacked.
        scenario: what the attacker knows.
        renamed: whether a relabelling of categories was undone first.
        attribute: the confidential attribute that was inferred.
        in_release, control: success in percent on people in the release, and on the control group
            or by guessing, whichever is larger; None of re-identification.
    """

    percent: float
    error: float
    attacker: Attacker
    scenario: str = ""
    renamed: bool = False
    attribute: str = ""
    in_release: float | None = None
    control: float | None = None

    @property
    def interval(self) -> tuple[float, float]:
        """Interval of 95 % confidence."""
        reach = CONFIDENCE * self.error
        return max(0.0, self.percent - reach), min(100.0, self.percent + reach)

    @property
    def sentence(self) -> str:
        """Description of the attacker."""
        text = DESCRIPTIONS[self.attacker].format(attribute=self.attribute)
        return f"{text}, after undoing a relabelling of categories" if self.renamed else text


@dataclass(frozen=True, kw_only=True)
class ScenarioRisk:
    """Disclosure risk in one scenario.

    Args:
        reidentification: the most successful re-identification.
        attribute_disclosure: inference of masked attributes; None where there is none to infer.
        confidential: the largest inference of a confidential attribute; None where there is none.
        at_risk: percentage of people whose chance of re-identification exceeds each of `AT_RISK`.
        individuals: number of individuals in the file, as the scenario counts them.
        counts_households: whether they are households.
    """

    name: str
    reidentification: AttackerSuccess
    attribute_disclosure: AttackerSuccess | None = None
    confidential: AttackerSuccess | None = None
    at_risk: tuple[float, ...] = ()
    individuals: int = 0
    counts_households: bool = False

    @property
    def parts(self) -> dict[str, AttackerSuccess]:
        """The most successful attacker of each kind that was tried, by the JSON key."""
        parts = {
            "reidentification": self.reidentification,
            "attribute_disclosure": self.attribute_disclosure,
            "confidential": self.confidential,
        }
        return {name: part for name, part in parts.items() if part}

    @property
    def risk(self) -> float:
        return max(part.percent for part in self.parts.values())

    def as_json(self) -> dict[str, object]:
        """Return the parts in percent under the keys of the JSON output."""
        return {
            "scenario": self.name,
            **{name: part.percent for name, part in self.parts.items()},
            "people_at_risk": dict(zip(map(str, AT_RISK), self.at_risk, strict=False)),
        }


OLD_KEYS = {"reidentification": "linked", "attribute_disclosure": "read"}
"""Keys of earlier versions, written beside the new ones for one version."""


@dataclass(frozen=True, kw_only=True)
class RiskAssessment:
    """Disclosure risk of a file, in its parts, each the largest over all scenarios.

    Args:
        reidentification: the most successful re-identification.
        attribute_disclosure: the largest inference of masked attributes; None where there is none.
        confidential: the largest inference of a confidential attribute; None where there is none.
        people: number of targets.
        records: number of people in the file.
        control: number of people in the control group; without one, attribute disclosure counts
            beyond guessing.
        scenarios: risk in each scenario.
    """

    reidentification: AttackerSuccess
    attribute_disclosure: AttackerSuccess | None
    confidential: AttackerSuccess | None
    people: int
    records: int
    control: int = 0
    scenarios: tuple[ScenarioRisk, ...] = ()

    @property
    def parts(self) -> dict[str, AttackerSuccess]:
        """The most successful attacker of each kind that was tried, by the JSON key."""
        parts = {
            "reidentification": self.reidentification,
            "attribute_disclosure": self.attribute_disclosure,
            "confidential": self.confidential,
        }
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
        """Expected number of people, or households, whom the worst attacker gets right."""
        counts = {one.name: one.individuals for one in self.scenarios}
        return self.risk / 100 * (counts.get(self.worst.scenario) or self.records)

    @property
    def is_sampled(self) -> bool:
        return self.people < self.records

    def as_json(self) -> dict[str, object]:
        """Return the parts in percent under the keys of the JSON output."""
        percents = {name: part.percent for name, part in self.parts.items()}
        return {
            **percents,
            **{OLD_KEYS[name]: value for name, value in percents.items() if name in OLD_KEYS},
            "largest": self.kind,
            "scenario": self.worst.scenario,
            "attacker": self.worst.sentence,
            "standard_error": self.worst.error,
            "people_attacked": self.people,
            "people_expected": self.expected,
            "control_group": self.control,
            "inferred": {
                name: {"in_release": part.in_release, "control": part.control}
                for name, part in self.parts.items()
                if part.in_release is not None
            },
            "scenarios": [scenario.as_json() for scenario in self.scenarios],
        }


@dataclass(frozen=True)
class DisclosureRisk:
    """Share of people whom the most successful of several intruders gets right.

    Args:
        attributes: attributes that may be masked; confidential ones among them are inferred.
        probabilistic: whether linkage by weights of agreement is tried too.
        people: number of targets, at most.
        seed: of the sample of targets.
        scenarios: what intruders know; by default those of the schema.
        links, infers: whether re-identification and attribute disclosure are assessed.
    """

    attributes: tuple[str, ...]
    probabilistic: bool = True
    people: int = SEARCH_TARGETS
    seed: int = 0
    scenarios: tuple[Scenario, ...] = ()
    links: bool = True
    infers: bool = True

    about: ClassVar[About] = About(
        "risk",
        "disclosure risk",
        Side.RISK,
        "the share of people who are re-identified, or whose unknown values are disclosed because "
        "they are in the file, by the most successful intruder of all scenarios",
    )

    def against(self, original: Table, control: Table | None = None) -> "RiskReading":
        """Prepare the risk of masked versions of *original*.

        Args:
            control: original records of people who are not among those of *original*.
        """
        check_original(original, self.attributes)
        return RiskReading(original, self, control)


@dataclass(frozen=True, eq=False)
class RiskReading:
    """The disclosure risk, prepared for one original and one control group."""

    original: Table
    measure: DisclosureRisk
    control: Table | None = None

    @cached_property
    def scenarios(self) -> tuple[Scenario, ...]:
        """What intruders know, by the schema; by default all but confidential attributes."""
        schema = self.original.schema
        if self.measure.scenarios or schema.scenarios:
            return self.measure.scenarios or schema.scenarios
        known = [n for n in self.measure.attributes if schema[n].role is not Role.CONFIDENTIAL]
        return (default_scenario(known or self.measure.attributes),)

    @cached_property
    def of_original(self) -> RiskAssessment:
        """The risk of releasing the original itself."""
        return self.assess(self.original)

    def __call__(self, masked: Table) -> float:
        return self.assess(masked).risk

    def assess(self, masked: Table) -> RiskAssessment:
        """Assess the risk of a masked table in its parts."""
        check_masked(self.original, masked, self.measure.attributes)
        if any(name not in masked.schema for name in self.copies):
            return self._without_copies.assess(masked)
        names = tuple(dict.fromkeys(n for s in self.scenarios for n in s.attributes))
        files = [masked]
        maps = self._relabelling(masked, names)
        if maps:
            files.append(relabel(masked, maps))
        return assess_scenarios(self._attacks, lambda one: [one.index(file) for file in files])

    def _relabelling(self, masked: Table, names: Sequence[str]) -> dict[str, Codes]:
        """For each plain attribute that may be renamed, the original category of each one."""
        maps = {}
        for name in categorical(self.original.schema, names):
            if masked.is_recoded(name) or masked[name] is self.original[name]:
                continue
            codes = self._memory.recall("map", masked, name, partial(self._map, masked, name))
            if codes is not None:
                maps[name] = codes
        return maps

    def _map(self, masked: Table, name: str) -> Codes | None:
        """The original category of each released one; None where none is renamed."""
        column = self._column(self.original, name)
        assert isinstance(column, CategoricalColumn)  # noqa: S101
        codes = relabelling_map(joint_counts(column, masked))
        return None if np.array_equal(codes, np.arange(len(codes))) else codes

    @cached_property
    def _memory(self) -> ColumnMemory:
        return ColumnMemory()

    @cached_property
    def _columns(self) -> dict[str, OriginalColumn]:
        return {}

    def _column(self, original: Table, name: str) -> OriginalColumn:
        """A column of the original, prepared once for all scenarios."""
        if name not in self._columns:
            self._columns[name] = column_of(original, name)
        return self._columns[name]

    @cached_property
    def copies(self) -> dict[str, str]:
        """Unmasked released columns that hold the values of a known attribute under another name.

        Who knows the attribute knows the copy.
        """
        schema = self.original.schema
        known = dict.fromkeys(n for s in self.scenarios for n in (*s.knows, *s.of))
        others = [a.name for a in schema if a.role is Role.OTHER]
        return {
            other: name
            for other in others
            if other not in self.measure.attributes and other not in known
            for name in known
            if _are_copies(self.original, name, other)
        }

    @cached_property
    def _without_copies(self) -> "RiskReading":
        """The risk of files that leave copies of known attributes out."""
        names = [name for name in self.original.schema.names if name not in self.copies]
        return RiskReading(self.original.only(names), self.measure, self.control)

    @cached_property
    def _attacks(self) -> list[list["ScenarioAttack"]]:
        """Attacks of each scenario, one for each combination of what may be known."""
        return [
            [ScenarioAttack(
                self.original, self.measure, one, self.control,
                tuple(copy for copy, name in self.copies.items() if name in one.knows),
                self._column, self._memory,
            ) for one in scenario.variants()]
            for scenario in self.scenarios
        ]  # fmt: skip


def _are_copies(table: Table, name: str, other: str) -> bool:
    """Whether two columns hold the same numbers, or the same categories under other names."""
    if table.attribute(name).is_categorical or table.attribute(other).is_categorical:
        return are_equivalent(table, name, other)
    return _are_equal(table.values(name), table.values(other))


def _are_equal(one: Column, other: Column) -> bool:
    return one is other or np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


@dataclass(frozen=True, eq=False)
class ScenarioAttack:
    """All attacks in one scenario on the same targets and the same control group.

    Args:
        copies: unmasked columns that hold the values of known attributes under other names.
    """

    original: Table
    measure: DisclosureRisk
    scenario: Scenario
    control_table: Table | None
    copies: tuple[str, ...] = ()
    column_of: ColumnOf = column_of
    memory: ColumnMemory = field(default_factory=ColumnMemory, repr=False)

    @cached_property
    def known(self) -> tuple[str, ...]:
        return (*self.scenario.knows, *self.scenario.knows_about, *self.copies)

    @cached_property
    def confidential(self) -> tuple[str, ...]:
        """Confidential attributes that the intruder does not know."""
        names = self.original.schema.with_role(Role.CONFIDENTIAL)
        return tuple(name for name in names if name not in self.known)

    @cached_property
    def masked(self) -> tuple[str, ...]:
        """Masked attributes that the intruder does not know; confidential ones aside."""
        names = (n for n in self.measure.attributes if n not in self.known)
        return tuple(name for name in names if name not in self.confidential)

    @cached_property
    def space(self) -> Space:
        unknown = (*self.masked, *self.confidential) if self.measure.infers else ()
        return Space.of(self.original, (*self.known, *unknown), self.column_of)

    @cached_property
    def targets(self) -> AttackedGroup:
        """The targets, the same for every masked file."""
        return self._group(self.original, self.measure.people)

    @cached_property
    def control(self) -> AttackedGroup | None:
        """The control group, if there is one."""
        if self.control_table is None or not len(self.control_table):
            return None
        return self._group(self.control_table, max(self.measure.people, 1))

    @property
    def unit(self) -> str:
        """Column with the numbers of the units that are targets; empty where records are."""
        return counted_unit(self.original.schema, self.scenario)

    @cached_property
    def n_control(self) -> int:
        """Number of individuals in the control group."""
        if self.control_table is None or not self.unit:
            return 0 if self.control_table is None else len(self.control_table)
        return len(np.unique(unit_labels(self.control_table, self.unit)))

    def _group(self, table: Table, people: int) -> AttackedGroup:
        sample = TargetSample.of(table, self.known, people, self.measure.seed, self.unit)
        return AttackedGroup(self.space, sample, table)

    def knowledge(self, names: Sequence[str]) -> Knowledge:
        """Flag some attributes of the space."""
        return Knowledge(
            np.array([column.name in names for column in self.space.numbers], dtype=bool),
            np.array([c.attribute.name in names for c in self.space.categories], dtype=bool),
        )

    @cached_property
    def everything(self) -> Knowledge:
        """All that the intruder knows."""
        return self.knowledge(self.known)

    @cached_property
    def constants(self) -> Constants:
        """What the indices of all masked versions share."""
        leaves_out = len(self.left_out) > 0
        return Constants(self.space, self.targets.sample, self.everything, leaves_out)

    def index(self, file: Table) -> ReleaseIndex:
        """Index the records of a released file."""
        return ReleaseIndex.of(self.compared(file), self.constants, rest=self._rest(file))

    def _rest(self, file: Table) -> Labels | None:
        """Classes of records on what is neither known nor masked; None where that has changed."""
        others, here = self._others, file.schema.names
        if not others or file.suppressed.any():
            return None
        left = (n for n in others if n in here and not file.is_recoded(n))
        same = [n for n in left if _are_equal(file[n], self.original[n])]
        return self._classes_of_others if len(same) == len(others) else None

    @cached_property
    def _others(self) -> tuple[str, ...]:
        """Released attributes that are neither known nor masked."""
        masked = (*self.measure.attributes, *self.known)
        released = (one.name for one in self.original.schema if one.role.is_released)
        return tuple(name for name in released if name not in masked)

    @cached_property
    def _classes_of_others(self) -> Labels:
        return classes_of(self.original, self._others).labels

    def assess(self, indices: Iterable[ReleaseIndex]) -> ScenarioRisk:
        """Risk of a release, the largest of the versions that an intruder may make of it."""
        linkages: list[tuple[Attacker, Floats, bool]] = []
        inferences: list[AttackerSuccess] = []
        secrets: list[AttackerSuccess] = []
        for place, index in enumerate(indices):
            cells = self._cells(index)
            for version in self.versions(index):
                found = self._found(version, Attacker.NEAREST, cells)
                if self.measure.links:
                    chances = distance_linkage_chances(version, found.links)
                    linkages.append((Attacker.NEAREST, chances, place > 0))
                for one in self._inferred(version, found, cells) if self.measure.infers else ():
                    (secrets if one.attribute else inferences).append(
                        replace(one, renamed=place > 0)
                    )
            for attacker, other in self.searched(index) if self.measure.links else ():
                if attacker is not Attacker.NEAREST:
                    linkages.append((attacker, self._chances(attacker, other, cells), place > 0))
        sample, part = self.targets.sample, self._in_file
        linkages = [(who, sample.most_exposed(one), undone) for who, one, undone in linkages]
        nobody = (Attacker.NEAREST, np.zeros(len(sample.chosen)), False)
        attacker, chances, renamed = max(
            linkages, key=lambda one: sample.mean(one[1]), default=nobody
        )
        return ScenarioRisk(
            name=self.scenario.name,
            reidentification=AttackerSuccess(
                percent=100.0 * part * sample.mean(chances),
                error=100.0 * part * sample.error(chances) if linkages else 0.0,
                attacker=attacker,
                scenario=self.scenario.name,
                renamed=renamed,
            ),
            attribute_disclosure=_most(inferences),
            confidential=_most(secrets),
            at_risk=tuple(
                100.0 * sample.mean((part * chances > limit).astype(np.float64))
                for limit in AT_RISK
            ),
            individuals=sample.n_individuals,
            counts_households=self.unit in self.original.schema.with_role(Role.HOUSEHOLD),
        )

    @cached_property
    def _in_file(self) -> float:
        """Chance that a person is in the file: 1 where the intruder knows it.

        Else the sampling fraction by the weights of the records, if there are any.
        """
        weights = self.original.schema.with_role(Role.WEIGHT)
        if self.scenario.takes_part or len(weights) != 1:
            return 1.0
        column = self.column_of(self.original, weights[0])
        if not isinstance(column, NumberColumn):
            return 1.0
        total = column.mean * column.n_known
        return min(1.0, column.n_records / total) if total > 0 else 1.0

    def compared(self, file: Table) -> ReleasedColumns:
        """Records of a file as this intruder compares them: tolerances widen what is released."""
        released = self.memory.columns(self.space, file)
        if not self.scenario.knows_about:
            return released
        return replace(released, numbers=tuple(map(self._widened, released.numbers)))

    def _widened(self, number: ReleasedNumber) -> ReleasedNumber:
        """Widen the cells of a number by the tolerance within which it is known."""
        tolerance = self.scenario.knows_about.get(number.column.name)
        if tolerance is None:
            return number
        low, high = number.low, number.high
        if not tolerance.is_relative:
            return replace(number, low=low - tolerance.amount, high=high + tolerance.amount)
        ends = np.stack(
            [one / (1.0 + sign * tolerance.amount) for one in (low, high) for sign in (-1, 1)]
        )
        return replace(number, low=ends.min(axis=0), high=ends.max(axis=0))

    def versions(self, index: ReleaseIndex) -> list[ReleaseIndex]:
        """The release as it is, and with suppressed cells passed over if there are any.

        Suppressed records are near to everybody, and would hide that the others agree.
        """
        if not index.released.are_misleading:
            return [index]
        return [index, index.passing_over_whole_cells()]

    def searched(self, index: ReleaseIndex) -> Iterator[tuple[Attacker, ReleaseIndex]]:
        """The attackers who link records, and the release as each of them compares it."""
        for one in self.versions(index):
            yield Attacker.NEAREST, one
            if self.measure.probabilistic:
                yield Attacker.WEIGHING, one
        if self.everything.numbers.any():
            yield Attacker.RANKS, index.by_ranks()

    def _chances(self, attacker: Attacker, index: ReleaseIndex, cells: Cells) -> Floats:
        """Chance of re-identification of each class of targets by ranks or by weights."""
        by_weights = attacker is Attacker.WEIGHING
        links = self._found(index, attacker, cells).links
        return (agreement_linkage_chances if by_weights else distance_linkage_chances)(index, links)

    def _found(self, index: ReleaseIndex, attacker: Attacker, cells: Cells) -> Found:
        """What an intruder finds out about the targets."""
        known, nearest = self.everything, attacker is Attacker.NEAREST
        by_weights = attacker is Attacker.WEIGHING
        costs = agreement_costs(index, known) if by_weights else index.distances(known)
        return attack(
            index, costs, index.targets, cells, self._of_targets if nearest else self._nothing
        )

    def _cells(self, index: ReleaseIndex) -> Cells:
        infers = len(self.unknown.unknown) > 0
        return cells_of(index, self._meanings, has_members=infers)

    @cached_property
    def _meanings(self) -> Meanings:
        return Meanings(self.space)

    @cached_property
    def _of_targets(self) -> Unknown:
        return self._unknown_of(self.targets)

    @cached_property
    def _of_control(self) -> Unknown:
        assert self.control is not None  # noqa: S101
        return self._unknown_of(self.control)

    def _unknown_of(self, group: AttackedGroup) -> Unknown:
        return group.unknown(self.left_out, self.unknown.unknown, self.scenario.sure)

    @cached_property
    def _nothing(self) -> Unknown:
        """Nothing is inferred."""
        return self.targets.unknown((), self.knowledge(()), self.scenario.sure)

    def _inferred(
        self, index: ReleaseIndex, of_targets: Found, cells: Cells
    ) -> list[AttackerSuccess]:
        """Disclosure of masked attributes, the mean of all, and of each confidential one."""
        of_control = None
        if self.control:
            costs = index.distances(self.everything)
            of_control = attack(index, costs, self.control.outsiders, cells, self._of_control)
        found = []
        if self.left_out:
            guesses = [share for task in self.left_out for share in self._guesses(task)]
            guess = 100.0 * float(np.mean(guesses))
            control = of_control.left_out if of_control else None
            found.append(self._disclosed(of_targets.left_out, control, guess))
        if len(self.unknown.unknown):
            found += self._inferred_together(
                of_targets.unknown, of_control.unknown if of_control else None
            )
        return found

    def _inferred_together(self, inside: Points, outside: Points | None) -> list[AttackerSuccess]:
        """Disclosure of everything that is unknown, from all that is known."""
        names = [
            name
            for name in (
                *(column.name for column in self.space.numbers),
                *(column.attribute.name for column in self.space.categories),
            )
            if name in self.masked or name in self.confidential
        ]
        guesses = np.array(self._guesses(self.unknown))
        secret = np.array([name in self.confidential for name in names])
        found = [
            self._disclosed(
                inside[a], None if outside is None else outside[a], 100.0 * guesses[a], names[a]
            )
            for a in np.flatnonzero(secret).tolist()
        ]
        if not secret.all():
            masked = ~secret
            found.append(
                self._disclosed(
                    inside[masked].mean(axis=0),
                    None if outside is None else outside[masked].mean(axis=0),
                    100.0 * float(guesses[masked].mean()),
                )
            )
        return found

    def _guesses(self, task: InferenceTask) -> list[float]:
        """For each unknown attribute, the share of targets for whom a usual value is right."""
        key = np.concatenate([task.unknown.numbers, task.unknown.codes]).tobytes()
        if key not in self._guess_cache:
            self._guess_cache[key] = self.targets.guessed(task.unknown, self.scenario.sure)
        return self._guess_cache[key]

    @cached_property
    def left_out(self) -> list[InferenceTask]:
        """Where every masked attribute is known, each is left out of what is known."""
        known = [name for name in self.known if name not in self.copies]
        if not self.measure.infers or self.masked or not self.scenario.has_all or len(known) < 2:
            return []
        left_out = [known[i] for i in attributes_left_out(len(known))]
        return [
            InferenceTask(self.knowledge([n for n in known if n != name]), self.knowledge([name]))
            for name in left_out
        ]

    @cached_property
    def unknown(self) -> InferenceTask:
        """Everything that is not known, from all that is."""
        names = (*self.masked, *self.confidential) if self.measure.infers else ()
        return InferenceTask(self.everything, self.knowledge(names))

    @cached_property
    def _guess_cache(self) -> dict[bytes, list[float]]:
        return {}

    def _disclosed(
        self, found: Floats, of_control: Floats | None, guess: float, attribute: str = ""
    ) -> AttackerSuccess:
        """Success on the targets beyond that on the control group, or beyond guessing."""
        sample, part = self.targets.sample, self._in_file
        success, variance = 100.0 * sample.mean(found), (100.0 * sample.error(found)) ** 2
        baseline = guess
        if self.control is not None and of_control is not None:
            others = self.control.sample
            variance += (100.0 * others.error_of_population(of_control)) ** 2
            baseline = max(guess, 100.0 * others.mean(of_control))
        return AttackerSuccess(
            percent=float(part * max(0.0, success - baseline)),
            error=float(part * np.sqrt(variance)),
            attacker=Attacker.CONFIDENTIAL if attribute else Attacker.INFERENCE,
            scenario=self.scenario.name,
            attribute=attribute,
            in_release=float(success),
            control=float(baseline),
        )


AnyAttack = TypeVar("AnyAttack", bound=ScenarioAttack)


def assess_scenarios(
    attacks: Sequence[Sequence[AnyAttack]],
    indices_of: Callable[[AnyAttack], Iterable[ReleaseIndex]],
) -> RiskAssessment:
    """Risk of a release.

    Args:
        attacks: those of each scenario, one for each combination of what may be known.
        indices_of: returns the versions of the release as an attack compares them.
    """
    risks = [_largest([one.assess(indices_of(one)) for one in variants]) for variants in attacks]
    first = attacks[0][0]
    return _overall(risks, first.targets.sample, first.n_control)


def _most(successes: Iterable[AttackerSuccess]) -> AttackerSuccess | None:
    return max(successes, key=lambda success: success.percent, default=None)


def _largest(risks: Sequence[ScenarioRisk]) -> ScenarioRisk:
    """The combination of known attributes that serves an intruder best, part by part."""
    first = risks[0]
    if len(risks) == 1:
        return first
    best = max(risks, key=lambda risk: risk.reidentification.percent)
    return replace(
        first,
        reidentification=best.reidentification,
        attribute_disclosure=_most(r.attribute_disclosure for r in risks if r.attribute_disclosure),
        confidential=_most(r.confidential for r in risks if r.confidential),
        at_risk=best.at_risk,
    )


def _overall(risks: Sequence[ScenarioRisk], sample: TargetSample, control: int) -> RiskAssessment:
    """The largest of each part over all scenarios."""
    return RiskAssessment(
        reidentification=max((r.reidentification for r in risks), key=lambda part: part.percent),
        attribute_disclosure=_most(r.attribute_disclosure for r in risks if r.attribute_disclosure),
        confidential=_most(r.confidential for r in risks if r.confidential),
        people=sample.size,
        records=sample.n_individuals,
        control=control,
        scenarios=tuple(risks),
    )
