"""What the cells of a recoded column stand for.

A masking method may replace a value by something less precise: an ancestor in a hierarchy,
an interval, or nothing at all. Such a column holds codes, and a recoding tells for each
code which original values it may stand for.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evomask.arrays import Flags, Floats
from evomask.data.schema import Attribute
from evomask.errors import SchemaError

SUPPRESSED = "*"
"""How a suppressed cell is written: it may stand for any value."""


@dataclass(frozen=True, eq=False)
class CategorySets:
    """Cells of an ordinal or nominal attribute, each a set of its categories.

    Args:
        labels: how each cell is written.
        leaves: row c flags the categories that cell c may stand for.
    """

    labels: tuple[str, ...]
    leaves: Flags

    def __post_init__(self) -> None:
        if self.leaves.shape[0] != len(self.labels):
            raise SchemaError("a recoding needs one row of leaves for each label")
        if not self.leaves.any(axis=1).all():
            raise SchemaError("a recoded cell must stand for at least one category")


@dataclass(frozen=True, eq=False)
class Intervals:
    """Cells of a continuous attribute, each an interval with both ends included.

    A cell whose ends are both NaN stands for a missing value.
    """

    labels: tuple[str, ...]
    low: Floats
    high: Floats

    def __post_init__(self) -> None:
        if not len(self.labels) == len(self.low) == len(self.high):
            raise SchemaError("a recoding needs two ends for each label")
        if np.any(self.low > self.high):
            raise SchemaError("an interval's lower end must not lie above its upper end")


Recoding = CategorySets | Intervals


def single_categories(attribute: Attribute) -> CategorySets:
    """The recoding that changes nothing: cell c is category c."""
    return CategorySets(attribute.categories, np.eye(len(attribute.categories), dtype=bool))


def with_suppression(attribute: Attribute) -> CategorySets:
    """Every category as it is, and one more cell that stands for all of them."""
    leaves = np.vstack([np.eye(len(attribute.categories), dtype=bool), _every(attribute)])
    return CategorySets((*attribute.categories, SUPPRESSED), leaves)


def _every(attribute: Attribute) -> Flags:
    return np.ones((1, len(attribute.categories)), dtype=bool)


def sets_of(labels: Sequence[str], leaves: Sequence[Sequence[int]], size: int) -> CategorySets:
    """Cells named *labels*, cell c standing for the category codes ``leaves[c]``."""
    flags = np.zeros((len(labels), size), dtype=bool)
    for cell, codes in enumerate(leaves):
        flags[cell, list(codes)] = True
    return CategorySets(tuple(labels), flags)
