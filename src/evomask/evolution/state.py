"""Everything needed to go on, in one immutable value."""

from dataclasses import dataclass, field, replace
from math import inf, isfinite
from typing import Generic, NamedTuple

from evomask.evolution.archive import Archive, Nothing
from evomask.evolution.brood import Brood, Outcomes
from evomask.evolution.individual import Cost, G, Individual, Population, first
from evomask.evolution.ledger import Ledger
from evomask.evolution.log import Log


class Summary(NamedTuple):
    """How a run stood at the end of one generation.

    `best` is the smallest cost of any individual so far, reached in generation `since`;
    `mean` is over the individuals of the population that have a finite cost.
    """

    generation: int
    tasks: int
    evaluations: int
    best: float
    since: int
    mean: float


@dataclass(frozen=True)
class State(Generic[G]):
    """A run between two generations; the first population is generation 0, before it is -1.

    Args:
        tasks: how many were done; the next task's serial number.
        evaluations: tasks plus the steps of their bursts.
        ledger: operator statistics.
        history: one summary a generation.
    """

    population: Population[G] = ()
    archive: Archive[G] = field(default_factory=Nothing)
    generation: int = -1
    tasks: int = 0
    evaluations: int = 0
    ledger: Ledger = field(default_factory=Ledger)
    history: Log[Summary] = field(default_factory=Log)

    def advanced(
        self,
        brood: Brood[G],
        outcomes: Outcomes[G],
        population: Population[G],
        cost: Cost = first,
    ) -> "State[G]":
        """The state one generation later: population, archive, counts and history."""
        children = born(self, brood, outcomes)
        after = replace(
            self,
            population=population,
            archive=self.archive.updated(children),
            generation=self.generation + 1,
            tasks=self.tasks + len(brood),
            evaluations=self.evaluations + len(brood) + sum(o.steps for o in outcomes),
            ledger=self.ledger.after(
                brood, outcomes, children, self.population, population, cost=cost
            ),
        )
        return replace(after, history=self.history.plus([_summary(after, children, cost)]))

    @property
    def summary(self) -> Summary:
        """How the run stands: the last row of its history, or nothing reached yet."""
        return self.history.last(1)[0] if self.history else Summary(-1, 0, 0, inf, -1, inf)


def born(state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
    """The children of a brood as individuals, numbered on from the state's tasks."""
    return tuple(
        Individual(
            outcome.genome,
            outcome.fitness,
            serial,
            task.operator,
            tuple(parent.serial for parent in task.parents),
            state.generation + 1,
        )
        for serial, (task, outcome) in enumerate(zip(brood, outcomes, strict=True), state.tasks)
    )


def _summary(after: State[G], children: Population[G], cost: Cost) -> Summary:
    before = after.summary
    best = min((cost(child.fitness) for child in children), default=inf)
    costs = [
        value for individual in after.population if isfinite(value := cost(individual.fitness))
    ]
    improved = best < before.best
    return Summary(
        after.generation,
        after.tasks,
        after.evaluations,
        best if improved else before.best,
        after.generation if improved else before.since,
        sum(costs) / len(costs) if costs else inf,
    )
