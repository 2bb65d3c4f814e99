"""What every operator brought about: births and deaths, generation by generation."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isinf
from typing import Any, NamedTuple

from evomask.evolution.brood import Brood, Outcomes
from evomask.evolution.individual import Cost, Population
from evomask.evolution.log import Log


class Births(NamedTuple):
    """The children of one operator in one generation, each against the mean cost of its parents.

    Gains are in percent of the larger cost (`gain`): positive for an improvement.
    """

    generation: int
    operator: str
    children: int
    entered: int
    improved: int
    worsened: int
    clones: int
    improvement: float
    worsening: float
    best: float
    worst: float
    steps: int
    counts: tuple[tuple[str, int], ...]


class Deaths(NamedTuple):
    """Individuals of one operator and generation of birth who left the population together."""

    generation: int
    operator: str
    born: int
    used: bool
    individuals: int


def gain(child: float, parents: float) -> float:
    """Improvement of a child over its parents' mean cost in percent; negative when it is worse.

    Formula 4.3 of the operator study for both crossover and mutation; its formula 4.1 for
    mutations as printed is no improvement in percent.
    """
    if child == parents:
        return 0.0
    if isinf(child) or isinf(parents):
        return 100.0 if child < parents else -100.0
    return 100.0 * (parents - child) / max(abs(parents), abs(child))


@dataclass(frozen=True)
class Ledger:
    """The operator statistics of a run.

    Args:
        births: of each operator, one row for each generation in which it worked.
        used: serial numbers of the living who became parents.
    """

    births: Mapping[str, Log[Births]] = field(default_factory=dict)
    deaths: Log[Deaths] = field(default_factory=Log)
    used: frozenset[int] = frozenset()

    def recent(self, operator: str, count: int) -> list[Births]:
        """The last *count* generations in which an operator worked, newest first."""
        return self.births[operator].last(count)[::-1] if operator in self.births else []

    def after(
        self,
        brood: Brood[Any],
        outcomes: Outcomes[Any],
        children: Population[Any],
        before: Population[Any],
        population: Population[Any],
        *,
        cost: Cost,
    ) -> "Ledger":
        """The ledger one generation later, with its births and deaths added."""
        generation = children[0].born if children else 0
        alive = {individual.serial for individual in population}
        used = self.used.union(parent.serial for task in brood for parent in task.parents)
        lost = Counter(
            (individual.operator, individual.born, individual.serial in used)
            for individual in (*before, *children)
            if individual.serial not in alive
        )
        return Ledger(
            self._births_and(_births(brood, outcomes, children, alive, cost)),
            self.deaths.plus(Deaths(generation, *key, number) for key, number in lost.items()),
            used & alive,
        )

    def _births_and(self, rows: list[Births]) -> dict[str, Log[Births]]:
        births = dict(self.births)
        for row in rows:
            births[row.operator] = births.get(row.operator, Log()).plus([row])
        return births


def _births(
    brood: Brood[Any],
    outcomes: Outcomes[Any],
    children: Population[Any],
    alive: set[int],
    cost: Cost,
) -> list[Births]:
    places = defaultdict(list)
    for place, task in enumerate(brood):
        places[task.operator].append(place)
    return [
        _births_of(
            [brood[place] for place in chosen],
            [outcomes[place] for place in chosen],
            [children[place] for place in chosen],
            alive,
            cost,
        )
        for chosen in places.values()
    ]


def _births_of(
    tasks: Sequence[Any],
    outcomes: Sequence[Any],
    children: Sequence[Any],
    alive: set[int],
    cost: Cost,
) -> Births:
    gains = [
        gain(cost(child.fitness), sum(cost(p.fitness) for p in task.parents) / len(task.parents))
        for task, child in zip(tasks, children, strict=True)
        if task.parents
    ]
    better = [value for value in gains if value > 0]
    worse = [value for value in gains if value < 0]
    return Births(
        generation=children[0].born,
        operator=tasks[0].operator,
        children=len(children),
        entered=sum(child.serial in alive for child in children),
        improved=len(better),
        worsened=len(worse),
        clones=len(gains) - len(better) - len(worse),
        improvement=sum(better),
        worsening=sum(worse),
        best=max(gains, default=0.0),
        worst=min(gains, default=0.0),
        steps=sum(outcome.steps for outcome in outcomes),
        counts=_total(outcome.counts for outcome in outcomes),
    )


def _total(counts: Iterable[Any]) -> tuple[tuple[str, int], ...]:
    total: Counter[str] = Counter()
    for named in counts:
        if named:
            total.update(named)
    return tuple(sorted(total.items()))
