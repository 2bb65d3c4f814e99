"""Groups within strata: every stratum is a problem of its own, and all evolve together."""

from dataclasses import dataclass, replace

import numpy as np

from evomask.arrays import Indices, Labels
from evomask.data.classes import classes_of
from evomask.data.partition import canonical
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.errors import EvomaskError
from evomask.evolution.brood import Outcome, Task
from evomask.evolution.setup import Draws
from evomask.masking.making import Making
from evomask.searches.partition.genome import checked_points
from evomask.searches.partition.problem import Memetic, PartitionProblem


@dataclass(frozen=True, eq=False)
class Apart(PartitionProblem):
    """The memetic search within every stratum, so that no group reaches over two.

    Args:
        strata: the records of each stratum.
        parts: its own problem.
    """

    strata: tuple[Indices, ...]
    parts: tuple[Memetic, ...]

    @classmethod
    def of(cls, common: PartitionProblem, draws: Draws) -> "Apart":
        """The problems of all strata; one with fewer than k records is refused."""
        strata = records_of_strata(common.original)
        parts = tuple(
            _part(common, records, draws, number) for number, records in enumerate(strata)
        )
        return cls(common.original, common.names, common.points, common.k, strata, parts)

    def making(self, genome: Labels) -> Making:
        """How many groups there are of how many records at least, and the strata."""
        strata = self.original.schema.with_role(Role.STRATUM)
        return replace(super().making(genome), strata=strata)

    def lasting(self, long: int, short: int) -> "Apart":
        """The same with bursts of so many steps, shared out by the records of each stratum."""
        n = len(self.points)
        parts = (
            part.lasting(max(1, long * len(records) // n), max(1, short * len(records) // n))
            for records, part in zip(self.strata, self.parts, strict=True)
        )
        return replace(self, parts=tuple(parts))

    def work(self, task: Task[Labels], rng: np.random.Generator) -> Outcome[Labels]:
        """One child by the task's operator in every stratum."""
        made = [
            part.work(_within(task, records), rng)
            for records, part in zip(self.strata, self.parts, strict=True)
        ]
        return self.outcome(
            self.joined([outcome.genome for outcome in made]), sum(o.steps for o in made)
        )

    def constructed(self, number: int) -> Labels:
        """The partition that founder number *number* starts from."""
        return self.joined([part.constructed(number) for part in self.parts])

    def tried(self, start: Labels, steps: int) -> int:
        """Do bursts of about so many steps for nothing, to see how long they take."""
        return sum(
            part.tried(canonical(start[records]), max(1, steps * len(records) // len(start)))
            for records, part in zip(self.strata, self.parts, strict=True)
        )

    def joined(self, groups: list[Labels]) -> Labels:
        """Groups of all strata as one partition of the records."""
        labels = np.empty(len(self.points), dtype=np.int64)
        count = 0
        for records, inside in zip(self.strata, groups, strict=True):
            labels[records] = inside + count
            count += int(inside.max()) + 1
        return canonical(labels)


def records_of_strata(table: Table) -> tuple[Indices, ...]:
    """The records of each stratum; of the whole file where there are no strata."""
    labels = classes_of(table, table.schema.with_role(Role.STRATUM)).labels
    return tuple(np.flatnonzero(labels == label) for label in range(int(labels.max()) + 1))


def _part(common: PartitionProblem, records: Indices, draws: Draws, stratum: int) -> Memetic:
    try:
        points = checked_points(common.points[records], common.k)
    except EvomaskError as error:
        raise type(error)(f"within a stratum: {error}") from None
    return Memetic.of(replace(common, points=points), draws, stratum)


def _within(task: Task[Labels], records: Indices) -> Task[Labels]:
    """The task for the records of one stratum."""
    parents = [replace(parent, genome=canonical(parent.genome[records])) for parent in task.parents]
    return replace(task, parents=tuple(parents))
