"""The border to data frames: pandas, polars and pyarrow in, and the same back."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import narwhals as nw
import numpy as np
import polars as pl

from evomask.data.recoding import Intervals, Recoding
from evomask.data.schema import MISSING, Attribute, Kind, Role, Schema, Storage
from evomask.data.table import Column, Table
from evomask.errors import DataError, SchemaError
from evomask.kernels.arrays import Codes, Floats

EXACT_INTEGERS = 2**53
"""Whole numbers above this are not exact as float64; such a column is taken as codes."""


class Frame(Protocol):
    """A pandas or polars data frame, or a pyarrow table."""

    def __len__(self) -> int: ...


@dataclass(frozen=True)
class Declaration:
    """What a user says of one column; what is left out is inferred from its values."""

    kind: Kind | None = None
    role: Role = Role.OTHER
    categories: tuple[str, ...] = ()
    decimals: int | None = None
    hierarchy: str | None = None


Declarations = Mapping[str, Declaration]


def as_polars(frame: Frame) -> pl.DataFrame:
    """Any supported frame as a polars one; a repeated column name is refused."""
    if isinstance(frame, pl.DataFrame):
        return frame
    wide = _as_narwhals(frame)
    return pl.DataFrame([_series(wide, position) for position in range(len(wide.columns))])


def _as_narwhals(frame: Frame) -> nw.DataFrame[Any]:
    names = [str(name) for name in getattr(frame, "columns", [])]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice and not hasattr(frame, "schema"):
        raise SchemaError(f"column name {twice[0]!r} stands twice; give each its own name")
    try:
        return nw.from_native(frame, eager_only=True)
    except TypeError:
        raise DataError(
            f"a table is made from a pandas, polars or pyarrow frame, not {type(frame).__name__}"
        ) from None


def _series(wide: nw.DataFrame[Any], position: int) -> pl.Series:
    column = wide[:, position]
    if column.dtype == nw.Object:
        texts = [None if _is_missing(value) else str(value) for value in column.to_list()]
        return pl.Series(column.name, texts, dtype=pl.String)
    if column.dtype.is_numeric() and column.null_count() == 0:
        return pl.Series(column.name, column.to_numpy())
    return pl.Series(column.name, [None if _is_missing(v) else v for v in column.to_list()])


def _is_missing(value: object) -> bool:
    return value is None or value != value or type(value).__name__ == "NAType"  # noqa: PLR0124


def table_from(frame: Frame, declarations: Declarations | None = None) -> Table:
    """A table of the frame's records; columns not declared get a kind by their type.

    Numbers become continuous, everything else nominal (an ordered category ordinal).
    """
    declared = declarations or {}
    columns = as_polars(frame)
    for name in declared:
        if name not in columns.columns:
            raise SchemaError(
                f"no column {name!r} in the data, which has {', '.join(columns.columns)}"
            )
    if columns.height == 0 or not columns.columns:
        raise DataError("the data hold no records; give a file with at least one")
    pairs = [_column(series, declared.get(series.name, Declaration())) for series in columns]
    schema = Schema(tuple(attribute for attribute, _ in pairs))
    return Table(schema, {attribute.name: column for attribute, column in pairs})


def _column(series: pl.Series, said: Declaration) -> tuple[Attribute, Column]:
    storage = storage_of(series)
    kind = said.kind or _natural_kind(series, storage)
    attribute = Attribute(
        series.name, kind, said.role, storage=storage, decimals=said.decimals,
        hierarchy=said.hierarchy,
    )  # fmt: skip
    if kind is Kind.CONTINUOUS:
        if said.decimals is None and storage is Storage.INTEGER:
            attribute = replace(attribute, decimals=0)
        return attribute, _numbers(series, storage)
    categories = _with_missing(said.categories, series) or _categories(series, storage)
    return replace(attribute, categories=categories), _coded(series, categories)


def storage_of(series: pl.Series) -> Storage:
    """How the column's values stand in the frame."""
    dtype = series.dtype
    if dtype == pl.Boolean:
        return Storage.BOOLEAN
    if dtype.is_integer():
        return Storage.INTEGER
    if dtype.is_numeric():
        return Storage.REAL
    if dtype == pl.Date:
        return Storage.DATE
    return Storage.MOMENT if dtype.is_temporal() else Storage.TEXT


def _natural_kind(series: pl.Series, storage: Storage) -> Kind:
    if storage is Storage.REAL or (storage is Storage.INTEGER and _fits_float(series)):
        return Kind.CONTINUOUS
    return Kind.ORDINAL if isinstance(series.dtype, pl.Enum) else Kind.NOMINAL


def _fits_float(series: pl.Series) -> bool:
    ends = [series.min(), series.max()]
    return all(end is None or abs(int(str(end))) <= EXACT_INTEGERS for end in ends)


def _numbers(series: pl.Series, storage: Storage) -> Floats:
    if storage not in (Storage.INTEGER, Storage.REAL, Storage.BOOLEAN):
        raise SchemaError(
            f"column {series.name!r} is declared continuous and holds text; "
            "declare it ordinal or nominal, or name the text that stands for a missing value"
        )
    values = series.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0]) + 1
        raise DataError(
            f"column {series.name!r} holds an infinite value in record {row}; "
            "correct it or make it missing"
        )
    return values


def _texts(series: pl.Series) -> pl.Series:
    """Values as text, null where missing; NaN and empty text count as missing."""
    if series.dtype.is_float():
        series = series.fill_nan(None)
        whole = series.drop_nulls()
        if (whole == whole.round(0)).all() and (whole.abs() < EXACT_INTEGERS).all():
            series = series.cast(pl.Int64)
    texts = series.cast(pl.String)
    return texts.set(texts == MISSING, None)


def _categories(series: pl.Series, storage: Storage) -> tuple[str, ...]:
    """Distinct values in their natural order: numbers by size, the rest by text."""
    if isinstance(series.dtype, pl.Enum):
        return _with_missing(tuple(series.dtype.categories.to_list()), series)
    texts = _texts(series)
    values = texts.drop_nulls().unique()
    if storage in (Storage.INTEGER, Storage.REAL):
        values = values.gather(values.cast(pl.Float64).arg_sort())
    else:
        values = values.sort()
    return _with_missing(tuple(values.to_list()), series)


def _with_missing(categories: tuple[str, ...], series: pl.Series) -> tuple[str, ...]:
    if categories and MISSING not in categories and _texts(series).null_count() > 0:
        return (*categories, MISSING)
    return categories if categories or not series.is_null().all() else (MISSING,)


def _coded(series: pl.Series, categories: tuple[str, ...]) -> Codes:
    texts = _texts(series).fill_null(MISSING)
    codes = texts.replace_strict(
        pl.Series(categories, dtype=pl.String),
        pl.Series(np.arange(len(categories), dtype=np.int32)),
        default=pl.lit(-1, dtype=pl.Int32),
        return_dtype=pl.Int32,
    ).to_numpy()
    if (codes < 0).any():
        row = int(np.flatnonzero(codes < 0)[0]) + 1
        raise DataError(
            f"column {series.name!r} holds in record {row} a value that its declared "
            "categories do not name; add it to the schema or correct the record"
        )
    return codes


def polars_from(table: Table) -> pl.DataFrame:
    """The records to release, values written as they stood in the file.

    Identifiers and suppressed records are left out.
    """
    kept = ~table.suppressed
    names = [a.name for a in table.schema if a.role is not Role.IDENTIFIER]
    return pl.DataFrame([_released(table, name).filter(pl.Series(kept)) for name in names])


def _released(table: Table, name: str) -> pl.Series:
    attribute = table.attribute(name)
    if name in table.recodings:
        return _recoded(name, table[name], table.recodings[name])
    if attribute.kind is Kind.CONTINUOUS:
        return _released_numbers(attribute, table.values(name))
    labels = pl.Series(attribute.categories, dtype=pl.String)
    texts = labels.set(labels == MISSING, None).gather(table.codes(name))
    return _restored(attribute, texts)


def _recoded(name: str, codes: Codes, recoding: Recoding) -> pl.Series:
    labels = pl.Series(recoding.labels, dtype=pl.String)
    if isinstance(recoding, Intervals):
        labels = labels.set(pl.Series(np.isnan(recoding.low)), None)
    else:
        labels = labels.set(labels == MISSING, None)
    return labels.gather(codes).alias(name)


def _released_numbers(attribute: Attribute, values: Floats) -> pl.Series:
    numbers = pl.Series(attribute.name, values).fill_nan(None)
    if attribute.decimals is not None:
        numbers = numbers.round(attribute.decimals)
    return numbers.cast(pl.Int64) if attribute.decimals == 0 else numbers


def _restored(attribute: Attribute, texts: pl.Series) -> pl.Series:
    texts = texts.alias(attribute.name)
    match attribute.storage:
        case Storage.INTEGER:
            return texts.cast(pl.Int64)
        case Storage.REAL:
            return texts.cast(pl.Float64)
        case Storage.BOOLEAN:
            return texts == "true"
        case Storage.DATE:
            return texts.str.to_date()
        case _:
            return texts


def frame_like(frame: Frame, original: Table, masked: Table) -> Any:  # noqa: ANN401
    """The released records of *masked* as the kind of frame that *original* came from.

    Columns that no method changed keep the caller's values, types and index.
    """
    released = polars_from(masked)
    kept = _as_narwhals(frame).select(released.columns)
    if masked.suppressed.any():
        kept = kept.filter((~masked.suppressed).tolist())
    changed = [
        _as_caller(series, kept)
        for series in released
        if not _same_column(original, masked, series.name)
    ]
    return kept.with_columns(*changed).to_native()


def _same_column(original: Table, masked: Table, name: str) -> bool:
    if name in masked.recodings:
        return False
    return np.array_equal(original[name], masked[name], equal_nan=original[name].dtype.kind == "f")


def _as_caller(series: pl.Series, frame: nw.DataFrame[Any]) -> nw.Series[Any]:
    given = frame[series.name].dtype
    fits = series.dtype.is_numeric() and given.is_numeric()
    exact = fits and not (given.is_integer() and series.dtype.is_float())
    return nw.new_series(
        series.name, series.to_list(), given if exact else None, backend=frame.implementation
    )
