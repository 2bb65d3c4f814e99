"""Comparison of a masked file with its original: losses as sums, attacks on all chunks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from evomask.data.frames import Declarations
from evomask.data.hierarchy import Hierarchy, fit_hierarchy
from evomask.data.recoding import Recoding
from evomask.data.scenario import Scenario
from evomask.data.schema import Attribute, Role, Schema
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.execution.evaluator import Evaluators
from evomask.io.chunks import (
    COUNT,
    Parts,
    keep_matrix,
    keep_rows,
    kept_matrix,
    summed_counts,
    value_counts,
    write_counts,
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
    table_of_rows,
)
from evomask.measures.chunked.attacks import ChunkedRisk
from evomask.measures.chunked.columns import CountedCategories, CountedNumbers, WholeFile
from evomask.measures.chunked.losses import (
    PublishedLosses,
    moved_numbers,
    pack_statistics,
    tallies_of,
    unpack_statistics,
)
from evomask.measures.disclosure.risk import DisclosureRisk, RiskAssessment
from evomask.measures.loss.loss import InformationLoss, LossAssessment, LossReading
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

MASKED, ORIGINAL = "masked", "original"
"""Files whose nearest records are collected."""

MOST_LEVELS = 1_000
"""Categories of an attribute of no particular role up to which its relations are compared."""


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
        losses: of each attribute, the mean of its parts.
        measures: losses that are sums over chunks.
        loss_parts: components of the loss.
        assessment, original: risk of the masked file, and of releasing the original itself.
        sample: some records of both files in the same order, without attributes of no role.
    """

    names: tuple[str, ...]
    records: int
    loss: float
    losses: Mapping[str, float]
    measures: Mapping[str, float]
    loss_parts: LossAssessment
    assessment: RiskAssessment
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

    def original_frame(self, number: int) -> Any:  # noqa: ANN401
        return self.originals.read(number, list(self.books))

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
    """Sums the losses of one chunk, and keeps a sample of its masked records.

    Args:
        names: the compared attributes.
    """

    pairs: PairedChunks
    whole: WholeFile
    names: tuple[str, ...]
    sampling: Sampling
    folder: str

    def __call__(self, number: int) -> Result:
        frame = self.pairs.frame(number)
        original, masked = self.pairs.original(number), self.pairs.understood(frame)
        measure = InformationLoss(self.names)
        reading = LossReading(original, measure, self.whole.column)
        rows = [pack_statistics(reading.statistics(table)) for table in (original, masked)]
        keep_matrix(_losses(self.folder, number), np.stack(rows))
        categories = tuple(n for n in self.names if n in self.whole.categories)
        numbers = tuple(n for n in self.names if n in self.whole.numbers)
        if categories:
            tallies = tallies_of(self.whole, original, masked, categories)
            keep_tallies(_tallies(self.folder, number), tallies)
        beside = frame[self.sampling.rows(number, len(frame))]
        keep_rows(_beside(self.folder, number), {name: beside[name] for name in beside.columns})
        moved = moved_numbers(self.whole, original, masked, numbers)
        return {"records": len(original), "moved": moved.tolist()}


@dataclass(frozen=True, eq=False)
class AttackTask:
    """Collects the records of one chunk that attackers need.

    Args:
        risk, before: risk of the masked file, and of releasing the original.
    """

    pairs: PairedChunks
    risk: ChunkedRisk
    before: ChunkedRisk
    folder: str

    def __call__(self, number: int) -> Result:
        frame, plain = self.pairs.frame(number), self.pairs.original_frame(number)
        original = self.pairs.original(number)
        near = frame[self.risk.nearest(self.pairs.understood(frame))]
        write_counts(_near(self.folder, MASKED, number), near, near.columns)
        near = plain[self.before.nearest(original)]
        write_counts(_near(self.folder, ORIGINAL, number), near, near.columns)
        alike = [counts.tolist() for counts in self.risk.count_alike(original)]
        return {"records": len(original), "alike": alike}


@dataclass(frozen=True, eq=False)
class ChunkComparison:
    """Compares a masked file with its original, step by step.

    Args:
        people: largest number of targets.
        flag: name of the column that marks suppressed records, if there is one.
        cells: meaning of the cells of columns, if known, by name.
        scenarios: what intruders know; by default every quasi-identifier.
        control: original records of people who are not in the file, if there are any.
        links, infers: whether re-identification and attribute disclosure are assessed.
    """

    file: PreparedFile
    masked: ChunkReader
    evaluators: Evaluators
    told: Progress
    people: int = SEARCH_TARGETS
    flag: tuple[str, ...] = ()
    cells: Mapping[str, Recoding] = field(default_factory=dict)
    scenarios: tuple[Scenario, ...] = ()
    control: Table | None = field(default=None, repr=False)
    links: bool = True
    infers: bool = True

    @property
    def folder(self) -> str:
        return str(self.file.folder)

    @property
    def count(self) -> int:
        return len(self.file.parts)

    def compared(self) -> Comparison:
        released = self._released()
        names = tuple(name for name in released if name in self.masked.columns)
        listing = ListTask(self.file.parts, self.masked, names, self.folder)
        listed = run_step(Step(self.folder, "list", listing), *self._how)
        changed = {name for row in listed for name in row["changed"]}
        schema = self.file.schema
        secret = [name for name in schema.with_role(Role.CONFIDENTIAL) if name in changed]
        declared = {name: self.file.declaration(name) for name in released}
        overview = survey(self.file, declared, self.evaluators, self.told, "released")
        whole = whole_file(overview, self.file.parts.records)
        whole = whole.suppressing() if self.flag else whole
        books = {
            a.name: self._book(a, names.index(a.name), whole)
            for a in overview.attributes if a.name in names
        }  # fmt: skip
        pairs = PairedChunks(self.file.parts, overview.declared, self.masked, books, self.flag)
        sample = sampled_table(self.file, overview)
        return self._measured(pairs, whole, (*schema.quasi_identifiers, *secret), sample)

    @property
    def _how(self) -> tuple[int, Evaluators, Progress]:
        return self.count, self.evaluators, self.told

    def _released(self) -> tuple[str, ...]:
        """Released attributes; an error where the masked file lacks one that matters."""
        schema, there = self.file.schema, set(self.masked.columns)
        absent = set(schema.quasi_identifiers) - there
        if absent:
            raise SchemaError(
                f"the masked file has no column {min(absent)!r}; "
                "measure what both files have with --quasi"
            )
        if not schema.quasi_identifiers:
            raise SchemaError("there is no quasi-identifier to measure; say which columns are")
        return released_attributes(schema)

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
        self, pairs: PairedChunks, whole: WholeFile, names: tuple[str, ...], sample: Table
    ) -> Comparison:
        comparing = CompareTask(pairs, whole, names, Sampling.of(self.file), self.folder)
        rows = run_step(Step(self.folder, "compare", comparing), *self._how)
        loss = self._assessed_loss(pairs, whole, names)
        categories = tuple(n for n in names if n in whole.categories)
        first, masked = pairs.read(0)
        cells = whole.cells(masked, categories)
        tallies = summed_tallies(_tallies(self.folder, n) for n in range(self.count) if cells)
        moved = np.sum([row["moved"] for row in rows], axis=0)
        published = PublishedLosses(whole, categories, cells, tallies, moved)
        paths = (_beside(self.folder, number) for number in range(self.count))
        beside = pairs.understood(joined_rows(paths))
        sample = sample.only(beside.schema.names)
        judged, original = self._attacked(pairs, whole, names, (sample, beside))
        order = bool(self.flag) or are_records_in_order(masked, first)
        losses = {name: part.loss for name, part in loss.attributes.items()}
        schema = sample.schema
        guarded = [*schema.quasi_identifiers, *schema.with_role(Role.CONFIDENTIAL)]
        return Comparison(
            names, whole.n_records, loss.loss, losses, published.measures(), loss, judged, original,
            order, (sample.only(guarded), beside.only(guarded)),
        )  # fmt: skip

    def _assessed_loss(
        self, pairs: PairedChunks, whole: WholeFile, names: tuple[str, ...]
    ) -> LossAssessment:
        nobody = pairs.original(0).take(np.empty(0, dtype=np.int64))
        reading = LossReading(nobody, InformationLoss(names), whole.column)
        rows = [np.array(kept_matrix(_losses(self.folder, n))) for n in range(self.count)]
        before, after = (unpack_statistics(reading, row) for row in np.sum(rows, axis=0))
        return replace(reading, reference=before).of_statistics(after)

    def _attacked(
        self,
        pairs: PairedChunks,
        whole: WholeFile,
        names: tuple[str, ...],
        sample: tuple[Table, Table],
    ) -> tuple[RiskAssessment, RiskAssessment]:
        measure = DisclosureRisk(
            names, people=self.people, scenarios=self.scenarios, links=self.links,
            infers=self.infers,
        )  # fmt: skip
        risk = ChunkedRisk.draw(*sample, measure, whole, self.control)
        before = replace(risk, masked=risk.original)
        task = AttackTask(pairs, risk, before, self.folder)
        rows = run_step(Step(self.folder, "attack", task), *self._how)
        alike = tuple(
            np.sum(own, axis=0) for own in zip(*(row["alike"] for row in rows), strict=True)
        )
        near = self._gathered(MASKED, [*pairs.books, *pairs.flag])
        judged = replace(risk, alike=alike).assess(
            pairs.understood(near), near[COUNT].to_numpy().astype(np.int64)
        )
        near = self._gathered(ORIGINAL, list(pairs.books))
        original = replace(before, alike=alike).assess(
            table_of_rows([near], {name: pairs.declared[name] for name in pairs.books}),
            near[COUNT].to_numpy().astype(np.int64),
        )
        return judged, original

    def _gathered(self, name: str, columns: Sequence[str]) -> Any:  # noqa: ANN401
        """Distinct records that the chunks returned, with their counts."""
        paths = (_near(self.folder, name, number) for number in range(self.count))
        return summed_counts(columns, paths)


def released_attributes(schema: Schema) -> tuple[str, ...]:
    """Released attributes; those that nobody masks or guards are left out if too wide."""
    return tuple(
        a.name
        for a in schema
        if a.role.is_released and (a.role is not Role.OTHER or a.domain_size <= MOST_LEVELS)
    )


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


def _cells(folder: str, place: int, number: int) -> Path:
    return Path(folder) / WORK / f"cells-{place:03}-{number:06}.arrow"


def _tallies(folder: str, number: int) -> Path:
    return Path(folder) / WORK / f"tallies-{number:06}.arrow"


def _beside(folder: str, number: int) -> Path:
    return Path(folder) / WORK / f"beside-{number:06}.arrow"


def _losses(folder: str, number: int) -> Path:
    return Path(folder) / WORK / f"losses-{number:06}.npy"


def _near(folder: str, name: str, number: int) -> Path:
    return Path(folder) / WORK / f"near-{name}-{number:06}.arrow"
