"""Excel workbooks: the first sheet is read; a table is written as the only sheet.

Text cells are written as text whatever they begin with, so that none becomes a formula.
"""

import functools
import re
import zipfile
from datetime import date, datetime, time
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape
from zlib import error as ZlibError  # noqa: N812

import polars as pl

from evomask.errors import FileError

MOST_ROWS = 1_048_576
"""Rows of a sheet, header included."""
EXACT = 10**15
"""Integers from this on lose digits in a sheet and are written as text."""
CREATED = datetime(2000, 1, 1)
"""Fixed creation date, so that the same table gives the same bytes."""
LARGEST_CHECKED = 32 * 2**20
"""Bytes of a sheet up to which its cells are looked through before it is read."""
HEADER_ROWS = 10
"""Rows below the first that are tried as header for the error message."""
FEWEST_SPANNED, SPARSE = 2_000_000, 200
"""Cells that a sheet may span in any case, and for each cell that it has."""

SHEET = re.compile(rb"<(?:\w+:)?sheet\s[^>]*>")
LINK = re.compile(rb"<(?:\w+:)?Relationship\s([^>]*)>")
XML_ATTRIBUTE = re.compile(rb'(\w+)\s*=\s*"([^"]*)"')
CELL = re.compile(rb'<(?:\w+:)?c\s[^>]*?\br="([A-Z]{1,3})(\d{1,7})"')
EMPTY_FORMULA = re.compile(rb"<f\b(?:[^>]*/>|[^>]*>[^<]*</f>)\s*(?:<v\s*/>|<v></v>)?\s*</c>")
DATE_FORMAT, DATETIME_FORMAT = "yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss"


def read_excel(
    path: Path, sheet: str | None = None, header: int = 1
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Read a sheet, by default the first; return it with notes.

    Args:
        header: number of the row that has the column names.
    """
    try:
        import fastexcel
    except ImportError:
        raise FileError(
            f"{path} is a workbook; install the library that reads it: `pip install evomask[excel]`"
        ) from None
    notes = _check_sheet(path, sheet)
    try:
        workbook = fastexcel.read_excel(path)
        if sheet is not None and sheet not in workbook.sheet_names:
            raise FileError(
                f"{path} has no sheet {sheet!r}; it has {', '.join(workbook.sheet_names)}"
            )
        names = _header(path, workbook, 0 if sheet is None else sheet, header)
        found = workbook.load_sheet(0 if sheet is None else sheet, header_row=header - 1)
        frame: pl.DataFrame = found.to_polars()
    except fastexcel.FastExcelError:
        raise FileError(f"{path} cannot be read as a workbook; check the file") from None
    frame.columns = names
    return frame.with_columns(_restore_type(series) for series in frame), notes


def _check_sheet(path: Path, sheet: str | None) -> tuple[str, ...]:
    """Refuse a sheet whose cells lie too far apart, and note formulas without stored values.

    The library reserves memory for the whole rectangle that the cells span.
    """
    cells = _sheet_content(path, sheet)
    places = [(_column_number(letters), int(row)) for letters, row in set(CELL.findall(cells))]
    if places:
        columns, rows = (max(numbers) for numbers in zip(*places, strict=True))
        if columns * rows > max(FEWEST_SPANNED, SPARSE * len(places)):
            raise FileError(
                f"the sheet of {path} spans {rows} rows and {columns} columns, and most of "
                "its cells are empty; delete what lies outside of the table"
            )
    empty = len(EMPTY_FORMULA.findall(cells))
    if not empty:
        return ()
    note = (
        f"{empty} cells of {path.name} hold formulas without stored values and are read as "
        "missing; open the file in a spreadsheet program and save it"
    )
    return (note,)


def _sheet_content(path: Path, sheet: str | None) -> bytes:
    """XML of a sheet; empty for other kinds of workbooks, and for large sheets."""
    try:
        with zipfile.ZipFile(path) as archive:
            tags = [tag[0] for tag in SHEET.finditer(archive.read("xl/workbook.xml"))]
            named = b'name="%s"' % escape(sheet or "").encode()
            tag = next((tag for tag in tags if sheet is None or named in tag), b"")
            links = dict(map(_link, LINK.findall(archive.read("xl/_rels/workbook.xml.rels"))))
            target = (
                links[dict(XML_ATTRIBUTE.findall(tag)).get(b"id", b"")]
                .decode()
                .removeprefix("/xl/")
            )
            found = archive.getinfo(f"xl/{target}")
            return archive.read(found) if found.file_size <= LARGEST_CHECKED else b""
    except (zipfile.BadZipFile, KeyError, OSError, ValueError, NotImplementedError, ZlibError):
        return b""


def _link(tag: bytes) -> tuple[bytes, bytes]:
    """Return the id and the target of a relationship."""
    attributes = dict(XML_ATTRIBUTE.findall(tag))
    return attributes.get(b"Id", b""), attributes.get(b"Target", b"")


def _column_number(letters: bytes) -> int:
    return functools.reduce(lambda number, letter: 26 * number + letter - 64, letters, 0)


def _header(path: Path, workbook: Any, sheet: int | str, header: int) -> list[str]:  # noqa: ANN401
    """Names of the columns; an error says which of the first rows could be the header."""
    top = workbook.load_sheet(
        sheet, header_row=None, n_rows=header + HEADER_ROWS, dtypes="string"
    ).to_polars()
    if top.height < header:
        raise FileError(f"{path} has no row {header}; give the row that names the columns")
    names = ["" if name is None else str(name) for name in top.row(header - 1)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if "" in names or twice:
        if "" in names:
            problem = f"column {names.index('') + 1} has no name{_better_header(top, header)}"
        else:
            problem = f"two columns are called {twice[0]!r}"
        raise FileError(f"row {header} of {path} must name each column once, and {problem}")
    return names


def _better_header(top: pl.DataFrame, header: int) -> str:
    for number, row in enumerate(top.iter_rows(), 1):
        if number != header and None not in row and len(set(row)) == len(row):
            return f"; if row {number} has the names, give --header {number}"
    return "; delete rows above the header"


def _restore_type(series: pl.Series) -> pl.Series:
    """Convert whole floats to integers and date-times at midnight to dates."""
    known = series.drop_nulls()
    if series.dtype.is_float() and len(known) and (known == known.round(0)).all():
        return series.cast(pl.Int64, strict=False) if (known.abs() < EXACT).all() else series
    if isinstance(series.dtype, pl.Datetime) and (known.dt.time() == time(0)).all():
        return series.cast(pl.Date)
    return series


def write_excel(frame: pl.DataFrame, path: Path) -> None:
    """Write one sheet with a header; missing values are empty cells.

    The workbook is built in memory, so that no temporary file elsewhere contains records.
    """
    try:
        import xlsxwriter
    except ImportError:
        raise FileError(
            f"{path.name} is a workbook; install the library that writes it: "
            "`pip install evomask[excel]`"
        ) from None
    if frame.height >= MOST_ROWS:
        raise FileError(f"the table exceeds the {MOST_ROWS} rows of a sheet; write it as .csv")
    buffer = BytesIO()
    book = xlsxwriter.Workbook(buffer, {"in_memory": True, "default_date_format": DATE_FORMAT})
    book.set_properties({"created": CREATED})
    sheet = book.add_worksheet("records")
    datetime_format = book.add_format({"num_format": DATETIME_FORMAT})
    for column, name in enumerate(frame.columns):
        sheet.write_string(0, column, name)
    for row, cells in enumerate(frame.iter_rows(), 1):
        for column, value in enumerate(cells):
            if value is not None:
                _write_cell(sheet, row, column, value, datetime_format)
    book.close()
    path.write_bytes(buffer.getbuffer())


def _write_cell(
    sheet: Any,  # noqa: ANN401
    row: int,
    column: int,
    value: object,
    datetime_format: Any,  # noqa: ANN401
) -> None:
    if isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, int | float) and abs(value) < EXACT:
        sheet.write_number(row, column, value)
    elif isinstance(value, datetime):
        sheet.write_datetime(row, column, value.replace(tzinfo=None), datetime_format)
    elif isinstance(value, date):
        sheet.write_datetime(row, column, value)
    else:
        sheet.write_string(row, column, str(value))
