"""Operators on matrices: the thesis' two on whole numbers, and ours on valid matrices.

Each leaves its parents alone.
"""

from collections.abc import Callable, Sequence

import numpy as np

from evomask.arrays import Floats
from evomask.evolution.gray import from_gray, gray
from evomask.evolution.individual import Fitness
from evomask.kernels.pram.transitions import Bounds, changed_at_random

BITS = 10
"""Length of a Gray code; 1000 needs ten."""

LEAST_REACH, MOST_REACH = 0.002, 0.5
"""How much probability one small change moves."""

Guide = Callable[[Floats], Fitness]
"""Loss and risk of matrices in one row, as fast as they can be had."""

Goal = Callable[[Fitness], float]


def flipped(number: int, bit: int) -> int:
    """A whole number after one bit of its Gray code, counted from the right, is negated."""
    return from_gray(gray(number) ^ (1 << bit))


def exchanged(numbers: Floats, s: int, r: int, length: int) -> Floats:
    """Numbers with the ranges [s, s + length) and [r, r + length) changed over (figure 4.3)."""
    child = numbers.copy()
    child[s : s + length], child[r : r + length] = (
        numbers[r : r + length],
        numbers[s : s + length],
    )
    return child


def one_matrix(sizes: Sequence[int], rng: np.random.Generator) -> slice:
    """Where a random attribute's matrix stands."""
    chosen = int(rng.integers(len(sizes)))
    start = sum(size**2 for size in sizes[:chosen])
    return slice(start, start + sizes[chosen] ** 2)


def mutate(parent: Floats, sizes: Sequence[int], rng: np.random.Generator) -> Floats:
    """One bit of one number of one matrix is negated."""
    where = one_matrix(sizes, rng)
    child = parent.copy()
    place = int(rng.integers(where.start, where.stop))
    child[place] = flipped(int(child[place]), int(rng.integers(BITS)))
    return child


def cross(parent: Floats, sizes: Sequence[int], rng: np.random.Generator) -> Floats:
    """Two ranges of numbers inside one matrix change places."""
    where = one_matrix(sizes, rng)
    values = parent[where]
    s, r = (int(place) for place in rng.integers(len(values), size=2))
    length = int(rng.integers(min(len(values) - s, len(values) - r, abs(s - r)) + 1))
    child = parent.copy()
    child[where] = exchanged(values, s, r, length)
    return child


def blend(first: Floats, second: Floats, sizes: Sequence[int], rng: np.random.Generator) -> Floats:
    """Each matrix from one parent, from the other, or between the two.

    Rows, bands, ranges and invariance hold for whatever lies between.
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
    """The best of many small changes, each kept if it is better, or hardly worse while hot.

    Args:
        heat: worsening in percent that is readily accepted at the start; it falls to 0.
    """
    seeds = rng.integers(1, 2**63, steps)
    patience = -np.log(1 - rng.random(steps)) * heat * np.linspace(1, 0, steps)
    reaches = np.exp(rng.uniform(np.log(LEAST_REACH), np.log(MOST_REACH), steps))
    here, best = begin, begin
    cost = lowest = goal(guide(begin))
    for seed, allowance, reach in zip(
        seeds.tolist(), patience.tolist(), reaches.tolist(), strict=True
    ):
        child = changed_at_random(here, bounds, reach, seed)
        reached = goal(guide(child))
        if reached <= cost + allowance:
            here, cost = child, reached
            if reached < lowest:
                best, lowest = child, reached
    return best
