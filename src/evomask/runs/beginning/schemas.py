"""Changing the schema of a file: roles, kinds, rules and value trees, checked before they count."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec
import tomli_w

from evomask.data.hierarchy import Hierarchy, fitted
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.io.files import replace_text
from evomask.io.hierarchies import read_lines, text_of
from evomask.io.schemas import AttributeEntry, SchemaFile, read_schema
from evomask.runs.beginning.trees import TreeJob, make_tree
from evomask.runs.inputs import Input, load

MOST_KEPT = 50
"""Earlier schemas that are kept, to go back to."""

MOST_SHOWN = 200
"""Values of a tree that are shown."""


@dataclass(frozen=True)
class Described:
    """What a person says of a column."""

    name: str
    kind: str
    role: str


@dataclass(frozen=True)
class TreeShown:
    """A value tree to look at: how many groups each level has, and lines of its file."""

    levels: tuple[int, ...]
    lines: tuple[tuple[str, ...], ...]
    text: str


class KeptSchema:
    """The schema beside a data file, with earlier ones to go back to.

    Args:
        data: the file of records.
        folder: where schema and value trees are kept, readable by their owner alone.
    """

    def __init__(self, data: Path, folder: Path) -> None:
        self._data, self._folder = data, folder

    @property
    def path(self) -> Path:
        """Where the schema is."""
        return self._folder / "schema.toml"

    def change(self, columns: Iterable[Described], edits: Iterable[str]) -> None:
        """Take over what is said of columns, and the rules; refused where the file differs."""
        wanted, rules = list(columns), [rule for rule in edits if rule.strip()]

        def said(schema: SchemaFile) -> None:
            for column in wanted:
                entry = schema.attributes.setdefault(column.name, AttributeEntry())
                entry.kind, entry.role = Kind(column.kind), Role(column.role)
                if entry.kind is Kind.CONTINUOUS:
                    entry.categories, entry.hierarchy = [], None
            schema.rules.edits = rules

        self._change(said)

    def undo(self) -> bool:
        """Go back to the schema before; whether there was one."""
        earlier = self._earlier()
        if earlier:
            earlier[-1].replace(self.path)
        return bool(earlier)

    def can_undo(self) -> bool:
        """Whether there is an earlier schema."""
        return bool(self._earlier())

    def tree(self, column: str, by: str) -> TreeShown:
        """The value tree of a column by a rule, to look at."""
        return _shown(make_tree(TreeJob(self._input, column, by)).tree)

    def tree_of_text(self, column: str, text: str) -> TreeShown:
        """A tree of one's own, in ARX's form; refused unless it has a line for every value."""
        draft = self._folder / "tree.draft"
        try:
            replace_text(draft, text)
            return _shown(fitted(column, read_lines(draft), self._table(column)))
        finally:
            draft.unlink(missing_ok=True)

    def tree_now(self, column: str) -> TreeShown:
        """The tree that the schema names for a column."""
        entry = read_schema(self.path).attributes.get(column)
        if entry is None or not entry.hierarchy:
            raise SchemaError(f"column {column!r} has no hierarchy yet; make one")
        return _shown(fitted(column, read_lines(Path(entry.hierarchy)), self._table(column)))

    def keep_tree(self, column: str, tree: TreeShown) -> None:
        """Let the schema name this tree for the column."""
        names = list(read_schema(self.path).attributes)
        if column not in names:
            raise SchemaError(f"the schema has no column {column!r}; check the name")
        place = f"trees/column-{names.index(column) + 1}-{len(self._earlier())}.csv"
        (self._folder / "trees").mkdir(mode=0o700, exist_ok=True)
        replace_text(self._folder / place, tree.text)

        def named(schema: SchemaFile) -> None:
            schema.attributes[column].hierarchy = place

        self._change(named)

    @property
    def _input(self) -> Input:
        return Input(self._data, self.path)

    def _table(self, column: str) -> Table:
        """The table, where the column can have a tree."""
        table = load(self._input).table
        if not table.attribute(column).is_categorical:
            raise SchemaError(f"column {column!r} holds plain numbers; make it ordinal first")
        return table

    def _earlier(self) -> list[Path]:
        return sorted(self._folder.glob("schema-before-*.toml"))

    def _change(self, change: Callable[[SchemaFile], None]) -> None:
        """Write the changed schema once the file can be read by it; the one before is kept."""
        schema = read_schema(self.path)
        for entry in schema.attributes.values():
            if entry.hierarchy:
                entry.hierarchy = os.path.relpath(entry.hierarchy, self._folder)
        change(schema)
        draft = self._folder / "schema.draft"
        try:
            replace_text(draft, tomli_w.dumps(msgspec.to_builtins(schema)))
            _ = load(Input(self._data, draft)).trees
            self._keep_earlier()
            draft.replace(self.path)
        finally:
            draft.unlink(missing_ok=True)

    def _keep_earlier(self) -> None:
        earlier = self._earlier()
        last = int(earlier[-1].stem.rpartition("-")[2]) if earlier else 0
        before = self._folder / f"schema-before-{last + 1:06d}.toml"
        replace_text(before, self.path.read_text(encoding="utf-8"))
        for old in earlier[: max(0, len(earlier) + 1 - MOST_KEPT)]:
            old.unlink()


def copy_schema(source: Path, target: Path) -> None:
    """Write a schema once more elsewhere; it goes on naming the value trees where they are."""
    replace_text(target, tomli_w.dumps(msgspec.to_builtins(read_schema(source))))


def _shown(tree: Hierarchy) -> TreeShown:
    sizes = tuple(len(tree.labels(level)) for level in range(tree.height + 1))
    lines = tuple(zip(*tree.levels, strict=True))
    return TreeShown(sizes, lines[:MOST_SHOWN], text_of(tree))
