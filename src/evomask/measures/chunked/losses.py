"""Information loss as sums over chunks.

All sums are over records, so the loss equals that of the whole file, however it was split.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from evomask.data.table import Table
from evomask.measures.chunked.columns import WholeFile
from evomask.measures.columns import CategoricalColumn, CategoryCells, mean_over_joint
from evomask.measures.loss.loss import LossReading, LossStatistics
from evomask.measures.loss.relations import Tables
from evomask.measures.statistics import ROOT_TWO, relative_entropy, spread_over_leaves
from evomask.types import Codes, Floats, Indices

Tally = tuple[Indices, Indices]
"""Occupied cells of a contingency table as sorted keys, and their counts."""

Tallies = Mapping[str, Tally]
"""Tables by name: ``joint a``, ``before a b``, ``after a b``, by position of attributes."""


def pack_statistics(statistics: LossStatistics) -> Floats:
    """Write sums over records as one row of numbers; rows of several chunks add up."""
    own = statistics
    ends = [float(own.records), own.weight]
    return np.concatenate([own.distances, *own.bins, *own.tables, *own.moved, ends])


def unpack_statistics(reading: LossReading, row: Floats) -> LossStatistics:
    """Read such a row."""
    bins = [int(reading.columns[place].fine.max(initial=0)) + 2 for place in reading.places]
    tables = [int(starts[-1]) for starts in reading.relations.layout]
    columns = len(reading.columns)
    cuts = np.cumsum([len(bins), *bins, *tables, columns, columns])
    distances, *counts, pairs, triples, two, three, (records, weight) = np.split(row, cuts)
    return LossStatistics(
        distances,
        tuple(counts),
        Tables(pairs, triples),
        np.stack([two, three]),
        round(records),
        float(weight),
    )


def moved_numbers(whole: WholeFile, original: Table, masked: Table, names: Sequence[str]) -> Floats:
    """Sums over one chunk of the distances of masked numbers from original ones (DBIL)."""
    moved = []
    for name in names:
        column = whole.number(original, name)
        scale = np.full(len(original), ROOT_TWO * column.deviation)
        moved.append(column.expected_distances(column.cells(masked), scale).sum())
    return np.array(moved, dtype=np.float64)


def tallies_of(
    whole: WholeFile, original: Table, masked: Table, names: Sequence[str]
) -> dict[str, Tally]:
    """Contingency tables of one chunk: categories by cells, and all pairs of attributes."""
    columns = [whole.category(original, name) for name in names]
    cells = [column.cells(masked) for column in columns]
    found = {}
    for a, (column, own) in enumerate(zip(columns, cells, strict=True)):
        found[f"joint {a}"] = _counted(column.codes, own.codes, len(own))
    for a, b in combinations(range(len(names)), 2):
        found[f"before {a} {b}"] = _counted(columns[a].codes, columns[b].codes, columns[b].size)
        found[f"after {a} {b}"] = _counted(cells[a].codes, cells[b].codes, len(cells[b]))
    return found


def _counted(first: Codes, second: Codes, width: int) -> Tally:
    keys, counts = np.unique(first.astype(np.int64) * width + second, return_counts=True)
    return keys, counts.astype(np.int64)


@dataclass(frozen=True, eq=False)
class PublishedLosses:
    """Published losses of a file, from the sums over its chunks.

    Args:
        categories: the compared categorical attributes.
        cells: meaning of their masked cells, without records.
        tallies: tables of them.
        moved: distances of the numbers, one sum for each.
    """

    whole: WholeFile
    categories: tuple[str, ...]
    cells: tuple[CategoryCells, ...]
    tallies: Tallies
    moved: Floats

    def measures(self) -> dict[str, float]:
        """DBIL, CTBIL and EBIL in percent."""
        columns = [self.whole.categories[name] for name in self.categories]
        joints = [
            joint_of(self.tallies, place, column.size, len(self.cells[place]))
            for place, column in enumerate(columns)
        ]
        moved = [
            mean_over_joint(joint, cells, column.distances)
            for joint, cells, column in zip(joints, self.cells, columns, strict=True)
        ]
        moved += (self.moved / self.whole.n_records).tolist()
        found = {"dbil": 100.0 * float(np.mean(moved))}
        if columns:
            differences = [*self._differences(columns, joints)]
            found["ctbil"] = 50.0 * sum(differences) / (self.whole.n_records * len(differences))
            found["ebil"] = 100.0 * float(np.mean([relative_entropy(joint) for joint in joints]))
        return found

    def _differences(
        self, columns: Sequence[CategoricalColumn], joints: Sequence[Indices]
    ) -> Iterator[float]:
        """Differences of all tables of one and of two attributes."""
        for column, joint, own in zip(columns, joints, self.cells, strict=True):
            spread = spread_over_leaves(joint.sum(axis=0).astype(np.float64), [own])
            yield float(np.abs(column.counts - spread).sum())
        for a, b in combinations(range(len(columns)), 2):
            first, second = self.cells[a], self.cells[b]
            before, after = self.tallies[f"before {a} {b}"], self.tallies[f"after {a} {b}"]
            if first.are_plain and second.are_plain:
                yield _apart(before, after)
            else:
                counts = _dense(after, (len(first), len(second))).astype(np.float64)
                spread = spread_over_leaves(counts, [first, second])
                yield float(
                    np.abs(_dense(before, (columns[a].size, columns[b].size)) - spread).sum()
                )


def joint_of(tallies: Tallies, place: int, size: int, cells: int) -> Indices:
    """Records of each category (rows) in each masked cell, for the attribute at a position."""
    return _dense(tallies[f"joint {place}"], (size, cells))


def _dense(tally: Tally, shape: tuple[int, int]) -> Indices:
    counts = np.zeros(shape[0] * shape[1], dtype=np.int64)
    counts[tally[0]] = tally[1]
    return counts.reshape(shape)


def _apart(before: Tally, after: Tally) -> float:
    """Sum of absolute differences of two tables given by their occupied cells."""
    keys, places = np.unique(np.concatenate([before[0], after[0]]), return_inverse=True)
    signed = np.concatenate([before[1], -after[1]])
    return float(np.abs(np.bincount(places, signed, len(keys))).sum())
