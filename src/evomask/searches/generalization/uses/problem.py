"""Recipes as individuals: what each costs every use, and what it makes of the table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evomask.arrays import Flags, Labels
from evomask.data.chart import Chart
from evomask.data.parallel import balanced, parallel_chart
from evomask.data.table import Table
from evomask.evolution.archive import fitness_array
from evomask.evolution.brood import FIRST, Outcome, Task
from evomask.evolution.individual import Fitness
from evomask.evolution.schemes import CROSS
from evomask.evolution.state import State
from evomask.evolution.streams import litter_stream
from evomask.masking.making import Making, Step
from evomask.searches.generalization.coarseness import NAME, coarseness
from evomask.searches.generalization.lattice import Lattice
from evomask.searches.generalization.local_recoding import LocalRecoding, recode_locally
from evomask.searches.generalization.reader import Reader
from evomask.searches.generalization.uses.objectives import Uses
from evomask.searches.generalization.uses.recipe import Recipe, Recipes, packed, unpacked


class Made(NamedTuple):
    """What a recipe makes: classes of records that look alike, and who stays."""

    classes: Labels
    stays: Flags
    loss: float
    table: Table


@dataclass(frozen=True, eq=False)
class SeveralUses:
    """Generalizations of one table, compared by what they cost each of several uses.

    Args:
        remembered: fitness of each recipe met so far; it saves time and changes nothing.
    """

    recipes: Recipes
    reader: Reader
    uses: Uses
    remembered: dict[Recipe, Fitness] = field(default_factory=dict)

    @property
    def lattice(self) -> Lattice:
        """The lattice of the value trees."""
        return self.recipes.lattice

    def work(self, task: Task[Recipe], rng: np.random.Generator) -> Outcome[Recipe]:
        """A recipe and what it costs each use."""
        recipe = self._child(task, rng)
        return Outcome(recipe, self.fitness(recipe))

    def _child(self, task: Task[Recipe], rng: np.random.Generator) -> Recipe:
        if task.operator == FIRST:
            return self.recipes.first(int(task.rival or 0), rng)
        parents = [parent.genome for parent in task.parents]
        if task.operator == CROSS:
            child = self.recipes.crossed(parents[0], parents[1], litter_stream(task.litter))
            return self.recipes.mutated(child, rng)
        return self.recipes.mutated(parents[0], rng)

    def fitness(self, recipe: Recipe) -> Fitness:
        """All objectives in percent, the less the better."""
        if recipe not in self.remembered:
            self.remembered[recipe] = self._measured(self.made(recipe))
        return self.remembered[recipe]

    def _measured(self, made: Made) -> Fitness:
        sizes = np.bincount(made.classes[made.stays])
        smallest = int(sizes[sizes > 0].min(initial=len(made.classes)))
        return (
            100.0 / smallest,
            made.loss,
            *self.uses.misclassified(made.classes, made.stays),
            *self.uses.changed(made.table),
        )

    def made(self, recipe: Recipe) -> Made:
        """The classes and the table of a recipe."""
        if recipe.is_local:
            local = self._local(recipe)
            stays = np.ones(len(local.labels), dtype=bool)
            return Made(local.labels, stays, 100.0 * (1.0 - local.granularity), local.applied())
        levels = recipe.levels
        gone = self.reader.suppressed(levels)
        classes = self.lattice.membership(levels, self.reader.classes(levels))
        loss = 100.0 * float(self.reader.figures(levels).losses.mean())
        return Made(classes, ~gone, loss, self.lattice.applied(levels, gone))

    def _local(self, recipe: Recipe) -> LocalRecoding:
        return recode_locally(self.lattice, recipe.k, recipe.prices)

    def decode(self, recipe: Recipe, draw: int) -> Table:
        """The generalized table; records of classes too small are flagged as suppressed."""
        return self.made(recipe).table

    def read(self, recipe: Recipe, draw: int) -> Mapping[str, float]:
        """Every objective by name, k, and whether groups were recoded on their own."""
        fitness = self.fitness(recipe)
        named = dict(zip(self.uses.names, fitness, strict=True))
        suppressed = float((~self.made(recipe).stays).sum())
        return {
            "k": float(round(100.0 / fitness[0])), **named, "suppressed": suppressed,
            "local": float(recipe.is_local),
        }  # fmt: skip

    def answer(self, recipe: Recipe) -> Mapping[str, object]:
        """How the chosen table was made, and the uses it was judged by."""
        if recipe.is_local:
            told = dict(zip(self.lattice.names, recipe.prices, strict=True))
            return {"uses": list(self.uses.names), "prices": told, "lattice": self.lattice.size}
        told = dict(zip(self.lattice.names, recipe.levels, strict=True))
        return {"uses": list(self.uses.names), "levels": told, "lattice": self.lattice.size}

    def overview(self, state: State[Recipe]) -> Mapping[str, object]:
        """For each use the least it costs anywhere on the front, and points by kind."""
        front = state.archive.members
        least = fitness_array(front).min(axis=0).tolist()
        local = sum(member.genome.is_local for member in front)
        return {
            "least": dict(zip(self.uses.names, least, strict=True)),
            "local_points": local,
            "nodes": len(front) - local,
        }

    def charts(self, state: State[Recipe]) -> Sequence[Chart]:
        """The front as parallel coordinates: a line for each point, an axis for each use."""
        front = [member.fitness for member in state.archive.members]
        shown = {"balanced": balanced(front)}
        title = "What each point costs every use"
        return [parallel_chart("uses", title, self.uses.names, front, shown)]

    def making(self, recipe: Recipe) -> Making:
        """What became of each attribute, or how many records were recoded together."""
        names = tuple(self.lattice.names)
        if recipe.is_local:
            return Making((Step(NAME, {"k": recipe.k}, names),), search=NAME)
        suppressed = int(self.reader.figures(recipe.levels).suppressed[0])
        if not (any(recipe.levels) or suppressed):
            return Making(search=NAME)
        trees = zip(self.lattice.trees.items(), recipe.levels, strict=True)
        by_name = {name: coarseness(tree, level) for (name, tree), level in trees}
        parameters = {"levels": by_name, "suppressed": suppressed}
        return Making((Step(NAME, parameters, names),), search=NAME)

    def pack(self, recipe: Recipe) -> Mapping[str, NDArray[Any]]:
        """A recipe as named arrays."""
        return packed(recipe)

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> Recipe:
        """The recipe whose arrays were packed."""
        return unpacked(arrays)
