"""Small problems with known answers, for the tests of the core."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from evomask.evolution.individual import FIRST, Outcome
from evomask.evolution.streams import draw_stream, litter_stream
from evomask.evolution.tree import (
    Symbols,
    cross,
    half_and_half,
    mutate_subtree,
)
from evomask.evolution.variation import cross_points


class BitStrings:
    """Genomes are arrays of bits; subclasses say what they cost."""

    length = 24

    def work(self, task, rng):
        genome = self.child(task, rng)
        return Outcome(genome, self.fitness(genome), counts={"ones": int(genome.sum())})

    def child(self, task, rng):
        if task.operator == FIRST:
            return rng.integers(2, size=self.length, dtype=np.uint8)
        genome = task.parents[0].genome
        if task.operator == "cross":
            other = task.parents[1].genome
            return cross_points(genome, other, 2, litter_stream(task.litter))[0]
        return flipped(genome, np.flatnonzero(rng.random(self.length) < 1 / self.length))

    def pack(self, genome):
        return {"bits": genome}

    def unpack(self, arrays):
        return arrays["bits"]


@dataclass(frozen=True)
class OneMax(BitStrings):
    """The number of zeros, to be minimised: 0 is the best."""

    length: int = 24

    def fitness(self, genome):
        return (float(self.length - genome.sum()),)


@dataclass(frozen=True)
class LeadingOnesTrailingZeros(BitStrings):
    """Two goals at odds; the front has length + 1 points, on a line."""

    length: int = 8

    def fitness(self, genome):
        ones = int(np.cumprod(genome).sum())
        zeros = int(np.cumprod(1 - genome[::-1]).sum())
        return (float(-ones), float(-zeros))


@dataclass(frozen=True)
class NoisyOneMax(OneMax):
    """OneMax read through noise, averaged over draws that all evaluations have in common."""

    seed: int = 0
    draws: int = 5

    def fitness(self, genome):
        rngs = map(partial(draw_stream, self.seed), range(self.draws))
        noise = [rng.normal(scale=3.0, size=self.length) for rng in rngs]
        return (float(np.mean([self.length - genome.sum() + n[genome == 0].sum() for n in noise])),)


SYMBOLS = Symbols({"+": 2, "*": 2}, ("x", "one"))
FUNCTIONS = {"+": np.add, "*": np.multiply}
POINTS = np.linspace(-1, 1, 9)


def evaluated(genome, values):
    """What a tree is, from its last symbol to its first."""
    stack = []
    for symbol in reversed(genome):
        known = FUNCTIONS.get(symbol)
        stack.append(known(stack.pop(), stack.pop()) if known else values[symbol])
    return stack.pop()


class Regression:
    """Find x·x + x + 1; the length breaks ties."""

    levels = 5

    def work(self, task, rng):
        genome = self.child(task, rng)
        values = {"x": POINTS, "one": np.ones_like(POINTS)}
        read = evaluated(genome, values)
        return Outcome(genome, (float(np.abs(read - (POINTS**2 + POINTS + 1)).sum()), len(genome)))

    def child(self, task, rng):
        if task.operator == FIRST:
            return half_and_half(SYMBOLS, self.levels, task.rival, rng)
        trees = [parent.genome for parent in task.parents]
        if task.operator == "cross":
            return cross(*trees, SYMBOLS, self.levels, litter_stream(task.litter))[0]
        return mutate_subtree(*trees, SYMBOLS, self.levels, rng)

    def pack(self, genome):
        return {"symbols": np.array(genome)}

    def unpack(self, arrays):
        return tuple(arrays["symbols"].tolist())


def flipped(genome, sites):
    child = genome.copy()
    child[sites] ^= 1
    return child
