"""The equations search as an evolutionary problem."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.data.distance import category_distances
from evomask.data.table import Table
from evomask.evolution.individual import FIRST, Cost, Fitness, Individual, Outcome, Task
from evomask.evolution.schemes import CROSS, MUTATE
from evomask.evolution.streams import litter_stream
from evomask.evolution.tree import Symbols
from evomask.masking.provenance import Provenance, Step
from evomask.masking.randomization.equations import Domains, Equation, RowRule, transitions
from evomask.masking.randomization.pram import (
    CommonDraws,
    Transitions,
    make_invariant,
    percent_kept,
    properties_of,
)
from evomask.measures.expected.expectation import PramEvaluation
from evomask.measures.expected.forecast import Forecast
from evomask.searches.base import MatrixProblem
from evomask.searches.equations.genome import readable_formula, row_sum_error, simplify
from evomask.searches.equations.operators import MUTATIONS, cross_subtrees
from evomask.searches.equations.schemes import SPREAD, weighted_cost
from evomask.types import Floats

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

    draws: CommonDraws
    measured: PramEvaluation
    forecast: Forecast
    language: Language
    initial: InitialEquation
    cost: Cost
    climb: int
    frequencies: Mapping[str, Floats]
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
        named = dict(zip(self.frequencies, matrices, strict=True))
        if not self.language.invariant:
            return named
        return {name: make_invariant(m, self.frequencies[name]) for name, m in named.items()}

    def decode(self, genome: Equation, draw: int) -> Table:
        return self.draws.masked(self.matrices(genome), draw)

    def answer(self, genome: Equation) -> Mapping[str, object]:
        matrices, text = self.matrices(genome), readable_formula(genome, self.language.rows)
        because = f"category i becomes j by {text}, {ROW_RULES[self.language.rows]}"
        return {
            "equation": text,
            "explanation": [{"attributes": list(matrices), "because": because}],
            "matrices": {name: self._properties(name, matrix) for name, matrix in matrices.items()},
            "invariant": self.language.invariant,
        }

    def _properties(self, name: str, matrix: Transitions) -> dict[str, object]:
        categories = self.draws.table.attribute(name).categories
        return properties_of(matrix, categories, self.frequencies[name])

    def making(self, genome: Equation) -> Provenance:
        kept = percent_kept(self.matrices(genome), self.frequencies)
        formula = readable_formula(genome, self.language.rows)
        parameters = {"formula": formula, "kept": kept, "invariant": self.language.invariant}
        return Provenance((Step(NAME, parameters, tuple(kept)),), search=NAME)

    def pack(self, genome: Equation) -> Mapping[str, NDArray[Any]]:
        return {"symbols": np.array(genome, dtype=np.str_)}

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> Equation:
        return tuple(str(symbol) for symbol in arrays["symbols"])


def domains_of(table: Table, frequencies: Mapping[str, Floats]) -> Domains:
    """Return the categories of attributes with these frequencies."""
    distances = [category_distances(table.attribute(name)) for name in frequencies]
    return Domains.of(list(frequencies.values()), distances)
