"""Categorical cells of a masked column, whatever they stand for.

A cell may be one category, several (generalized), or all of them (suppressed). Where a
measure needs single categories, a cell stands for the leaves it covers, each as likely as
its frequency in the original makes it.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evomask.arrays import Codes, Flags, Floats, Indices
from evomask.data.distance import category_distances
from evomask.data.schema import Attribute
from evomask.data.table import Table


@dataclass(frozen=True, eq=False)
class Cells:
    """One masked column: a cell code for each record, and what each cell covers.

    Args:
        leaves: row c flags the categories of cell c.
        spread: row c holds the probability of each category in cell c.
    """

    codes: Codes
    leaves: Flags
    spread: Floats

    def __len__(self) -> int:
        return len(self.leaves)

    @cached_property
    def are_plain(self) -> bool:
        """Whether cell c is category c, for all cells."""
        size = self.leaves.shape[1]
        return len(self) == size and bool(np.array_equal(self.leaves, np.eye(size, dtype=bool)))


@dataclass(frozen=True, eq=False)
class CategoricalColumn:
    """One original column, prepared to be compared with masked ones."""

    attribute: Attribute
    codes: Codes

    @classmethod
    def of(cls, original: Table, name: str) -> "CategoricalColumn":
        """The column *name* of the original."""
        return cls(original.attribute(name), original.codes(name))

    @property
    def size(self) -> int:
        """Number of categories, the missing one included."""
        return len(self.attribute.categories)

    @cached_property
    def counts(self) -> Indices:
        """How many records of the original have each category."""
        return np.bincount(self.codes, minlength=self.size).astype(np.int64)

    @cached_property
    def distances(self) -> Floats:
        """The distance between every two categories, by the attribute's kind."""
        return category_distances(self.attribute)

    @cached_property
    def mean_ranks(self) -> Floats:
        """Mean rank of each category's records among all, in the order of the domain."""
        ends = np.cumsum(self.counts)
        ranks: Floats = ends - self.counts / 2 + 0.5
        return ranks

    def nearness(self, window: float) -> Flags:
        """Whether the mean ranks of two categories differ by *window* at most.

        A missing value is near to a missing value only.
        """
        near: Flags = np.abs(self.mean_ranks[:, None] - self.mean_ranks[None, :]) <= window
        if self.attribute.has_missing:
            near[-1, :-1] = near[:-1, -1] = False
        return near

    def cells(self, masked: Table) -> Cells:
        """The same column of a masked table; suppressed records get a cell that covers all."""
        name = self.attribute.name
        recoding, codes = masked.recoding(name), masked[name]
        if masked.suppressed.any():
            codes = np.where(masked.suppressed, len(recoding.labels), codes).astype(np.int32)
            recoding = recoding.with_suppressed_cell()
        return Cells(codes, recoding.leaves, recoding.spread(self.counts))

    def joint_counts(self, cells: Cells) -> Indices:
        """Records of each original category (rows) in each masked cell (columns)."""
        keys = self.codes.astype(np.int64) * len(cells) + cells.codes
        counts = np.bincount(keys, minlength=self.size * len(cells))
        return counts.reshape(self.size, len(cells)).astype(np.int64)

    def mean_over_records(self, cells: Cells, of_categories: Floats | Flags) -> float:
        """Mean over records of a matrix of categories by categories, spread over leaves."""
        return mean_over_joint(self.joint_counts(cells), cells, of_categories)


def mean_over_joint(joint: Indices, cells: Cells, of_categories: Floats | Flags) -> float:
    """The same from records of each category (rows) in each cell (columns)."""
    return float(np.sum(joint * (of_categories @ cells.spread.T))) / int(joint.sum())
