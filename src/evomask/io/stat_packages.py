"""SPSS, Stata and SAS files, with labels, missing codes and measure levels.

Labelled codes stay numbers; their labels are metadata.
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
from evomask.data.schema import Attribute, Kind, Notes
from evomask.data.table import Table, missing_codes, tag_missing
from evomask.errors import FileError
from evomask.io.sources import Source

FIRST_LETTER = 2_147_483_622
"""Code of Stata's missing value ``.a``; ``.z`` is 25 above, as in Stata's long integers."""
LARGEST_LONG = 2_147_483_620
MOST_MISSING_CODES = 3
"""Largest number of missing codes in SPSS; more (Stata's letters) are written as a range."""
KINDS = {"nominal": Kind.NOMINAL, "ordinal": Kind.ORDINAL, "scale": Kind.CONTINUOUS}
MEASURES = {kind: measure for measure, kind in KINDS.items()}
SPSS_DATE = re.compile(rb"^\$FL[23].{88}(?P<date>.{17})", re.DOTALL)
STATA_DATE = re.compile(rb"<timestamp>\x11(?P<date>.{17})</timestamp>", re.DOTALL)

Metadata = Any
"""Metadata object of pyreadstat."""


def read_stat_file(path: Path) -> Source:
    """Read a file with the labels, missing codes and measure levels of its columns."""
    frame, metadata = _read(path)
    columns = [_column(series) for series in frame]
    declarations = {s.name: _with_kind(_declaration(s.name, metadata), s) for s in columns}
    return Source(pl.DataFrame(columns), declarations)


def _read(path: Path) -> tuple[pl.DataFrame, Metadata]:
    import pyreadstat

    readers: dict[str, Callable[..., Any]] = {
        ".sav": pyreadstat.read_sav,
        ".zsav": pyreadstat.read_sav,
        ".dta": pyreadstat.read_dta,
        ".sas7bdat": pyreadstat.read_sas7bdat,
        ".xpt": pyreadstat.read_xport,
    }
    ending = path.suffix.lower()
    options = {} if ending == ".xpt" else {"user_missing": True}
    try:
        frame, metadata = readers[ending](path, output_format="polars", **options)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeDecodeError):
        raise FileError(f"{path} cannot be read as {ending[1:]}; check the file") from None
    if frame.height == 0:
        raise FileError(f"{path} holds no records; give a file with at least one")
    return frame, metadata


def _declaration(name: str, metadata: Metadata) -> Declaration:
    labels = metadata.variable_value_labels.get(name, {})
    code = _stata_code if metadata.file_format == "dta" else _code
    return Declaration(
        label=metadata.column_names_to_labels.get(name) or "",
        value_labels=tuple((code(value), str(label)) for value, label in labels.items()),
        notes=Notes(
            type=metadata.readstat_variable_types.get(name) or "",
            display=metadata.original_variable_types.get(name) or "",
            measure=metadata.variable_measure.get(name) or "",
            user_missing=_missing_ranges(name, metadata),
        ),
    )


def _missing_ranges(name: str, metadata: Metadata) -> tuple[tuple[str, str], ...]:
    ranges = metadata.missing_ranges.get(name, [])
    letters = [_stata_code(letter) for letter in metadata.missing_user_values.get(name, [])]
    return (
        *((_code(ends["lo"]), _code(ends["hi"])) for ends in ranges),
        *((letter, letter) for letter in sorted(letters)),
    )


def _code(value: object) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if isinstance(value, float) and whole else str(value)


def _stata_code(value: object) -> str:
    """Return the category of a value; a lettered missing value becomes its code."""
    return str(FIRST_LETTER + ord(value) - ord("a")) if isinstance(value, str) else _code(value)


def _column(series: pl.Series) -> pl.Series:
    """Convert whole floats to integers, and Stata's lettered missing values to their codes."""
    if series.dtype == pl.Object:
        codes = [None if v is None else float(_stata_code(v)) for v in series.to_list()]
        series = pl.Series(series.name, codes, dtype=pl.Float64)
    if not series.dtype.is_float():
        return series
    known = series.drop_nulls()
    whole = _has_decimals(series, 0) and (known.abs() <= EXACT_INTEGERS).all()
    return series.cast(pl.Int64) if whole else series


def _has_decimals(series: pl.Series, places: int) -> bool:
    return bool((series == series.round(places)).all())


def decimals_of(series: pl.Series, fewest: int = 1) -> int | None:
    """Number of decimals that represents every value exactly; None if more than six are needed."""
    if isinstance(series.dtype, pl.Decimal):
        series = series.cast(pl.Float64)
    if not series.dtype.is_float():
        return None
    return next((places for places in range(fewest, 7) if _has_decimals(series, places)), None)


def _with_kind(declaration: Declaration, series: pl.Series) -> Declaration:
    """Infer the kind from the measure level; integers that all have labels are nominal codes."""
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
        columns: released columns of the table; missing codes are restored in them.
    """
    import pyreadstat

    frame, attributes = _restore_codes(table, columns)
    plain = [a for a in attributes if a.name not in table.recodings]
    with _as_file_error(path):
        pyreadstat.write_sav(
            frame,
            path,
            column_labels=[a.label or None for a in attributes],
            variable_value_labels=_labels(plain, frame),
            missing_ranges={a.name: _spss_ranges(a, frame) for a in plain if a.notes.user_missing},
            variable_measure={a.name: a.notes.measure or MEASURES[a.kind] for a in attributes},
            variable_format={
                a.name: a.notes.display
                for a in plain
                if (a.notes.display[:1].isalpha() and frame[a.name].dtype != pl.String)
            },
            compress=compress,
        )
        _check_complete(pyreadstat.read_sav, path, frame.height)
    _fix_date(path, SPSS_DATE, b"01 Jan 0000:00:00")


@contextmanager
def _as_file_error(path: Path) -> Iterator[None]:
    import pyreadstat

    try:
        yield
    except pyreadstat.ReadstatError:
        raise FileError(
            f"{path} could not be written completely; check the free disk space"
        ) from None
    except pyreadstat.PyreadstatError as error:
        raise FileError(f"{path} could not be written in this format: {error}") from None


def _check_complete(read: Callable[..., Any], path: Path, n_records: int) -> None:
    frame, _ = read(path, output_format="polars")
    if frame.height != n_records:
        raise OSError(f"only {frame.height} of {n_records} records were written")


def _fix_date(path: Path, pattern: re.Pattern[bytes], date: bytes) -> None:
    """Replace the creation date by a fixed one, so that the same data give the same bytes."""
    with path.open("r+b") as file:
        match = pattern.search(file.read(4096))
        if match:
            file.seek(match.start("date"))
            file.write(date)


def _spss_ranges(attribute: Attribute, frame: pl.DataFrame) -> list[Any]:
    if frame[attribute.name].dtype == pl.String:
        return [low for low, _ in attribute.notes.user_missing]
    ends = [(float(low), float(high)) for low, high in attribute.notes.user_missing]
    if len(ends) > MOST_MISSING_CODES:
        return [{"lo": ends[0][0], "hi": ends[-1][1]}]
    return [low if low == high else {"lo": low, "hi": high} for low, high in ends]


def write_stata(table: Table, columns: pl.DataFrame, path: Path) -> None:
    """Write the records to release as Stata, with labels and lettered missing values.

    Missing codes of other formats become letters, so that they are not used as numbers.

    Args:
        columns: released columns of the table; missing codes are restored in them.
    """
    import pyreadstat

    frame, attributes = _restore_codes(_with_letters(table), columns)
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
        _check_complete(pyreadstat.read_dta, path, frame.height)
    _fix_date(path, STATA_DATE, b"01 Jan 2000 00:00")


def _with_letters(table: Table) -> Table:
    for attribute in table.schema:
        if attribute.notes.user_missing and table[attribute.name].dtype.kind == "f":
            table = _with_letters_in(table, attribute)
    return table


def _with_letters_in(table: Table, attribute: Attribute) -> Table:
    known, codes = missing_codes(table.values(attribute.name))
    foreign = np.unique(codes[known & (codes < FIRST_LETTER)])[:26].tolist()
    if not foreign:
        return table
    letters = {code: FIRST_LETTER + index for index, code in enumerate(foreign)}
    numbers = np.where(known, [letters.get(code, code) for code in codes.tolist()], 0.0)
    values = np.where(known, tag_missing(numbers, known), table.values(attribute.name))
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
    return value if value is None or value < FIRST_LETTER else _letter(int(value))


def _stata_series(
    series: pl.Series, attribute: Attribute, letters: Mapping[str, list[str]]
) -> pl.Series:
    """Convert integers to longs where they fit, and missing codes to letters."""
    if attribute.name in letters:
        return pl.Series(series.name, map(_stata_key, series.to_list()), dtype=pl.Object)
    fits = series.dtype.is_integer() and attribute.notes.type not in ("double", "float")
    if fits and (series.abs().fill_null(0) <= LARGEST_LONG).all():
        return series.cast(pl.Int32)
    return series.cast(pl.Float64) if series.dtype.is_integer() else series


def _restore_codes(table: Table, frame: pl.DataFrame) -> tuple[pl.DataFrame, list[Attribute]]:
    attributes = [table.attribute(name) for name in frame.columns]
    return frame.with_columns(_with_codes(frame[a.name], a, table) for a in attributes), attributes


def _with_codes(series: pl.Series, attribute: Attribute, table: Table) -> pl.Series:
    if series.dtype.is_integer() and (series.abs() > EXACT_INTEGERS).any():
        return series.cast(pl.String)
    if attribute.kind is not Kind.CONTINUOUS or attribute.name in table.recodings:
        return series
    known, codes = missing_codes(table.values(attribute.name)[~table.suppressed])
    return series.to_frame().select(
        pl.when(pl.Series(known)).then(pl.Series(codes)).otherwise(pl.col(series.name))
        .cast(series.dtype).alias(series.name)
    ).to_series()  # fmt: skip


def _labels(attributes: list[Attribute], frame: pl.DataFrame) -> dict[str, dict[Any, str]]:
    """Return the labels of values in the release; others would reveal suppressed values."""
    labels: dict[str, dict[Any, str]] = {}
    for attribute in attributes:
        column = frame[attribute.name]
        texts = ((_value(code, column.dtype), text) for code, text in attribute.value_labels)
        present = set(column.unique().to_list()) if attribute.value_labels else set()
        labels[attribute.name] = {value: text for value, text in texts if value in present}
    return {name: texts for name, texts in labels.items() if texts}


def _value(code: str, dtype: pl.DataType) -> Any:  # noqa: ANN401
    if dtype == pl.String:
        return code
    return int(code) if code.lstrip("-").isdigit() else float(code)
