"""Hierarchy files in ARX's CSV format: no header, a value and its ancestors, ``;`` between."""

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path

from evomask.data.hierarchy import Hierarchy, Line
from evomask.data.schema import Schema
from evomask.errors import FileError
from evomask.io.dialects import likely_encoding, records
from evomask.io.files import read_regular_file, write_text

DELIMITER = ";"


def read_lines(path: Path) -> list[tuple[str, ...]]:
    """Read the lines of a hierarchy file, each a value and its ancestors, without checks."""
    try:
        content = read_regular_file(path)
    except FileNotFoundError:
        raise FileError(f"there is no hierarchy file {path}; check the name") from None
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from None
    encoding = likely_encoding(content)
    if encoding is None:
        raise FileError(f"{path} is not text; give a hierarchy as a text file, one value per line")
    try:
        return [tuple(line) for line in records(content.decode(encoding), DELIMITER) if line]
    except (csv.Error, UnicodeDecodeError):
        raise FileError(f"{path} is not a table of text; check its quotes and line ends") from None


def read_hierarchies(schema: Schema, folder: Path | None = None) -> dict[str, list[Line]]:
    """Read the hierarchy files of a schema; files in *folder* take precedence."""
    paths = {a.name: Path(a.hierarchy) for a in schema if a.hierarchy}
    if folder is not None:
        paths |= find_hierarchies(folder, schema.names)
    return {name: list(read_lines(path)) for name, path in paths.items()}


def find_hierarchies(folder: Path, names: Iterable[str]) -> Mapping[str, Path]:
    """Find files by attribute: ``age.csv``, or as in ARX ``adult_hierarchy_age.csv``."""
    if not folder.is_dir():
        raise FileError(f"there is no folder {folder} with hierarchies; check the name")
    by_name = {path.stem: path for path in sorted(folder.glob("*.csv"))}
    by_suffix = {stem.rpartition("hierarchy_")[2]: path for stem, path in by_name.items()}
    return {name: path for name in names if (path := by_name.get(name, by_suffix.get(name)))}


def write_hierarchy(hierarchy: Hierarchy, path: Path, *, force: bool = False) -> None:
    """Write a hierarchy, one line per category."""
    write_text(path, hierarchy_text(hierarchy), force=force)


def hierarchy_text(hierarchy: Hierarchy) -> str:
    """Text of the file of a hierarchy."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=DELIMITER, lineterminator="\n")
    writer.writerows(zip(*hierarchy.levels, strict=True))
    return text.getvalue()
