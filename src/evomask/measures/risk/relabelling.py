"""Relabelling: an intruder who suspects that categories were renamed puts the names right.

A file whose categories are merely permuted looks safe to every attack that compares values.
Here the intruder first renames each attribute's masked categories by the one-to-one map that
recovers most cells: the worst case.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.arrays import Codes, Indices
from evomask.data.schema import Kind
from evomask.data.table import Column, Table
from evomask.measures.categories import CategoricalColumn
from evomask.measures.comparability import check_masked, check_original, needing
from evomask.measures.measure import About, Reading, Side
from evomask.measures.risk.linkage import DistanceLinkage
from evomask.measures.tracked.trackable import Request, TrackableReading


def best_names(joint: Indices) -> Codes:
    """For each masked cell the category it is renamed to, no category twice; -1 for none.

    *joint* counts the records of each original category (rows) in each cell (columns). Among
    maps that recover as many cells, one that keeps most names.
    """
    from evomask.kernels.linking.assignment import best_rows

    size = max(joint.shape)
    weights = np.zeros((size, size), dtype=np.int64)
    weights[: joint.shape[0], : joint.shape[1]] = joint * (size + 1)
    weights[np.diag_indices(size)] += 1
    rows = best_rows(weights)[: joint.shape[1]]
    return np.where(rows < joint.shape[0], rows, -1).astype(np.int32)


def renamed(original: Table, masked: Table, names: Sequence[str]) -> Table:
    """The masked table with the categories of its plain attributes *names* put right."""
    changes: dict[str, Column] = {}
    for name in names:
        if original.attribute(name).is_categorical and not masked.is_recoded(name):
            column = CategoricalColumn.of(original, name)
            plain = masked.codes(name)
            joint = np.zeros((column.size, column.size), dtype=np.int64)
            np.add.at(joint, (column.codes, plain), 1)
            changes[name] = best_names(joint)[plain]
    return masked.with_columns(changes)


def recovered_share(column: CategoricalColumn, masked: Table) -> float:
    """Share of one attribute's cells that the best renaming gets right, in [0, 1]."""
    joint = column.joint_counts(column.cells(masked))
    names = best_names(joint)
    cells = np.flatnonzero(names >= 0)
    return float(joint[names[cells], cells].sum()) / len(column.codes)


@dataclass(frozen=True)
class Relabelling:
    """Cells recovered after the best renaming of each attribute's categories."""

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "relabelling",
        "cells recovered by renaming categories",
        Side.RISK,
        "the share of cells an intruder gets right after finding out which category was "
        "renamed to which",
    )

    def against(self, original: Table) -> Reading:
        """Prepare the original's columns."""
        check_original(original, self.attributes)
        needing(
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
    """DBRL after the best renaming of the categorical attributes."""

    attributes: tuple[str, ...]
    people: int | None = None
    """How many records are linked at most, a fixed sample; all of them by default."""

    about: ClassVar[About] = About(
        "dbrl-relabelled",
        "distance-based record linkage after renaming categories",
        Side.RISK,
        "the share of masked records matched to the right person by an intruder who first "
        "finds out which category was renamed to which",
    )

    def against(self, original: Table) -> Reading:
        """Prepare the linkage; every masked file is renamed before it is linked."""
        linkage = DistanceLinkage(self.attributes, people=self.people).against(original)

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            return linkage(renamed(original, masked, self.attributes))

        if self.people is not None and self.people < len(original):
            return reading
        return TrackableReading(reading, original, Request(self.about.name, self.attributes))
