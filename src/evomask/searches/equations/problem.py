"""Equations as an evolutionary problem: children, what their matrices cost, masked files."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.arrays import Floats
from evomask.data.distance import category_distances
from evomask.data.table import Table
from evomask.evolution.brood import FIRST, Outcome, Task
from evomask.evolution.individual import Cost, Fitness, Individual
from evomask.evolution.schemes import CROSS, MUTATE
from evomask.evolution.streams import litter_stream
from evomask.evolution.tree import Symbols
from evomask.masking.making import Making, Step
from evomask.masking.randomization.common_draws import CommonDraws
from evomask.masking.randomization.equations import Domains, Equation, RowRule, transitions
from evomask.masking.randomization.pram import Transitions, made_invariant
from evomask.masking.randomization.transitions import percent_kept, properties_of
from evomask.measures.expected.forecast import Forecast
from evomask.measures.expected.randomized import Randomized
from evomask.searches.equations.formulas import shown, simplified
from evomask.searches.equations.genome import departure
from evomask.searches.equations.operators import MUTATIONS, crossed
from evomask.searches.equations.survival import SPREAD, along

NAME = "equations"
Matrices = Mapping[str, Transitions]
Begin = Callable[[int, np.random.Generator], Equation]
"""First equation number so and so."""

Promise = Callable[[Equation], float]
"""What an equation is expected to cost."""

MADE: Mapping[RowRule, str] = {
    RowRule.NORMALISED: "each row divided by its sum",
    RowRule.REST: "what is left staying i",
    RowRule.PENALISED: "each row divided by its sum, which is about 1",
}
"""How rows come to sum to one, in words."""

DECIMALS = 9
"""Of a fitness: what is equal up to rounding is equal."""


@dataclass(frozen=True)
class Language:
    """What equations may say.

    Args:
        levels: how deep an equation may be.
        mutations: operators that a mutation chooses among.
        simplify: whether children are simplified before they are measured.
        invariant: whether matrices are followed by their reverse, so that frequencies stay.
    """

    symbols: Symbols
    levels: int
    rows: RowRule
    mutations: tuple[str, ...]
    simplify: bool
    invariant: bool

    def child(self, task: Task[Equation], rng: np.random.Generator) -> Equation:
        """What an operator makes of its parents."""
        parents = tuple(parent.genome for parent in task.parents)
        if task.operator == CROSS:
            pair = parents[0], parents[1]
            child = crossed(pair, self.symbols, self.levels, litter_stream(task.litter))
            return simplified(child) if self.simplify else child
        return self.mutated(parents[0], rng, task.operator)

    def mutated(
        self, equation: Equation, rng: np.random.Generator, operator: str = MUTATE
    ) -> Equation:
        """A mutant by the operator of this name, or by any of the usual ones."""
        if operator not in MUTATIONS:
            operator = self.mutations[int(rng.integers(len(self.mutations)))]
        child = MUTATIONS[operator](equation, self.symbols, self.levels, rng)
        return simplified(child) if self.simplify else child


@dataclass(frozen=True, eq=False)
class MatrixEquations:
    """One equation for the transition matrices of all quasi-identifiers of a table.

    Args:
        judge: loss and risk of matrices.
        forecast: the same foretold in no time.
        cost: one number of loss and risk.
        climb: how many mutations are tried on a child before it is measured.
        remembered: loss and risk of matrices met so far; it saves time and changes nothing.
    """

    draws: CommonDraws
    judge: Randomized
    forecast: Forecast
    language: Language
    begin: Begin
    cost: Cost
    climb: int
    frequencies: Mapping[str, Floats]
    domains: Domains
    remembered: dict[bytes, Fitness] = field(default_factory=dict)

    def work(self, task: Task[Equation], rng: np.random.Generator) -> Outcome[Equation]:
        """One child by the task's operator, which then climbs by what is foretold."""
        if task.operator == FIRST:
            return self._measured(self.begin(task.rival or 0, rng), 0)
        genome = self.language.child(task, rng)
        if self.climb == 0:
            return self._measured(genome, 0)
        cost = partial(along, task.litter) if task.operator == SPREAD else self.cost
        climbed = self._climbed(genome, self._foretold(task.parents[0], cost), rng)
        return self._measured(climbed, self.climb)

    def _measured(self, genome: Equation, steps: int) -> Outcome[Equation]:
        counts = {"symbols": len(genome)}
        return Outcome(genome, self.fitness(genome), steps=steps, counts=counts)

    def _climbed(self, genome: Equation, foretold: Promise, rng: np.random.Generator) -> Equation:
        """Mutations that are foretold better, or as good and shorter, are kept."""
        best = foretold(genome), len(genome)
        for _ in range(self.climb):
            other = self.language.mutated(genome, rng)
            promise = foretold(other), len(other)
            if promise < best:
                genome, best = other, promise
        return genome

    def _foretold(self, parent: Individual[Equation], cost: Cost) -> Promise:
        """The cost that is to be expected, put right by what is foretold wrong of the parent."""
        loss, risk = self.forecast(self.matrices(parent.genome))
        more_loss, more_risk = parent.fitness[0] - loss, parent.fitness[1] - risk
        paid = self.penalty(parent.genome)

        def promise(equation: Equation) -> float:
            loss, risk = self.forecast(self.matrices(equation))
            owed = self.penalty(equation) - paid
            return round(cost((loss + more_loss + owed, risk + more_risk + owed)), DECIMALS)

        return promise

    def fitness(self, genome: Equation) -> Fitness:
        """Loss and risk, with a penalty where rows ought to sum to one and do not."""
        matrices = self.matrices(genome)
        known = blake2b(b"".join(m.tobytes() for m in matrices.values()), digest_size=16).digest()
        if known not in self.remembered:
            self.remembered[known] = self.judge(matrices)
        penalty = self.penalty(genome)
        return tuple(round(value + penalty, DECIMALS) for value in self.remembered[known])

    def penalty(self, genome: Equation) -> float:
        """How far rows are from summing to one, in percent; 0 where that is not asked for."""
        if self.language.rows is not RowRule.PENALISED:
            return 0.0
        return 100.0 * departure(genome, self.domains)

    def matrices(self, genome: Equation) -> Matrices:
        """The transition matrix of each attribute."""
        made = self.domains.split(transitions(genome, self.domains, self.language.rows))
        named = dict(zip(self.frequencies, made, strict=True))
        if not self.language.invariant:
            return named
        return {name: made_invariant(m, self.frequencies[name]) for name, m in named.items()}

    def decode(self, genome: Equation, draw: int) -> Table:
        """The masked file of one draw."""
        return self.draws.masked(self.matrices(genome), draw)

    def read(self, genome: Equation, draw: int) -> Mapping[str, float]:
        """Loss and risk of the released draw, the expectation beside."""
        readings = self.judge.released(self.matrices(genome), draw)
        expected = self.cost((readings["expected_loss"], readings["expected_risk"]))
        score = self.cost((readings["loss"], readings["risk"]))
        return {**readings, "score": score, "expected_score": expected}

    def answer(self, genome: Equation) -> Mapping[str, object]:
        """The formula, and the matrices it makes with what holds for them."""
        matrices, text = self.matrices(genome), shown(genome, self.language.rows)
        because = f"category i becomes j by {text}, {MADE[self.language.rows]}"
        return {
            "equation": text,
            "explanation": [{"attributes": list(matrices), "because": because}],
            "matrices": {name: self._properties(name, matrix) for name, matrix in matrices.items()},
            "invariant": self.language.invariant,
        }

    def _properties(self, name: str, matrix: Transitions) -> dict[str, object]:
        categories = self.draws.table.attribute(name).categories
        return properties_of(matrix, categories, self.frequencies[name])

    def making(self, genome: Equation) -> Making:
        """The formula, and how many cells of each attribute are expected to keep their category."""
        kept = percent_kept(self.matrices(genome), self.frequencies)
        formula = shown(genome, self.language.rows)
        parameters = {"formula": formula, "kept": kept, "invariant": self.language.invariant}
        return Making((Step(NAME, parameters, tuple(kept)),), search=NAME)

    def pack(self, genome: Equation) -> Mapping[str, NDArray[Any]]:
        """The symbols of the equation in prefix order, as an array of text."""
        return {"symbols": np.array(genome, dtype=np.str_)}

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> Equation:
        """The equation whose symbols were packed."""
        return tuple(str(symbol) for symbol in arrays["symbols"])


def domains_of(table: Table, frequencies: Mapping[str, Floats]) -> Domains:
    """The categories of attributes with these frequencies."""
    distances = [category_distances(table.attribute(name)) for name in frequencies]
    return Domains.of(list(frequencies.values()), distances)
