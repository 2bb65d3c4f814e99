"""The search as the catalogue knows it: what can be set, and how it is put together."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import log1p
from typing import Any

from evomask.data.partition import checked_k
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.evolution.archive import BoxedFront
from evomask.evolution.individual import Cost, Fitness
from evomask.evolution.individual import worst as worst_objective
from evomask.evolution.loop import Scheme
from evomask.evolution.schemes import Archived, Unbred
from evomask.evolution.setup import Setup
from evomask.evolution.stopping import Budget
from evomask.masking.method import About
from evomask.searches.generalization.coarseness import NAME
from evomask.searches.generalization.guided.people import People
from evomask.searches.generalization.guided.scheme import Guided, first_nodes
from evomask.searches.generalization.guided.thresholds import Thresholds
from evomask.searches.generalization.indices import BINARY, index_named
from evomask.searches.generalization.lattice import Lattice, Levels
from evomask.searches.generalization.local_problem import LocalRecodings
from evomask.searches.generalization.problem import Nodes
from evomask.searches.generalization.reader import AnyIndex, Objectives, Reader, RelativeIndex
from evomask.searches.generalization.schemes import Remembering
from evomask.searches.generalization.trees import lattice_for
from evomask.searches.generalization.uses.objectives import Uses
from evomask.searches.generalization.uses.problem import SeveralUses
from evomask.searches.generalization.uses.recipe import Recipe, Recipes
from evomask.searches.search import File, Surroundings, Variants

POPULATION = 25
CROSSOVER_RATE = 0.8

TINY = 1e-9

USES_POPULATION = 40
BOX = 0.5
"""Percent within which two points cost a use the same."""

MANY_SIZES = (2, 3, 5, 10, 25, 50, 100, 250, 500, 1000, 2500)
"""Sizes of classes that local recoding tries in a portfolio: one takes little time."""


class Algorithm(StrEnum):
    """How the lattice is searched: ours, the paper's, or all of it."""

    GUIDED = "guided"
    PBG_EA = "pbg-ea"
    EXHAUSTIVE = "exhaustive"


@dataclass(frozen=True)
class Parameters:
    """What can be set on the search for generalizations.

    Args:
        hierarchies: folder with a value tree for each quasi-identifier, NAME.csv or as ARX
            names them; without it, the files that the schema names.
        attributes: what to generalize; by default all quasi-identifiers.
        objectives: what nodes are compared by: k, l, entropy, t, sk, sl, agreement, glm, cm,
            precision, discernibility, loss; and gain and cover, which compare every record's
            class with the one it has in the node of against.
        against: the node that gain and cover compare with: a level for each attribute.
        suppression: percent of the records that may be suppressed.
        algorithm: guided (ours), pbg-ea (the paper's) or exhaustive.
        exhaustive: read every node; the same as the algorithm exhaustive.
        compare: tell CE and RR of what was found against every node.
        boxes: sides of boxes that hold one node each, one for each objective.
        label: the attribute to classify by, for cm.
        local: recode locally, each group of k records only as far as it needs.
        k: sizes of the groups that local recoding makes, one point each.
        population: how many first nodes; by default 25 for pbg-ea, 5 or 10 for guided, 40 for uses.
        crossover: how often pbg-ea crosses two nodes.
        mutation: how likely pbg-ea moves each level of a child; 1 / attributes unless told.
        uses: find the front of what nodes and local recodings cost several uses at once: each
            of the labels, and each table and model that must survive.
        labels: attributes that analysts classify by, for uses; they stay as they are.
    """

    hierarchies: str = ""
    attributes: tuple[str, ...] = ()
    objectives: tuple[str, ...] = ("k", "glm")
    against: tuple[int, ...] = ()
    suppression: float = 0.0
    algorithm: Algorithm = Algorithm.GUIDED
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
            raise ParameterError("labels are for several uses; add --uses, or name one --label")
        if self.uses and (self.local or self.exhaustive or self.label):
            raise ParameterError("uses tries nodes and local recodings; leave the others out")
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
    """Under what conditions nodes are compared.

    Args:
        limit: how many records may be suppressed.
        boxes: the sides of boxes that hold one node each, by objective; ones by default.
        population: how many first nodes; by default 25 for PBG-EA, 5 or 10 for ours.
        compare: whether the answer tells CE and RR against the whole lattice.
        crossover: how often PBG-EA crosses two nodes.
        mutation: how likely PBG-EA moves each level of a child; 1 / attributes unless told.
    """

    limit: int = 0
    boxes: tuple[float, ...] = ()
    population: int | None = None
    compare: bool = False
    crossover: float = CROSSOVER_RATE
    mutation: float | None = None


class GeneralizationSearch:
    """Generalize values up their hierarchies; how far up evolves, for many properties at once."""

    name = NAME
    parameters = Parameters
    budget = Budget(generations=100)
    about = About(
        name=NAME,
        title="generalization",
        steward=(
            "[values given less exactly: {levels:levels}|records put into groups of {k} or "
            "more, each given as exactly as it allows: {attributes}|values as they are][, "
            "{suppressed:records} left out]"
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
        "lattice.promise",
    )

    @staticmethod
    def variants(file: File) -> Variants:
        """Nodes of the lattice and local recoding, where categories have value trees."""
        if not file.with_trees:
            return {}
        whole, sizes = {"attributes": file.with_trees}, file.sizes(MANY_SIZES)
        return {"": whole} | ({"-local": {**whole, "local": True, "k": sizes}} if sizes else {})

    @staticmethod
    def setup(table: Table, parameters: Parameters, around: Surroundings) -> Setup[Any]:
        """The lattice of the quasi-identifiers' trees, and a search through it."""
        if parameters.uses:
            return for_several_uses(table, parameters, around)
        chosen, label = parameters.attributes, parameters.label
        lattice = lattice_for(table, around.hierarchies, chosen, label)
        if parameters.local:
            wanted = tuple(checked_k(k, len(table)) for k in parameters.k)
            return Setup(
                LocalRecodings(lattice, wanted), Unbred(), len(wanted), cost=lambda f: f[1]
            )
        algorithm = Algorithm.EXHAUSTIVE if parameters.exhaustive else parameters.algorithm
        conditions = Conditions(
            limit=int(len(table) * parameters.suppression / 100),
            boxes=parameters.boxes,
            compare=parameters.compare,
            population=parameters.population,
            crossover=parameters.crossover,
            mutation=parameters.mutation,
        )
        return put_together(lattice, _indices(lattice, parameters), algorithm, conditions)


def _indices(lattice: Lattice, parameters: Parameters) -> list[AnyIndex]:
    return [
        RelativeIndex.of(name, lattice, parameters.against) if name in BINARY else index_named(name)
        for name in parameters.objectives
    ]


def for_several_uses(table: Table, parameters: Parameters, around: Surroundings) -> Setup[Recipe]:
    """Nodes and local recodings of one lattice, compared by what they cost each use."""
    kept = around.keep.against(table) if around.keep else None
    uses = Uses(table, parameters.labels, kept)
    wanted = parameters.attributes or table.schema.quasi_identifiers
    names = tuple(name for name in wanted if name not in parameters.labels)
    lattice = lattice_for(table, around.hierarchies, names)
    limit = int(len(table) * parameters.suppression / 100)
    recipes, rule = Recipes(lattice, parameters.k), lattice.rule(limit=limit)
    problem = SeveralUses(recipes, Reader(lattice, rule), uses)
    archive = BoxedFront[Recipe]((BOX,) * len(uses.names))
    first = parameters.population or USES_POPULATION
    return Setup(problem, Archived(parameters.crossover), first, archive, worst_objective)


def put_together(
    lattice: Lattice,
    indices: Sequence[AnyIndex],
    algorithm: Algorithm = Algorithm.GUIDED,
    conditions: Conditions = Conditions(),
) -> Setup[Levels]:
    """A search over one lattice, ready for the loop."""
    objectives = Objectives(lattice, tuple(indices))
    reader = Reader(lattice, lattice.rule(limit=conditions.limit, shares=objectives.shares))
    sides = _sides(conditions.boxes, objectives)
    every = algorithm is Algorithm.EXHAUSTIVE
    scheme, first = _scheme(algorithm, objectives, conditions, reader)
    return Setup(
        Nodes(reader, objectives, sides, every, conditions.compare, conditions.mutation),
        scheme,
        first,
        BoxedFront[Levels](sides),
        _worst(objectives),
    )


def _scheme(
    algorithm: Algorithm, objectives: Objectives, conditions: Conditions, reader: Reader
) -> tuple[Scheme[Levels], int]:
    """How to go on, and how many nodes to begin with."""
    if algorithm is Algorithm.EXHAUSTIVE:
        return Unbred(), objectives.lattice.size
    if algorithm is Algorithm.PBG_EA:
        size = conditions.population or POPULATION
        return Remembering(Archived(conditions.crossover), size), size
    first = first_nodes(objectives.lattice.size)
    people = People(reader, objectives.indices)
    return Guided(objectives, Thresholds(reader), people), conditions.population or first


def _sides(boxes: tuple[float, ...], objectives: Objectives) -> tuple[float, ...]:
    """One side per objective; an objective that is a share gets boxes too small to matter."""
    if not boxes:
        return tuple(1.0 if largest > 2.0 else TINY for largest in objectives.largest)
    if len(boxes) != len(objectives.indices):
        raise ParameterError(
            f"boxes need a side for each of {len(objectives.indices)} objectives, got {len(boxes)}"
        )
    return boxes


def _worst(objectives: Objectives) -> Cost:
    """One cost: the objective that is worst on a scale from 0 to 1, qualities by logarithm.

    A quality of the user's own that has no bound counts 1 / (1 + value).
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
