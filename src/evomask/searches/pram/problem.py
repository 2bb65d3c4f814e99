"""The pram search as an evolutionary problem: operators, scheme and evaluation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

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
from evomask.evolution.schemes import CROSS, MUTATE
from evomask.evolution.selection import leaders, plus, without_clones
from evomask.evolution.state import State
from evomask.evolution.variation import from_gray, gray
from evomask.kernels.pram.transitions import Bounds, mutate_matrices
from evomask.masking.provenance import Provenance
from evomask.masking.randomization.pram import CommonDraws
from evomask.measures.expected.expectation import PramEvaluation
from evomask.searches.base import MatrixProblem, task_towards
from evomask.searches.pram.genome import Layout
from evomask.types import Floats

BITS = 10
"""Length of a Gray code; 1000 needs ten bits."""

LEAST_REACH, MOST_REACH = 0.002, 0.5
"""Range of the probability that one small change moves."""

Guide = Callable[[Floats], Fitness]
"""Fast approximation of the loss and risk of matrices, given as a vector."""

Goal = Callable[[Fitness], float]


def flip_gray_bit(number: int, bit: int) -> int:
    """Flip one bit, counted from the right, of the Gray code of an integer."""
    return from_gray(gray(number) ^ (1 << bit))


def exchange_ranges(numbers: Floats, s: int, r: int, length: int) -> Floats:
    """Exchange the ranges [s, s + length) and [r, r + length) (figure 4.3)."""
    child = numbers.copy()
    child[s : s + length], child[r : r + length] = (
        numbers[r : r + length],
        numbers[s : s + length],
    )
    return child


def random_matrix(sizes: Sequence[int], rng: np.random.Generator) -> slice:
    """Return the position of a random attribute's matrix."""
    chosen = int(rng.integers(len(sizes)))
    start = sum(size**2 for size in sizes[:chosen])
    return slice(start, start + sizes[chosen] ** 2)


def mutate(parent: Floats, sizes: Sequence[int], rng: np.random.Generator) -> Floats:
    """Flip one bit of one number of one matrix."""
    where = random_matrix(sizes, rng)
    child = parent.copy()
    place = int(rng.integers(where.start, where.stop))
    child[place] = flip_gray_bit(int(child[place]), int(rng.integers(BITS)))
    return child


def cross(parent: Floats, sizes: Sequence[int], rng: np.random.Generator) -> Floats:
    """Exchange two ranges of numbers inside one matrix."""
    where = random_matrix(sizes, rng)
    values = parent[where]
    s, r = (int(place) for place in rng.integers(len(values), size=2))
    length = int(rng.integers(min(len(values) - s, len(values) - r, abs(s - r)) + 1))
    child = parent.copy()
    child[where] = exchange_ranges(values, s, r, length)
    return child


def blend(first: Floats, second: Floats, sizes: Sequence[int], rng: np.random.Generator) -> Floats:
    """Take each matrix from one parent, from the other, or a convex combination.

    Row sums, bands, ranges and invariance hold for convex combinations.
    """
    child = first.copy()
    start = 0
    for size in sizes:
        where = slice(start, start + size**2)
        share = rng.choice([0.0, 1.0, rng.random()])
        child[where] = (1 - share) * first[where] + share * second[where]
        start = where.stop
    return child


def climb(
    begin: Floats,
    bounds: Bounds,
    guide: Guide,
    goal: Goal,
    heat: float,
    steps: int,
    rng: np.random.Generator,
) -> Floats:
    """Simulated annealing by small changes; return the best matrices.

    Args:
        heat: scale of the worsening that is accepted at the start, in percentage points of the
            fitness; it falls to 0 linearly.
    """
    seeds = rng.integers(1, 2**63, steps)
    patience = -np.log(1 - rng.random(steps)) * heat * np.linspace(1, 0, steps)
    reaches = np.exp(rng.uniform(np.log(LEAST_REACH), np.log(MOST_REACH), steps))
    here, best = begin, begin
    cost = lowest = goal(guide(begin))
    for seed, allowance, reach in zip(
        seeds.tolist(), patience.tolist(), reaches.tolist(), strict=True
    ):
        child = mutate_matrices(here, bounds, reach, seed)
        reached = goal(guide(child))
        if reached <= cost + allowance:
            here, cost = child, reached
            if reached < lowest:
                best, lowest = child, reached
    return best


CLIMB, BLEND, SPREAD = "climb", "blend", "spread"

DIRECTIONS = 1_000_000
"""Number of directions along the front, as tasks encode them."""


def weighted_cost(direction: int, fitness: Fitness) -> float:
    """Return the weighted maximum of loss and risk: from risk only (0) to loss only (FINE)."""
    weight = direction / DIRECTIONS
    loss, risk = fitness
    return 2 * max(weight * loss, (1 - weight) * risk) + 0.001 * (loss + risk)


@dataclass(frozen=True)
class Climbers:
    """Annealing of good individuals, of blends, and along the front.

    Args:
        cost: score that the population minimises.
        climbs, blends, spreads: tasks of each kind per generation.
    """

    cost: Cost
    climbs: int = 2
    blends: int = 2
    spreads: int = 4

    def propose(self, state: State[Floats], rng: np.random.Generator) -> Brood[Floats]:
        """Return the tasks; better individuals are parents more often."""
        population = state.population
        costs = np.array([self.cost(individual.fitness) for individual in population])
        order = leaders(costs, len(population))

        def drawn() -> int:
            return int(order[int(len(order) * rng.random() ** 2)])

        climbs = [Task(CLIMB, (population[drawn()],)) for _ in range(self.climbs)]
        blends = [
            Task(BLEND, (population[drawn()], population[drawn()])) for _ in range(self.blends)
        ]
        spreads = [
            task_towards(
                SPREAD, state, int(rng.integers(DIRECTIONS // 20, DIRECTIONS)), weighted_cost
            )
            for _ in range(self.spreads)
        ]
        return (*climbs, *blends, *spreads)

    def replace(
        self, state: State[Floats], brood: Brood[Floats], outcomes: Outcomes[Floats]
    ) -> Population[Floats]:
        return without_clones(partial(plus, by=self.cost))(state, brood, outcomes)


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

    name = NAME
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
        operator = mutate if task.operator == MUTATE else cross
        return operator(task.parents[0].genome, self.layout.sizes, rng)

    def _climb(self, task: Task[Floats], rng: np.random.Generator) -> Floats:
        parent = task.parents[0]
        begin = parent.genome
        if task.operator == BLEND:
            begin = blend(begin, task.parents[1].genome, self.layout.sizes, rng)
        heat = COOL * (HOT / COOL) ** rng.random()
        guide, goal = self._corrected_guide(parent), self._goal(task)
        climbed = climb(begin, self.layout.bounds, guide, goal, heat, self.steps, rng)
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

    def answer(self, genome: Floats) -> Mapping[str, object]:
        described = self.described_matrices(genome, invariant=self.layout.wanted.invariant)
        return {**described, "start": dict(self.read(self.firsts[0], 0))}

    def making(self, genome: Floats) -> Provenance:
        return self.pram_step(genome, invariant=self.layout.wanted.invariant)
