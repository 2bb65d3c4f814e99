"""Reading and writing files of records as data frames."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from evomask.api.arguments import checked
from evomask.api.schema import Schema, schema_of
from evomask.data.frames import Frame

Library = Literal["polars", "pandas", "pyarrow"]


@checked
def read(
    path: str | Path,
    *,
    schema: str | Path | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    missing: Iterable[str] = (),
    thousands: str | None = None,
    header: int | None = None,
    sheet: str | None = None,
    library: Library = "polars",
) -> Any:  # noqa: ANN401
    """Read a file of records as a frame; the format follows from the ending and the content.

    Args:
        schema: schema file, of which delimiter, encoding and missing values are used.
        delimiter: field delimiter of a text file; detected by default.
        decimal: decimal mark of a text file.
        encoding: character encoding of a text file.
        missing: texts or codes that mean a missing value, besides the empty one.
        thousands: mark between thousands of numbers in text.
        header: row that names the columns, counted from 1.
        sheet: sheet of a workbook; by default the first.
        library: library of the frame: ``polars``, ``pandas`` or ``pyarrow``, if installed.

    Example:
        import evomask

        people = evomask.read("survey.csv")
        assert people.height == 3000
    """
    from evomask.io.dialects import Dialect
    from evomask.io.schemas import SchemaFile, read_schema
    from evomask.io.tables import read_frame

    known = (read_schema(Path(schema)) if schema else SchemaFile()).dialect
    dialect = Dialect(
        delimiter or known.delimiter,
        encoding or known.encoding,
        tuple(missing) or known.missing,
        decimal or known.decimal,
        thousands=thousands or known.thousands,
        header=header or known.header,
        sheet=sheet or known.sheet,
    )
    frame = read_frame(Path(path), dialect)
    match library:
        case "pandas":
            return frame.to_pandas()
        case "pyarrow":
            return frame.to_arrow()
    return frame


@checked
def write(
    frame: Frame,
    path: str | Path,
    *,
    like: str | Path | None = None,
    schema: Schema | str | Path | None = None,
    force: bool = False,
) -> Path:
    """Write a frame to a file, whose ending determines the format; it is read back and checked.

    Args:
        like: a file, usually the original, whose value labels and text format are used.
        schema: schema that names columns to leave out; columns not in the frame are ignored.
        force: overwrite an existing file.

    Example:
        import evomask

        people = evomask.read("survey.csv")
        schema = evomask.Schema(drop=["person", "name", "household"])
        evomask.write(people, "people.parquet", schema=schema)
        assert "name" not in evomask.read("people.parquet").columns
    """
    from evomask.data.frames import Declaration
    from evomask.io.tables import read_source, source_of, write_table

    source, origin = source_of(frame), read_source(Path(like)) if like else None
    if origin is not None:
        source = replace(source, from_file={**source.from_file, **origin.from_file})
    roles = schema_of(schema, Schema()).roles
    present = {n: Declaration(role=r) for n, r in roles.items() if n in source.frame.columns}
    table = source.table(present)
    dialect = None if origin is None else origin.dialect
    return write_table(table, Path(path), force=force, dialect=dialect).path


@checked
def example(
    folder: str | Path = ".", *, records: int = 3000, seed: int = 1, force: bool = False
) -> Path:
    """Write a synthetic household survey with its schema and hierarchies, and return its path.

    Args:
        folder: folder for ``survey.csv``, ``survey.toml`` and ``hierarchies``.
        records: number of records.
        seed: random seed of the survey.
        force: overwrite existing files.

    Example:
        import evomask

        survey = evomask.example("play")
        assert evomask.read(survey).height == 3000
    """
    from evomask.runs.onboarding.schemas import write_example

    return write_example(Path(folder), records, seed, force=force)[0]
