"""Value trees made for columns: one as a user wants it, or one for every quasi-identifier."""

from dataclasses import dataclass, replace
from pathlib import Path

from evomask.data.hierarchy import Hierarchy, of_lines
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.data.trees.making import by_rule, lines_of, rule_of, suiting
from evomask.errors import FileError
from evomask.io.files import check_target
from evomask.io.hierarchies import text_of, write_hierarchy
from evomask.runs.inputs import Input, files_of, load


@dataclass(frozen=True)
class TreeJob:
    """The column whose tree is made, the rule in a user's words, and where to write."""

    source: Input
    column: str
    by: str = "suiting"
    out: Path | None = None
    force: bool = False


@dataclass(frozen=True)
class TreeOutcome:
    """A value tree, as data and as the text of its file."""

    tree: Hierarchy
    text: str

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many values or groups each level has."""
        return tuple(len(self.tree.labels(level)) for level in range(self.tree.height + 1))

    @property
    def in_words(self) -> str:
        """What the levels hold."""
        groups = ", ".join(str(size) for size in self.sizes[1:])
        return f"{self.sizes[0]} values, level by level in groups: {groups}"


def make_tree(job: TreeJob) -> TreeOutcome:
    """The value tree of a column by a rule; written where the job says so."""
    rule = rule_of(job.by)
    if job.out is not None:
        check_target(job.out, force=job.force, inputs=files_of(job.source))
    table = load(_with_categories(job.source, job.column)).table
    table.attribute(job.column)
    tree = of_lines(lines_of(by_rule(table, job.column, rule)))
    if job.out is not None:
        write_hierarchy(tree, job.out, force=job.force)
    return TreeOutcome(tree, text_of(tree))


def _with_categories(source: Input, column: str) -> Input:
    """The input with its numbers as ordered categories where nobody says what the column is."""
    table = load(source).table
    if table.attribute(column).is_categorical:
        return source
    return replace(source, ordinal=(*source.ordinal, column))


def write_trees(table: Table, folder: Path) -> dict[str, str]:
    """A tree for every quasi-identifier with categories, in a new folder; files by column.

    Files are numbered as columns are: no name of a column becomes one of a file.
    """
    if folder.exists():
        raise FileError(f"{folder} exists already; name a new folder for the hierarchies")
    wanted = [a for a in table.schema if a.role is Role.QUASI_IDENTIFIER and a.is_categorical]
    trees = {a.name: of_lines(lines_of(suiting(table, a.name))) for a in wanted}
    try:
        folder.mkdir()
    except OSError as error:
        raise FileError(f"{folder} cannot be made: {error.strerror or error}") from None
    places = {name: number for number, name in enumerate(table.schema.names, 1)}
    paths = {name: folder / f"column-{places[name]}.csv" for name in trees}
    for name, tree in trees.items():
        write_hierarchy(tree, paths[name])
    return {name: str(path) for name, path in paths.items()}
