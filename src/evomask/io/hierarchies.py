"""Value trees in ARX's CSV form: no header, a value and its ancestors, ``;`` between them."""

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path

from evomask.data.hierarchy import Hierarchy, Line
from evomask.data.schema import Schema
from evomask.errors import FileError
from evomask.io.dialects import likely_encoding, records
from evomask.io.files import whole_content, write_text

DELIMITER = ";"


def read_lines(path: Path) -> list[tuple[str, ...]]:
    """The lines of a hierarchy file, each a value and its ancestors, not yet checked."""
    try:
        content = whole_content(path)
    except FileNotFoundError:
        raise FileError(f"there is no hierarchy file {path}; check the name") from None
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from None
    encoding = likely_encoding(content)
    if encoding is None:
        raise FileError(f"{path} is not text; give a hierarchy as lines of text")
    try:
        return [tuple(line) for line in records(content.decode(encoding), DELIMITER) if line]
    except (csv.Error, UnicodeDecodeError):
        raise FileError(f"{path} is not a table of text; check its quotes and line ends") from None


def read_trees(schema: Schema, folder: Path | None = None) -> dict[str, list[Line]]:
    """The lines of the value trees that a schema names, by attribute; those in *folder* win."""
    paths = {a.name: Path(a.hierarchy) for a in schema if a.hierarchy}
    if folder is not None:
        paths |= find_hierarchies(folder, schema.names)
    return {name: list(read_lines(path)) for name, path in paths.items()}


def find_hierarchies(folder: Path, names: Iterable[str]) -> Mapping[str, Path]:
    """Files in *folder* by attribute: ``age.csv``, or as ARX has it ``adult_hierarchy_age.csv``."""
    if not folder.is_dir():
        raise FileError(f"there is no folder {folder} with hierarchies; check the name")
    by_name = {path.stem: path for path in sorted(folder.glob("*.csv"))}
    by_suffix = {stem.rpartition("hierarchy_")[2]: path for stem, path in by_name.items()}
    return {name: path for name in names if (path := by_name.get(name, by_suffix.get(name)))}


def write_hierarchy(hierarchy: Hierarchy, path: Path, *, force: bool = False) -> None:
    """Write a value tree, one line for each category."""
    write_text(path, text_of(hierarchy), force=force)


def text_of(hierarchy: Hierarchy) -> str:
    """A value tree as the text of its file."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=DELIMITER, lineterminator="\n")
    writer.writerows(zip(*hierarchy.levels, strict=True))
    return text.getvalue()
