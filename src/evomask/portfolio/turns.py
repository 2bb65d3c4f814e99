"""Whose turn it is: budget moves to the member that improves the front most for its cost.

And how long turns will last, by those that were: under a budget of seconds none is begun that
would end too late.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log, sqrt
from typing import Protocol

from evomask.evolution.stopping import Budget
from evomask.portfolio.state import PortfolioState, Round
from evomask.portfolio.worker import Maker
from evomask.searches.catalogue import GRID

MEMORY = 0.8
"""How much of a gain still counts a turn later."""

CURIOSITY = 0.7
"""How much a member that had few turns is overrated, as a share of the best rate."""

EXPLORING = 2 / 3
"""The largest share of what was spent that first turns may have before another one."""


ROUND = 1.0
"""Seconds that the files of a round should take."""

FIRST_TURN = 0.1
"""Share of the seconds that a turn may take that is foretold from the size of the file alone.

Those are a member's first turn, and its second, since a first one may be short.
"""

RECENT = 6
"""Turns of a member by which its next one is foretold."""

READY = 0.5
"""Share of the very first turn that was not spent on making things ready."""

BROOD = 4.0
"""Children of a first turn, where nobody has seen one."""

SMALL = 10_000
"""Records up to which the costs of searches hold; they grow faster than measuring does."""

GROWTH = 0.5
"""How much faster, as a power of the number of records."""


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


@dataclass(frozen=True)
class Turn:
    """A turn that a member had, what it gained and what it cost."""

    member: str
    gain: float
    cost: float


@dataclass
class _Tally:
    gain: float = 0.0
    weight: float = 0.0
    cost: float = 0.0
    first: float = 0.0
    turns: int = 0

    @property
    def rate(self) -> float:
        """Recent gain for what it cost."""
        return self.gain / self.weight if self.weight > 0 else 0.0


def next_member(members: Sequence[str], turns: Iterable[Turn]) -> str:
    """The member of the most recent gain per cost, with a bonus for those rarely tried.

    Everyone has a first turn, in order; but one waits while first turns have taken most of all
    that was spent, since they may be long and gain nothing. A tie goes to the one that has cost
    least so far, then to the first.
    """
    tallies = _tallied(turns)
    fresh = [name for name in members if name not in tallies]
    members = [name for name in members if name in tallies]
    first = sum(own.first for own in tallies.values())
    if fresh and (not members or first <= EXPLORING * sum(own.cost for own in tallies.values())):
        return fresh[0]
    bonuses = _bonuses({name: tallies[name] for name in members})
    best = max(tallies[name].rate for name in members)
    scores = {name: tallies[name].rate + best * bonuses[name] for name in members}
    return max(members, key=lambda name: (scores[name], -tallies[name].cost))


def next_members(members: Iterable[str], turns: Sequence[Turn]) -> Iterator[str]:
    """The members in the order in which they would be next, each once."""
    rest = list(members)
    while rest:
        name = next_member(rest, turns)
        rest.remove(name)
        yield name


def _tallied(turns: Iterable[Turn]) -> Mapping[str, _Tally]:
    tallies: dict[str, _Tally] = {}
    for turn in turns:
        own = tallies.setdefault(turn.member, _Tally())
        own.gain = own.gain * MEMORY + turn.gain
        own.weight = own.weight * MEMORY + turn.cost
        own.first = own.first if own.turns else turn.cost
        own.cost += turn.cost
        own.turns += 1
    return tallies


def _bonuses(tallies: Mapping[str, _Tally]) -> dict[str, float]:
    """Larger for whom little was spent on, counted in turns of the usual cost."""
    spent = sum(own.cost for own in tallies.values())
    count = sum(own.turns for own in tallies.values())
    usual = spent / count if spent > 0 else 1.0
    return {
        name: CURIOSITY * sqrt(log(1 + count) / max(own.cost / usual, 0.5))
        for name, own in tallies.items()
    }


@dataclass(frozen=True)
class Past:
    """A turn as the clock saw it: whose it was, how many files it measured, how long it took."""

    member: str
    files: int
    seconds: float


@dataclass(frozen=True)
class Forecast:
    """How long turns will last, judged by those that were.

    Args:
        turns: all so far, in order.
        least: files that a turn measures at least.
    """

    turns: Sequence[Past]
    least: int = 1

    def per_file(self) -> float:
        """Seconds that a file of recent turns took on average; 0 before there was one."""
        recent = self._settled([turn for turn in self.turns if turn.files])[-RECENT:]
        return sum(turn.seconds for turn in recent) / max(1, sum(turn.files for turn in recent))

    def measuring(self, member: str) -> float:
        """How long a turn of a member that only has files measured will last at least."""
        own = self._settled([turn for turn in self.turns if turn.member == member and turn.files])
        slowest = max((turn.seconds / turn.files for turn in own[-RECENT:]), default=0.0)
        only_first = len(own) == 1 and own[0] is self.turns[0]
        return self.least * slowest * (READY if only_first else 1.0)

    def breeding(self, members: Collection[str]) -> float | None:
        """How long the next turn of any of these will last; none where nobody had one."""
        return max((turn.seconds for turn in self._own(members)), default=None)

    def turns_of(self, member: str) -> int:
        """How many turns a member had."""
        return sum(turn.member == member for turn in self.turns)

    def first(self, cost: float, records: int) -> float:
        """How long the first turn of a search will last, from its cost and the size of the file.

        Args:
            cost: of a child, where measuring a file costs 1.
        """
        growth = float(max(1.0, records / SMALL) ** GROWTH)
        return self.per_file() * (BROOD * cost * growth + self.least)

    def _own(self, members: Collection[str]) -> Sequence[Past]:
        return self._settled([turn for turn in self.turns if turn.member in members])[-RECENT:]

    def _settled(self, turns: Sequence[Past]) -> Sequence[Past]:
        """Without the very first turn of all, in which everything is made ready."""
        return turns[1:] if len(turns) > 1 and turns[0] is self.turns[0] else turns


@dataclass(frozen=True)
class Timing:
    """What a budget leaves room for: whose turn ends in time, and how many files it measures.

    Args:
        workers: how many files are measured at once.
    """

    maker: Maker
    budget: Budget
    clock: Clock
    workers: int

    def seconds(self, state: PortfolioState) -> float:
        """Seconds used when a state was reached."""
        return self.clock.time_at(state) if state.rounds else 0.0

    def in_time(self, members: Sequence[str], state: PortfolioState) -> Sequence[str]:
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

    def is_nearly_over(self, state: PortfolioState, waits: int) -> bool:
        """Whether there is no room for another wide round and for measuring what it breeds.

        By evaluations a round is begun if at least half of one like the last still fits.

        Args:
            waits: how many files are still to be measured.
        """
        newest = _last_round(state.rounds.last(self.maker.settings.width))
        last = [row for row in newest if row.member != GRID]
        if self.budget.seconds is not None:
            lasted = sum(self.clock.took(row.generation) for row in last)
            if self._left(state) < 2.0 * lasted:
                return True
        limit, cost = self.budget.evaluations, sum(row.cost for row in last)
        return limit is not None and state.evaluations + waits + cost / 2 >= limit

    def batch(self, state: PortfolioState) -> int:
        """How many files to measure: under a budget of seconds, about a second's worth."""
        most = self.most(state)
        if self.budget.seconds is None:
            return most
        files = sum(row.files for row in state.rounds)
        pace = files / max(1e-9, self.seconds(state))
        return max(self.least, min(most, int(pace * ROUND)))

    def most(self, state: PortfolioState) -> int:
        """How many files a turn measures at most: fewer as the end of the seconds nears."""
        most = self.maker.settings.most
        if self.budget.seconds is None:
            return most
        per_file = max(1e-9, self._forecast(state).per_file())
        return max(self.least, min(most, int(self._left(state) / 2.0 / per_file)))

    @property
    def least(self) -> int:
        """As many files as are measured at once."""
        return int(self.clock.decide("workers", lambda: float(self.workers)))

    def _left(self, state: PortfolioState) -> float:
        return (self.budget.seconds or 0.0) - self.seconds(state)

    def _forecast(self, state: PortfolioState) -> Forecast:
        past = [Past(r.member, r.files, self.clock.took(r.generation)) for r in state.rounds]
        return Forecast(past, self.least)

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


def _last_round(rounds: Sequence[Round]) -> list[Round]:
    """The turns that were had side by side last: back to where somebody appears again."""
    last: dict[str, Round] = {}
    for row in reversed(rounds):
        if row.member in last:
            break
        last[row.member] = row
    return list(last.values())
