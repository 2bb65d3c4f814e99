"""Relabelling attack: an intruder who suspects renamed categories undoes the renaming.

A file whose categories are merely permuted looks safe to every attack that compares values. Here
the intruder first renames the masked categories of each attribute by the one-to-one map that
recovers most cells: the worst case.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.measures.columns import CategoricalColumn
from evomask.measures.incremental.readings import Request, TrackableReading
from evomask.measures.measure import (
    About,
    Reading,
    Side,
    categorical,
    check_masked,
    check_original,
    require_kinds,
)
from evomask.measures.papers.distance_linkage import DistanceLinkage
from evomask.types import Codes, Indices

SMALLEST_GAIN = 0.01
"""Categories are renamed where that recovers more than this share of the cells."""

SIGNIFICANCE = 5.0
"""Standard deviations above chance agreement at which the order of records is informative."""


def best_names(joint: Indices) -> Codes:
    """For each masked cell, the category it is renamed to, no category twice; -1 for none.

    *joint* counts the records of each original category (rows) in each cell (columns). Among
    maps that recover as many cells, one that keeps most names.
    """
    from evomask.kernels.linking.assignment import assign_rows

    size = max(joint.shape)
    weights = np.zeros((size, size), dtype=np.int64)
    weights[: joint.shape[0], : joint.shape[1]] = joint * (size + 1)
    weights[np.diag_indices(size)] += 1
    rows = assign_rows(weights)[: joint.shape[1]]
    return np.where(rows < joint.shape[0], rows, -1).astype(np.int32)


def renamed(original: Table, masked: Table, names: Sequence[str]) -> Table:
    """Rename the categories of the plain attributes *names* by the best map of each."""
    return relabel(masked, _maps(original, masked, names, best_names))


def relabelling_maps(original: Table, masked: Table, names: Sequence[str]) -> dict[str, Codes]:
    """For each plain attribute, the original category that each released one is taken for.

    By the best map, whatever the order of records; where that is uninformative, by ranks of
    frequency.
    """
    return _maps(original, masked, names, relabelling_map)


def relabel(masked: Table, maps: Mapping[str, Codes]) -> Table:
    """Rename the categories of the attributes in *maps*."""
    return masked.with_columns({name: codes[masked.codes(name)] for name, codes in maps.items()})


def _maps(
    original: Table, masked: Table, names: Sequence[str], new_codes: Callable[[Indices], Codes]
) -> dict[str, Codes]:
    maps = {}
    for name in names:
        if original.attribute(name).is_categorical and not masked.is_recoded(name):
            maps[name] = new_codes(joint_counts(CategoricalColumn.of(original, name), masked))
    return maps


def joint_counts(column: CategoricalColumn, masked: Table) -> Indices:
    """Number of records of each original category (rows) with each released one, plain."""
    keys = column.codes.astype(np.int64) * column.size + masked.codes(column.attribute.name)
    counts = np.bincount(keys, minlength=column.size**2).astype(np.int64)
    return counts.reshape(column.size, column.size)


def relabelling_map(joint: Indices) -> Codes:
    """For each released category, the original category that it is taken for."""
    before, after = (np.argsort(-joint.sum(axis=axis), kind="stable") for axis in (1, 0))
    by_frequency = np.empty(len(joint), dtype=np.int32)
    by_frequency[after] = before
    released = np.arange(len(joint), dtype=np.int32)
    total = max(1, int(joint.sum()))
    chance = float(joint.sum(axis=1)[by_frequency] @ joint.sum(axis=0)) / total
    significant = chance + SIGNIFICANCE * np.sqrt(chance)
    kept, most = int(np.trace(joint)), int(joint.max(axis=0).sum())
    if kept > significant and most - kept <= SMALLEST_GAIN * total:
        return released  # no renaming recovers enough more
    best = best_names(joint)
    recovered = int(joint[best, released].sum())
    if recovered <= significant:
        return by_frequency
    gains = recovered - kept > SMALLEST_GAIN * total
    return best if gains else released


def same_codes(masked: Table, renamed: Table, names: tuple[str, ...]) -> bool:
    """Whether renaming has left every category its name."""
    return all(
        np.array_equal(masked[name], renamed[name]) for name in categorical(masked.schema, names)
    )


def recovered_share(column: CategoricalColumn, masked: Table) -> float:
    """Share of the cells of an attribute that the best renaming recovers, in [0, 1]."""
    joint = column.joint_counts(column.cells(masked))
    names = best_names(joint)
    cells = np.flatnonzero(names >= 0)
    return float(joint[names[cells], cells].sum()) / len(column.codes)


@dataclass(frozen=True)
class Relabelling:
    """Share of cells recovered by the best renaming of each attribute's categories."""

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "relabelling",
        "cells recovered by undoing a relabelling of categories",
        Side.RISK,
        "the share of cells that an intruder recovers who finds out which category was renamed "
        "to which",
    )

    def against(self, original: Table) -> Reading:
        check_original(original, self.attributes)
        require_kinds(
            original.schema, self.attributes, Kind.ORDINAL, Kind.NOMINAL,
            why="renaming is for categories",
        )  # fmt: skip
        columns = [CategoricalColumn.of(original, name) for name in self.attributes]

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            return 100.0 * float(np.mean([recovered_share(c, masked) for c in columns]))

        return TrackableReading(reading, original, Request(self.about.name, self.attributes))


@dataclass(frozen=True)
class RelabelledLinkage:
    """Distance-based record linkage after the best renaming of categories.

    Args:
        people: number of records to link, at most; a fixed sample. All by default.
    """

    attributes: tuple[str, ...]
    people: int | None = None

    about: ClassVar[About] = About(
        "dbrl-relabelled",
        "distance-based record linkage after undoing a relabelling of categories",
        Side.RISK,
        "the share of masked records that are linked to the right individual after finding out "
        "which category was renamed to which",
    )

    def against(self, original: Table) -> Reading:
        linkage = DistanceLinkage(self.attributes, people=self.people).against(original)

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            return linkage(renamed(original, masked, self.attributes))

        if self.people is not None and self.people < len(original):
            return reading
        return TrackableReading(reading, original, Request(self.about.name, self.attributes))
