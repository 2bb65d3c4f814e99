"""A file read back after it was written, and what it fulfils.

Nothing here knows the tables and classes that the file was made from: cells are the texts or
numbers that a reader of the file sees, and records are look-alikes where these are the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evomask.errors import FileError
from evomask.io.dialects import Dialect, records
from evomask.io.formats import content_of, ending_of

ROUNDING = 1e-9
ALWAYS_COUNTED = 100_000
"""Records up to which confidential attributes are counted though nothing is asked of them."""

Places: TypeAlias = NDArray[np.int64]
Shares: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Secret:
    """How the values of a confidential attribute are compared.

    Args:
        ordered: whether they have an order: that of *order*, else of numbers, else of texts.
        order: all values as they are written, in their order.
        missing: closed ranges of numbers that stand for a missing value; they come last.
    """

    ordered: bool = False
    order: tuple[str, ...] = ()
    missing: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class Promise:
    """What a written file is to fulfil.

    Args:
        records: how many it holds.
        columns: their names, in order.
        absent: columns that it must not have.
        quasi_identifiers: what look-alikes are alike in.
        k, l, t: what was promised; 1 promises nothing.
    """

    records: int
    columns: tuple[str, ...]
    absent: tuple[str, ...] = ()
    quasi_identifiers: tuple[str, ...] = ()
    confidential: Mapping[str, Secret] = field(default_factory=dict)
    k: int = 1
    l: int = 1  # noqa: E741
    t: float = 1.0


@dataclass(frozen=True)
class Reading:
    """What a written file turned out to be.

    Args:
        k: records in the smallest class of look-alikes.
        l: fewest distinct values of a confidential attribute in a class, where there is one.
        t: how far, at most, such an attribute is spread otherwise in a class than in the file.
    """

    records: int
    columns: tuple[str, ...]
    k: int
    l: int | None = None  # noqa: E741
    t: float | None = None


def read_back(
    path: Path, promise: Promise, dialect: Dialect | None = None, *, name: str = ""
) -> Reading:
    """Read a file again and count what was promised of it.

    Confidential attributes of a large file are counted only where something is asked of them.
    """
    frame = _read(path, dialect, name)
    counted = frame.height <= ALWAYS_COUNTED or promise.l > 1 or promise.t < 1
    secrets = promise.confidential if counted else {}
    cells = {n: _as_texts(frame[n]) for n in (*promise.quasi_identifiers, *secrets) if n in frame}
    classes = _classes([cells[n] for n in promise.quasi_identifiers if n in cells], frame.height)
    spreads = [_diversity(classes, cells[n], secrets[n]) for n in secrets if n in cells]
    return Reading(
        frame.height,
        tuple(frame.columns),
        min(map(len, classes), default=0),
        min((least for least, _ in spreads), default=None),
        max((far for _, far in spreads), default=None),
    )


def shortcomings(found: Reading, promise: Promise) -> tuple[str, ...]:
    """What a file does not fulfil, in words; nothing where it is what was promised."""
    there = sorted(set(promise.absent) & set(found.columns))
    wrong = {
        f"it holds {found.records} records instead of {promise.records}": found.records
        != promise.records,
        f"it holds the identifier {there[0] if there else ''!r}": bool(there),
        "its columns are not those of the release": found.columns != promise.columns,
        **(_unkept(found, promise) if found.records else {}),
    }
    return tuple(text for text, is_so in wrong.items() if is_so)


def _unkept(found: Reading, promise: Promise) -> dict[str, bool]:
    l, t = found.l or 0, 1.0 if found.t is None else found.t  # noqa: E741
    return {
        f"it has k = {found.k} instead of {promise.k}": found.k < promise.k,
        f"it has l = {l} instead of {promise.l}": promise.l > 1 and l < promise.l,
        f"it has t = {t:g} instead of {promise.t:g}": promise.t < 1 and t > promise.t + ROUNDING,
    }


def check_written(
    path: Path, promise: Promise, dialect: Dialect | None = None, *, name: str = ""
) -> Reading:
    """Read a file again; that it is not what was promised is an error.

    Args:
        name: of the file as it will be called; its ending tells the format.
    """
    found = read_back(path, promise, dialect, name=name)
    wrong = shortcomings(found, promise)
    if wrong:
        raise FileError(
            f"{name or path.name} was read back and is not what was promised: {wrong[0]}; "
            "it was removed and nothing is released, please report this with the options used"
        )
    return found


def _read(path: Path, dialect: Dialect | None, name: str) -> pl.DataFrame:
    """The columns of a file; its name tells the format."""
    ending = ending_of(Path(name or path))
    if ending in (".parquet", ".pq"):
        return pl.read_parquet(path)
    if ending == ".xlsx":
        return pl.read_excel(path, engine="calamine", infer_schema_length=None)
    if ending in (".sav", ".zsav", ".dta"):
        import pyreadstat

        read: Any = pyreadstat.read_dta if ending == ".dta" else pyreadstat.read_sav
        frame: pl.DataFrame = read(path, user_missing=True, output_format="polars")[0]
        return frame
    plain = content_of(path, name)
    return _read_text(plain, dialect or Dialect("\t" if ending == ".tsv" else ","))


def _read_text(content: bytes, dialect: Dialect) -> pl.DataFrame:
    text = content.decode(dialect.encoding or "utf-8").removeprefix("\ufeff")
    text = text if "\n" in text else text.replace("\r", "\n")
    delimiter = dialect.delimiter or ","
    cells = pl.read_csv(text.encode(), separator=delimiter, infer_schema=False)
    cells.columns = next(records(text, delimiter))
    if dialect.decimal == ",":
        return cells.with_columns(pl.all().str.replace(r"^(-?\d+),(\d+)$", "$1.$2"))
    return cells


def _as_texts(series: pl.Series) -> pl.Series:
    """Cells as texts that differ where those of the file do, whole numbers without a point."""
    if series.dtype == pl.Object or series.dtype.is_float():
        return pl.Series(series.name, [_plain(value) for value in series.to_list()])
    return series.cast(pl.String).fill_null("")


def _plain(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and str(value) != "-0.0":
        return str(int(value))
    return str(value)


def _classes(columns: Sequence[pl.Series], n_records: int) -> list[Places]:
    """The places of the records of each class of look-alikes."""
    places = pl.Series("place", np.arange(n_records))
    if not columns:
        return [places.to_numpy()]
    alike = pl.DataFrame([column.alias(str(i)) for i, column in enumerate(columns)])
    grouped = alike.with_columns(places).group_by(alike.columns).agg("place")["place"]
    return [group.to_numpy() for group in grouped]


def _diversity(classes: Sequence[Places], values: pl.Series, secret: Secret) -> tuple[int, float]:
    """Distinct values in the least varied class, and how far the farthest class is off."""
    order = {value: rank for rank, value in enumerate(_in_order(values.unique().to_list(), secret))}
    ranks = values.replace_strict(order, return_dtype=pl.Int64).to_numpy()
    shares = np.bincount(ranks, minlength=len(order)) / len(ranks)
    distance = _moved if secret.ordered else _unlike
    counted = [np.unique(ranks[records], return_counts=True) for records in classes]
    far = (distance(present, counts / counts.sum(), shares) for present, counts in counted)
    return min((len(present) for present, _ in counted), default=0), max(far, default=0.0)


def _unlike(present: Places, parts: Shares, shares: Shares) -> float:
    """Half the sum of all gaps between the shares in a class and in the file."""
    here = shares[present]
    return float(np.abs(parts - here).sum() + 1.0 - here.sum()) / 2


def _moved(present: Places, parts: Shares, shares: Shares) -> float:
    """Earth mover's distance over ranks: the mean gap between both cumulated shares.

    Between two values of the class its cumulated share stays the same, and the file's only
    grows; so a stretch is summed up at once, in time that does not hang on its length.
    """
    if len(shares) < 2:
        return 0.0
    whole = np.cumsum(shares)
    sums = np.concatenate([[0.0], np.cumsum(whole)])
    here = np.concatenate([[0.0], np.cumsum(parts)])
    first, last = np.append(0, present), np.append(present, len(shares))
    cut = np.clip(np.searchsorted(whole, here), first, last)
    below = here * (cut - first) - (sums[cut] - sums[first])
    above = (sums[last] - sums[cut]) - here * (last - cut)
    return float((below + above).sum()) / (len(shares) - 1)


def _in_order(values: Sequence[str], secret: Secret) -> list[str]:
    """By the declared order where it names all values, else numbers by size, texts after them."""
    places = {value: place for place, value in enumerate(secret.order)}
    if places.keys() >= set(values):
        return sorted(values, key=places.__getitem__)

    def place(value: str) -> tuple[int, float, str]:
        number = _number(value)
        if number is None:
            return (3 if value == "" else 1), 0.0, value
        missing = any(low <= number <= high for low, high in secret.missing)
        return (2 if missing else 0), number, value

    return sorted(values, key=place)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
