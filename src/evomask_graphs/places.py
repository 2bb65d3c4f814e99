"""Hierarchy of places: city, region, country, continent, world (figure 6.2, Table 6.1).

A place has one column for each level in use, the most specific first. Unknown levels are empty: a
country has an empty city, and the world is empty throughout.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from evomask.errors import SchemaError
from evomask.types import Floats, Indices

WORLD_LEVEL = 7

LEVELS = {
    "route": 0,
    "sublocality": 0,
    "natural_feature": 0,
    "point_of_interest": 0,
    "neighborhood": 0,
    "locality": 1,
    "city": 1,
    "colloquial_area": 1,
    "admin3": 2,
    "admin2": 3,
    "admin1": 4,
    "region": 4,
    "state": 4,
    "country": 5,
    "political": 5,
    "continent": 6,
}
"""Level of abstraction of each type of place (Table 6.1), and common names of its columns."""

Path = tuple[str, ...]
"""A place: one name per column, the most specific first, empty if unknown."""


def column_levels(columns: Sequence[str]) -> tuple[int, ...]:
    """Level of each column by its name; each must be above the one before."""
    unknown = [name for name in columns if name.lower() not in LEVELS]
    if unknown:
        raise SchemaError(
            f"the level of place column {unknown[0]!r} is not known; "
            f"name it as one of {', '.join(LEVELS)}"
        )
    levels = tuple(LEVELS[name.lower()] for name in columns)
    if any(above <= below for below, above in pairwise(levels)):
        raise SchemaError(
            f"place columns must go from specific to general, one of each level; "
            f"got {', '.join(columns)}"
        )
    return levels


@dataclass(frozen=True, eq=False)
class Places:
    """All places of a graph and their ancestors in one tree (Algorithm 15).

    Args:
        paths: each place; the world is the last.
        levels: level of abstraction of each place.
        ancestors: row p holds at column l the place of level l on the branch of p, itself
            included, or -1.
    """

    paths: tuple[Path, ...]
    levels: Indices
    ancestors: Indices

    @classmethod
    def of(cls, columns: Sequence[str], paths: Iterable[Path]) -> "Places":
        """Build the tree that holds *paths*, whose parts are in *columns*."""
        levels = column_levels(columns)
        known = {above for path in paths for above in _branch(path)}
        ordered = [*sorted(known - {("",) * len(columns)}), ("",) * len(columns)]
        place = {path: code for code, path in enumerate(ordered)}
        of_level = np.array([_level(path, levels) for path in ordered], dtype=np.int64)
        ancestors = np.full((len(ordered), WORLD_LEVEL + 1), -1, dtype=np.int64)
        for code, path in enumerate(ordered):
            above = [place[ancestor] for ancestor in _branch(path)]
            ancestors[code, of_level[above]] = above
        return cls(tuple(ordered), of_level, ancestors)

    @property
    def world(self) -> int:
        return len(self.paths) - 1

    @cached_property
    def codes(self) -> dict[Path, int]:
        return {path: code for code, path in enumerate(self.paths)}

    def distances(self, a: Indices, b: Indices) -> Floats:
        """Equation (6.1), symmetric: levels apart on one branch divided by 7, otherwise 1."""
        apart = np.abs(self.levels[a] - self.levels[b]) / WORLD_LEVEL
        on_branch = (self.ancestors[a, self.levels[b]] == b) | (
            self.ancestors[b, self.levels[a]] == a
        )
        return np.where(on_branch, apart, 1.0)


def _branch(path: Path) -> list[Path]:
    steps = [path]
    for column, name in enumerate(path):
        if name:
            steps.append(("",) * (column + 1) + path[column + 1 :])
    return steps


def _level(path: Path, levels: Sequence[int]) -> int:
    known = [level for name, level in zip(path, levels, strict=True) if name]
    return min(known, default=WORLD_LEVEL)
