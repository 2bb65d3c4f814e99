"""Hierarchies built for one column, or for every categorical quasi-identifier."""

from dataclasses import dataclass, replace
from pathlib import Path

from evomask.data.hierarchy import Hierarchy, hierarchy_from_lines
from evomask.data.hierarchy_builders.builder import (
    automatic_hierarchy,
    hierarchy_by_rule,
    lines_of,
    parse_builder_rule,
)
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.errors import FileError
from evomask.io.files import check_target
from evomask.io.hierarchies import hierarchy_text, write_hierarchy
from evomask.runs.inputs import Input, files_of, load


@dataclass(frozen=True)
class HierarchyJob:
    """The column, the rule in the user's words, and the output path."""

    source: Input
    column: str
    by: str = "suiting"
    out: Path | None = None
    force: bool = False


@dataclass(frozen=True)
class HierarchyOutcome:
    """A hierarchy, as data and as the text of its file."""

    tree: Hierarchy
    text: str

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(self.tree.labels(level)) for level in range(self.tree.height + 1))

    @property
    def in_words(self) -> str:
        groups = ", ".join(str(size) for size in self.sizes[1:])
        return f"{self.sizes[0]} values, level by level in groups: {groups}"


def make_hierarchy(job: HierarchyJob) -> HierarchyOutcome:
    """Build the hierarchy of a column by a rule, and write it if the job names a file."""
    rule = parse_builder_rule(job.by)
    if job.out is not None:
        check_target(job.out, force=job.force, inputs=files_of(job.source))
    table = load(_with_categories(job.source, job.column)).table
    table.attribute(job.column)
    tree = hierarchy_from_lines(lines_of(hierarchy_by_rule(table, job.column, rule)))
    if job.out is not None:
        write_hierarchy(tree, job.out, force=job.force)
    return HierarchyOutcome(tree, hierarchy_text(tree))


def _with_categories(source: Input, column: str) -> Input:
    """The input with a numeric column as ordinal if its kind is not declared."""
    table = load(source).table
    if table.attribute(column).is_categorical:
        return source
    return replace(source, ordinal=(*source.ordinal, column))


def write_hierarchies(table: Table, folder: Path) -> dict[str, str]:
    """Write a hierarchy for each categorical quasi-identifier; return files by column.

    Files are numbered like columns, so no column name becomes a file name.
    """
    if folder.exists():
        raise FileError(f"{folder} exists already; name a new folder for the hierarchies")
    chosen = [a for a in table.schema if a.role is Role.QUASI_IDENTIFIER and a.is_categorical]
    trees = {
        a.name: hierarchy_from_lines(lines_of(automatic_hierarchy(table, a.name))) for a in chosen
    }
    try:
        folder.mkdir()
    except OSError as error:
        raise FileError(f"{folder} cannot be created: {error.strerror or error}") from None
    places = {name: number for number, name in enumerate(table.schema.names, 1)}
    paths = {name: folder / f"column-{places[name]}.csv" for name in trees}
    for name, tree in trees.items():
        write_hierarchy(tree, paths[name])
    return {name: str(path) for name, path in paths.items()}
