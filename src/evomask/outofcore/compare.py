"""Comparison of a masked file with its original: losses as sums, attacks on all chunks."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from evomask.data.frames import Declarations
from evomask.data.hierarchy import Hierarchy, fit_hierarchy
from evomask.data.recoding import Recoding
from evomask.data.schema import Attribute, Role, Schema
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.execution.evaluator import Evaluators
from evomask.io.chunks import (
    Parts,
    keep_matrix,
    keep_rows,
    kept_matrix,
    summed_counts,
    value_counts,
)
from evomask.io.paired_chunks import (
    Book,
    are_equal,
    book_of,
    book_of_cells,
    flags_of,
    is_plain_number,
    joined_rows,
    keep_tallies,
    masked_table,
    summed_tallies,
)
from evomask.measures.chunked.attacks import (
    Drawn,
    Met,
    Preparing,
    Raid,
    drawn_from,
    merged_rows,
    met_in,
    met_in_all,
)
from evomask.measures.chunked.columns import CountedCategories, CountedNumbers, WholeFile
from evomask.measures.chunked.losses import (
    Lost,
    MomentSums,
    NumberSums,
    added_up,
    joint_of,
    number_sums,
    tallies_of,
)
from evomask.measures.disclosure.risk import RiskAssessment
from evomask.measures.targets import SEARCH_TARGETS
from evomask.outofcore.prepare import (
    WORK,
    Overview,
    PreparedFile,
    Progress,
    Result,
    Sampling,
    Step,
    category_table,
    run_step,
    sampled_table,
    survey,
)
from evomask.runs.measure import are_records_in_order
from evomask.types import Points


class ChunkReader(Protocol):
    """Masked records, in chunks that match those of the original."""

    @property
    def columns(self) -> tuple[str, ...]: ...

    def read(self, number: int, names: Any) -> Any:  # noqa: ANN401
        ...


@dataclass(frozen=True)
class Comparison:
    """Measures of a chunked file, in percent.

    Args:
        losses: of each attribute alone.
        measures: losses that are sums over chunks.
        judged, original: risk of the masked file, and of releasing the original itself.
        sample: some records of both files in the same order.
    """

    names: tuple[str, ...]
    records: int
    loss: float
    losses: Mapping[str, float]
    measures: Mapping[str, float]
    judged: RiskAssessment
    original: RiskAssessment
    in_order: bool
    sample: tuple[Table, Table] = field(repr=False)


@dataclass(frozen=True, eq=False)
class PairedChunks:
    """Both files, chunk by chunk.

    Args:
        declared: declarations of the original's columns.
        books: dictionaries of the masked columns.
        flag: name of the column that marks suppressed records, if there is one.
    """

    originals: Parts
    declared: Declarations
    masked: ChunkReader
    books: Mapping[str, Book]
    flag: tuple[str, ...] = ()

    def read(self, number: int) -> tuple[Table, Table]:
        return self.original(number), self.understood(self.frame(number))

    def original(self, number: int) -> Table:
        return self.originals.table(number, self.declared)

    def frame(self, number: int) -> Any:  # noqa: ANN401
        return self.masked.read(number, [*self.books, *self.flag])

    def understood(self, frame: Any) -> Table:  # noqa: ANN401
        return masked_table(frame, self.books, flags_of(frame))


@dataclass(frozen=True, eq=False)
class ListTask:
    """Lists the distinct cells of masked columns in one chunk, and the columns that differ."""

    originals: Parts
    masked: ChunkReader
    names: tuple[str, ...]
    folder: str

    def __call__(self, number: int) -> Result:
        frame = self.masked.read(number, self.names)
        before = self.originals.read(number, self.names)
        for place, name in enumerate(self.names):
            counts = value_counts(frame, name)
            keep_rows(_cells(self.folder, place, number), {n: counts[n] for n in counts.columns})
        changed = [name for name in self.names if not are_equal(before, frame, name)]
        return {"records": len(frame), "changed": changed}


@dataclass(frozen=True, eq=False)
class CompareTask:
    """Sums the losses of one chunk, and finds the records of the targets."""

    pairs: PairedChunks
    whole: WholeFile
    names: tuple[str, ...]
    drawn: Drawn
    sampling: Sampling
    folder: str

    def __call__(self, number: int) -> Result:
        frame = self.pairs.frame(number)
        original, masked = self.pairs.original(number), self.pairs.understood(frame)
        categories = tuple(n for n in self.names if n in self.whole.categories)
        numbers = tuple(n for n in self.names if n in self.whole.numbers)
        every = (*categories, *(n for n in self.drawn.confidential if n in self.whole.categories))
        if every:
            tallies = tallies_of(self.whole, original, masked, every)
            keep_tallies(_tallies(self.folder, number), tallies)
        rows = frame[self.sampling.rows(number, len(frame))]
        keep_rows(_beside(self.folder, number), {name: rows[name] for name in rows.columns})
        met = met_in(self.whole, self.drawn, original, masked)
        keep_matrix(_met(self.folder, number), met.people)
        keep_matrix(_agreeing(self.folder, number), met.agreeing.astype(np.float64))
        sums = number_sums(self.whole, original, masked, numbers) if numbers else None
        return {
            "records": len(original),
            "whole": met.whole.tolist(),
            "sums": None if sums is None else _encode(sums),
        }


@dataclass(frozen=True, eq=False)
class AttackTask:
    """Collects the records of one chunk that attackers need."""

    pairs: PairedChunks
    whole: WholeFile
    raid: Raid
    folder: str

    def __call__(self, number: int) -> Result:
        found = self.raid.looked_at(self.whole, *self.pairs.read(number))
        for name, rows in found.items():
            keep_matrix(_looked_at(self.folder, name, number), rows)
        return {"records": sum(map(len, found.values())), "files": list(found)}


def _encode(sums: NumberSums) -> dict[str, Any]:
    def one(value: object) -> object:
        if isinstance(value, MomentSums):
            return {f.name: getattr(value, f.name).tolist() for f in fields(value)}
        return value.tolist() if isinstance(value, np.ndarray) else value

    return {field.name: one(getattr(sums, field.name)) for field in fields(sums)}


def _decode(found: Mapping[str, Any]) -> NumberSums:
    own: dict[str, Any] = {
        name: MomentSums(**{n: np.array(v) for n, v in value.items()})
        if isinstance(value, dict)
        else np.array(value)
        for name, value in found.items()
    }
    return NumberSums(**own)


@dataclass(frozen=True, eq=False)
class ChunkComparison:
    """Compares a masked file with its original, step by step.

    Args:
        people: largest number of targets.
        flag: name of the column that marks suppressed records, if there is one.
        cells: meaning of the cells of columns, if known, by name.
    """

    file: PreparedFile
    masked: ChunkReader
    evaluators: Evaluators
    told: Progress
    people: int = SEARCH_TARGETS
    flag: tuple[str, ...] = ()
    cells: Mapping[str, Recoding] = field(default_factory=dict)

    @property
    def folder(self) -> str:
        return str(self.file.folder)

    @property
    def count(self) -> int:
        return len(self.file.parts)

    def compared(self) -> Comparison:
        names = self._names()
        listing = ListTask(self.file.parts, self.masked, names, self.folder)
        listed = run_step(Step(self.folder, "list", listing), *self._how)
        changed = {name for row in listed for name in row["changed"]}
        changed.update(self.file.schema.quasi_identifiers)
        compared = tuple(name for name in names if name in changed)
        declared = {name: self.file.declaration(name) for name in names}
        overview = survey(self.file, declared, self.evaluators, self.told)
        whole = whole_file(overview, self.file.parts.records)
        whole = whole.suppressing() if self.flag else whole
        books = {a.name: self._book(a, names.index(a.name), whole) for a in overview.attributes}
        pairs = PairedChunks(self.file.parts, overview.declared, self.masked, books, self.flag)
        sample = sampled_table(self.file, overview)
        drawn = drawn_from(sample, self.people, compared)
        return self._measured(pairs, whole, compared, drawn, sample)

    @property
    def _how(self) -> tuple[int, Evaluators, Progress]:
        return self.count, self.evaluators, self.told

    def _names(self) -> tuple[str, ...]:
        """Quasi-identifiers, and confidential attributes that both files have."""
        schema, there = self.file.schema, set(self.masked.columns)
        absent = set(schema.quasi_identifiers) - there
        if absent:
            raise SchemaError(
                f"the masked file has no column {min(absent)!r}; "
                "measure what both files have with --quasi"
            )
        if not schema.quasi_identifiers:
            raise SchemaError("there is no quasi-identifier to measure; say which columns are")
        secret = [name for name in schema.with_role(Role.CONFIDENTIAL) if name in there]
        return (*schema.quasi_identifiers, *secret)

    def _book(self, attribute: Attribute, place: int, whole: WholeFile) -> Book:
        if attribute.name in self.cells:
            return book_of_cells(attribute, self.cells[attribute.name])
        paths = [_cells(self.folder, place, number) for number in range(self.count)]
        values = summed_counts([attribute.name], paths)
        if not attribute.is_categorical and is_plain_number(values, attribute.name):
            return book_of(_distinct_values(attribute, whole), None, None)
        return book_of(_distinct_values(attribute, whole), values, self._tree(attribute))

    def _tree(self, attribute: Attribute) -> Hierarchy | None:
        lines = self.file.trees.get(attribute.name)
        if lines is None or not attribute.is_categorical:
            return None
        return fit_hierarchy(attribute.name, lines, category_table(attribute))

    def _measured(
        self,
        pairs: PairedChunks,
        whole: WholeFile,
        names: tuple[str, ...],
        drawn: Drawn,
        sample: Table,
    ) -> Comparison:
        comparing = CompareTask(pairs, whole, names, drawn, Sampling.of(self.file), self.folder)
        rows = run_step(Step(self.folder, "compare", comparing), *self._how)
        categories = [n for n in names if n in whole.categories]
        secret = [n for n in drawn.confidential if n in whole.categories]
        first, masked = pairs.read(0)
        cells = whole.cells(masked, [*categories, *secret])
        tallies = (
            summed_tallies(_tallies(self.folder, n) for n in range(self.count)) if cells else {}
        )
        sums = added_up(_decode(row["sums"]) for row in rows) if rows[0]["sums"] else None
        lost = Lost(whole, names, cells[: len(categories)], tallies, sums)
        by_name = {
            name: joint_of(tallies, place, whole.categories[name].size, len(cells[place]))
            for place, name in enumerate([*categories, *secret])
        }
        ordered = [name for name in drawn.names if name in by_name]
        own_cells = whole.cells(masked, ordered)
        met = met_in_all(self._met(number, row) for number, row in enumerate(rows))
        joints = [by_name[name] for name in ordered]
        raid = Preparing(whole, drawn, own_cells, met, joints).raid()
        judged, original = self._attacked(pairs, whole, raid)
        losses = {name: lost.loss((name,)) for name in names}
        order = bool(self.flag) or are_records_in_order(masked, first)
        paths = (_beside(self.folder, number) for number in range(self.count))
        beside = pairs.understood(joined_rows(paths))
        return Comparison(
            names, whole.n_records, lost.loss(names), losses, lost.measures(), judged, original,
            order, (sample, beside),
        )  # fmt: skip

    def _met(self, number: int, row: Result) -> Met:
        people = _whole_matrix(_met(self.folder, number))
        agreeing = _whole_matrix(_agreeing(self.folder, number)).astype(np.int64)
        return Met(people, agreeing, np.array(row["whole"], dtype=np.int64))

    def _attacked(
        self, pairs: PairedChunks, whole: WholeFile, raid: Raid
    ) -> tuple[RiskAssessment, RiskAssessment]:
        step = Step(self.folder, "attack", AttackTask(pairs, whole, raid, self.folder))
        rows = run_step(step, *self._how)
        found = {
            name: merged_rows(
                _whole_matrix(_looked_at(self.folder, name, n)) for n in range(self.count)
            )
            for name in rows[0]["files"]
        }
        return raid.judged(found)


def whole_file(overview: Overview, records: int) -> WholeFile:
    """Statistics of a survey as columns of the whole file."""
    own = overview.statistics
    numbers = {
        name: CountedNumbers(name, np.empty(0), s.values, s.counts, s.missing)
        for name, s in own.numbers.items()
    }
    categories = {
        a.name: CountedCategories(
            a, np.empty(0, dtype=np.int32), own.frequencies[a.name].astype(np.int64)
        )
        for a in overview.attributes
        if a.name in own.frequencies
    }
    return WholeFile(numbers, categories, records)


def _distinct_values(attribute: Attribute, whole: WholeFile) -> Table:
    """A table with the distinct values of an attribute."""
    if attribute.is_categorical:
        return category_table(attribute)
    values = whole.numbers[attribute.name].distinct
    return Table(Schema((attribute,)), {attribute.name: values})


def _whole_matrix(path: Path) -> Points:
    return np.array(kept_matrix(path))


def _cells(folder: str, place: int, number: int) -> Path:
    return Path(folder) / WORK / f"cells-{place:03}-{number:06}.arrow"


def _tallies(folder: str, number: int) -> Path:
    return Path(folder) / WORK / f"tallies-{number:06}.arrow"


def _met(folder: str, number: int) -> Path:
    return Path(folder) / WORK / f"met-{number:06}.npy"


def _agreeing(folder: str, number: int) -> Path:
    return Path(folder) / WORK / f"agreeing-{number:06}.npy"


def _beside(folder: str, number: int) -> Path:
    return Path(folder) / WORK / f"beside-{number:06}.arrow"


def _looked_at(folder: str, name: str, number: int) -> Path:
    return Path(folder) / WORK / f"{name}-{number:06}.npy"
