"""Records of a drawn file put beside the original records that they are most like.

A synthetic record belongs to nobody, and measures of loss and risk compare a record with its own.
The order found here is the one that speaks for the analyst and for the intruder: both files are
halved again and again along the attribute that is spread most, and the records of small parts are
paired so that they differ least.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from evomask.arrays import Floats, Indices, Points
from evomask.data.schema import Kind
from evomask.data.table import Table

FEW = 256
"""Records of a part that is paired one by one."""


def matched(original: Table, drawn: Table, names: Sequence[str]) -> Indices:
    """For each original record the position of the drawn record that stands for it."""
    ours, theirs = (_places(original, table, names) for table in (original, drawn))
    nominal = np.array([original.attribute(name).kind is Kind.NOMINAL for name in names])
    found = np.empty(len(original), dtype=np.intp)
    for own, other in _parts(ours, theirs):
        found[own] = other[_paired(ours[own], theirs[other], nominal)]
    return found


def _places(original: Table, table: Table, names: Sequence[str]) -> Points:
    """Where each value lies among those of the original, from 0 to 1; in the middle if missing."""
    return np.column_stack([_place(original[name], table[name]) for name in names])


def _place(before: Floats, values: Floats) -> Floats:
    known = np.sort(before[~np.isnan(before)]).astype(np.float64)
    if not len(known):
        return np.full(len(values), 0.5)
    low, high = (np.searchsorted(known, values, side) for side in ("left", "right"))
    places: Floats = np.where(np.isnan(values), 0.5, (low + high) / (2.0 * len(known)))
    return places


def _parts(ours: Points, theirs: Points) -> Iterator[tuple[Indices, Indices]]:
    """Parts of both files of equal sizes, halved along the attribute that is spread most."""
    waiting = [(np.arange(len(ours)), np.arange(len(theirs)))]
    while waiting:
        own, other = waiting.pop()
        if len(own) <= FEW:
            yield own, other
            continue
        widest = int(np.argmax(ours[own].std(axis=0)))
        own = own[np.argsort(ours[own, widest], kind="stable")]
        other = other[np.argsort(theirs[other, widest], kind="stable")]
        half = len(own) // 2
        waiting += [(own[half:], other[half:]), (own[:half], other[:half])]


def _paired(ours: Points, theirs: Points, nominal: Indices) -> Indices:
    """For each of ours one of theirs, so that all of them together differ least."""
    from scipy.optimize import linear_sum_assignment

    costs = np.zeros((len(ours), len(theirs)))
    for place, is_nominal in enumerate(nominal):
        apart = np.abs(np.subtract.outer(ours[:, place], theirs[:, place]))
        costs += apart > 0 if is_nominal else apart
    pairs: Indices = linear_sum_assignment(costs)[1]
    return pairs
