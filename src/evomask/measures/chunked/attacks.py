"""Attacks on sampled targets against all chunks of a release.

An attacker decides by the records nearest to a target. A record that is nearest in the whole file
is nearest in its chunk; so every chunk returns its records nearest to any target, with their
counts, and all of them together give the same result as the whole file. Weights of agreement and
relabelled categories are estimated from a sample of both files; where that is the whole file, they
are exact.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product

import numpy as np

from evomask.data.classes import classes_of, classes_of_columns
from evomask.data.table import Table
from evomask.measures.chunked.columns import WholeFile
from evomask.measures.disclosure.attribute_disclosure import (
    AttackedGroup,
    InferenceTask,
    classes_of_task,
)
from evomask.measures.disclosure.reidentification import agreement_costs, agreement_weights
from evomask.measures.disclosure.relabelling import relabel, relabelling_maps
from evomask.measures.disclosure.release_index import AgreementWeights, ReleaseIndex
from evomask.measures.disclosure.risk import (
    Attacker,
    DisclosureRisk,
    RiskAssessment,
    RiskReading,
    ScenarioAttack,
    assess_scenarios,
)
from evomask.measures.targets import FIXED_SEED, DrawnTargets
from evomask.types import Codes, Flags, Indices


@dataclass(frozen=True, eq=False)
class SampledAttack(ScenarioAttack):
    """All attacks in one scenario; the original is a sample of records, the targets first.

    Args:
        people: number of targets.
        records: number of records in the file.
        alike: number of records in the file that equal each class of targets, once counted.
    """

    people: int = 0
    records: int = 0
    alike: Indices | None = None

    @property
    def unit(self) -> str:
        """Records are targets: parts of a file do not keep units together."""
        return ""

    @cached_property
    def targets(self) -> AttackedGroup:
        drawn = self.original.take(np.arange(self.people))
        classes = classes_of(drawn, self.known)
        chosen = np.arange(len(classes))
        sample = DrawnTargets(classes, chosen, classes.sizes, self.records, self.alike)
        return AttackedGroup(self.space, sample, self.original)

    def weights(self, masked: Table) -> Mapping[bool, AgreementWeights]:
        """Weights of agreement of sampled masked records, by ``passing_over``."""
        index = self.index(masked)
        pairs = (False, index), (True, index.passing_over_whole_cells())
        return {passing: agreement_weights(one, self.everything) for passing, one in pairs}

    def joined(
        self, sampled: Table, steps: Mapping[bool, AgreementWeights], masked: Table, counts: Indices
    ) -> ReleaseIndex:
        """Index some masked records with their counts, after the targets' own records.

        Args:
            sampled: masked records of the sample.
        """
        own = self.compared(sampled.take(np.arange(self.people)))
        released = own.joined(self.compared(masked))
        counts = np.concatenate([np.zeros(self.people, dtype=np.int64), counts])
        return replace(ReleaseIndex.of(released, self.constants, counts), steps=steps)

    def nearest(self, index: ReleaseIndex) -> Flags:
        """Flag the records that any attacker needs; those of the targets are left out."""
        everybody = np.arange(len(self.targets.sample.chosen))
        flags = np.zeros(len(index.released), dtype=bool)
        for attacker, one in self.searched(index):
            by_weights = attacker is Attacker.WEIGHING
            known = self.everything
            costs = agreement_costs(one, known) if by_weights else one.distances(known)
            flags |= one.nearest(costs, one.targets, everybody)
        tasks = self.left_out if self.measure.infers else []
        groups = [self.targets, *([self.control] if self.control else [])]
        for version, group in product(self.versions(index), groups):
            for place, task in enumerate(tasks):
                classes = classes_of_task(place, len(tasks), group.sample)
                flags |= self._nearest_of(version, task, group, classes)
            if self.measure.infers and len(self.unknown.unknown):
                everybody = np.arange(len(group.sample.chosen))
                flags |= self._nearest_of(version, self.unknown, group, everybody)
        return flags[self.people :]

    def _nearest_of(
        self, index: ReleaseIndex, task: InferenceTask, group: AttackedGroup, classes: Indices
    ) -> Flags:
        targets = index.targets if group is self.targets else group.outsiders
        chosen, _ = group.distinct(task.known, classes)
        return index.nearest(index.distances(task.known), targets, chosen)

    def count_alike(self, original: Table) -> Indices:
        """Number of records of a chunk of the original that equal each class of targets."""
        drawn = self.original.take(self.targets.sample.representatives)
        columns = [np.concatenate([drawn[name], original[name]]) for name in self.known]
        labels = classes_of_columns(columns, len(drawn) + len(original)).labels
        counts = np.bincount(labels[len(drawn) :], minlength=int(labels.max()) + 1)
        found: Indices = counts[labels[: len(drawn)]]
        return found


@dataclass(frozen=True, eq=False)
class ChunkedRisk:
    """The disclosure risk of a file in chunks, for targets drawn from a sample of its records.

    Args:
        original, masked: the sampled records of both files, the targets first.
        people: number of targets.
        control: original records of people who are not in the masked file, if there are any.
        alike: for each attack, the number of records that equal each class of targets.
    """

    original: Table
    masked: Table
    measure: DisclosureRisk
    whole: WholeFile
    people: int
    control: Table | None = None
    alike: tuple[Indices, ...] = field(default=(), repr=False)

    @classmethod
    def draw(
        cls, original: Table, masked: Table, measure: DisclosureRisk, whole: WholeFile,
        control: Table | None = None,
    ) -> "ChunkedRisk":  # fmt: skip
        """Draw targets from the sampled records of both files, always the same ones."""
        order = np.random.default_rng(FIXED_SEED).permutation(len(original))
        people = min(measure.people, len(order))
        order = np.concatenate([np.sort(order[:people]), np.sort(order[people:])])
        return cls(original.take(order), masked.take(order), measure, whole, people, control)

    @cached_property
    def attacks(self) -> list[list[SampledAttack]]:
        """Attacks of each scenario, one for each combination of what may be known."""
        scenarios = RiskReading(self.original, self.measure).scenarios
        variants = [scenario.variants() for scenario in scenarios]
        alike = iter(self.alike)
        return [
            [SampledAttack(self.original, self.measure, one, self.control,
                           column_of=self.whole.column, people=self.people,
                           records=self.whole.n_records, alike=next(alike, None))
             for one in some]
            for some in variants
        ]  # fmt: skip

    @cached_property
    def _every(self) -> list[SampledAttack]:
        return [attack for variants in self.attacks for attack in variants]

    @cached_property
    def _maps(self) -> list[dict[str, Codes]]:
        """Relabellings that are undone: none, and the most likely one."""
        names = [n for attack in self._every for n in attack.scenario.attributes]
        maps = relabelling_maps(self.original, self.masked, tuple(dict.fromkeys(names)))
        changed = {
            name: codes for name, codes in maps.items()
            if not np.array_equal(codes, np.arange(len(codes)))
        }  # fmt: skip
        return [{}, changed] if changed else [{}]

    @cached_property
    def _weights(self) -> list[list[Mapping[bool, AgreementWeights]]]:
        """Weights of agreement by relabelling and attack."""
        files = [relabel(self.masked, maps) for maps in self._maps]
        return [[attack.weights(file) for attack in self._every] for file in files]

    def _indices(
        self, attack: SampledAttack, masked: Table, counts: Indices
    ) -> Iterator[ReleaseIndex]:
        place = self._every.index(attack)
        for maps, weights in zip(self._maps, self._weights, strict=True):
            sampled, released = relabel(self.masked, maps), relabel(masked, maps)
            yield attack.joined(sampled, weights[place], released, counts)

    def nearest(self, masked: Table) -> Indices:
        """Positions of the records of a masked chunk that are nearest to any target."""
        flags = np.zeros(len(masked), dtype=bool)
        for attack in self._every:
            for index in self._indices(attack, masked, np.ones(len(masked), dtype=np.int64)):
                flags |= attack.nearest(index)
        return np.flatnonzero(flags)

    def count_alike(self, original: Table) -> list[Indices]:
        """For each attack, the records of a chunk of the original that equal its targets."""
        return [attack.count_alike(original) for attack in self._every]

    def assess(self, masked: Table, counts: Indices) -> RiskAssessment:
        """Assess the risk from the nearest records of all chunks, with their counts."""
        return assess_scenarios(self.attacks, lambda one: self._indices(one, masked, counts))
