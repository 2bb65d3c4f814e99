"""Masked chunks aligned with their originals, and dictionaries of masked cells."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl

from evomask.data.frames import Declaration, Declarations, storage_of, table_from
from evomask.data.hierarchy import Hierarchy
from evomask.data.recoding import Recoding
from evomask.data.schema import Attribute, Kind, Schema, Storage
from evomask.data.table import Column, Table
from evomask.errors import DataError
from evomask.io.chunks import COUNT, FLAG, ROW, Parts, Place, add_counts, keep_rows, kept_rows
from evomask.io.files import OWNER_ONLY, write_atomically
from evomask.io.masked_tables import masked_version
from evomask.io.sources import Source
from evomask.types import Flags, Indices


@dataclass(frozen=True)
class Aligned:
    """Files divided into pieces with the same records as the chunks of another file."""

    pieces: tuple[tuple[Place, ...], ...]
    columns: tuple[str, ...]

    @classmethod
    def to(cls, originals: Parts, path: Path) -> "Aligned":
        """Divide the files of a folder like the originals; both must have the same number of
        records."""
        own = Parts.of(path)
        if own.records != originals.records:
            raise DataError(
                f"the masked file has {own.records:,} records and the original "
                f"{originals.records:,}; measures compare them record by record, so give files of "
                "the same length and order"
            )
        pieces, waiting = [], list(reversed(own.places))
        for place in originals.places:
            taken, missing = [], place.records
            while missing:
                first = waiting.pop()
                some = min(missing, first.records)
                taken.append(Place(first.path, first.first, some))
                if some < first.records:
                    waiting.append(Place(first.path, first.first + some, first.records - some))
                missing -= some
            pieces.append(tuple(taken))
        return cls(tuple(pieces), own.columns)

    def read(self, number: int, names: Sequence[str]) -> pl.DataFrame:
        return pl.concat(
            Parts((piece,), self.columns).read(0, names) for piece in self.pieces[number]
        )


@dataclass(frozen=True, eq=False)
class Book:
    """Dictionary of the written cells of a column, valid for all chunks.

    Args:
        values: distinct cells, one row each; None if the column holds plain numbers.
        codes: their codes in a table.
        recoding: meaning of the codes, if they are not categories.
    """

    attribute: Attribute
    values: pl.DataFrame | None
    codes: Column
    recoding: Recoding | None = None

    def column(self, frame: pl.DataFrame) -> Column:
        name = self.attribute.name
        if self.values is None:
            declared = Declaration(Kind.CONTINUOUS, notes=self.attribute.notes)
            return table_from(frame.select(name), {name: declared}).values(name)
        rows = _texts(frame, name).join(
            self.values.with_row_index(ROW), on=name, how="left", nulls_equal=True,
            maintain_order="left",
        )  # fmt: skip
        column: Column = self.codes[rows[ROW].to_numpy()]
        return column


def book_of(original: Table, values: pl.DataFrame | None, tree: Hierarchy | None) -> Book:
    """Build the dictionary of a masked column.

    Args: original: distinct values of the original's column, and no other column.
        values: distinct masked values; None if both columns hold plain numbers.
    """
    attribute = next(iter(original.schema))
    if values is None:
        return Book(attribute, None, np.empty(0))
    name = attribute.name
    trees = {} if tree is None else {name: tree}
    read = masked_version(original, Source(values.select(name)), trees)
    recoding = read.recoding(name) if read.is_recoded(name) else None
    return Book(attribute, _texts(values, name), read[name], recoding)


def book_of_cells(attribute: Attribute, recoding: Recoding) -> Book:
    """Build a dictionary from a known recoding."""
    labels = pl.Series(attribute.name, recoding.labels, dtype=pl.String)
    values = pl.DataFrame(labels.set(pl.Series(recoding.missing), None))
    return Book(attribute, values, np.arange(len(recoding.labels), dtype=np.int32), recoding)


def masked_table(
    frame: pl.DataFrame, books: Mapping[str, Book], suppressed: Flags | None = None
) -> Table:
    """Return the masked records of one chunk as a table, to compare with the originals."""
    schema = Schema(tuple(book.attribute for book in books.values()))
    columns = {name: book.column(frame) for name, book in books.items()}
    recodings = {name: book.recoding for name, book in books.items() if book.recoding is not None}
    table = Table(schema, columns, recodings)
    return table if suppressed is None else table.suppressing(suppressed)


def flags_of(frame: pl.DataFrame) -> Flags | None:
    """Flags of suppressed records, if the chunk has them."""
    return frame[FLAG].to_numpy() if FLAG in frame.columns else None


def with_flags(frame: pl.DataFrame, flags: Flags) -> pl.DataFrame:
    """Add the flags of suppressed records to a chunk."""
    return frame.with_columns(pl.Series(FLAG, flags))


def rows_to_release(frame: pl.DataFrame) -> tuple[pl.DataFrame, Indices]:
    """Drop the flags, if any; return all records, and the positions of those to release."""
    if FLAG not in frame.columns:
        return frame, np.arange(len(frame))
    return frame.drop(FLAG), np.flatnonzero(~frame[FLAG].to_numpy())


def scattered(path: Path, frame: pl.DataFrame, cuts: Sequence[Indices], first: int) -> list[int]:
    """Write groups of records to one file; return the end of each group in bytes.

    Args:
        cuts: positions of the records of each group.
        first: position of the frame's first record in the whole original.
    """
    buffer, ends = BytesIO(), []
    rows = frame.with_row_index(ROW, first).with_columns(pl.col(ROW).cast(pl.Int64))
    for places in cuts:
        rows[places].write_ipc_stream(buffer)
        ends.append(buffer.tell())
    content = buffer.getbuffer()
    write_atomically(
        path, lambda temporary: temporary.write_bytes(content), force=True, mode=OWNER_ONLY
    )
    return ends


def gathered(
    paths: Sequence[Path], cuts: Sequence[tuple[int, int]], order: Callable[[int], Indices]
) -> tuple[pl.DataFrame, Indices]:
    """Read one group of every file in a new order, with the original positions of its records."""
    rows = pl.concat(_lot(path, *cut) for path, cut in zip(paths, cuts, strict=True))
    rows = rows[order(len(rows))]
    return rows.drop(ROW), rows[ROW].to_numpy()


def _lot(path: Path, first: int, end: int) -> pl.DataFrame:
    with path.open("rb") as file:
        file.seek(first)
        return pl.read_ipc_stream(BytesIO(file.read(end - first)))


def is_plain_number(frame: pl.DataFrame, name: str) -> bool:
    """Whether a column holds numbers, not texts that denote intervals."""
    return storage_of(frame[name]) is not Storage.TEXT


def are_equal(first: pl.DataFrame, second: pl.DataFrame, name: str) -> bool:
    """Whether two frames have the same values in a column."""
    return _texts(first, name)[name].equals(_texts(second, name)[name], null_equal=True)


def _texts(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """A column as texts for lookup; floats with whole values are written as integers."""
    column = frame[name]
    if column.dtype.is_float():
        column = column.fill_nan(None)
    return pl.DataFrame({name: column.cast(pl.String)})


def keep_tallies(path: Path, tallies: Mapping[str, tuple[Indices, Indices]]) -> None:
    """Write contingency tables: name of the table, key of the cell, count."""
    names = np.repeat(list(tallies), [len(keys) for keys, _ in tallies.values()])
    keys, counts = (np.concatenate(own) for own in zip(*tallies.values(), strict=True))
    keep_rows(path, {"table": names, "key": keys, COUNT: counts})


def summed_tallies(paths: Iterable[Path]) -> dict[str, tuple[Indices, Indices]]:
    """Sum the tables of all chunks."""
    total = add_counts((kept_rows(path) for path in paths), ("table", "key"))
    if total is None:
        return {}
    return {
        str(name): (own["key"].to_numpy(), own[COUNT].to_numpy())
        for (name,), own in total.sort("table", "key").partition_by("table", as_dict=True).items()
    }


def joined_rows(paths: Iterable[Path]) -> pl.DataFrame:
    """Return the concatenated records of several temporary files."""
    return pl.concat([kept_rows(path) for path in paths])


def table_of_rows(frames: Iterable[pl.DataFrame], declared: Declarations) -> Table:
    """Return the records of several frames as one table."""
    return table_from(pl.concat(list(frames)).select(list(declared)), declared)
