"""Operators on recipes: small steps, redrawing of a gene, uniform crossover.

Parents are not changed; every child lies within the recipe space.
"""

from collections.abc import Callable, Mapping

import numpy as np

from evomask.evolution.variation import cross_uniformly
from evomask.searches.clustered.genome import COUNTED, Recipe, RecipeSpace

STRIDE = 0.35
"""Standard deviation of the logarithm of a step."""

Mutation = Callable[[Recipe, RecipeSpace, np.random.Generator], Recipe]


def draw_recipe(space: RecipeSpace, rng: np.random.Generator) -> Recipe:
    """Draw a recipe; numbers are drawn log-uniformly."""
    low, high = space.lowest, space.highest
    recipe = rng.integers(low, high + 1)
    for gene in COUNTED:
        ends = np.log(int(low[gene])), np.log(int(high[gene]) + 1)
        recipe[gene] = int(np.floor(np.exp(rng.uniform(*ends))))
    return recipe


def step(parent: Recipe, space: RecipeSpace, rng: np.random.Generator) -> Recipe:
    """Increase or decrease the number of clusters or k a little, by one at least."""
    gene = int(rng.choice(COUNTED))
    moved = float(parent[gene]) * float(np.exp(rng.normal(0.0, STRIDE)))
    change = round(moved) - int(parent[gene]) or (1 if moved > parent[gene] else -1)
    return _set_gene(parent, gene, int(parent[gene]) + change, space)


def redraw(parent: Recipe, space: RecipeSpace, rng: np.random.Generator) -> Recipe:
    """Redraw one gene that has alternatives; without any, return a copy."""
    free = np.flatnonzero(space.lowest < space.highest)
    if not len(free):
        return parent.copy()
    gene = int(rng.choice(free))
    return _set_gene(parent, gene, int(draw_recipe(space, rng)[gene]), space)


def cross(first: Recipe, second: Recipe, rng: np.random.Generator) -> Recipe:
    """Take each gene from one of the two parents."""
    child: Recipe = cross_uniformly(first, second, rng)[0].astype(np.int64)
    return child


def _set_gene(parent: Recipe, gene: int, value: int, space: RecipeSpace) -> Recipe:
    child = parent.copy()
    child[gene] = np.clip(value, space.lowest[gene], space.highest[gene])
    return child


MUTATIONS: Mapping[str, Mutation] = {"step": step, "redraw": redraw}
