"""Whose turn it is: budget moves to the member that improves the front most for its cost."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt

MEMORY = 0.8
"""How much of a gain still counts a turn later."""

CURIOSITY = 0.7
"""How much a member that had few turns is overrated, as a share of the best rate."""

EXPLORING = 2 / 3
"""The largest share of what was spent that first turns may have before another one."""


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
