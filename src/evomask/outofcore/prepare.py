"""A large file prepared for chunked work: checkpoints, run folder, survey of all chunks."""

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from evomask.data.frames import Declaration, Declarations, table_from
from evomask.data.hierarchy import HierarchyLines
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import ParameterError, RunError, SchemaError
from evomask.evolution.streams import working_stream
from evomask.execution.evaluator import Evaluators
from evomask.io.chunks import (
    COUNT,
    RECORDS,
    Parts,
    decimals_in,
    from_text,
    hashes_of,
    keep_rows,
    kept_rows,
    numbers_of,
    summed_counts,
    value_counts,
)
from evomask.io.files import check_writable, open_private, remove_temporary_files, replace_file
from evomask.io.hierarchies import read_hierarchies
from evomask.io.paired_chunks import table_of_rows
from evomask.io.schemas import SchemaFile
from evomask.masking.enforce.requirement import parse_requirement
from evomask.masking.method import FileStatistics, NumberStatistics
from evomask.runs.inputs import Input, check_stated, declarations_of, with_quasi_identifiers
from evomask.runs.store.release import file_hash
from evomask.runs.store.run_folder import RunFolder, refuse_links
from evomask.runs.store.run_summary import CHUNKS_PLAN, LOCK
from evomask.types import Floats, Indices, Points

Result = dict[str, Any]
"""Result of a finished chunk: numbers, the name of its file and its hash."""

WORK, MASKED, ORDER, JOURNAL = "work", "masked", "order", "journal.jsonl"
DONE = "done.json"
"""File with the guarantees of finished chunks."""

LAST_STEP = "mask-"
"""Prefix of checkpoints of the last step; all others are temporary."""

BATCH_PER_WORKER = 4
"""Chunks per worker that are submitted together."""


@dataclass(frozen=True)
class Step:
    """A step that processes chunks by number, with a checkpoint for each finished chunk.

    Args:
        folder: of the run.
        make: processes one chunk; its result may name the written file and its sha256.
    """

    folder: str
    name: str
    make: Callable[[int], Result]

    def __call__(self, number: int, serial: int) -> Result:
        """Result of one chunk, from the checkpoint if present; the serial number is ignored."""
        known = self.known(number)
        if known is not None:
            return known
        result = self.make(number)
        text = json.dumps(result).encode()
        replace_file(self._path(number), lambda file: file.write(text))
        return result

    def known(self, number: int) -> Result | None:
        """Checkpoint of a finished chunk whose file is unchanged, or None."""
        try:
            result: Result = json.loads(self._path(number).read_bytes())
        except (OSError, ValueError):
            return None
        return result if self._is_whole(result) else None

    def _is_whole(self, result: object) -> bool:
        if not isinstance(result, dict):
            return False
        if "sha256" not in result:
            return bool(result)
        name = result.get("file")
        if not isinstance(name, str) or Path(name).parent != Path(MASKED):
            return False
        with suppress(OSError, ValueError), (Path(self.folder) / name).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == str(result["sha256"])
        return False

    def _path(self, number: int) -> Path:
        return Path(self.folder) / WORK / f"{self.name}-{number:06}.json"


Progress = Callable[[str, int, int], None]
"""Callback: name of a step, finished chunks, total chunks."""


def run_step(
    step: Step, count: int, evaluators: Evaluators, told: Progress = lambda *_: None
) -> list[Result]:
    """Run a step on all chunks and return the results in order; each is a journal line."""
    known = {n: result for n in range(count) if (result := step.known(n)) is not None}
    rest = [number for number in range(count) if number not in known]
    told(step.name, len(known), count)
    if rest:
        with evaluators(step) as work:
            for some in _batches(rest, BATCH_PER_WORKER * evaluators.workers):
                for number, result in zip(some, work(some, first=some[0]), strict=True):
                    known[number] = result
                    _write_journal(Path(step.folder), step.name, number, result)
                told(step.name, len(known), count)
    return [known[number] for number in range(count)]


def _batches(numbers: Sequence[int], size: int) -> Iterator[list[int]]:
    waiting = iter(numbers)
    while some := list(islice(waiting, size)):
        yield some


def _write_journal(folder: Path, step: str, number: int, result: Result) -> None:
    line = {"step": step, "part": number} | {
        name: result[name] for name in ("records", "file", "sha256") if name in result
    }
    try:
        with open(folder / JOURNAL, "a", encoding="utf-8", opener=open_private) as file:
            file.write(json.dumps(line) + "\n")
    except OSError as error:
        raise RunError(f"{folder / JOURNAL} cannot be written: {error.strerror}") from None


PLAN = CHUNKS_PLAN
OWNER_ALONE = 0o700
SAMPLE = 50_000
"""Approximate number of records in the sample for regions and targets."""

Settings = Mapping[str, object]
SAMPLE_FOLDER = "sample"
"""Folder of the sample on which a recipe is searched."""

OWN_FILES = (WORK, MASKED, ORDER, LOCK)


@dataclass(frozen=True)
class PreparedFile:
    """A large file and the folder in which it is processed.

    Args:
        first: the records of its first chunk.
        trees: lines of the hierarchies that belong to it.
        name: of the file, or of the folder.
        hashes: of its input files, by name.
    """

    folder: Path
    parts: Parts
    first: Table
    seed: int
    trees: HierarchyLines = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    name: str = ""
    hashes: Mapping[str, str] = field(default_factory=dict)

    @property
    def schema(self) -> Schema:
        """Its attributes; categories are those of the first chunk only."""
        return self.first.schema

    @property
    def dropped(self) -> tuple[str, ...]:
        return tuple(a.name for a in self.schema if not a.role.is_released)

    def declaration(self, name: str) -> Declaration:
        """Declaration of a column, without categories, because other chunks may have more."""
        own = self.schema[name]
        return Declaration(
            own.kind, own.role, decimals=own.decimals, notes=own.notes, hierarchy=own.hierarchy,
            label=own.label, value_labels=own.value_labels,
        )  # fmt: skip


@contextmanager
def prepare_file(
    source: Input,
    folder: Path,
    settings: Settings,
    seed: int,
    hierarchies: Path | None = None,
    job: Settings | None = None,
    *,
    by_recipe: bool = False,
) -> Iterator[PreparedFile]:
    """Open the file and a folder that is new or holds the same unfinished work.

    The folder is locked meanwhile; if the input is refused, nothing is left behind.

    Args:
        settings: everything that the result depends on besides the file and the seed.
        job: fields of the job, so that the folder alone is enough to resume it.
        by_recipe: whether a recipe masks it, which enforces edit rules and what is required in
            scenarios and strata.
    """
    declared, schema = declarations_of(source)
    _make_folders(folder)
    with RunFolder(folder).locked():
        remove_temporary_files(folder)
        try:
            path = as_parquet(source, schema, folder / WORK / "converted.parquet")
            parts = split_chunks(path)
            first, assumed = with_quasi_identifiers(table_from(parts.read(0), declared))
            check_stated(first, schema.stated | source.roles.keys())
            _refuse_units(first, settings)
            if not by_recipe:
                _check_supported(first, schema)
                _refuse_requirements_of_scenarios(source, schema, settings)
            trees = read_hierarchies(first.schema, hierarchies)
            hashes = _hashes(source, path)
            wanted = {"input": hashes, "columns": _columns(first, trees), **settings}
            kept = _check_plan(folder, wanted, seed, job or {})
            yield PreparedFile(folder, parts, first, kept, trees, assumed, source.path.name, hashes)
        finally:
            _remove_unstarted(folder)


def _refuse_units(first: Table, settings: Settings) -> None:
    """Raise for units with several records, which may lie in several chunks.

    Levels of generalization hold for all chunks, so they keep values constant in households.
    """
    if names := [attribute.name for attribute in first.schema if attribute.pseudonym]:
        raise SchemaError(
            f"chunked files do not get pseudonyms; give {names[0]!r} the role identifier, or draw "
            "a sample"
        )
    if persons := first.schema.with_role(Role.PERSON):
        raise SchemaError(
            f"chunked files do not count persons; give {persons[0]!r} the role identifier if "
            "each person has one record, or protect a sample of persons"
        )
    households = first.schema.with_role(Role.HOUSEHOLD)
    if households and "generalization" not in settings:
        raise SchemaError(
            "chunked files do not keep households together, only their generalization does; give "
            f"{households[0]!r} the role identifier to mask each record by itself, or protect a "
            "sample of households"
        )


def _check_supported(first: Table, schema: SchemaFile) -> None:
    """Raise for edit rules and strata, which only recipes enforce in chunks."""
    if schema.rules.edits:
        raise SchemaError(
            "one method alone does not enforce edit rules in chunks; remove them from the schema, "
            "or use `evomask protect --in-parts`"
        )
    if strata := first.schema.with_role(Role.STRATUM):
        raise SchemaError(
            f"one method alone does not keep strata apart in chunks; give {strata[0]!r} another "
            "role, or use `evomask protect --in-parts`"
        )


def _refuse_requirements_of_scenarios(
    source: Input, schema: SchemaFile, settings: Settings
) -> None:
    """Raise if something is required in scenarios, which chunked work does not enforce."""
    is_required = settings.get("generalization") or settings.get("requirement")
    if parse_requirement(str(is_required or "")).limits:
        raise ParameterError(
            "files in parts have no limits of the population risk; require k, or protect a sample"
        )
    has_scenarios = bool(schema.scenarios or source.scenarios)
    if (is_required and has_scenarios) or any(one.require for one in schema.intruders):
        raise SchemaError(
            "generalization of a file in parts enforces no requirement in scenarios; use "
            "--searches recipes, or leave out the scenarios or what is required"
        )


def split_chunks(path: Path) -> Parts:
    """A file, or a folder of files, in chunks of the default size."""
    return Parts.of(path, RECORDS)


def remove_path(path: Path) -> None:
    """Remove a work file, or a folder of them."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def count_chunks(records: int) -> int:
    """Number of chunks of the default size."""
    return -(-records // RECORDS)


def as_parquet(source: Input, schema: SchemaFile, target: Path) -> Path:
    """Return the path of the data as Parquet; text is converted once."""
    path = source.path
    if not path.is_file() or path.suffix.lower() not in (".csv", ".tsv", ".txt"):
        return path
    delimiter = source.delimiter or schema.dialect.delimiter or ","
    missing = source.missing or schema.dialect.missing
    return from_text(path, target, delimiter, missing)


def _hashes(source: Input, path: Path) -> dict[str, str]:
    text = {} if path == source.path else {source.path.name: file_hash(source.path)}
    return {**text, **hashes_of(path)}


def _columns(first: Table, trees: HierarchyLines) -> dict[str, list[object]]:
    lines = {name: sorted(map(list, own)) for name, own in trees.items()}
    return {a.name: [a.kind, a.role, lines.get(a.name, [])] for a in first.schema}


def _make_folders(folder: Path) -> None:
    check_writable(folder.parent)
    refuse_links(folder)
    if folder.exists() and not (folder / PLAN).exists():
        others = [path.name for path in folder.iterdir() if path.name not in OWN_FILES]
        if others or any((folder / MASKED).glob("*")):
            raise RunError(f"the folder {folder} holds other files; choose a new one")
    for own in (folder, folder / WORK, folder / MASKED):
        own.mkdir(mode=OWNER_ALONE, exist_ok=True)


def _remove_unstarted(folder: Path) -> None:
    """Remove the files of work that never started; they may include a copy of the data."""
    if not any((folder / WORK).glob("*.json")):
        shutil.rmtree(folder / WORK, ignore_errors=True)
        with suppress(OSError):
            (folder / PLAN).unlink(missing_ok=True)
            (folder / MASKED).rmdir()
            (folder / LOCK).unlink(missing_ok=True)
            folder.rmdir()


def _check_plan(folder: Path, wanted: Settings, seed: int, job: Settings) -> int:
    """Return the seed of the work in a folder; raise for another file or other settings."""
    path = folder / PLAN
    if path.exists():
        plan = read_chunks_plan(folder)
        if plan.settings != json.loads(json.dumps(wanted)):
            raise RunError(
                f"{folder} holds a run on another file or with other options; choose a new "
                f"folder, "
                "or give the same ones to continue"
            )
        return plan.seed
    text = json.dumps({"settings": wanted, "seed": seed, "job": job}, indent=1).encode()
    replace_file(path, lambda file: file.write(text))
    return seed


class ChunksPlan(msgspec.Struct, frozen=True):
    """Plan of chunked work: everything that the result depends on, and the job."""

    settings: dict[str, object]
    seed: int
    job: dict[str, object] = {}


def job_fields(kind: str, job: Any, **changed: object) -> dict[str, object]:  # noqa: ANN401
    """Return a job as stored in a plan: paths are absolute, the signing key is left out.

    Args:
        changed: fields that are stored with other values.
    """
    source = replace(job.source, path=job.source.path.resolve(), schema=_resolve(job.source.schema))
    told = replace(job, source=source, **changed)
    found: dict[str, object] = msgspec.to_builtins(told, enc_hook=str)
    return {**found, "kind": kind}


def _resolve(path: Path | None) -> Path | None:
    return None if path is None else path.resolve()


def read_chunks_plan(folder: Path) -> ChunksPlan:
    """Return the plan of the work in a folder."""
    path = folder / PLAN
    try:
        return msgspec.json.decode(path.read_bytes(), type=ChunksPlan)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        raise RunError(f"{path} is damaged; choose a new folder") from None


@dataclass(frozen=True)
class Sampling:
    """Draws a reproducible sample of the records of every chunk."""

    share: float
    seed: int

    @classmethod
    def of(cls, file: PreparedFile) -> "Sampling":
        return cls(min(1.0, SAMPLE / file.parts.records), file.seed)

    def rows(self, number: int, records: int) -> Indices:
        return np.flatnonzero(working_stream(self.seed, number).random(records) < self.share)


@dataclass(frozen=True)
class SurveyTask:
    """Counts the values of one chunk, and draws a sample of its records."""

    parts: Parts
    names: tuple[str, ...]
    folder: str
    sampling: Sampling

    def __call__(self, number: int) -> Result:
        frame = self.parts.read(number, self.names)
        for name in self.names:
            counts, place = value_counts(frame, name), self.parts.columns.index(name)
            keep_rows(_counts(self.folder, place, number), {n: counts[n] for n in counts.columns})
        drawn = frame[self.sampling.rows(number, len(frame))]
        keep_rows(_sampled(self.folder, number), {name: drawn[name] for name in self.names})
        return {"records": len(frame), "sampled": len(drawn)}


@dataclass(frozen=True, eq=False)
class Overview:
    """Statistics of some columns of the whole file.

    Args:
        attributes: with the categories of all chunks.
    """

    attributes: tuple[Attribute, ...]
    statistics: FileStatistics

    @property
    def declared(self) -> Declarations:
        return {
            a.name: Declaration(
                a.kind, a.role, a.categories, a.decimals, a.hierarchy, a.label, a.value_labels,
                a.notes,
            )
            for a in self.attributes
        }  # fmt: skip

    def scale(self, names: Sequence[str]) -> tuple[Floats, Floats, Floats]:
        """Means, deviations (1 for a constant) and medians of numbers."""
        own = [self.statistics.numbers[name] for name in names]
        medians = np.array([number.median for number in own])
        means = np.array([_mean(number) for number in own])
        deviations = np.array([number.deviation for number in own])
        return means, np.where(deviations > 0, deviations, 1.0), medians


def survey(
    file: PreparedFile,
    declared: Declarations,
    evaluators: Evaluators,
    told: Progress,
    step: str = "survey",
) -> Overview:
    """Compute statistics of the declared columns in one pass over all chunks.

    Args:
        step: name of the step; surveys of other columns need other names.
    """
    names, folder = tuple(declared), str(file.folder)
    make = SurveyTask(file.parts, names, folder, Sampling.of(file))
    run_step(Step(folder, step, make), len(file.parts), evaluators, told)
    numbers: dict[str, NumberStatistics] = {}
    frequencies: dict[str, Floats] = {}
    attributes = []
    for name in names:
        place = file.parts.columns.index(name)
        paths = [_counts(folder, place, number) for number in range(len(file.parts))]
        counts = summed_counts([name], paths)
        known = declared[name]
        if known.decimals is None:
            known = replace(known, decimals=decimals_in(counts, name))
        table, times = table_from(counts.select(name), {name: known}), counts[COUNT]
        attributes.append(table.attribute(name))
        if table.attribute(name).kind is Kind.CONTINUOUS:
            numbers[name] = _numbers(table.values(name), times.to_numpy())
        else:
            frequencies[name] = np.bincount(
                table.codes(name), times.to_numpy(), len(table.attribute(name).categories)
            ).astype(np.float64)
    return Overview(tuple(attributes), FileStatistics(numbers, frequencies))


def sampled_numbers(file: PreparedFile, names: Sequence[str]) -> Points:
    """Numbers of the sampled records, NaN for missing values."""
    frames = [kept_rows(_sampled(str(file.folder), n)) for n in range(len(file.parts))]
    columns = [np.concatenate([numbers_of(frame, name) for frame in frames]) for name in names]
    return np.column_stack(columns)


def sampled_table(file: PreparedFile, overview: Overview) -> Table:
    """The sampled records as a table."""
    paths = [_sampled(str(file.folder), number) for number in range(len(file.parts))]
    return table_of_rows((kept_rows(path) for path in paths), overview.declared)


def category_table(attribute: Attribute) -> Table:
    """Return a table that has every category of an attribute once."""
    codes = np.arange(len(attribute.categories), dtype=np.int32)
    return Table(Schema((attribute,)), {attribute.name: codes})


def _numbers(values: Floats, counts: Floats) -> NumberStatistics:
    known = ~np.isnan(values)
    order = np.argsort(values[known], kind="stable")
    counted = counts.astype(np.int64)
    return NumberStatistics(values[known][order], counted[known][order], int(counted[~known].sum()))


def _mean(number: NumberStatistics) -> float:
    total = int(number.counts.sum()) + number.missing
    return (number.mean * (total - number.missing) + number.median * number.missing) / total


def _counts(folder: str, place: int, number: int) -> Path:
    return Path(folder) / WORK / f"values-{place:03}-{number:06}.arrow"


def _sampled(folder: str, number: int) -> Path:
    return Path(folder) / WORK / f"sample-{number:06}.arrow"
