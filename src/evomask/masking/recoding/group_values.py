"""How a group of different values is written: as the set they span, or as one value."""

from collections.abc import Iterable
from enum import StrEnum

import numpy as np

from evomask.arrays import Codes, Flags, Floats, Labels
from evomask.data.recoding import SUPPRESSED, CategorySets, Intervals, Recoding
from evomask.data.schema import MISSING, Attribute, Kind
from evomask.data.table import Table
from evomask.masking.microaggregation.aggregation import aggregated


class GroupValues(StrEnum):
    """What is written for values that were put together."""

    SETS = "sets"
    VALUE = "value"


def with_group_values(
    table: Table, names: Iterable[str], labels: Labels, release: GroupValues
) -> Table:
    """The table with each group's records alike: the sets they span, or one value each."""
    if release is GroupValues.VALUE:
        return aggregated(table, names, labels)
    for name in names:
        table = spanned(table, name, labels)
    return table


def spanned(table: Table, name: str, labels: Labels) -> Table:
    """The table with every cell of one column replaced by all its group may stand for.

    Numbers become the interval from least to greatest, ordinal categories all between the
    lowest and the highest, nominal ones (and cells that are sets already) their union.
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
    return _filled(attribute, leaves) if attribute.kind is Kind.ORDINAL else leaves


def _filled(attribute: Attribute, leaves: Flags) -> Flags:
    """Sets with every category between their lowest and highest known one."""
    known = leaves[:, : attribute.domain_size]
    above = np.logical_or.accumulate(known, axis=1)
    below = np.logical_or.accumulate(known[:, ::-1], axis=1)[:, ::-1]
    return np.hstack([above & below, leaves[:, attribute.domain_size :]])


def _group_ends(table: Table, name: str, labels: Labels) -> tuple[Floats, Floats]:
    """Least and greatest known value of each group; NaN where it has none."""
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
    """The code of each row of *leaves* among its distinct rows, and what these are called.

    A set that stood in the column *before* keeps its name.
    """
    distinct, codes = np.unique(leaves, axis=0, return_inverse=True)
    names = {} if before is None else before.names
    labels = tuple(names.get(row.tobytes()) or set_label(attribute, row) for row in distinct)
    return codes.reshape(-1).astype(np.int32), CategorySets(labels, distinct)


def set_label(attribute: Attribute, leaves: Flags) -> str:
    """How a set of categories is written: ``b``, ``[a,c]`` in order, or ``{a,c}``."""
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
    """The code of each pair of ends among the distinct pairs, and what these are called.

    An interval that stood in the column *before* keeps its name.
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
    ends = (_number(attribute, low), _number(attribute, high))
    return ends[0] if low == high else f"[{ends[0]},{ends[1]}]"


def _number(attribute: Attribute, value: float) -> str:
    if attribute.decimals is not None:
        value = round(value, attribute.decimals)
    return np.format_float_positional(value, trim="-")
