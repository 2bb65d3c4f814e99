"""Parameter grid over all applicable masking methods, the initial population of searches.

The sizes follow the populations of Marés (2013): about a hundred maskings of categorical
attributes (mostly microaggregation, then swapping, PRAM, recodings) and about fifty of
continuous ones (microaggregation, swapping, noise). All methods are perturbing: every value
stays in its attribute's domain.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import NamedTuple

from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.masking.composition import InTurn
from evomask.masking.method import MaskingMethod
from evomask.masking.microaggregation.clustered import (
    ClusteredGlobalMedian,
    ClusteredMicroaggregation,
)
from evomask.masking.microaggregation.mdav import MdavGeneric
from evomask.masking.microaggregation.mondrian import Mondrian
from evomask.masking.noise import CorrelatedNoise, IndependentNoise
from evomask.masking.randomization.formula_pram import FormulaPram, shipped_formulas
from evomask.masking.randomization.pram import Design, Pram
from evomask.masking.rank_swapping import RankSwapping
from evomask.masking.recoding.global_recoding import GlobalRecoding
from evomask.masking.recoding.group_values import GroupValues
from evomask.masking.recoding.top_bottom_coding import BottomCoding, TopCoding

Names = tuple[str, ...]

CATEGORY_GROUPS = (2, 3, 4, 5, 7, 10, 15, 20, 30, 40, 50, 75, 100, 150)
NUMBER_GROUPS = (3, 4, 5, 10, 15, 25, 50, 100)
CATEGORY_WINDOWS = (1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20)
NUMBER_WINDOWS = (1, 2, 3, 4, 6, 8, 10, 12, 15, 20)
CHANGES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
NOISES = (2.0, 5.0, 10.0, 20.0, 50.0)
CLUSTERS = (2, 5, 10, 20)
CLUSTERED_GROUPS = (5, 20, 50, 100)

FEW_RESTARTS = 4
"""Clusterings of a candidate; the search makes many of them."""

GROUPED = "microaggregation"
REGIONS = "Mondrian"
MEDIANS = "global median"
SWAPPED = "rank swapping"
NOISY = "noise"
RANDOMIZED = "PRAM"
BY_FORMULA = "PRAM by a formula"
RECODED = "global recoding"
TOP, BOTTOM = "top coding", "bottom coding"


class GridMethod(NamedTuple):
    """A method with its parameters, and the family of methods that it belongs to."""

    method: MaskingMethod
    family: str


def split_by_kind(table: Table, names: Names) -> tuple[Names, Names]:
    """Return the continuous and the categorical attributes."""
    categorical = tuple(name for name in names if table.attribute(name).is_categorical)
    return tuple(name for name in names if name not in categorical), categorical


def first_population(table: Table, attributes: Iterable[str] = ()) -> Iterator[GridMethod]:
    """Yield all methods of the grid that apply to the table; each masks all suitable attributes.

    The quasi-identifiers are masked unless *attributes* are given. A table of mixed kinds gets
    pairs of a method for its numbers and one of similar strength for its categories.
    """
    names = tuple(attributes) or table.schema.quasi_identifiers
    if not names:
        raise SchemaError("an initial population needs quasi-identifiers; name at least one")
    numeric, categorical = split_by_kind(table, names)
    if numeric and categorical:
        yield from _for_mixed_kinds(table, numeric, categorical)
    elif numeric:
        yield from _for_numbers(table, numeric)
    else:
        yield from _for_categories(table, categorical)


def _for_numbers(table: Table, names: Names) -> Iterator[GridMethod]:
    yield from _microaggregation(table, names, NUMBER_GROUPS)
    yield from _microaggregation_by_parts(table, names, NUMBER_GROUPS)
    yield from _rank_swapping(table, names, NUMBER_WINDOWS)
    for percent in NOISES:
        yield GridMethod(IndependentNoise(names, percent), NOISY)
        if len(names) > 1:
            yield GridMethod(CorrelatedNoise(names, percent), NOISY)


def _for_categories(table: Table, names: Names) -> Iterator[GridMethod]:
    yield from _microaggregation(table, names, CATEGORY_GROUPS)
    yield from _microaggregation_by_parts(table, names, CATEGORY_GROUPS)
    yield from _mondrian(table, names, CATEGORY_GROUPS[::3])
    yield from _clustered(table, names)
    ordinal = _ordinal(table, names)
    yield from _rank_swapping(table, ordinal, CATEGORY_WINDOWS)
    for design, change in product((Design.DIAGONAL, Design.OFF_DIAGONAL), CHANGES):
        yield GridMethod(Pram(names, design, change), RANDOMIZED)
    yield from _merged_categories(table, names, GlobalRecoding, RECODED)
    yield from _merged_categories(table, ordinal, TopCoding, TOP)
    yield from _merged_categories(table, ordinal, BottomCoding, BOTTOM)
    for formula, change in product(*shipped_formulas()):
        yield GridMethod(FormulaPram(names, formula, change, invariant=True), BY_FORMULA)


def _for_mixed_kinds(table: Table, numeric: Names, categorical: Names) -> Iterator[GridMethod]:
    names = (*numeric, *categorical)
    yield from _microaggregation(table, names, CATEGORY_GROUPS)
    yield from _mondrian(table, names, CATEGORY_GROUPS[::3])
    numbers = list(_for_numbers(table, numeric))
    categories = list(_for_categories(table, categorical))
    for i, first in enumerate(numbers):
        second = categories[i * len(categories) // len(numbers)]
        yield GridMethod(InTurn((first.method, second.method)), first.family)


def _feasible(table: Table, sizes: Iterable[int]) -> list[int]:
    """Return the group sizes for which the table has at least two groups."""
    return [k for k in sizes if 2 * k <= len(table)]


def _microaggregation(table: Table, names: Names, sizes: Iterable[int]) -> Iterator[GridMethod]:
    for k in _feasible(table, sizes):
        yield GridMethod(MdavGeneric(names, k), GROUPED)


def _microaggregation_by_parts(
    table: Table, names: Names, sizes: Iterable[int]
) -> Iterator[GridMethod]:
    """Microaggregate one, two or three attributes at a time: less loss, more risk."""
    for width in (w for w in (1, 2, 3) if w < len(names)):
        parts = [names[i : i + width] for i in range(0, len(names), width)]
        for k in _feasible(table, sizes):
            method = InTurn(tuple(MdavGeneric(part, k) for part in parts))
            yield GridMethod(method, f"{GROUPED} by {width}")


def _mondrian(table: Table, names: Names, sizes: Iterable[int]) -> Iterator[GridMethod]:
    for k in _feasible(table, sizes):
        yield GridMethod(Mondrian(names, k, release=GroupValues.VALUE), REGIONS)


def _clustered(table: Table, names: Names) -> Iterator[GridMethod]:
    ordinal = _ordinal(table, names) == names
    for clusters in (c for c in CLUSTERS if 2 * c <= len(table)):
        for k in _feasible(table, CLUSTERED_GROUPS):
            yield GridMethod(ClusteredMicroaggregation(names, k, clusters, FEW_RESTARTS), GROUPED)
            if ordinal:
                yield GridMethod(ClusteredGlobalMedian(names, k, clusters, FEW_RESTARTS), MEDIANS)


def _rank_swapping(table: Table, names: Names, windows: Iterable[float]) -> Iterator[GridMethod]:
    for window in windows if names and len(table) > 2 else ():
        yield GridMethod(RankSwapping(names, window), SWAPPED)


def _merged_categories(
    table: Table, names: Names, method: Callable[..., MaskingMethod], family: str
) -> Iterator[GridMethod]:
    """Merge two to six categories of the attributes with more categories than that."""
    for merged in range(2, 7):
        large = tuple(n for n in names if table.attribute(n).domain_size > merged)
        if large:
            yield GridMethod(method(large, merged=merged, release=GroupValues.VALUE), family)


def _ordinal(table: Table, names: Names) -> Names:
    return tuple(name for name in names if table.attribute(name).kind is Kind.ORDINAL)
