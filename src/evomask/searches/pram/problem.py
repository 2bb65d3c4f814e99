"""Transition matrices as an evolutionary problem: children, what they cost, their masked file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.arrays import Floats
from evomask.data.table import Table
from evomask.evolution.brood import FIRST, Outcome, Task
from evomask.evolution.individual import Cost, Fitness, Individual
from evomask.evolution.schemes import CROSS, MUTATE
from evomask.masking.making import Making, Step
from evomask.masking.randomization.common_draws import CommonDraws
from evomask.masking.randomization.transitions import percent_kept, properties_of
from evomask.measures.expected.randomized import Randomized
from evomask.searches.pram import operators
from evomask.searches.pram.genome import Layout
from evomask.searches.pram.operators import Goal, Guide
from evomask.searches.pram.scheme import BLEND, CLIMB, SPREAD, towards

NAME = "pram"
COOL, HOT = 0.003, 1.0
"""Worsening in percent that a burst readily accepts at its start: between these."""


@dataclass(frozen=True, eq=False)
class TransitionProblem:
    """Which matrices PRAM masks one table with.

    Args:
        measured: loss and risk of matrices.
        cost: one number of loss and risk.
        guide: loss and risk as a burst sees them, faster.
        made: valid matrices of a genome.
        firsts: the first genomes, the start in front.
        steps: small changes in a burst.
    """

    layout: Layout
    draws: CommonDraws
    measured: Randomized
    cost: Cost
    guide: Guide
    made: Callable[[Floats], Floats]
    firsts: tuple[Floats, ...]
    steps: int

    def work(self, task: Task[Floats], rng: np.random.Generator) -> Outcome[Floats]:
        """One child by the task's operator; ours end in a burst of small changes."""
        if task.operator in (FIRST, MUTATE, CROSS):
            genome = self._child(task, rng)
            return Outcome(genome, self.fitness(genome))
        genome = self._climbed(task, rng)
        return Outcome(genome, self.fitness(genome), steps=self.steps)

    def _child(self, task: Task[Floats], rng: np.random.Generator) -> Floats:
        if task.operator == FIRST:
            return self.firsts[task.rival or 0]
        operator = operators.mutate if task.operator == MUTATE else operators.cross
        return operator(task.parents[0].genome, self.layout.sizes, rng)

    def _climbed(self, task: Task[Floats], rng: np.random.Generator) -> Floats:
        parent = task.parents[0]
        begin = parent.genome
        if task.operator == BLEND:
            begin = operators.blend(begin, task.parents[1].genome, self.layout.sizes, rng)
        heat = COOL * (HOT / COOL) ** rng.random()
        guide, goal = self._corrected(parent), self._goal(task)
        climbed = operators.climb(begin, self.layout.bounds, guide, goal, heat, self.steps, rng)
        return self.layout.tidied(climbed)

    def _corrected(self, parent: Individual[Floats]) -> Guide:
        """The guide, put right by what it gets wrong of the parent."""
        loss, risk = self.guide(parent.genome)
        more_loss, more_risk = parent.fitness[0] - loss, parent.fitness[1] - risk

        def guide(flat: Floats) -> Fitness:
            loss, risk = self.guide(flat)
            return loss + more_loss, risk + more_risk

        return guide

    def _goal(self, task: Task[Floats]) -> Goal:
        if task.operator == SPREAD:
            return lambda fitness: towards(task.litter, fitness)
        assert task.operator in (CLIMB, BLEND)  # noqa: S101
        return lambda fitness: self.cost(fitness) + 0.001 * sum(fitness)

    def fitness(self, genome: Floats) -> Fitness:
        """Loss and risk, expected or over the common draws."""
        return self.measured(self.matrices(genome))

    def matrices(self, genome: Floats) -> dict[str, Floats]:
        """The transition matrix of each attribute that a genome stands for."""
        return self.layout.matrices(self.made(genome))

    def decode(self, genome: Floats, draw: int) -> Table:
        """The masked file as one draw with the genome's matrices makes it."""
        return self.draws.masked(self.matrices(genome), draw)

    def read(self, genome: Floats, draw: int) -> Mapping[str, float]:
        """Loss, risk and score of the released draw, and what was expected."""
        readings = self.measured.released(self.matrices(genome), draw)
        expected = self.cost((readings["expected_loss"], readings["expected_risk"]))
        score = self.cost((readings["loss"], readings["risk"]))
        return {**readings, "score": score, "expected_score": expected}

    def answer(self, genome: Floats) -> Mapping[str, object]:
        """The matrices with what holds for them, and what the start costs."""
        matrices = self.matrices(genome)
        return {
            "matrices": {name: self._properties(name, matrix) for name, matrix in matrices.items()},
            "invariant": self.layout.wanted.invariant,
            "start": dict(self.read(self.firsts[0], 0)),
        }

    def _properties(self, name: str, matrix: Floats) -> dict[str, object]:
        categories = self.layout.table.attribute(name).categories
        return properties_of(matrix, categories, self.layout.frequencies[name])

    def making(self, genome: Floats) -> Making:
        """How many cells of each attribute are expected to keep their category."""
        kept = percent_kept(self.matrices(genome), self.layout.frequencies)
        parameters = {"kept": kept, "invariant": self.layout.wanted.invariant}
        return Making((Step(NAME, parameters, tuple(kept)),), search=NAME)

    def pack(self, genome: Floats) -> Mapping[str, NDArray[Any]]:
        """The matrices of all attributes in one row of numbers."""
        return {"matrices": genome}

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> Floats:
        """The genome whose row of numbers was packed."""
        return arrays["matrices"]
