"""Comparing a file in parts: losses are sums over parts, intruders see the records of all."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from evomask.arrays import Points
from evomask.data.frames import Declarations
from evomask.data.hierarchy import Hierarchy, fitted
from evomask.data.recoding import Recoding
from evomask.data.schema import Attribute, Role, Schema
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.execution.evaluator import Evaluators
from evomask.io.aligned import (
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
from evomask.io.parts import (
    Parts,
    keep_matrix,
    keep_rows,
    kept_matrix,
    summed_counts,
    value_counts,
)
from evomask.measures.judging.risk import Judged
from evomask.measures.people import SEARCHING
from evomask.measures.summed.columns import CountedCategories, CountedNumbers, WholeFile
from evomask.measures.summed.intruders import Raid
from evomask.measures.summed.losses import (
    Lost,
    MomentSums,
    NumberSums,
    added_up,
    joint_of,
    number_sums,
    tallies_of,
)
from evomask.measures.summed.people import Drawn, Met, drawn_from, merged_rows, met_in
from evomask.measures.summed.preparing import Preparing, met_in_all
from evomask.runs.measure import seem_in_order
from evomask.runs.parts.opening import (
    Opened,
    Overview,
    Sampling,
    all_values,
    sampled_table,
    surveyed,
)
from evomask.runs.parts.steps import WORK, Result, Step, Told, carried_out


class Masked(Protocol):
    """Masked records, cut like the original's parts."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that they have."""

    def read(self, number: int, names: Any) -> Any:  # noqa: ANN401
        """Some columns of one part."""


@dataclass(frozen=True)
class Comparison:
    """What was measured of a file in parts, in percent.

    Args:
        losses: of each attribute alone.
        measures: the single losses that add up over parts.
        judged, original: the risk of the masked file, and of releasing the original itself.
        sample: some records of both files side by side.
    """

    names: tuple[str, ...]
    records: int
    loss: float
    losses: Mapping[str, float]
    measures: Mapping[str, float]
    judged: Judged
    original: Judged
    in_order: bool
    sample: tuple[Table, Table] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Both files, part by part.

    Args:
        declared: how the original's columns are read.
        books: what the cells of the masked columns stand for.
        flag: name of a column that marks suppressed records, where there is one.
    """

    originals: Parts
    declared: Declarations
    masked: Masked
    books: Mapping[str, Book]
    flag: tuple[str, ...] = ()

    def read(self, number: int) -> tuple[Table, Table]:
        """The records of one part, as they were and as they are."""
        return self.original(number), self.understood(self.frame(number))

    def original(self, number: int) -> Table:
        """The records of one part as they were."""
        return self.originals.table(number, self.declared)

    def frame(self, number: int) -> Any:  # noqa: ANN401
        """The masked records of one part as they are written."""
        return self.masked.read(number, [*self.books, *self.flag])

    def understood(self, frame: Any) -> Table:  # noqa: ANN401
        """Written records as a table."""
        return masked_table(frame, self.books, flags_of(frame))


@dataclass(frozen=True, eq=False)
class Listing:
    """Lists the different cells of masked columns in one part, and which columns were masked."""

    originals: Parts
    masked: Masked
    names: tuple[str, ...]
    folder: str

    def __call__(self, number: int) -> Result:
        """Whether each column was changed; its different cells lie in a file."""
        frame = self.masked.read(number, self.names)
        before = self.originals.read(number, self.names)
        for place, name in enumerate(self.names):
            counts = value_counts(frame, name)
            keep_rows(_cells(self.folder, place, number), {n: counts[n] for n in counts.columns})
        changed = [name for name in self.names if not are_equal(before, frame, name)]
        return {"records": len(frame), "changed": changed}


@dataclass(frozen=True, eq=False)
class Comparing:
    """Adds up what one part has lost, and looks for the people drawn."""

    pairs: Pairs
    whole: WholeFile
    names: tuple[str, ...]
    drawn: Drawn
    sampling: Sampling
    folder: str

    def __call__(self, number: int) -> Result:
        """Sums of numbers; tables of counts and the people met lie in files."""
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
            "sums": None if sums is None else _encoded(sums),
        }


@dataclass(frozen=True, eq=False)
class Attacking:
    """Hands over the records of one part that intruders look at."""

    pairs: Pairs
    whole: WholeFile
    raid: Raid
    folder: str

    def __call__(self, number: int) -> Result:
        """How many there are of each file; they lie in files."""
        found = self.raid.looked_at(self.whole, *self.pairs.read(number))
        for name, rows in found.items():
            keep_matrix(_looked_at(self.folder, name, number), rows)
        return {"records": sum(map(len, found.values())), "files": list(found)}


def _encoded(sums: NumberSums) -> dict[str, Any]:
    def one(value: object) -> object:
        if isinstance(value, MomentSums):
            return {f.name: getattr(value, f.name).tolist() for f in fields(value)}
        return value.tolist() if isinstance(value, np.ndarray) else value

    return {field.name: one(getattr(sums, field.name)) for field in fields(sums)}


def _decoded(found: Mapping[str, Any]) -> NumberSums:
    own: dict[str, Any] = {
        name: MomentSums(**{n: np.array(v) for n, v in value.items()})
        if isinstance(value, dict)
        else np.array(value)
        for name, value in found.items()
    }
    return NumberSums(**own)


@dataclass(frozen=True, eq=False)
class Comparer:
    """Compares a masked file with its original, step by step.

    Args:
        people: how many are attacked at most.
        flag: name of a column that marks suppressed records, where there is one.
        cells: what the cells of columns stand for, where that is known, by name.
    """

    file: Opened
    masked: Masked
    evaluators: Evaluators
    told: Told
    people: int = SEARCHING
    flag: tuple[str, ...] = ()
    cells: Mapping[str, Recoding] = field(default_factory=dict)

    @property
    def folder(self) -> str:
        """Where results are kept meanwhile."""
        return str(self.file.folder)

    @property
    def count(self) -> int:
        """How many parts there are."""
        return len(self.file.parts)

    def compared(self) -> Comparison:
        """Loss and risk, after all steps."""
        names = self._names()
        listing = Listing(self.file.parts, self.masked, names, self.folder)
        listed = carried_out(Step(self.folder, "list", listing), *self._how)
        changed = {name for row in listed for name in row["changed"]}
        changed.update(self.file.schema.quasi_identifiers)
        compared = tuple(name for name in names if name in changed)
        declared = {name: self.file.declaration(name) for name in names}
        overview = surveyed(self.file, declared, self.evaluators, self.told)
        whole = whole_file(overview, self.file.parts.records)
        whole = whole.suppressing() if self.flag else whole
        books = {a.name: self._book(a, names.index(a.name), whole) for a in overview.attributes}
        pairs = Pairs(self.file.parts, overview.declared, self.masked, books, self.flag)
        sample = sampled_table(self.file, overview)
        drawn = drawn_from(sample, self.people, compared)
        return self._measured(pairs, whole, compared, drawn, sample)

    @property
    def _how(self) -> tuple[int, Evaluators, Told]:
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
            return book_of(_values_of(attribute, whole), None, None)
        return book_of(_values_of(attribute, whole), values, self._tree(attribute))

    def _tree(self, attribute: Attribute) -> Hierarchy | None:
        lines = self.file.trees.get(attribute.name)
        if lines is None or not attribute.is_categorical:
            return None
        return fitted(attribute.name, lines, all_values(attribute))

    def _measured(
        self, pairs: Pairs, whole: WholeFile, names: tuple[str, ...], drawn: Drawn, sample: Table
    ) -> Comparison:
        comparing = Comparing(pairs, whole, names, drawn, Sampling.of(self.file), self.folder)
        rows = carried_out(Step(self.folder, "compare", comparing), *self._how)
        categories = [n for n in names if n in whole.categories]
        secret = [n for n in drawn.confidential if n in whole.categories]
        first, masked = pairs.read(0)
        cells = whole.cells(masked, [*categories, *secret])
        tallies = (
            summed_tallies(_tallies(self.folder, n) for n in range(self.count)) if cells else {}
        )
        sums = added_up(_decoded(row["sums"]) for row in rows) if rows[0]["sums"] else None
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
        order = bool(self.flag) or seem_in_order(masked, first)
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

    def _attacked(self, pairs: Pairs, whole: WholeFile, raid: Raid) -> tuple[Judged, Judged]:
        step = Step(self.folder, "attack", Attacking(pairs, whole, raid, self.folder))
        rows = carried_out(step, *self._how)
        found = {
            name: merged_rows(
                _whole_matrix(_looked_at(self.folder, name, n)) for n in range(self.count)
            )
            for name in rows[0]["files"]
        }
        return raid.judged(found)


def whole_file(overview: Overview, records: int) -> WholeFile:
    """What a survey tells of a whole file, as measures take it."""
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


def _values_of(attribute: Attribute, whole: WholeFile) -> Table:
    """A table with the different values of an attribute."""
    if attribute.is_categorical:
        return all_values(attribute)
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
