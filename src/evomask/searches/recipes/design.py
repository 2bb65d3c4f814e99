"""Initial design: all applicable masking methods with many parameters, as recipes.

To the grid of single methods come recipes that data stewards use: local suppression,
generalization of what an intruder knows, and few suppressions after generalization, all with
microaggregated numbers; syntheses of all attributes, or of one given the others, for all records or
for those that stand out; and where scenarios know numbers roughly, numbers swapped within classes
of categories, which are left to enforcement.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import chain, zip_longest
from typing import NamedTuple

import numpy as np

from evomask.data.hierarchy import Hierarchy
from evomask.data.table import Table
from evomask.masking.composition import InTurn
from evomask.masking.grid import GridMethod, Names, first_population, split_by_kind
from evomask.masking.local_suppression import LocalSuppression, SuppressionMatching
from evomask.masking.method import MaskingMethod
from evomask.masking.microaggregation.mdav import MdavGeneric
from evomask.masking.rank_swapping import RankSwapping
from evomask.masking.recipe import Recipe, identity, recipe_of
from evomask.masking.recoding.global_recoding import Generalization
from evomask.masking.synthesis.bayesian_network import BayesianNetwork
from evomask.masking.synthesis.cart import Cart
from evomask.masking.synthesis.copula import Copula

SUPPRESSED = "local suppression"
GENERALIZED = "generalization"
GENERALIZED_LEVELS = (1, 2)
GENERALIZED_K = 5
"""Size of the groups of numbers beside generalized categories."""

SUPPRESSION_K = (2, 3, 5, 10, 20)
"""Values of k for local suppression."""

WITHIN = "swapping within categories"
WITHIN_WINDOWS = (3, 15, 30, 50, 100)
"""Windows of rank swapping within classes, in percent of their records."""

WITHIN_SHARES = (0.5, 1.0)
"""Shares of the categorical attributes whose classes numbers are swapped within."""

RECODED = "generalization and local suppression"
RECODED_K = (2, 5)
"""Values of k for local suppression after generalization."""


SYNTHESIZED = "synthesis"
RARE = (0, 1, 3, 10)
"""Sizes of classes up to which records are synthesized; 0 for all records."""


class Design(NamedTuple):
    """An initial recipe and the family of methods that it belongs to."""

    recipe: Recipe
    family: str


def initial_design(
    table: Table,
    hierarchies: Mapping[str, Hierarchy],
    draws: Callable[[int], np.random.Generator],
) -> tuple[Design, ...]:
    """Return the initial recipes of a table: one of each family in turn, each recipe once.

    Within a family the order is random; local suppression comes last in each round, with
    increasing k.
    """
    methods = (
        *first_population(table),
        *suppression_methods(table),
        *generalization_methods(table, hierarchies),
        *recoding_methods(table, hierarchies),
        *synthesis_methods(table),
        *swapping_methods(table),
    )
    families: dict[str, list[GridMethod]] = {}
    others = [method for method in methods if method.family != SUPPRESSED]
    for place in draws(len(others)).permutation(len(others)).tolist():
        families.setdefault(others[place].family, []).append(others[place])
    rounds = [families[name] for name in sorted(families)]
    rounds.append([method for method in methods if method.family == SUPPRESSED])
    found: dict[str, Design] = {}
    for method in chain.from_iterable(zip_longest(*rounds)):
        if method is not None:
            recipe = recipe_of(method.method)
            found.setdefault(identity(recipe), Design(recipe, method.family))
    return tuple(found.values())


def suppression_methods(table: Table) -> Iterator[GridMethod]:
    """Return local suppression of categories for several k, with microaggregated numbers.

    With scenarios, of the categories that each knows exactly, one scenario after the other.
    """
    yield from _suppression_by_scenario(table)
    numeric, categorical = split_by_kind(table, table.schema.quasi_identifiers)
    for k in SUPPRESSION_K if len(categorical) > 1 else ():
        if 2 * k <= len(table):
            cells = LocalSuppression(categorical, k)
            both = InTurn((MdavGeneric(numeric, k), cells)) if numeric else cells
            yield GridMethod(both, SUPPRESSED)


def _suppression_by_scenario(table: Table) -> Iterator[GridMethod]:
    numeric, _ = split_by_kind(table, _known(table))
    keys = _keys_of_scenarios(table)
    for k in SUPPRESSION_K if keys else ():
        if 2 * k <= len(table):
            cells = tuple(LocalSuppression(names, k) for names in keys)
            numbers = (MdavGeneric(numeric, k),) if numeric else ()
            yield GridMethod(InTurn((*numbers, *cells)), SUPPRESSED)


def _keys_of_scenarios(table: Table) -> list[Names]:
    """The categories that each scenario knows exactly; none if some of them are not masked."""
    scenarios = table.schema.scenarios
    exact = [split_by_kind(table, (*one.knows, *one.of))[1] for one in scenarios]
    keys = [names for names in dict.fromkeys(exact) if names]
    quasi = set(table.schema.quasi_identifiers)
    return keys if all(quasi.issuperset(names) for names in keys) else []


def synthesis_methods(table: Table) -> Iterator[GridMethod]:
    """Return syntheses of all quasi-identifiers by each model, and of each given the others."""
    names = table.schema.quasi_identifiers
    for rare in RARE:
        for model in (Cart, BayesianNetwork, Copula):
            yield GridMethod(model(names, rare=rare), SYNTHESIZED)
        for name in names if len(names) > 1 else ():
            yield GridMethod(Cart((name,), rare=rare), SYNTHESIZED)


def generalization_methods(
    table: Table, hierarchies: Mapping[str, Hierarchy]
) -> Iterator[GridMethod]:
    """Return generalization of what scenarios know by one and by two levels.

    Without scenarios, of all quasi-identifiers.
    """
    for method in _generalizations(table, hierarchies):
        numbers = _microaggregated(table, GENERALIZED_K)
        yield GridMethod(InTurn((*numbers, method)) if numbers else method, GENERALIZED)


def recoding_methods(table: Table, hierarchies: Mapping[str, Hierarchy]) -> Iterator[GridMethod]:
    """Return generalization, then local suppression of the few cells that still stand out.

    With scenarios, of the categories that each knows exactly; without, of all quasi-identifiers.
    """
    _, categorical = split_by_kind(table, table.schema.quasi_identifiers)
    keys = _keys_of_scenarios(table) if table.schema.scenarios else [categorical]
    for k in RECODED_K if keys and len(keys[0]) > 1 else ():
        for method in _generalizations(table, hierarchies) if 2 * k <= len(table) else ():
            cells = (LocalSuppression(names, k, SuppressionMatching.COVERING) for names in keys)
            yield GridMethod(InTurn((*_microaggregated(table, k), method, *cells)), RECODED)


def swapping_methods(table: Table) -> Iterator[GridMethod]:
    """Return rank swapping of the numbers that no scenario knows exactly, within categories.

    Classes are those of the categorical attributes with the fewest categories; none, some or all.
    """
    exact = {name for one in table.schema.scenarios for name in (*one.knows, *one.of)}
    numeric, categorical = split_by_kind(table, _known(table))
    numbers = tuple(name for name in numeric if name not in exact)
    ordered = sorted(categorical, key=lambda name: table.attribute(name).domain_size)
    sets = dict.fromkeys(tuple(ordered[: round(s * len(ordered))]) for s in WITHIN_SHARES)
    for names in sets if exact and numbers and len(table) > 2 else ():
        for window in WITHIN_WINDOWS:
            yield GridMethod(RankSwapping(numbers, window, within=names or None), WITHIN)


def _generalizations(table: Table, hierarchies: Mapping[str, Hierarchy]) -> Iterator[MaskingMethod]:
    """Generalization of what is known by one and two levels, none to a single category."""
    _, categorical = split_by_kind(table, _known(table))
    trees = {name: hierarchies[name] for name in categorical if name in hierarchies}
    trees = {name: tree for name, tree in trees.items() if tree.height > 1}
    for level in GENERALIZED_LEVELS if trees else ():
        levels = tuple(min(level, tree.height - 1) for tree in trees.values())
        yield Generalization(tuple(trees), levels, trees)


def _microaggregated(table: Table, k: int) -> tuple[MaskingMethod, ...]:
    """Microaggregation of the numbers that are known, if there are any."""
    numeric, _ = split_by_kind(table, _known(table))
    return (MdavGeneric(numeric, k),) if numeric and len(table) >= 2 * k else ()


def _known(table: Table) -> Names:
    """Quasi-identifiers that an intruder of any scenario knows; all without scenarios."""
    known = {name for one in table.schema.scenarios for name in one.attributes}
    quasi = table.schema.quasi_identifiers
    return tuple(name for name in quasi if name in known) or quasi
