"""Read-back of a written file: an independent check of columns, k, l and t.

The check uses neither the table nor the equivalence classes that the file was made from. Cells
are the texts or numbers in the file, and records with equal cells form an equivalence class.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evomask.errors import FileError
from evomask.io.dialects import Dialect, read_decompressed, records
from evomask.io.formats import BY_ENDING, TSV, compression_of, ending_of
from evomask.io.sandbox import read_in_child

ROUNDING = 1e-9
ALWAYS_COUNTED = 100_000
"""Number of records up to which l and t are computed even if not required."""

COMBINATIONS_COUNTED = 1_000
"""Combinations of known columns that are counted; above it, all of them at once."""

Records: TypeAlias = NDArray[np.int64]
Shares: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class ConfidentialSpec:
    """Order of the values of a confidential attribute, for t-closeness.

    Args:
        ordered: whether they have an order: that of *order*, else of numbers, else of texts.
        order: all values as written, in their order.
        missing: closed ranges of user-missing codes, which come last.
    """

    ordered: bool = False
    order: tuple[str, ...] = ()
    missing: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class ScenarioSpec:
    """Requirement for the columns that an intruder knows exactly.

    Args:
        any: number of the columns *of* that are known besides, whichever.
        k, l, t: required privacy models; 1 requires nothing.
        unit: kind of unit that k counts; empty for records.
    """

    name: str
    knows: tuple[str, ...] = ()
    any: int = 0
    of: tuple[str, ...] = ()
    k: int = 1
    l: int = 1  # noqa: E741
    t: float = 1.0
    unit: str = ""


@dataclass(frozen=True)
class ReleaseSpec:
    """Specification that a written file must satisfy.

    Args:
        records: number of records.
        columns: names of the columns, in order.
        absent: columns that it must not have.
        quasi_identifiers: columns that define equivalence classes.
        k, l, t: required privacy models; 1 requires nothing.
        scenarios: requirements for known columns; with any, equivalence classes are theirs.
        unit: kind of unit that k counts without scenarios; empty for records.
        units: by kind of unit, the unit of each record of the file, numbered for this purpose.
        constant: by kind of unit, the columns with one value in each unit.
    """

    records: int
    columns: tuple[str, ...]
    absent: tuple[str, ...] = ()
    quasi_identifiers: tuple[str, ...] = ()
    confidential: Mapping[str, ConfidentialSpec] = field(default_factory=dict)
    k: int = 1
    l: int = 1  # noqa: E741
    t: float = 1.0
    scenarios: tuple[ScenarioSpec, ...] = ()
    unit: str = ""
    units: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    constant: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class ScenarioReading:
    """The smallest k and l and the largest t for the columns that an intruder knows."""

    name: str
    k: int
    l: int | None = None  # noqa: E741
    t: float | None = None


@dataclass(frozen=True)
class ReadbackResult:
    """Properties of a written file, computed from its content.

    Args:
        k: size of the smallest equivalence class; with scenarios, of the smallest in any.
        l: fewest distinct values of a confidential attribute in a class, if there is one.
        t: largest distance of a confidential attribute's distribution in a class from that in
            the file.
        inconsistent: columns that differ within a unit, by kind of unit, if there are any.
    """

    records: int
    columns: tuple[str, ...]
    k: int
    l: int | None = None  # noqa: E741
    t: float | None = None
    scenarios: tuple[ScenarioReading, ...] = ()
    inconsistent: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def read_back(
    path: Path,
    spec: ReleaseSpec,
    dialect: Dialect | None = None,
    *,
    name: str = "",
    is_foreign: bool = False,
) -> ReadbackResult:
    """Read a written file and compute the properties that its specification names.

    l and t of a large file are computed only if they are required.

    Args:
        is_foreign: whether somebody else may have written the file, so that it is read in the
            sandbox.
    """
    frame = _read_foreign(path, dialect) if is_foreign else read_written(path, dialect, name)
    parts: tuple[ReleaseSpec | ScenarioSpec, ...] = (spec, *spec.scenarios)
    strict = any(one.l > 1 or one.t < 1 for one in parts)
    counted = frame.height <= ALWAYS_COUNTED or strict
    confidential = spec.confidential if counted else {}
    constant = (name for names in spec.constant.values() for name in names)
    names = dict.fromkeys(
        (*spec.quasi_identifiers, *confidential, *_known_columns(spec), *constant)
    )
    cells = {n: as_texts(frame[n]) for n in names if n in frame}
    default = ScenarioSpec("", spec.quasi_identifiers, unit=spec.unit)
    units = {kind: np.array(numbers) for kind, numbers in spec.units.items()}
    if any(len(numbers) != frame.height for numbers in units.values()):
        units = {kind: np.arange(frame.height) * 0 for kind in units}
    found = [
        _in_scenario(one, cells, confidential, frame.height, units)
        for one in spec.scenarios or [default]
    ]
    return ReadbackResult(
        frame.height,
        tuple(frame.columns),
        min(one.k for one in found),
        min((one.l for one in found if one.l is not None), default=None),
        max((one.t for one in found if one.t is not None), default=None),
        tuple(found) if spec.scenarios else (),
        _inconsistent(spec, cells, units),
    )


def _inconsistent(
    spec: ReleaseSpec, cells: Mapping[str, pl.Series], units: Mapping[str, Records]
) -> dict[str, tuple[str, ...]]:
    """Columns that have several values in some unit, by kind of unit."""
    found: dict[str, tuple[str, ...]] = {}
    for kind, names in spec.constant.items():
        groups = pl.DataFrame(
            {"": units[kind], **{str(i): cells[n] for i, n in enumerate(names) if n in cells}}
        )
        most = groups.group_by("").n_unique().drop("").max()
        wrong = [names[int(column)] for column in most.columns if (most[column][0] or 0) > 1]
        found |= {kind: tuple(wrong)} if wrong else {}
    return found


def _known_columns(spec: ReleaseSpec) -> Iterator[str]:
    for one in spec.scenarios:
        yield from (*one.knows, *one.of)


def _in_scenario(
    spec: ScenarioSpec,
    cells: Mapping[str, pl.Series],
    confidential: Mapping[str, ConfidentialSpec],
    n_records: int,
    units: Mapping[str, Records],
) -> ScenarioReading:
    """Count the equivalence classes of every combination of columns that may be known."""
    smallest, results = n_records, []
    for names in _combinations(spec):
        classes = _classes([cells[n] for n in names if n in cells], n_records)
        numbers = units.get(spec.unit)
        counts = (len(own) if numbers is None else len(set(numbers[own])) for own in classes)
        smallest = min(smallest, min(counts, default=0))
        results += [
            _diversity(classes, cells[n], confidential[n])
            for n in confidential
            if n in cells and n not in names
        ]
    return ScenarioReading(
        spec.name,
        smallest,
        min((fewest for fewest, _ in results), default=None),
        max((distance for _, distance in results), default=None),
    )


def _combinations(spec: ScenarioSpec) -> list[tuple[str, ...]]:
    """Return the sets of columns that may be known; too many are counted as one, the largest."""
    some = list(islice(combinations(spec.of, spec.any), COMBINATIONS_COUNTED + 1))
    if len(some) > COMBINATIONS_COUNTED:
        some = [spec.of]
    return [(*spec.knows, *one) for one in some]


def failed_checks(found: ReadbackResult, spec: ReleaseSpec) -> tuple[str, ...]:
    """Describe the parts of the specification that a file does not satisfy."""
    identifiers = sorted(set(spec.absent) & set(found.columns))
    failed = []
    if found.records != spec.records:
        failed.append(f"it holds {found.records} records instead of {spec.records}")
    if identifiers:
        failed.append(f"it holds the identifier {identifiers[0]!r}")
    if found.columns != spec.columns:
        failed.append("its columns are not those of the release")
    for kind, names in found.inconsistent.items():
        failed.append(f"column {names[0]!r} differs within a {kind}")
    if found.records and spec.scenarios:
        for one, wanted in zip(found.scenarios, spec.scenarios, strict=True):
            failed += [f"{text} in scenario {one.name!r}" for text in _missed(one, wanted)]
    elif found.records:
        failed += _missed(found, spec)
    return tuple(failed)


def _missed(
    found: ReadbackResult | ScenarioReading, wanted: ReleaseSpec | ScenarioSpec
) -> Iterator[str]:
    l, t = found.l or 0, 1.0 if found.t is None else found.t  # noqa: E741
    if found.k < wanted.k:
        counted = f" (counting units of {wanted.unit!r})" if wanted.unit else ""
        yield f"it has k = {found.k} instead of {wanted.k}{counted}"
    if wanted.l > 1 and l < wanted.l:
        yield f"it has l = {l} instead of {wanted.l}"
    if wanted.t < 1 and t > wanted.t + ROUNDING:
        yield f"it has t = {t:g} instead of {wanted.t:g}"


def check_written(
    path: Path, spec: ReleaseSpec, dialect: Dialect | None = None, *, name: str = ""
) -> ReadbackResult:
    """Read a written file back; raise an error if it does not satisfy its specification.

    Args:
        name: final name of the file, if *path* is temporary; its ending determines the format.
    """
    found = read_back(path, spec, dialect, name=name)
    failed = failed_checks(found, spec)
    if failed:
        raise FileError(
            f"{name or path.name} failed the read-back: {failed[0]}; "
            "it was removed and nothing is released, please report this with the options used"
        )
    return found


def read_written(path: Path, dialect: Dialect | None, name: str) -> pl.DataFrame:
    """Read a file by the format of its name, independently of the readers of the registry."""
    ending = ending_of(Path(name or path))
    match BY_ENDING[ending].name:
        case "Parquet files":
            return pl.read_parquet(path)
        case "workbooks":
            return pl.read_excel(path, engine="calamine", infer_schema_length=None)
        case "SPSS files" | "Stata files":
            import pyreadstat

            read: Any = pyreadstat.read_dta if ending == ".dta" else pyreadstat.read_sav
            frame: pl.DataFrame = read(path, user_missing=True, output_format="polars")[0]
            return frame
    content = read_decompressed(path, name)
    return _read_text(content, dialect or Dialect("\t" if ending == TSV else ","))


def _read_foreign(path: Path, dialect: Dialect | None) -> pl.DataFrame:
    fmt = BY_ENDING[ending_of(path)]
    if fmt.is_compressible and not compression_of(path):
        return read_written(path, dialect, "")
    known = dialect or Dialect("\t" if ending_of(path) == TSV else ",")
    return read_in_child(path, known, fmt.name, is_release=True).frame


def _read_text(content: bytes, dialect: Dialect) -> pl.DataFrame:
    text = content.decode(dialect.encoding or "utf-8").removeprefix("\ufeff")
    text = text if "\n" in text else text.replace("\r", "\n")
    delimiter = dialect.delimiter or ","
    cells = pl.read_csv(text.encode(), separator=delimiter, infer_schema=False)
    cells.columns = next(records(text, delimiter))
    if dialect.decimal == ",":
        return cells.with_columns(pl.all().str.replace(r"^(-?\d+),(\d+)$", "$1.$2"))
    return cells


def as_texts(series: pl.Series) -> pl.Series:
    """Return cells as texts that differ where those of the file do; 1.0 becomes 1."""
    if series.dtype == pl.Object or series.dtype.is_float():
        return pl.Series(series.name, [_as_text(value) for value in series.to_list()])
    return series.cast(pl.String).fill_null("")


def _as_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and str(value) != "-0.0":
        return str(int(value))
    return str(value)


def _classes(columns: Sequence[pl.Series], n_records: int) -> list[Records]:
    """Return the record numbers of each equivalence class."""
    records = pl.Series("record", np.arange(n_records))
    if not columns:
        return [records.to_numpy()]
    cells = pl.DataFrame([column.alias(str(i)) for i, column in enumerate(columns)])
    grouped = cells.with_columns(records).group_by(cells.columns).agg("record")["record"]
    return [group.to_numpy() for group in grouped]


def _diversity(
    classes: Sequence[Records], values: pl.Series, spec: ConfidentialSpec
) -> tuple[int, float]:
    """Return l (fewest distinct values in a class) and t (largest distance of a class)."""
    order = {value: rank for rank, value in enumerate(_sort(values.unique().to_list(), spec))}
    ranks = values.replace_strict(order, return_dtype=pl.Int64).to_numpy()
    shares = np.bincount(ranks, minlength=len(order)) / len(ranks)
    distance = _earth_movers if spec.ordered else _total_variation
    counted = [np.unique(ranks[records], return_counts=True) for records in classes]
    distances = (distance(present, counts / counts.sum(), shares) for present, counts in counted)
    return min((len(present) for present, _ in counted), default=0), max(distances, default=0.0)


def _total_variation(present: Records, own: Shares, shares: Shares) -> float:
    whole = shares[present]
    return float(np.abs(own - whole).sum() + 1.0 - whole.sum()) / 2


def _earth_movers(present: Records, own: Shares, shares: Shares) -> float:
    """Return the mean absolute difference of the cumulative shares in a class and in the file.

    Between two values of the class its cumulative share is constant and that of the file
    increases, so each stretch is summed in constant time.
    """
    if len(shares) < 2:
        return 0.0
    whole = np.cumsum(shares)
    sums = np.concatenate([[0.0], np.cumsum(whole)])
    here = np.concatenate([[0.0], np.cumsum(own)])
    first, last = np.append(0, present), np.append(present, len(shares))
    cut = np.clip(np.searchsorted(whole, here), first, last)
    below = here * (cut - first) - (sums[cut] - sums[first])
    above = (sums[last] - sums[cut]) - here * (last - cut)
    return float((below + above).sum()) / (len(shares) - 1)


def _sort(values: Sequence[str], spec: ConfidentialSpec) -> list[str]:
    """Sort by the declared order if it has all values, else numbers by size, then texts."""
    ranks = {value: rank for rank, value in enumerate(spec.order)}
    if ranks.keys() >= set(values):
        return sorted(values, key=ranks.__getitem__)

    def key(value: str) -> tuple[int, float, str]:
        number = _number(value)
        if number is None:
            return (3 if value == "" else 1), 0.0, value
        missing = any(low <= number <= high for low, high in spec.missing)
        return (2 if missing else 0), number, value

    return sorted(values, key=key)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
