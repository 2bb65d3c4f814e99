"""Mask a file larger than memory with one method, chunk by chunk.

Microaggregation cuts the records into regions by quantiles of a sample, groups each region, and
writes the group means back. Every group lies in one region, so k holds in the whole file; the cost
is that no group crosses a border. If it loses less on the sample, the outer records form regions of
their own, because groups of distant records span several boxes.
"""

import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from evomask.data.hierarchy import Hierarchy, fit_hierarchies, fit_hierarchy
from evomask.data.partition import group_sizes, validate_k, within_sum_of_squares
from evomask.data.schema import Schema
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.evolution.streams import working_stream
from evomask.execution.evaluator import Evaluators
from evomask.execution.local import Local
from evomask.io.chunks import (
    Alike,
    Parts,
    keep_matrix,
    kept_matrix,
    part_name,
    with_masked,
    write_part,
)
from evomask.masking.catalogue import METHODS, MethodEntry, method_named
from evomask.masking.method import Fittable, MaskingMethod
from evomask.masking.microaggregation.aggregation import aggregate
from evomask.masking.microaggregation.mdav import Mdav, group_numbers
from evomask.masking.missing import keep_missing
from evomask.outofcore.prepare import (
    MASKED,
    WORK,
    Overview,
    PreparedFile,
    Progress,
    Result,
    Step,
    category_table,
    job_fields,
    prepare_file,
    run_step,
    sampled_numbers,
    survey,
)
from evomask.outofcore.release import ChunksPromise, finalize
from evomask.runs.inputs import Input, note_on_seed
from evomask.types import Codes, Floats, Indices, Points

OUTER_SHARES = (0.0, 0.01, 0.03, 0.1)
"""Shares of outer records that are tried."""

TRIED_REGIONS = 10
"""Regions into which the sample is cut for such a trial."""

DISTANCE_SIDE = -1
"""Dimension number of a split by the distance from the centre."""


@dataclass(frozen=True)
class SplitNode:
    """Split of the records at a value of one dimension."""

    side: int
    value: float
    below: "SplitNode | int"
    above: "SplitNode | int"


SplitTree = SplitNode | int
"""Splits down to the number of a region."""


def build_tree(sample: Points, regions: int, share: float = 0.0) -> SplitTree:
    """Split a sample into about *regions* regions of equal size, with a separate outer *share*.

    The outer records of a very large file form several regions, so time is linear in the records.
    """
    numbers = iter(range(regions + 2))
    if not share:
        return _grow(sample, regions, numbers)
    away = (sample**2).sum(axis=1)
    limit = float(np.quantile(away, 1 - share, method="lower"))
    outer = max(1, round(regions * share))
    inside = _grow(sample[away <= limit], max(1, regions - outer), numbers)
    return SplitNode(DISTANCE_SIDE, limit, inside, _grow(sample[away > limit], outer, numbers))


def _grow(points: Points, regions: int, numbers: Iterator[int]) -> SplitTree:
    """Split the dimension of largest variance so that both sides get their share of regions."""
    if regions > 1 and len(points) > 1:
        few = regions // 2
        for side in np.argsort(-points.var(axis=0), kind="stable"):
            column = points[:, side]
            value = np.quantile(column, few / regions, method="lower")
            below = column <= value
            if 0 < below.sum() < len(points):
                return SplitNode(
                    int(side),
                    float(value),
                    _grow(points[below], few, numbers),
                    _grow(points[~below], regions - few, numbers),
                )
    return next(numbers)


def region_of(points: Points, tree: SplitTree) -> Codes:
    """The region of each record."""
    found = np.empty(len(points), dtype=np.int32)

    def walk(node: SplitTree, members: Indices) -> None:
        if isinstance(node, int):
            found[members] = node
            return
        own = points[members]
        column = (own**2).sum(axis=1) if node.side == DISTANCE_SIDE else own[:, node.side]
        is_below = column <= node.value
        walk(node.below, members[is_below])
        walk(node.above, members[~is_below])

    walk(tree, np.arange(len(points)))
    return found


def count_regions(tree: SplitTree) -> int:
    """Return the number of regions, which are numbered from 0."""
    return (
        1 + tree
        if isinstance(tree, int)
        else max(count_regions(tree.below), count_regions(tree.above))
    )


def best_outer_share(sample: Points, k: int) -> float:
    """The share of outer records with the least loss on the sample."""
    if len(sample) < TRIED_REGIONS * 4 * k:
        return 0.0
    losses = {
        share: _loss(sample, build_tree(sample, TRIED_REGIONS, share), k) for share in OUTER_SHARES
    }
    return min(losses, key=lambda share: losses[share])


def _loss(sample: Points, tree: SplitTree, k: int) -> float:
    regions = region_of(sample, tree)
    own = [np.ascontiguousarray(sample[regions == number]) for number in np.unique(regions)]
    return sum(
        within_sum_of_squares(points, group_numbers(points, min(k, len(points)))) for points in own
    )


def merge_small_regions(counts: Indices, least: int) -> list[list[int]]:
    """Merge successive regions until each group has at least *least* records."""
    groups: list[list[int]] = [[]]
    for region, count in enumerate(counts.tolist()):
        if not count:
            continue
        if groups[-1] and sum(int(counts[r]) for r in groups[-1]) >= least:
            groups.append([])
        groups[-1].append(region)
    if len(groups) > 1 and sum(int(counts[r]) for r in groups[-1]) < least:
        groups[-2] += groups.pop()
    return groups


REGION_SIZE = 100_000
"""Approximate number of records in a region."""


@dataclass(frozen=True, eq=False)
class Scale:
    """Standardization by the whole file; missing values become its median."""

    means: Floats
    deviations: Floats
    medians: Floats

    def __call__(self, points: Points) -> Points:
        known = np.where(np.isnan(points), self.medians, points)
        return np.ascontiguousarray((known - self.means) / self.deviations)


@dataclass(frozen=True, eq=False)
class Numbers:
    """The numeric columns of a large file that are grouped together."""

    parts: Parts
    overview: Overview
    names: tuple[str, ...]
    scale: Scale
    folder: str

    @property
    def schema(self) -> Schema:
        return Schema(tuple(a for a in self.overview.attributes if a.name in self.names))

    def of_part(self, number: int) -> Table:
        declared = self.overview.declared
        return self.parts.table(number, {name: declared[name] for name in self.names})


@dataclass(frozen=True, eq=False)
class SortTask:
    """Sorts the records of a chunk by region."""

    numbers: Numbers
    tree: SplitTree

    def __call__(self, number: int) -> Result:
        table = self.numbers.of_part(number)
        points = table.matrix(self.numbers.names)
        regions = region_of(self.numbers.scale(points), self.tree)
        order = np.argsort(regions, kind="stable")
        rows = np.column_stack([points[order], order])
        keep_matrix(_sorted(self.numbers.folder, number), rows)
        counts = np.bincount(regions, minlength=count_regions(self.tree))
        return {"records": len(points), "regions": counts.tolist()}


@dataclass(frozen=True, eq=False)
class GroupTask:
    """Groups the records of one region, or of several small ones.

    Args:
        regions: their numbers.
        starts: where each region begins in every chunk, one row per chunk.
    """

    numbers: Numbers
    k: int
    regions: Sequence[Sequence[int]]
    starts: Indices

    def __call__(self, number: int) -> Result:
        rows, parts = self._read(number)
        names = self.numbers.names
        columns = {name: np.ascontiguousarray(rows[:, i]) for i, name in enumerate(names)}
        table = Table(self.numbers.schema, columns)
        points = self.numbers.scale(table.matrix(names))
        labels = group_numbers(points, validate_k(self.k, len(points)))
        masked = aggregate(table, names, labels).matrix(names)
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
class GroupMeans:
    """Group means of all chunks.

    Args:
        starts: where each chunk begins in every region's file, one row per region.
    """

    numbers: Numbers
    starts: Indices

    def of_part(self, number: int) -> Table:
        table = self.numbers.of_part(number)
        masked = np.empty((len(table), len(self.numbers.names)))
        for region, starts in enumerate(self.starts):
            first, end = int(starts[number]), int(starts[number + 1])
            if end > first:
                own = kept_matrix(_grouped(self.numbers.folder, region), first, end)
                masked[own[:, -1].astype(np.int64)] = own[:, :-1]
        return table.with_columns(dict(zip(self.numbers.names, masked.T, strict=True)))


@dataclass(frozen=True, eq=False)
class WriteMeansTask:
    """Writes a chunk with the group means in place of its numbers."""

    means: GroupMeans
    dropped: tuple[str, ...] = field(default=())

    def __call__(self, number: int) -> Result:
        numbers = self.means.numbers
        frame = with_masked(numbers.parts.read(number), self.means.of_part(number), self.dropped)
        file = f"{MASKED}/{part_name(number)}"
        written = write_part(frame, Path(numbers.folder) / file)
        return {"records": len(frame), "file": file, "sha256": written}


@dataclass(frozen=True)
class MicroaggregationOutcome:
    """Number of groups, smallest group, and information loss in percent."""

    groups: int
    least: int
    sse: float
    il: float
    regions: int
    shell: float


def microaggregate_chunks(
    file: PreparedFile,
    overview: Overview,
    names: tuple[str, ...],
    k: int,
    evaluators: Evaluators,
    told: Progress,
) -> MicroaggregationOutcome:
    """Microaggregate all chunks with groups of at least k; the record order is kept."""
    means, found = group_in_regions(file, overview, names, k, evaluators, told)
    gathering = WriteMeansTask(means, file.dropped)
    run_step(Step(str(file.folder), "mask", gathering), len(file.parts), evaluators, told)
    return found


def group_in_regions(
    file: PreparedFile,
    overview: Overview,
    names: tuple[str, ...],
    k: int,
    evaluators: Evaluators,
    told: Progress,
) -> tuple[GroupMeans, MicroaggregationOutcome]:
    """Group the numbers of all chunks, one task per region."""
    validate_k(k, file.parts.records)
    scale, folder = Scale(*overview.scale(names)), str(file.folder)
    numbers = Numbers(file.parts, overview, names, scale, folder)
    sample = scale(sampled_numbers(file, names))
    shell = best_outer_share(sample, k)
    tree = build_tree(sample, max(1, round(file.parts.records / REGION_SIZE)), shell)
    step = Step(folder, "sort", SortTask(numbers, tree))
    rows = run_step(step, len(file.parts), evaluators, told)
    counts = np.array([row["regions"] for row in rows], dtype=np.int64)
    regions = merge_small_regions(counts.sum(axis=0), 2 * k)
    grouping = GroupTask(numbers, k, regions, _starts(counts))
    found = run_step(Step(folder, "group", grouping), len(regions), evaluators, told)
    places = np.array([row["parts"] for row in found], dtype=np.int64)
    sse = sum(row["sse"] for row in found)
    total = file.parts.records * _n_varying(overview, names)
    return GroupMeans(numbers, _starts(places)), MicroaggregationOutcome(
        sum(row["groups"] for row in found),
        min(row["least"] for row in found),
        sse,
        100.0 * sse / total if total else 0.0,
        len(regions),
        shell,
    )


def _n_varying(overview: Overview, names: Sequence[str]) -> int:
    return sum(overview.statistics.numbers[name].deviation > 0 for name in names)


def _starts(counts: Indices) -> Indices:
    """Cumulative starts of each column in every row, from its counts."""
    return np.concatenate([np.zeros((len(counts), 1), np.int64), np.cumsum(counts, axis=1)], axis=1)


def _sorted(folder: str, number: int) -> Path:
    return Path(folder) / WORK / f"sorted-{number:06}.npy"


def _grouped(folder: str, number: int) -> Path:
    return Path(folder) / WORK / f"grouped-{number:06}.npy"


@dataclass(frozen=True)
class PartsJob:
    """Masking of a large file with one method, and the output folder.

    Args:
        attributes: attributes to mask; by default the quasi-identifiers that the method supports.
        options: the method's parameters as text, by name.
        seed: drawn from the system if absent, and stored in the folder only.
    """

    source: Input
    method: str
    out: Path
    options: Mapping[str, str] = field(default_factory=dict)
    attributes: tuple[str, ...] = ()
    seed: int | None = None


@dataclass(frozen=True)
class PartsOutcome:
    """Outcome of masking in chunks.

    Args:
        alike: equivalence classes of the masked attributes, counted in the written files.
    """

    method: str
    out: Path
    records: int
    parts: int
    seconds: float
    attributes: tuple[str, ...]
    alike: Alike
    aggregation: MicroaggregationOutcome | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class MaskTask:
    """Masks one chunk with a method fitted to the statistics of the whole file."""

    parts: Parts
    overview: Overview
    method: MaskingMethod
    folder: str
    seed: int
    dropped: tuple[str, ...]

    def __call__(self, number: int) -> Result:
        table = self.parts.table(number, self.overview.declared)
        masked = keep_missing(table, self.method.mask(table, working_stream(self.seed, number)))
        frame = with_masked(self.parts.read(number), masked, self.dropped)
        file = f"{MASKED}/{part_name(number)}"
        written = write_part(frame, Path(self.folder) / file)
        return {"records": len(frame), "file": file, "sha256": written}


def mask_parts(
    job: PartsJob, *, evaluators: Evaluators = Local(), told: Progress = lambda *_: None
) -> PartsOutcome:
    """Mask a large file; resumes unfinished work and skips written chunks."""
    began = time.perf_counter()
    method_named(job.method)
    settings = {"method": job.method, "options": dict(job.options), "names": job.attributes}
    seed = secrets.randbits(63) if job.seed is None else job.seed
    with prepare_file(job.source, job.out, settings, seed, job=job_fields("mask", job)) as file:
        done = _mask_file(job, file, evaluators, told)
    return replace(done, seconds=time.perf_counter() - began)


def _mask_file(
    job: PartsJob, file: PreparedFile, evaluators: Evaluators, told: Progress
) -> PartsOutcome:
    entry = method_named(job.method)
    names = job.attributes or _maskable_attributes(entry, file)
    trial = entry.build(names, job.options, _fit_hierarchies(entry, file, None))
    _check_supported_method(trial, job.method)
    declared = {name: file.declaration(name) for name in names}
    overview = survey(file, declared, evaluators, told)
    aggregation = None
    if isinstance(trial, Mdav):
        aggregation = microaggregate_chunks(file, overview, names, trial.k, evaluators, told)
    else:
        method = entry.build(names, job.options, _fit_hierarchies(entry, file, overview))
        _mask_chunks(file, overview, method, evaluators, told)
    alike = finalize(file, ChunksPromise(names, trial.k if isinstance(trial, Mdav) else 1))
    return PartsOutcome(
        job.method, job.out, alike.records, len(file.parts), 0.0, names, alike, aggregation,
        (*file.notes, *note_on_seed(file.seed)),
    )  # fmt: skip


def _mask_chunks(
    file: PreparedFile,
    overview: Overview,
    method: MaskingMethod,
    evaluators: Evaluators,
    told: Progress,
) -> None:
    ready = method.fitted(overview.statistics) if isinstance(method, Fittable) else method
    make = MaskTask(file.parts, overview, ready, str(file.folder), file.seed, file.dropped)
    run_step(Step(str(file.folder), "mask", make), len(file.parts), evaluators, told)


def _maskable_attributes(entry: MethodEntry, file: PreparedFile) -> tuple[str, ...]:
    known = file.schema.quasi_identifiers
    names = tuple(name for name in known if file.schema[name].kind in entry.kinds)
    if not names:
        raise SchemaError(
            f"{entry.name} masks {' or '.join(sorted(entry.kinds))} attributes, and no "
            "quasi-identifier is one; name one with --attributes or choose another method"
        )
    return names


def _fit_hierarchies(
    entry: MethodEntry, file: PreparedFile, overview: Overview | None
) -> dict[str, dict[str, Hierarchy]]:
    """Hierarchies of a method, over the categories of all chunks once they are known."""
    if "hierarchies" not in entry.from_files:
        return {}
    if overview is None:
        return {"hierarchies": fit_hierarchies(file.trees, file.first)}
    own = [attribute for attribute in overview.attributes if attribute.name in file.trees]
    return {
        "hierarchies": {
            a.name: fit_hierarchy(a.name, file.trees[a.name], category_table(a)) for a in own
        }
    }


def _check_supported_method(method: object, name: str) -> None:
    if not isinstance(method, Mdav | Fittable):
        raise ParameterError(
            f"{name} needs the whole file at once; for chunked files use {_supported_methods()}"
        )


def _supported_methods() -> str:
    return ", ".join(e.name for e in METHODS if hasattr(e.method, "fitted") or e.method is Mdav)
