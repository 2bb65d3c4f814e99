"""Recipes for files in parts: methods that need of the whole file no more than what adds up.

Such a recipe is a method in two steps (`method.Fitting`), or microaggregation of numbers, which is
made region by region; a file of both kinds gets every method for its numbers with every one for
its categories.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, product, zip_longest

import numpy as np

from evomask.data.hierarchy import Hierarchy
from evomask.data.table import Table
from evomask.masking.composition import InTurn
from evomask.masking.grid import GridMethod, first_population
from evomask.masking.method import Fitting, MaskingMethod
from evomask.masking.microaggregation.mdav import Mdav
from evomask.masking.microaggregation.mdav_generic import MdavGeneric
from evomask.masking.recoding.generalization import Generalization
from evomask.masking.statistics import Statistics

BROADER = "generalization"
"""The family of recipes that replace categories by broader ones."""

Trees = Mapping[str, Hierarchy]


def recipes_for(table: Table, trees: Trees, k: int = 1) -> tuple[GridMethod, ...]:
    """All recipes for the quasi-identifiers of a file that is never there as a whole.

    Args:
        table: some records of it.
        trees: value trees of its categories.
        k: how many records must look alike; a recipe stays that sees to it by itself.
    """
    names = table.schema.quasi_identifiers
    categories = tuple(name for name in names if table.attribute(name).is_categorical)
    numbers = tuple(name for name in names if name not in categories)
    first = list(_for_numbers(table, numbers)) if numbers else []
    second = list(_for_categories(table, categories, trees)) if categories else []
    found = _paired(first, second) if numbers and categories else [*first, *second]
    return tuple(own for own in found if promised_k(own.method, names) >= k)


def promised_k(method: MaskingMethod, names: tuple[str, ...]) -> int:
    """How many records look alike in all of *names* whatever the file is, at least."""
    return method.k if isinstance(method, Mdav) and set(method.attributes) >= set(names) else 1


def in_order(recipes: tuple[GridMethod, ...], rng: np.random.Generator) -> tuple[int, ...]:
    """Numbers of recipes in the order of trying: of each family one in turn, in random order."""
    families: dict[str, list[int]] = {}
    for number in rng.permutation(len(recipes)).tolist():
        families.setdefault(recipes[number].family, []).append(number)
    turns = chain.from_iterable(zip_longest(*(families[name] for name in sorted(families))))
    return tuple(number for number in turns if number is not None)


def parted(method: MaskingMethod) -> tuple[Mdav | None, tuple[Fitting, ...]]:
    """The microaggregation that a recipe begins with, if any, and its other steps."""
    steps = method.methods if isinstance(method, InTurn) else (method,)
    grouping = next((step for step in steps if isinstance(step, Mdav)), None)
    return grouping, tuple(step for step in steps if isinstance(step, Fitting))


def fitted_to(
    methods: Iterable[MaskingMethod], statistics: Statistics
) -> tuple[MaskingMethod, ...]:
    """Recipes for some records of a file, of whose others they know statistics alone.

    A step that several recipes share is fitted once.
    """
    known: dict[int, MaskingMethod] = {}

    def fitted(step: Fitting) -> MaskingMethod:
        if id(step) not in known:
            known[id(step)] = step.fitted(statistics)
        return known[id(step)]

    def ready(method: MaskingMethod) -> MaskingMethod:
        grouping, others = parted(method)
        first = () if grouping is None else (grouping,)
        return InTurn((*first, *map(fitted, others)))

    return tuple(map(ready, methods))


def _for_numbers(table: Table, names: tuple[str, ...]) -> Iterator[GridMethod]:
    for own in first_population(table, names):
        if isinstance(own.method, MdavGeneric):
            yield GridMethod(Mdav(names, own.method.k), own.family)
        elif isinstance(own.method, Fitting):
            yield own


def _for_categories(table: Table, names: tuple[str, ...], trees: Trees) -> Iterator[GridMethod]:
    yield from (own for own in first_population(table, names) if isinstance(own.method, Fitting))
    known = {name: trees[name] for name in names if name in trees}
    for level in range(1, max((tree.height for tree in known.values()), default=0) + 1):
        levels = tuple(min(level, tree.height) for tree in known.values())
        yield GridMethod(Generalization(tuple(known), levels, known), BROADER)


def _paired(first: list[GridMethod], second: list[GridMethod]) -> list[GridMethod]:
    return [
        GridMethod(InTurn((a.method, b.method)), f"{a.family} and {b.family}")
        for a, b in product(first, second)
    ]
