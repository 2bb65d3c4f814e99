"""Edits of a schema: roles, kinds, edit rules and hierarchies, validated before they apply."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec
import tomli_w

from evomask.data.hierarchy import Hierarchy, fit_hierarchy
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.io.files import replace_text
from evomask.io.hierarchies import hierarchy_text, read_lines
from evomask.io.schemas import AttributeEntry, SchemaFile, read_schema
from evomask.runs.inputs import Input, load
from evomask.runs.onboarding.hierarchies import HierarchyJob, make_hierarchy

MOST_EARLIER = 50
"""Earlier schemas that are stored for undo."""

MOST_LINES = 200
"""Lines of a hierarchy that are shown."""


@dataclass(frozen=True)
class ColumnRole:
    """Kind and role that a user assigns to a column."""

    name: str
    kind: str
    role: str


@dataclass(frozen=True)
class HierarchyPreview:
    """Preview of a hierarchy: groups of each level, and lines of its file."""

    levels: tuple[int, ...]
    lines: tuple[tuple[str, ...], ...]
    text: str


class SchemaEditor:
    """The schema beside a data file, with earlier versions to undo changes.

    Args:
        data: the file of records.
        folder: folder of schema and hierarchies, readable by its owner only.
    """

    def __init__(self, data: Path, folder: Path) -> None:
        self._data, self._folder = data, folder

    @property
    def path(self) -> Path:
        return self._folder / "schema.toml"

    def change(self, columns: Iterable[ColumnRole], edits: Iterable[str]) -> None:
        """Apply kinds, roles and edit rules; raises if the file does not fit them."""
        assigned, rules = list(columns), [rule for rule in edits if rule.strip()]

        def assign(schema: SchemaFile) -> None:
            for column in assigned:
                entry = schema.attributes.setdefault(column.name, AttributeEntry())
                entry.kind, entry.role = Kind(column.kind), Role(column.role)
                if entry.kind is Kind.CONTINUOUS:
                    entry.categories, entry.hierarchy = [], None
            schema.rules.edits = rules

        self._change(assign)

    def undo(self) -> bool:
        earlier = self._earlier()
        if earlier:
            earlier[-1].replace(self.path)
        return bool(earlier)

    def can_undo(self) -> bool:
        return bool(self._earlier())

    def tree(self, column: str, by: str) -> HierarchyPreview:
        return _preview(make_hierarchy(HierarchyJob(self._input, column, by)).tree)

    def tree_of_text(self, column: str, text: str) -> HierarchyPreview:
        """Parse a hierarchy in ARX's format; it must have a line for every value."""
        draft = self._folder / "tree.draft"
        try:
            replace_text(draft, text)
            return _preview(fit_hierarchy(column, read_lines(draft), self._table(column)))
        finally:
            draft.unlink(missing_ok=True)

    def tree_now(self, column: str) -> HierarchyPreview:
        entry = read_schema(self.path).attributes.get(column)
        if entry is None or not entry.hierarchy:
            raise SchemaError(f"column {column!r} has no hierarchy yet; make one")
        return _preview(
            fit_hierarchy(column, read_lines(Path(entry.hierarchy)), self._table(column))
        )

    def keep_tree(self, column: str, tree: HierarchyPreview) -> None:
        names = list(read_schema(self.path).attributes)
        if column not in names:
            raise SchemaError(f"the schema has no column {column!r}; check the name")
        place = f"trees/column-{names.index(column) + 1}-{len(self._earlier())}.csv"
        (self._folder / "trees").mkdir(mode=0o700, exist_ok=True)
        replace_text(self._folder / place, tree.text)

        def set_hierarchy(schema: SchemaFile) -> None:
            schema.attributes[column].hierarchy = place

        self._change(set_hierarchy)

    @property
    def _input(self) -> Input:
        return Input(self._data, self.path)

    def _table(self, column: str) -> Table:
        table = load(self._input).table
        if not table.attribute(column).is_categorical:
            raise SchemaError(f"column {column!r} holds plain numbers; make it ordinal first")
        return table

    def _earlier(self) -> list[Path]:
        return sorted(self._folder.glob("schema-before-*.toml"))

    def _change(self, change: Callable[[SchemaFile], None]) -> None:
        """Write the changed schema if the file can be read with it; store the old one."""
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
        for old in earlier[: max(0, len(earlier) + 1 - MOST_EARLIER)]:
            old.unlink()


def copy_schema(source: Path, target: Path) -> None:
    """Copy a schema; it still names its hierarchies at their old paths."""
    replace_text(target, tomli_w.dumps(msgspec.to_builtins(read_schema(source))))


def _preview(tree: Hierarchy) -> HierarchyPreview:
    sizes = tuple(len(tree.labels(level)) for level in range(tree.height + 1))
    lines = tuple(zip(*tree.levels, strict=True))
    return HierarchyPreview(sizes, lines[:MOST_LINES], hierarchy_text(tree))
