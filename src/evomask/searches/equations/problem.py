"""The equations search as an evolutionary problem, and its schemes."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.evolution.archive import Front, Members
from evomask.evolution.individual import (
    FIRST,
    Brood,
    Cost,
    Fitness,
    Individual,
    Outcome,
    Outcomes,
    Population,
    Task,
)
from evomask.evolution.loop import Scheme
from evomask.evolution.schemes import CROSS, MUTATE
from evomask.evolution.state import State, individuals_from
from evomask.evolution.streams import litter_stream
from evomask.evolution.tree import Symbols
from evomask.masking.provenance import Provenance
from evomask.masking.randomization.formula_pram import Domains, Equation, RowRule, transitions
from evomask.masking.randomization.pram import (
    CommonDraws,
    Transitions,
    make_invariant,
)
from evomask.measures.expected.expectation import PramEvaluation
from evomask.measures.expected.forecast import Forecast
from evomask.searches.base import MatrixProblem, task_towards
from evomask.searches.equations.genome import readable_formula, row_sum_error, simplify
from evomask.searches.equations.operators import MUTATIONS, cross_subtrees

SPREAD = "spread"
"""Operator that climbs towards a point of the front instead of the best score."""

DIRECTIONS = 1_000
"""Number of directions along the front, as tasks encode them."""

MARGIN = 50
"""Smallest distance of a direction from weighing loss or risk alone."""


def weighted_cost(direction: int, fitness: Fitness) -> float:
    """Return the weighted maximum of loss and risk; *direction* is the weight of the loss."""
    share = direction / DIRECTIONS
    loss, risk = fitness
    return max(share * loss, (1 - share) * risk)


@dataclass(frozen=True)
class ShortestFront(Members[Equation]):
    """The Pareto front; of equal fitnesses the shortest equation is kept."""

    members: Population[Equation] = ()

    def updated(self, arrivals: Iterable[Individual[Equation]]) -> "ShortestFront":
        front = Front(self.members)
        for arrival in arrivals:
            size = len(arrival.genome)
            front = Front(
                tuple(
                    known
                    for known in front.members
                    if known.fitness != arrival.fitness or len(known.genome) <= size
                )
            ).updated([arrival])
        return ShortestFront(front.members)


@dataclass(frozen=True)
class Parsimonious:
    """Replacement: the best of parents and children, one for each fitness.

    Args:
        cost: score of a fitness.
        price: penalty of each symbol of an equation.
    """

    cost: Cost
    price: float = 0.0

    def __call__(
        self, state: State[Equation], brood: Brood[Equation], outcomes: Outcomes[Equation]
    ) -> Population[Equation]:
        """Return the next population; clones are only used if there are too few distinct
        individuals."""
        everyone = (*state.population, *individuals_from(state, brood, outcomes))
        different: dict[Fitness, Individual[Equation]] = {}
        others: list[Individual[Equation]] = []
        for individual in sorted(everyone, key=self._rank):
            if individual.fitness in different or not all(map(isfinite, individual.fitness)):
                others.append(individual)
            else:
                different[individual.fitness] = individual
        return tuple([*different.values(), *others][: len(state.population)])

    def _rank(self, individual: Individual[Equation]) -> tuple[float, int, int]:
        length = len(individual.genome)
        return self.cost(individual.fitness) + self.price * length, length, individual.serial


@dataclass(frozen=True)
class Restarting:
    """Another scheme with climbs along the front and restarts when it stagnates.

    The archive keeps the results.

    Args:
        patience: generations without a new best individual after which the population restarts.
        spreads: children per generation that climb in a random direction, each from the member of
            the archive that is best in that direction.
    """

    scheme: Scheme[Equation]
    patience: int
    spreads: int
    cost: Cost

    def propose(self, state: State[Equation], rng: np.random.Generator) -> Brood[Equation]:
        best = min(state.population, key=lambda individual: self.cost(individual.fitness))
        if state.generation - best.born >= self.patience:
            return tuple(Task(FIRST, (), state.tasks + i) for i in range(len(state.population)))
        directions = rng.integers(MARGIN, DIRECTIONS - MARGIN, self.spreads).tolist()
        spreads = (task_towards(SPREAD, state, d, weighted_cost) for d in directions)
        return (*self.scheme.propose(state, rng), *spreads)

    def replace(
        self, state: State[Equation], brood: Brood[Equation], outcomes: Outcomes[Equation]
    ) -> Population[Equation]:
        if brood[0].operator == FIRST:
            return individuals_from(state, brood, outcomes)
        return self.scheme.replace(state, brood, outcomes)


NAME = "equations"
Matrices = Mapping[str, Transitions]
InitialEquation = Callable[[int, np.random.Generator], Equation]
"""Function from a number and a generator to an initial equation."""

PredictedCost = Callable[[Equation], float]
"""Function from an equation to its predicted cost."""

ROW_RULES: Mapping[RowRule, str] = {
    RowRule.NORMALISED: "each row divided by its sum",
    RowRule.REST: "what is left staying i",
    RowRule.PENALISED: "each row divided by its sum, which is about 1",
}
"""How the rows of matrices are made to sum to one, in words."""

DECIMALS = 9
"""Decimals of a fitness, so that rounding errors do not distinguish equal ones."""


@dataclass(frozen=True)
class Language:
    """The equations that can be formed, and their variation.

    Args:
        levels: largest depth of an equation.
        mutations: operators that a mutation is drawn from.
        simplify: whether children are simplified before evaluation.
        invariant: whether matrices are made invariant, so that expected frequencies are preserved.
    """

    symbols: Symbols
    levels: int
    rows: RowRule
    mutations: tuple[str, ...]
    simplify: bool
    invariant: bool

    def child(self, task: Task[Equation], rng: np.random.Generator) -> Equation:
        parents = tuple(parent.genome for parent in task.parents)
        if task.operator == CROSS:
            pair = parents[0], parents[1]
            child = cross_subtrees(pair, self.symbols, self.levels, litter_stream(task.litter))
            return simplify(child) if self.simplify else child
        return self.mutate(parents[0], rng, task.operator)

    def mutate(
        self, equation: Equation, rng: np.random.Generator, operator: str = MUTATE
    ) -> Equation:
        if operator not in MUTATIONS:
            operator = self.mutations[int(rng.integers(len(self.mutations)))]
        child = MUTATIONS[operator](equation, self.symbols, self.levels, rng)
        return simplify(child) if self.simplify else child


@dataclass(frozen=True, eq=False)
class MatrixEquations(MatrixProblem):
    """One equation for the transition matrices of all masked attributes of a table.

    Args:
        measured: loss and risk of matrices.
        forecast: fast approximation of loss and risk.
        cost: score of loss and risk.
        climb: mutations tried on a child, by the forecast, before it is evaluated.
        cache: cache of the loss and risk of matrices.
    """

    name = NAME

    draws: CommonDraws
    measured: PramEvaluation
    forecast: Forecast
    language: Language
    initial: InitialEquation
    cost: Cost
    climb: int
    domains: Domains
    cache: dict[bytes, Fitness] = field(default_factory=dict)

    def work(self, task: Task[Equation], rng: np.random.Generator) -> Outcome[Equation]:
        if task.operator == FIRST:
            return self._measured(self.initial(task.rival or 0, rng), 0)
        genome = self.language.child(task, rng)
        if self.climb == 0:
            return self._measured(genome, 0)
        cost = partial(weighted_cost, task.litter) if task.operator == SPREAD else self.cost
        climbed = self._climb(genome, self._predictor(task.parents[0], cost), rng)
        return self._measured(climbed, self.climb)

    def _measured(self, genome: Equation, steps: int) -> Outcome[Equation]:
        counts = {"symbols": len(genome)}
        return Outcome(genome, self.fitness(genome), steps=steps, counts=counts)

    def _climb(
        self, genome: Equation, predict: PredictedCost, rng: np.random.Generator
    ) -> Equation:
        """Hill climbing by predicted cost; on equal cost the shorter equation wins."""
        best = predict(genome), len(genome)
        for _ in range(self.climb):
            other = self.language.mutate(genome, rng)
            predicted = predict(other), len(other)
            if predicted < best:
                genome, best = other, predicted
        return genome

    def _predictor(self, parent: Individual[Equation], cost: Cost) -> PredictedCost:
        """Predict costs by the forecast, corrected by its error for the parent."""
        loss, risk = self.forecast(self.matrices(parent.genome))
        more_loss, more_risk = parent.fitness[0] - loss, parent.fitness[1] - risk
        parent_penalty = self.penalty(parent.genome)

        def predicted(equation: Equation) -> float:
            loss, risk = self.forecast(self.matrices(equation))
            penalty = self.penalty(equation) - parent_penalty
            return round(cost((loss + more_loss + penalty, risk + more_risk + penalty)), DECIMALS)

        return predicted

    def fitness(self, genome: Equation) -> Fitness:
        """Return loss and risk, plus a penalty if rows must sum to one and do not."""
        matrices = self.matrices(genome)
        known = blake2b(b"".join(m.tobytes() for m in matrices.values()), digest_size=16).digest()
        if known not in self.cache:
            self.cache[known] = self.measured(matrices)
        penalty = self.penalty(genome)
        return tuple(round(value + penalty, DECIMALS) for value in self.cache[known])

    def penalty(self, genome: Equation) -> float:
        if self.language.rows is not RowRule.PENALISED:
            return 0.0
        return 100.0 * row_sum_error(genome, self.domains)

    def matrices(self, genome: Equation) -> Matrices:
        matrices = self.domains.split(transitions(genome, self.domains, self.language.rows))
        named = dict(zip(self.draws.attributes, matrices, strict=True))
        if not self.language.invariant:
            return named
        return {name: make_invariant(m, self.draws.frequencies[name]) for name, m in named.items()}

    def answer(self, genome: Equation) -> Mapping[str, object]:
        text = readable_formula(genome, self.language.rows)
        because = f"category i becomes j by {text}, {ROW_RULES[self.language.rows]}"
        return {
            "equation": text,
            "explanation": [{"attributes": list(self.draws.attributes), "because": because}],
            **self.described_matrices(genome, invariant=self.language.invariant),
        }

    def making(self, genome: Equation) -> Provenance:
        formula = readable_formula(genome, self.language.rows)
        return self.pram_step(genome, invariant=self.language.invariant, formula=formula)

    def pack(self, genome: Equation) -> Mapping[str, NDArray[Any]]:
        return {"symbols": np.array(genome, dtype=np.str_)}

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> Equation:
        return tuple(str(symbol) for symbol in arrays["symbols"])
