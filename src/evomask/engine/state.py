"""State of the engine between two outcomes, as an immutable value and as arrays of a snapshot."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import msgspec
import numpy as np

from evomask.engine.evaluation import EvaluationContext
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
from evomask.evolution.individual import Individual, Outcome
from evomask.evolution.state import Log, State
from evomask.evolution.stopping import Budget
from evomask.masking.provenance import Provenance
from evomask.masking.recipe import Recipe, recipe_as_json, recipe_from_json
from evomask.measures.analyses.analyses import MEAN_ERROR
from evomask.measures.disclosure.risk import RiskAssessment

LossRisk: TypeAlias = tuple[float, float]

NONE = -1
"""Number of a parent that does not exist."""


class Kind(StrEnum):
    """Kind of a proposal."""

    DESIGN = "design"
    VARIATION = "variation"
    PROMOTION = "promotion"
    BREEDING = "breeding"
    PRODUCT = "product"


@dataclass(frozen=True)
class Proposal:
    """One task of the engine.

    Args:
        member: search that decodes the candidate, or that breeds.
        candidate: number of the candidate to evaluate.
        level: fidelity of the evaluation.
        index: of the task in the generation of a search that breeds.
        expected: cost that was expected when it was proposed.
    """

    kind: Kind
    member: str
    candidate: int = NONE
    level: int = 0
    index: int = 0
    expected: float = 0.0


@dataclass(frozen=True)
class Candidate:
    """A genome with what is known of its file.

    Args:
        number: in the order of proposals.
        member: search that decodes the genome.
        search, operator: what made it.
        parents: numbers of the candidates it was made of.
        readings: loss and risk at each fidelity; None where it was not evaluated.
        predicted: loss and risk expected for the whole file.
        signature: codes of the methods that mask each attribute.
        identity: hash of its recipe; empty where the genome is none.
        excess: of the errors of analyses over their limits, on samples as expected for the whole
            file; 0 while they are unknown.
        sampled: largest error less its limit on the latest sample; None if unknown.
    """

    number: int
    member: str
    genome: Any
    search: str
    operator: str
    parents: tuple[int, ...] = ()
    readings: tuple[LossRisk | None, ...] = ()
    predicted: LossRisk = (100.0, 100.0)
    signature: tuple[int, ...] = ()
    identity: str = ""
    excess: float = 0.0
    sampled: float | None = None

    @property
    def penalized(self) -> LossRisk:
        """Predicted loss and risk, each with the excess of the errors of analyses added."""
        loss, risk = self.predicted
        return loss + self.excess, risk + self.excess

    @cached_property
    def level(self) -> int:
        """Highest fidelity at which it was evaluated; -1 before."""
        return max((i for i, own in enumerate(self.readings) if own is not None), default=NONE)


class Birth(NamedTuple):
    """A candidate in the history of a run.

    Args:
        first, second: numbers of its parents; -1 for none.
        loss, risk: of its first evaluation.
        identity: hash of its recipe; empty where the genome is none.
    """

    number: int
    search: str
    operator: str
    first: int
    second: int
    loss: float
    risk: float
    identity: str


class Shift(NamedTuple):
    """Difference of loss and risk between two fidelities, as seen for one candidate."""

    level: int
    loss: float
    risk: float
    loss_shift: float
    risk_shift: float
    candidate: int


class Round(NamedTuple):
    """Progress after a block of outcomes.

    Args:
        generation: number of the block, from 0.
        evaluations: tasks so far.
        files: candidates evaluated as whole files so far.
        trials: candidates evaluated on samples so far.
        refused: candidates that could not be made or could not fulfil the requirement so far.
        front: number of points on the front.
        volume: hypervolume of the front in percent.
        best: smallest maximum of loss and risk on the front.
        mean: mean maximum of loss and risk on the front.
    """

    generation: int
    evaluations: int
    files: int
    trials: int
    refused: int
    front: int
    volume: float
    best: float
    mean: float


@dataclass(frozen=True)
class Effort:
    """Effort and success of one search or of the initial design.

    Args:
        bred: offspring that it bred by itself.
        trials: its candidates that were evaluated on a sample.
        files: its candidates that were evaluated as whole files.
        cost: of all that, in evaluations on a sample, or in seconds under a budget of seconds.
    """

    bred: int = 0
    trials: int = 0
    files: int = 0
    cost: float = 0.0


@dataclass(frozen=True)
class OperatorTally:
    """Success of one operator.

    Args:
        children: number of candidates that it made.
        entered: number of them that entered the population.
        improved: number of them that no other candidate beat.
        quality: recent success, which decides how often it is used.
    """

    children: int = 0
    entered: int = 0
    improved: int = 0
    quality: float = 1.0


@dataclass(frozen=True)
class Product:
    """An individual of a search that waits for its evaluation as a candidate."""

    serial: int
    operator: str
    genome: Any
    recipe: Recipe | None


@dataclass(frozen=True)
class Generation:
    """A search that takes part, and its generation in progress.

    Args:
        state: after the last complete generation; None before the first.
        adopting: candidates that it adopts in this generation, instead of breeding.
        size: number of tasks of this generation; 0 if none was begun.
        issued: number of them that were proposed.
        outcomes: outcomes so far, by position; None for a refused task.
        recipes: recipes of the outcomes that have one.
        adopted: all candidates that it adopted.
        ready: individuals that wait for evaluation.
        quality: recent success of its candidates by cost.
        cost: of all its tasks.
    """

    state: State[Any] | None = None
    adopting: tuple[int, ...] = ()
    size: int = 0
    issued: int = 0
    outcomes: Mapping[int, Outcome[Any] | None] = field(default_factory=dict)
    recipes: Mapping[int, Recipe] = field(default_factory=dict)
    adopted: frozenset[int] = frozenset()
    ready: tuple[Product, ...] = ()
    quality: float = 1.0
    cost: float = 0.0

    @property
    def is_idle(self) -> bool:
        return self.size == 0


@dataclass(frozen=True)
class EngineState:
    """State of the engine between two outcomes.

    Args:
        issued: number of proposals; the last ones are *pending*.
        evaluations: number of outcomes.
        born: number of candidates.
        designed: number of recipes of the initial design that were proposed.
        live: candidates that may still be used, by number.
        pool: numbers of the breeding population.
        front: nondominated whole files in the order of loss.
        candidates: every whole file evaluated so far.
        births: every candidate.
        known: hashes of the recipes of all candidates.
        shifts: differences between fidelities.
        signatures: of the candidates in *shifts*, by number.
        refusals: number of candidates that were refused, by reason.
        generations: searches that take part, by name.
        closed: reason why a search does not take part any more, by name.
        spent: cost of the proposals of each kind.
        pace: mean cost of each kind of task.
        relief: mean difference of the largest error less its limit between each sample and the
            whole file.
    """

    issued: int = 0
    evaluations: int = 0
    born: int = 0
    designed: int = 0
    trials: int = 0
    refused: int = 0
    live: Mapping[int, Candidate] = field(default_factory=dict)
    pool: tuple[int, ...] = ()
    pending: tuple[Proposal, ...] = ()
    front: tuple[FrontPoint, ...] = ()
    candidates: Log[FrontPoint] = field(default_factory=Log)
    births: Log[Birth] = field(default_factory=Log)
    known: frozenset[str] = frozenset()
    shifts: Log[Shift] = field(default_factory=Log)
    signatures: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    refusals: Mapping[str, int] = field(default_factory=dict)
    generations: Mapping[str, Generation] = field(default_factory=dict)
    closed: Mapping[str, str] = field(default_factory=dict)
    operators: Mapping[str, OperatorTally] = field(default_factory=dict)
    efforts: Mapping[str, Effort] = field(default_factory=dict)
    spent: Mapping[str, float] = field(default_factory=dict)
    pace: Mapping[str, float] = field(default_factory=dict)
    relief: Mapping[str, float] = field(default_factory=dict)
    rounds: Log[Round] = field(default_factory=Log)

    @property
    def generation(self) -> int:
        """Number of the last block of outcomes; -1 before the first."""
        return len(self.rounds) - 1

    @property
    def summary(self) -> Round:
        """Progress after the last block of outcomes."""
        return self.rounds.last(1)[0]

    @property
    def volume(self) -> float:
        """Hypervolume of the front in percent."""
        return volume_of(self.front)

    @property
    def genomes(self) -> dict[int, Any]:
        """Genomes of the points of the front, by number."""
        return {point.number: self.live[point.number].genome for point in self.front}

    def with_closed(self, name: str, reason: str) -> "EngineState":
        """Exclude a search from now on."""
        return replace(self, closed={**self.closed, name: reason})

    def with_round(self) -> "EngineState":
        """Add the progress after a block of outcomes."""
        worst = [point.worst for point in self.front]
        row = Round(
            generation=self.generation + 1,
            evaluations=self.evaluations,
            files=len(self.candidates),
            trials=self.trials,
            refused=self.refused,
            front=len(self.front),
            volume=self.volume,
            best=min(worst, default=100.0),
            mean=float(np.mean(worst)) if worst else 100.0,
        )
        return replace(self, rounds=self.rounds.plus([row]))


def share_used(budget: Budget, state: EngineState, seconds: float) -> float:
    """Share of a budget that is used, by the limit that is nearest."""
    by_evaluations = state.evaluations / budget.evaluations if budget.evaluations else 0.0
    by_time = seconds / max(1e-9, budget.seconds) if budget.seconds is not None else 0.0
    return max(by_evaluations, by_time)


def shares(state: EngineState) -> dict[str, float]:
    """Share of the effort of each search in percent."""
    total = sum(effort.cost for effort in state.efforts.values())
    return {
        name: 100.0 * effort.cost / total if total > 0 else 0.0
        for name, effort in state.efforts.items()
    }


def note_on_budget(state: EngineState, searches: Sequence[str]) -> tuple[str, ...]:
    """Warn of searches for which the budget was too small."""
    names = [name for name in searches if name not in state.efforts and name not in state.closed]
    if not names:
        return ()
    return (f"the budget was too small for {', '.join(names)}; allow more",)


class Offspring(NamedTuple):
    """Fields of a point that a snapshot stores as a row."""

    number: int
    loss: float
    risk: float
    search: str
    member: str
    operator: str
    serial: int
    round: int


_PLAIN = ("issued", "evaluations", "born", "designed", "trials", "refused")


@dataclass(frozen=True)
class EngineCodec:
    """Converts states to arrays and back; the context packs and unpacks genomes."""

    context: EvaluationContext

    def save(self, state: EngineState) -> Arrays:
        """Arrays of a state."""
        arrays: dict[str, Any] = {
            **rows_as_arrays("rounds", state.rounds, Round),
            **rows_as_arrays("births", state.births, Birth),
            **rows_as_arrays("shifts", state.shifts, Shift),
        }
        for candidate in state.live.values():
            own = self._pack(candidate.member, candidate.genome)
            arrays |= _prefixed(f"live/{candidate.number}", own)
        for name, generation in state.generations.items():
            arrays |= dict(self._save_generation(name, generation))
        points = (tuple(getattr(p, n) for n in Offspring._fields) for p in state.candidates)
        arrays |= rows_as_arrays("candidates", points, Offspring)
        arrays["makings"] = as_bytes([msgspec.to_builtins(p.making) for p in state.candidates])
        arrays["assessments"] = as_bytes(
            [msgspec.to_builtins(p.assessment) for p in state.candidates]
        )
        arrays["errors"] = as_bytes([dict(p.errors) for p in state.candidates])
        arrays["engine"] = as_bytes(
            {
                **{name: getattr(state, name) for name in _PLAIN},
                "live": [_plain_candidate(one) for one in state.live.values()],
                "pool": list(state.pool),
                "pending": [msgspec.to_builtins(one) for one in state.pending],
                "front": [point.number for point in state.front],
                "closed": dict(state.closed),
                "operators": msgspec.to_builtins(dict(state.operators)),
                "efforts": msgspec.to_builtins(dict(state.efforts)),
                "spent": dict(state.spent),
                "signatures": [[n, list(own)] for n, own in state.signatures.items()],
                "refusals": dict(state.refusals),
                "pace": dict(state.pace),
                "relief": dict(state.relief),
                "generations": {
                    name: _plain_generation(one) for name, one in state.generations.items()
                },
            }
        )
        return arrays

    def load(self, arrays: Arrays) -> EngineState:
        """State from its arrays."""
        saved = from_bytes(arrays["engine"])
        rows = zip(*columns_of("candidates", arrays, Offspring), strict=True)
        makings = msgspec.convert(from_bytes(arrays["makings"]), list[Provenance])
        risks = from_bytes(arrays["assessments"])
        assessments = msgspec.convert(risks, list[RiskAssessment | None])
        errors = from_bytes(arrays["errors"]) if "errors" in arrays else [{} for _ in makings]
        points = {
            row[0]: replace(
                self._point(Offspring(*row), making, parts),
                errors=own,
                objectives={n: error for n, error in own.items() if n == MEAN_ERROR},
            )
            for row, making, parts, own in zip(rows, makings, assessments, errors, strict=True)
        }
        births = Log(map(Birth, *columns_of("births", arrays, Birth)))
        live = {own["number"]: self._candidate(own, arrays) for own in saved["live"]}
        recipes = (one.identity for one in (*births, *live.values()))
        return EngineState(
            **{name: saved[name] for name in _PLAIN},
            live=live,
            known=frozenset(recipes),
            pool=tuple(saved["pool"]),
            pending=tuple(msgspec.convert(saved["pending"], list[Proposal])),
            front=numbered(points[number] for number in saved["front"]),
            candidates=Log(points.values()),
            births=births,
            shifts=Log(map(Shift, *columns_of("shifts", arrays, Shift))),
            generations={
                name: self._generation(name, own, arrays)
                for name, own in saved["generations"].items()
            },
            closed=saved["closed"],
            operators=msgspec.convert(saved["operators"], dict[str, OperatorTally]),
            efforts=msgspec.convert(saved["efforts"], dict[str, Effort]),
            spent=saved["spent"],
            signatures={number: tuple(own) for number, own in saved["signatures"]},
            refusals=saved["refusals"],
            pace=saved["pace"],
            relief=saved.get("relief", {}),
            rounds=Log(map(Round, *columns_of("rounds", arrays, Round))),
        )

    def _pack(self, member: str, genome: Any) -> Arrays:  # noqa: ANN401
        return self.context.breeder(member).setup(member).problem.pack(genome)

    def _unpack(self, member: str, arrays: Arrays) -> Any:  # noqa: ANN401
        return self.context.breeder(member).setup(member).problem.unpack(arrays)

    def _candidate(self, saved: Mapping[str, Any], arrays: Arrays) -> Candidate:
        genome = self._unpack(saved["member"], _under(f"live/{saved['number']}", arrays))
        readings = tuple(own and (own[0], own[1]) for own in saved["readings"])
        loss, risk = saved["predicted"]
        return Candidate(
            number=saved["number"],
            member=saved["member"],
            genome=genome,
            search=saved["search"],
            operator=saved["operator"],
            parents=tuple(saved["parents"]),
            readings=readings,
            predicted=(loss, risk),
            signature=tuple(saved["signature"]),
            identity=saved["identity"],
            excess=saved.get("excess", 0.0),
            sampled=saved.get("sampled"),
        )

    def _point(
        self, row: Offspring, making: Provenance, assessment: RiskAssessment | None
    ) -> FrontPoint:
        parameters = self.context.settings.members[row.member].parameters
        return FrontPoint(
            **row._asdict(), making=making, parameters=parameters, assessment=assessment
        )

    def _save_generation(self, name: str, own: Generation) -> Iterator[tuple[str, Any]]:
        problem = self.context.breeder(name).setup(name).problem
        if own.state is not None:
            yield from _prefixed(f"state/{name}", state_as_arrays(own.state, problem.pack)).items()
        for place, outcome in own.outcomes.items():
            if outcome is not None:
                packed = problem.pack(outcome.genome)
                yield from _prefixed(f"outcome/{name}/{place}", packed).items()
        for product in own.ready:
            packed = problem.pack(product.genome)
            yield from _prefixed(f"ready/{name}/{product.serial}", packed).items()

    def _generation(self, name: str, saved: Mapping[str, Any], arrays: Arrays) -> Generation:
        setup = self.context.breeder(name).setup(name)
        unpack = setup.problem.unpack
        inner = _under(f"state/{name}", arrays)
        outcomes = {
            int(place): plain
            and Outcome(
                unpack(_under(f"outcome/{name}/{place}", arrays)),
                tuple(plain["fitness"]),
                plain["steps"],
                plain["counts"],
            )
            for place, plain in saved["outcomes"].items()
        }
        ready = tuple(
            Product(
                serial,
                operator,
                unpack(_under(f"ready/{name}/{serial}", arrays)),
                recipe_from_json(recipe.encode()) if recipe is not None else None,
            )
            for serial, operator, recipe in saved["ready"]
        )
        return Generation(
            state=state_from_arrays(inner, unpack, setup.archive) if inner else None,
            adopting=tuple(saved["adopting"]),
            size=saved["size"],
            issued=saved["issued"],
            outcomes=outcomes,
            recipes={
                int(place): recipe_from_json(text.encode())
                for place, text in saved["recipes"].items()
            },
            adopted=frozenset(saved["adopted"]),
            ready=ready,
            quality=saved["quality"],
            cost=saved["cost"],
        )


def _plain_candidate(one: Candidate) -> dict[str, Any]:
    names = ("number", "member", "search", "operator", "parents", "readings", "predicted")
    return {
        name: getattr(one, name) for name in (*names, "signature", "identity", "excess", "sampled")
    }


def _plain_generation(own: Generation) -> dict[str, Any]:
    return {
        "adopting": own.adopting,
        "size": own.size,
        "issued": own.issued,
        "outcomes": {
            place: one and {"fitness": one.fitness, "steps": one.steps, "counts": dict(one.counts)}
            for place, one in own.outcomes.items()
        },
        "recipes": {place: recipe_as_json(one).decode() for place, one in own.recipes.items()},
        "adopted": sorted(own.adopted),
        "ready": [[one.serial, one.operator, _recipe_text(one.recipe)] for one in own.ready],
        "quality": own.quality,
        "cost": own.cost,
    }


def _recipe_text(recipe: Recipe | None) -> str | None:
    return None if recipe is None else recipe_as_json(recipe).decode()


def _prefixed(prefix: str, arrays: Arrays) -> dict[str, Any]:
    return {f"{prefix}/{name}": array for name, array in arrays.items()}


def _under(prefix: str, arrays: Arrays) -> dict[str, Any]:
    start = f"{prefix}/"
    return {name[len(start) :]: a for name, a in arrays.items() if name.startswith(start)}


def individuals(own: State[Any]) -> tuple[Individual[Any], ...]:
    """The best individuals of a search: its archive, or its population if it has none."""
    return tuple(own.archive.members or own.population)
