"""Indices that are the worst of all classes, as a value of each class: k, l, entropy and t."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from evomask.arrays import Floats, Indices, Points
from evomask.kernels.lattice.classes import CountRows


class Classes(NamedTuple):
    """Sizes of classes and how often each sensitive value is in them.

    Args:
        shares: of the sensitive values in the whole table.
        ordered: whether sensitive values have an order.
    """

    sizes: Indices | Floats
    counts: Points | CountRows
    shares: Floats
    ordered: bool


def _size(classes: Classes) -> Floats:
    return classes.sizes.astype(np.float64)


def _different(classes: Classes) -> Floats:
    different: Floats = (classes.counts > 0).sum(axis=1).astype(np.float64)
    return different


def _effective(classes: Classes) -> Floats:
    shares = classes.counts / classes.sizes[:, None]
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    effective: Floats = np.exp(-(shares * logs).sum(axis=1))
    return effective


def _distance(classes: Classes) -> Floats:
    """Minus the earth mover's distance of each class' sensitive values to the table's."""
    apart = classes.counts / classes.sizes[:, None] - classes.shares
    moved = np.abs(np.cumsum(apart, axis=1)) if classes.ordered else np.abs(apart)
    most = max(1, classes.counts.shape[1] - 1) if classes.ordered else 2
    distance: Floats = -moved.sum(axis=1) / most
    return distance


WORST: Mapping[str, Callable[[Classes], Floats]] = {
    "k": _size,
    "l": _different,
    "entropy": _effective,
    "t": _distance,
}
"""For each index that is the worst of all classes the value of a class; more is better."""
