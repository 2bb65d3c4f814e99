"""Several releases of the same records, combined to what they tell together of each.

A recoded cell stands for the values that it may have in every release; a number for the mean of the
released ones, which averages independent noise. Where releases contradict one another, because one
was perturbed, numbers are averaged and the cell of the first release is taken of categories.
"""

from collections.abc import Sequence

import numpy as np

from evomask.data.recoding import CategorySets, Intervals
from evomask.data.table import Table


def combine_releases(releases: Sequence[Table]) -> Table:
    """Return the table that an intruder makes of releases whose records are linked.

    Args:
        releases: masked versions of one original, their records in the same order.
    """
    first = releases[0]
    combined = first
    for name in first.schema.names:
        if first.attribute(name).is_categorical:
            combined = _with_categories(combined, releases, name)
        else:
            combined = _with_numbers(combined, releases, name)
    suppressed = np.all([one.suppressed for one in releases], axis=0)
    return Table(first.schema, combined.columns, combined.recodings, suppressed)


def _with_categories(table: Table, releases: Sequence[Table], name: str) -> Table:
    """Cells that cover the categories which a cell may stand for in every release."""
    codes = [np.where(one.suppressed, -1, one[name]) for one in releases]
    cells, labels = np.unique(np.column_stack(codes), axis=0, return_inverse=True)
    rows = []
    for cell in cells:
        own = [
            one.recoding(name).leaves[code]
            for one, code in zip(releases, cell, strict=True)
            if code >= 0
        ]
        whole = np.ones(len(table.attribute(name).categories), dtype=bool)
        shared = np.logical_and.reduce(own) if own else whole
        rows.append(shared if shared.any() else own[0])
    leaves = np.array(rows)
    if (leaves.sum(axis=1) == 1).all():
        return table.with_columns({name: leaves.argmax(axis=1)[labels.ravel()]})
    names = tuple(f"cell {number}" for number in range(len(leaves)))
    return table.with_recoded(name, labels.ravel().astype(np.int32), CategorySets(names, leaves))


def _with_numbers(table: Table, releases: Sequence[Table], name: str) -> Table:
    """Intervals that a number lies in by every release; means where these do not overlap."""
    ends = [one.ends(name) for one in releases]
    gone = np.array([one.suppressed for one in releases])
    lows, highs = (np.where(gone, np.nan, np.array([own[end] for own in ends])) for end in (0, 1))
    low, high = np.fmax.reduce(lows), np.fmin.reduce(highs)
    known = np.maximum((~np.isnan(lows)).sum(axis=0), 1)
    middle = np.nansum((lows + highs) / 2, axis=0) / known
    apart = low > high
    low, high = np.where(apart, middle, low), np.where(apart, middle, high)
    if np.array_equal(low, high, equal_nan=True):
        return table.with_columns({name: low})
    pairs = np.where(np.isnan(low)[:, None], np.inf, np.column_stack([low, high]))
    distinct, codes = np.unique(pairs, axis=0, return_inverse=True)
    distinct[np.isinf(distinct)] = np.nan
    names = tuple(f"cell {number}" for number in range(len(distinct)))
    cells = Intervals(names, distinct[:, 0].copy(), distinct[:, 1].copy())
    return table.with_recoded(name, codes.ravel().astype(np.int32), cells)
