"""What evolves: a transition matrix for each attribute, all in one row of numbers.

The thesis keeps whole numbers, a probability times 1000, and makes matrices of them when they
are needed; ours keeps matrices that are valid as they are.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from evomask.arrays import Floats, Indices
from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.kernels.bundles import laid
from evomask.kernels.pram.transitions import BOUNDS, Bounds
from evomask.masking.randomization.limits import (
    Limits,
    allowed_changes,
    nearest_range,
    shaped,
    tidied,
)
from evomask.masking.randomization.pram import Transitions
from evomask.masking.randomization.transitions import frequencies_of, rows_to_one

THOUSAND = 1000
"""What a probability is multiplied by to become a whole number."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the matrices of some attributes stand in one row, and what they must keep to.

    Args:
        attributes: names of the attributes to mask.
        wanted: the limits; a band holds for ordinal attributes alone.
    """

    table: Table
    attributes: tuple[str, ...]
    wanted: Limits

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many categories each attribute has: the side of its matrix."""
        return tuple(len(self.table.attribute(name).categories) for name in self.attributes)

    @cached_property
    def frequencies(self) -> Mapping[str, Floats]:
        """Records in each category of each attribute."""
        return frequencies_of(self.table, self.attributes)

    @cached_property
    def limits(self) -> Mapping[str, Limits]:
        """What each attribute's matrix must keep to, widened where it could not be otherwise."""
        return {name: self._limits(name) for name in self.attributes}

    def _limits(self, name: str) -> Limits:
        attribute, wanted = self.table.attribute(name), self.wanted
        band = wanted.band if attribute.kind is Kind.ORDINAL else None
        limits = replace(wanted, band=band, has_missing=attribute.has_missing)
        if not limits.invariant:
            return limits
        low, high = nearest_range(self.frequencies[name], limits)
        return replace(limits, low=low, high=high)

    def matrices(self, flat: Floats) -> dict[str, Transitions]:
        """The transition matrix of each attribute, cut out of the row of all."""
        ends = np.cumsum([size**2 for size in self.sizes])[:-1]
        parts = zip(self.attributes, self.sizes, np.split(flat, ends), strict=True)
        return {name: part.reshape(size, size) for name, size, part in parts}

    def flat(self, matrices: Mapping[str, Transitions]) -> Floats:
        """The matrices of all attributes in one row of numbers."""
        return np.concatenate([matrices[name].ravel() for name in self.attributes])

    def shaped(self, matrices: Mapping[str, Transitions]) -> Floats:
        """Near matrices that keep to the limits, in one row."""
        return self.flat(
            {name: shaped(matrices[name], self.frequencies[name], self.limits[name])
             for name in self.attributes}
        )  # fmt: skip

    def tidied(self, flat: Floats) -> Floats:
        """The same matrices without the rounding errors of many small changes."""
        return self.flat(
            {name: tidied(matrix, self.frequencies[name], invariant=self.wanted.invariant)
             for name, matrix in self.matrices(flat).items()}
        )  # fmt: skip

    def whole(self, flat: Floats) -> Floats:
        """Matrices as the thesis encodes them: probabilities times 1000, cut to whole numbers."""
        numbers: Floats = np.floor(flat * THOUSAND + 1e-9)
        return numbers

    def from_whole(self, numbers: Floats) -> Floats:
        """Whole numbers as valid matrices: rows normalised, then brought to the limits."""
        matrices = self.matrices(numbers)
        return self.shaped({name: rows_to_one(matrix) for name, matrix in matrices.items()})

    @cached_property
    def bounds(self) -> Bounds:
        """The limits as kernels take them."""
        sizes = np.array(self.sizes, dtype=np.int64)
        limits = [self.limits[name] for name in self.attributes]
        counts = [self.frequencies[name] for name in self.attributes]
        allowed = [allowed_changes(n, limit) for n, limit in zip(self.sizes, limits, strict=True)]
        free = [
            not limit.has_range and bool(all_.all())
            for limit, all_ in zip(limits, allowed, strict=True)
        ]
        return laid(BOUNDS, Bounds(
            sizes, _begins(sizes**2), _begins(sizes),
            np.concatenate([count / count.sum() for count in counts]),
            np.concatenate([square.ravel() for square in allowed]).astype(np.int64),
            np.array([limit.low for limit in limits]), np.array([limit.high for limit in limits]),
            np.array(free, dtype=np.int64), self.wanted.invariant,
        ))  # fmt: skip


def _begins(sizes: Indices) -> Indices:
    return np.cumsum(sizes) - sizes
