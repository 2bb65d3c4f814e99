"""The border to data frames: pandas, polars and pyarrow in, and the same back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from evomask.arrays import Codes, Flags, Floats, Indices
from evomask.data.intake import Frame, as_narwhals, as_polars
from evomask.data.missing import tagged, tags
from evomask.data.recoding import Recoding
from evomask.data.schema import MISSING, NO_NOTES, Attribute, Kind, Notes, Role, Schema, Storage
from evomask.data.table import Column, Table
from evomask.data.trees.dates import in_order
from evomask.errors import DataError, SchemaError

EXACT_INTEGERS = 2**53
"""Whole numbers above this are not exact as float64; such a column is taken as codes."""

LARGEST_NUMBER = 1e75
"""The fourth powers of numbers up to this can be added up."""


@dataclass(frozen=True)
class Declaration:
    """What is said of one column; what is left out is inferred from its values."""

    kind: Kind | None = None
    role: Role = Role.OTHER
    categories: tuple[str, ...] = ()
    decimals: int | None = None
    hierarchy: str | None = None
    label: str = ""
    value_labels: tuple[tuple[str, str], ...] = ()
    notes: Notes = NO_NOTES
    linked: str = ""

    def over(self, inferred: "Declaration") -> "Declaration":
        """This declaration, completed by what was *inferred* where it says nothing."""
        declared = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if getattr(self, field.name) != field.default
        }
        return replace(inferred, **declared)


Declarations = Mapping[str, Declaration]


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


def _column(series: pl.Series, declared: Declaration) -> tuple[Attribute, Column]:
    storage = storage_of(series)
    kind = declared.kind or _natural_kind(series, storage, has_tree=declared.hierarchy is not None)
    notes = declared.notes
    if not notes.type:
        notes = replace(notes, type=_type_name(series.dtype))
    attribute = Attribute(
        series.name, kind, declared.role, storage=storage, decimals=declared.decimals,
        hierarchy=declared.hierarchy, label=declared.label, value_labels=declared.value_labels,
        notes=notes, linked=declared.linked,
    )  # fmt: skip
    if kind is Kind.CONTINUOUS:
        if declared.decimals is None and storage is Storage.INTEGER:
            attribute = replace(attribute, decimals=0)
        return attribute, _numbers(series, storage, notes)
    texts = _texts(series)
    if declared.categories:
        categories = _with_missing(declared.categories, texts)
    else:
        categories = _categories(series, texts, notes, has_order=kind is Kind.ORDINAL)
    return replace(attribute, categories=categories), _coded(texts, categories)


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
    if dtype.is_nested() or dtype == pl.Binary:
        raise DataError(f"column {series.name!r} holds nested or binary values; leave it out")
    if dtype == pl.Time:
        return Storage.TIME
    return Storage.MOMENT if isinstance(dtype, pl.Datetime) else Storage.TEXT


def _type_name(dtype: pl.DataType) -> str:
    """The frame's type where storage alone does not tell it."""
    if isinstance(dtype, pl.Datetime):
        return f"{dtype.time_unit} {dtype.time_zone or ''}".strip()
    return str(dtype) if dtype.is_numeric() else ""


def _natural_kind(series: pl.Series, storage: Storage, *, has_tree: bool) -> Kind:
    """Numbers are continuous, or ordinal where a hierarchy names their values."""
    if storage is Storage.REAL or (storage is Storage.INTEGER and _fits_float(series)):
        return Kind.ORDINAL if has_tree else Kind.CONTINUOUS
    return Kind.ORDINAL if isinstance(series.dtype, pl.Enum) else Kind.NOMINAL


def _fits_float(series: pl.Series) -> bool:
    ends = [series.min(), series.max()]
    return all(end is None or abs(int(str(end))) <= EXACT_INTEGERS for end in ends)


def _numbers(series: pl.Series, storage: Storage, notes: Notes) -> Floats:
    if storage not in (Storage.INTEGER, Storage.REAL, Storage.BOOLEAN):
        raise SchemaError(
            f"column {series.name!r} is declared continuous and holds {_wrong(series, storage)}; "
            "declare it ordinal or nominal, or name the text that stands for a missing value"
        )
    values = series.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    if np.isinf(values).any():
        record = int(np.flatnonzero(np.isinf(values))[0]) + 1
        raise DataError(
            f"column {series.name!r} holds an infinite value in record {record}; "
            "correct it or make it missing"
        )
    if (np.abs(values) > LARGEST_NUMBER).any():
        record = int(np.flatnonzero(np.abs(values) > LARGEST_NUMBER)[0]) + 1
        raise DataError(
            f"column {series.name!r} holds in record {record} a number beyond "
            f"{LARGEST_NUMBER:g}, too large to compute with; correct it or make it missing"
        )
    return tagged(values, user_missing(values, notes)) if notes.user_missing else values


def _wrong(series: pl.Series, storage: Storage) -> str:
    """What stands where numbers are needed, and in which record first."""
    if storage is not Storage.TEXT:
        return f"{storage}s"
    texts = series.cast(pl.String)
    numbers = texts.str.strip_chars().cast(pl.Float64, strict=False)
    wrong = np.flatnonzero((numbers.is_null() & texts.is_not_null()).to_numpy())
    return f"text in record {wrong[0] + 1}" if len(wrong) else "numbers written as codes"


def user_missing(values: Floats, notes: Notes) -> Flags:
    """Which numbers are codes that the file declares missing."""
    flags = np.zeros(len(values), dtype=bool)
    for low, high in notes.user_missing:
        flags |= (values >= float(low)) & (values <= float(high))
    return flags


def _texts(series: pl.Series) -> pl.Series:
    """Values as text, null where missing; NaN and empty text count as missing."""
    dtype = series.dtype
    if dtype.is_float():
        series = series.fill_nan(None)
        whole = series.drop_nulls()
        if (whole == whole.round(0)).all() and (whole.abs() < EXACT_INTEGERS).all():
            series = series.cast(pl.Int64)
    elif isinstance(dtype, pl.Datetime) and dtype.time_zone:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    elif dtype == pl.Duration:
        series = series.to_physical()
    texts = series.cast(pl.String)
    return texts.set(texts == MISSING, None)


def _categories(
    series: pl.Series, texts: pl.Series, notes: Notes, *, has_order: bool
) -> tuple[str, ...]:
    """Distinct values in their natural order: numbers by size, days by time, the rest by text.

    Codes that the file declares missing come after the others.
    """
    if isinstance(series.dtype, pl.Enum):
        return _with_missing(tuple(series.dtype.categories.to_list()), texts)
    values = texts.drop_nulls().unique()
    if series.dtype.is_numeric() and not series.dtype.is_float():
        values = _texts(series.drop_nulls().unique().sort())
    elif series.dtype.is_float():
        values = values.gather(values.cast(pl.Float64).arg_sort())
    elif has_order:
        values = pl.Series(in_order(values.to_list()), dtype=pl.String)
    else:
        values = values.sort()
    return _with_missing(tuple(_user_missing_last(values, notes)), texts)


def _user_missing_last(values: pl.Series, notes: Notes) -> list[str]:
    numbers = values.cast(pl.Float64, strict=False).to_list() if notes.user_missing else []
    last = {
        text
        for text, number in zip(values.to_list(), numbers, strict=False)
        for low, high in notes.user_missing
        if text == low or (number is not None and float(low) <= number <= float(high))
    }
    return sorted(values.to_list(), key=last.__contains__) if last else values.to_list()


def _with_missing(categories: tuple[str, ...], texts: pl.Series) -> tuple[str, ...]:
    if MISSING not in categories and texts.null_count() > 0:
        return (*categories, MISSING)
    return categories


def _coded(texts: pl.Series, categories: tuple[str, ...]) -> Codes:
    domain = pl.Enum([category for category in categories if category != MISSING])
    codes = texts.cast(domain, strict=False).to_physical().cast(pl.Int32)
    strange = np.flatnonzero((codes.is_null() & texts.is_not_null()).to_numpy())
    if len(strange):
        raise DataError(
            f"column {texts.name!r} holds in record {strange[0] + 1} a value that its declared "
            "categories do not name; add it to the schema or correct the record"
        )
    return codes.fill_null(len(categories) - 1).to_numpy()


def polars_from(table: Table, untouched: Mapping[str, pl.Series] | None = None) -> pl.DataFrame:
    """The records to release, values written as they stood in the file.

    Identifiers and suppressed records are left out.

    Args:
        untouched: columns that masking left alone, as the file has them, of released records.
    """
    kept, given = pl.Series(~table.suppressed), untouched or {}
    return pl.DataFrame(
        [
            given[name] if name in given else _released(table, name).filter(kept)
            for name in released_names(table)
        ]
    )


def released_names(table: Table) -> tuple[str, ...]:
    """The columns that a release holds, in their order."""
    return tuple(a.name for a in table.schema if a.role.is_released)


def _released(table: Table, name: str) -> pl.Series:
    attribute = table.attribute(name)
    if name in table.recodings:
        return _recoded(name, table[name], table.recodings[name])
    if attribute.kind is Kind.CONTINUOUS:
        return _released_numbers(attribute, table.values(name))
    labels = pl.Series(attribute.categories, dtype=pl.String)
    texts = labels.set(labels == MISSING, None).gather(table.codes(name))
    return _restored(attribute, texts.alias(name))


def _recoded(name: str, codes: Codes, recoding: Recoding) -> pl.Series:
    labels = pl.Series(recoding.labels, dtype=pl.String)
    labels = labels.set(pl.Series(recoding.missing), None)
    return labels.gather(codes).alias(name)


def _released_numbers(attribute: Attribute, values: Floats) -> pl.Series:
    numbers = pl.Series(attribute.name, values).fill_nan(None)
    if attribute.decimals is not None:
        numbers = numbers.round(attribute.decimals)
    numbers = numbers.set(numbers == 0.0, 0.0)  # a negative zero is the same value
    if attribute.decimals == 0:
        numbers = numbers.cast(pl.Int64, strict=False)
    return _of_type(numbers, attribute.notes.type)


def _of_type(numbers: pl.Series, name: str) -> pl.Series:
    """The numbers in the type they came in, where that holds them all."""
    dtype = getattr(pl, name, None) if name.startswith(("Int", "UInt", "Float")) else None
    if dtype is None or numbers.dtype.is_integer() != dtype.is_integer():
        return numbers
    narrow = numbers.cast(dtype, strict=False)
    return narrow if narrow.null_count() == numbers.null_count() else numbers


def _restored(attribute: Attribute, texts: pl.Series) -> pl.Series:
    match attribute.storage:
        case Storage.INTEGER | Storage.REAL:
            return _of_type(_parsed(texts, attribute), attribute.notes.type)
        case Storage.BOOLEAN:
            return texts == "true"
        case Storage.DATE:
            return texts.str.to_date()
        case Storage.TIME:
            return texts.str.to_time()
        case Storage.MOMENT:
            return _moments(texts, attribute.notes.type)
    return texts


def _parsed(texts: pl.Series, attribute: Attribute) -> pl.Series:
    if attribute.storage is Storage.REAL:
        return texts.cast(pl.Float64)
    return texts.cast(pl.UInt64 if attribute.notes.type == "UInt64" else pl.Int64)


def _moments(texts: pl.Series, type_name: str) -> pl.Series:
    """Moments in the unit they came in; nanoseconds reach from the year 1677 to 2262 alone."""
    unit, _, zone = type_name.partition(" ")
    moments = texts.str.to_datetime(time_unit="ns" if unit == "ns" else "us")
    moments = moments.dt.cast_time_unit("ms") if unit == "ms" else moments
    return moments.dt.replace_time_zone("UTC").dt.convert_time_zone(zone) if zone else moments


def frame_like(frame: Frame, original: Table, masked: Table) -> Any:  # noqa: ANN401
    """The released records of *masked* as the kind of frame that *original* came from.

    Columns keep the caller's order, types and index; those that no method changed keep the
    caller's very values.
    """
    wide = as_narwhals(frame)
    released = released_names(masked)
    changed = [
        _as_caller(wide[name], original, masked)
        for name in released
        if not same_column(original, masked, name)
    ]
    result = wide.select(released).with_columns(*changed)
    if masked.suppressed.any():
        result = result.filter((~masked.suppressed).tolist())
    return result.to_native()


def columns_like(frame: Frame, columns: Mapping[str, Sequence[Any]]) -> Any:  # noqa: ANN401
    """New columns as the kind of frame that *frame* is."""
    wide = as_narwhals(frame)
    return nw.from_dict(dict(columns), backend=wide.implementation).to_native()


def reordered(frame: Frame, order: Indices) -> Any:  # noqa: ANN401
    """The frame's records in another order; an index that would tell the old one is renewed."""
    return nw.maybe_reset_index(as_narwhals(frame)[order.tolist()]).to_native()


def same_column(original: Table, masked: Table, name: str) -> bool:
    """Whether masking left every cell as it was, the codes of missing ones too."""
    if name in masked.recodings:
        return False
    before, after = original[name], masked[name]
    if before.dtype.kind != "f":
        return np.array_equal(before, after)
    alike = np.array_equal(before, after, equal_nan=True)
    return alike and all(
        np.array_equal(*pair) for pair in zip(tags(before), tags(after), strict=True)
    )


def _as_caller(given: nw.Series[Any], original: Table, masked: Table) -> nw.Series[Any]:
    name = str(given.name)
    if name not in masked.recodings and masked.attribute(name).is_categorical:
        examples = _examples(original, name)[masked.codes(name)]
        if (examples >= 0).all():
            values: nw.Series[Any] = given[examples.tolist()]
            return values
    released = _released(masked, name)
    fits = released.dtype.is_integer() or (released.dtype.is_float() and given.dtype.is_float())
    return _like(given, released.to_list(), keep_type=fits and given.dtype.is_numeric())


def _examples(original: Table, name: str) -> Codes:
    """For each category the first record that has it, or -1."""
    codes = original.codes(name)
    first = np.full(len(original.attribute(name).categories), -1, dtype=np.int32)
    first[codes[::-1]] = np.arange(len(codes), dtype=np.int32)[::-1]
    return first


def _like(given: nw.Series[Any], values: Sequence[Any], *, keep_type: bool) -> nw.Series[Any]:
    native = given.to_native()
    if given.implementation.is_pandas():
        dtype = native.dtype if keep_type else None
        series = type(native)(values, index=native.index, dtype=dtype, name=native.name)
        return nw.from_native(series, series_only=True)
    return nw.new_series(
        given.name, values, given.dtype if keep_type else None, backend=given.implementation
    )
