"""The memetic search: how it breeds, and how it spends its budget."""

from dataclasses import dataclass

import numpy as np

from evomask.evolution.brood import Brood, Outcomes, Task
from evomask.evolution.individual import Individual, Population
from evomask.evolution.state import State, born
from evomask.kernels.arrays import Labels
from evomask.searches.partition.problem import ANNEAL, RECOMBINE, RESOLVE

FOUNDERS = 4
"""First partitions, each a long burst."""

FEW_FOUNDERS = 2
FEW_STEPS = 8_000
"""With a budget of fewer steps for each record, two founders must do: longer bursts are better."""

FOUNDING = 0.6
"""Share of the budget that the long bursts take."""

SHORTER = 10
"""How many times shorter a short burst is."""

PER_RECORD = 2_000
"""Steps of a long burst for each record, where the budget does not say."""


@dataclass(frozen=True)
class Effort:
    """Steps of a long and of a short burst, and how many long ones found the population."""

    long: int
    short: int
    founders: int = FOUNDERS

    @classmethod
    def of(cls, long: int, founders: int = FOUNDERS) -> "Effort":
        """The short burst that goes with a long one."""
        return cls(long, max(1, long // SHORTER), founders)

    @classmethod
    def within(cls, evaluations: float, n_records: int) -> "Effort":
        """Burst lengths for a budget of so many elementary steps, all workers together."""
        founders = FOUNDERS if evaluations >= FEW_STEPS * n_records else FEW_FOUNDERS
        return cls.of(max(1, int(evaluations * FOUNDING / founders)), founders)

    @classmethod
    def usual(cls, n_records: int) -> "Effort":
        """Burst lengths where the budget is one of generations."""
        return cls.of(PER_RECORD * n_records)


@dataclass(frozen=True)
class Memes:
    """Cross all, anneal some, solve pools of the best now and then; the best different ones stay.

    Args:
        size: how many stay.
        bursts: how many are annealed in a generation.
        pools: every so many generations the best one's pools are solved exactly.
    """

    size: int = 12
    bursts: int = 4
    pools: int = 4

    def propose(self, state: State[Labels], rng: np.random.Generator) -> Brood[Labels]:
        """The best and members drawn by rank are annealed; all are recombined."""
        ranked = _ranked(state.population)
        weights = 1.0 / np.arange(1, len(ranked) + 1)
        drawn = rng.choice(len(ranked), self.bursts - 1, p=weights / weights.sum())
        annealed = [ranked[0], *(ranked[i] for i in drawn)]
        brood = [Task(RECOMBINE, ranked), *(Task(ANNEAL, (member,)) for member in annealed)]
        if (state.generation + 1) % self.pools == 0:
            brood.append(Task(RESOLVE, (ranked[0],)))
        return tuple(brood)

    def replace(
        self, state: State[Labels], brood: Brood[Labels], outcomes: Outcomes[Labels]
    ) -> Population[Labels]:
        """The best different ones of parents and children."""
        different: dict[bytes, Individual[Labels]] = {}
        for member in (*state.population, *born(state, brood, outcomes)):
            different.setdefault(member.genome.tobytes(), member)
        return _ranked(tuple(different.values()))[: self.size]


def _ranked(members: Population[Labels]) -> Population[Labels]:
    """Best first; the earlier one of equals."""
    return tuple(sorted(members, key=lambda member: (member.fitness, member.serial)))
