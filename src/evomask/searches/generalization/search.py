"""The generalization search: parameters, algorithms and setup."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import log1p
from typing import Any

from evomask.data.partition import validate_k
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.evolution.archive import BoxedFront
from evomask.evolution.individual import Cost, Fitness, worst_objective
from evomask.evolution.loop import Scheme, Setup
from evomask.evolution.schemes import Archived, Unbred
from evomask.evolution.stopping import Budget
from evomask.masking.method import About
from evomask.searches.base import Search, SearchContext, SearchInput, Variants
from evomask.searches.generalization.guided_search import FIRST_NODES, Guided, Remembering
from evomask.searches.generalization.lattice import Lattice, Levels, lattice_for
from evomask.searches.generalization.local_recoding import LocalRecodings
from evomask.searches.generalization.objectives import (
    BINARY,
    AnyIndex,
    Index,
    Objectives,
    Reader,
    RelativeIndex,
    index_named,
)
from evomask.searches.generalization.problem import NAME, Nodes
from evomask.searches.generalization.uses import Recipe, Recipes, SeveralUses, Uses

POPULATION = 25
CROSSOVER_RATE = 0.8

EXHAUSTIVE_NODES = 100_000
"""Nodes of a lattice below which all are evaluated unless an algorithm is chosen."""

TINY = 1e-9

USES_POPULATION = 40
BOX = 0.5
"""Difference in percent below which two points are equal for a use."""

MANY_SIZES = (2, 3, 5, 10, 25, 50, 100, 250, 500, 1000, 2500)
"""Values of k for local recoding in `protect`."""


class Algorithm(StrEnum):
    """How the lattice is searched: all nodes, by predictions, or by PBG-EA as published."""

    GUIDED = "guided"
    PBG_EA = "pbg-ea"
    EXHAUSTIVE = "exhaustive"


@dataclass(frozen=True)
class Parameters:
    """Parameters of the search for generalizations.

    Args:
        hierarchies: folder with a hierarchy for each quasi-identifier, NAME.csv or named as by
            ARX; by default the files that the schema names.
        attributes: attributes to generalize; by default all quasi-identifiers.
        objectives: objectives of nodes: k, l, entropy, t, sk, sl, agreement, glm, cm, precision,
            discernibility, loss; and gain and cover, which compare the class of every record with
            its class in the node given by against.
        against: the node that gain and cover compare with: a level for each attribute.
        suppression: percentage of records that may be suppressed.
        algorithm: exhaustive (every node), guided (nodes that a prediction favours) or pbg-ea (as
            published); by default exhaustive below 100,000 nodes, else guided.
        exhaustive: evaluate every node; the same as the algorithm exhaustive.
        compare: report CE and RR of the front found against the exact front.
        boxes: sides of the boxes that hold one node each, one for each objective.
        label: class label for cm.
        local: local recoding: each group of k records is generalized only as far as necessary.
        k: group sizes of local recoding, one point each.
        population: initial nodes; by default 25 for pbg-ea, 10 for guided, 40 for uses.
        crossover: crossover rate of pbg-ea.
        mutation: probability that pbg-ea moves a level of a child; by default 1 / attributes.
        uses: find the front of nodes and local recodings by their loss for several uses: each
            label, and each table and model to preserve.
        labels: class labels of the analysts, for uses; they are not generalized.
    """

    hierarchies: str = ""
    attributes: tuple[str, ...] = ()
    objectives: tuple[str, ...] = ("k", "glm")
    against: tuple[int, ...] = ()
    suppression: float = 0.0
    algorithm: Algorithm | None = None
    exhaustive: bool = False
    compare: bool = False
    boxes: tuple[float, ...] = ()
    label: str = ""
    local: bool = False
    k: tuple[int, ...] = (2, 3, 5, 10, 20, 50)
    population: int | None = None
    crossover: float = CROSSOVER_RATE
    mutation: float | None = None
    uses: bool = False
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.labels and not self.uses:
            raise ParameterError("--labels requires --uses; add it, or give a single --label")
        if self.uses and (self.local or self.exhaustive or self.label):
            raise ParameterError(
                "uses combines nodes and local recodings; remove local, exhaustive and label"
            )
        if self.population is not None and self.population < 2:
            raise ParameterError(f"population must be at least 2, got {self.population}")
        for name, rate in (("crossover", self.crossover), ("mutation", self.mutation)):
            if rate is not None and not 0 <= rate <= 1:
                raise ParameterError(f"{name} must lie in [0, 1], got {rate:g}")
        self._check_rates_are_used()
        if not 0 <= self.suppression < 100:
            raise ParameterError(
                f"suppression must be at least 0 and below 100 percent, got {self.suppression:g}"
            )
        for name in self.objectives:
            if name not in BINARY:
                index_named(name)

    def _check_rates_are_used(self) -> None:
        bred = self.algorithm is Algorithm.PBG_EA and not (self.exhaustive or self.local)
        if bred and not self.uses:
            return
        crossed = self.crossover != CROSSOVER_RATE and not self.uses
        if crossed or self.mutation is not None:
            name = "crossover" if crossed else "mutation"
            raise ParameterError(f"{name} is a rate of pbg-ea; add --algorithm pbg-ea or leave it")


@dataclass(frozen=True)
class Conditions:
    """Conditions of a search over one lattice.

    Args:
        limit: number of records that may be suppressed.
        boxes: sides of the boxes that hold one node each, by objective; 1 by default.
        population: initial nodes; by default 25 for PBG-EA, 10 for the guided search.
        compare: whether the answer reports CE and RR against the exact front.
        crossover: crossover rate of PBG-EA.
        mutation: probability that PBG-EA moves a level of a child; by default 1 / attributes.
    """

    limit: int = 0
    boxes: tuple[float, ...] = ()
    population: int | None = None
    compare: bool = False
    crossover: float = CROSSOVER_RATE
    mutation: float | None = None


class GeneralizationSearch(Search):
    """Generalize values by their hierarchies; the levels evolve, for several objectives at once."""

    name = NAME
    parameters = Parameters
    budget = Budget(generations=100)
    about = About(
        name=NAME,
        title="generalization",
        steward=(
            "[values generalized: {levels:levels}|records put into groups of {k} or more, "
            "each generalized as little as possible: {attributes}|values unchanged][, "
            "{suppressed:records} suppressed]"
        ),
        public="Values were replaced by less detailed ones, as an age by an age group.",
    )
    cost = 0.1
    recipes = True
    keeps_strata = True
    kernels = (
        "lattice.classes",
        "lattice.bounds",
        "lattice.local_recoding",
        "lattice.nodes",
    )

    @staticmethod
    def variants(source: SearchInput) -> Variants:
        if not source.with_trees:
            return {}
        whole, sizes = {"attributes": source.with_trees}, source.sizes(MANY_SIZES)
        nodes = {**whole, "algorithm": Algorithm.GUIDED.value}
        return {"": nodes} | ({"-local": {**whole, "local": True, "k": sizes}} if sizes else {})

    @staticmethod
    def setup(table: Table, parameters: Parameters, context: SearchContext) -> Setup[Any]:
        if parameters.uses:
            return build_uses_setup(table, parameters, context)
        chosen, label = parameters.attributes, parameters.label
        lattice = lattice_for(table, context.hierarchies, chosen, label)
        if parameters.local:
            sizes = tuple(validate_k(k, len(table)) for k in parameters.k)
            return Setup(LocalRecodings(lattice, sizes), Unbred(), len(sizes), cost=lambda f: f[1])
        conditions = Conditions(
            limit=int(len(table) * parameters.suppression / 100),
            boxes=parameters.boxes,
            compare=parameters.compare,
            population=parameters.population,
            crossover=parameters.crossover,
            mutation=parameters.mutation,
        )
        indices = _indices(lattice, parameters)
        algorithm = _algorithm(lattice, indices, parameters, context.budget)
        return build_setup(lattice, indices, algorithm, conditions)


def _indices(lattice: Lattice, parameters: Parameters) -> list[AnyIndex]:
    return [
        RelativeIndex.of(name, lattice, parameters.against) if name in BINARY else index_named(name)
        for name in parameters.objectives
    ]


def _algorithm(
    lattice: Lattice, indices: Sequence[AnyIndex], parameters: Parameters, budget: Budget | None
) -> Algorithm:
    if parameters.exhaustive:
        return Algorithm.EXHAUSTIVE
    if parameters.algorithm is not None:
        return parameters.algorithm
    evaluations = budget.evaluations if budget is not None else None
    is_affordable = evaluations is None or evaluations >= lattice.size
    is_swept = all(isinstance(index, Index) for index in indices)
    if lattice.size < EXHAUSTIVE_NODES and is_swept and is_affordable and not parameters.population:
        return Algorithm.EXHAUSTIVE
    return Algorithm.GUIDED


def build_uses_setup(table: Table, parameters: Parameters, context: SearchContext) -> Setup[Recipe]:
    """Prepare the search for the front over several uses."""
    kept = context.keep.against(table) if context.keep else None
    uses = Uses(table, parameters.labels, kept)
    chosen = parameters.attributes or table.schema.quasi_identifiers
    names = tuple(name for name in chosen if name not in parameters.labels)
    lattice = lattice_for(table, context.hierarchies, names)
    limit = int(len(table) * parameters.suppression / 100)
    recipes, rule = Recipes(lattice, parameters.k), lattice.rule(limit=limit)
    problem = SeveralUses(recipes, Reader(lattice, rule), uses)
    archive = BoxedFront[Recipe]((BOX,) * len(uses.names))
    first = parameters.population or USES_POPULATION
    return Setup(problem, Archived(parameters.crossover), first, archive, worst_objective)


def build_setup(
    lattice: Lattice,
    indices: Sequence[AnyIndex],
    algorithm: Algorithm = Algorithm.GUIDED,
    conditions: Conditions = Conditions(),
) -> Setup[Levels]:
    """Prepare a search over one lattice."""
    objectives = Objectives(lattice, tuple(indices))
    reader = Reader(lattice, lattice.rule(limit=conditions.limit, shares=objectives.shares))
    sides = _sides(conditions.boxes, objectives)
    every = algorithm is Algorithm.EXHAUSTIVE
    scheme, first = _scheme(algorithm, objectives, conditions)
    return Setup(
        Nodes(reader, objectives, sides, every, conditions.compare, conditions.mutation),
        scheme,
        first,
        BoxedFront[Levels](sides),
        _worst_objective_cost(objectives),
    )


def _scheme(
    algorithm: Algorithm, objectives: Objectives, conditions: Conditions
) -> tuple[Scheme[Levels], int]:
    """Return the scheme and the number of initial nodes."""
    if algorithm is Algorithm.EXHAUSTIVE:
        return Unbred(), objectives.lattice.size
    if algorithm is Algorithm.PBG_EA:
        size = conditions.population or POPULATION
        return Remembering(Archived(conditions.crossover), size), size
    return Guided(objectives), conditions.population or FIRST_NODES


def _sides(boxes: tuple[float, ...], objectives: Objectives) -> tuple[float, ...]:
    """Return one side length per objective; negligible for an objective that is a share."""
    if not boxes:
        return tuple(1.0 if largest > 2.0 else TINY for largest in objectives.largest)
    if len(boxes) != len(objectives.indices):
        raise ParameterError(
            f"--boxes needs a side length for each of {len(objectives.indices)} objectives, got "
            f"{len(boxes)}"
        )
    return boxes


def _worst_objective_cost(objectives: Objectives) -> Cost:
    """Return the cost: the worst objective on a scale from 0 to 1, qualities by logarithm.

    A user-defined quality without a bound counts 1 / (1 + value).
    """

    def quality(value: float, bound: float) -> float:
        return 1.0 - log1p(value) / log1p(bound) if bound else 1.0 / (1.0 + value)

    scales = list(zip(objectives.indices, objectives.largest.tolist(), strict=True))

    def cost(fitness: Fitness) -> float:
        return max(
            quality(-value, bound) if index.more else value / bound + 1.0
            for value, (index, bound) in zip(fitness, scales, strict=True)
        )

    return cost
