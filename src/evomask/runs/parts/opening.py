"""A large file made ready: its parts, what its columns are, and what is known of the whole."""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from evomask.arrays import Floats, Indices, Points
from evomask.data.frames import Declaration, Declarations, table_from
from evomask.data.hierarchy import TreeLines
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import RunError, SchemaError
from evomask.evolution.streams import working_stream
from evomask.execution.evaluator import Evaluators
from evomask.io.aligned import table_of_rows
from evomask.io.files import check_writable, remove_half_written, replace_file
from evomask.io.hierarchies import read_trees
from evomask.io.parts import (
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
from evomask.io.schemas import SchemaFile
from evomask.masking.statistics import NumberStatistics, Statistics
from evomask.runs.inputs import Input, check_stated, declarations_of, with_quasi_identifiers
from evomask.runs.kept.log import file_hash
from evomask.runs.kept.names import LOCK, PARTS_PLAN
from evomask.runs.kept.store import Store, refuse_links
from evomask.runs.parts.steps import MASKED, ORDER, WORK, Result, Step, Told, carried_out

PLAN = PARTS_PLAN
OWNER_ALONE = 0o700
SAMPLE = 50_000
"""Records that regions and people are drawn from, about."""

Settings = Mapping[str, object]
OWN = (WORK, MASKED, ORDER, LOCK)


@dataclass(frozen=True)
class Opened:
    """A large file in a folder where it is worked on.

    Args:
        first: the records of its first part, for what does not depend on the others.
        trees: lines of the value trees that came with it.
        name: of the file, or of the folder.
        hashes: of the files that it was read from, by name.
    """

    folder: Path
    parts: Parts
    first: Table
    seed: int
    trees: TreeLines = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    name: str = ""
    hashes: Mapping[str, str] = field(default_factory=dict)

    @property
    def schema(self) -> Schema:
        """Its attributes; categories are those of the first part alone."""
        return self.first.schema

    @property
    def dropped(self) -> tuple[str, ...]:
        """Identifiers, which stay behind."""
        return tuple(a.name for a in self.schema if not a.role.is_released)

    def declaration(self, name: str) -> Declaration:
        """What a column is said to be; its categories are those of all parts, so none are named."""
        own = self.schema[name]
        return Declaration(
            own.kind, own.role, decimals=own.decimals, notes=own.notes, hierarchy=own.hierarchy,
            label=own.label, value_labels=own.value_labels,
        )  # fmt: skip


@contextmanager
def opened(
    source: Input,
    folder: Path,
    settings: Settings,
    seed: int,
    hierarchies: Path | None = None,
    job: Settings | None = None,
) -> Iterator[Opened]:
    """The file, and a folder that is new, or one where the same work was begun.

    Nobody else works there meanwhile; what is refused leaves nothing behind.

    Args:
        settings: all that the result depends on besides the file and the seed.
        job: what was asked for, to go on with it by the folder alone.
    """
    declared, schema = declarations_of(source)
    _make(folder)
    with Store(folder).locked():
        remove_half_written(folder)
        try:
            path = as_parquet(source, schema, folder / WORK / "converted.parquet")
            parts = parts_of(path)
            first, assumed = with_quasi_identifiers(table_from(parts.read(0), declared))
            check_stated(first, schema.stated | source.roles.keys())
            _check_plain(first, schema)
            trees = read_trees(first.schema, hierarchies)
            hashes = _hashes(source, path)
            wanted = {"input": hashes, "columns": _columns(first, trees), **settings}
            kept = _begun(folder, wanted, seed, job or {})
            yield Opened(folder, parts, first, kept, trees, assumed, source.path.name, hashes)
        finally:
            _left_as_it_was(folder)


def _check_plain(first: Table, schema: SchemaFile) -> None:
    """Refuse what holds across records or parts, and would not be kept."""
    if schema.rules.edits:
        raise SchemaError(
            "files in parts keep no edit rules; leave them out of the schema, or draw a sample"
        )
    if strata := first.schema.with_role(Role.STRATUM):
        raise SchemaError(
            f"files in parts do not keep strata apart; give {strata[0]!r} another role, or work on "
            "each stratum on its own"
        )


def parts_of(path: Path) -> Parts:
    """A file, or a folder of files, in parts of the usual size."""
    return Parts.of(path, RECORDS)


def as_parquet(source: Input, schema: SchemaFile, target: Path) -> Path:
    """The data to read in parts; text is converted, unless that was done before."""
    path = source.path
    if not path.is_file() or path.suffix.lower() not in (".csv", ".tsv", ".txt"):
        return path
    delimiter = source.delimiter or schema.dialect.delimiter or ","
    missing = source.missing or schema.dialect.missing
    return from_text(path, target, delimiter, missing)


def _hashes(source: Input, path: Path) -> dict[str, str]:
    """The data as they came and as they are read."""
    text = {} if path == source.path else {source.path.name: file_hash(source.path)}
    return {**text, **hashes_of(path)}


def _columns(first: Table, trees: TreeLines) -> dict[str, list[object]]:
    """What the columns are said to be, and their value trees."""
    lines = {name: sorted(map(list, own)) for name, own in trees.items()}
    return {a.name: [a.kind, a.role, lines.get(a.name, [])] for a in first.schema}


def _make(folder: Path) -> None:
    check_writable(folder.parent)
    refuse_links(folder)
    if folder.exists() and not (folder / PLAN).exists():
        others = [path.name for path in folder.iterdir() if path.name not in OWN]
        if others or any((folder / MASKED).glob("*")):
            raise RunError(f"the folder {folder} holds other files; choose a new one")
    for own in (folder, folder / WORK, folder / MASKED):
        own.mkdir(mode=OWNER_ALONE, exist_ok=True)


def _left_as_it_was(folder: Path) -> None:
    """Take out what was made for work that never began: a copy of the data may be among it."""
    if not any((folder / WORK).glob("*.json")):
        shutil.rmtree(folder / WORK, ignore_errors=True)
        with suppress(OSError):
            (folder / PLAN).unlink(missing_ok=True)
            (folder / MASKED).rmdir()
            (folder / LOCK).unlink(missing_ok=True)
            folder.rmdir()


def _begun(folder: Path, wanted: Settings, seed: int, job: Settings) -> int:
    """The seed of the work in a folder; another file or other settings are refused."""
    path = folder / PLAN
    if path.exists():
        plan = plan_in(folder)
        if plan.settings != json.loads(json.dumps(wanted)):
            raise RunError(
                f"{folder} holds work on another file or with other options; choose a new folder, "
                "or give the same ones to go on"
            )
        return plan.seed
    text = json.dumps({"settings": wanted, "seed": seed, "job": job}, indent=1).encode()
    replace_file(path, lambda file: file.write(text))
    return seed


class PartsPlan(msgspec.Struct, frozen=True):
    """What was begun in a folder: all that the result depends on, and how it was asked for."""

    settings: dict[str, object]
    seed: int
    job: dict[str, object] = {}


def asked_for(kind: str, job: Any, **changed: object) -> dict[str, object]:  # noqa: ANN401
    """A job as a plan tells it: files by their full paths, and no key.

    Args:
        changed: fields that a plan tells otherwise.
    """
    source = replace(job.source, path=job.source.path.resolve(), schema=_full(job.source.schema))
    told = replace(job, source=source, **changed)
    found: dict[str, object] = msgspec.to_builtins(told, enc_hook=str)
    return {**found, "kind": kind}


def _full(path: Path | None) -> Path | None:
    return None if path is None else path.resolve()


def plan_in(folder: Path) -> PartsPlan:
    """The plan of the work in a folder."""
    path = folder / PLAN
    try:
        return msgspec.json.decode(path.read_bytes(), type=PartsPlan)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        raise RunError(f"{path} is damaged; choose a new folder") from None


@dataclass(frozen=True)
class Sampling:
    """Draws some records of every part, always the same ones."""

    share: float
    seed: int

    @classmethod
    def of(cls, file: Opened) -> "Sampling":
        """About as many as regions and people are drawn from, of the whole file."""
        return cls(min(1.0, SAMPLE / file.parts.records), file.seed)

    def rows(self, number: int, records: int) -> Indices:
        """Those of one part, by their places."""
        return np.flatnonzero(working_stream(self.seed, number).random(records) < self.share)


@dataclass(frozen=True)
class Surveying:
    """Counts the values of one part, and draws some of its records."""

    parts: Parts
    names: tuple[str, ...]
    folder: str
    sampling: Sampling

    def __call__(self, number: int) -> Result:
        """The counts of every column in a file, and the sample in another."""
        frame = self.parts.read(number, self.names)
        for place, name in enumerate(self.names):
            counts = value_counts(frame, name)
            keep_rows(_counts(self.folder, place, number), {n: counts[n] for n in counts.columns})
        drawn = frame[self.sampling.rows(number, len(frame))]
        keep_rows(_sampled(self.folder, number), {name: drawn[name] for name in self.names})
        return {"records": len(frame), "sampled": len(drawn)}


@dataclass(frozen=True, eq=False)
class Overview:
    """What is known of some columns of the whole file.

    Args:
        attributes: with the categories of all parts.
    """

    attributes: tuple[Attribute, ...]
    statistics: Statistics

    @property
    def declared(self) -> Declarations:
        """How every part is to be read."""
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


def surveyed(file: Opened, declared: Declarations, evaluators: Evaluators, told: Told) -> Overview:
    """What is known of the declared columns after a pass over all parts."""
    names, folder = tuple(declared), str(file.folder)
    make = Surveying(file.parts, names, folder, Sampling.of(file))
    carried_out(Step(folder, "survey", make), len(file.parts), evaluators, told)
    numbers: dict[str, NumberStatistics] = {}
    frequencies: dict[str, Floats] = {}
    attributes = []
    for place, name in enumerate(names):
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
    return Overview(tuple(attributes), Statistics(numbers, frequencies))


def sample_of(file: Opened, names: Sequence[str]) -> Points:
    """The numbers of the records that the survey drew, NaN where one is missing."""
    frames = [kept_rows(_sampled(str(file.folder), n)) for n in range(len(file.parts))]
    columns = [np.concatenate([numbers_of(frame, name) for frame in frames]) for name in names]
    return np.column_stack(columns)


def sampled_table(file: Opened, overview: Overview) -> Table:
    """The records that the survey drew."""
    paths = [_sampled(str(file.folder), number) for number in range(len(file.parts))]
    return table_of_rows((kept_rows(path) for path in paths), overview.declared)


def all_values(attribute: Attribute) -> Table:
    """A table that has every category of an attribute once."""
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
