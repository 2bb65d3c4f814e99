"""Chunked Parquet files larger than memory: reading, writing, counts of equivalence classes."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from evomask.data.classes import merge_counts
from evomask.data.frames import Declarations, polars_from, table_from
from evomask.data.table import Table
from evomask.errors import DataError, FileError
from evomask.io.files import OWNER_ONLY, write_atomically
from evomask.io.stat_packages import decimals_of
from evomask.types import Floats, Indices, Points

RECORDS = 250_000
"""Default number of records in a chunk."""

ENDING = ".parquet"
COUNT, FLAG, ROW, VALUE = OURS = "__count", "__suppressed", "__row", "__value"
"""Reserved columns of temporary files; no input file may have one of these names."""

BUCKET = 10_000_000
"""Records whose distinct combinations are counted at once."""


@dataclass(frozen=True)
class Place:
    """Position of the records of a chunk."""

    path: str
    first: int
    records: int


@dataclass(frozen=True)
class Parts:
    """A Parquet file, or all those of a folder, in chunks of a number of records.

    Args:
        texts: columns that are read as text.
    """

    places: tuple[Place, ...]
    columns: tuple[str, ...]
    texts: tuple[str, ...] = ()

    @classmethod
    def of(cls, path: Path, records: int = RECORDS) -> "Parts":
        """Define the chunks of a file or folder; all files of a folder must have the same
        columns."""
        files = parquet_files(path)
        columns = [_columns(file) for file in files]
        for file, own in zip(files, columns, strict=True):
            if own != columns[0]:
                raise DataError(
                    f"the columns of {file} differ from those of {files[0]}; give all files the "
                    f"same columns"
                )
        taken = [name for name in OURS if name in columns[0]]
        if taken:
            raise DataError(f"the column name {taken[0]} is reserved; rename the column")
        places = [
            Place(str(file), first, min(records, total - first))
            for file in files
            for total in [_length(file)]
            for first in range(0, total, records)
        ]
        if not places:
            raise DataError(f"{path} holds no records")
        return cls(tuple(places), columns[0])

    def __len__(self) -> int:
        return len(self.places)

    @property
    def records(self) -> int:
        return sum(place.records for place in self.places)

    def read(self, number: int, names: Iterable[str] | None = None) -> pl.DataFrame:
        place = self.places[number]
        wanted = list(self.columns if names is None else names)
        part = pl.scan_parquet(place.path).select(wanted).slice(place.first, place.records)
        return part.collect().with_columns(
            pl.col(name).cast(pl.String) for name in self.texts if name in wanted
        )

    def table(self, number: int, declared: Declarations) -> Table:
        return table_from(self.read(number, declared), declared)


def parquet_files(path: Path) -> tuple[Path, ...]:
    """Return the file itself, or the Parquet files of a folder in the order of their names."""
    if not path.is_dir():
        if path.suffix.lower() != ENDING:
            raise FileError(f"{path} is not Parquet, and only Parquet is read in chunks")
        return (path,)
    files = tuple(sorted(path.glob(f"*{ENDING}")))
    if not files:
        raise FileError(f"the folder {path} holds no file *{ENDING}")
    return files


def from_text(path: Path, target: Path, delimiter: str, missing: Sequence[str]) -> Path:
    """Convert a text file to Parquet once, without loading it as a whole."""
    if not target.exists():
        text = pl.scan_csv(
            path, separator=delimiter, null_values=list(missing), infer_schema_length=100_000
        )

        def convert(temporary: Path) -> None:
            text.sink_parquet(temporary)

        try:
            write_atomically(target, convert, mode=OWNER_ONLY)
        except pl.exceptions.PolarsError as error:
            raise _unconverted(path, str(error)) from None
    return target


def _unconverted(path: Path, reason: str) -> FileError:
    """Return the error of a conversion; the library's message may contain values and is not
    shown."""
    if system := re.search(r"([\w ]+) \(os error \d+\)", reason):
        return FileError(f"{path} could not be converted to Parquet: {system[1].strip()}")
    if column := re.search(r"at column '(.*?)' \(column", reason):
        return FileError(
            f"column {column[1]!r} of {path} has values of different types; correct it, or give "
            "the file as Parquet"
        )
    return FileError(
        f"{path} is not a UTF-8 text file with the same number of fields in every record; correct "
        f"it, or "
        "give it as Parquet"
    )


def hashes_of(path: Path) -> dict[str, str]:
    """SHA-256 of every file, by its name."""
    found = {}
    for file in parquet_files(path):
        with file.open("rb") as content:
            found[file.name] = hashlib.file_digest(content, "sha256").hexdigest()
    return found


def part_name(number: int) -> str:
    """File name of a written chunk."""
    return f"part-{number:06}{ENDING}"


def write_part(frame: pl.DataFrame, path: Path) -> str:
    """Write one chunk atomically and return its hash."""
    buffer = BytesIO()
    frame.write_parquet(buffer, compression="zstd")
    content = buffer.getbuffer()
    write_atomically(path, lambda temporary: temporary.write_bytes(content), force=True)
    return hashlib.sha256(content).hexdigest()


def with_masked(frame: pl.DataFrame, masked: Table, dropped: Sequence[str]) -> pl.DataFrame:
    """Return a chunk to release: masked columns replaced, the others unchanged.

    Args:
        dropped: identifiers, which are removed.
    """
    own = polars_from(masked)
    rest = frame.drop(dropped)
    if masked.suppressed.any():
        rest = rest.filter(pl.Series(~masked.suppressed))
    return rest.with_columns(_as_before(column, frame) for column in own)


def _as_before(column: pl.Series, frame: pl.DataFrame) -> pl.Series:
    """Cast integers to floats if the column held floats, so its type reveals no masking."""
    was = frame.schema[column.name]
    return column.cast(was) if was.is_float() and column.dtype.is_integer() else column


def joined_frames(frames: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Return the records of several frames."""
    return pl.concat(list(frames))


def became_texts(before: pl.DataFrame, after: pl.DataFrame) -> list[str]:
    """Return the columns that hold texts in the second frame only."""
    return [n for n in before.columns if after.schema[n] == pl.String != before.schema[n]]


def keep_rows(path: Path, columns: Mapping[str, Any]) -> None:
    """Write a temporary file of columns."""
    frame = pl.DataFrame(dict(columns))
    write_atomically(path, lambda temporary: _ipc(frame, temporary), force=True, mode=OWNER_ONLY)


def _ipc(frame: pl.DataFrame, path: Path) -> None:
    """Encode in memory first, so that a full disk raises the operating system's error."""
    buffer = BytesIO()
    frame.write_ipc(buffer)
    path.write_bytes(buffer.getbuffer())


def kept_rows(path: Path) -> pl.DataFrame:
    """Read columns of a temporary file."""
    return pl.read_ipc(path)


def keep_matrix(path: Path, matrix: Points | Indices) -> None:
    """Write a temporary file of numbers, one row per record; encoded in memory first."""
    buffer = BytesIO()
    np.save(buffer, np.ascontiguousarray(matrix), allow_pickle=False)
    content = buffer.getbuffer()
    write_atomically(
        path, lambda temporary: temporary.write_bytes(content), force=True, mode=OWNER_ONLY
    )


def kept_matrix(path: Path, first: int = 0, end: int | None = None) -> Points:
    """Map a temporary file of numbers; return some of its rows, or all of them."""
    rows: Points = np.load(path, mmap_mode="r", allow_pickle=False)[first:end]
    return rows


def numbers_of(frame: pl.DataFrame, name: str) -> Floats:
    """A column of a temporary file as numbers."""
    found: Floats = frame[name].cast(pl.Float64).fill_null(float("nan")).to_numpy()
    return found


def value_counts(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """Number of records with each value of a column, in the order of values."""
    return frame.select(name).group_by(name).len(COUNT).sort(name)


def summed_counts(names: Sequence[str], parts: Iterable[Path]) -> pl.DataFrame:
    """Sum counts of combinations of columns over files, in a fixed order."""
    total = add_counts((kept_rows(path) for path in parts), names)
    if total is None:
        raise DataError("the counts have no records; give a file with at least one")
    return total.sort(names)


def add_counts(frames: Iterable[pl.DataFrame], names: Sequence[str]) -> pl.DataFrame | None:
    """Sum counts, in arbitrary order; None if there are no frames."""
    return merge_counts(frames, lambda some: _added(some, names))


def _added(frames: Sequence[pl.DataFrame], names: Sequence[str]) -> pl.DataFrame:
    both = pl.concat(frames, how="vertical_relaxed")
    return both.group_by(names).agg(pl.col(COUNT).cast(pl.Int64).sum())


def values_in(
    combinations: pl.DataFrame, counts: pl.DataFrame, name: str, order: Sequence[str] = ()
) -> tuple[Indices, Indices, Indices]:
    """Return the combination (row), value (position) and number of records of each count.

    Args:
        counts: counts of the combination columns and one more, *name*.
        order: order of the values, if it is neither alphabetical nor numerical.
    """
    names = [column for column in combinations.columns if column != COUNT]
    rows = combinations.select(names).with_row_index(ROW)
    found = counts.join(rows, on=names, how="left", nulls_equal=True)
    found = found.join(_in_order(found, name, order), on=name, how="left", nulls_equal=True)
    row, value, count = (found[c].to_numpy().astype(np.int64) for c in (ROW, VALUE, COUNT))
    return row, value, count


def _in_order(frame: pl.DataFrame, name: str, order: Sequence[str]) -> pl.DataFrame:
    """Distinct values of a column, numbered in their order, missing last."""
    values = frame.select(name).unique().sort(name, nulls_last=True)
    if order:
        places = {text: place for place, text in enumerate(order)}
        texts = values[name].cast(pl.String).to_list()
        ranks = [places.get(text, len(places)) for text in texts]
        values = values[np.argsort(ranks, kind="stable")]
    return values.with_row_index(VALUE)


def histograms_in(
    path: Path, names: Sequence[str], name: str, order: Sequence[str] = ()
) -> Iterator[tuple[Indices, Indices, Indices, Indices]]:
    """Histograms of a column over equivalence classes of written chunks, some classes at a time.

    Yields the class, the value (its position in order) and its count, and the number of records
    with each value in the whole file.
    """
    everything = pl.scan_parquet([str(file) for file in parquet_files(path)])
    totals = everything.group_by(name).len(COUNT).collect(engine="streaming")
    places = _in_order(totals, name, order)
    whole = totals.join(places, on=name, nulls_equal=True).sort(VALUE)[COUNT].to_numpy()
    for own in _bucketed(everything, names, int(whole.sum())):
        counts = own.group_by([*names, name]).len(COUNT).collect(engine="streaming")
        if len(counts):
            classes = counts.select(names).unique().with_row_index(ROW)
            found = counts.join(classes, on=list(names), nulls_equal=True)
            found = found.join(places, on=name, nulls_equal=True).sort(ROW, VALUE)
            row, value, often = (found[c].to_numpy().astype(np.int64) for c in (ROW, VALUE, COUNT))
            yield row, value, often, whole.astype(np.int64)


def write_counts(path: Path, frame: pl.DataFrame, names: Sequence[str]) -> None:
    """Write the number of records with each combination of columns."""
    counts = frame.select(names).group_by(names).len(COUNT)
    keep_rows(path, {name: counts[name] for name in counts.columns})


@dataclass(frozen=True)
class Alike:
    """Equivalence classes of written chunks: smallest size, records, number of classes."""

    least: int
    records: int
    classes: int


def alike_in(path: Path, names: Sequence[str]) -> Alike:
    """Count the equivalence classes of all written chunks in bounded memory."""
    counted: Alike = _read_or_raise(lambda: _alike(path, names), path)
    return counted


def _alike(path: Path, names: Sequence[str]) -> Alike:
    sizes, often = class_sizes(parquet_files(path), names)
    records = int((sizes * often).sum())
    return Alike(int(sizes.min(initial=records)), records, int(often.sum()))


def class_sizes(files: Iterable[Path], names: Sequence[str]) -> tuple[Indices, Indices]:
    """Sizes of the equivalence classes in all files, and how many classes have each."""
    everything = pl.scan_parquet([str(file) for file in files]).select(names)
    records = int(everything.select(pl.len()).collect().item())
    counts = [
        own.group_by(names).len(VALUE).group_by(VALUE).len(COUNT).collect(engine="streaming")
        for own in _bucketed(everything, names, records)
    ]
    total = _added(counts, [VALUE]).sort(VALUE)
    sizes, often = (total[name].to_numpy().astype(np.int64) for name in (VALUE, COUNT))
    return sizes, often


def _bucketed(
    everything: pl.LazyFrame, names: Sequence[str], records: int
) -> Iterator[pl.LazyFrame]:
    """Split records into buckets that fit in memory; all records of a class are in one bucket."""
    buckets = max(1, -(-records // BUCKET))
    for bucket in range(buckets):
        yield (
            everything.filter(pl.struct(names).hash() % buckets == bucket)
            if buckets > 1
            else (everything)
        )


def decimals_in(frame: pl.DataFrame, name: str) -> int | None:
    """Return the decimals of a float column; None if it has other values, or too many decimals."""
    return decimals_of(frame[name], 0) if frame.schema[name].is_float() else None


def columns_in(path: Path) -> set[str]:
    """Return the columns that occur in any of the written chunks."""
    return {name for file in parquet_files(path) for name in _columns(file)}


def _columns(path: Path) -> tuple[str, ...]:
    return tuple(_read_or_raise(lambda: pl.scan_parquet(path).collect_schema().names(), path))


def _length(path: Path) -> int:
    return int(
        _read_or_raise(lambda: pl.scan_parquet(path).select(pl.len()).collect().item(), path)
    )


def _read_or_raise(read: Any, path: Path) -> Any:  # noqa: ANN401
    try:
        return read()
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""
        raise FileError(f"{path} cannot be read as Parquet{reason}; check it") from None
