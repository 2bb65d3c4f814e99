"""Fast forecast of loss and risk from PRAM matrices, for hill climbing.

Loss and the risk of the papers are expectations. Of the strict risk it is the incremental part:
the larger of expected linkage and of inference from the average file, before and after undoing a
relabelling.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.data.table import Table
from evomask.kernels.compiler.bundles import bundle_tuple
from evomask.kernels.pram.expectation import PRAM_INPUT, Halves, PramInput, loss_and_risk
from evomask.measures.comparison_space import Space
from evomask.measures.expected.expectation import CountTable, ExpectationContext, Links, Matrices
from evomask.measures.incremental.readings import Request
from evomask.measures.loss.loss import ends_of_scales
from evomask.measures.measure import categorical
from evomask.measures.papers.inference import WINDOW, HalvesAttack, close_categories
from evomask.measures.profiles import PapersRisk
from evomask.types import Codes, Floats, Indices

MOST_CELLS = 1 << 14
"""Combinations of categories up to which linkage and inference are forecast."""

MOST_KNOWN = 1 << 9
"""Combinations of the categories that an intruder knows, at most."""


@dataclass(frozen=True, eq=False)
class Forecast:
    """Forecast of loss and risk of PRAM matrices for one original.

    Args:
        attributes: the categorical attributes.
        share: their share of all measured attributes; the others are numbers, which PRAM does
            not change.
    """

    original: Table
    attributes: tuple[str, ...]
    strict: bool
    share: float = 1.0

    @classmethod
    def of(cls, original: Table, attributes: tuple[str, ...], *, strict: bool) -> "Forecast | None":
        """Prepare, or return none with numbers or too many combinations of categories."""
        forecast = cls.in_part(original, attributes, strict=strict)
        return forecast if forecast.is_whole else None

    @classmethod
    def in_part(cls, original: Table, attributes: tuple[str, ...], *, strict: bool) -> "Forecast":
        """Prepare for any attributes; unless ``is_whole``, only changes of risk are meaningful."""
        names = categorical(original.schema, attributes)
        return cls(original, names, strict, len(names) / max(1, len(attributes)))

    @cached_property
    def is_whole(self) -> bool:
        """Whether linkage and inference are included: no numbers and small domains."""
        sizes = sorted(len(self.original.attribute(name).categories) for name in self.attributes)
        known = prod(sizes[len(sizes) - len(sizes) // 2 :])
        return self.share == 1 and prod(sizes) <= MOST_CELLS and known <= MOST_KNOWN

    def __call__(self, matrices: Matrices) -> tuple[float, float]:
        return self.read(self.flat(matrices))

    def flat(self, matrices: Matrices) -> Floats:
        """Concatenate all matrices; an attribute without one gets the identity."""
        sizes = zip(self.attributes, self.field.sizes, strict=True)
        parts = [matrices.get(name, np.eye(int(size))).ravel() for name, size in sizes]
        return np.concatenate(parts)

    def read(self, flat: Floats) -> tuple[float, float]:
        """Loss and risk of concatenated matrices."""
        loss, risk = loss_and_risk(self.field, flat, self.strict)
        return loss * self.share, risk * self.share

    @cached_property
    def field(self) -> PramInput:
        """The original in the layout of the kernel."""
        context = ExpectationContext(self.original, Request(PapersRisk.about.name, self.attributes))
        columns = context.columns
        sizes = np.array([column.size for column in columns], dtype=np.int64)
        pairs = list(combinations(range(len(columns)), 2))
        crossed = [CountTable.of((columns[a], columns[b])).counts for a, b in pairs]
        window = WINDOW / 100 * len(self.original)
        no_rows = np.empty((0, len(sizes)), dtype=np.int32)
        found = context.links if self.is_whole else None
        links = found or Links(no_rows, no_rows, np.empty(0))
        ends = ends_of_scales(self.original, self.attributes) if self.strict else (0.0, 0.0, 0.0)
        domain = _domain(sizes) if self.strict and self.is_whole else no_rows
        return bundle_tuple(PRAM_INPUT, PramInput(
            sizes, _begins(sizes**2), _begins(sizes),
            _joined([column.counts for column in columns]),
            _joined([column.distances for column in columns]), _joined(context.near),
            np.array(pairs, dtype=np.int64).reshape(-1, 2), _begins([t.size for t in crossed]),
            _joined(crossed), links.before.copy(), links.after.copy(), links.weights.copy(), domain,
            self._counted(np.arange(len(self.original)), domain), self._halves(domain),
            _joined([close_categories(column, window) for column in columns]), np.array(ends),
        ))  # fmt: skip

    def _counted(self, records: Indices, domain: Codes) -> Floats:
        """Number of records with each combination of categories."""
        sizes = [len(self.original.attribute(name).categories) for name in self.attributes]
        if not len(domain):
            return np.empty(0)
        codes = tuple(self.original.codes(name)[records] for name in self.attributes)
        cells = np.bincount(np.ravel_multi_index(codes, sizes), minlength=len(domain))
        return cells[: len(domain)].astype(np.float64)

    def _halves(self, domain: Codes) -> Halves:
        """Knowledge of the intruders; none with a single attribute."""
        width = len(self.attributes)
        if width < 2 or not len(domain):
            none, nothing = np.empty((0, width), dtype=np.int64), np.empty(0, dtype=np.int64)
            return Halves(none, nothing, none, np.empty(0), nothing, np.empty(0), 1.0)
        attack = HalvesAttack(self.original, self.attributes)
        known = [_Known.of(self.attributes, space, domain) for space, _ in attack.halves]
        unknown = np.zeros((len(known), width), dtype=np.int64)
        for row, (_, others) in zip(unknown, attack.halves, strict=True):
            row[others] = 1
        targets = self._counted(attack.targets, domain) / len(attack.targets)
        return Halves(
            np.array([half.places for half in known]),
            np.array([len(half.apart) for half in known], dtype=np.int64), unknown,
            _joined([half.apart for half in known]), _begins([half.apart.size for half in known]),
            targets, attack.floor,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Known:
    """One half of the attributes, over the domain.

    Args:
        places: combination of known categories of each combination of the domain.
        apart: integer distances between combinations of known categories.
    """

    places: Indices
    apart: Floats

    @classmethod
    def of(cls, attributes: tuple[str, ...], space: Space, domain: Codes) -> "_Known":
        sizes = np.array([column.size for column in space.categories], dtype=np.int64)
        where = [attributes.index(column.attribute.name) for column in space.categories]
        combinations_known = _domain(sizes)
        apart = np.zeros((len(combinations_known), len(combinations_known)))
        for column, codes in zip(space.categories, combinations_known.T, strict=True):
            whole = np.round(column.distances * space.unit)
            apart += whole[codes[:, None], codes[None, :]]
        places = np.ravel_multi_index(tuple(domain[:, where].T), tuple(sizes))
        return cls(places.astype(np.int64), apart)


def _domain(sizes: Indices) -> Codes:
    """All combinations of categories, the last attribute varying fastest."""
    cells = np.unravel_index(np.arange(prod(sizes.tolist())), tuple(sizes))
    return np.column_stack(cells).astype(np.int32)


def _begins(sizes: Sequence[int] | Indices) -> Indices:
    ends = np.cumsum(np.asarray(sizes, dtype=np.int64))
    return ends - np.asarray(sizes, dtype=np.int64)


def _joined(parts: Sequence[NDArray[Any]]) -> Floats:
    return np.concatenate([np.empty(0), *(part.ravel() for part in parts)]).astype(np.float64)
