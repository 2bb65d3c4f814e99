"""Everything a portfolio needs to go on, in one immutable value and in one file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import msgspec
import numpy as np

from evomask.evolution.brood import Brood, Outcomes, founders
from evomask.evolution.checkpoint import (
    Arrays,
    as_bytes,
    columns_of,
    from_bytes,
    rows_as_arrays,
    state_as_arrays,
    state_from_arrays,
)
from evomask.evolution.individual import Individual
from evomask.evolution.log import Log
from evomask.evolution.setup import Setup
from evomask.evolution.state import State, born
from evomask.evolution.stopping import Budget
from evomask.masking.making import Making
from evomask.measures.judging.risk import Judged
from evomask.portfolio.front import Candidate, numbered, volume_of
from evomask.portfolio.requests import Measured, Refusal
from evomask.portfolio.sample import RATIO, Pair, Trials
from evomask.portfolio.worker import Maker


class Round(NamedTuple):
    """What one round brought.

    Args:
        generation: its number, from 0.
        member: whose turn it was.
        bred: tasks that the member did.
        files: files that were measured.
        refused: how many of them could not be made or repaired.
        cost: of the round by the costs in the plan: files, and tasks at their worth in files.
        evaluations: what all rounds so far have cost.
        front: how many points the front has.
        volume: what it dominates, in percent of all pairs of loss and risk.
        gain: by how much the round raised that.
        best: the smallest of the larger parts of loss and risk.
        mean: the mean of them on the front.
        trials: files that were made and measured on the sample of a large file.
    """

    generation: int
    member: str
    bred: int
    files: int
    refused: int
    cost: int
    evaluations: int
    front: int
    volume: float
    gain: float
    best: float
    mean: float
    trials: int = 0


class Offspring(NamedTuple):
    """A candidate without its making and what the plan knows of it."""

    number: int
    loss: float
    risk: float
    member: str
    operator: str
    serial: int
    round: int


@dataclass(frozen=True)
class PortfolioState:
    """A portfolio between two rounds.

    Args:
        members: the states of those that have begun, by name.
        measured: serial numbers of a member's individuals whose files were measured or refused.
        candidates: every file measured so far.
        front: those that nothing beats, by loss.
        genomes: of the front's points, by number.
        closed: why a member has no more turns.
        adopted: numbers of the files that a member went on from.
        tried: loss and risk on the sample, by member and serial number.
    """

    members: Mapping[str, State[Any]] = field(default_factory=dict)
    measured: Mapping[str, frozenset[int]] = field(default_factory=dict)
    candidates: Log[Candidate] = field(default_factory=Log)
    front: tuple[Candidate, ...] = ()
    genomes: Mapping[int, Any] = field(default_factory=dict)
    closed: Mapping[str, str] = field(default_factory=dict)
    rounds: Log[Round] = field(default_factory=Log)
    adopted: Mapping[str, frozenset[int]] = field(default_factory=dict)
    tried: Trials = field(default_factory=dict)

    @property
    def generation(self) -> int:
        """The number of the last round; -1 before the first."""
        return len(self.rounds) - 1

    @property
    def evaluations(self) -> int:
        """What was spent so far: files, and tasks at their worth in files."""
        return self.rounds.last(1)[0].evaluations if self.rounds else 0

    @property
    def trials(self) -> int:
        """How many files were made on the sample so far."""
        return sum(row.trials for row in self.rounds)

    @property
    def summary(self) -> Round:
        """What the last round brought."""
        return self.rounds.last(1)[0]

    @property
    def volume(self) -> float:
        """What the front dominates, in percent."""
        return volume_of(self.front)

    def closing(self, name: str, reason: str) -> "PortfolioState":
        """The state in which a member has no more turns."""
        return replace(self, closed={**self.closed, name: reason})


def waiting(state: PortfolioState, name: str) -> list[Individual[Any]]:
    """What a member keeps and has not been measured yet, in the order of fitness."""
    inner = state.members.get(name)
    if inner is None:
        return []
    measured = state.measured.get(name, frozenset())
    kept = inner.archive.members or inner.population
    fresh = [individual for individual in kept if individual.serial not in measured]
    return sorted(fresh, key=lambda individual: (individual.fitness, individual.serial))


def untried(state: PortfolioState, name: str) -> list[Individual[Any]]:
    """What a member keeps and was not tried on the sample yet, in the order of fitness."""
    tried = state.tried.get(name, {})
    return [individual for individual in waiting(state, name) if individual.serial not in tried]


def with_trials(
    state: PortfolioState,
    name: str,
    fresh: Sequence[Individual[Any]],
    outcomes: Sequence[Measured | Refusal],
) -> PortfolioState:
    """The state that knows what came of recipes tried on the sample; the refused wait no more."""
    if not fresh:
        return state
    made = {
        i.serial: (outcome.loss, outcome.risk)
        for i, outcome in zip(fresh, outcomes, strict=True)
        if isinstance(outcome, Measured)
    }
    refused = frozenset(i.serial for i in fresh) - made.keys()
    known = {**state.tried.get(name, {}), **made}
    measured = state.measured.get(name, frozenset()) | refused
    return replace(
        state,
        tried={**state.tried, name: known},
        measured={**state.measured, name: measured},
    )


def owed(state: PortfolioState, name: str) -> int:
    """How many of a member's recipes should be made on the whole file, by how many were tried."""
    own = [row for row in state.rounds if row.member == name]
    return sum(row.trials for row in own) // RATIO - sum(row.files for row in own)


class Work(NamedTuple):
    """What was done in a round: children bred, files tried on the sample and made, the cost."""

    bred: int = 0
    trials: int = 0
    made: Sequence[Measured | Refusal] = ()
    cost: int = 0


def noted(state: PortfolioState, name: str, done: Work, before: float) -> PortfolioState:
    """The state with the account of the round that led to it."""
    refused = sum(isinstance(outcome, Refusal) for outcome in done.made)
    worst = [candidate.worst for candidate in state.front]
    volume = volume_of(state.front)
    row = Round(
        state.generation + 1,
        name,
        done.bred,
        len(done.made),
        refused,
        done.cost,
        state.evaluations + done.cost,
        len(state.front),
        volume,
        max(0.0, volume - before),
        min(worst, default=100.0),
        float(np.mean(worst)) if worst else 100.0,
        done.trials,
    )
    return replace(state, rounds=state.rounds.plus([row]))


def with_arrivals(
    state: PortfolioState, name: str, setup: Setup[Any], outcomes: Outcomes[Any]
) -> PortfolioState:
    """The state with files of others in a member's population; they need not be measured again."""
    inner = state.members.get(name) or State(archive=setup.archive)
    brood: Brood[Any] = founders(len(outcomes))
    arrivals = born(inner, brood, outcomes)
    after = inner.advanced(brood, outcomes, (*inner.population, *arrivals), setup.cost)
    serials = state.measured.get(name, frozenset()).union(
        individual.serial for individual in arrivals
    )
    return replace(
        state,
        members={**state.members, name: after},
        measured={**state.measured, name: serials},
    )


@dataclass(frozen=True)
class PortfolioCodec:
    """Saves and loads the states of a portfolio; the maker knows its members' genomes."""

    maker: Maker

    def save(self, state: PortfolioState) -> Arrays:
        """The arrays that a state is kept as."""
        return _arrays(state, self.maker)

    def load(self, arrays: Arrays) -> PortfolioState:
        """The state that was saved."""
        return _state(arrays, self.maker)


def _arrays(state: PortfolioState, maker: Maker) -> Arrays:
    arrays: dict[str, Any] = {}
    for name, inner in state.members.items():
        own = state_as_arrays(inner, maker.setup(name).problem.pack)
        arrays |= _prefixed(f"member/{name}", own)
    for candidate in state.front:
        pack = maker.setup(candidate.member).problem.pack
        arrays |= _prefixed(f"genome/{candidate.number}", pack(state.genomes[candidate.number]))
    arrays |= rows_as_arrays("rounds", state.rounds, Round)
    offspring = (
        tuple(getattr(candidate, name) for name in Offspring._fields)
        for candidate in state.candidates
    )
    arrays |= rows_as_arrays("candidates", offspring, Offspring)
    arrays["makings"] = as_bytes([msgspec.to_builtins(c.making) for c in state.candidates])
    arrays["judged"] = as_bytes([msgspec.to_builtins(c.judged) for c in state.candidates])
    arrays["portfolio"] = as_bytes(
        {
            "members": list(state.members),
            "measured": _sorted(state.measured),
            "front": [candidate.number for candidate in state.front],
            "closed": dict(state.closed),
            "adopted": _sorted(state.adopted),
            "tried": {n: [[i, *pair] for i, pair in own.items()] for n, own in state.tried.items()},
        }
    )
    return arrays


def _state(arrays: Arrays, maker: Maker) -> PortfolioState:
    kept = from_bytes(arrays["portfolio"])
    columns = columns_of("candidates", arrays, Offspring)
    makings = msgspec.convert(from_bytes(arrays["makings"]), list[Making])
    judged = msgspec.convert(from_bytes(arrays["judged"]), list[Judged | None])
    rows = (Offspring(*row) for row in zip(*columns, strict=True))
    kept_rows = zip(rows, makings, judged, strict=True)
    candidates = [_candidate(row, own, parts, maker) for row, own, parts in kept_rows]
    front = numbered(candidates[number] for number in kept["front"])
    return PortfolioState(
        {name: _inner(name, arrays, maker) for name in kept["members"]},
        _sets(kept["measured"]),
        Log(candidates),
        front,
        {candidate.number: _genome(candidate, arrays, maker) for candidate in front},
        kept["closed"],
        Log(map(Round, *columns_of("rounds", arrays, Round))),
        _sets(kept["adopted"]),
        {name: _trials(own) for name, own in kept["tried"].items()},
    )


def _trials(rows: list[tuple[int, float, float]]) -> dict[int, Pair]:
    return {serial: (loss, risk) for serial, loss, risk in rows}


def _sorted(numbers: Mapping[str, frozenset[int]]) -> dict[str, list[int]]:
    return {name: sorted(own) for name, own in numbers.items()}


def _sets(numbers: Mapping[str, list[int]]) -> dict[str, frozenset[int]]:
    return {name: frozenset(own) for name, own in numbers.items()}


def _candidate(row: Offspring, making: Making, judged: Judged | None, maker: Maker) -> Candidate:
    member = maker.settings.members[row.member]
    return Candidate(
        **row._asdict(), making=making, search=member.search, parameters=member.parameters,
        judged=judged,
    )  # fmt: skip


def _inner(name: str, arrays: Arrays, maker: Maker) -> State[Any]:
    setup = maker.setup(name)
    own = _under(f"member/{name}", arrays)
    return state_from_arrays(own, setup.problem.unpack, setup.archive)


def _genome(candidate: Candidate, arrays: Arrays, maker: Maker) -> Any:  # noqa: ANN401
    return maker.setup(candidate.member).problem.unpack(
        _under(f"genome/{candidate.number}", arrays)
    )


def _prefixed(prefix: str, arrays: Arrays) -> dict[str, Any]:
    return {f"{prefix}/{name}": array for name, array in arrays.items()}


def _under(prefix: str, arrays: Arrays) -> dict[str, Any]:
    start = f"{prefix}/"
    return {name[len(start) :]: a for name, a in arrays.items() if name.startswith(start)}


class OperatorTally(NamedTuple):
    """What one operator of one member brought about.

    Args:
        children: how many it made.
        entered: how many of them stayed in their population.
        improved: how many were better than their parents.
    """

    member: str
    operator: str
    children: int
    entered: int
    improved: int


def share_used(budget: Budget, state: PortfolioState, seconds: float) -> float:
    """The share of a budget that is used, by whichever limit is nearest."""
    by_evaluations = state.evaluations / budget.evaluations if budget.evaluations else 0.0
    by_time = seconds / max(1e-9, budget.seconds) if budget.seconds is not None else 0.0
    return max(by_evaluations, by_time)


def shares(state: PortfolioState, took: Mapping[int, float] | None = None) -> dict[str, float]:
    """The part of the effort that each member had, in percent; by cost, or by time where given."""
    spent: dict[str, float] = {}
    for row in state.rounds:
        cost = row.cost if took is None else took[row.generation]
        spent[row.member] = spent.get(row.member, 0.0) + cost
    total = sum(spent.values())
    return {name: 100.0 * cost / total if total > 0 else 0.0 for name, cost in spent.items()}


def operators_of(state: PortfolioState) -> tuple[OperatorTally, ...]:
    """What every operator brought about, by member."""
    return tuple(
        OperatorTally(
            name,
            operator,
            sum(row.children for row in births),
            sum(row.entered for row in births),
            sum(row.improved for row in births),
        )
        for name, inner in state.members.items()
        for operator, births in inner.ledger.births.items()
    )


def without_a_turn(state: PortfolioState, members: Mapping[str, object]) -> tuple[str, ...]:
    """A note on members that the budget was too small for."""
    began = {row.member for row in state.rounds}
    names = [name for name in members if name not in began and name not in state.closed]
    if not names:
        return ()
    return (f"the budget was too small for {', '.join(names)} to have a turn; allow more",)
