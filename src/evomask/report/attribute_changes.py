"""Comparison of a masked file with its original: attributes, associations, group means.

Association of two ordered attributes is the rank correlation (-1 to 1), of a nominal and an ordered
one the correlation ratio, of two nominal ones Cramér's V (both 0 to 1). A recoded cell of an
ordered attribute counts as the midpoint of its values, one of a nominal attribute in equal shares
for each category.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.stats import rankdata

from evomask.data.recoding import is_uninformative
from evomask.data.schema import Attribute, Kind, Role
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.measures.analyses.estimates import AnalysisComparison
from evomask.measures.analyses.parser import TableSpec
from evomask.measures.analyses.records import OriginalFile, is_number
from evomask.measures.analyses.tables import PreparedTable, prepare_table
from evomask.report.distributions import MINIMUM, Distribution, distribution
from evomask.report.protection import changed_values, percent_of
from evomask.report.record import Associations, AttributeNote
from evomask.types import Codes, Flags, Floats, Points


@dataclass(frozen=True)
class TableComparison:
    """Changes and distribution of each attribute, and associations between them."""

    attributes: tuple[AttributeNote, ...]
    spreads: tuple[Distribution, ...]
    associations: Associations | None


def compare_tables(original: Table, masked: Table, minimum: int = MINIMUM) -> TableComparison:
    """Compare both files; *masked* has the records of *original* in the same order."""
    notes = attribute_notes(original, masked)
    changed = [note.name for note in notes if note.changed > 0]
    weights = original.schema.with_role(Role.WEIGHT)
    related = [note.name for note in notes if note.released and note.name not in weights]
    shown = (distribution(original, masked, name, minimum) for name in changed)
    return TableComparison(
        notes,
        tuple(figure for figure in shown if figure is not None),
        associations(original, masked, related) if changed else None,
    )


def attribute_notes(original: Table, masked: Table) -> tuple[AttributeNote, ...]:
    """A note on the changes of every attribute."""
    released = np.flatnonzero(~masked.suppressed)
    before, after = original.take(released), masked.take(released)
    return tuple(_note(attribute, original, before, after) for attribute in original.schema)


def _note(attribute: Attribute, original: Table, before: Table, after: Table) -> AttributeNote:
    described = attribute.name, attribute.label, str(attribute.kind), str(attribute.role)
    if attribute.renumber or attribute.pseudonym:
        return AttributeNote(*described, released=True, changed=100.0)
    if not attribute.role.is_released:
        return AttributeNote(*described, released=False)
    name = attribute.name
    silent, vague = _suppressed_cells(before, after, name), _generalized_cells(after, name)
    changed = silent | vague | changed_values(before, after, name)
    lost, rare = lost_categories(original, after, name, MINIMUM)
    return AttributeNote(
        *described,
        released=True,
        changed=percent_of(changed),
        generalized=percent_of(vague & ~silent),
        suppressed=int(silent.sum()),
        shift=_shift(before, after, name),
        lost=lost,
        lost_rare=rare,
        width=_width(after, name, vague & ~silent),
    )


def _width(after: Table, name: str, vague: Flags) -> float | None:
    """Median width of the released ranges of numbers, to two digits; None without any."""
    if after.attribute(name).is_categorical or not vague.any():
        return None
    low, high = after.ends(name)
    return float(f"{np.median((high - low)[vague]):.2g}")


def _suppressed_cells(before: Table, after: Table, name: str) -> Flags:
    """Cells that were known and are now missing or suppressed."""
    known = ~_missing(before, name)
    if not after.is_recoded(name):
        return known & _missing(after, name)
    return known & is_uninformative(after.recoding(name))[after[name]]


def _missing(table: Table, name: str) -> Flags:
    attribute = table.attribute(name)
    if not attribute.is_categorical:
        return np.isnan(table.values(name))
    return table.codes(name) >= attribute.domain_size


def _generalized_cells(after: Table, name: str) -> Flags:
    """Cells that stand for more than one value."""
    if not after.is_recoded(name):
        return np.zeros(len(after), dtype=bool)
    return after.recoding(name).wide[after[name]]


def _shift(before: Table, after: Table, name: str) -> float | None:
    if before.attribute(name).is_categorical or after.is_recoded(name):
        return None
    values, masked = before.values(name), after.values(name)
    known = ~(np.isnan(values) | np.isnan(masked))
    deviation = float(values[known].std()) if known.any() else 0.0
    if deviation == 0.0:
        return None
    return round(100.0 * float(np.abs(values - masked)[known].mean()) / deviation, 2)


MOST_ATTRIBUTES = 30
DECIMALS = 2


@dataclass(frozen=True, eq=False)
class _AssociationColumn:
    """A column to compare: ranks scaled to length 1, or groups of records.

    Args:
        parts: distribution of the records of a group (row) over the categories (columns).
    """

    ranks: Floats | None
    groups: Codes
    parts: Points


def associations(original: Table, masked: Table, names: Sequence[str]) -> Associations | None:
    """Associations between the first attributes; None if there is no pair."""
    chosen = tuple(names[:MOST_ATTRIBUTES])
    released = np.flatnonzero(~masked.suppressed)
    if len(chosen) < 2 or len(released) < 2:
        return None
    before, after = _matrix(original, chosen), _matrix(masked.take(released), chosen)
    return Associations(chosen, before, after)


def _matrix(table: Table, names: Sequence[str]) -> tuple[tuple[float, ...], ...]:
    columns = [_association_column(table, name) for name in names]
    values = np.eye(len(columns))
    for i, column in enumerate(columns):
        for j in range(i):
            values[i, j] = values[j, i] = round(_association(column, columns[j]), DECIMALS)
    return tuple(tuple(float(value) + 0.0 for value in row) for row in values)


def _association(column: _AssociationColumn, other: _AssociationColumn) -> float:
    if column.ranks is not None and other.ranks is not None:
        return float(column.ranks @ other.ranks)
    if column.ranks is not None:
        return _correlation_ratio(other, column.ranks)
    if other.ranks is not None:
        return _correlation_ratio(column, other.ranks)
    return _cramer(column, other)


def _correlation_ratio(column: _AssociationColumn, ranks: Floats) -> float:
    """Square root of the share of rank variance between categories."""
    sums = np.bincount(column.groups, ranks) @ column.parts
    sizes = np.bincount(column.groups) @ column.parts
    return float(np.sqrt(min(1.0, float((sums**2 / sizes).sum()))))


def _cramer(column: _AssociationColumn, other: _AssociationColumn) -> float:
    shape = len(column.parts), len(other.parts)
    cells = np.bincount(column.groups * shape[1] + other.groups, minlength=shape[0] * shape[1])
    counts = column.parts.T @ cells.reshape(shape) @ other.parts
    if min(counts.shape) < 2:
        return 0.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    squares = ((counts - expected) ** 2 / expected).sum()
    return float(np.sqrt(squares / (counts.sum() * (min(counts.shape) - 1))))


def _association_column(table: Table, name: str) -> _AssociationColumn:
    cells, places = np.unique(table[name], return_inverse=True)
    groups = places.reshape(-1).astype(np.int32)
    if table.attribute(name).kind is Kind.NOMINAL:
        return _AssociationColumn(None, groups, _category_shares(table, name, cells))
    values = table.middles(name)
    median = np.nanmedian(values) if not np.isnan(values).all() else 0.0
    ranks = rankdata(np.where(np.isnan(values), median, values))
    ranks -= ranks.mean()
    length = float(np.sqrt(ranks @ ranks))
    return _AssociationColumn(ranks / length if length else ranks, groups, np.eye(0))


def _category_shares(table: Table, name: str, cells: Codes) -> Points:
    """Shares of the categories that each cell may stand for."""
    if not table.is_recoded(name):
        return np.eye(len(cells))
    categories = table.attribute(name).categories
    parts = table.recoding(name).spread(np.ones(len(categories)))[cells]
    return parts[:, parts.any(axis=0)]


MOST_PAIRS = 40
"""Pairs of a grouping and a number that are compared."""

MOST_GROUPS = 40


def group_means(
    original: Table, masked: Table, notes: Sequence[AttributeNote]
) -> tuple[AnalysisComparison, ...]:
    """Means of every number in every group, for pairs of which one was changed."""
    shown = [note for note in notes if note.released and note.role != Role.WEIGHT]
    changed = {note.name for note in shown if note.changed > 0}
    attributes = [original.attribute(note.name) for note in shown]
    groups = [
        attribute.name
        for attribute in attributes
        if (not is_number(attribute) and 1 < attribute.domain_size <= MOST_GROUPS)
    ]
    numbers = [attribute.name for attribute in attributes if is_number(attribute)]
    pairs = [pair for pair in product(groups, numbers) if changed & set(pair)]
    pairs.sort(key=lambda pair: groups.index(pair[0]) + numbers.index(pair[1]))
    file = OriginalFile(original)
    return tuple(table.compare(file.against(masked)) for table in _prepare_tables(file, pairs))


def _prepare_tables(
    original: OriginalFile, pairs: Sequence[tuple[str, str]]
) -> Iterator[PreparedTable]:
    """Tables with at least two groups of sufficient size."""
    for group, number in pairs[:MOST_PAIRS]:
        try:
            request = TableSpec(f"mean {number} by {group}", (group,), "mean", number)
            table = prepare_table(request, original)
        except SchemaError:
            continue
        if table.cells.size > 2:
            yield table


def lost_categories(
    before: Table, after: Table, name: str, minimum: int
) -> tuple[tuple[str, ...], int]:
    """Original categories that no released cell may stand for, and the number of rare ones.

    A suppressed cell may stand for any category and does not count.
    """
    attribute = before.attribute(name)
    if not attribute.is_categorical:
        return (), 0
    counts = np.bincount(before.codes(name), minlength=len(attribute.categories))
    recoding = after.recoding(name)
    used = np.bincount(after[name], minlength=len(recoding.labels)) > 0
    there = recoding.leaves[used & ~is_uninformative(recoding)].any(axis=0)
    gone = np.flatnonzero(((counts > 0) & ~there)[: attribute.domain_size])
    named = tuple(attribute.categories[code] for code in gone if counts[code] >= minimum)
    return named, len(gone) - len(named)
