"""Portfolio search: several searches share one budget and contribute to one Pareto front.

In each round the scheduler selects one search. The search breeds a generation, unless enough of
its individuals already wait for evaluation. Some of these are decoded, enforced and evaluated,
and the nondominated ones enter the front. Of a large file, recipes are bred and evaluated on a
sample first, and only the most promising are evaluated on the whole file.

The scheduler is a bandit: it prefers the search with the largest recent gain of hypervolume per
cost. Under a budget of evaluations, costs come from the plan; under a budget of seconds, they are
the durations in the journal, and no round starts that is expected to end too late. A resumed run
therefore repeats the same rounds.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, inf, log, sqrt
from typing import Any, Protocol

import numpy as np

from evomask.engine.evaluation import (
    Adopt,
    Breed,
    EvaluationContext,
    Make,
    Measured,
    Refusal,
    Request,
    Try,
)
from evomask.engine.front import FrontPoint, front_of, spread
from evomask.engine.state import (
    RATIO,
    PortfolioState,
    RoundWork,
    Trials,
    pending,
    promotions_due,
    share_used,
    untested,
    with_adopted,
    with_round,
    with_trials,
)
from evomask.errors import EvomaskError
from evomask.evolution.archive import non_dominated_ranks
from evomask.evolution.individual import Individual, Outcome, Outcomes, Task
from evomask.evolution.loop import begin, evolve
from evomask.evolution.state import State
from evomask.evolution.stopping import Budget, generations
from evomask.execution.evaluator import Evaluator
from evomask.searches.catalogue import GRID

LEAST_PROMOTED = 2
"""Fewest recipes promoted to the whole file in a round, without a time budget."""

LATE = 0.8
"""Share of the budget after which the grid evaluates no new recipes on the sample."""

EXHAUSTED = "nothing is left to try"

MEMORY = 0.8
"""Discount factor of the gain and the cost of earlier rounds."""

CURIOSITY = 0.7
"""Weight of the exploration bonus, as a share of the best rate."""

EXPLORING = 2 / 3
"""Largest share of the total cost that first rounds may have before another first round."""

ROUND_SECONDS = 1.0
"""Target duration of the evaluations of a round, under a budget of seconds."""

FIRST_ROUND = 0.1
"""Largest share of the seconds for a round whose duration is predicted from the file size alone.

This applies to the first round of a search, and to its second, since a first one may be short.
"""

RECENT = 6
"""Number of recent rounds from which the next duration is predicted."""

WARMED_UP = 0.5
"""Share of the first round of the run that is not initialization."""

BROOD = 4.0
"""Assumed number of children in the first round of a search."""

SMALL = 10_000
"""Records up to which the declared costs of searches hold; above, they grow faster."""

GROWTH = 0.5
"""Exponent of that growth in the number of records."""


class _RefusedError(EvomaskError):
    """A search could not carry out a task."""


class Clock(Protocol):
    """Durations of all rounds and decisions based on time; a resumed run reads the same values."""

    def tell(self, after: PortfolioState) -> None:
        """Record the end of a round."""
        ...

    def time_at(self, state: PortfolioState) -> float:
        """Seconds used when the state was reached."""
        ...

    def took(self, generation: int) -> float:
        """Duration of one round in seconds."""
        ...

    def decide(self, name: str, compute: Callable[[], float]) -> float:
        """Return the stored decision, or compute and store it."""
        ...


@dataclass(frozen=True)
class Reward:
    """Gain of hypervolume and cost of one round of a search."""

    search: str
    gain: float
    cost: float


@dataclass
class _Tally:
    gain: float = 0.0
    weight: float = 0.0
    cost: float = 0.0
    first: float = 0.0
    rounds: int = 0

    @property
    def rate(self) -> float:
        return self.gain / self.weight if self.weight > 0 else 0.0


def next_search(searches: Sequence[str], rewards: Iterable[Reward]) -> str:
    """Select the search with the most recent gain per cost plus an exploration bonus.

    Every search gets a first round, in order; but a first round is postponed while first rounds
    account for most of the total cost, since they may be long and gain nothing. Ties go to the
    search with the least cost so far, then to the first.
    """
    tallies = _tallies(rewards)
    fresh = [name for name in searches if name not in tallies]
    known = [name for name in searches if name in tallies]
    first = sum(tally.first for tally in tallies.values())
    if fresh and (not known or first <= EXPLORING * sum(t.cost for t in tallies.values())):
        return fresh[0]
    bonuses = _bonuses({name: tallies[name] for name in known})
    best = max(tallies[name].rate for name in known)
    scores = {name: tallies[name].rate + best * bonuses[name] for name in known}
    return max(known, key=lambda name: (scores[name], -tallies[name].cost))


def _tallies(rewards: Iterable[Reward]) -> Mapping[str, _Tally]:
    tallies: dict[str, _Tally] = {}
    for reward in rewards:
        tally = tallies.setdefault(reward.search, _Tally())
        tally.gain = tally.gain * MEMORY + reward.gain
        tally.weight = tally.weight * MEMORY + reward.cost
        tally.first = tally.first if tally.rounds else reward.cost
        tally.cost += reward.cost
        tally.rounds += 1
    return tallies


def _bonuses(tallies: Mapping[str, _Tally]) -> dict[str, float]:
    """Exploration bonuses; larger for searches with little cost, in rounds of average cost."""
    spent = sum(tally.cost for tally in tallies.values())
    count = sum(tally.rounds for tally in tallies.values())
    average = spent / count if spent > 0 else 1.0
    return {
        name: CURIOSITY * sqrt(log(1 + count) / max(tally.cost / average, 0.5))
        for name, tally in tallies.items()
    }


@dataclass(frozen=True)
class Duration:
    """Duration of a round of a search, and the number of files that it evaluated."""

    search: str
    files: int
    seconds: float


@dataclass(frozen=True)
class Forecast:
    """Predicted durations of rounds, from those of earlier rounds.

    Args:
        past: all rounds so far, in order.
        least: fewest files that a round evaluates.
    """

    past: Sequence[Duration]
    least: int = 1

    def per_file(self) -> float:
        """Mean seconds per file in recent rounds; 0 before the first."""
        recent = self._without_first([one for one in self.past if one.files])[-RECENT:]
        return sum(one.seconds for one in recent) / max(1, sum(one.files for one in recent))

    def evaluating(self, search: str) -> float:
        """Least duration of a round of a search that only evaluates files."""
        own = self._without_first([one for one in self.past if one.search == search and one.files])
        slowest = max((one.seconds / one.files for one in own[-RECENT:]), default=0.0)
        only_first = len(own) == 1 and own[0] is self.past[0]
        return self.least * slowest * (WARMED_UP if only_first else 1.0)

    def breeding(self, searches: Collection[str]) -> float | None:
        """Duration of the next round of any of the searches; None where none had a round."""
        own = self._without_first([one for one in self.past if one.search in searches])
        return max((one.seconds for one in own[-RECENT:]), default=None)

    def rounds_of(self, search: str) -> int:
        """Number of rounds of a search."""
        return sum(one.search == search for one in self.past)

    def first(self, cost: float, records: int) -> float:
        """Duration of the first round of a search, from its cost and the number of records.

        Args:
            cost: of a child, relative to the evaluation of a file.
        """
        growth = float(max(1.0, records / SMALL) ** GROWTH)
        return self.per_file() * (BROOD * cost * growth + self.least)

    def _without_first(self, past: Sequence[Duration]) -> Sequence[Duration]:
        """Leave out the very first round of the run, which includes initialization."""
        return past[1:] if len(past) > 1 and past[0] is self.past[0] else past


@dataclass(frozen=True)
class Timing:
    """Which searches can finish a round within the budget, and how many files it may evaluate.

    Args:
        workers: number of files evaluated in parallel.
    """

    context: EvaluationContext
    budget: Budget
    clock: Clock
    workers: int

    def seconds(self, state: PortfolioState) -> float:
        """Seconds used when a state was reached."""
        return self.clock.time_at(state) if state.rounds else 0.0

    def in_time(self, searches: Sequence[str], state: PortfolioState) -> Sequence[str]:
        """Searches whose next round should end within the seconds of the budget.

        Before there is a front, the quickest search if there is no such search.
        """
        if self.budget.seconds is None or not searches:
            return searches
        forecast, left = self._forecast(state), self._left(state)
        durations = {name: self._duration(name, forecast) for name in searches}
        in_time = [name for name in searches if durations[name] <= left]
        if in_time or state.front:
            return in_time
        return [min(searches, key=lambda name: durations[name])]

    def batch(self, state: PortfolioState) -> int:
        """Number of files to evaluate: under a budget of seconds, about one second's worth."""
        most = self.most(state)
        if self.budget.seconds is None:
            return most
        files = sum(row.files for row in state.rounds)
        pace = files / max(1e-9, self.seconds(state))
        return max(self.least, min(most, int(pace * ROUND_SECONDS)))

    def most(self, state: PortfolioState) -> int:
        """Largest number of files of a round; it shrinks as the end of the seconds approaches."""
        most = self.context.settings.batch
        if self.budget.seconds is None:
            return most
        per_file = max(1e-9, self._forecast(state).per_file())
        return max(self.least, min(most, int(self._left(state) / 2.0 / per_file)))

    @property
    def least(self) -> int:
        """Fewest files of a round: as many as are evaluated in parallel."""
        return int(self.clock.decide("workers", lambda: float(self.workers)))

    def _left(self, state: PortfolioState) -> float:
        return (self.budget.seconds or 0.0) - self.seconds(state)

    def _forecast(self, state: PortfolioState) -> Forecast:
        past = [Duration(r.member, r.files, self.clock.took(r.generation)) for r in state.rounds]
        return Forecast(past, self.least)

    def _duration(self, name: str, forecast: Forecast) -> float:
        """Predicted seconds of the next round; infinite where a first round would be too long."""
        if name == GRID:
            return forecast.evaluating(name)
        specialists = self.context.settings.members
        first = forecast.first(specialists[name].cost, len(self.context.breeder(name).table))
        if first > FIRST_ROUND * (self.budget.seconds or 0.0):
            first = inf
        seen = forecast.breeding({name})
        if seen is not None:
            return seen if forecast.rounds_of(name) > 1 else max(seen, first)
        variants = {n for n, one in specialists.items() if one.search == specialists[name].search}
        seen = forecast.breeding(variants)
        return first if seen is None else seen


@dataclass(frozen=True)
class Portfolio:
    """Runs the rounds of all searches on one file.

    Args:
        work: evaluator that carries out tasks, *workers* in parallel.
    """

    context: EvaluationContext
    budget: Budget
    clock: Clock
    work: Evaluator[Request, Any]
    workers: int = 1

    def states(self, state: PortfolioState) -> Iterator[PortfolioState]:
        """Yield the state after each round, until the budget is used up and there is a front."""
        while (name := self.next_search(state)) is not None:
            state = self._play_round(state, name)
            self.clock.tell(state)
            yield state

    def used(self, state: PortfolioState) -> float:
        """Share of the budget that is used."""
        return share_used(self.budget, state, self._timing.seconds(state))

    def next_search(self, state: PortfolioState) -> str | None:
        """Search of the next round; None where the budget is used up or no round would fit."""
        if state.front and self.used(state) >= 1.0:
            return None
        settings = self.context.settings
        candidates = [name for name in settings.members if name not in state.closed]
        searches = self._timing.in_time(candidates, state)
        if not searches:
            return None
        if searches[0] == GRID and self.used(state) < settings.first:
            return GRID
        return next_search(searches, self._rewards(state))

    @property
    def _timing(self) -> Timing:
        return Timing(self.context, self.budget, self.clock, self.workers)

    def _rewards(self, state: PortfolioState) -> Iterator[Reward]:
        for row in state.rounds:
            cost = row.cost if self.budget.seconds is None else self.clock.took(row.generation)
            yield Reward(row.member, row.gain, cost)

    def _play_round(self, before: PortfolioState, name: str) -> PortfolioState:
        """Breed, evaluate on the sample, promote, evaluate on the whole file, update the front."""
        batch = self._timing.batch(before)
        try:
            state = self._breed(before, name, batch)
        except EvomaskError as error:
            closed = before.with_closed(name, str(error))
            return with_round(closed, name, RoundWork(), before.volume)
        bred = _tasks(state, name) - _tasks(before, name)
        if bred > 0 and name != GRID:
            batch = self._timing.most(state)
        fresh = self._trial_candidates(state, name)
        tried = self.work([Try(name, individual.genome) for individual in fresh], first=0)
        state = with_trials(state, name, fresh, tried)
        chosen = self._select(state, name, batch, len(fresh))
        made = self.work([Make(name, individual.genome) for individual in chosen], first=0)
        state = self._update_front(state, name, chosen, made)
        if not (bred or fresh or made):
            state = state.with_closed(name, EXHAUSTED)
        children = bred * self.context.settings.members[name].cost + len(fresh)
        share = len(self.context.breeder(name).table) / len(self.context.table)
        work = RoundWork(bred, len(fresh), made, ceil(children * share) + len(made))
        return with_round(state, name, work, before.volume)

    def _uses_sample(self, name: str) -> bool:
        return self.context.breeder(name) is not self.context

    def _trial_candidates(self, state: PortfolioState, name: str) -> list[Individual[Any]]:
        """Select the individuals to evaluate on the sample, where the search breeds there.

        Under a time budget, these are few until there is a front, which every run needs.
        """
        if not self._wants_trials(state, name):
            return []
        in_haste = self.budget.seconds is not None and not state.front
        most = self._timing.least if in_haste else self.context.settings.batch
        return untested(state, name)[:most]

    def _wants_trials(self, state: PortfolioState, name: str) -> bool:
        """Whether a round evaluates on the sample; the grid alternates after its first rounds."""
        if not self._uses_sample(name):
            return False
        if name != GRID or not state.front:
            return True
        used = self.used(state)
        due = promotions_due(state, name)
        return used < self.context.settings.first or (due <= 0 and used < LATE)

    def _select(
        self, state: PortfolioState, name: str, batch: int, trials: int
    ) -> list[Individual[Any]]:
        """Select the individuals to evaluate on the whole file.

        These are pending ones, or the most promising of those evaluated on the sample.
        """
        if not self._uses_sample(name):
            return spread(pending(state, name), batch)
        if name == GRID and trials and state.front:
            return []
        tried = state.tried.get(name, {})
        own = [individual for individual in pending(state, name) if individual.serial in tried]
        is_late = name == GRID and self.used(state) >= LATE
        some = batch if is_late else ceil(trials / RATIO) or promotions_due(state, name)
        least = LEAST_PROMOTED if self.budget.seconds is None else self._timing.least
        return most_promising(state.tried, name, own, min(batch, max(least, some)))

    def _breed(self, state: PortfolioState, name: str, batch: int) -> PortfolioState:
        """Run one generation of the search, unless enough individuals are pending."""
        if self._has_enough(state, name, batch):
            return state
        setup = self.context.breeder(name).setup(name)
        if self.context.adopts(name):
            state = self._adopt(state, name, batch)

        def breed(brood: Sequence[Task[Any]], first: int) -> Outcomes[Any]:
            outcomes = self.work([Breed(name, task) for task in brood], first=first)
            for outcome in outcomes:
                if isinstance(outcome, Refusal):
                    raise _RefusedError(outcome.reason)
            return outcomes

        inner = state.members.get(name)
        after: State[Any]
        if inner is None:
            after = begin(setup.first, breed, archive=setup.archive, cost=setup.cost)
        else:
            once = generations(inner.generation + 1)
            seed = self.context.seed_of(name)
            after = evolve(inner, setup.scheme, breed, seed=seed, until=once, cost=setup.cost)
        return replace(state, members={**state.members, name: after})

    def _has_enough(self, state: PortfolioState, name: str, batch: int) -> bool:
        if self._uses_sample(name):
            return not self._wants_trials(state, name) or len(untested(state, name)) >= batch
        return len(pending(state, name)) >= batch

    def _adopt(self, state: PortfolioState, name: str, batch: int) -> PortfolioState:
        """Add the best files of other searches to the population of a search that takes files."""
        known = state.adopted.get(name, frozenset())
        foreign = [p for p in state.front if p.member != name and p.number not in known]
        points = spread(foreign, batch if known else 2 * batch)
        files = [Make(point.member, state.genomes[point.number]) for point in points]
        outcomes = self.work([Adopt(name, file) for file in files], first=0) if files else ()
        numbers = known.union(point.number for point in points)
        state = replace(state, adopted={**state.adopted, name: numbers})
        adopted = [outcome for outcome in outcomes if isinstance(outcome, Outcome)]
        return with_adopted(state, name, self.context.setup(name), adopted) if adopted else state

    def _update_front(
        self,
        state: PortfolioState,
        name: str,
        chosen: Sequence[Individual[Any]],
        made: Sequence[Measured | Refusal],
    ) -> PortfolioState:
        """Add the evaluated files to the candidates, and the nondominated ones to the front."""
        pairs = [
            (individual, measured)
            for individual, measured in zip(chosen, made, strict=True)
            if isinstance(measured, Measured)
        ]
        first = len(state.candidates)
        found = [
            self._point(number, name, individual, measured, state.generation + 1)
            for number, (individual, measured) in enumerate(pairs, first)
        ]
        front = front_of(sorted((*state.front, *found), key=lambda point: point.number))
        genomes = dict(state.genomes) | {
            number: individual.genome for number, (individual, _) in enumerate(pairs, first)
        }
        serials = state.measured.get(name, frozenset()).union(
            individual.serial for individual in chosen
        )
        return replace(
            state,
            measured={**state.measured, name: serials},
            candidates=state.candidates.plus(found),
            front=front,
            genomes={point.number: genomes[point.number] for point in front},
        )

    def _point(
        self, number: int, name: str, individual: Individual[Any], measured: Measured, at: int
    ) -> FrontPoint:
        specialist = self.context.settings.members[name]
        return FrontPoint(
            number=number,
            making=self.context.provenance(name, individual.genome, individual.operator),
            loss=measured.loss,
            risk=measured.risk,
            search=specialist.search,
            member=name,
            operator=individual.operator,
            serial=individual.serial,
            round=at,
            parameters=specialist.parameters,
            assessment=measured.assessment,
        )


def most_promising(
    trials: Trials, name: str, own: Sequence[Individual[Any]], count: int
) -> list[Individual[Any]]:
    """Select individuals of a search by their nondomination rank on the sample.

    They are ranked among everything evaluated on the sample by any search. Of equal rank, the
    selection is spread evenly over the loss.
    """
    keys = [(search, serial) for search, tried in trials.items() for serial in tried]
    points = np.array([trials[search][serial] for search, serial in keys]).reshape(-1, 2)
    rank = dict(zip(keys, non_dominated_ranks(points).tolist(), strict=True))
    by_rank: dict[int, list[Individual[Any]]] = {}
    for individual in sorted(own, key=lambda i: (trials[name][i.serial], i.serial)):
        by_rank.setdefault(rank[name, individual.serial], []).append(individual)
    chosen: list[Individual[Any]] = []
    for level in sorted(by_rank):
        chosen += spread(by_rank[level], count - len(chosen))
    return chosen


def _tasks(state: PortfolioState, name: str) -> int:
    """Number of breeding tasks of a search so far."""
    return state.members[name].tasks if name in state.members else 0
