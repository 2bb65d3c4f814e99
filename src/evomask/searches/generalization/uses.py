"""Generalization for several uses: nodes and local recodings by their loss for each use.

A local recoding has a price for each attribute: the weight of its loss in the formation of groups.
Attributes that an analyst needs are expensive, others cheap.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evomask.data.chart import Chart, minimax_point, parallel_chart
from evomask.data.classes import classes_of
from evomask.data.hierarchy_builders import with_categories
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.evolution.archive import fitness_array
from evomask.evolution.individual import FIRST, Fitness, Outcome, Task
from evomask.evolution.schemes import CROSS
from evomask.evolution.state import State
from evomask.evolution.streams import litter_stream
from evomask.evolution.variation import cross_uniformly
from evomask.masking.provenance import Provenance
from evomask.measures.analyses.analyses import PreparedAnalyses
from evomask.searches.base import MaskingProblem
from evomask.searches.generalization.lattice import Lattice, Levels
from evomask.searches.generalization.local_recoding import local_provenance, recode_locally
from evomask.searches.generalization.objectives import Reader
from evomask.searches.generalization.problem import cross, node_provenance, random_node, step
from evomask.types import Codes, Flags, Labels

ANONYMITY, CELLS = "anonymity", "cells"
"""Names of the objectives 100 / k and mean cell loss."""


@dataclass(frozen=True, eq=False)
class Uses:
    """The uses of several analysts of one table.

    Args:
        labels: class labels, each of an analyst.
        kept: analyses to preserve, if any.
    """

    original: Table
    labels: tuple[str, ...]
    kept: PreparedAnalyses | None = None

    def __post_init__(self) -> None:
        for name in self.labels:
            if name not in self.original.schema.names:
                raise SchemaError(f"no attribute {name!r} to classify by; correct --labels")
        if not self.labels and self.kept is None:
            raise ParameterError(
                "several uses need a label or an analysis; "
                "add --labels, --keep-table, --keep-model or --keep-indicator"
            )

    @property
    def names(self) -> tuple[str, ...]:
        kept = self.kept.by_kind.items() if self.kept else ()
        return (
            ANONYMITY,
            CELLS,
            *(f"label {name}" for name in self.labels),
            *(f"{kind} {one.wish.text}" for kind, analyses in kept for one in analyses),
        )

    @cached_property
    def _codes(self) -> Sequence[Codes]:
        return [with_categories(self.original, name).codes(name) for name in self.labels]

    def misclassified(self, classes: Labels, stays: Flags) -> list[float]:
        """Return, for each label, the percentage of records not in the majority of their class.

        Iyengar's classification metric; a suppressed record is misclassified.
        """
        percentages = []
        for codes in self._codes:
            counts = np.zeros((int(classes.max()) + 1, int(codes.max()) + 1), dtype=np.int64)
            np.add.at(counts, (classes[stays], codes[stays]), 1)
            percentages.append(100.0 * (1.0 - float(counts.max(axis=1).sum()) / len(classes)))
        return percentages

    def changed(self, masked: Table) -> list[float]:
        if self.kept is None:
            return []
        return [statistic.error for statistic in self.kept.compare(masked)]


STRIDE = 0.7
"""Standard deviation of the logarithm of a change of a price or of k."""


@dataclass(frozen=True)
class Recipe:
    """How a table is generalized: a node or a local recoding.

    Args:
        levels: levels of a node; empty for local recoding.
        k: smallest group; 0 for a node.
        prices: weight of the loss of each attribute; empty for a node.
    """

    levels: Levels = ()
    k: int = 0
    prices: tuple[float, ...] = ()

    @property
    def is_local(self) -> bool:
        return self.k > 0


def pack_recipe(recipe: Recipe) -> Mapping[str, NDArray[Any]]:
    """Return a recipe as named arrays."""
    return {
        "levels": np.array(recipe.levels, dtype=np.int64),
        "k": np.array([recipe.k], dtype=np.int64),
        "prices": np.array(recipe.prices, dtype=np.float64),
    }


def unpack_recipe(arrays: Mapping[str, NDArray[Any]]) -> Recipe:
    """Return the recipe that was packed."""
    levels = tuple(int(level) for level in arrays["levels"])
    return Recipe(levels, int(arrays["k"][0]), tuple(float(p) for p in arrays["prices"]))


@dataclass(frozen=True, eq=False)
class Recipes:
    """Initialisation and variation of the recipes for one lattice.

    Args:
        sizes: group sizes of the initial local recodings.
    """

    lattice: Lattice
    sizes: tuple[int, ...]

    @cached_property
    def largest(self) -> int:
        strata = self.lattice.source.schema.with_role(Role.STRATUM)
        fewest = classes_of(self.lattice.source, strata).sizes.min(initial=self.lattice.n_records)
        return max(2, int(fewest) // 2)

    def first(self, number: int, rng: np.random.Generator) -> Recipe:
        """Return initial recipe *number*: local recodings, ends of the lattice, random ones."""
        width = len(self.lattice.names)
        if number < len(self.sizes):
            return Recipe(k=self._size(self.sizes[number]), prices=(1.0,) * width)
        ends = (self.lattice.top, (0,) * width)
        if number < len(self.sizes) + len(ends):
            return Recipe(ends[number - len(self.sizes)])
        if number % 2:
            return Recipe(random_node(self.lattice.shape, rng))
        k = float(np.exp(rng.uniform(log(2), log(self.largest))))
        return Recipe(k=self._size(k), prices=_round_prices(np.exp(rng.normal(0.0, 1.0, width))))

    def cross_pair(self, first: Recipe, second: Recipe, rng: np.random.Generator) -> Recipe:
        if first.is_local != second.is_local:
            return self.mutate(first, rng)
        if not first.is_local:
            return Recipe(cross(first.levels, second.levels, rng))
        prices, _ = cross_uniformly(np.array(first.prices), np.array(second.prices), rng)
        k = first.k if rng.random() < 0.5 else second.k
        return Recipe(k=k, prices=_round_prices(prices))

    def mutate(self, recipe: Recipe, rng: np.random.Generator) -> Recipe:
        if not recipe.is_local:
            return Recipe(step(recipe.levels, self.lattice.heights, rng))
        if rng.random() < 0.5:
            wanted = recipe.k * float(np.exp(rng.normal(0.0, STRIDE)))
            return Recipe(k=self._size(wanted), prices=recipe.prices)
        width = len(recipe.prices)
        changes = np.where(rng.random(width) < 2 / width, rng.normal(0.0, 2 * STRIDE, width), 0.0)
        return Recipe(k=recipe.k, prices=_round_prices(np.array(recipe.prices) * np.exp(changes)))

    def _size(self, wanted: float) -> int:
        return int(min(max(round(wanted), 2), self.largest))


def _round_prices(prices: NDArray[Any]) -> tuple[float, ...]:
    return tuple(float(f"{price:.3g}") for price in np.clip(prices, 1e-3, 1e3))


class Generalized(NamedTuple):
    """Equivalence classes, unsuppressed records, loss and table of a recipe."""

    classes: Labels
    stays: Flags
    loss: float
    table: Table


@dataclass(frozen=True, eq=False)
class SeveralUses(MaskingProblem):
    """Generalizations of one table, compared by their loss for several uses.

    Args:
        cache: cache of the fitness of recipes.
    """

    recipes: Recipes
    reader: Reader
    uses: Uses
    cache: dict[Recipe, Fitness] = field(default_factory=dict)

    @property
    def lattice(self) -> Lattice:
        return self.recipes.lattice

    def work(self, task: Task[Recipe], rng: np.random.Generator) -> Outcome[Recipe]:
        recipe = self._child(task, rng)
        return Outcome(recipe, self.fitness(recipe))

    def _child(self, task: Task[Recipe], rng: np.random.Generator) -> Recipe:
        if task.operator == FIRST:
            return self.recipes.first(int(task.rival or 0), rng)
        parents = [parent.genome for parent in task.parents]
        if task.operator == CROSS:
            child = self.recipes.cross_pair(parents[0], parents[1], litter_stream(task.litter))
            return self.recipes.mutate(child, rng)
        return self.recipes.mutate(parents[0], rng)

    def fitness(self, recipe: Recipe) -> Fitness:
        if recipe not in self.cache:
            self.cache[recipe] = self._evaluate(self.made(recipe))
        return self.cache[recipe]

    def _evaluate(self, made: Generalized) -> Fitness:
        sizes = np.bincount(made.classes[made.stays])
        smallest = int(sizes[sizes > 0].min(initial=len(made.classes)))
        return (
            100.0 / smallest,
            made.loss,
            *self.uses.misclassified(made.classes, made.stays),
            *self.uses.changed(made.table),
        )

    def made(self, recipe: Recipe) -> Generalized:
        if recipe.is_local:
            local = recode_locally(self.lattice, recipe.k, recipe.prices)
            stays = np.ones(len(local.labels), dtype=bool)
            return Generalized(
                local.labels, stays, 100.0 * (1.0 - local.granularity), local.applied()
            )
        levels = recipe.levels
        gone = self.reader.suppressed(levels)
        classes = self.lattice.membership(levels, self.reader.classes(levels))
        loss = 100.0 * float(self.reader.figures(levels).losses.mean())
        return Generalized(classes, ~gone, loss, self.lattice.applied(levels, gone))

    def decode(self, recipe: Recipe, draw: int) -> Table:
        return self.made(recipe).table

    def read(self, recipe: Recipe, draw: int) -> Mapping[str, float]:
        fitness = self.fitness(recipe)
        named = dict(zip(self.uses.names, fitness, strict=True))
        suppressed = float((~self.made(recipe).stays).sum())
        k, local = float(round(100.0 / fitness[0])), float(recipe.is_local)
        return {"k": k, **named, "suppressed": suppressed, "local": local}

    def answer(self, recipe: Recipe) -> Mapping[str, object]:
        kind, values = ("prices", recipe.prices) if recipe.is_local else ("levels", recipe.levels)
        setting = dict(zip(self.lattice.names, values, strict=True))
        return {"uses": list(self.uses.names), kind: setting, "lattice": self.lattice.size}

    def overview(self, state: State[Recipe]) -> Mapping[str, object]:
        front = state.archive.members
        least = fitness_array(front).min(axis=0).tolist()
        local = sum(member.genome.is_local for member in front)
        return {
            "least": dict(zip(self.uses.names, least, strict=True)),
            "local_points": local,
            "nodes": len(front) - local,
        }

    def charts(self, state: State[Recipe]) -> Sequence[Chart]:
        front = [member.fitness for member in state.archive.members]
        shown = {"balanced": minimax_point(front)}
        title = "Loss of each point for every use"
        return [parallel_chart("uses", title, self.uses.names, front, shown)]

    def making(self, recipe: Recipe) -> Provenance:
        if recipe.is_local:
            return local_provenance(self.lattice, recipe.k)
        return node_provenance(self.reader, recipe.levels)

    def pack(self, recipe: Recipe) -> Mapping[str, NDArray[Any]]:
        return pack_recipe(recipe)

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> Recipe:
        return unpack_recipe(arrays)
