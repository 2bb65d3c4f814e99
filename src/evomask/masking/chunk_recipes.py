"""Recipes for files larger than memory: methods that need only additive statistics of the file.

Such a recipe is a two-step method (`method.Fitting`), or microaggregation of numbers, which runs
region by region; for mixed files, every method for numbers is combined with every one for
categories.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, product, zip_longest

import numpy as np

from evomask.data.hierarchy import Hierarchy
from evomask.data.table import Table
from evomask.masking.composition import InTurn
from evomask.masking.grid import GridMethod, first_population, split_by_kind
from evomask.masking.method import FileStatistics, Fittable, MaskingMethod
from evomask.masking.microaggregation.mdav import Mdav, MdavGeneric
from evomask.masking.recoding.global_recoding import Generalization

BROADER = "generalization"
"""Family of recipes that generalize categories."""

Trees = Mapping[str, Hierarchy]


def recipes_for(table: Table, trees: Trees, k: int = 1) -> tuple[GridMethod, ...]:
    """All recipes for the quasi-identifiers of a file larger than memory.

    Args:
        table: a sample of its records.
        trees: hierarchies of its categorical attributes.
        k: required size of equivalence classes; only recipes that guarantee it are returned.
    """
    names = table.schema.quasi_identifiers
    numbers, categories = split_by_kind(table, names)
    first = list(_for_numbers(table, numbers)) if numbers else []
    second = list(_for_categories(table, categories, trees)) if categories else []
    found = [*first, *second]
    if numbers and categories:
        found = [
            GridMethod(InTurn((a.method, b.method)), f"{a.family} and {b.family}")
            for a, b in product(first, second)
        ]
    return tuple(own for own in found if guaranteed_k(own.method, names) >= k)


def guaranteed_k(method: MaskingMethod, names: tuple[str, ...]) -> int:
    """Size of equivalence classes on *names* that the method guarantees for any file."""
    return method.k if isinstance(method, Mdav) and set(method.attributes) >= set(names) else 1


def in_order(recipes: tuple[GridMethod, ...], rng: np.random.Generator) -> tuple[int, ...]:
    """Numbers of recipes in the order of trial: one of each family in turn, at random."""
    families: dict[str, list[int]] = {}
    for number in rng.permutation(len(recipes)).tolist():
        families.setdefault(recipes[number].family, []).append(number)
    turns = chain.from_iterable(zip_longest(*(families[name] for name in sorted(families))))
    return tuple(number for number in turns if number is not None)


def split_recipe(method: MaskingMethod) -> tuple[Mdav | None, tuple[Fittable, ...]]:
    """The microaggregation step of a recipe, if any, and its other steps."""
    steps = method.methods if isinstance(method, InTurn) else (method,)
    grouping = next((step for step in steps if isinstance(step, Mdav)), None)
    return grouping, tuple(step for step in steps if isinstance(step, Fittable))


def fit_recipes(
    methods: Iterable[MaskingMethod], statistics: FileStatistics
) -> tuple[MaskingMethod, ...]:
    """Fit recipes to the statistics of the whole file, to apply them to a sample.

    A step that several recipes share is fitted once.
    """
    known: dict[int, MaskingMethod] = {}

    def fitted(step: Fittable) -> MaskingMethod:
        if id(step) not in known:
            known[id(step)] = step.fitted(statistics)
        return known[id(step)]

    def ready(method: MaskingMethod) -> MaskingMethod:
        grouping, others = split_recipe(method)
        first = () if grouping is None else (grouping,)
        return InTurn((*first, *map(fitted, others)))

    return tuple(map(ready, methods))


def _for_numbers(table: Table, names: tuple[str, ...]) -> Iterator[GridMethod]:
    for own in first_population(table, names):
        if isinstance(own.method, MdavGeneric):
            yield GridMethod(Mdav(names, own.method.k), own.family)
        elif isinstance(own.method, Fittable):
            yield own


def _for_categories(table: Table, names: tuple[str, ...], trees: Trees) -> Iterator[GridMethod]:
    yield from (own for own in first_population(table, names) if isinstance(own.method, Fittable))
    known = {name: trees[name] for name in names if name in trees}
    for level in range(1, max((tree.height for tree in known.values()), default=0) + 1):
        levels = tuple(min(level, tree.height) for tree in known.values())
        yield GridMethod(Generalization(tuple(known), levels, known), BROADER)
