"""Recipes as the genomes of a search, as the engine evolves them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.data.hierarchy import Bands, Hierarchy, HierarchyDefinitions, fit_hierarchies
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.evolution.individual import Outcome, Task
from evomask.evolution.loop import Draws, Setup
from evomask.evolution.schemes import Unbred
from evomask.evolution.stopping import Budget
from evomask.masking.method import About
from evomask.masking.provenance import Provenance
from evomask.masking.randomization.pram import PramMethod, Transitions
from evomask.masking.recipe import (
    Recipe,
    RecipeMasking,
    build,
    joined,
    recipe_as_json,
    recipe_from_json,
)
from evomask.searches.base import MaskingProblem, Search, SearchContext, SearchInput, Variants
from evomask.searches.recipes.design import Design, initial_design

NAME = "recipes"


@dataclass(frozen=True, eq=False)
class Recipes(MaskingProblem):
    """Recipes for a table; the engine breeds them, and this class decodes them."""

    original: Table
    draws: Draws
    hierarchies: HierarchyDefinitions = field(default_factory=dict)

    packed_as = "steps"

    @cached_property
    def trees(self) -> Mapping[str, Hierarchy]:
        """Hierarchies of the categorical attributes that may be masked."""
        quasi = self.original.schema.quasi_identifiers
        given = ((name, self.hierarchies.get(name)) for name in quasi)
        lines = {
            name: own
            for name, own in given
            if own and not isinstance(own, Bands) and self.original.attribute(name).is_categorical
        }
        return fit_hierarchies(lines, self.original)

    @cached_property
    def design(self) -> tuple[Design, ...]:
        """Initial recipes, in the order in which they are evaluated."""
        return initial_design(self.original, self.trees, self.draws)

    @cached_property
    def masking(self) -> RecipeMasking:
        return RecipeMasking(self.original, self.draws, self.trees)

    def work(self, task: Task[Recipe], rng: np.random.Generator) -> Outcome[Recipe]:
        """Return an initial recipe."""
        return Outcome(self.design[int(task.rival or 0)].recipe, (0.0,))

    def decode(self, genome: Recipe, draw: int) -> Table:
        return self.masking.mask(genome)

    def recipe(self, genome: Recipe) -> Recipe:
        return genome

    def making(self, genome: Recipe) -> Provenance:
        strata = self.original.schema.with_role(Role.STRATUM)
        return Provenance(joined(genome), search=NAME, strata=strata)

    def matrices(self, genome: Recipe) -> Mapping[str, Transitions]:
        """Transition matrices of the attributes that PRAM alone masks.

        None with strata, which have matrices of their own.
        """
        if self.original.schema.with_role(Role.STRATUM):
            return {}
        found: dict[str, Transitions] = {}
        touched = [name for step in genome for name in step.attributes]
        for step in genome:
            method = build(step, self.trees)
            if isinstance(method, PramMethod):
                own = (name for name in step.attributes if touched.count(name) == 1)
                found |= {name: method.matrix(self.original, name) for name in own}
        return found

    def pack(self, genome: Recipe) -> Mapping[str, NDArray[Any]]:
        return {self.packed_as: np.frombuffer(recipe_as_json(genome), dtype=np.uint8)}

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> Recipe:
        return recipe_from_json(arrays[self.packed_as].tobytes())


@dataclass(frozen=True)
class Parameters:
    """Recipes have no parameters of their own."""


class RecipeSearch(Search):
    """Combine and tune masking methods, attribute by attribute, as recipes."""

    name = NAME
    parameters = Parameters
    budget = Budget(generations=1000)
    about = About(
        name=NAME,
        title="recipes of masking methods",
        steward="masked by a recipe of several methods",
        public="Values were changed by a combination of masking methods.",
    )
    cost = 0.0
    recipes = True
    keeps_strata = True

    @staticmethod
    def variants(_source: SearchInput) -> Variants:
        return {"": {}}

    @staticmethod
    def setup(table: Table, _parameters: Parameters, context: SearchContext) -> Setup[Recipe]:
        problem = Recipes(table, context.draws, context.hierarchies)
        return Setup(problem, Unbred(), len(problem.design))
