"""The portfolio: all members share one budget, and what they find goes into one front.

A round is one member's turn: it breeds a generation unless enough of what it found waits to
be measured; some of that is decoded, repaired, measured and, if nothing beats it, let into
the front. Right after breeding, which may take long, more is measured. Of a large file, recipes
are bred and tried on a sample, and the most promising made on the whole file. Whose turn it is
depends on what earlier turns gained for their cost. Under a budget of evaluations costs are
those of the plan; under one of seconds they are the times in the journal, and no turn is begun
that would end too late by what turns have taken. So a run that is resumed takes the same turns
again. With a width above one, several members have turns side by side, and a turn asks for all
at once: it breeds, and has measured what earlier turns bred.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import ceil
from typing import Any

from evomask.errors import EvomaskError
from evomask.evolution.brood import Brood, Outcome, Outcomes
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
    owed,
    share_used,
    untried,
    waiting,
    with_arrivals,
    with_trials,
)
from evomask.portfolio.together import Turning, asking, longest_first, side_by_side, together
from evomask.portfolio.turns import Clock, Timing, Turn, next_member, next_members
from evomask.portfolio.worker import Maker
from evomask.searches.catalogue import GRID

SOME = 2
"""Recipes that are promoted in a turn at least, where no clock runs."""

LATE = 0.8
"""Share of the budget after which the grid tries nothing new on the sample."""

BURST = 4.0
"""What a child takes of a member that goes on from files, where its cost says 1."""

DONE = "nothing is left to try"


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
        return share_used(self.budget, state, self._timing.seconds(state))

    def next_turn(self, state: PortfolioState) -> str | None:
        """Whose turn it is; nobody's where the budget is used up or nothing would end in time."""
        if state.front and self.used(state) >= 1.0 and not self._measures_the_rest(state):
            return None
        members = self._timing.in_time(self._open(state), state)
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
        rest = [name for name in self._open(state) if name != first]
        others = next_members(self._timing.in_time(rest, state), [*self._turns(state)])
        return [first, *islice(others, self.maker.settings.width - 1)]

    def _open(self, state: PortfolioState) -> list[str]:
        """Who may have turns; where a wide run breeds no more, those whose files wait."""
        names = [name for name in self.maker.settings.members if name not in state.closed]
        if self.maker.settings.width > 1 and self._breeds_no_more(state):
            return [name for name in names if self._owes(state, name)]
        return names

    def _measures_the_rest(self, state: PortfolioState) -> bool:
        """Whether a wide run has its last turns, beyond its evaluations: what waits is measured."""
        if self.maker.settings.width == 1 or self.budget.seconds is not None:
            return False
        return any(self._owes(state, name) for name in self.maker.settings.members)

    def _breeds_no_more(self, state: PortfolioState) -> bool:
        """Whether what a wide run would breed now could not be measured within the budget."""
        if not state.front:
            return False
        waits = sum(self._owes(state, name) for name in self.maker.settings.members)
        return self._timing.is_nearly_over(state, waits)

    def _owes(self, state: PortfolioState, name: str) -> int:
        """How many files of a member are to be measured before the end."""
        if name in state.closed:
            return 0
        waits = len(waiting(state, name))
        return min(waits, max(0, owed(state, name))) if self._samples(name) else waits

    def _after_turns(self, state: PortfolioState, names: Sequence[str]) -> Iterable[PortfolioState]:
        """The state after each of the turns, which all begin where the first does."""
        settings = self.maker.settings
        if settings.width == 1 or (names[0] == GRID and self.used(state) < settings.first):
            after, done = self._turned(state, names[0])
            return [noted(after, names[0], done, state.volume)]

        def turn(name: str) -> Turning:
            return lambda work: replace(self, work=work)._turned_at_once(state, name)

        turns = {name: turn(name) for name in names}
        return side_by_side(state, turns, longest_first(self.work, self._lengths))

    @property
    def _lengths(self) -> Mapping[str, float]:
        """How long a child of each member takes to breed, about, where measuring a file takes 1."""
        members = self.maker.settings.members.items()
        return {n: m.cost * (BURST if self.maker.adopts(n) else 1.0) for n, m in members}

    @property
    def _timing(self) -> Timing:
        return Timing(self.maker, self.budget, self.clock, self.workers)

    def _turns(self, state: PortfolioState) -> Iterator[Turn]:
        for row in state.rounds:
            cost = row.cost if self.budget.seconds is None else self.clock.took(row.generation)
            yield Turn(row.member, row.gain, cost)

    def _turned(self, state: PortfolioState, name: str) -> tuple[PortfolioState, Work]:
        """The state after a turn, and what was done in it."""
        batch, before = self._timing.batch(state), state
        try:
            state = self._bred(state, name, batch)
        except EvomaskError as error:
            return state.closing(name, str(error)), Work()
        if _tasks(state, name) > _tasks(before, name) and name != GRID:
            batch = self._timing.most(state)
        fresh = self._fresh(state, name)
        tried = self.work([Try(name, individual.genome) for individual in fresh], first=0)
        state = with_trials(state, name, fresh, tried)
        chosen = self._chosen(state, name, batch, len(fresh))
        made = self.work([Make(name, individual.genome) for individual in chosen], first=0)
        return self._ended(before, self._admitted(state, name, chosen, made), name, fresh, made)

    def _turned_at_once(self, state: PortfolioState, name: str) -> tuple[PortfolioState, Work]:
        """The same where all is asked for at once: what is bred now is measured another time."""
        batch, ends = self._timing.most(state), self._breeds_no_more(state)
        fresh = [] if ends else self._fresh(state, name)
        files = [] if ends else self._foreign(state, name, batch)
        chosen = self._chosen(state, name, batch, len(fresh))
        waits = ends or (bool(files) and name not in state.members)
        asked: list[list[Request]] = [
            self._adopting(state, name, files),
            [Try(name, individual.genome) for individual in fresh],
            [Make(name, individual.genome) for individual in chosen],
        ]

        def breed(work: Evaluator[Request, Any]) -> PortfolioState:
            if waits or self._has_enough(state, name, batch):
                return state
            try:
                return replace(self, work=work)._generations(state, name, batch)
            except EvomaskError as error:
                return state.closing(name, str(error))

        parts: list[Callable[[Evaluator[Request, Any]], Any]] = [breed, *map(asking, asked)]
        after, arrived, tried, made = together(parts, self.work)
        after = with_trials(self._with_files(after, name, files, arrived), name, fresh, tried)
        return self._ended(state, self._admitted(after, name, chosen, made), name, fresh, made)

    def _ended(
        self,
        before: PortfolioState,
        after: PortfolioState,
        name: str,
        tried: Sequence[object],
        made: Sequence[Measured | Refusal],
    ) -> tuple[PortfolioState, Work]:
        """The state at the end of a turn and its account; who found nothing to do is closed."""
        bred, trials = _tasks(after, name) - _tasks(before, name), len(tried)
        if not (bred or trials or made):
            after = after.closing(name, DONE)
        children = bred * self.maker.settings.members[name].cost + trials
        return after, Work(bred, trials, made, ceil(children * self._share(name)) + len(made))

    def _share(self, name: str) -> float:
        """Records that a member breeds on, as a share of the file's."""
        return len(self.maker.breeder(name).table) / len(self.maker.table)

    def _samples(self, name: str) -> bool:
        return self.maker.breeder(name) is not self.maker

    def _fresh(self, state: PortfolioState, name: str) -> list[Individual[Any]]:
        """What a turn tries on the sample, where the member breeds there.

        Under a clock that is little until there is a front: a run needs one in any case.
        """
        if not self._wants_trials(state, name):
            return []
        in_haste = self.budget.seconds is not None and not state.front
        most = self._timing.least if in_haste else self.maker.settings.most
        return untried(state, name)[:most]

    def _wants_trials(self, state: PortfolioState, name: str) -> bool:
        """Whether a turn tries recipes on the sample; the grid first tries many, then by turns."""
        if not self._samples(name):
            return False
        if name != GRID or not state.front:
            return True
        used = self.used(state)
        return used < self.maker.settings.first or (owed(state, name) <= 0 and used < LATE)

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
        some = batch if late else ceil(trials / RATIO) or owed(state, name)
        least = SOME if self.budget.seconds is None else self._timing.least
        return promising(state.tried, name, own, min(batch, max(least, some)))

    def _bred(self, state: PortfolioState, name: str, batch: int) -> PortfolioState:
        """The state after a generation of the member, unless enough of it waits already."""
        if self._has_enough(state, name, batch):
            return state
        files = self._foreign(state, name, batch)
        outcomes = self.work(self._adopting(state, name, files), first=0) if files else ()
        return self._generations(self._with_files(state, name, files, outcomes), name, batch)

    def _has_enough(self, state: PortfolioState, name: str, batch: int) -> bool:
        if self._samples(name):
            return not self._wants_trials(state, name) or len(untried(state, name)) >= batch
        return len(waiting(state, name)) >= batch

    def _generations(self, state: PortfolioState, name: str, batch: int) -> PortfolioState:
        """The state after a generation; of the grid after as many as it takes to have enough."""
        setup = self.maker.breeder(name).setup(name)
        for _ in range(self.maker.settings.width if name == GRID else 1):
            before, inner = _tasks(state, name), state.members.get(name)
            after = self._generation(name, inner, setup)
            state = replace(state, members={**state.members, name: after})
            if after.tasks == before or len(waiting(state, name)) >= batch:
                break
        return state

    def _foreign(self, state: PortfolioState, name: str, batch: int) -> list[Candidate]:
        """The best files of others that a member does not know yet, where it goes on from such."""
        if not self.maker.adopts(name):
            return []
        known = state.adopted.get(name, frozenset())
        files = [c for c in state.front if c.member != name and c.number not in known]
        return spread(files, batch if known else 2 * batch)

    def _adopting(
        self, state: PortfolioState, name: str, files: Sequence[Candidate]
    ) -> list[Request]:
        made = [Make(file.member, state.genomes[file.number]) for file in files]
        return [Adopt(name, file) for file in made]

    def _with_files(
        self,
        state: PortfolioState,
        name: str,
        files: Sequence[Candidate],
        outcomes: Sequence[Outcome[Any] | Refusal],
    ) -> PortfolioState:
        """The state in which a member knows these files of others."""
        if not self.maker.adopts(name):
            return state
        known = state.adopted.get(name, frozenset()).union(file.number for file in files)
        state = replace(state, adopted={**state.adopted, name: known})
        arrived = [outcome for outcome in outcomes if isinstance(outcome, Outcome)]
        return with_arrivals(state, name, self.maker.setup(name), arrived) if arrived else state

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


def _tasks(state: PortfolioState, name: str) -> int:
    """How many tasks a member has had done so far."""
    return state.members[name].tasks if name in state.members else 0
