"""Files larger than memory: Parquet read in parts of so many records, written part by part."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from evomask.arrays import Floats, Indices, Points
from evomask.data.adding import added_up
from evomask.data.frames import Declarations, polars_from, table_from
from evomask.data.table import Table
from evomask.errors import DataError, FileError
from evomask.io.files import OWNER_ALONE, write_atomically
from evomask.io.labelled import decimals_of

RECORDS = 250_000
"""Records of a part, where nobody says."""

ENDING = ".parquet"
COUNT, FLAG, ROW, VALUE = OURS = "__count", "__suppressed", "__row", "__value"
"""Columns of ours in temporary files; no file that is read may have one of these names."""

BUCKET = 10_000_000
"""Records whose distinct combinations are counted at once."""


@dataclass(frozen=True)
class Place:
    """Where the records of a part stand."""

    path: str
    first: int
    records: int


@dataclass(frozen=True)
class Parts:
    """A Parquet file, or all those of a folder, as parts of so many records."""

    places: tuple[Place, ...]
    columns: tuple[str, ...]

    @classmethod
    def of(cls, path: Path, records: int = RECORDS) -> "Parts":
        """The parts of a file or folder; all files of a folder must have the same columns."""
        files = parquet_files(path)
        columns = [_columns(file) for file in files]
        for file, own in zip(files, columns, strict=True):
            if own != columns[0]:
                raise DataError(f"{file} has other columns than {files[0]}; give them the same")
        taken = [name for name in OURS if name in columns[0]]
        if taken:
            raise DataError(f"a column is called {taken[0]}; rename it")
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
        """How many records there are in all parts."""
        return sum(place.records for place in self.places)

    def read(self, number: int, names: Iterable[str] | None = None) -> pl.DataFrame:
        """The records of one part, some or all of their columns."""
        place = self.places[number]
        wanted = list(self.columns if names is None else names)
        part = pl.scan_parquet(place.path).select(wanted).slice(place.first, place.records)
        return part.collect()

    def table(self, number: int, declared: Declarations) -> Table:
        """The columns of one part that are declared, as a table."""
        return table_from(self.read(number, declared), declared)


def parquet_files(path: Path) -> tuple[Path, ...]:
    """The file itself, or the Parquet files of a folder in the order of their names."""
    if not path.is_dir():
        if path.suffix.lower() != ENDING:
            raise FileError(f"{path} is not Parquet, and only Parquet is read in parts")
        return (path,)
    files = tuple(sorted(path.glob(f"*{ENDING}")))
    if not files:
        raise FileError(f"the folder {path} holds no file *{ENDING}")
    return files


def from_text(path: Path, target: Path, delimiter: str, missing: Sequence[str]) -> Path:
    """A text file as Parquet, converted once without ever being in memory as a whole."""
    if not target.exists():
        text = pl.scan_csv(
            path, separator=delimiter, null_values=list(missing), infer_schema_length=100_000
        )

        def convert(temporary: Path) -> None:
            text.sink_parquet(temporary)

        try:
            write_atomically(target, convert, mode=OWNER_ALONE)
        except pl.exceptions.PolarsError as error:
            raise _unconverted(path, str(error)) from None
    return target


def _unconverted(path: Path, reason: str) -> FileError:
    """Why a text file did not become Parquet; what the library says may hold values of records."""
    if system := re.search(r"([\w ]+) \(os error \d+\)", reason):
        return FileError(f"{path} could not be turned into Parquet: {system[1].strip()}")
    if column := re.search(r"at column '(.*?)' \(column", reason):
        return FileError(
            f"column {column[1]!r} of {path} is not of one kind throughout; correct it, or give "
            "the file as Parquet"
        )
    return FileError(
        f"{path} is no table of text in UTF-8 with as many fields in every record; correct it, or "
        "give it as Parquet"
    )


def hashes_of(path: Path) -> dict[str, str]:
    """The sha256 of every file, by its name."""
    found = {}
    for file in parquet_files(path):
        with file.open("rb") as content:
            found[file.name] = hashlib.file_digest(content, "sha256").hexdigest()
    return found


def part_name(number: int) -> str:
    """What the file of a written part is called."""
    return f"part-{number:06}{ENDING}"


def write_part(frame: pl.DataFrame, path: Path) -> str:
    """Write one part, all of it or nothing; the hash of what was written."""
    buffer = BytesIO()
    frame.write_parquet(buffer, compression="zstd")
    content = buffer.getbuffer()
    write_atomically(path, lambda temporary: temporary.write_bytes(content), force=True)
    return hashlib.sha256(content).hexdigest()


def with_masked(frame: pl.DataFrame, masked: Table, dropped: Sequence[str]) -> pl.DataFrame:
    """A part as it is released: masked columns in their places, the others as they stand.

    Args:
        dropped: identifiers, which stay behind.
    """
    own = polars_from(masked)
    rest = frame.drop(dropped)
    if masked.suppressed.any():
        rest = rest.filter(pl.Series(~masked.suppressed))
    return rest.with_columns(_as_before(column, frame) for column in own)


def _as_before(column: pl.Series, frame: pl.DataFrame) -> pl.Series:
    """Whole numbers as reals where the column held reals: its type does not tell of masking."""
    was = frame.schema[column.name]
    return column.cast(was) if was.is_float() and column.dtype.is_integer() else column


def keep_rows(path: Path, columns: Mapping[str, Any]) -> None:
    """Write a temporary file of columns."""
    frame = pl.DataFrame(dict(columns))
    write_atomically(path, lambda temporary: _ipc(frame, temporary), force=True, mode=OWNER_ALONE)


def _ipc(frame: pl.DataFrame, path: Path) -> None:
    """Through memory, so that a full disk is the operating system's error."""
    buffer = BytesIO()
    frame.write_ipc(buffer)
    path.write_bytes(buffer.getbuffer())


def kept_rows(path: Path) -> pl.DataFrame:
    """The columns of such a file."""
    return pl.read_ipc(path)


def keep_matrix(path: Path, matrix: Points | Indices) -> None:
    """Write a temporary file of numbers, a row a record; through memory like the others."""
    buffer = BytesIO()
    np.save(buffer, np.ascontiguousarray(matrix), allow_pickle=False)
    content = buffer.getbuffer()
    write_atomically(
        path, lambda temporary: temporary.write_bytes(content), force=True, mode=OWNER_ALONE
    )


def kept_matrix(path: Path, first: int = 0, end: int | None = None) -> Points:
    """Some rows of such a file, or all of them, read without the others."""
    rows: Points = np.load(path, mmap_mode="r", allow_pickle=False)[first:end]
    return rows


def numbers_of(frame: pl.DataFrame, name: str) -> Floats:
    """A column of a temporary file as numbers."""
    found: Floats = frame[name].cast(pl.Float64).fill_null(float("nan")).to_numpy()
    return found


def value_counts(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """How many records have each value of a column, values in order."""
    return frame.select(name).group_by(name).len(COUNT).sort(name)


def summed_counts(names: Sequence[str], parts: Iterable[Path]) -> pl.DataFrame:
    """Counts of combinations of columns, added up over files of them; in a fixed order."""
    total = added_counts((kept_rows(path) for path in parts), names)
    if total is None:
        raise DataError("there is nothing to count")
    return total.sort(names)


def added_counts(frames: Iterable[pl.DataFrame], names: Sequence[str]) -> pl.DataFrame | None:
    """Counts added up, in no order; none where there are no frames."""
    return added_up(frames, lambda some: _added(some, names))


def _added(frames: Sequence[pl.DataFrame], names: Sequence[str]) -> pl.DataFrame:
    both = pl.concat(frames, how="vertical_relaxed")
    return both.group_by(names).agg(pl.col(COUNT).cast(pl.Int64).sum())


def values_in(
    combinations: pl.DataFrame, counts: pl.DataFrame, name: str, order: Sequence[str] = ()
) -> tuple[Indices, Indices, Indices]:
    """The combination (its row), the value (its place) and the number of records of each count.

    Args:
        counts: of the same columns and one more, called *name*.
        order: of the values, where that is not the order of texts or numbers.
    """
    names = [column for column in combinations.columns if column != COUNT]
    rows = combinations.select(names).with_row_index(ROW)
    found = counts.join(rows, on=names, how="left", nulls_equal=True)
    found = found.join(_in_order(found, name, order), on=name, how="left", nulls_equal=True)
    row, value, count = (found[c].to_numpy().astype(np.int64) for c in (ROW, VALUE, COUNT))
    return row, value, count


def _in_order(frame: pl.DataFrame, name: str, order: Sequence[str]) -> pl.DataFrame:
    """The different values of a column, numbered in their order, a missing one last."""
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
    """How often each value of a column occurs in classes of written parts, some classes at a time.

    Each time: the class, the value (its place in order) and its count, and then how often each
    value occurs in the whole file.
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


def keep_counts(path: Path, frame: pl.DataFrame, names: Sequence[str]) -> None:
    """Write how many records have each combination of columns."""
    counts = frame.select(names).group_by(names).len(COUNT)
    keep_rows(path, {name: counts[name] for name in counts.columns})


@dataclass(frozen=True)
class Alike:
    """How many records look alike in written parts: the fewest, all of them, and the classes."""

    least: int
    records: int
    classes: int


def alike_in(path: Path, names: Sequence[str]) -> Alike:
    """Count the classes of all written parts, so many records at a time that memory lasts."""
    counted: Alike = _told(lambda: _alike(path, names), path)
    return counted


def _alike(path: Path, names: Sequence[str]) -> Alike:
    sizes, often = class_sizes(parquet_files(path), names)
    records = int((sizes * often).sum())
    return Alike(int(sizes.min(initial=records)), records, int(often.sum()))


def class_sizes(files: Iterable[Path], names: Sequence[str]) -> tuple[Indices, Indices]:
    """Sizes of the classes of look-alikes in all files, and how many classes have each."""
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
    """Records in so many turns that memory lasts; look-alikes are in one turn."""
    buckets = max(1, -(-records // BUCKET))
    for bucket in range(buckets):
        yield (
            everything.filter(pl.struct(names).hash() % buckets == bucket)
            if buckets > 1
            else (everything)
        )


def decimals_in(frame: pl.DataFrame, name: str) -> int | None:
    """Decimals that the reals of a column have; none where they are no reals, or have many."""
    return decimals_of(frame[name], 0) if frame.schema[name].is_float() else None


def columns_in(path: Path) -> set[str]:
    """The columns that any of the written parts has."""
    return {name for file in parquet_files(path) for name in _columns(file)}


def _columns(path: Path) -> tuple[str, ...]:
    return tuple(_told(lambda: pl.scan_parquet(path).collect_schema().names(), path))


def _length(path: Path) -> int:
    return int(_told(lambda: pl.scan_parquet(path).select(pl.len()).collect().item(), path))


def _told(read: Any, path: Path) -> Any:  # noqa: ANN401
    try:
        return read()
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""
        raise FileError(f"{path} cannot be read as Parquet{reason}; check it") from None
