"""A first population: many methods with many parameters, as far as they fit a table.

The sizes follow the populations of the thesis: about a hundred maskings of categorical
attributes (mostly microaggregation, then swapping, PRAM, recodings) and about fifty of
continuous ones (microaggregation, swapping, noise). All of them perturb: every value stays
in its attribute's domain.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

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
from evomask.masking.randomization.formula_pram import FormulaPram
from evomask.masking.randomization.library import shipped_formulas
from evomask.masking.randomization.pram import Design, Pram
from evomask.masking.rank_swapping import RankSwapping
from evomask.masking.recoding.end_coding import BottomCoding, TopCoding
from evomask.masking.recoding.global_recoding import GlobalRecoding
from evomask.masking.recoding.group_values import GroupValues

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
    """A method with its parameters, and the family that it is tried with in turn."""

    method: MaskingMethod
    family: str


def first_population(table: Table, attributes: Iterable[str] = ()) -> Iterator[GridMethod]:
    """Methods that fit the table, each with its family; all mask all the attributes they can.

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


def _for_numbers(table: Table, names: Names) -> Iterator[GridMethod]:
    yield from _grouped(table, names, NUMBER_GROUPS)
    yield from _partwise(table, names, NUMBER_GROUPS)
    yield from _swapped(table, names, NUMBER_WINDOWS)
    for percent in NOISES:
        yield GridMethod(IndependentNoise(names, percent), NOISY)
        if len(names) > 1:
            yield GridMethod(CorrelatedNoise(names, percent), NOISY)


def _for_categories(table: Table, names: Names) -> Iterator[GridMethod]:
    yield from _grouped(table, names, CATEGORY_GROUPS)
    yield from _partwise(table, names, CATEGORY_GROUPS)
    yield from _regions(table, names, CATEGORY_GROUPS[::3])
    yield from _clustered(table, names)
    yield from _swapped(table, _ordinal(table, names), CATEGORY_WINDOWS)
    yield from _changed(names)
    yield from _recoded(table, names)
    yield from _by_formula(names)


def _mixed_kinds(table: Table, numeric: Names, categorical: Names) -> Iterator[GridMethod]:
    names = (*numeric, *categorical)
    yield from _grouped(table, names, CATEGORY_GROUPS)
    yield from _regions(table, names, CATEGORY_GROUPS[::3])
    numbers = list(_for_numbers(table, numeric))
    categories = list(_for_categories(table, categorical))
    for first, second in zip(numbers, _spread(categories, len(numbers)), strict=True):
        yield GridMethod(InTurn((first.method, second.method)), first.family)


def _spread(items: list[T], count: int) -> list[T]:
    """So many of the items, evenly from first to last."""
    return [items[i * len(items) // count] for i in range(count)]


def _fitting(table: Table, sizes: Iterable[int]) -> list[int]:
    """Group sizes of which the table holds at least two groups."""
    return [k for k in sizes if 2 * k <= len(table)]


def _grouped(table: Table, names: Names, sizes: Iterable[int]) -> Iterator[GridMethod]:
    for k in _fitting(table, sizes):
        yield GridMethod(MdavGeneric(names, k), GROUPED)


def _partwise(table: Table, names: Names, sizes: Iterable[int]) -> Iterator[GridMethod]:
    """Attributes microaggregated by ones, twos and threes: less loss, more risk."""
    for width in (w for w in (1, 2, 3) if w < len(names)):
        parts = [names[i : i + width] for i in range(0, len(names), width)]
        for k in _fitting(table, sizes):
            grouped = InTurn(tuple(MdavGeneric(part, k) for part in parts))
            yield GridMethod(grouped, f"{GROUPED} by {width}")


def _regions(table: Table, names: Names, sizes: Iterable[int]) -> Iterator[GridMethod]:
    for k in _fitting(table, sizes):
        yield GridMethod(Mondrian(names, k, release=GroupValues.VALUE), REGIONS)


def _clustered(table: Table, names: Names) -> Iterator[GridMethod]:
    ordinal = _ordinal(table, names) == names
    for clusters in (c for c in CLUSTERS if 2 * c <= len(table)):
        for k in _fitting(table, CLUSTERED_GROUPS):
            yield GridMethod(ClusteredMicroaggregation(names, k, clusters), GROUPED)
            if ordinal:
                yield GridMethod(ClusteredGlobalMedian(names, k, clusters), MEDIANS)


def _swapped(table: Table, names: Names, windows: Iterable[float]) -> Iterator[GridMethod]:
    for window in windows if names and len(table) > 2 else ():
        yield GridMethod(RankSwapping(names, window), SWAPPED)


def _changed(names: Names) -> Iterator[GridMethod]:
    for design in (Design.DIAGONAL, Design.OFF_DIAGONAL):
        for change in CHANGES:
            yield GridMethod(Pram(names, design, change), RANDOMIZED)


def _by_formula(names: Names) -> Iterator[GridMethod]:
    """The formulas that ship with the package, which were evolved on other files."""
    library = shipped_formulas()
    for formula in library.formulas:
        for change in library.changes:
            yield GridMethod(FormulaPram(names, formula, change, invariant=True), BY_FORMULA)


def _recoded(table: Table, names: Names) -> Iterator[GridMethod]:
    yield from _ends(table, names, GlobalRecoding, RECODED)
    yield from _ends(table, _ordinal(table, names), TopCoding, TOP)
    yield from _ends(table, _ordinal(table, names), BottomCoding, BOTTOM)


def _ends(
    table: Table, names: Names, method: Callable[..., MaskingMethod], family: str
) -> Iterator[GridMethod]:
    """Two to six categories put together where an attribute keeps at least two."""
    for merged in range(2, 7):
        large = tuple(n for n in names if table.attribute(n).domain_size > merged)
        if large:
            yield GridMethod(method(large, merged=merged, release=GroupValues.VALUE), family)


def _ordinal(table: Table, names: Names) -> Names:
    return tuple(name for name in names if table.attribute(name).kind is Kind.ORDINAL)
