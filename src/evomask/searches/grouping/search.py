"""GOMM and D-GOMM (Balasch, 2010): the grouping search put together."""

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

import numpy as np

from evomask.data.partition import checked_k
from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.evolution.individual import COSTS, Joined
from evomask.evolution.loop import Scheme
from evomask.evolution.replacement import Replace, plus, without_clones
from evomask.evolution.schemes import AdaptiveSelection, PlusSelection
from evomask.evolution.setup import Setup
from evomask.evolution.stopping import Budget
from evomask.masking.method import About
from evomask.measures.measure import Measure
from evomask.measures.profiles import RiskProfile, classic_loss, classic_risk, profile
from evomask.searches.grouping.baselines import baselines, correlations
from evomask.searches.grouping.components import Microaggregations
from evomask.searches.grouping.genome import Group, Grouping
from evomask.searches.grouping.operators import MUTATIONS
from evomask.searches.grouping.problem import (
    NAME,
    AttributeGrouping,
    Genes,
    Judge,
    PlainGenes,
    Screening,
)
from evomask.searches.grouping.sized import FACTOR, SizedGenes, Sizes
from evomask.searches.search import File, Surroundings, Variants

PATIENCE = 5
"""Generations in vain after which D-GOMM sets an operator aside."""


class GroupingMeasures(StrEnum):
    """Which loss and risk a grouping is judged by."""

    SIMPLE = "simple"
    CLASSIC = "classic"
    STRICT = RiskProfile.STRICT.value
    PAPERS = RiskProfile.PAPERS.value


@dataclass(frozen=True)
class Parameters:
    """What can be set on the grouping search.

    Args:
        k: smallest number of records in a cluster.
        dynamic: D-GOMM, an operator whose children were all discarded in five successive
            generations is not used any more.
        fitness: simple (IL by squares, ID and DLD), classic (IL1 to IL5, ID, DLD and PLD),
            or the loss and risk of a profile, strict or papers.
        score: mean or worst of loss and risk.
        known: attributes that intruders know, as age,income;area,rent for two of them: simple's
            DLD is the mean over all; by default one knows all attributes.
        population: how many groupings stay.
        crossovers: how many in a generation; each has two children.
        mutations: how many of each kind in a generation.
        clones: let the same grouping into the population more than once, as the thesis does.
        own_k: groups of attributes have a k of their own, which evolves from k upwards.
        largest: the largest k that a group may have; by default sixteen times k.
        adaptive: operators are used the more, the more of their children stay; a generation
            has as many children as without.
        screen: how many children are made of each task; the best of them in a sample of the
            records is measured in full.
        sample: how many records the sample has.
    """

    k: int = 25
    dynamic: bool = False
    fitness: GroupingMeasures = GroupingMeasures.SIMPLE
    score: Joined = Joined.MEAN
    known: str = ""
    population: int = 200
    crossovers: int = 25
    mutations: int = 10
    clones: bool = False
    own_k: bool = False
    largest: int | None = None
    adaptive: bool = False
    screen: int = 1
    sample: int = 500

    def __post_init__(self) -> None:
        checked_k(self.k)
        if self.population < 1:
            raise ParameterError(f"population must be at least 1, got {self.population}")
        if min(self.crossovers, self.mutations) < 0 or not self.crossovers + self.mutations:
            raise ParameterError("crossovers and mutations must not be negative, nor both 0")
        if self.known and self.fitness is not GroupingMeasures.SIMPLE:
            raise ParameterError("known belongs to the simple fitness; leave one of both out")
        if self.dynamic and self.adaptive:
            raise ParameterError("rates are dynamic or adaptive; choose one of the two")
        if self.largest is not None and not self.own_k:
            raise ParameterError("largest is the largest own k of a group; it needs own_k")
        if self.largest is not None and self.largest < self.k:
            raise ParameterError(f"largest must be k ({self.k}) or more, got {self.largest}")
        if self.screen < 1 or self.sample < 2 * self.k:
            raise ParameterError(f"screen must be at least 1, sample at least {2 * self.k}")

    @property
    def children(self) -> int:
        """How many a generation has."""
        return 2 * self.crossovers + len(MUTATIONS) * self.mutations


class GroupingSearch:
    """Microaggregate groups of attributes; which attributes stand together evolves."""

    name = NAME
    parameters = Parameters
    budget = Budget(generations=100)
    about = About(
        name=NAME,
        title="microaggregation of evolved groups of attributes",
        steward=(
            "records put into groups of {k}[ to {largest}] or more similar ones and given their "
            "group's means, apart for {together:apart}"
        ),
        public=(
            "The masked attributes were taken a few at a time. For each few, records were put "
            "into groups of similar ones, and every group got its mean. So values that stand "
            "in one record need not belong together."
        ),
    )
    cost = 1.0
    recipes = True
    keeps_strata = False
    kernels = ("linking.joint_linkage",)

    @staticmethod
    def variants(file: File) -> Variants:
        """A member for each of two sizes of clusters, where there are three numbers or more."""
        if len(file.numbers) < len(file.names) or len(file.names) < 3:
            return {}
        small = {"population": 8, "crossovers": 2, "mutations": 1, "score": "worst"}
        return {f"-{k}": {"k": k, "fitness": file.profile, **small} for k in file.sizes((5, 25))}

    @staticmethod
    def setup(table: Table, parameters: Parameters, _: Surroundings) -> Setup[Grouping]:
        """The search made ready; nothing in it is random but the evolution."""
        problem = _problem(table, parameters)
        if parameters.screen > 1 and len(table) > parameters.sample:
            places = np.arange(parameters.sample) * len(table) // parameters.sample
            sample = _problem(table.take(places), parameters)
            problem = replace(problem, screening=Screening(sample, parameters.screen))
        scheme = _scheme(parameters, problem)
        return Setup(problem, scheme, first=parameters.population, cost=problem.cost)


def _problem(table: Table, parameters: Parameters) -> AttributeGrouping:
    names = numbers_of(table)
    intruders = _intruders(parameters.known, names)
    parts = Microaggregations(table, names, checked_k(parameters.k, len(table)), intruders)
    judge = _judge(parts, parameters.fitness)
    return AttributeGrouping(parts, COSTS[parameters.score], _genes(parts, parameters), judge)


def _intruders(known: str, names: tuple[str, ...]) -> tuple[Group, ...]:
    """Places of the attributes that each intruder knows."""
    sets = [[word.strip() for word in part.split(",")] for part in known.split(";") if part.strip()]
    for name in (name for each in sets for name in each):
        if name not in names:
            raise ParameterError(
                f"known names {name!r}, which is no attribute to be masked; there are "
                f"{', '.join(names)}"
            )
    return tuple(tuple(sorted({names.index(name) for name in each})) for each in sets)


def _genes(parts: Microaggregations, parameters: Parameters) -> Genes:
    """Of one k for all, or of a k for each group, begun with known groupings."""
    if not parameters.own_k:
        return PlainGenes(len(parts.names), parameters.k)
    most = len(parts.original) // 2
    largest = parameters.largest or FACTOR * parameters.k
    sizes = Sizes(parameters.k, max(parameters.k, min(largest, most)))
    return SizedGenes(
        len(parts.names), sizes, tuple(baselines(correlations(parts.points)).values())
    )


def _scheme(parameters: Parameters, problem: AttributeGrouping) -> Scheme[Grouping]:
    keep = _replacement(problem, clones=parameters.clones)
    if parameters.adaptive:
        return AdaptiveSelection(parameters.children, problem.genes.mutations, keep)
    return PlusSelection(
        parameters.crossovers,
        dict.fromkeys(problem.genes.mutations, parameters.mutations),
        PATIENCE if parameters.dynamic else None,
        keep,
    )


def numbers_of(table: Table) -> tuple[str, ...]:
    """The quasi-identifiers, all of which must be numbers."""
    names = table.schema.quasi_identifiers
    if not names:
        raise SchemaError("there is no quasi-identifier to group; name continuous ones")
    for name in names:
        if table.attribute(name).kind is not Kind.CONTINUOUS:
            raise SchemaError(
                f"grouping masks numbers, and {name!r} is {table.attribute(name).kind}; "
                "leave it out of the quasi-identifiers"
            )
    return names


def _replacement(problem: AttributeGrouping, *, clones: bool) -> Replace[Grouping]:
    merge: Replace[Grouping] = partial(plus, by=problem.cost)
    return merge if clones else without_clones(merge, problem.genes.identity)


def _judge(parts: Microaggregations, measured: GroupingMeasures) -> Judge | None:
    if measured is GroupingMeasures.SIMPLE:
        return None
    loss, risk = (m.against(parts.original) for m in _measures(parts.names, measured))
    return lambda masked: (loss(masked), risk(masked))


def _measures(names: tuple[str, ...], measured: GroupingMeasures) -> tuple[Measure, Measure]:
    if measured is GroupingMeasures.CLASSIC:
        return classic_loss(names), classic_risk(names)
    return profile(measured.value).measures(names)
