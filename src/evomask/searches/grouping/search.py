"""The grouping search GOMM and D-GOMM (Balasch, 2010): parameters and setup."""

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

import numpy as np

from evomask.data.partition import validate_k
from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.evolution.individual import COSTS, ScoreRule
from evomask.evolution.loop import Scheme, Setup
from evomask.evolution.schemes import AdaptiveSelection, PlusSelection
from evomask.evolution.selection import Replace, plus, without_clones
from evomask.evolution.stopping import Budget
from evomask.masking.method import About
from evomask.measures.measure import Measure
from evomask.measures.profiles import RiskProfile, classic_loss, classic_risk, profile
from evomask.searches.base import Search, SearchContext, SearchInput, Variants
from evomask.searches.grouping.baselines import baselines, correlations
from evomask.searches.grouping.components import Microaggregations, ThesisMicroaggregations
from evomask.searches.grouping.genome import Group, Grouping
from evomask.searches.grouping.operators import FACTOR, MUTATIONS, SizedGenes, Sizes
from evomask.searches.grouping.problem import (
    NAME,
    AttributeGrouping,
    EqualSizeGenes,
    Genes,
    LossAndRisk,
    Screening,
)

PATIENCE = 5
"""Unsuccessful generations after which D-GOMM excludes an operator."""


class GroupingMeasures(StrEnum):
    """Loss and risk by which groupings are evaluated."""

    SIMPLE = "simple"
    THESIS = "thesis"
    CLASSIC = "classic"
    STRICT = RiskProfile.STRICT.value
    PAPERS = RiskProfile.PAPERS.value


BY_COMPONENTS = {
    GroupingMeasures.SIMPLE: Microaggregations,
    GroupingMeasures.THESIS: ThesisMicroaggregations,
}
"""Measures that are sums over groups."""


@dataclass(frozen=True)
class Parameters:
    """Parameters of the grouping search.

    Args:
        k: smallest number of records in a cluster.
        dynamic: D-GOMM: exclude an operator whose children were all discarded in five consecutive
            generations.
        fitness: simple (IL by squares, ID and DLD), thesis (the same on the thesis' scales),
            classic (IL1 to IL5, ID, DLD and PLD), or the loss and risk of a profile, strict or
            papers.
        score: mean or worst of loss and risk.
        known: attributes that intruders know, such as age,income;area,rent for two intruders; the
            DLD of simple and thesis is their mean; by default one intruder knows all attributes.
        population: size of the population.
        crossovers: crossovers per generation, with two children each.
        mutations: mutations of each kind per generation.
        clones: allow several copies of a grouping in the population, as the thesis does.
        own_k: groups of attributes have their own k, which evolves upwards from k.
        largest: largest k of a group; by default sixteen times k.
        adaptive: operators are drawn by the share of their children that survive; the number of
            children per generation stays the same.
        fallback: with dynamic, use all operators again once every one is excluded; without it the
            run ends then.
        screen: children made per task; the best of them on a sample is evaluated in full.
        sample: number of records in the sample.
    """

    k: int = 25
    dynamic: bool = False
    fitness: GroupingMeasures = GroupingMeasures.SIMPLE
    score: ScoreRule = ScoreRule.MEAN
    known: str = ""
    population: int = 200
    crossovers: int = 25
    mutations: int = 10
    clones: bool = False
    own_k: bool = False
    largest: int | None = None
    adaptive: bool = False
    fallback: bool = False
    screen: int = 1
    sample: int = 500

    def __post_init__(self) -> None:
        validate_k(self.k)
        if self.population < 1:
            raise ParameterError(f"population must be at least 1, got {self.population}")
        if min(self.crossovers, self.mutations) < 0 or not self.crossovers + self.mutations:
            raise ParameterError("crossovers and mutations must not be negative, nor both 0")
        if self.known and self.fitness not in BY_COMPONENTS:
            raise ParameterError("known applies to the fitness simple or thesis; remove one")
        if self.dynamic and self.adaptive:
            raise ParameterError("choose dynamic or adaptive, not both")
        if self.fallback and not self.dynamic:
            raise ParameterError("fallback brings back excluded operators and requires dynamic")
        if self.largest is not None and not self.own_k:
            raise ParameterError("largest is the largest k of a group and requires own_k")
        if self.largest is not None and self.largest < self.k:
            raise ParameterError(f"largest must be k ({self.k}) or more, got {self.largest}")
        if self.screen < 1 or self.sample < 2 * self.k:
            raise ParameterError(f"screen must be at least 1 and sample at least {2 * self.k}")

    @property
    def children(self) -> int:
        return 2 * self.crossovers + len(MUTATIONS) * self.mutations


class GroupingSearch(Search):
    """Microaggregate groups of attributes; the grouping of the attributes evolves."""

    name = NAME
    parameters = Parameters
    budget = Budget(generations=100)
    about = About(
        name=NAME,
        title="microaggregation of evolved groups of attributes",
        steward=(
            "records put into groups of {k}[ to {largest}] or more similar ones and given their "
            ""
            "group's means, separately for {together:apart}"
        ),
        public=(
            "The masked attributes were taken a few at a time. Each time, similar "
            "records "
            "were grouped, and every group got its mean. So the values of "
            "one record need not "
            "belong together."
        ),
    )
    recipes = True
    kernels = ("linking.joint_linkage",)

    @staticmethod
    def variants(source: SearchInput) -> Variants:
        if len(source.numbers) < len(source.names) or len(source.names) < 3:
            return {}
        small = {"population": 8, "crossovers": 2, "mutations": 1, "score": "worst"}
        return {
            f"-{k}": {"k": k, "fitness": source.profile, **small} for k in source.sizes((5, 25))
        }

    @staticmethod
    def setup(table: Table, parameters: Parameters, _: SearchContext) -> Setup[Grouping]:
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
    kind = BY_COMPONENTS.get(parameters.fitness, Microaggregations)
    parts = kind(table, names, validate_k(parameters.k, len(table)), intruders)
    judge = _loss_and_risk(parts, parameters.fitness)
    return AttributeGrouping(parts, COSTS[parameters.score], _genes(parts, parameters), judge)


def _intruders(known: str, names: tuple[str, ...]) -> tuple[Group, ...]:
    sets = [[word.strip() for word in part.split(",")] for part in known.split(";") if part.strip()]
    for name in (name for each in sets for name in each):
        if name not in names:
            raise ParameterError(
                f"known contains {name!r}, which is not masked; the masked attributes are "
                f"{', '.join(names)}"
            )
    return tuple(tuple(sorted({names.index(name) for name in each})) for each in sets)


def _genes(parts: Microaggregations, parameters: Parameters) -> Genes:
    if not parameters.own_k:
        return EqualSizeGenes(len(parts.names), parameters.k)
    most = len(parts.original) // 2
    largest = parameters.largest or FACTOR * parameters.k
    sizes = Sizes(parameters.k, max(parameters.k, min(largest, most)))
    return SizedGenes(
        len(parts.names), sizes, tuple(baselines(correlations(parts.points)).values())
    )


def _scheme(parameters: Parameters, problem: AttributeGrouping) -> Scheme[Grouping]:
    keep = _survival(problem, clones=parameters.clones)
    if parameters.adaptive:
        return AdaptiveSelection(parameters.children, problem.genes.mutations, keep)
    return PlusSelection(
        parameters.crossovers,
        dict.fromkeys(problem.genes.mutations, parameters.mutations),
        PATIENCE if parameters.dynamic else None,
        keep,
        parameters.fallback,
    )


def numbers_of(table: Table) -> tuple[str, ...]:
    """Return the quasi-identifiers, all of which must be continuous."""
    names = table.schema.quasi_identifiers
    if not names:
        raise SchemaError("there is no quasi-identifier to group; name continuous ones")
    for name in names:
        if table.attribute(name).kind is not Kind.CONTINUOUS:
            raise SchemaError(
                f"grouping masks continuous attributes, and {name!r} is "
                f"{table.attribute(name).kind}; leave it out of the quasi-identifiers"
            )
    return names


def _survival(problem: AttributeGrouping, *, clones: bool) -> Replace[Grouping]:
    merge: Replace[Grouping] = partial(plus, by=problem.cost)
    return merge if clones else without_clones(merge, problem.genes.identity)


def _loss_and_risk(parts: Microaggregations, measured: GroupingMeasures) -> LossAndRisk | None:
    if measured in BY_COMPONENTS:
        return None
    loss, risk = (m.against(parts.original) for m in _measures(parts.names, measured))
    return lambda masked: (loss(masked), risk(masked))


def _measures(names: tuple[str, ...], measured: GroupingMeasures) -> tuple[Measure, Measure]:
    if measured is GroupingMeasures.CLASSIC:
        return classic_loss(names), classic_risk(names)
    return profile(measured.value).measures(names)
