"""Operators on transition matrices: those of the thesis on integers, and ours on valid matrices.

Parents are not changed.
"""

from collections.abc import Callable, Sequence

import numpy as np

from evomask.evolution.individual import Fitness
from evomask.evolution.variation import from_gray, gray
from evomask.kernels.pram.transitions import Bounds, mutate_matrices
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
        heat: initial worsening in percent that is readily accepted; it falls to 0.
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
