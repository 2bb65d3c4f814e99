"""The state of a run between two generations: population, archive, counts, operator statistics."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isfinite, isinf
from typing import Any, Generic, NamedTuple, TypeVar

from evomask.evolution.archive import Archive, Nothing
from evomask.evolution.individual import (
    Brood,
    Cost,
    G,
    Individual,
    Outcomes,
    Population,
    first_objective,
)

T = TypeVar("T")


class Log(Generic[T]):
    """An immutable sequence whose longer versions share their storage with the shorter ones.

    So a run of a million generations stores one list, not a million copies; a second
    continuation of the same version is a copy.
    """

    __slots__ = ("_rows", "_size")

    def __init__(self, rows: Iterable[T] = ()) -> None:
        self._rows = list(rows)
        self._size = len(self._rows)

    def plus(self, rows: Iterable[T]) -> "Log[T]":
        longer: Log[T] = Log.__new__(Log)
        longer._rows = self._rows if self._size == len(self._rows) else self._rows[: self._size]
        longer._rows.extend(rows)
        longer._size = len(longer._rows)
        return longer

    def last(self, count: int) -> list[T]:
        return self._rows[max(0, self._size - count) : self._size]

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[T]:
        return iter(self.last(self._size))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Log) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Log({list(self)!r})"


class Births(NamedTuple):
    """Children of one operator in one generation, compared with the mean cost of their parents.

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
    """Individuals of one operator and generation of birth that left the population together."""

    generation: int
    operator: str
    born: int
    used: bool
    individuals: int


def gain(child: float, parents: float) -> float:
    """Return the improvement of a child over the mean cost of its parents, in percent.

    Formula 4.3 of the operator study for both crossover and mutation; its formula 4.1 for
    mutations, as printed, is not an improvement in percent.
    """
    if child == parents:
        return 0.0
    if isinf(child) or isinf(parents):
        return 100.0 if child < parents else -100.0
    return 100.0 * (parents - child) / max(abs(parents), abs(child))


@dataclass(frozen=True)
class Ledger:
    """Operator statistics of a run.

    Args:
        births: for each operator one row per generation in which it was used.
        used: serial numbers of the living individuals that became parents.
    """

    births: Mapping[str, Log[Births]] = field(default_factory=dict)
    deaths: Log[Deaths] = field(default_factory=Log)
    used: frozenset[int] = frozenset()

    def recent(self, operator: str, count: int) -> list[Births]:
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
        """Return the statistics one generation later."""
        generation = children[0].born if children else 0
        alive = {individual.serial for individual in population}
        used = self.used.union(parent.serial for task in brood for parent in task.parents)
        lost = Counter(
            (individual.operator, individual.born, individual.serial in used)
            for individual in (*before, *children)
            if individual.serial not in alive
        )
        births = dict(self.births)
        for row in _births(brood, outcomes, children, alive, cost):
            births[row.operator] = births.get(row.operator, Log()).plus([row])
        return Ledger(
            births,
            self.deaths.plus(Deaths(generation, *key, number) for key, number in lost.items()),
            used & alive,
        )


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


class Summary(NamedTuple):
    """Progress of a run at the end of one generation.

    `best` is the smallest cost so far, reached in generation `since`; `mean` is over the
    individuals of the population with a finite cost.
    """

    generation: int
    tasks: int
    evaluations: int
    best: float
    since: int
    mean: float


@dataclass(frozen=True)
class State(Generic[G]):
    """A run between two generations; the initial population is generation 0, before it is -1.

    Args:
        tasks: number of tasks done; the serial number of the next task.
        evaluations: tasks plus the steps of their bursts.
        ledger: operator statistics.
        history: one summary per generation.
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
        cost: Cost = first_objective,
    ) -> "State[G]":
        """Return the state one generation later."""
        children = individuals_from(self, brood, outcomes)
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
        return self.history.last(1)[0] if self.history else Summary(-1, 0, 0, inf, -1, inf)


def individuals_from(state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
    """Return the children as individuals, numbered from the state's count of tasks."""
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
