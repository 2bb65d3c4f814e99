"""What evolves: a node of the lattice, or groups recoded locally with a price for each attribute.

A price says how much a group should avoid to generalize an attribute: what one analyst's label
hangs on is dear, what nobody asks for is cheap.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.data.classes import classes_of
from evomask.data.schema import Role
from evomask.evolution.variation import cross_uniformly
from evomask.searches.generalization import operators
from evomask.searches.generalization.lattice import Lattice, Levels

STRIDE = 0.7
"""Standard deviation of the logarithm by which a price or a k grows or shrinks."""


@dataclass(frozen=True)
class Recipe:
    """How a table is generalized.

    Args:
        levels: of a node; empty for local recoding.
        k: records of a group, at least; 0 for a node.
        prices: what a cell of each attribute costs a group; empty for a node.
    """

    levels: Levels = ()
    k: int = 0
    prices: tuple[float, ...] = ()

    @property
    def is_local(self) -> bool:
        """Whether every group is recoded only as far as it needs."""
        return self.k > 0


def packed(recipe: Recipe) -> Mapping[str, NDArray[Any]]:
    """A recipe as named arrays."""
    return {
        "levels": np.array(recipe.levels, dtype=np.int64),
        "k": np.array([recipe.k], dtype=np.int64),
        "prices": np.array(recipe.prices, dtype=np.float64),
    }


def unpacked(arrays: Mapping[str, NDArray[Any]]) -> Recipe:
    """The recipe whose arrays were packed."""
    levels = tuple(int(level) for level in arrays["levels"])
    return Recipe(levels, int(arrays["k"][0]), tuple(float(p) for p in arrays["prices"]))


@dataclass(frozen=True, eq=False)
class Recipes:
    """Recipes for one lattice: how they begin and how they vary.

    Args:
        sizes: group sizes that local recoding begins with.
    """

    lattice: Lattice
    sizes: tuple[int, ...]

    @cached_property
    def largest(self) -> int:
        """The largest group of which every stratum holds two."""
        strata = self.lattice.source.schema.with_role(Role.STRATUM)
        fewest = classes_of(self.lattice.source, strata).sizes.min(initial=self.lattice.n_records)
        return max(2, int(fewest) // 2)

    def first(self, number: int, rng: np.random.Generator) -> Recipe:
        """Local recoding with equal prices for each size, both ends of the lattice, then any."""
        width = len(self.lattice.names)
        if number < len(self.sizes):
            return Recipe(k=self._size(self.sizes[number]), prices=(1.0,) * width)
        ends = (self.lattice.top, (0,) * width)
        if number < len(self.sizes) + len(ends):
            return Recipe(ends[number - len(self.sizes)])
        if number % 2:
            return Recipe(operators.random_node(self.lattice.shape, rng))
        k = float(np.exp(rng.uniform(log(2), log(self.largest))))
        return Recipe(k=self._size(k), prices=_rounded(np.exp(rng.normal(0.0, 1.0, width))))

    def crossed(self, first: Recipe, second: Recipe, rng: np.random.Generator) -> Recipe:
        """Levels cut at one place, or prices mixed; of two kinds the first parent alone is used."""
        if first.is_local != second.is_local:
            return self.mutated(first, rng)
        if not first.is_local:
            return Recipe(operators.cross(first.levels, second.levels, rng))
        prices, _ = cross_uniformly(np.array(first.prices), np.array(second.prices), rng)
        k = first.k if rng.random() < 0.5 else second.k
        return Recipe(k=k, prices=_rounded(prices))

    def mutated(self, recipe: Recipe, rng: np.random.Generator) -> Recipe:
        """Levels a step up or down; or another k, or other prices of some attributes."""
        if not recipe.is_local:
            return Recipe(operators.step(recipe.levels, self.lattice.heights, rng))
        if rng.random() < 0.5:
            wanted = recipe.k * float(np.exp(rng.normal(0.0, STRIDE)))
            return Recipe(k=self._size(wanted), prices=recipe.prices)
        width = len(recipe.prices)
        changes = np.where(rng.random(width) < 2 / width, rng.normal(0.0, 2 * STRIDE, width), 0.0)
        return Recipe(k=recipe.k, prices=_rounded(np.array(recipe.prices) * np.exp(changes)))

    def _size(self, wanted: float) -> int:
        return int(min(max(round(wanted), 2), self.largest))


def _rounded(prices: NDArray[Any]) -> tuple[float, ...]:
    """Prices to three digits, so that a recipe reads well and repeats exactly."""
    return tuple(float(f"{price:.3g}") for price in np.clip(prices, 1e-3, 1e3))
