"""Genome of the generalization search: one level per attribute; its operators in PBG-EA."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.evolution.variation import cross_points
from evomask.kernels.lattice.classes import Rows
from evomask.searches.generalization.lattice import Levels
from evomask.types import Indices


def pack(levels: Levels) -> Mapping[str, NDArray[Any]]:
    """Return the levels as a named array."""
    return {"levels": np.array(levels, dtype=np.int64)}


def unpack(arrays: Mapping[str, NDArray[Any]]) -> Levels:
    """Return the levels that were packed."""
    return tuple(int(level) for level in arrays["levels"])


def number_of(levels: Levels, shape: tuple[int, ...]) -> int:
    """Return the position of a node in the lexicographic order of the lattice, as a Python int."""
    number = 0
    for level, count in zip(levels, shape, strict=True):
        number = number * count + level
    return number


def node_of(number: int, shape: tuple[int, ...]) -> Levels:
    """Return the node at a position of the lexicographic order."""
    levels = []
    for count in reversed(shape):
        number, level = divmod(number, count)
        levels.append(level)
    return tuple(reversed(levels))


def as_rows(nodes: "list[Levels] | tuple[Levels, ...]", width: int) -> Rows:
    """Return nodes as the rows of an array, one column per attribute."""
    return np.array(nodes, dtype=np.int64).reshape(len(nodes), width)


def random_node(shape: tuple[int, ...], rng: np.random.Generator) -> Levels:
    """Draw a node uniformly."""
    return tuple(int(rng.integers(levels)) for levels in shape)


def cross(first: Levels, second: Levels, rng: np.random.Generator) -> Levels:
    """One-point crossover: the child begins like *first* and ends like *second*."""
    child, _ = cross_points(np.array(first), np.array(second), 1, rng)
    return tuple(int(level) for level in child)


def step(
    levels: Levels, heights: Indices, rng: np.random.Generator, rate: float | None = None
) -> Levels:
    """Move each level up or down by one with probability *rate*, by default 1 / attributes.

    Levels stay within the hierarchy.
    """
    chance = 1 / len(levels) if rate is None else rate
    moves = rng.choice((-1, 1), size=len(levels)) * (rng.random(len(levels)) < chance)
    moved = np.clip(np.array(levels) + moves, 0, heights)
    return tuple(int(level) for level in moved)
