"""From a file and what a user says of its columns to a table."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from evomask.data.frames import Declaration, Declarations, storage_of
from evomask.data.hierarchy import Hierarchy, TreeLines, all_fitted
from evomask.data.roles.identifying import identifying_columns
from evomask.data.rules.edits import rules_of
from evomask.data.schema import MISSING, Kind, Role, Schema, Storage
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.io.dialects import Dialect
from evomask.io.hierarchies import read_trees
from evomask.io.origins import Origin
from evomask.io.schemas import SchemaFile, read_schema
from evomask.io.tables import Source, read_source
from evomask.masking.recoding.following import led_columns
from evomask.measures.keeping.keeping import NO_STATISTICS, Keeping
from evomask.record.statement import NOTHING_SAID, Statement


@dataclass(frozen=True)
class Input:
    """A data file, and what is said of its columns: by a schema file, by name, or not at all."""

    path: Path
    schema: Path | None = None
    quasi_identifiers: tuple[str, ...] = ()
    confidential: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    ordinal: tuple[str, ...] = ()
    nominal: tuple[str, ...] = ()
    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    missing: tuple[str, ...] = ()
    household: str = ""
    keep: tuple[str, ...] = ()
    weight: str = ""

    @property
    def is_described(self) -> bool:
        """Whether somebody says which columns an intruder may know."""
        return self.schema is not None or bool(self.quasi_identifiers)

    @property
    def dialect(self) -> Dialect:
        """How the user says that a text file is written."""
        return Dialect(self.delimiter, self.encoding, self.missing, self.decimal)

    @property
    def roles(self) -> dict[str, Role]:
        """The roles of columns that are named; two for one column are an error."""
        named = (
            *((name, Role.QUASI_IDENTIFIER) for name in self.quasi_identifiers),
            *((name, Role.CONFIDENTIAL) for name in self.confidential),
            *((name, Role.IDENTIFIER) for name in self.identifiers),
            *((name, Role.HOUSEHOLD) for name in filter(None, [self.household])),
            *((name, Role.WEIGHT) for name in filter(None, [self.weight])),
            *((name, Role.OTHER) for name in self.keep),
        )
        return roles_of(named)


def roles_of(named: Iterable[tuple[str, Role]]) -> dict[str, Role]:
    """One role for each column; two for one column are an error."""
    roles: dict[str, Role] = {}
    for name, role in named:
        if roles.setdefault(name, role) is not role:
            raise SchemaError(
                f"column {name!r} is said to be {roles[name]} and {role}; choose one role"
            )
    return roles


@dataclass(frozen=True)
class Loaded:
    """A table, how its text file is written, and what the user should know about that.

    Args:
        hierarchies: the value trees that came with it, as their files hold them; whether one
            fits the table is checked where it is used.
        keep: statistics that must survive, as the schema names them; checked where they are used.
        origin: the file's columns as they stand there, to write back what masking left alone.
        stated: columns whose role somebody named.
        statement: what the schema says of the release, for its record.
    """

    table: Table
    dialect: Dialect | None
    notes: tuple[str, ...]
    hierarchies: TreeLines = field(default_factory=dict)
    keep: Keeping = NO_STATISTICS
    origin: Origin | None = field(default=None, repr=False)
    stated: frozenset[str] = frozenset()
    statement: Statement = NOTHING_SAID

    @property
    def trees(self) -> dict[str, Hierarchy]:
        """The value trees fitted to the table; what does not fit is told at once."""
        return all_fitted(self.hierarchies, self.table)


def files_of(source: Input) -> tuple[Path, ...]:
    """The files that an input consists of: data, schema, and value trees that it names."""
    if source.schema is None:
        return (source.path,)
    trees = [d.hierarchy for d in read_schema(source.schema).declarations.values() if d.hierarchy]
    return (source.path, source.schema, *map(Path, trees))


USUAL = Dialect(",", "utf-8", decimal=".")


def check_described(source: Input) -> None:
    """Refuse a file whose columns nobody described: what is released must have a stated role."""
    if not source.is_described:
        raise SchemaError(
            f"nobody said what the columns of {source.path} are; name those that others may know "
            "with --quasi, or accept a proposal, or write a schema with `evomask init`"
        )


def check_stated(table: Table, stated: Collection[str]) -> None:
    """Refuse columns that would be released as they are and look as if they told who it is."""
    for name, why in identifying_columns(table).items():
        if name not in stated:
            raise SchemaError(
                f"column {name!r} {why} and would be released as it is; leave it out with --drop, "
                "or say that it may be released with --keep, or name its role in the schema"
            )


def load(source: Input, hierarchies: Path | None = None) -> Loaded:
    """Read the file under the schema and the names given; names win over the schema.

    Its value trees are those that the schema names, and those in the folder *hierarchies*.
    Edit rules that cannot be understood are refused.
    """
    schema = read_schema(source.schema) if source.schema else SchemaFile()
    read = read_source(source.path, _dialect(source, schema))
    table = read.table(_declarations(source, schema))
    table = table.with_schema(replace(table.schema, edits=tuple(schema.rules.edits)))
    rules_of(table.schema)
    table, assumed = with_quasi_identifiers(table)
    table = table.with_schema(led_columns(table.schema))
    trees = read_trees(table.schema, hierarchies)
    keep = Keeping(tuple(schema.keep.tables), tuple(schema.keep.models))
    notes, origin = (*_unusual(read.dialect), *assumed), read.origin(table, source.path)
    stated = schema.stated | source.roles.keys()
    said = Statement(**msgspec.structs.asdict(schema.release))
    return Loaded(table, read.dialect, notes, trees, keep, origin, stated, said)


def declarations_of(source: Input) -> tuple[dict[str, Declaration], SchemaFile]:
    """What the schema and the names given say of columns, and the schema's file."""
    schema = read_schema(source.schema) if source.schema else SchemaFile()
    return _declarations(source, schema), schema


def load_released(source: Input) -> Loaded:
    """Read a masked file without its original: records can be alike, and that is all.

    What a schema says of columns that are gone is passed over, and so is a kind that the cells
    no longer have because they were recoded.
    """
    schema = read_schema(source.schema) if source.schema else SchemaFile()
    read = read_source(source.path, _dialect(source, schema))
    loaded = released_of(read, _declarations(source, schema), _declarations(source, SchemaFile()))
    return replace(loaded, notes=(*_unusual(read.dialect), *loaded.notes))


def released_of(read: Source, said: Declarations, named: Collection[str]) -> Loaded:
    """The records of a masked file at hand; columns that are *named* must be there."""
    gone = [n for n in said if n not in read.frame.columns and n not in named]
    declared = {n: d for n, d in said.items() if n not in gone}
    table = read.table({name: _as_released(read, name, own) for name, own in declared.items()})
    table, assumed = with_quasi_identifiers(table)
    missed = [n for n in gone if said[n].role in (Role.QUASI_IDENTIFIER, Role.CONFIDENTIAL)]
    notes = (f"not in the file: {', '.join(missed)}",) if missed else ()
    return Loaded(table, read.dialect, (*assumed, *notes))


def _as_released(read: Source, name: str, declared: Declaration) -> Declaration:
    """The role, and the kind only where it matters and the cells still have it."""
    ordered = declared.role in (Role.CONFIDENTIAL, Role.WEIGHT) and name in read.frame.columns
    return declared if ordered and _fits(read, name, declared) else Declaration(role=declared.role)


def _fits(read: Source, name: str, declared: Declaration) -> bool:
    if declared.kind is Kind.CONTINUOUS:
        return storage_of(read.frame[name]) is not Storage.TEXT
    cells = {str(cell) for cell in read.frame[name].unique().drop_nulls()}
    return not declared.categories or cells <= {*declared.categories, MISSING}


def _unusual(dialect: Dialect | None) -> tuple[str, ...]:
    """How a text file was taken to be written, where that is not the plain way."""
    plain = dialect is None or str(dialect) == str(USUAL)
    return () if plain else (f"read as text with {dialect}",)


def with_quasi_identifiers(table: Table) -> tuple[Table, tuple[str, ...]]:
    """The table, and where nobody named its quasi-identifiers all numbers in that role."""
    if table.schema.quasi_identifiers:
        return table, ()
    numeric = [a.name for a in table.schema if _is_free_number(table.schema, a.name)]
    schema = table.schema.assigning(dict.fromkeys(numeric, Role.QUASI_IDENTIFIER))
    note = (
        f"no quasi-identifiers were named: taking all {len(numeric)} numeric columns; "
        "name them with --quasi or a schema"
    )
    return table.with_schema(schema), (note,)


def _is_free_number(schema: Schema, name: str) -> bool:
    return schema[name].kind is Kind.CONTINUOUS and schema[name].role is Role.OTHER


def _dialect(source: Input, schema: SchemaFile) -> Dialect:
    written = schema.dialect
    return replace(
        written,
        delimiter=source.delimiter or written.delimiter,
        encoding=source.encoding or written.encoding,
        decimal=source.decimal or written.decimal,
        missing=source.missing or written.missing,
    )


def _declarations(source: Input, schema: SchemaFile) -> dict[str, Declaration]:
    declared = dict(schema.declarations)
    for name, role in source.roles.items():
        before = declared.get(name, Declaration()).role
        if not before.is_released and role.is_released:
            raise SchemaError(
                f"column {name!r} is {before} in the schema and {role} by name; choose one role"
            )
        _say(declared, [name], role=role)
    _say(declared, source.ordinal, kind=Kind.ORDINAL)
    _say(declared, source.nominal, kind=Kind.NOMINAL)
    return declared


def _say(
    declared: dict[str, Declaration],
    names: Iterable[str],
    *,
    role: Role | None = None,
    kind: Kind | None = None,
) -> None:
    for name in names:
        before = declared.get(name, Declaration())
        declared[name] = replace(before, role=role or before.role, kind=kind or before.kind)
