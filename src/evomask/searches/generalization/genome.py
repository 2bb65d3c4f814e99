"""What evolves: one level per attribute."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.kernels.lattice.classes import Rows
from evomask.searches.generalization.lattice import Levels


def pack(levels: Levels) -> Mapping[str, NDArray[Any]]:
    """The level of each attribute as one named array."""
    return {"levels": np.array(levels, dtype=np.int64)}


def unpack(arrays: Mapping[str, NDArray[Any]]) -> Levels:
    """The levels whose array was packed."""
    return tuple(int(level) for level in arrays["levels"])


def number_of(levels: Levels, shape: tuple[int, ...]) -> int:
    """A node's place in the lexicographic order of the lattice; lattices may be huge."""
    number = 0
    for level, count in zip(levels, shape, strict=True):
        number = number * count + level
    return number


def node_of(number: int, shape: tuple[int, ...]) -> Levels:
    """The node at a place of the lattice's lexicographic order."""
    levels = []
    for count in reversed(shape):
        number, level = divmod(number, count)
        levels.append(level)
    return tuple(reversed(levels))


def as_rows(nodes: "list[Levels] | tuple[Levels, ...]", width: int) -> Rows:
    """Nodes as the rows of an array, one column an attribute."""
    return np.array(nodes, dtype=np.int64).reshape(len(nodes), width)
