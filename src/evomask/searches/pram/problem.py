"""The pram search as an evolutionary problem."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from evomask.data.table import Table
from evomask.evolution.individual import FIRST, Cost, Fitness, Individual, Outcome, Task
from evomask.evolution.schemes import CROSS, MUTATE
from evomask.masking.provenance import Provenance, Step
from evomask.masking.randomization.pram import CommonDraws, percent_kept, properties_of
from evomask.measures.expected.expectation import PramEvaluation
from evomask.searches.base import MatrixProblem
from evomask.searches.pram import operators
from evomask.searches.pram.genome import Layout
from evomask.searches.pram.operators import Goal, Guide
from evomask.searches.pram.schemes import BLEND, CLIMB, SPREAD, weighted_cost
from evomask.types import Floats

NAME = "pram"
COOL, HOT = 0.003, 1.0
"""Range of the initial worsening in percent that a burst readily accepts."""


@dataclass(frozen=True, eq=False)
class TransitionProblem(MatrixProblem):
    """Transition matrices for PRAM on one table.

    Args:
        measured: loss and risk of matrices.
        cost: score of loss and risk.
        guide: fast approximation of loss and risk for bursts.
        made: function from a genome to valid matrices.
        firsts: initial genomes, the start matrices first.
        steps: small changes per burst.
    """

    packed_as = "matrices"

    layout: Layout
    draws: CommonDraws
    measured: PramEvaluation
    cost: Cost
    guide: Guide
    made: Callable[[Floats], Floats]
    firsts: tuple[Floats, ...]
    steps: int

    def work(self, task: Task[Floats], rng: np.random.Generator) -> Outcome[Floats]:
        if task.operator in (FIRST, MUTATE, CROSS):
            genome = self._child(task, rng)
            return Outcome(genome, self.fitness(genome))
        genome = self._climb(task, rng)
        return Outcome(genome, self.fitness(genome), steps=self.steps)

    def _child(self, task: Task[Floats], rng: np.random.Generator) -> Floats:
        if task.operator == FIRST:
            return self.firsts[task.rival or 0]
        operator = operators.mutate if task.operator == MUTATE else operators.cross
        return operator(task.parents[0].genome, self.layout.sizes, rng)

    def _climb(self, task: Task[Floats], rng: np.random.Generator) -> Floats:
        parent = task.parents[0]
        begin = parent.genome
        if task.operator == BLEND:
            begin = operators.blend(begin, task.parents[1].genome, self.layout.sizes, rng)
        heat = COOL * (HOT / COOL) ** rng.random()
        guide, goal = self._corrected_guide(parent), self._goal(task)
        climbed = operators.climb(begin, self.layout.bounds, guide, goal, heat, self.steps, rng)
        return self.layout.tidied(climbed)

    def _corrected_guide(self, parent: Individual[Floats]) -> Guide:
        """The guide, corrected by its error for the parent."""
        loss, risk = self.guide(parent.genome)
        more_loss, more_risk = parent.fitness[0] - loss, parent.fitness[1] - risk

        def guide(flat: Floats) -> Fitness:
            loss, risk = self.guide(flat)
            return loss + more_loss, risk + more_risk

        return guide

    def _goal(self, task: Task[Floats]) -> Goal:
        if task.operator == SPREAD:
            return lambda fitness: weighted_cost(task.litter, fitness)
        assert task.operator in (CLIMB, BLEND)  # noqa: S101
        return lambda fitness: self.cost(fitness) + 0.001 * sum(fitness)

    def fitness(self, genome: Floats) -> Fitness:
        return self.measured(self.matrices(genome))

    def matrices(self, genome: Floats) -> dict[str, Floats]:
        return self.layout.matrices(self.made(genome))

    def decode(self, genome: Floats, draw: int) -> Table:
        return self.draws.masked(self.matrices(genome), draw)

    def answer(self, genome: Floats) -> Mapping[str, object]:
        matrices = self.matrices(genome)
        return {
            "matrices": {name: self._properties(name, matrix) for name, matrix in matrices.items()},
            "invariant": self.layout.wanted.invariant,
            "start": dict(self.read(self.firsts[0], 0)),
        }

    def _properties(self, name: str, matrix: Floats) -> dict[str, object]:
        categories = self.layout.table.attribute(name).categories
        return properties_of(matrix, categories, self.layout.frequencies[name])

    def making(self, genome: Floats) -> Provenance:
        kept = percent_kept(self.matrices(genome), self.layout.frequencies)
        parameters = {"kept": kept, "invariant": self.layout.wanted.invariant}
        return Provenance((Step(NAME, parameters, tuple(kept)),), search=NAME)
