"""Conversion between tables and data frames of pandas, polars and pyarrow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol

import narwhals as nw
import numpy as np
import polars as pl

from evomask.data.dates import ages_at, dates_of, days_of
from evomask.data.hierarchy_builders import natural_order
from evomask.data.schema import MISSING, NO_NOTES, Attribute, Kind, Notes, Role, Schema, Storage
from evomask.data.table import Column, Table, missing_codes, tag_missing
from evomask.errors import DataError, SchemaError
from evomask.types import Codes, Flags, Floats, Indices

EXACT_INTEGERS = 2**53
"""Largest integer that is exact as float64; a column with larger ones holds codes."""

LARGEST_NUMBER = 1e75
"""Largest number whose fourth powers can be summed as float64."""


class Frame(Protocol):
    """A pandas or polars data frame, or a pyarrow table."""

    def __len__(self) -> int: ...


@dataclass(frozen=True)
class Declaration:
    """Declared properties of one column; the others are inferred from its values."""

    kind: Kind | None = None
    role: Role = Role.OTHER
    categories: tuple[str, ...] = ()
    decimals: int | None = None
    hierarchy: str | None = None
    label: str = ""
    value_labels: tuple[tuple[str, str], ...] = ()
    notes: Notes = NO_NOTES
    linked: str = ""
    renumber: bool = False
    pseudonym: bool = False
    since: str = ""

    def over(self, inferred: "Declaration") -> "Declaration":
        """Return this declaration with undeclared properties taken from *inferred*."""
        declared = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if getattr(self, field.name) != field.default
        }
        return replace(inferred, **declared)


Declarations = Mapping[str, Declaration]


def table_from(frame: Frame, declarations: Declarations | None = None) -> Table:
    """Convert a data frame to a table; undeclared columns get a kind by their type.

    Numbers become continuous, ordered categories ordinal, everything else nominal.
    """
    declared = declarations or {}
    columns = to_polars(frame)
    names = dict.fromkeys(columns.columns)
    for name in declared:
        if name not in names:
            raise SchemaError(f"no column {name!r} in the data, which has {', '.join(names)}")
    if columns.height == 0 or not columns.columns:
        raise DataError("the data hold no records; give a file with at least one")
    columns = _with_ages(columns, declared)
    pairs = [_column(series, declared.get(series.name, Declaration())) for series in columns]
    schema = Schema(tuple(attribute for attribute, _ in pairs))
    return Table(schema, {attribute.name: column for attribute, column in pairs})


def _with_ages(columns: pl.DataFrame, declared: Mapping[str, Declaration]) -> pl.DataFrame:
    """Replace dates of events by the age at the event, where that is declared."""
    ages = []
    for name, own in declared.items():
        if not own.since:
            continue
        if own.since not in columns.columns:
            raise SchemaError(
                f"{name!r} counts years since {own.since!r}, which is no column; name a date"
            )
        if own.kind not in (None, Kind.CONTINUOUS):
            raise SchemaError(
                f"{name!r} is the age since {own.since!r}, which is continuous; leave kind out"
            )
        ages.append(ages_at(columns[name], columns[own.since]))
    return columns.with_columns(ages)


def _column(series: pl.Series, declared: Declaration) -> tuple[Attribute, Column]:
    storage = storage_of(series)
    if declared.role is Role.PSEUDONYM:
        role = Role.PERSON if series.drop_nulls().is_duplicated().any() else Role.IDENTIFIER
        declared = replace(declared, kind=Kind.NOMINAL, role=role, pseudonym=True)
    if declared.kind is Kind.DATE:
        return _dates(series, declared)
    kind = declared.kind or _default_kind(
        series, storage, has_hierarchy=declared.hierarchy is not None
    )
    notes = declared.notes
    if not notes.type:
        notes = replace(notes, type=_type_name(series.dtype))
    attribute = Attribute(
        series.name, kind, declared.role, storage=storage, decimals=declared.decimals,
        hierarchy=declared.hierarchy, label=declared.label, value_labels=declared.value_labels,
        notes=notes, linked=declared.linked, renumber=declared.renumber,
        pseudonym=declared.pseudonym, since=declared.since,
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
    return replace(attribute, categories=categories), _codes(texts, categories)


def _dates(series: pl.Series, declared: Declaration) -> tuple[Attribute, Column]:
    """Return a continuous attribute with days as its unit."""
    days, form = days_of(series)
    attribute = Attribute(
        series.name, Kind.CONTINUOUS, declared.role, storage=Storage.DATE, decimals=0,
        label=declared.label, notes=replace(declared.notes, type=form), linked=declared.linked,
    )  # fmt: skip
    return attribute, days


def storage_of(series: pl.Series) -> Storage:
    """Data type of a column of the frame."""
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
        raise DataError(f"column {series.name!r} holds nested or binary values; remove it")
    if dtype == pl.Time:
        return Storage.TIME
    return Storage.MOMENT if isinstance(dtype, pl.Datetime) else Storage.TEXT


def _type_name(dtype: pl.DataType) -> str:
    if isinstance(dtype, pl.Datetime):
        return f"{dtype.time_unit} {dtype.time_zone or ''}".strip()
    return str(dtype) if dtype.is_numeric() else ""


def _default_kind(series: pl.Series, storage: Storage, *, has_hierarchy: bool) -> Kind:
    """Return continuous for numbers, but ordinal where they have a hierarchy."""
    is_exact = storage is Storage.INTEGER and all(
        end is None or abs(int(str(end))) <= EXACT_INTEGERS for end in (series.min(), series.max())
    )
    if storage is Storage.REAL or is_exact:
        return Kind.ORDINAL if has_hierarchy else Kind.CONTINUOUS
    return Kind.ORDINAL if isinstance(series.dtype, pl.Enum) else Kind.NOMINAL


def _numbers(series: pl.Series, storage: Storage, notes: Notes) -> Floats:
    if storage not in (Storage.INTEGER, Storage.REAL, Storage.BOOLEAN):
        raise SchemaError(
            f"column {series.name!r} is declared continuous and holds "
            f"{_non_numeric(series, storage)}; declare it ordinal or nominal, or declare the text "
            "as a missing value with --missing"
        )
    values = series.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    if np.isinf(values).any():
        record = int(np.isinf(values).argmax()) + 1
        raise DataError(
            f"column {series.name!r} holds an infinite value in record {record}; "
            "correct it or set it to missing"
        )
    if (np.abs(values) > LARGEST_NUMBER).any():
        record = int((np.abs(values) > LARGEST_NUMBER).argmax()) + 1
        raise DataError(
            f"column {series.name!r} holds in record {record} a number beyond "
            f"{LARGEST_NUMBER:g}, too large to compute with; correct it or set it to missing"
        )
    return tag_missing(values, user_missing(values, notes)) if notes.user_missing else values


def _non_numeric(series: pl.Series, storage: Storage) -> str:
    """Describe the non-numeric values, with the first record that has one."""
    if storage is not Storage.TEXT:
        return f"{storage}s"
    texts = series.cast(pl.String)
    numbers = texts.str.strip_chars().cast(pl.Float64, strict=False)
    wrong = np.flatnonzero((numbers.is_null() & texts.is_not_null()).to_numpy())
    return f"text in record {wrong[0] + 1}" if len(wrong) else "numbers written as codes"


def user_missing(values: Floats, notes: Notes) -> Flags:
    """Flags of the numbers that the file declares as user-missing codes."""
    flags = np.zeros(len(values), dtype=bool)
    for low, high in notes.user_missing:
        flags |= (values >= float(low)) & (values <= float(high))
    return flags


def _texts(series: pl.Series) -> pl.Series:
    """Return values as text, null where missing; NaN and empty text count as missing."""
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
    """Return the distinct values: numbers by size, dates by time, the rest as text.

    User-missing codes come last.
    """
    if isinstance(series.dtype, pl.Enum):
        return _with_missing(tuple(series.dtype.categories.to_list()), texts)
    values = texts.drop_nulls().unique()
    if series.dtype.is_numeric() and not series.dtype.is_float():
        values = _texts(series.drop_nulls().unique().sort())
    elif series.dtype.is_float():
        values = values.gather(values.cast(pl.Float64).arg_sort())
    elif has_order:
        values = pl.Series(natural_order(values.to_list()), dtype=pl.String)
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


def _codes(texts: pl.Series, categories: tuple[str, ...]) -> Codes:
    domain = pl.Enum([category for category in categories if category != MISSING])
    codes = texts.cast(domain, strict=False).to_physical().cast(pl.Int32)
    undeclared = np.flatnonzero((codes.is_null() & texts.is_not_null()).to_numpy())
    if len(undeclared):
        raise DataError(
            f"column {texts.name!r} holds in record {undeclared[0] + 1} a value that is not among "
            "its declared categories; add it to the schema or correct the record"
        )
    return codes.fill_null(len(categories) - 1).to_numpy()


def polars_from(table: Table, untouched: Mapping[str, pl.Series] | None = None) -> pl.DataFrame:
    """Convert a table to the frame to release, in the data types of its file.

    Identifiers and suppressed records are left out.

    Args:
        untouched: columns that masking did not change, as in the file, for released records.
    """
    is_released, given = pl.Series(~table.suppressed), untouched or {}
    return pl.DataFrame(
        [
            given[name] if name in given else _released(table, name).filter(is_released)
            for name in released_names(table)
        ]
    )


def released_names(table: Table) -> tuple[str, ...]:
    """Names of the columns of a release, in their order."""
    return tuple(a.name for a in table.schema if a.role.is_released)


def _released(table: Table, name: str) -> pl.Series:
    attribute = table.attribute(name)
    if name in table.recodings:
        recoding = table.recodings[name]
        cells = pl.Series(recoding.labels, dtype=pl.String).set(pl.Series(recoding.missing), None)
        return cells.gather(table[name]).alias(name)
    if attribute.kind is Kind.CONTINUOUS:
        return _released_numbers(attribute, table.values(name))
    labels = pl.Series(attribute.categories, dtype=pl.String)
    texts = labels.set(labels == MISSING, None).gather(table.codes(name))
    return _parse_texts(attribute, texts.alias(name))


def _released_numbers(attribute: Attribute, values: Floats) -> pl.Series:
    numbers = pl.Series(attribute.name, values).fill_nan(None)
    if attribute.is_date:
        return dates_of(numbers, attribute.notes.type)
    if attribute.decimals is not None:
        numbers = numbers.round(attribute.decimals)
    numbers = numbers.set(numbers == 0.0, 0.0)  # a negative zero is the same value
    if attribute.decimals == 0:
        numbers = numbers.cast(pl.Int64, strict=False)
    return _cast_back(numbers, attribute.notes.type)


def _cast_back(numbers: pl.Series, name: str) -> pl.Series:
    """Cast numbers to the type of the original column, unless values would be lost."""
    dtype = getattr(pl, name, None) if name.startswith(("Int", "UInt", "Float")) else None
    if dtype is None or numbers.dtype.is_integer() != dtype.is_integer():
        return numbers
    narrow = numbers.cast(dtype, strict=False)
    return narrow if narrow.null_count() == numbers.null_count() else numbers


def _parse_texts(attribute: Attribute, texts: pl.Series) -> pl.Series:
    match attribute.storage:
        case Storage.INTEGER | Storage.REAL:
            integer = pl.UInt64 if attribute.notes.type == "UInt64" else pl.Int64
            dtype = pl.Float64 if attribute.storage is Storage.REAL else integer
            return _cast_back(texts.cast(dtype), attribute.notes.type)
        case Storage.BOOLEAN:
            return texts == "true"
        case Storage.DATE:
            return texts.str.to_date()
        case Storage.TIME:
            return texts.str.to_time()
        case Storage.MOMENT:
            return _parse_datetimes(texts, attribute.notes.type)
    return texts


def _parse_datetimes(texts: pl.Series, type_name: str) -> pl.Series:
    """Parse date-times in their original unit; nanoseconds only cover the years 1677 to 2262."""
    unit, _, zone = type_name.partition(" ")
    moments = texts.str.to_datetime(time_unit="ns" if unit == "ns" else "us")
    moments = moments.dt.cast_time_unit("ms") if unit == "ms" else moments
    return moments.dt.replace_time_zone("UTC").dt.convert_time_zone(zone) if zone else moments


def frame_like(frame: Frame, original: Table, masked: Table) -> Any:  # noqa: ANN401
    """Convert the released records of *masked* to a frame of the library of *frame*.

    Order, types and index of the caller's frame are preserved, and so are the values of columns
    that masking did not change.
    """
    wide = to_narwhals(frame)
    released = released_names(masked)
    changed = [
        _as_caller(wide[name], original, masked)
        for name in released
        if original.attribute(name).since or not is_same_column(original, masked, name)
    ]
    result = wide.select(released).with_columns(*changed)
    if masked.suppressed.any():
        result = result.filter((~masked.suppressed).tolist())
    return result.to_native()


def columns_like(frame: Frame, columns: Mapping[str, Sequence[Any]]) -> Any:  # noqa: ANN401
    """Convert new columns to a frame of the library of *frame*."""
    wide = to_narwhals(frame)
    return nw.from_dict(dict(columns), backend=wide.implementation).to_native()


def reorder(frame: Frame, order: Indices) -> Any:  # noqa: ANN401
    """Reorder the records of a frame; its index is reset, as it would reveal the old order."""
    return nw.maybe_reset_index(to_narwhals(frame)[order.tolist()]).to_native()


def is_same_column(original: Table, masked: Table, name: str) -> bool:
    """Whether masking changed no cell of a column, codes of missing values included."""
    if name in masked.recodings:
        return False
    before, after = original[name], masked[name]
    if before.dtype.kind != "f":
        return np.array_equal(before, after)
    equal = np.array_equal(before, after, equal_nan=True)
    codes = zip(missing_codes(before), missing_codes(after), strict=True)
    return equal and all(np.array_equal(*pair) for pair in codes)


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


def to_polars(frame: Frame) -> pl.DataFrame:
    """Convert any supported frame to polars; a duplicate column name is an error."""
    if isinstance(frame, pl.DataFrame):
        return frame
    wide = to_narwhals(frame)
    return pl.DataFrame([_series(wide[:, position]) for position in range(len(wide.columns))])


def frame_from_columns(columns: Mapping[str, Floats]) -> pl.DataFrame:
    """Build a polars frame of numeric columns."""
    return pl.DataFrame(dict(columns))


def to_narwhals(frame: Frame) -> nw.DataFrame[Any]:
    """Wrap any supported frame in narwhals; a duplicate column name is an error."""
    columns = getattr(frame, "column_names", getattr(frame, "columns", []))
    names = [str(name) for name in columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SchemaError(f"duplicate column name {twice[0]!r}; give each column its own name")
    try:
        return nw.from_native(frame, eager_only=True)
    except TypeError:
        raise DataError(
            f"the data must be a pandas, polars or pyarrow frame, got {type(frame).__name__}"
        ) from None


def _series(column: nw.Series[Any]) -> pl.Series:
    name, dtype = str(column.name), column.dtype
    order = _order(column)
    if order is not None:
        return pl.Series(name, _as_texts(column), dtype=pl.Enum(order))
    if dtype in (nw.Object, nw.Categorical):
        return pl.Series(name, _as_texts(column), dtype=pl.String)
    if dtype.is_numeric() or dtype == nw.Boolean:
        return _numeric_series(name, column)
    if isinstance(dtype, nw.Datetime):
        return _datetimes(name, column, dtype.time_zone)
    return pl.Series(name, [None if _is_missing(v) else v for v in column.to_list()])


def _order(column: nw.Series[Any]) -> tuple[str, ...] | None:
    """Return the categories of an ordered categorical column, in their order."""
    if isinstance(column.dtype, nw.Enum):
        return tuple(str(category) for category in column.dtype.categories)
    native = column.to_native()
    if getattr(getattr(native, "type", None), "ordered", False):
        return tuple(map(str, native.unify_dictionaries().chunk(0).dictionary.to_pylist()))
    return None


def _as_texts(column: nw.Series[Any]) -> list[str | None]:
    return [None if _is_missing(value) else str(value) for value in column.to_list()]


def _numeric_series(name: str, column: nw.Series[Any]) -> pl.Series:
    missing = column.is_null()
    if not missing.any():
        return pl.Series(name, column.to_numpy())
    known = pl.Series(name, column.fill_null(column.dtype.is_numeric() and 0).to_numpy())
    return known.set(pl.Series(missing.to_numpy()), None)


def _datetimes(name: str, column: nw.Series[Any], zone: str | None) -> pl.Series:
    if zone is None:
        return pl.Series(name, column.to_numpy())
    in_utc = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return _datetimes(name, in_utc, None).dt.replace_time_zone("UTC").dt.convert_time_zone(zone)


def _is_missing(value: object) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value  # noqa: PLR0124
