"""Genome of the pram search: the transition matrices of all attributes in one vector.

The thesis uses integers, probabilities times 1000, and converts them to matrices on demand; the
memetic algorithm uses matrices that are always valid.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.kernels.compiler.bundles import bundle_tuple
from evomask.kernels.pram.transitions import BOUNDS, Bounds
from evomask.masking.randomization.limits import (
    Limits,
    allowed_changes,
    constrain,
    correct_rounding,
    nearest_range,
)
from evomask.masking.randomization.pram import Transitions, frequencies_of, normalize_rows
from evomask.types import Floats, Indices

THOUSAND = 1000
"""Factor from a probability to an integer gene."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Position of the matrices of the attributes in the vector, and their limits.

    Args:
        attributes: attributes to mask.
        wanted: limits of the matrices; a band applies to ordinal attributes only.
    """

    table: Table
    attributes: tuple[str, ...]
    wanted: Limits

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(self.table.attribute(name).categories) for name in self.attributes)

    @cached_property
    def frequencies(self) -> Mapping[str, Floats]:
        return frequencies_of(self.table, self.attributes)

    @cached_property
    def limits(self) -> Mapping[str, Limits]:
        """Limits of each attribute's matrix, relaxed where no matrix could meet them."""
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
        ends = np.cumsum([size**2 for size in self.sizes])[:-1]
        parts = zip(self.attributes, self.sizes, np.split(flat, ends), strict=True)
        return {name: part.reshape(size, size) for name, size, part in parts}

    def flat(self, matrices: Mapping[str, Transitions]) -> Floats:
        return np.concatenate([matrices[name].ravel() for name in self.attributes])

    def shaped(self, matrices: Mapping[str, Transitions]) -> Floats:
        """Return similar matrices that meet the limits, as a vector."""
        return self.flat(
            {name: constrain(matrices[name], self.frequencies[name], self.limits[name])
             for name in self.attributes}
        )  # fmt: skip

    def tidied(self, flat: Floats) -> Floats:
        """Return the matrices without the rounding errors of many small changes."""
        return self.flat(
            {name: correct_rounding(matrix, self.frequencies[name], invariant=self.wanted.invariant)
             for name, matrix in self.matrices(flat).items()}
        )  # fmt: skip

    def whole(self, flat: Floats) -> Floats:
        """Return matrices as integers, as the thesis encodes them."""
        numbers: Floats = np.floor(flat * THOUSAND + 1e-9)
        return numbers

    def from_whole(self, numbers: Floats) -> Floats:
        """Return integers as valid matrices: rows normalised, then adjusted to the limits."""
        matrices = self.matrices(numbers)
        return self.shaped({name: normalize_rows(matrix) for name, matrix in matrices.items()})

    @cached_property
    def bounds(self) -> Bounds:
        sizes = np.array(self.sizes, dtype=np.int64)
        limits = [self.limits[name] for name in self.attributes]
        counts = [self.frequencies[name] for name in self.attributes]
        allowed = [allowed_changes(n, limit) for n, limit in zip(self.sizes, limits, strict=True)]
        free = [
            not limit.has_range and bool(all_.all())
            for limit, all_ in zip(limits, allowed, strict=True)
        ]
        return bundle_tuple(BOUNDS, Bounds(
            sizes, _begins(sizes**2), _begins(sizes),
            np.concatenate([count / count.sum() for count in counts]),
            np.concatenate([square.ravel() for square in allowed]).astype(np.int64),
            np.array([limit.low for limit in limits]), np.array([limit.high for limit in limits]),
            np.array(free, dtype=np.int64), self.wanted.invariant,
        ))  # fmt: skip


def _begins(sizes: Indices) -> Indices:
    return np.cumsum(sizes) - sizes
