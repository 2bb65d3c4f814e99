"""Any supported data frame as a polars one."""

from collections.abc import Mapping
from typing import Any, Protocol

import narwhals as nw
import polars as pl

from evomask.arrays import Floats
from evomask.errors import DataError, SchemaError


class Frame(Protocol):
    """A pandas or polars data frame, or a pyarrow table."""

    def __len__(self) -> int: ...


def as_polars(frame: Frame) -> pl.DataFrame:
    """Any supported frame as a polars one; a repeated column name is refused."""
    if isinstance(frame, pl.DataFrame):
        return frame
    wide = as_narwhals(frame)
    return pl.DataFrame([_series(wide[:, position]) for position in range(len(wide.columns))])


def frame_of(columns: Mapping[str, Floats]) -> pl.DataFrame:
    """Columns of numbers as a polars frame."""
    return pl.DataFrame(dict(columns))


def as_narwhals(frame: Frame) -> nw.DataFrame[Any]:
    """A common face of any supported frame; a repeated column name is refused."""
    columns = getattr(frame, "column_names", getattr(frame, "columns", []))
    names = [str(name) for name in columns]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SchemaError(f"column name {twice[0]!r} stands twice; give each its own name")
    try:
        return nw.from_native(frame, eager_only=True)
    except TypeError:
        raise DataError(
            f"a table is made from a pandas, polars or pyarrow frame, not {type(frame).__name__}"
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
        return _moments(name, column, dtype.time_zone)
    return pl.Series(name, [None if _is_missing(v) else v for v in column.to_list()])


def _order(column: nw.Series[Any]) -> tuple[str, ...] | None:
    """The categories of an ordered categorical column, in their order."""
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


def _moments(name: str, column: nw.Series[Any], zone: str | None) -> pl.Series:
    if zone is None:
        return pl.Series(name, column.to_numpy())
    in_utc = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return _moments(name, in_utc, None).dt.replace_time_zone("UTC").dt.convert_time_zone(zone)


def _is_missing(value: object) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value  # noqa: PLR0124
