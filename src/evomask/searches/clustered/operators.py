"""How recipes change: one count a little, one gene anew, or genes of two parents mixed.

Each leaves its parents alone and gives a recipe inside the space.
"""

from collections.abc import Callable, Mapping

import numpy as np

from evomask.evolution.variation import cross_uniformly
from evomask.searches.clustered.genome import COUNTED, Recipe, RecipeSpace

STRIDE = 0.35
"""Standard deviation of a step, as a share of the count."""

Mutation = Callable[[Recipe, RecipeSpace, np.random.Generator], Recipe]


def drawn(space: RecipeSpace, rng: np.random.Generator) -> Recipe:
    """Any recipe; small counts are as likely as large ones, by proportion."""
    low, high = space.lowest, space.highest
    recipe = rng.integers(low, high + 1)
    for gene in COUNTED:
        recipe[gene] = _proportional(int(low[gene]), int(high[gene]), rng)
    return recipe


def step(parent: Recipe, space: RecipeSpace, rng: np.random.Generator) -> Recipe:
    """The number of clusters or k a little larger or smaller, by one at least."""
    gene = int(rng.choice(COUNTED))
    moved = float(parent[gene]) * float(np.exp(rng.normal(0.0, STRIDE)))
    change = round(moved) - int(parent[gene]) or (1 if moved > parent[gene] else -1)
    return _with(parent, gene, int(parent[gene]) + change, space)


def redraw(parent: Recipe, space: RecipeSpace, rng: np.random.Generator) -> Recipe:
    """One gene that has a choice drawn anew; without any choice a clone."""
    free = np.flatnonzero(space.lowest < space.highest)
    if not len(free):
        return parent.copy()
    gene = int(rng.choice(free))
    return _with(parent, gene, int(drawn(space, rng)[gene]), space)


def cross(first: Recipe, second: Recipe, rng: np.random.Generator) -> Recipe:
    """Each gene from one of the two parents."""
    child: Recipe = cross_uniformly(first, second, rng)[0].astype(np.int64)
    return child


def _with(parent: Recipe, gene: int, value: int, space: RecipeSpace) -> Recipe:
    child = parent.copy()
    child[gene] = np.clip(value, space.lowest[gene], space.highest[gene])
    return child


def _proportional(low: int, high: int, rng: np.random.Generator) -> int:
    return int(np.floor(np.exp(rng.uniform(np.log(low), np.log(high + 1)))))


MUTATIONS: Mapping[str, Mutation] = {"step": step, "redraw": redraw}
