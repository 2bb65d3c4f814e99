"""The numbers of lattice nodes, side by side, and what follows from them by arithmetic."""

from dataclasses import dataclass

import numpy as np

from evomask.arrays import Floats, Indices, Points
from evomask.kernels.lattice.classes import Rows
from evomask.kernels.lattice.nodes import (
    AGREEING,
    AGREEMENT,
    CLASSES,
    CLOSENESS,
    DISTINCT,
    ENTROPY,
    LOSSES,
    MAJORITY,
    SQUARES,
    SUPPRESSED,
    K,
)


@dataclass(frozen=True, eq=False)
class Figures:
    """Nodes as rows: their levels and what their classes add up to.

    Args:
        whole, real: columns as `evomask.kernels.lattice.nodes` names them.
        full: what a suppressed cell of each attribute counts in *whole*.
        heights: the highest level of each attribute.
    """

    levels: Rows
    whole: Rows
    real: Points
    full: Indices
    heights: Indices
    n_records: int

    def __len__(self) -> int:
        return len(self.levels)

    @property
    def k(self) -> Indices:
        """Size of the smallest class that stays."""
        return self.whole[:, K]

    @property
    def suppressed(self) -> Indices:
        """How many records are left out, together with their whole classes."""
        return self.whole[:, SUPPRESSED]

    @property
    def classes(self) -> Indices:
        """How many equivalence classes stay after suppression."""
        return self.whole[:, CLASSES]

    @property
    def distinct(self) -> Indices:
        """Fewest different sensitive values in a class that stays."""
        return self.whole[:, DISTINCT]

    @property
    def entropy(self) -> Floats:
        """Fewest effective sensitive values, exp of the entropy, in a class that stays."""
        return self.real[:, ENTROPY]

    @property
    def closeness(self) -> Floats:
        """Largest earth mover's distance of a class' sensitive values to the table's."""
        return self.real[:, CLOSENESS]

    @property
    def sum_of_sizes(self) -> Indices:
        """S_k: class sizes added over records; a suppressed record is one of all."""
        return self.whole[:, SQUARES] + self.suppressed * self.n_records

    @property
    def sum_of_agreeing(self) -> Indices:
        """S_l: records of the own sensitive value in the own class, added; 0 if suppressed."""
        return self.whole[:, AGREEING]

    @property
    def misclassified(self) -> Indices:
        """CM: records that are suppressed or do not have their class' most frequent label."""
        return self.n_records - self.whole[:, MAJORITY]

    @property
    def losses(self) -> Points:
        """Mean cell loss of each attribute, from 0 to 1; a suppressed cell loses 1."""
        mean: Points = self.whole[:, LOSSES:] / (self.full * self.n_records)
        return mean

    @property
    def agreement(self) -> Floats:
        """Mean share of the own sensitive value in the own class; 0 if suppressed."""
        mean: Floats = self.real[:, AGREEMENT] / self.n_records
        return mean

    @property
    def precision(self) -> Floats:
        """1 less the mean over cells of level / height; a suppressed cell counts as the top."""
        shares = (self.levels / np.maximum(self.heights, 1)).mean(axis=1)
        precision: Floats = (1 - shares) * (1 - self.suppressed / self.n_records)
        return precision
