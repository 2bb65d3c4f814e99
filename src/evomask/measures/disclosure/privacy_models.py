"""Privacy models of a released table: k-anonymity, l-diversity, t-closeness, sample uniques.

They are computed from the masked table alone, on attributes of any kind. A missing or suppressed
cell is a category of its own, and records that a release leaves out are not counted.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import inf
from typing import NamedTuple

import numpy as np

from evomask.data.classes import Classes, classes_of
from evomask.data.recoding import is_uninformative
from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.errors import DataError, ParameterError, SchemaError
from evomask.measures.measure import About, Direction, Side
from evomask.types import Floats, Indices

K = About(
    "k", "k-anonymity", Side.PROPERTY,
    "the size of the smallest equivalence class of released records on the quasi-identifiers",
    Direction.HIGHER, 1, inf,
)  # fmt: skip
DISTINCT_L = About(
    "l", "distinct l-diversity", Side.PROPERTY,
    "the smallest number of distinct confidential values in an equivalence class",
    Direction.HIGHER, 1, inf,
)  # fmt: skip
ENTROPY_L = About(
    "l-entropy", "entropy l-diversity", Side.PROPERTY,
    "the smallest effective number of confidential values in an equivalence class (exponential "
    "of the entropy)",
    Direction.HIGHER, 1, inf,
)  # fmt: skip
RECURSIVE_L = About(
    "l-recursive", "recursive (c, l)-diversity", Side.PROPERTY,
    "the largest dominance of the most frequent confidential value in an equivalence class: c "
    "must be above this ratio",
    Direction.LOWER, 0, inf,
)  # fmt: skip
T = About(
    "t", "t-closeness", Side.PROPERTY,
    "the largest distance of the confidential values of an equivalence class from those of the "
    "whole file",
    Direction.LOWER, 0, 1,
)  # fmt: skip
UNIQUES = About(
    "uniques", "sample uniques", Side.PROPERTY,
    "the number of released records that are alone in their equivalence class",
    Direction.LOWER, 0, inf,
)  # fmt: skip


def released(table: Table) -> Table:
    """Select the records that a release holds."""
    if table.suppressed.all():
        raise DataError("no record is released; there is nothing to measure")
    return table.take(np.flatnonzero(~table.suppressed)) if table.suppressed.any() else table


def released_classes(table: Table, names: Sequence[str]) -> Classes:
    """Equivalence classes of the released records on *names*."""
    if not names:
        raise SchemaError("equivalence classes need at least one quasi-identifier; name one")
    return classes_of(released(table), names)


def k_anonymity(table: Table, names: Sequence[str]) -> int:
    """Size of the smallest equivalence class (Samarati and Sweeney 1998)."""
    return int(released_classes(table, names).sizes.min())


def sample_uniques(table: Table, names: Sequence[str]) -> int:
    """Number of records that are alone in their class."""
    return int(np.sum(released_classes(table, names).sizes == 1))


def records_below(table: Table, names: Sequence[str], k: int) -> int:
    """Number of records in classes of fewer than *k* records."""
    sizes = released_classes(table, names).sizes
    return int(sizes[sizes < k].sum())


class Histogram(NamedTuple):
    """Counts of each confidential value in each class that has it."""

    of_class: Indices
    value: Indices
    counts: Indices
    sizes: Indices
    totals: Indices


def _histogram(table: Table, names: Sequence[str], confidential: str) -> Histogram:
    if confidential in names:
        raise SchemaError(f"{confidential!r} cannot be both quasi-identifier and confidential")
    classes = released_classes(table, names)
    _, values = np.unique(released(table)[confidential], return_inverse=True)
    totals = np.bincount(values).astype(np.int64)
    keys, counts = np.unique(classes.labels * len(totals) + values, return_counts=True)
    return Histogram(keys // len(totals), keys % len(totals), counts, classes.sizes, totals)


def distinct_l(table: Table, names: Sequence[str], confidential: str) -> int:
    """Distinct l-diversity: fewest confidential values in a class (Machanavajjhala et al. 2007)."""
    return fewest_values(_histogram(table, names, confidential))


def fewest_values(h: Histogram) -> int:
    """Fewest distinct values in a class."""
    return int(np.bincount(h.of_class).min())


def entropy_l(table: Table, names: Sequence[str], confidential: str) -> float:
    """Entropy l-diversity: exponential of the smallest entropy of a class."""
    return least_varied(_histogram(table, names, confidential))


def least_varied(h: Histogram) -> float:
    """Exponential of the smallest entropy of a class."""
    shares = h.counts / h.sizes[h.of_class]
    entropies = np.bincount(h.of_class, weights=-shares * np.log(shares))
    return float(np.exp(max(0.0, entropies.min())))


def recursive_ratio(table: Table, names: Sequence[str], confidential: str, l: int) -> float:  # noqa: E741
    """Recursive diversity: largest r1 / (r_l + … + r_m) of a class, counts descending.

    A table is recursively (c, l)-diverse for every c above it; infinite where a class has
    fewer than *l* values.
    """
    if l < 1:
        raise ParameterError(f"l must be at least 1, got {l}")
    h = _histogram(table, names, confidential)
    order = np.lexsort((-h.counts, h.of_class))
    classes, counts = h.of_class[order], h.counts[order]
    starts = np.flatnonzero(np.diff(classes, prepend=-1))
    place = np.arange(len(classes)) - starts[classes]
    tails = np.bincount(classes, weights=np.where(place >= l - 1, counts, 0))
    ratios = np.divide(counts[starts], tails, out=np.full(len(tails), inf), where=tails > 0)
    return float(ratios.max())


def t_closeness(table: Table, names: Sequence[str], confidential: str) -> float:
    """t-closeness: largest distance of a class from the whole table (Li et al. 2007).

    The earth mover's distance of the confidential values: nominal values are equally far from
    each other, ordinal and continuous ones are ordered along the values that occur.
    """
    is_nominal = table.attribute(confidential).kind is Kind.NOMINAL
    return (nominal_t if is_nominal else ordered_t)(table, names, confidential)


def nominal_t(table: Table, names: Sequence[str], confidential: str) -> float:
    """t-closeness with equal distances of values: half the sum of absolute differences."""
    return farthest(_histogram(table, names, confidential), ordered=False)


def ordered_t(table: Table, names: Sequence[str], confidential: str) -> float:
    """t-closeness with ordered values, neighbours one step apart; 0 for a single value."""
    if table.attribute(confidential).kind is Kind.NOMINAL:
        raise SchemaError(
            f"ordered t-closeness needs an order, and {confidential!r} is nominal; "
            "declare it ordinal or use the nominal distance"
        )
    return farthest(_histogram(table, names, confidential), ordered=True)


def farthest(h: Histogram, *, ordered: bool) -> float:
    """Largest distance of a class from all records, along the order of values or not."""
    whole = h.totals / h.totals.sum()
    if not ordered:
        shares = h.counts / h.sizes[h.of_class]
        present = np.abs(shares - whole[h.value]) - whole[h.value]
        return float((1.0 + np.bincount(h.of_class, weights=present)).max() / 2)
    if len(h.totals) < 2:
        return 0.0
    distances = []
    for start, stop in pairwise(np.searchsorted(h.of_class, np.arange(len(h.sizes) + 1))):
        difference, counts = -whole, h.counts[start:stop]
        difference[h.value[start:stop]] += counts / counts.sum()
        distances.append(float(np.abs(np.cumsum(difference)).sum()) / (len(whole) - 1))
    return max(distances)


def wildcard_sizes(table: Table, names: Sequence[str]) -> Indices:
    """Number of records that match each released record if missing cells are wildcards.

    Missing and suppressed cells match every value. Cost is quadratic in the distinct records.
    """
    records = released(table)
    classes = released_classes(table, names)
    cells = np.column_stack([_cells_or_wildcard(records, name) for name in names])
    distinct = cells[classes.representatives]
    matching = [((distinct == row) | np.isnan(distinct) | np.isnan(row)).all(1) for row in distinct]
    sizes = np.array([flags.astype(np.int64) @ classes.sizes for flags in matching])
    of_records: Indices = sizes[classes.labels]
    return of_records


def _cells_or_wildcard(table: Table, name: str) -> Floats:
    """Codes or numbers, NaN for a wildcard."""
    column = table[name].astype(np.float64)
    if table.is_recoded(name):
        return np.where(is_uninformative(table.recoding(name))[table[name]], np.nan, column)
    attribute = table.attribute(name)
    missing = attribute.has_missing and len(attribute.categories) - 1
    return np.where(column == missing, np.nan, column) if attribute.has_missing else column
