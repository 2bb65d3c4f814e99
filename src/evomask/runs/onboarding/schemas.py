"""Schemas of files: proposals, hierarchies of columns, edits with undo, and the bundled example."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import msgspec
import tomli_w

from evomask.data.frames import Declaration
from evomask.data.hierarchy import Hierarchy, fit_hierarchy, hierarchy_from_lines
from evomask.data.hierarchy_builders import (
    automatic_hierarchy,
    hierarchy_by_rule,
    lines_of,
    parse_builder_rule,
)
from evomask.data.roles.proposal import Proposal, ProposedSchema
from evomask.data.roles.proposal import propose as propose_for
from evomask.data.roles.scenarios import ProposedScenario, propose_scenarios
from evomask.data.scenario import Scenario
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.errors import FileError, SchemaError
from evomask.io.datasets import write_survey
from evomask.io.files import check_target, replace_text, write_text
from evomask.io.hierarchies import hierarchy_text, read_lines, write_hierarchy
from evomask.io.scenario_library import read_library
from evomask.io.schemas import (
    AttributeEntry,
    ScenarioEntry,
    SchemaFile,
    read_schema,
    schema_text,
)
from evomask.io.sources import Source
from evomask.io.tables import read_source
from evomask.runs.inputs import Input, files_of, load

ProposedColumn: TypeAlias = Proposal
ProposedColumns: TypeAlias = ProposedSchema


@dataclass(frozen=True)
class FileProposal:
    """Proposed kinds and roles for a file, as data and as the text of a schema file.

    Args:
        input: the file, and what its user declared.
        source: the file as it was read.
        scenarios: proposed scenarios.
        adopted: names of those that are part of the schema; the others are comments in its file.
    """

    input: Input
    proposed: ProposedSchema
    source: Source
    scenarios: tuple[ProposedScenario, ...] = ()
    adopted: tuple[str, ...] = ()

    @property
    def records(self) -> int:
        return self.source.frame.height

    @property
    def text(self) -> str:
        """The proposal as a schema file, with a reason for every entry."""
        name = self.input.path.name
        dialect = self.source.dialect or self.input.dialect
        return schema_text(self.proposed, name, self.records, dialect, self.scenarios, self.adopted)


def propose(
    source: Input, library: Path | None = None, adopted: tuple[str, ...] = ()
) -> FileProposal:
    """Propose kind and role of every column of a file, and scenarios; declared roles are adopted.

    If texts among numbers look like missing values, the file is read again with them declared.

    Args:
        library: file that extends the library of scenarios.
        adopted: names of proposed scenarios that the schema shall have.
    """
    scenarios = read_library(library)
    scenarios.named(adopted)
    read = read_source(source.path, source.dialect)
    proposed = propose_roles(read.table(), source.roles)
    if proposed.missing:
        source = replace(source, missing=(*source.missing, *proposed.missing))
        read = read_source(source.path, source.dialect)
        proposed = propose_roles(read.table(), source.roles)
    found = propose_scenarios(proposed.attributes, scenarios)
    for name in adopted:
        if all(one.scenario.name != name for one in found):
            raise SchemaError(
                f"scenario {name!r} does not suit the file: no quasi-identifiers have names of "
                "what it knows; describe it below [scenarios] in the schema"
            )
    return FileProposal(source, proposed, read, found, adopted)


def propose_roles(table: Table, stated: Mapping[str, Role] | None = None) -> ProposedSchema:
    """Propose kinds and roles for a table in memory, such as one made from a data frame.

    Its `declarations` turn the proposal into a table; before that, all `questions` must be answered
    by *stated* roles.
    """
    return propose_for(table, stated)


def write_proposal(proposition: FileProposal, path: Path) -> bool:
    """Write the proposal unless a file exists; return whether the file now has the proposal."""
    if path.exists():
        return _text_of(path) == proposition.text
    write_text(path, proposition.text)
    return True


def accept_proposal(proposition: FileProposal, path: Path) -> Input:
    """Return the input with the proposed schema at *path*; open questions raise."""
    if proposition.proposed.questions:
        raise SchemaError(proposition.proposed.questions[0])
    if not write_proposal(proposition, path):
        raise FileError(
            f"{path} differs from the current proposal; use it with --schema, or remove it"
        )
    return replace(proposition.input, schema=path)


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def propose_schema(
    source: Input,
    out: Path | None = None,
    *,
    hierarchies: Path | None = None,
    library: Path | None = None,
    scenarios: tuple[str, ...] = (),
    force: bool = False,
) -> FileProposal:
    """Inspect a file and propose its schema; write it to *out*.

    Args:
        hierarchies: new folder for a hierarchy of each categorical quasi-identifier.
        library: file that extends the library of scenarios.
        scenarios: names of proposed scenarios that the schema shall have.
    """
    if out is not None:
        check_target(out, force=force, inputs=[source.path])
    found = propose(source, library, scenarios)
    if hierarchies is not None:
        home = out.parent if out is not None else Path()
        trees = _with_hierarchies(found.source, found.proposed, hierarchies, home)
        found = replace(found, proposed=trees)
    if out is not None:
        write_text(out, found.text, force=force)
    return found


def _with_hierarchies(
    source: Source, proposed: ProposedSchema, folder: Path, home: Path
) -> ProposedSchema:
    table = source.table(
        {a.name: Declaration(a.kind, a.role, a.categories) for a in proposed.attributes}
    )
    paths = write_hierarchies(table, folder)
    files = {name: os.path.relpath(path, home) for name, path in paths.items()}
    attributes = (replace(a, hierarchy=files.get(a.name, "")) for a in proposed.attributes)
    return replace(proposed, attributes=tuple(attributes))


def write_example(
    folder: Path, n_records: int = 3000, seed: int = 1, *, force: bool = False
) -> tuple[Path, ...]:
    """Write the synthetic household survey, its schema and its hierarchies into *folder*."""
    if folder.exists() and not folder.is_dir():
        raise FileError(f"{folder} is a file; give the name of a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return write_survey(folder, n_records, seed, force=force)
    except OSError as error:
        raise FileError(f"{folder} cannot be written to: {error.strerror or error}") from None


MOST_LINES = 200
"""Lines of a hierarchy that are shown."""


@dataclass(frozen=True)
class HierarchyPreview:
    """Preview of a hierarchy: groups of each level, first lines and text of its file."""

    levels: tuple[int, ...]
    lines: tuple[tuple[str, ...], ...]
    text: str

    @classmethod
    def of(cls, tree: Hierarchy) -> "HierarchyPreview":
        sizes = tuple(len(tree.labels(level)) for level in range(tree.height + 1))
        lines = tuple(zip(*tree.levels, strict=True))
        return cls(sizes, lines[:MOST_LINES], hierarchy_text(tree))


def make_hierarchy(
    source: Input, column: str, by: str = "suiting", out: Path | None = None, *, force: bool = False
) -> HierarchyPreview:
    """Build the hierarchy of a column by a rule, and write it to *out*."""
    rule = parse_builder_rule(by)
    if out is not None:
        check_target(out, force=force, inputs=files_of(source))
    table = load(_with_categories(source, column)).table
    table.attribute(column)
    tree = hierarchy_from_lines(lines_of(hierarchy_by_rule(table, column, rule)))
    if out is not None:
        write_hierarchy(tree, out, force=force)
    return HierarchyPreview.of(tree)


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


MOST_EARLIER = 50
"""Earlier schemas that are stored for undo."""


@dataclass(frozen=True)
class ColumnRole:
    """Kind and role that a user assigns to a column."""

    name: str
    kind: str
    role: str


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

    def change_scenarios(self, scenarios: Sequence[Scenario]) -> None:
        """Replace the scenarios; raises if the file does not fit them."""
        names = [one.name for one in scenarios]
        if len(set(names)) < len(names):
            raise SchemaError(f"two scenarios have the same name; there are {', '.join(names)}")

        def assign(schema: SchemaFile) -> None:
            schema.scenarios = {one.name: ScenarioEntry.of_scenario(one) for one in scenarios}

        self._change(assign)

    def undo(self) -> bool:
        earlier = self._earlier()
        if earlier:
            earlier[-1].replace(self.path)
        return bool(earlier)

    def can_undo(self) -> bool:
        return bool(self._earlier())

    def tree(self, column: str, by: str) -> HierarchyPreview:
        return make_hierarchy(self._input, column, by)

    def tree_of_text(self, column: str, text: str) -> HierarchyPreview:
        """Parse a hierarchy in ARX's format; it must have a line for every value."""
        draft = self._folder / "tree.draft"
        try:
            replace_text(draft, text)
            return HierarchyPreview.of(
                fit_hierarchy(column, read_lines(draft), self._table(column))
            )
        finally:
            draft.unlink(missing_ok=True)

    def tree_now(self, column: str) -> HierarchyPreview:
        entry = read_schema(self.path).attributes.get(column)
        if entry is None or not entry.hierarchy:
            raise SchemaError(f"column {column!r} has no hierarchy yet; build one first")
        tree = fit_hierarchy(column, read_lines(Path(entry.hierarchy)), self._table(column))
        return HierarchyPreview.of(tree)

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
