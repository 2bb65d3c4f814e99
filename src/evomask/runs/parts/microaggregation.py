"""Microaggregation of a large file: sorted into regions, grouped region by region, put back.

Only the numbers that are masked travel, with the place of their record. Every group lies in one
region, so k holds in the whole file; what is lost is that no group reaches over a border.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from evomask.arrays import Floats, Indices, Points
from evomask.data.partition import checked_k, group_sizes, within_sum_of_squares
from evomask.data.schema import Schema
from evomask.data.table import Table
from evomask.execution.evaluator import Evaluators
from evomask.io.parts import (
    Parts,
    keep_matrix,
    kept_matrix,
    part_name,
    with_masked,
    write_part,
)
from evomask.masking.microaggregation.aggregation import aggregated
from evomask.masking.microaggregation.regions import grouped_numbers
from evomask.runs.parts.opening import Opened, Overview, sample_of
from evomask.runs.parts.regions import Tree, best_share, count_of, joined, region_of, tree_of
from evomask.runs.parts.steps import MASKED, WORK, Result, Step, Told, carried_out

REGION = 100_000
"""Records of a region, about."""


@dataclass(frozen=True, eq=False)
class Scale:
    """Numbers on the scale of the whole file, a missing one at its median."""

    means: Floats
    deviations: Floats
    medians: Floats

    def __call__(self, points: Points) -> Points:
        """The points with mean 0 and deviation 1 in the whole file."""
        known = np.where(np.isnan(points), self.medians, points)
        return np.ascontiguousarray((known - self.means) / self.deviations)


@dataclass(frozen=True, eq=False)
class Numbers:
    """The numbers of a large file that are grouped together."""

    parts: Parts
    overview: Overview
    names: tuple[str, ...]
    scale: Scale
    folder: str

    @property
    def schema(self) -> Schema:
        """What is known of them in the whole file."""
        return Schema(tuple(a for a in self.overview.attributes if a.name in self.names))

    def of_part(self, number: int) -> Table:
        """The numbers of one part."""
        declared = self.overview.declared
        return self.parts.table(number, {name: declared[name] for name in self.names})


@dataclass(frozen=True, eq=False)
class Sorting:
    """Puts the records of a part in the order of their regions."""

    numbers: Numbers
    tree: Tree

    def __call__(self, number: int) -> Result:
        """How many records of each region there are; the numbers lie in a file, by region."""
        table = self.numbers.of_part(number)
        points = table.matrix(self.numbers.names)
        regions = region_of(self.numbers.scale(points), self.tree)
        order = np.argsort(regions, kind="stable")
        rows = np.column_stack([points[order], order])
        keep_matrix(_sorted(self.numbers.folder, number), rows)
        counts = np.bincount(regions, minlength=count_of(self.tree))
        return {"records": len(points), "regions": counts.tolist()}


@dataclass(frozen=True, eq=False)
class Grouping:
    """Groups the records of one region, or of several small ones.

    Args:
        regions: which, by number.
        starts: where each region begins in every part, a row a part.
    """

    numbers: Numbers
    k: int
    regions: Sequence[Sequence[int]]
    starts: Indices

    def __call__(self, number: int) -> Result:
        """Groups and their sum of squares; the means lie in a file, by part."""
        rows, parts = self._read(number)
        names = self.numbers.names
        columns = {name: np.ascontiguousarray(rows[:, i]) for i, name in enumerate(names)}
        table = Table(self.numbers.schema, columns)
        points = self.numbers.scale(table.matrix(names))
        labels = grouped_numbers(points, checked_k(self.k, len(points)))
        masked = aggregated(table, names, labels).matrix(names)
        kept = np.column_stack([masked, rows[:, -1]])
        keep_matrix(_grouped(self.numbers.folder, number), kept)
        sizes = group_sizes(labels)
        return {
            "records": len(points),
            "groups": len(sizes),
            "least": int(sizes.min()),
            "sse": within_sum_of_squares(points, labels),
            "parts": parts,
        }

    def _read(self, number: int) -> tuple[Points, list[int]]:
        """The records of the regions, in the order of parts, and how many each part has."""
        found: list[Points] = []
        parts: list[int] = []
        for part, starts in enumerate(self.starts):
            path, before = _sorted(self.numbers.folder, part), len(found)
            for region in self.regions[number]:
                first, end = int(starts[region]), int(starts[region + 1])
                if end > first:
                    found.append(kept_matrix(path, first, end))
            parts.append(sum(map(len, found[before:])))
        return np.concatenate(found), parts


@dataclass(frozen=True, eq=False)
class Means:
    """The numbers of all parts after grouping.

    Args:
        starts: where each part begins in every region's file, a row a region.
    """

    numbers: Numbers
    starts: Indices

    def of_part(self, number: int) -> Table:
        """The means of one part's records, in their places."""
        table = self.numbers.of_part(number)
        masked = np.empty((len(table), len(self.numbers.names)))
        for region, starts in enumerate(self.starts):
            first, end = int(starts[number]), int(starts[number + 1])
            if end > first:
                own = kept_matrix(_grouped(self.numbers.folder, region), first, end)
                masked[own[:, -1].astype(np.int64)] = own[:, :-1]
        return table.with_columns(dict(zip(self.numbers.names, masked.T, strict=True)))


@dataclass(frozen=True, eq=False)
class Gathering:
    """Puts the means of a part's records into their places, and writes the part."""

    means: Means
    dropped: tuple[str, ...] = field(default=())

    def __call__(self, number: int) -> Result:
        """The part as it is released, and its hash."""
        numbers = self.means.numbers
        frame = with_masked(numbers.parts.read(number), self.means.of_part(number), self.dropped)
        file = f"{MASKED}/{part_name(number)}"
        written = write_part(frame, Path(numbers.folder) / file)
        return {"records": len(frame), "file": file, "sha256": written}


@dataclass(frozen=True)
class Aggregated:
    """What came of it: groups, the smallest, and the loss in percent of all that could be lost."""

    groups: int
    least: int
    sse: float
    il: float
    regions: int
    shell: float


def microaggregated(
    file: Opened,
    overview: Overview,
    names: tuple[str, ...],
    k: int,
    evaluators: Evaluators,
    told: Told,
) -> Aggregated:
    """Mask numbers of all parts by groups of k or more; parts keep their places and order."""
    means, found = grouped_in_regions(file, overview, names, k, evaluators, told)
    gathering = Gathering(means, file.dropped)
    carried_out(Step(str(file.folder), "mask", gathering), len(file.parts), evaluators, told)
    return found


def grouped_in_regions(
    file: Opened,
    overview: Overview,
    names: tuple[str, ...],
    k: int,
    evaluators: Evaluators,
    told: Told,
) -> tuple[Means, Aggregated]:
    """Group the numbers of all parts by k or more, each region a task."""
    checked_k(k, file.parts.records)
    scale, folder = Scale(*overview.scale(names)), str(file.folder)
    numbers = Numbers(file.parts, overview, names, scale, folder)
    sample = scale(sample_of(file, names))
    shell = best_share(sample, k)
    tree = tree_of(sample, max(1, round(file.parts.records / REGION)), shell)
    step = Step(folder, "sort", Sorting(numbers, tree))
    rows = carried_out(step, len(file.parts), evaluators, told)
    counts = np.array([row["regions"] for row in rows], dtype=np.int64)
    regions = joined(counts.sum(axis=0), 2 * k)
    grouping = Grouping(numbers, k, regions, _starts(counts))
    found = carried_out(Step(folder, "group", grouping), len(regions), evaluators, told)
    places = np.array([row["parts"] for row in found], dtype=np.int64)
    sse = sum(row["sse"] for row in found)
    total = file.parts.records * _varying(overview, names)
    return Means(numbers, _starts(places)), Aggregated(
        sum(row["groups"] for row in found),
        min(row["least"] for row in found),
        sse,
        100.0 * sse / total if total else 0.0,
        len(regions),
        shell,
    )


def _varying(overview: Overview, names: Sequence[str]) -> int:
    return sum(overview.statistics.numbers[name].deviation > 0 for name in names)


def _starts(counts: Indices) -> Indices:
    """Where each column begins in every row, from how many each has."""
    return np.concatenate([np.zeros((len(counts), 1), np.int64), np.cumsum(counts, axis=1)], axis=1)


def _sorted(folder: str, number: int) -> Path:
    return Path(folder) / WORK / f"sorted-{number:06}.npy"


def _grouped(folder: str, number: int) -> Path:
    return Path(folder) / WORK / f"grouped-{number:06}.npy"
