"""State of a portfolio between two rounds, as an immutable value and as arrays of a snapshot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

import msgspec
import numpy as np

from evomask.engine.evaluation import EvaluationContext, Measured, Refusal
from evomask.engine.front import FrontPoint, numbered, volume_of
from evomask.evolution.checkpoint import (
    Arrays,
    as_bytes,
    columns_of,
    from_bytes,
    rows_as_arrays,
    state_as_arrays,
    state_from_arrays,
)
from evomask.evolution.individual import Brood, Individual, Outcomes, initial_tasks
from evomask.evolution.loop import Setup
from evomask.evolution.state import Log, State, individuals_from
from evomask.evolution.stopping import Budget
from evomask.masking.provenance import Provenance
from evomask.measures.disclosure.risk import RiskAssessment

ASSESSMENTS, FORMER_ASSESSMENTS = "assessments", "judged"
"""Array of a snapshot with the risks of all candidates, and its name in earlier snapshots."""

RATIO = 5
"""Recipes evaluated on the sample for each recipe evaluated on the whole file."""

Trials: TypeAlias = Mapping[str, Mapping[int, tuple[float, float]]]
"""Loss and risk on the sample, by search and serial number."""


class Round(NamedTuple):
    """Result of one round.

    Args:
        generation: number of the round, from 0.
        member: search of the round.
        bred: number of breeding tasks.
        files: number of files that were evaluated.
        refused: number of them that could not be made or could not fulfil the requirement.
        cost: cost by the plan: files, and tasks at their relative cost.
        evaluations: cost of all rounds so far.
        front: number of points on the front.
        volume: hypervolume of the front in percent.
        gain: increase of the hypervolume.
        best: smallest maximum of loss and risk on the front.
        mean: mean maximum of loss and risk on the front.
        trials: number of files that were evaluated on the sample.
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
    """Fields of a point that a snapshot stores as a row."""

    number: int
    loss: float
    risk: float
    member: str
    operator: str
    serial: int
    round: int


@dataclass(frozen=True)
class PortfolioState:
    """State of a portfolio between two rounds.

    Args:
        members: states of the searches that have started, by name.
        measured: serial numbers of the individuals that were evaluated or refused, by search.
        candidates: every file evaluated so far.
        front: nondominated files in the order of loss.
        genomes: of the points of the front, by number.
        closed: reason why a search has no more rounds, by name.
        adopted: numbers of the files of others that a search has taken, by search.
        tried: loss and risk on the sample, by search and serial number.
    """

    members: Mapping[str, State[Any]] = field(default_factory=dict)
    measured: Mapping[str, frozenset[int]] = field(default_factory=dict)
    candidates: Log[FrontPoint] = field(default_factory=Log)
    front: tuple[FrontPoint, ...] = ()
    genomes: Mapping[int, Any] = field(default_factory=dict)
    closed: Mapping[str, str] = field(default_factory=dict)
    rounds: Log[Round] = field(default_factory=Log)
    adopted: Mapping[str, frozenset[int]] = field(default_factory=dict)
    tried: Trials = field(default_factory=dict)

    @property
    def generation(self) -> int:
        """Number of the last round; -1 before the first."""
        return len(self.rounds) - 1

    @property
    def evaluations(self) -> int:
        """Cost of all rounds so far: files, and tasks at their relative cost."""
        return self.rounds.last(1)[0].evaluations if self.rounds else 0

    @property
    def trials(self) -> int:
        """Number of files evaluated on the sample so far."""
        return sum(row.trials for row in self.rounds)

    @property
    def summary(self) -> Round:
        """Result of the last round."""
        return self.rounds.last(1)[0]

    @property
    def volume(self) -> float:
        """Hypervolume of the front in percent."""
        return volume_of(self.front)

    def with_closed(self, name: str, reason: str) -> "PortfolioState":
        """Exclude a search from further rounds."""
        return replace(self, closed={**self.closed, name: reason})


def pending(state: PortfolioState, name: str) -> list[Individual[Any]]:
    """Individuals of a search that were not evaluated yet, in the order of fitness."""
    inner = state.members.get(name)
    if inner is None:
        return []
    measured = state.measured.get(name, frozenset())
    current = inner.archive.members or inner.population
    fresh = [individual for individual in current if individual.serial not in measured]
    return sorted(fresh, key=lambda individual: (individual.fitness, individual.serial))


def untested(state: PortfolioState, name: str) -> list[Individual[Any]]:
    """Pending individuals of a search that were not evaluated on the sample either."""
    tried = state.tried.get(name, {})
    return [individual for individual in pending(state, name) if individual.serial not in tried]


def with_trials(
    state: PortfolioState,
    name: str,
    fresh: Sequence[Individual[Any]],
    outcomes: Sequence[Measured | Refusal],
) -> PortfolioState:
    """Add evaluations on the sample; refused individuals are pending no longer."""
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


def promotions_due(state: PortfolioState, name: str) -> int:
    """Number of recipes of a search to evaluate on the whole file, for those on the sample."""
    own = [row for row in state.rounds if row.member == name]
    return sum(row.trials for row in own) // RATIO - sum(row.files for row in own)


class RoundWork(NamedTuple):
    """Work of a round: children bred, files on the sample, files on the whole file, cost."""

    bred: int = 0
    trials: int = 0
    made: Sequence[Measured | Refusal] = ()
    cost: int = 0


def with_round(state: PortfolioState, name: str, work: RoundWork, before: float) -> PortfolioState:
    """Add the result of the round that led to the state.

    Args:
        before: hypervolume before the round.
    """
    worst = [point.worst for point in state.front]
    volume = volume_of(state.front)
    row = Round(
        generation=state.generation + 1,
        member=name,
        bred=work.bred,
        files=len(work.made),
        refused=sum(isinstance(outcome, Refusal) for outcome in work.made),
        cost=work.cost,
        evaluations=state.evaluations + work.cost,
        front=len(state.front),
        volume=volume,
        gain=max(0.0, volume - before),
        best=min(worst, default=100.0),
        mean=float(np.mean(worst)) if worst else 100.0,
        trials=work.trials,
    )
    return replace(state, rounds=state.rounds.plus([row]))


def with_adopted(
    state: PortfolioState, name: str, setup: Setup[Any], outcomes: Outcomes[Any]
) -> PortfolioState:
    """Add files of other searches to a population; they are not evaluated again."""
    inner = state.members.get(name) or State(archive=setup.archive)
    brood: Brood[Any] = initial_tasks(len(outcomes))
    adopted = individuals_from(inner, brood, outcomes)
    after = inner.advanced(brood, outcomes, (*inner.population, *adopted), setup.cost)
    serials = state.measured.get(name, frozenset()).union(one.serial for one in adopted)
    return replace(
        state,
        members={**state.members, name: after},
        measured={**state.measured, name: serials},
    )


@dataclass(frozen=True)
class PortfolioCodec:
    """Converts states to arrays and back; the context packs and unpacks genomes."""

    context: EvaluationContext

    def save(self, state: PortfolioState) -> Arrays:
        """Arrays of a state."""
        arrays: dict[str, Any] = {}
        for name, inner in state.members.items():
            own = state_as_arrays(inner, self.context.setup(name).problem.pack)
            arrays |= _prefixed(f"member/{name}", own)
        for point in state.front:
            pack = self.context.setup(point.member).problem.pack
            arrays |= _prefixed(f"genome/{point.number}", pack(state.genomes[point.number]))
        arrays |= rows_as_arrays("rounds", state.rounds, Round)
        offspring = (
            tuple(getattr(point, name) for name in Offspring._fields) for point in state.candidates
        )
        arrays |= rows_as_arrays("candidates", offspring, Offspring)
        arrays["makings"] = as_bytes([msgspec.to_builtins(p.making) for p in state.candidates])
        arrays[ASSESSMENTS] = as_bytes(
            [msgspec.to_builtins(p.assessment) for p in state.candidates]
        )
        arrays["portfolio"] = as_bytes(
            {
                "members": list(state.members),
                "measured": _sorted(state.measured),
                "front": [point.number for point in state.front],
                "closed": dict(state.closed),
                "adopted": _sorted(state.adopted),
                "tried": {
                    name: [[serial, *pair] for serial, pair in own.items()]
                    for name, own in state.tried.items()
                },
            }
        )
        return arrays

    def load(self, arrays: Arrays) -> PortfolioState:
        """State from its arrays."""
        saved = from_bytes(arrays["portfolio"])
        rows = zip(*columns_of("candidates", arrays, Offspring), strict=True)
        makings = msgspec.convert(from_bytes(arrays["makings"]), list[Provenance])
        risks = arrays[ASSESSMENTS] if ASSESSMENTS in arrays else arrays[FORMER_ASSESSMENTS]
        assessments = msgspec.convert(from_bytes(risks), list[RiskAssessment | None])
        points = [
            self._point(Offspring(*row), making, parts)
            for row, making, parts in zip(rows, makings, assessments, strict=True)
        ]
        front = numbered(points[number] for number in saved["front"])
        return PortfolioState(
            members={name: self._inner(name, arrays) for name in saved["members"]},
            measured=_sets(saved["measured"]),
            candidates=Log(points),
            front=front,
            genomes={point.number: self._genome(point, arrays) for point in front},
            closed=saved["closed"],
            rounds=Log(map(Round, *columns_of("rounds", arrays, Round))),
            adopted=_sets(saved["adopted"]),
            tried={
                name: {serial: (loss, risk) for serial, loss, risk in own}
                for name, own in saved["tried"].items()
            },
        )

    def _point(
        self, row: Offspring, making: Provenance, assessment: RiskAssessment | None
    ) -> FrontPoint:
        specialist = self.context.settings.members[row.member]
        return FrontPoint(
            **row._asdict(),
            making=making,
            search=specialist.search,
            parameters=specialist.parameters,
            assessment=assessment,
        )

    def _inner(self, name: str, arrays: Arrays) -> State[Any]:
        setup = self.context.setup(name)
        own = _under(f"member/{name}", arrays)
        return state_from_arrays(own, setup.problem.unpack, setup.archive)

    def _genome(self, point: FrontPoint, arrays: Arrays) -> Any:  # noqa: ANN401
        unpack = self.context.setup(point.member).problem.unpack
        return unpack(_under(f"genome/{point.number}", arrays))


def _sorted(numbers: Mapping[str, frozenset[int]]) -> dict[str, list[int]]:
    return {name: sorted(own) for name, own in numbers.items()}


def _sets(numbers: Mapping[str, list[int]]) -> dict[str, frozenset[int]]:
    return {name: frozenset(own) for name, own in numbers.items()}


def _prefixed(prefix: str, arrays: Arrays) -> dict[str, Any]:
    return {f"{prefix}/{name}": array for name, array in arrays.items()}


def _under(prefix: str, arrays: Arrays) -> dict[str, Any]:
    start = f"{prefix}/"
    return {name[len(start) :]: a for name, a in arrays.items() if name.startswith(start)}


class OperatorTally(NamedTuple):
    """Success of one operator of one search.

    Args:
        children: number of children.
        entered: number of them that entered the population.
        improved: number of them that were better than their parents.
    """

    member: str
    operator: str
    children: int
    entered: int
    improved: int


def share_used(budget: Budget, state: PortfolioState, seconds: float) -> float:
    """Share of a budget that is used, by the limit that is nearest."""
    by_evaluations = state.evaluations / budget.evaluations if budget.evaluations else 0.0
    by_time = seconds / max(1e-9, budget.seconds) if budget.seconds is not None else 0.0
    return max(by_evaluations, by_time)


def shares(state: PortfolioState, took: Mapping[int, float] | None = None) -> dict[str, float]:
    """Share of the effort of each search in percent, by cost, or by time if given."""
    spent: dict[str, float] = {}
    for row in state.rounds:
        cost = row.cost if took is None else took[row.generation]
        spent[row.member] = spent.get(row.member, 0.0) + cost
    total = sum(spent.values())
    return {name: 100.0 * cost / total if total > 0 else 0.0 for name, cost in spent.items()}


def operators_of(state: PortfolioState) -> tuple[OperatorTally, ...]:
    """Success of every operator of every search."""
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


def note_on_budget(state: PortfolioState, searches: Mapping[str, object]) -> tuple[str, ...]:
    """Warn of searches for which the budget was too small."""
    began = {row.member for row in state.rounds}
    names = [name for name in searches if name not in began and name not in state.closed]
    if not names:
        return ()
    return (f"the budget was too small for {', '.join(names)} to have a round; allow more",)
