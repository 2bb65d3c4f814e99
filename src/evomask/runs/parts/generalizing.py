"""k-anonymity of a file that does not fit in memory: counted, searched on the counts, recoded.

The different combinations of quasi-identifiers and how many records have each are all that
k-anonymity depends on. The best levels are found on them, with a proof that there are no
better ones; then every part is generalized on its own, and records of small classes are left out.
"""

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from evomask.arrays import Codes, Flags
from evomask.data.frames import Declaration, Declarations, table_from
from evomask.data.hierarchy import Hierarchy, fitted
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.data.trees.making import lines_of, suiting
from evomask.errors import ParameterError, RunError, SchemaError
from evomask.execution.evaluator import Evaluators
from evomask.execution.local import Local
from evomask.io.parts import (
    COUNT,
    Alike,
    Parts,
    keep_counts,
    part_name,
    summed_counts,
    with_masked,
    write_part,
)
from evomask.masking.guarantees.requirement import Requirement
from evomask.runs.inputs import Input
from evomask.runs.kept.signing import read_key
from evomask.runs.parts.closing import Promised, closed
from evomask.runs.parts.opening import Opened, opened
from evomask.runs.parts.steps import MASKED, WORK, Result, Step, Told, carried_out
from evomask.searches.generalization.counted import CountedLattice, counted_lattice
from evomask.searches.generalization.lattice import Levels
from evomask.searches.generalization.optimum import optimum

FEW_VALUES = 256
"""Different values up to which a number is generalized as a category with an order."""

IN_ORDER = "the records of the parts are in the order of the input: shuffle them before a release"


@dataclass(frozen=True)
class GeneralizeJob:
    """What to make k-anonymous, and the folder that the parts are written to.

    Args:
        suppression: records that may be left out at most, in percent.
        hierarchies: folder of value trees; what has none gets one that suits its values.
        key: file of the key that signs the work.
    """

    source: Input
    out: Path
    k: int
    suppression: float = 1.0
    hierarchies: Path | None = None
    seed: int | None = None
    key: Path | None = None


@dataclass(frozen=True)
class Generalized:
    """What came of it: the levels, their loss in percent, and what was left out."""

    out: Path
    levels: Mapping[str, int]
    loss: float
    suppressed: int
    combinations: int
    nodes: int
    alike: Alike
    parts: int
    seconds: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Counting:
    """Counts the combinations of one part."""

    parts: Parts
    names: tuple[str, ...]
    folder: str

    def __call__(self, number: int) -> Result:
        """How many records there are; the counts lie in a file."""
        frame = self.parts.read(number, self.names)
        keep_counts(_counts(self.folder, number), frame, self.names)
        return {"records": len(frame)}


@dataclass(frozen=True, eq=False)
class Recoding:
    """Generalizes one part, and leaves out records whose class is too small in the whole file."""

    parts: Parts
    declared: Declarations
    trees: Mapping[str, Hierarchy]
    levels: Levels
    few: Mapping[str, Codes]
    folder: str
    dropped: tuple[str, ...]

    def __call__(self, number: int) -> Result:
        """The part as it is released, and its hash."""
        table = self.parts.table(number, self.declared)
        for (name, tree), level in zip(self.trees.items(), self.levels, strict=True):
            codes = tree.ancestors(level)[table.codes(name)]
            if level:
                table = table.with_recoded(name, codes, tree.recoding(level))
        table = table.suppressing(self._too_few(table))
        frame = with_masked(self.parts.read(number), table, self.dropped)
        file = f"{MASKED}/{part_name(number)}"
        written = write_part(frame, Path(self.folder) / file)
        return {"records": len(frame), "file": file, "sha256": written}

    def _too_few(self, table: Table) -> Flags:
        """Flags of the records whose generalized combination is one of the small ones."""
        sizes = [len(t.labels(v)) for t, v in zip(self.trees.values(), self.levels, strict=True)]
        keys = _keys([table[name] for name in self.trees], sizes)
        flags: Flags = np.isin(keys, _keys([self.few[name] for name in self.trees], sizes))
        return flags


def _keys(columns: list[Codes], sizes: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """One whole number for every combination of codes."""
    keys = np.zeros(len(columns[0]), dtype=np.int64)
    for codes, size in zip(columns, sizes, strict=True):
        keys = keys * size + codes
    return keys


def only_k(requirement: Requirement) -> int:
    """The k of a requirement that asks for nothing else, as files in parts are made to fulfil."""
    if requirement.k < 2 or requirement != Requirement(k=requirement.k):
        raise ParameterError("a file in parts is made k-anonymous; ask for it with --require k=5")
    return requirement.k


def generalize_parts(
    job: GeneralizeJob, *, evaluators: Evaluators = Local(), told: Told = lambda *_: None
) -> Generalized:
    """Make a large file k-anonymous with the least loss; begun work goes on."""
    began = time.perf_counter()
    if not 0 <= job.suppression < 100:
        raise ParameterError(f"suppression must lie in [0, 100) percent, got {job.suppression}")
    if job.key is not None:
        read_key(job.key)
    settings = {"generalization": job.k, "suppression": job.suppression}
    seed = secrets.randbits(63) if job.seed is None else job.seed
    with opened(job.source, job.out, settings, seed, job.hierarchies) as file:
        done = _generalized(job, file, evaluators, told)
    return replace(done, seconds=time.perf_counter() - began)


def _generalized(
    job: GeneralizeJob, file: Opened, evaluators: Evaluators, told: Told
) -> Generalized:
    names, folder = file.schema.quasi_identifiers, str(job.out)
    if job.k > file.parts.records:
        raise ParameterError(
            f"k must not exceed the number of records, got k = {job.k} for {file.parts.records}; "
            "choose a smaller k"
        )
    counting = Step(folder, "count", Counting(file.parts, names, folder))
    carried_out(counting, len(file.parts), evaluators, told)
    lattice, declared = _lattice(file, names)
    best = optimum(lattice, k=job.k, limit=int(lattice.n_records * job.suppression / 100))
    if best is None:
        raise RunError(
            f"no generalization has classes of {job.k} records with {job.suppression:g} % left "
            "out; allow more suppression, or a smaller k"
        )
    few, gone = lattice.too_few(best.levels, job.k)
    combinations, trees = len(lattice.table), lattice.trees
    recoding = Recoding(file.parts, declared, trees, best.levels, few, folder, file.dropped)
    del lattice
    carried_out(Step(folder, "mask", recoding), len(file.parts), evaluators, told)
    return Generalized(
        job.out, dict(zip(names, best.levels, strict=True)), 100.0 * best.loss, gone, combinations,
        best.checked, closed(file, Promised(names, job.k, job.key)), len(file.parts), 0.0,
        (*file.notes, IN_ORDER),
    )  # fmt: skip


def _lattice(file: Opened, names: tuple[str, ...]) -> tuple[CountedLattice, Declarations]:
    """The lattice on the counts of all parts, and how parts are to be read."""
    paths = [_counts(str(file.folder), number) for number in range(len(file.parts))]
    counts = summed_counts(names, paths)
    kinds = {name: Declaration(_kind(file, name), Role.QUASI_IDENTIFIER) for name in names}
    table = table_from(counts.select(names), kinds)
    for name in names:
        if len(table.attribute(name).categories) > FEW_VALUES and name not in file.trees:
            raise SchemaError(
                f"{name!r} has more than {FEW_VALUES} different values; give it a hierarchy, or "
                "microaggregate it with `evomask mask --method mdav`"
            )
    declared = {
        a.name: Declaration(a.kind, a.role, a.categories, notes=a.notes) for a in table.schema
    }
    times = counts[COUNT].to_numpy().astype(np.int64)
    return counted_lattice(table, times, _trees(file, table)), declared


def _kind(file: Opened, name: str) -> Kind:
    kind = file.schema[name].kind
    return Kind.ORDINAL if kind is Kind.CONTINUOUS else kind


def _trees(file: Opened, table: Table) -> dict[str, Hierarchy]:
    """A value tree for every quasi-identifier: the one given, or one that suits its values."""
    lines = {
        name: file.trees.get(name) or lines_of(suiting(table, name)) for name in table.schema.names
    }
    return {name: fitted(name, own, table) for name, own in lines.items()}


def _counts(folder: str, number: int) -> Path:
    return Path(folder) / WORK / f"counts-{number:06}.arrow"
