"""Global recoding of a file larger than memory to k-anonymity, l-diversity and t-closeness.

k-anonymity depends only on the number of records of each combination of quasi-identifiers; l and t
depend on how many of them have each confidential value. The best levels are searched on these
counts; then every chunk is generalized, and records of classes that violate the requirement are
suppressed.
"""

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from evomask.data.classes import classes_of_columns
from evomask.data.frames import Declaration, Declarations, table_from
from evomask.data.hierarchy import Hierarchy, fit_hierarchy
from evomask.data.hierarchy_builders import automatic_hierarchy, lines_of
from evomask.data.recoding import CategorySets, Intervals
from evomask.data.recoding import Recoding as Cells
from evomask.data.schema import MISSING, Kind, Role
from evomask.data.table import Table
from evomask.errors import ParameterError, RunError, SchemaError
from evomask.execution.evaluator import Evaluators
from evomask.execution.local import Local
from evomask.io.chunks import (
    COUNT,
    FLAG,
    Alike,
    Parts,
    Place,
    summed_counts,
    values_in,
    with_masked,
    write_counts,
    write_part,
)
from evomask.io.paired_chunks import with_flags
from evomask.masking.enforce.requirement import Requirement
from evomask.masking.provenance import Provenance
from evomask.masking.provenance import Step as MakingStep
from evomask.outofcore.compare import ChunkComparison, Comparison
from evomask.outofcore.prepare import (
    WORK,
    PreparedFile,
    Progress,
    Result,
    Step,
    job_fields,
    prepare_file,
    run_step,
)
from evomask.outofcore.release import ChunksPromise, ConfidentialPromise, finalize
from evomask.outofcore.reports import ChunkedProtection, render_reports
from evomask.outofcore.shuffle import shuffle_chunks
from evomask.runs.inputs import Input
from evomask.runs.store.signature import read_key
from evomask.searches.generalization.lattice import Levels
from evomask.searches.generalization.optimum import (
    CountedLattice,
    Optimum,
    RequiringReader,
    Secret,
    counted_lattice,
    optimum,
)
from evomask.types import Codes, Flags

SEARCH = "generalization"

MOST_VALUES = 256
"""Distinct values up to which a number is generalized as an ordinal attribute."""


@dataclass(frozen=True)
class GeneralizeJob:
    """Generalization of a large file, and the output folder.

    Args:
        requirement: k, and l and t of the confidential attributes.
        suppression: largest share of suppressed records, in percent.
        hierarchies: folder of hierarchies; others are built from the values.
        key: file of the key that signs the release.
        keep_order: whether the permutation of the released records is stored.
    """

    source: Input
    out: Path
    requirement: Requirement
    suppression: float = 1.0
    hierarchies: Path | None = None
    seed: int | None = None
    key: Path | None = None
    keep_order: bool = False


@dataclass(frozen=True)
class GeneralizationOutcome:
    """Outcome of a generalization: levels, loss in percent, suppressed records.

    Args:
        proven: whether the loss is proven minimal; not with t.
        compared: loss and risk of the released records.
    """

    out: Path
    levels: Mapping[str, int]
    loss: float
    suppressed: int
    combinations: int
    nodes: int
    proven: bool
    compared: Comparison
    alike: Alike
    parts: int
    seconds: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class CountTask:
    """Counts combinations in one chunk, alone and with each confidential attribute."""

    parts: Parts
    names: tuple[str, ...]
    confidential: tuple[str, ...]
    folder: str

    def __call__(self, number: int) -> Result:
        frame = self.parts.read(number, (*self.names, *self.confidential))
        write_counts(_counts(self.folder, number), frame, self.names)
        for place, name in enumerate(self.confidential):
            write_counts(_secrets(self.folder, place, number), frame, (*self.names, name))
        return {"records": len(frame)}


@dataclass(frozen=True, eq=False)
class RecodeTask:
    """Generalizes one chunk, and flags records whose class is suppressed."""

    parts: Parts
    declared: Declarations
    trees: Mapping[str, Hierarchy]
    levels: Levels
    few: Mapping[str, Codes]
    folder: str

    def __call__(self, number: int) -> Result:
        table = self.parts.table(number, self.declared)
        for (name, tree), level in zip(self.trees.items(), self.levels, strict=True):
            codes = tree.ancestors(level)[table.codes(name)]
            if level:
                table = table.with_recoded(name, codes, tree.recoding(level))
        frame = with_masked(self.parts.read(number), table, ())
        write_part(with_flags(frame, self._too_few(table)), _recoded(self.folder, number))
        return {"records": len(frame)}

    def cells(self, file: PreparedFile) -> dict[str, Cells]:
        pairs = zip(self.trees.items(), self.levels, strict=True)
        found = {name: tree.recoding(level) for (name, tree), level in pairs if level}
        return {
            name: sets if file.schema[name].is_categorical else _intervals(sets, self.trees[name])
            for name, sets in found.items()
        }

    def _too_few(self, table: Table) -> Flags:
        """Flags of the records whose generalized combination is suppressed."""
        columns = [np.concatenate([table[name], self.few[name]]) for name in self.trees]
        labels = classes_of_columns(columns, len(columns[0])).labels
        flags: Flags = np.isin(labels[: len(table)], labels[len(table) :])
        return flags


def _intervals(sets: CategorySets, tree: Hierarchy) -> Intervals:
    """Sets of numbers as intervals from minimum to maximum."""
    numbers = np.array([np.nan if text == MISSING else float(text) for text in tree.categories])
    inside = np.where(sets.leaves, numbers, np.nan)
    return Intervals(sets.labels, np.fmin.reduce(inside, axis=1), np.fmax.reduce(inside, axis=1))


def generalize_parts(
    job: GeneralizeJob, *, evaluators: Evaluators = Local(), told: Progress = lambda *_: None
) -> GeneralizationOutcome:
    """Generalize a large file to a requirement with the least loss; resumable."""
    began = time.perf_counter()
    if not job.requirement.asks_anything or job.requirement.k < 2:
        raise ParameterError(
            "generalization of a chunked file needs a requirement; give --require k=5, or "
            "k=5,l=2,t=0.3"
        )
    if not 0 <= job.suppression < 100:
        raise ParameterError(f"suppression must lie in [0, 100) percent, got {job.suppression}")
    if job.key is not None:
        read_key(job.key)
    settings: dict[str, object] = {
        "generalization": job.requirement.as_text,
        "suppression": job.suppression,
        "order": job.keep_order,
    }
    seed = secrets.randbits(63) if job.seed is None else job.seed
    trees = None if job.hierarchies is None else job.hierarchies.resolve()
    told_of = job_fields("protect", job, key=None, hierarchies=trees)
    with prepare_file(job.source, job.out, settings, seed, job.hierarchies, told_of) as file:
        done = _Job(job, file, evaluators, told).done()
    return replace(done, seconds=time.perf_counter() - began)


@dataclass(frozen=True, eq=False)
class _Job:
    job: GeneralizeJob
    file: PreparedFile
    evaluators: Evaluators
    told: Progress

    def done(self) -> GeneralizationOutcome:
        file, names, job = self.file, self.file.schema.quasi_identifiers, self.job
        secret = self._confidential()
        self._carried_out("count", CountTask(file.parts, names, secret, str(job.out)))
        lattice, declared = self._lattice(names, secret)
        best, reader = self._best(lattice)
        few, gone = reader.left_out(best.levels)
        before = np.unique(lattice.bottom.sizes, return_counts=True)
        after = np.unique(reader.sizes_staying(best.levels), return_counts=True)
        combinations = len(lattice.table)
        recoding = RecodeTask(file.parts, declared, lattice.trees, best.levels, few, str(job.out))
        del lattice, reader
        masked = self._recoded(recoding)
        compared = ChunkComparison(
            file, masked, self.evaluators, self.told, flag=(FLAG,), cells=recoding.cells(file)
        ).compared()
        shuffle_chunks(file, masked, self.evaluators, self.told, keep_order=job.keep_order)
        levels = dict(zip(names, best.levels, strict=True))
        found = ChunkedProtection(
            job.requirement, _provenance(levels), _levels_text(levels), {"levels": levels},
            self._reason,
            gone, best.checked, compared, before, after,
        )  # fmt: skip
        promised = ChunksPromise(
            names, job.requirement.k, job.key, self._promised(secret), shuffled=True
        )
        alike = finalize(file, promised, lambda alike: render_reports(file, found, alike))
        return GeneralizationOutcome(
            job.out, levels, 100.0 * best.loss, gone, combinations, best.checked, self._proven,
            compared, alike, len(file.parts), 0.0, file.notes,
        )  # fmt: skip

    @property
    def _proven(self) -> bool:
        return self.job.requirement.t == 1.0

    @property
    def _reason(self) -> str:
        asked = self.job.requirement
        if self._proven:
            return f"proven optimal: no other levels fulfil {asked} with less loss"
        return f"least loss among the levels that were found to fulfil {asked}"

    def _carried_out(self, name: str, make: Any) -> list[Result]:  # noqa: ANN401
        step = Step(str(self.file.folder), name, make)
        return run_step(step, len(self.file.parts), self.evaluators, self.told)

    def _confidential(self) -> tuple[str, ...]:
        asked = self.job.requirement
        if self.job.requirement.k > self.file.parts.records:
            raise ParameterError(
                f"k must not exceed the number of records, got k = {asked.k} for "
                f"{self.file.parts.records}; choose a smaller k"
            )
        if asked == Requirement(k=asked.k):
            return ()
        names = self.file.schema.with_role(Role.CONFIDENTIAL)
        if not names:
            raise ParameterError(
                "l and t require a confidential attribute; name one with --confidential"
            )
        return tuple(names)

    def _best(self, lattice: CountedLattice) -> tuple[Optimum, RequiringReader]:
        asked = self.job.requirement
        limit = int(lattice.n_records * self.job.suppression / 100)
        rule = lattice.rule(k=asked.k, limit=limit)
        reader = RequiringReader(lattice, rule, k=asked.k, l=asked.l, t=asked.t)
        only_k = asked == Requirement(k=asked.k)
        best = optimum(lattice, k=asked.k, limit=limit, reader=None if only_k else reader)
        if best is None:
            raise RunError(
                f"no generalization fulfils {asked} with {self.job.suppression:g} % of the records "
                "suppressed; allow more suppression, or lower the requirement"
            )
        return best, reader

    def _recoded(self, recoding: RecodeTask) -> Parts:
        self._carried_out("recode", recoding)
        own = self.file.parts
        places = (
            Place(str(_recoded(recoding.folder, number)), 0, place.records)
            for number, place in enumerate(own.places)
        )
        return Parts(tuple(places), (*own.columns, FLAG))

    def _lattice(
        self, names: tuple[str, ...], confidential: tuple[str, ...]
    ) -> tuple[CountedLattice, Declarations]:
        """The lattice on the counts of all chunks, and the declarations of their columns."""
        file, folder, parts = self.file, str(self.file.folder), range(len(self.file.parts))
        counts = summed_counts(names, (_counts(folder, number) for number in parts))
        kinds = {name: Declaration(_kind(file, name), Role.QUASI_IDENTIFIER) for name in names}
        table = table_from(counts.select(names), kinds)
        for name in names:
            if len(table.attribute(name).categories) > MOST_VALUES and name not in file.trees:
                raise SchemaError(
                    f"{name!r} has more than {MOST_VALUES} distinct values; give it a hierarchy, "
                    "or microaggregate it with `evomask mask --method mdav`"
                )
        declared = {
            a.name: Declaration(a.kind, a.role, a.categories, notes=a.notes) for a in table.schema
        }
        times = counts[COUNT].to_numpy().astype(np.int64)
        found = {
            name: self._secret(counts, name, place, names)
            for place, name in enumerate(confidential)
        }
        return counted_lattice(table, times, _fit_hierarchies(file, table), found), declared

    def _secret(self, counts: Any, name: str, place: int, names: tuple[str, ...]) -> Secret:  # noqa: ANN401
        folder, parts = str(self.file.folder), range(len(self.file.parts))
        paths = (_secrets(folder, place, number) for number in parts)
        rows, values, times = values_in(
            counts, summed_counts((*names, name), paths), name, self._order(name)
        )
        if len(values) and int(values.max()) >= MOST_VALUES:
            raise SchemaError(
                f"{name!r} has more than {MOST_VALUES} distinct values, too many for l and t; "
                f"recode it first, or require k only"
            )
        matrix = np.zeros((len(counts), int(values.max()) + 1), dtype=np.int32)
        np.add.at(matrix, (rows, values), times)
        return Secret(matrix, self.file.schema[name].kind is not Kind.NOMINAL)

    def _order(self, name: str) -> tuple[str, ...]:
        own = self.file.schema[name]
        return own.categories if own.kind is Kind.ORDINAL else ()

    def _promised(self, confidential: tuple[str, ...]) -> tuple[ConfidentialPromise, ...]:
        asked = self.job.requirement
        return tuple(
            ConfidentialPromise(
                name, asked.l, asked.t, self.file.schema[name].kind is not Kind.NOMINAL,
                self._order(name),
            )
            for name in confidential
        )  # fmt: skip


def _provenance(levels: Mapping[str, int]) -> Provenance:
    names = tuple(name for name, level in levels.items() if level)
    steps = (MakingStep(SEARCH, {"levels": dict(levels)}, names),) if names else ()
    return Provenance(steps, SEARCH)


def _levels_text(levels: Mapping[str, int]) -> str:
    told = ", ".join(f"{name} {level}" for name, level in levels.items())
    return f"generalized to the levels {told}"


def _kind(file: PreparedFile, name: str) -> Kind:
    kind = file.schema[name].kind
    return Kind.ORDINAL if kind is Kind.CONTINUOUS else kind


def _fit_hierarchies(file: PreparedFile, table: Table) -> dict[str, Hierarchy]:
    """A hierarchy for every quasi-identifier: given, or built from its values."""
    lines = {
        name: file.trees.get(name) or lines_of(automatic_hierarchy(table, name))
        for name in table.schema.names
    }
    return {name: fit_hierarchy(name, own, table) for name, own in lines.items()}


def _counts(folder: str, number: int) -> Path:
    return Path(folder) / WORK / f"counts-{number:06}.arrow"


def _secrets(folder: str, place: int, number: int) -> Path:
    return Path(folder) / WORK / f"secrets-{place:03}-{number:06}.arrow"


def _recoded(folder: str, number: int) -> Path:
    return Path(folder) / WORK / f"recoded-{number:06}.parquet"
