"""Dates as numbers of days, in the format of their file.

A date attribute is continuous, with days since 1970 as its unit, so that every method and measure
for numbers applies to it. Only its cells are written as dates.
"""

from datetime import date, timedelta

import numpy as np
import polars as pl

from evomask.errors import DataError, SchemaError
from evomask.types import Floats

FORMATS = ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%Y%m%d")
"""Formats of dates in text, in order of preference: year first, day first, month first."""

EPOCH = date(1970, 1, 1)


def parse_dates(series: pl.Series, known: str = "") -> tuple[pl.Series, str] | None:
    """Return a column as dates and their format, empty for a column of dates; None if it is none.

    Args:
        known: the only format that is accepted, if it is given.
    """
    if series.dtype == pl.Date:
        return series, ""
    if isinstance(series.dtype, pl.Datetime):
        return series.dt.date(), ""
    if not (series.dtype.is_integer() or series.dtype == pl.String):
        return None
    texts = series.cast(pl.String).str.strip_chars()
    texts = texts.set(texts == "", None)
    for form in (known,) if known else FORMATS:
        dates = texts.str.to_date(form, strict=False)
        whole = dates.dt.to_string(form) == texts
        if dates.null_count() == texts.null_count() and (whole.all() or not len(texts)):
            return dates, form
    return None


def days_of(series: pl.Series) -> tuple[Floats, str]:
    """Return the days of a column since 1970, NaN where missing, and the format of its texts."""
    found = parse_dates(series)
    if found is None:
        raise SchemaError(
            f"column {series.name!r} is declared a date, and {_why(series)}; write all dates in "
            "one format, such as 2024-05-31 or 31.05.2024, or declare it nominal"
        )
    dates, form = found
    days = dates.cast(pl.Int32).cast(pl.Float64).fill_null(float("nan")).to_numpy()
    return days, form


def _why(series: pl.Series) -> str:
    """Say which record has no date, in the format that fits most records."""
    texts = series.cast(pl.String)
    parsed = [texts.str.to_date(form, strict=False) for form in FORMATS]
    best = min(parsed, key=lambda dates: dates.null_count())
    wrong = np.flatnonzero((best.is_null() & texts.is_not_null()).to_numpy())
    return f"record {wrong[0] + 1} has none" if len(wrong) else "its dates have several formats"


def dates_of(days: pl.Series, form: str) -> pl.Series:
    """Return days since 1970 as dates, as text if they have a format."""
    dates = days.round(0).cast(pl.Int32, strict=False).cast(pl.Date)
    return dates.dt.to_string(form) if form else dates


def format_day(day: float, form: str) -> str:
    """Write one day; years have four digits."""
    written = EPOCH + timedelta(days=round(day))
    text = form or "%Y-%m-%d"
    for code, part in (("%Y", f"{written.year:04d}"), ("%m", f"{written.month:02d}"),
                       ("%d", f"{written.day:02d}")):  # fmt: skip
        text = text.replace(code, part)
    return text


def parse_day(text: str, form: str) -> float | None:
    """Day of one text; None if it is no date of that format."""
    found = parse_dates(pl.Series([text]), form or "%Y-%m-%d")
    return None if found is None else float(found[0].cast(pl.Int32)[0])


def ages_at(events: pl.Series, births: pl.Series) -> pl.Series:
    """Age in completed years at each event, missing where a date is; no event precedes birth."""
    pairs = []
    for series in (births, events):
        found = parse_dates(series)
        if found is None:
            days_of(series)  # says why
            raise SchemaError(f"column {series.name!r} holds no dates")
        pairs.append(found[0])
    born, then = pairs
    then_day, born_day = (
        one.dt.month().cast(pl.Int64) * 32 + one.dt.day().cast(pl.Int64) for one in (then, born)
    )
    before = then_day < born_day
    ages = (then.dt.year() - born.dt.year()).cast(pl.Int64) - before.cast(pl.Int64)
    wrong = np.flatnonzero((ages < 0).fill_null(value=False).to_numpy())
    if len(wrong):
        raise DataError(
            f"in record {wrong[0] + 1}, {events.name!r} is before {births.name!r}; correct it"
        )
    return ages.alias(events.name)
