"""A first population: many methods with many parameters, as far as they fit a table.

The sizes follow the populations of the thesis: about a hundred maskings of categorical
attributes (mostly microaggregation, then swapping, PRAM, recodings) and about fifty of
continuous ones (microaggregation, swapping, noise). All of them perturb: every value stays
in its attribute's domain.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.masking.composition import InTurn
from evomask.masking.method import MaskingMethod
from evomask.masking.microaggregation.clustered import (
    ClusteredGlobalMedian,
    ClusteredMicroaggregation,
)
from evomask.masking.microaggregation.mdav_generic import MdavGeneric
from evomask.masking.microaggregation.mondrian import Mondrian
from evomask.masking.noise import CorrelatedNoise, IndependentNoise
from evomask.masking.randomization.pram import Design, Pram
from evomask.masking.rank_swapping import RankSwapping
from evomask.masking.recoding.end_coding import BottomCoding, TopCoding
from evomask.masking.recoding.global_recoding import GlobalRecoding
from evomask.masking.recoding.release import Release

Described = tuple[MaskingMethod, str]
Names = tuple[str, ...]
T = TypeVar("T")

CATEGORY_GROUPS = (2, 3, 4, 5, 7, 10, 15, 20, 30, 40, 50, 75, 100, 150)
NUMBER_GROUPS = (3, 4, 5, 10, 15, 25, 50, 100)
CATEGORY_WINDOWS = (1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20)
NUMBER_WINDOWS = (1, 2, 3, 4, 6, 8, 10, 12, 15, 20)
CHANGES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
NOISES = (2.0, 5.0, 10.0, 20.0, 50.0)
CLUSTERS = (2, 5, 10, 20)
CLUSTERED_GROUPS = (5, 20, 50, 100)


def first_population(table: Table, attributes: Iterable[str] = ()) -> Iterator[Described]:
    """Methods that fit the table, each with a description; all mask all the attributes they can.

    The quasi-identifiers are masked unless *attributes* are named. A mixed table gets, for
    each strength, a method for its numbers and one for its categories in turn.
    """
    names = tuple(attributes) or table.schema.quasi_identifiers
    if not names:
        raise SchemaError("a first population needs quasi-identifiers; name at least one")
    numeric = tuple(name for name in names if not table.attribute(name).is_categorical)
    categorical = tuple(name for name in names if table.attribute(name).is_categorical)
    if numeric and categorical:
        yield from _mixed_kinds(table, numeric, categorical)
    elif numeric:
        yield from _for_numbers(table, numeric)
    else:
        yield from _for_categories(table, categorical)


def _for_numbers(table: Table, names: Names) -> Iterator[Described]:
    yield from _grouped(table, names, NUMBER_GROUPS)
    yield from _partwise(table, names, NUMBER_GROUPS)
    yield from _swapped(table, names, NUMBER_WINDOWS)
    for percent in NOISES:
        yield IndependentNoise(names, percent), f"noise, independent, {percent:g} % of the spread"
        if len(names) > 1:
            yield CorrelatedNoise(names, percent), f"noise, correlated, {percent:g} % of the spread"


def _for_categories(table: Table, names: Names) -> Iterator[Described]:
    yield from _grouped(table, names, CATEGORY_GROUPS)
    yield from _partwise(table, names, CATEGORY_GROUPS)
    yield from _regions(table, names, CATEGORY_GROUPS[::3])
    yield from _clustered(table, names)
    yield from _swapped(table, _ordinal(table, names), CATEGORY_WINDOWS)
    yield from _changed(names)
    yield from _recoded(table, names)


def _mixed_kinds(table: Table, numeric: Names, categorical: Names) -> Iterator[Described]:
    names = (*numeric, *categorical)
    yield from _grouped(table, names, CATEGORY_GROUPS)
    yield from _regions(table, names, CATEGORY_GROUPS[::3])
    numbers = list(_for_numbers(table, numeric))
    categories = list(_for_categories(table, categorical))
    for one, other in zip(numbers, _spread(categories, len(numbers)), strict=True):
        yield InTurn((one[0], other[0])), f"{one[1]}; {other[1]}"


def _spread(items: list[T], count: int) -> list[T]:
    """So many of the items, evenly from first to last."""
    return [items[i * len(items) // count] for i in range(count)]


def _fitting(table: Table, sizes: Iterable[int]) -> list[int]:
    """Group sizes of which the table holds at least two groups."""
    return [k for k in sizes if 2 * k <= len(table)]


def _grouped(table: Table, names: Names, sizes: Iterable[int]) -> Iterator[Described]:
    for k in _fitting(table, sizes):
        yield MdavGeneric(names, k), f"microaggregation, k = {k}"


def _partwise(table: Table, names: Names, sizes: Iterable[int]) -> Iterator[Described]:
    """Attributes microaggregated by ones, twos and threes: less loss, more risk."""
    for width in (w for w in (1, 2, 3) if w < len(names)):
        parts = [names[i : i + width] for i in range(0, len(names), width)]
        for k in _fitting(table, sizes):
            grouped = InTurn(tuple(MdavGeneric(part, k) for part in parts))
            many = f"{width} attribute{'s' * (width > 1)} at a time"
            yield grouped, f"microaggregation by {many}, k = {k}"


def _regions(table: Table, names: Names, sizes: Iterable[int]) -> Iterator[Described]:
    for k in _fitting(table, sizes):
        yield (
            Mondrian(names, k, release=Release.VALUE),
            f"Mondrian, a value for each region, k = {k}",
        )


def _clustered(table: Table, names: Names) -> Iterator[Described]:
    ordinal = _ordinal(table, names) == names
    for clusters in (c for c in CLUSTERS if 2 * c <= len(table)):
        for k in _fitting(table, CLUSTERED_GROUPS):
            what = f"{clusters} clusters, k = {k}"
            yield ClusteredMicroaggregation(names, k, clusters), f"microaggregation in {what}"
            if ordinal:
                yield ClusteredGlobalMedian(names, k, clusters), f"global median in {what}"


def _swapped(table: Table, names: Names, windows: Iterable[float]) -> Iterator[Described]:
    for window in windows if names and len(table) > 2 else ():
        yield RankSwapping(names, window), f"rank swapping, within {window:g} % of the ranks"


def _changed(names: Names) -> Iterator[Described]:
    for design in (Design.DIAGONAL, Design.OFF_DIAGONAL):
        for change in CHANGES:
            yield Pram(names, design, change), f"PRAM, {design}, change {change:g}"


def _recoded(table: Table, names: Names) -> Iterator[Described]:
    yield from _ends(table, names, GlobalRecoding, "global recoding, {} rarest as one")
    yield from _ends(table, _ordinal(table, names), TopCoding, "top coding, {} highest as one")
    yield from _ends(table, _ordinal(table, names), BottomCoding, "bottom coding, {} lowest as one")


def _ends(
    table: Table, names: Names, method: Callable[..., MaskingMethod], what: str
) -> Iterator[Described]:
    """Two to six categories put together where an attribute keeps at least two."""
    for merged in range(2, 7):
        large = tuple(n for n in names if table.attribute(n).domain_size > merged)
        if large:
            yield method(large, merged=merged, release=Release.VALUE), what.format(merged)


def _ordinal(table: Table, names: Names) -> Names:
    return tuple(name for name in names if table.attribute(name).kind is Kind.ORDINAL)
