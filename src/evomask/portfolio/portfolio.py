"""The portfolio: all members share one budget, and what they find goes into one front.

A round is one member's turn: it breeds a generation unless enough of what it found waits to
be measured; some of that is decoded, repaired, measured and, if nothing beats it, let into
the front. Right after breeding, which may take long, more is measured. Of a large file, recipes
are bred and tried on a sample, and the most promising made on the whole file. Whose turn it is
depends on what earlier turns gained for their cost. Under a budget of evaluations costs are
those of the plan; under one of seconds they are the times in the journal, and no turn is begun
that would end too late by what turns have taken. So a run that is resumed takes the same turns
again. With a width above one, several members have turns side by side.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import ceil, inf
from typing import Any, Protocol

from evomask.errors import EvomaskError
from evomask.evolution.brood import Brood, Outcomes
from evomask.evolution.individual import Individual
from evomask.evolution.loop import begin, evolve
from evomask.evolution.setup import Setup
from evomask.evolution.state import State
from evomask.evolution.stopping import Budget, generations
from evomask.execution.evaluator import Evaluator
from evomask.portfolio.front import Candidate, front_of, spread
from evomask.portfolio.requests import Adopt, Breed, Make, Measured, Refusal, Request, Try
from evomask.portfolio.sample import RATIO, promising
from evomask.portfolio.state import (
    PortfolioState,
    Work,
    noted,
    share_used,
    untried,
    waiting,
    with_arrivals,
)
from evomask.portfolio.together import Turning, side_by_side
from evomask.portfolio.turns import Forecast, Past, Turn, next_member, next_members
from evomask.portfolio.worker import Maker
from evomask.searches.catalogue import GRID

ROUND = 1.0
"""Seconds that the files of a round should take."""

FIRST_TURN = 0.1
"""Share of the seconds that a turn may take that is foretold from the size of the file alone.

Those are a member's first turn, and its second, since a first one may be short.
"""

SOME = 2
"""Recipes that are promoted in a turn at least, where no clock runs."""

LATE = 0.8
"""Share of the budget after which the grid tries nothing new on the sample."""

DONE = "nothing is left to try"


class Clock(Protocol):
    """Knows when every round ended, and what was decided by the clock; the same when resumed."""

    def tell(self, after: PortfolioState) -> None:
        """A round has ended."""
        ...

    def time_at(self, state: PortfolioState) -> float:
        """Seconds used when the state was reached."""
        ...

    def took(self, generation: int) -> float:
        """Seconds that one round took."""
        ...

    def decide(self, name: str, compute: Callable[[], float]) -> float:
        """A number that is decided once and stays."""
        ...


class _RefusedError(EvomaskError):
    """A member could not do a task."""


@dataclass(frozen=True)
class Portfolio:
    """A portfolio at work on one file.

    Args:
        work: who carries out tasks, *workers* at once.
    """

    maker: Maker
    budget: Budget
    clock: Clock
    work: Evaluator[Request, Any]
    workers: int = 1

    def states(self, state: PortfolioState) -> Iterator[PortfolioState]:
        """Every state from here to the end of the budget; at least until there is a front."""
        while names := self._next_turns(state):
            for after in self._after_turns(state, names):
                self.clock.tell(after)
                state = after
            yield state

    def used(self, state: PortfolioState) -> float:
        """The share of the budget that is used."""
        return share_used(self.budget, state, self._seconds(state))

    def next_turn(self, state: PortfolioState) -> str | None:
        """Whose turn it is; nobody's where the budget is used up or nothing would end in time."""
        if state.front and self.used(state) >= 1.0:
            return None
        open_to = [name for name in self.maker.settings.members if name not in state.closed]
        members = self._in_time(open_to, state)
        if not members:
            return None
        if members[0] == GRID and self.used(state) < self.maker.settings.first:
            return GRID
        return next_member(members, self._turns(state))

    def _next_turns(self, state: PortfolioState) -> list[str]:
        """Whose turns come next, side by side: as many as the plan's width allows."""
        first = self.next_turn(state)
        if first is None:
            return []
        if first == GRID and self.used(state) < self.maker.settings.first:
            return [first]
        rest = [n for n in self.maker.settings.members if n not in state.closed and n != first]
        others = next_members(self._in_time(rest, state), [*self._turns(state)])
        return [first, *islice(others, self.maker.settings.width - 1)]

    def _after_turns(self, state: PortfolioState, names: Sequence[str]) -> Iterable[PortfolioState]:
        """The state after each of the turns, which all begin where the first does."""
        if len(names) == 1:
            after, done = self._turned(state, names[0])
            return [noted(after, names[0], done, state.volume)]

        def turn(name: str) -> Turning:
            return lambda work: replace(self, work=work)._turned(state, name)

        return side_by_side(state, {name: turn(name) for name in names}, self.work)

    def _seconds(self, state: PortfolioState) -> float:
        return self.clock.time_at(state) if state.rounds else 0.0

    def _left(self, state: PortfolioState) -> float:
        return (self.budget.seconds or 0.0) - self._seconds(state)

    def _in_time(self, members: Sequence[str], state: PortfolioState) -> Sequence[str]:
        """Those whose turn should end before the time is up.

        Before there is a front, the quickest if nobody's should.
        """
        if self.budget.seconds is None or not members:
            return members
        forecast, left = self._forecast(state), self._left(state)
        lasts = {name: self._lasts(name, forecast) for name in members}
        in_time = [name for name in members if lasts[name] <= left]
        if in_time or state.front:
            return in_time
        return [min(members, key=lambda name: lasts[name])]

    def _forecast(self, state: PortfolioState) -> Forecast:
        past = [Past(r.member, r.files, self.clock.took(r.generation)) for r in state.rounds]
        return Forecast(past, self._least)

    def _lasts(self, name: str, forecast: Forecast) -> float:
        """Seconds of a member's next turn; too many where a first one would be too long."""
        if name == GRID:
            return forecast.measuring(name)
        members = self.maker.settings.members
        first = forecast.first(members[name].cost, len(self.maker.breeder(name).table))
        if first > FIRST_TURN * (self.budget.seconds or 0.0):
            first = inf
        seen = forecast.breeding({name})
        if seen is not None:
            return seen if forecast.turns_of(name) > 1 else max(seen, first)
        kin = {n for n, member in members.items() if member.search == members[name].search}
        seen = forecast.breeding(kin)
        if seen is not None:
            return seen
        return first

    def _turns(self, state: PortfolioState) -> Iterator[Turn]:
        for row in state.rounds:
            cost = row.cost if self.budget.seconds is None else self.clock.took(row.generation)
            yield Turn(row.member, row.gain, cost)

    def _turned(self, state: PortfolioState, name: str) -> tuple[PortfolioState, Work]:
        """The state after a turn, and what was done in it."""
        batch = self._batch(state)
        try:
            state, bred = self._bred(state, name, batch)
        except EvomaskError as error:
            return state.closing(name, str(error)), Work()
        if bred and name != GRID:
            batch = self._most(state)
        state, trials = self._tried(state, name)
        chosen = self._chosen(state, name, batch, trials)
        made = self.work([Make(name, individual.genome) for individual in chosen], first=0)
        after = self._admitted(state, name, chosen, made)
        if not (bred or trials or chosen):
            after = after.closing(name, DONE)
        children = bred * self.maker.settings.members[name].cost + trials
        cost = ceil(children * self._share(name)) + len(made)
        return after, Work(bred, trials, made, cost)

    def _share(self, name: str) -> float:
        """Records that a member breeds on, as a share of the file's."""
        return len(self.maker.breeder(name).table) / len(self.maker.table)

    def _samples(self, name: str) -> bool:
        return self.maker.breeder(name) is not self.maker

    def _tried(self, state: PortfolioState, name: str) -> tuple[PortfolioState, int]:
        """The state after trials on the sample, where the member breeds there.

        Under a clock there are few of them until there is a front: a run needs one in any case.
        """
        if not self._wants_trials(state, name):
            return state, 0
        in_haste = self.budget.seconds is not None and not state.front
        most = self._least if in_haste else self.maker.settings.most
        fresh = untried(state, name)[:most]
        outcomes = self.work([Try(name, individual.genome) for individual in fresh], first=0)
        made = {
            i.serial: (outcome.loss, outcome.risk)
            for i, outcome in zip(fresh, outcomes, strict=True)
            if isinstance(outcome, Measured)
        }
        refused = frozenset(i.serial for i in fresh) - made.keys()
        known = {**state.tried.get(name, {}), **made}
        measured = state.measured.get(name, frozenset()) | refused
        state = replace(state, tried={**state.tried, name: known})
        return replace(state, measured={**state.measured, name: measured}), len(fresh)

    def _wants_trials(self, state: PortfolioState, name: str) -> bool:
        """Whether a turn tries recipes on the sample; the grid first tries many, then by turns."""
        if not self._samples(name):
            return False
        if name != GRID or not state.front:
            return True
        used = self.used(state)
        return used < self.maker.settings.first or (_owed(state, name) <= 0 and used < LATE)

    def _chosen(
        self, state: PortfolioState, name: str, batch: int, trials: int
    ) -> list[Individual[Any]]:
        """What is made on the whole file: what waits, or the most promising of what was tried."""
        if not self._samples(name):
            return spread(waiting(state, name), batch)
        if name == GRID and trials and state.front:
            return []
        tried = state.tried.get(name, {})
        own = [individual for individual in waiting(state, name) if individual.serial in tried]
        late = name == GRID and self.used(state) >= LATE
        some = batch if late else ceil(trials / RATIO) or _owed(state, name)
        least = SOME if self.budget.seconds is None else self._least
        return promising(state.tried, name, own, min(batch, max(least, some)))

    def _batch(self, state: PortfolioState) -> int:
        """How many files to measure: under a budget of seconds, about a second's worth."""
        most = self._most(state)
        if self.budget.seconds is None:
            return most
        files = sum(row.files for row in state.rounds)
        pace = files / max(1e-9, self._seconds(state))
        return max(self._least, min(most, int(pace * ROUND)))

    def _most(self, state: PortfolioState) -> int:
        """How many files a turn measures at most: fewer as the end of the seconds nears."""
        most = self.maker.settings.most
        if self.budget.seconds is None:
            return most
        per_file = max(1e-9, self._forecast(state).per_file())
        return max(self._least, min(most, int(self._left(state) / 2.0 / per_file)))

    @property
    def _least(self) -> int:
        """As many files as are measured at once."""
        return int(self.clock.decide("workers", lambda: float(self.workers)))

    def _bred(self, state: PortfolioState, name: str, batch: int) -> tuple[PortfolioState, int]:
        """The state after a generation of the member, unless enough of it waits already."""
        if self._samples(name):
            enough = not self._wants_trials(state, name) or len(untried(state, name)) >= batch
        else:
            enough = len(waiting(state, name)) >= batch
        if enough:
            return state, 0
        before = state.members.get(name, State())
        if self.maker.adopts(name):
            state = self._adopted(state, name, batch)
        setup = self.maker.breeder(name).setup(name)
        after = before
        for _ in range(self.maker.settings.width if name == GRID else 1):
            last, after = after, self._generation(name, state.members.get(name), setup)
            state = replace(state, members={**state.members, name: after})
            if after.tasks == last.tasks or len(waiting(state, name)) >= batch:
                break
        return state, after.tasks - before.tasks

    def _adopted(self, state: PortfolioState, name: str, batch: int) -> PortfolioState:
        """The state in which a member knows the best files of the others too."""
        known = state.adopted.get(name, frozenset())
        files = [
            candidate
            for candidate in state.front
            if candidate.member != name and candidate.number not in known
        ]
        files = spread(files, batch if known else 2 * batch)
        made = [Make(candidate.member, state.genomes[candidate.number]) for candidate in files]
        outcomes = [
            outcome
            for outcome in self.work([Adopt(name, file) for file in made], first=0)
            if not isinstance(outcome, Refusal)
        ]
        numbers = known.union(candidate.number for candidate in files)
        state = replace(state, adopted={**state.adopted, name: numbers})
        return with_arrivals(state, name, self.maker.setup(name), outcomes) if outcomes else state

    def _generation(self, name: str, inner: State[Any] | None, setup: Setup[Any]) -> State[Any]:
        def breed(brood: Brood[Any], first: int) -> Outcomes[Any]:
            outcomes = self.work([Breed(name, task) for task in brood], first=first)
            for outcome in outcomes:
                if isinstance(outcome, Refusal):
                    raise _RefusedError(outcome.reason)
            return outcomes

        if inner is None:
            return begin(setup.first, breed, archive=setup.archive, cost=setup.cost)
        once = generations(inner.generation + 1)
        seed = self.maker.seed_of(name)
        return evolve(inner, setup.scheme, breed, seed=seed, until=once, cost=setup.cost)

    def _admitted(
        self,
        state: PortfolioState,
        name: str,
        chosen: Sequence[Individual[Any]],
        made: Sequence[Measured | Refusal],
    ) -> PortfolioState:
        """The state with what was measured; its front with what nothing beats."""
        pairs = [
            (individual, m)
            for individual, m in zip(chosen, made, strict=True)
            if isinstance(m, Measured)
        ]
        first = len(state.candidates)
        found = [
            self._candidate(number, name, individual, measured, state.generation + 1)
            for number, (individual, measured) in enumerate(pairs, first)
        ]
        front = front_of(sorted((*state.front, *found), key=lambda candidate: candidate.number))
        genomes = dict(state.genomes) | {
            first + i: individual.genome for i, (individual, _) in enumerate(pairs)
        }
        serials = state.measured.get(name, frozenset()).union(
            individual.serial for individual in chosen
        )
        return replace(
            state,
            measured={**state.measured, name: serials},
            candidates=state.candidates.plus(found),
            front=front,
            genomes={candidate.number: genomes[candidate.number] for candidate in front},
        )

    def _candidate(
        self, number: int, name: str, individual: Individual[Any], measured: Measured, at: int
    ) -> Candidate:
        member = self.maker.settings.members[name]
        return Candidate(
            number,
            self.maker.making(name, individual.genome, individual.operator),
            measured.loss,
            measured.risk,
            member.search,
            name,
            individual.operator,
            individual.serial,
            at,
            member.parameters,
            measured.judged,
        )


def _owed(state: PortfolioState, name: str) -> int:
    """How many of a member's recipes should be made on the whole file, by how many were tried."""
    own = [row for row in state.rounds if row.member == name]
    return sum(row.trials for row in own) // RATIO - sum(row.files for row in own)
