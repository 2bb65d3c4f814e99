"""Files of records in and out, as frames."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from evomask.api.schema import Schema, schema_of
from evomask.data.intake import Frame

Library = Literal["polars", "pandas", "pyarrow"]


def read(
    path: str | Path,
    *,
    schema: str | Path | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    missing: Iterable[str] = (),
    library: Library = "polars",
) -> Any:  # noqa: ANN401
    """A file of records as a frame, its format told by its ending and its text looked at.

    Args:
        schema: file of a schema, for what it says of the file: delimiter, missing values.
        delimiter: what stands between the fields of a text file; found out when absent.
        decimal: the decimal mark of a text file.
        encoding: how a text file is encoded.
        missing: texts that stand for missing values, besides empty ones.
        library: whose frame to give: ``polars``, ``pandas`` or ``pyarrow``, if installed.

    Example:
        import evomask

        people = evomask.read("survey.csv")
        assert people.height == 3000
    """
    from evomask.io.dialects import Dialect
    from evomask.io.schemas import SchemaFile, read_schema
    from evomask.io.tables import read_frame

    said = (read_schema(Path(schema)) if schema else SchemaFile()).dialect
    dialect = Dialect(
        delimiter or said.delimiter,
        encoding or said.encoding,
        tuple(missing) or said.missing,
        decimal or said.decimal,
    )
    frame = read_frame(Path(path), dialect)
    match library:
        case "pandas":
            return frame.to_pandas()
        case "pyarrow":
            return frame.to_arrow()
    return frame


def write(
    frame: Frame,
    path: str | Path,
    *,
    like: str | Path | None = None,
    schema: Schema | str | Path | None = None,
    force: bool = False,
) -> Path:
    """Write a frame as a file, its format told by its ending; read back and checked.

    Args:
        like: a file, usually the original, whose labels and way of writing text are taken over.
        schema: where columns to leave out are named; columns that are gone are passed over.
        force: write over a file that is there.

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


def example(
    folder: str | Path = ".", *, records: int = 3000, seed: int = 1, force: bool = False
) -> Path:
    """Write a synthetic household survey with its schema and hierarchies, to play with.

    Args:
        folder: where ``survey.csv``, ``survey.toml`` and ``hierarchies`` go.
        records: how many people.
        seed: another one gives other people; nobody in it exists.
        force: write over files that are there.

    Example:
        import evomask

        survey = evomask.example("play")
        assert evomask.read(survey).height == 3000
    """
    from evomask.runs.beginning.example import write_example

    return write_example(Path(folder), records, seed, force=force)[0]
