"""Recoding of groups of values to sets, intervals or single values."""

from collections.abc import Iterable
from enum import StrEnum

import numpy as np

from evomask.data.dates import format_day
from evomask.data.recoding import SUPPRESSED, CategorySets, Intervals, Recoding
from evomask.data.schema import MISSING, Attribute, Kind
from evomask.data.table import Table
from evomask.masking.microaggregation.aggregation import aggregate
from evomask.types import Codes, Flags, Floats, Labels


class GroupValues(StrEnum):
    """Released form of merged values: the set or interval that they span, or one value."""

    SETS = "sets"
    VALUE = "value"


def with_group_values(
    table: Table, names: Iterable[str], labels: Labels, release: GroupValues
) -> Table:
    """Recode each group to the sets and intervals that it spans, or to its aggregates."""
    if release is GroupValues.VALUE:
        return aggregate(table, names, labels)
    for name in names:
        table = span_groups(table, name, labels)
    return table


def span_groups(table: Table, name: str, labels: Labels) -> Table:
    """Recode each cell of one attribute to the set or interval that its group spans.

    Numbers become the interval from smallest to largest, ordinal categories the range from
    lowest to highest, nominal ones (and cells that are sets already) their union.
    """
    attribute = table.attribute(name)
    if attribute.is_categorical:
        leaves = _group_leaves(table, name, labels)
        codes, sets = set_cells(attribute, leaves, table.recodings.get(name))
        return table.with_recoded(name, codes[labels], sets)
    low, high = _group_ends(table, name, labels)
    codes, intervals = interval_cells(attribute, low, high, table.recodings.get(name))
    return table.with_recoded(name, codes[labels], intervals)


def _group_leaves(table: Table, name: str, labels: Labels) -> Flags:
    attribute = table.attribute(name)
    leaves = np.zeros((int(labels.max()) + 1, len(attribute.categories)), dtype=bool)
    if table.is_recoded(name):
        np.logical_or.at(leaves, labels, table.recoding(name).leaves[table[name]])
        return leaves
    leaves[labels, table.codes(name)] = True
    if attribute.kind is not Kind.ORDINAL:
        return leaves
    known = leaves[:, : attribute.domain_size]
    above = np.logical_or.accumulate(known, axis=1)
    below = np.logical_or.accumulate(known[:, ::-1], axis=1)[:, ::-1]
    return np.hstack([above & below, leaves[:, attribute.domain_size :]])


def _group_ends(table: Table, name: str, labels: Labels) -> tuple[Floats, Floats]:
    """Smallest and largest known value of each group; NaN if it has none."""
    lows, highs = table.ends(name)
    low = np.full(int(labels.max()) + 1, np.inf)
    high = np.full(len(low), -np.inf)
    np.fmin.at(low, labels, lows)
    np.fmax.at(high, labels, highs)
    none = low > high
    return np.where(none, np.nan, low), np.where(none, np.nan, high)


def set_cells(
    attribute: Attribute, leaves: Flags, before: Recoding | None = None
) -> tuple[Codes, CategorySets]:
    """Return the code of each row of *leaves* and the recoding of the distinct rows.

    A set that the column held *before* keeps its label.
    """
    distinct, codes = np.unique(leaves, axis=0, return_inverse=True)
    names = {} if before is None else before.names
    labels = tuple(names.get(row.tobytes()) or set_label(attribute, row) for row in distinct)
    return codes.reshape(-1).astype(np.int32), CategorySets(labels, distinct)


def set_label(attribute: Attribute, leaves: Flags) -> str:
    """Label of a set of categories: ``b``, ``[a,c]`` for a range, or ``{a,c}``."""
    members = np.flatnonzero(leaves)
    names = [attribute.categories[code] for code in members]
    if len(names) == 1:
        return names[0]
    ordinal = attribute.kind is Kind.ORDINAL and names[-1] != MISSING
    if ordinal and members[-1] - members[0] == len(members) - 1:
        return f"[{names[0]},{names[-1]}]"
    if leaves.all():
        return SUPPRESSED
    return "{" + ",".join(name or "missing" for name in names) + "}"


def interval_cells(
    attribute: Attribute, low: Floats, high: Floats, before: Recoding | None = None
) -> tuple[Codes, Intervals]:
    """Return the code of each interval and the recoding of the distinct intervals.

    An interval that the column held *before* keeps its label.
    """
    ends = np.where(np.isnan(low)[:, None], np.inf, np.column_stack([low, high]))
    distinct, codes = np.unique(ends, axis=0, return_inverse=True)
    distinct[np.isinf(distinct)] = np.nan
    names = {} if before is None else before.names
    labels = tuple(
        names.get((a, b)) or _interval_label(attribute, float(a), float(b)) for a, b in distinct
    )
    intervals = Intervals(labels, distinct[:, 0].copy(), distinct[:, 1].copy())
    return codes.reshape(-1).astype(np.int32), intervals


def _interval_label(attribute: Attribute, low: float, high: float) -> str:
    if np.isnan(low):
        return MISSING
    is_point = low == high
    if attribute.is_date:
        ends = [format_day(end, attribute.notes.type) for end in (low, high)]
        return ends[0] if is_point else f"[{ends[0]},{ends[1]}]"
    if attribute.decimals is not None:
        low, high = round(low, attribute.decimals), round(high, attribute.decimals)
    ends = [np.format_float_positional(end, trim="-") for end in (low, high)]
    return ends[0] if is_point else f"[{ends[0]},{ends[1]}]"


def merge_categories(
    table: Table,
    name: str,
    flags: Flags,
    representative: int,
    release: GroupValues,
    label: str | None = None,
) -> Table:
    """Merge the flagged categories of one attribute.

    They are released as their set, named *label* if given, or as the category *representative*.
    """
    codes = table.codes(name)
    if release is GroupValues.VALUE:
        return table.with_columns({name: np.where(flags[codes], representative, codes)})
    others = np.flatnonzero(~flags)
    leaves = np.vstack([np.eye(len(flags), dtype=bool)[others], flags])
    attribute = table.attribute(name)
    labels = (*(attribute.categories[c] for c in others), label or set_label(attribute, flags))
    cells = np.full(len(flags), len(others), dtype=np.int32)
    cells[others] = np.arange(len(others))
    return table.with_recoded(name, cells[codes], CategorySets(labels, leaves))
