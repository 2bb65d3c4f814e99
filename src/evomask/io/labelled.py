"""SPSS, Stata and SAS files: values with the labels that explain them.

Codes stay codes: a labelled number keeps its number, and its label travels beside it.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from evomask.data.frames import EXACT_INTEGERS, Declaration
from evomask.data.missing import tagged, tags
from evomask.data.schema import Attribute, Kind, Notes
from evomask.data.table import Table
from evomask.errors import FileError

SPSS = (".sav", ".zsav")
STATA = (".dta",)
SAS = (".sas7bdat", ".xpt")

FIRST_LETTER = 2_147_483_622
"""The code of Stata's missing value ``.a``; ``.z`` is 25 above, as in Stata's long integers."""
LARGEST_LONG = 2_147_483_620
MOST_MISSING_CODES = 3
"""SPSS has room for three missing codes; only Stata's letters, which are neighbours, exceed it."""
KINDS = {"nominal": Kind.NOMINAL, "ordinal": Kind.ORDINAL, "scale": Kind.CONTINUOUS}
MEASURES = {kind: measure for measure, kind in KINDS.items()}
SPSS_DATE = re.compile(rb"^\$FL[23].{88}(?P<date>.{17})", re.DOTALL)
STATA_DATE = re.compile(rb"<timestamp>\x11(?P<date>.{17})</timestamp>", re.DOTALL)

Found = dict[str, Declaration]
Details = Any
"""The description of a file that pyreadstat hands out."""


def read_labelled(path: Path) -> tuple[pl.DataFrame, Found]:
    """The file's columns, and what it says of each: labels, missing codes, measure level."""
    columns, details = _read(path)
    declarations = {name: _declaration(name, details) for name in columns}
    series = [_series(name, values) for name, values in columns.items()]
    return pl.DataFrame(series), {s.name: _with_kind(declarations[s.name], s) for s in series}


def _read(path: Path) -> tuple[Mapping[str, Any], Details]:
    import pyreadstat

    readers: dict[str, Callable[..., Any]] = {
        **dict.fromkeys(SPSS, pyreadstat.read_sav),
        ".dta": pyreadstat.read_dta,
        ".sas7bdat": pyreadstat.read_sas7bdat,
        ".xpt": pyreadstat.read_xport,
    }
    ending = path.suffix.lower()
    options = {} if ending == ".xpt" else {"user_missing": True}
    try:
        frame, details = readers[ending](path, output_format="polars", **options)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeDecodeError):
        raise FileError(f"{path} cannot be read as {ending[1:]}; check the file") from None
    if frame.height == 0:
        raise FileError(f"{path} holds no records; give a file with at least one")
    return {series.name: series for series in frame}, details


def _declaration(name: str, details: Details) -> Declaration:
    labels = details.variable_value_labels.get(name, {})
    code = _stata_code if details.file_format == "dta" else _code
    return Declaration(
        label=details.column_names_to_labels.get(name) or "",
        value_labels=tuple((code(value), str(label)) for value, label in labels.items()),
        notes=Notes(
            type=details.readstat_variable_types.get(name) or "",
            display=details.original_variable_types.get(name) or "",
            measure=details.variable_measure.get(name) or "",
            user_missing=_missing_ranges(name, details),
        ),
    )


def _missing_ranges(name: str, details: Details) -> tuple[tuple[str, str], ...]:
    ranges = details.missing_ranges.get(name, [])
    letters = [_stata_code(letter) for letter in details.missing_user_values.get(name, [])]
    return (
        *((_code(ends["lo"]), _code(ends["hi"])) for ends in ranges),
        *((letter, letter) for letter in sorted(letters)),
    )


def _code(value: object) -> str:
    """A value as its category is written: 1.0 as 1."""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if isinstance(value, float) and whole else str(value)


def _stata_code(value: object) -> str:
    """The same, and a letter that stands for a missing value as its number."""
    return str(FIRST_LETTER + ord(value) - ord("a")) if isinstance(value, str) else _code(value)


def _series(name: str, series: pl.Series) -> pl.Series:
    """Whole numbers as such; Stata's lettered missing values as their codes."""
    if series.dtype == pl.Object:
        codes = [None if v is None else float(_stata_code(v)) for v in series.to_list()]
        series = pl.Series(name, codes, dtype=pl.Float64)
    if not series.dtype.is_float():
        return series
    known = series.drop_nulls()
    whole = _has_decimals(series, 0) and (known.abs() <= EXACT_INTEGERS).all()
    return series.cast(pl.Int64) if whole else series


def _has_decimals(series: pl.Series, places: int) -> bool:
    return bool((series == series.round(places)).all())


def decimals_of(series: pl.Series, fewest: int = 1) -> int | None:
    """Digits after the point that are enough for every value, if few are."""
    if isinstance(series.dtype, pl.Decimal):
        series = series.cast(pl.Float64)
    if not series.dtype.is_float():
        return None
    return next((places for places in range(fewest, 7) if _has_decimals(series, places)), None)


def _with_kind(declaration: Declaration, series: pl.Series) -> Declaration:
    """The kind by measure level; without one, numbers whose every value has a label are codes."""
    kind = KINDS.get(declaration.notes.measure)
    if kind is None and declaration.value_labels and series.dtype.is_integer():
        codes = set(series.drop_nulls().unique().cast(pl.String).to_list())
        kind = Kind.NOMINAL if codes <= {code for code, _ in declaration.value_labels} else None
    if kind is Kind.CONTINUOUS and not series.dtype.is_numeric():
        kind = None
    return replace(declaration, kind=kind, decimals=decimals_of(series))


def write_spss(table: Table, columns: pl.DataFrame, path: Path, *, compress: bool = False) -> None:
    """Write the records to release as SPSS, with labels, missing codes and measure levels.

    Args:
        columns: the released ones of the table; where it has missing codes, they are put back.
    """
    import pyreadstat

    frame, attributes = _restored(table, columns)
    plain = [a for a in attributes if a.name not in table.recodings]
    with _as_file_error(path):
        pyreadstat.write_sav(
            frame,
            path,
            column_labels=[a.label or None for a in attributes],
            variable_value_labels=_labels(plain, frame),
            missing_ranges={a.name: _spss_ranges(a, frame) for a in plain if a.notes.user_missing},
            variable_measure={a.name: a.notes.measure or MEASURES[a.kind] for a in attributes},
            variable_format={a.name: a.notes.display for a in plain if _is_spss(a, frame)},
            compress=compress,
        )
        _check_whole(pyreadstat.read_sav, path, frame.height)
    _forget_date(path, SPSS_DATE, b"01 Jan 0000:00:00")


@contextmanager
def _as_file_error(path: Path) -> Iterator[None]:
    import pyreadstat

    try:
        yield
    except pyreadstat.ReadstatError:
        raise FileError(f"{path} could not be written in full; is the disk full?") from None
    except pyreadstat.PyreadstatError as error:
        raise FileError(f"the format of {path} does not allow this: {error}") from None


def _check_whole(read: Callable[..., Any], path: Path, n_records: int) -> None:
    """Read the file back: the library that writes it does not notice a full disk."""
    frame, _ = read(path, output_format="polars")
    if frame.height != n_records:
        raise OSError(f"{frame.height} of {n_records} records arrived")


def _forget_date(path: Path, place: re.Pattern[bytes], date: bytes) -> None:
    """Put a fixed date where the header tells when the file was made: same data, same bytes."""
    with path.open("r+b") as file:
        match = place.search(file.read(4096))
        if match:
            file.seek(match.start("date"))
            file.write(date)


def _is_spss(attribute: Attribute, frame: pl.DataFrame) -> bool:
    """Whether the attribute has a display format of SPSS; that of text follows its width."""
    return attribute.notes.display[:1].isalpha() and frame[attribute.name].dtype != pl.String


def _spss_ranges(attribute: Attribute, frame: pl.DataFrame) -> list[Any]:
    if frame[attribute.name].dtype == pl.String:
        return [low for low, _ in attribute.notes.user_missing]
    ends = [(float(low), float(high)) for low, high in attribute.notes.user_missing]
    if len(ends) > MOST_MISSING_CODES:
        return [{"lo": ends[0][0], "hi": ends[-1][1]}]
    return [low if low == high else {"lo": low, "hi": high} for low, high in ends]


def write_stata(table: Table, columns: pl.DataFrame, path: Path) -> None:
    """Write the records to release as Stata, with labels and lettered missing values.

    Missing codes of another format become letters in numbers, so that nobody averages them.

    Args:
        columns: the released ones of the table; where it has missing codes, they are put back.
    """
    import pyreadstat

    frame, attributes = _restored(_with_letters(table), columns)
    plain = [a for a in attributes if a.name not in table.recodings]
    letters = {a.name: _letters(a) for a in plain if _letters(a)}
    labels: dict[str, dict[Any, str]] = {
        name: {_stata_key(value): label for value, label in pairs.items()}
        for name, pairs in _labels(plain, frame).items()
        if frame[name].dtype != pl.String
    }
    with _as_file_error(path):
        pyreadstat.write_dta(
            frame.with_columns(_stata_series(frame[a.name], a, letters) for a in attributes),
            path,
            column_labels=[a.label or None for a in attributes],
            variable_value_labels=labels,
            missing_user_values=letters or None,
            variable_format={a.name: a.notes.display for a in plain if a.notes.display[:1] == "%"},
        )
        _check_whole(pyreadstat.read_dta, path, frame.height)
    _forget_date(path, STATA_DATE, b"01 Jan 2000 00:00")


def _with_letters(table: Table) -> Table:
    """The table with the missing codes of its numbers replaced by those of Stata's letters."""
    for attribute in table.schema:
        if attribute.notes.user_missing and table[attribute.name].dtype.kind == "f":
            table = _with_letters_in(table, attribute)
    return table


def _with_letters_in(table: Table, attribute: Attribute) -> Table:
    known, codes = tags(table.values(attribute.name))
    foreign = np.unique(codes[known & (codes < FIRST_LETTER)])[:26].tolist()
    if not foreign:
        return table
    letters = {code: FIRST_LETTER + place for place, code in enumerate(foreign)}
    numbers = np.where(known, [letters.get(code, code) for code in codes.tolist()], 0.0)
    values = np.where(known, tagged(numbers, known), table.values(attribute.name))
    ranges = tuple((str(letter), str(letter)) for letter in letters.values())
    renamed = {str(code): str(letter) for code, letter in letters.items()}
    changed = replace(
        attribute,
        value_labels=tuple((renamed.get(c, c), label) for c, label in attribute.value_labels),
        notes=replace(attribute.notes, user_missing=ranges),
    )
    schema = table.schema.replacing([changed])
    return table.with_columns({attribute.name: values}).with_schema(schema)


def _letters(attribute: Attribute) -> list[str]:
    codes = [int(low) for low, _ in attribute.notes.user_missing if low.lstrip("-").isdigit()]
    return [_letter(code) for code in codes if code >= FIRST_LETTER]


def _letter(code: int) -> str:
    return chr(code - FIRST_LETTER + ord("a"))


def _stata_key(value: float | None) -> float | str | None:
    """A number as it is, or the letter of a missing value."""
    return value if value is None or value < FIRST_LETTER else _letter(int(value))


def _stata_series(
    series: pl.Series, attribute: Attribute, letters: Mapping[str, list[str]]
) -> pl.Series:
    """Whole numbers as longs where they fit; lettered missing values as letters."""
    if attribute.name in letters:
        return pl.Series(series.name, map(_stata_key, series.to_list()), dtype=pl.Object)
    fits = series.dtype.is_integer() and attribute.notes.type not in ("double", "float")
    if fits and (series.abs().fill_null(0) <= LARGEST_LONG).all():
        return series.cast(pl.Int32)
    return series.cast(pl.Float64) if series.dtype.is_integer() else series


def _restored(table: Table, frame: pl.DataFrame) -> tuple[pl.DataFrame, list[Attribute]]:
    """The released columns with missing codes back in place, and their attributes."""
    attributes = [table.attribute(name) for name in frame.columns]
    return frame.with_columns(_with_codes(frame[a.name], a, table) for a in attributes), attributes


def _with_codes(series: pl.Series, attribute: Attribute, table: Table) -> pl.Series:
    if series.dtype.is_integer() and (series.abs() > EXACT_INTEGERS).any():
        return series.cast(pl.String)
    if attribute.kind is not Kind.CONTINUOUS or attribute.name in table.recodings:
        return series
    known, codes = tags(table.values(attribute.name)[~table.suppressed])
    return series.to_frame().select(
        pl.when(pl.Series(known)).then(pl.Series(codes)).otherwise(pl.col(series.name))
        .cast(series.dtype).alias(series.name)
    ).to_series()  # fmt: skip


def _labels(attributes: list[Attribute], frame: pl.DataFrame) -> dict[str, dict[Any, str]]:
    """The labels of values that some record has; others may tell who was there before."""
    labels: dict[str, dict[Any, str]] = {}
    for attribute in attributes:
        column = frame[attribute.name]
        texts = ((_value(code, column.dtype), text) for code, text in attribute.value_labels)
        there = set(column.unique().to_list()) if attribute.value_labels else set()
        labels[attribute.name] = {value: text for value, text in texts if value in there}
    return {name: texts for name, texts in labels.items() if texts}


def _value(code: str, dtype: pl.DataType) -> Any:  # noqa: ANN401
    if dtype == pl.String:
        return code
    return int(code) if code.lstrip("-").isdigit() else float(code)
