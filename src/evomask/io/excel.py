"""Excel workbooks: the first sheet read as a table, a table written as the only sheet.

A cell of text is written as text whatever it begins with, so that none becomes a formula.
"""

from datetime import date, datetime, time
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from evomask.errors import FileError

MOST_ROWS = 1_048_576
"""Rows that a sheet has, the header among them."""
EXACT = 10**15
"""Whole numbers above lose digits in a sheet, and are written as text."""
CREATED = datetime(2000, 1, 1)
"""What a workbook says of when it was made, so that the same table makes the same bytes."""
DAY, MOMENT = "yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss"


def read_excel(path: Path) -> pl.DataFrame:
    """The first sheet with something in it; its first row names the columns."""
    try:
        import fastexcel
    except ImportError:
        raise FileError(
            f"{path} is a workbook; install what reads it with `pip install evomask[excel]`"
        ) from None
    try:
        sheet = fastexcel.read_excel(path).load_sheet(0)
        names = _header(path, fastexcel.read_excel(path))
        frame: pl.DataFrame = sheet.to_polars()
    except fastexcel.FastExcelError:
        raise FileError(f"{path} cannot be read as a workbook; check the file") from None
    frame.columns = names
    return frame.with_columns(_plain(series) for series in frame)


def _header(path: Path, workbook: Any) -> list[str]:  # noqa: ANN401
    row = workbook.load_sheet(0, header_row=None, n_rows=1, dtypes="string").to_polars()
    names = ["" if name is None else str(name) for name in row.row(0)] if row.height else []
    twice = sorted({name for name in names if names.count(name) > 1})
    if "" in names or twice:
        which = f"two columns are called {twice[0]!r}" if twice and twice[0] else "a name is empty"
        raise FileError(f"the first row of {path} must name each column once, and {which}")
    return names


def _plain(series: pl.Series) -> pl.Series:
    """Whole numbers as such, and moments at midnight as days: a sheet knows neither."""
    known = series.drop_nulls()
    if series.dtype.is_float() and len(known) and (known == known.round(0)).all():
        return series.cast(pl.Int64, strict=False) if (known.abs() < EXACT).all() else series
    if isinstance(series.dtype, pl.Datetime) and (known.dt.time() == time(0)).all():
        return series.cast(pl.Date)
    return series


def write_excel(frame: pl.DataFrame, path: Path) -> None:
    """One sheet with a header; missing values are empty cells.

    Made in memory: no temporary file elsewhere holds records, and a full disk is one error.
    """
    try:
        import xlsxwriter
    except ImportError:
        raise FileError(
            f"{path.name} is a workbook; install what writes it with `pip install evomask[excel]`"
        ) from None
    if frame.height >= MOST_ROWS:
        raise FileError(f"a sheet has {MOST_ROWS} rows, and this table more; write it as .csv")
    buffer = BytesIO()
    book = xlsxwriter.Workbook(buffer, {"in_memory": True, "default_date_format": DAY})
    book.set_properties({"created": CREATED})
    sheet, moment = book.add_worksheet("records"), book.add_format({"num_format": MOMENT})
    for column, name in enumerate(frame.columns):
        sheet.write_string(0, column, name)
    for row, cells in enumerate(frame.iter_rows(), 1):
        for column, value in enumerate(cells):
            if value is not None:
                _write_cell(sheet, row, column, value, moment)
    book.close()
    path.write_bytes(buffer.getbuffer())


def _write_cell(sheet: Any, row: int, column: int, value: object, moment: Any) -> None:  # noqa: ANN401
    if isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, int | float) and abs(value) < EXACT:
        sheet.write_number(row, column, value)
    elif isinstance(value, datetime):
        sheet.write_datetime(row, column, value.replace(tzinfo=None), moment)
    elif isinstance(value, date):
        sheet.write_datetime(row, column, value)
    else:
        sheet.write_string(row, column, str(value))
