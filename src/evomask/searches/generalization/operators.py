"""Variation of levels as PBG-EA has it."""

import numpy as np

from evomask.arrays import Indices
from evomask.evolution.variation import cross_points
from evomask.searches.generalization.lattice import Levels


def random_node(shape: tuple[int, ...], rng: np.random.Generator) -> Levels:
    """A node drawn at random, every one of the lattice equally likely."""
    return tuple(int(rng.integers(levels)) for levels in shape)


def cross(first: Levels, second: Levels, rng: np.random.Generator) -> Levels:
    """The child that begins as *first* and ends as *second*, cut at one random place."""
    child, _ = cross_points(np.array(first), np.array(second), 1, rng)
    return tuple(int(level) for level in child)


def step(
    levels: Levels, heights: Indices, rng: np.random.Generator, rate: float | None = None
) -> Levels:
    """Each level goes up or down by one with a probability, 1 / attributes unless told.

    No level leaves its tree.
    """
    chance = 1 / len(levels) if rate is None else rate
    moves = rng.choice((-1, 1), size=len(levels)) * (rng.random(len(levels)) < chance)
    moved = np.clip(np.array(levels) + moves, 0, heights)
    return tuple(int(level) for level in moved)
