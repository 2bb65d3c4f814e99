"""What the columns of a frame are, said in code, and the table that comes of it."""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from evomask.data.frames import Declaration
from evomask.data.hierarchy import Hierarchy
from evomask.data.intake import Frame
from evomask.data.schema import Kind, Role
from evomask.errors import SchemaError

if TYPE_CHECKING:
    from evomask.io.schemas import AttributeEntry, SchemaFile
    from evomask.runs.inputs import Loaded

Tree: TypeAlias = str | Path | Hierarchy | Mapping[str, Sequence[str]] | Sequence[Sequence[str]]
"""A value tree: a file, one that was made, or for each value its ancestors."""

ROLES = {
    "quasi": Role.QUASI_IDENTIFIER,
    "confidential": Role.CONFIDENTIAL,
    "drop": Role.IDENTIFIER,
    "keep": Role.OTHER,
    "strata": Role.STRATUM,
}
KINDS = {"ordinal": Kind.ORDINAL, "nominal": Kind.NOMINAL, "continuous": Kind.CONTINUOUS}
STATISTICS = ("edits", "keep_tables", "keep_models")
LISTS = (*ROLES, *KINDS, *STATISTICS)
MAPPINGS = ("hierarchies", "categories", "decimals", "linked")
GIVEN = "given in code"
"""What stands for the file of a value tree that has none."""


@dataclass(frozen=True, kw_only=True)
class Schema:
    """What the columns of a frame are: roles, kinds, weights, hierarchies.

    Args:
        quasi: columns that an intruder may know.
        confidential: sensitive columns, for l, t and what can be inferred.
        drop: identifiers, left out of every result.
        keep: columns to keep though they look identifying.
        ordinal: columns whose categories have an order.
        nominal: columns whose values can only be compared.
        continuous: columns of numbers that can be averaged.
        strata: columns within whose combinations everything is masked on its own.
        weight: column with the number of people a record stands for.
        household: column that tells households; left out of every result.
        hierarchies: value trees by column: a file, what `hierarchy` made, or a mapping from
            each value to its ancestors.
        categories: all categories of a column, by column; from lowest to highest, unless it is
            said to be nominal.
        decimals: released digits after the point, by column; as the column has them if not said.
        linked: columns that follow from another one and are masked with it, such as
            ``{"education_years": "education"}``.
        edits: rules that every released record must obey, such as ``start <= end``.
        keep_tables: tables that must survive, such as ``education x sex: mean hours``.
        keep_models: models that must survive, such as ``income ~ age + education``.

    Columns that are not named are released as they are, with the kind that their type tells.

    Example:
        import evomask

        schema = evomask.Schema(
            quasi=["age", "sex", "education"],
            confidential=["income"],
            drop=["person", "name", "household"],
            ordinal=["age"],
            categories={"health": ["very good", "good", "fair", "bad", "very bad"]},
        )
        people = evomask.read("survey.csv")
        assert evomask.audit(people, schema=schema).k == 1
    """

    quasi: Iterable[str] = ()
    confidential: Iterable[str] = ()
    drop: Iterable[str] = ()
    keep: Iterable[str] = ()
    ordinal: Iterable[str] = ()
    nominal: Iterable[str] = ()
    continuous: Iterable[str] = ()
    strata: Iterable[str] = ()
    weight: str | None = None
    household: str | None = None
    hierarchies: Mapping[str, Tree] = field(default_factory=dict)
    categories: Mapping[str, Sequence[str]] = field(default_factory=dict)
    decimals: Mapping[str, int] = field(default_factory=dict)
    linked: Mapping[str, str] = field(default_factory=dict)
    edits: Iterable[str] = ()
    keep_tables: Iterable[str] = ()
    keep_models: Iterable[str] = ()

    def __post_init__(self) -> None:
        for name in LISTS:
            given = getattr(self, name)
            whole = (given,) if isinstance(given, str) else tuple(given)
            object.__setattr__(self, name, whole)
        for name in MAPPINGS:
            object.__setattr__(self, name, dict(getattr(self, name)))
        _ = self.roles

    @classmethod
    def read(cls, path: str | Path) -> "Schema":
        """The schema in a TOML file, as ``evomask init`` proposes one."""
        from evomask.io.schemas import read_schema

        return _of_file(read_schema(Path(path)))

    def write(self, path: str | Path, *, force: bool = False) -> Path:
        """Write it as a TOML file for the command line; hierarchies must be files for that."""
        from evomask.io.files import write_text
        from evomask.io.schemas import schema_file_text

        target = Path(path)
        write_text(target, schema_file_text(_as_file(self, target.parent)), force=force)
        return target

    @property
    def roles(self) -> dict[str, Role]:
        """The role of every column that is named; two for one column are an error."""
        from evomask.runs.inputs import roles_of

        named = [(name, role) for key, role in ROLES.items() for name in getattr(self, key)]
        if self.weight is not None:
            named.append((self.weight, Role.WEIGHT))
        if self.household is not None:
            named.append((self.household, Role.HOUSEHOLD))
        return roles_of(named)

    @property
    def kinds(self) -> dict[str, Kind]:
        """The kind of every column that is named with one."""
        ordered = dict.fromkeys(self.categories, Kind.ORDINAL)
        return ordered | {name: kind for key, kind in KINDS.items() for name in getattr(self, key)}

    def __repr__(self) -> str:
        """The fields that say something; value trees by the names of their columns."""
        said = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name)}
        if self.hierarchies:
            said["hierarchies"] = tuple(self.hierarchies)
        parts = (f"{name}={_shown(value)}" for name, value in said.items())
        return f"Schema({', '.join(parts)})"


def declarations_of(schema: Schema) -> dict[str, Declaration]:
    """What is said of each column, for a table."""
    kinds, roles = schema.kinds, schema.roles
    named = [*roles, *kinds, *schema.hierarchies, *schema.decimals, *schema.linked]
    return {
        name: Declaration(
            kinds.get(name),
            roles.get(name, Role.OTHER),
            tuple(map(str, schema.categories.get(name, ()))),
            schema.decimals.get(name),
            _tree_name(schema.hierarchies.get(name)),
            linked=schema.linked.get(name, ""),
        )
        for name in dict.fromkeys(named)
    }


def _shown(value: object) -> str:
    return repr(list(value)) if isinstance(value, tuple) else repr(value)


def _tree_name(tree: Tree | None) -> str | None:
    return None if tree is None else str(tree) if isinstance(tree, str | Path) else GIVEN


def _of_file(file: "SchemaFile") -> Schema:
    entries = file.attributes
    roles = {name: entry.role for name, entry in entries.items()}
    named = {key: [n for n in roles if roles[n] is role] for key, role in ROLES.items()}
    kinds = {key: [n for n in entries if _kind(entries[n]) is k] for key, k in KINDS.items()}
    alone = {role: _only_one(roles, role) for role in (Role.WEIGHT, Role.HOUSEHOLD)}
    return Schema(
        **named,
        **kinds,
        weight=alone[Role.WEIGHT],
        household=alone[Role.HOUSEHOLD],
        hierarchies={n: e.hierarchy for n, e in entries.items() if e.hierarchy},
        categories={n: e.categories for n, e in entries.items() if e.categories},
        decimals={n: e.decimals for n, e in entries.items() if e.decimals is not None},
        linked={n: e.linked for n, e in entries.items() if e.linked},
        edits=file.rules.edits,
        keep_tables=file.keep.tables,
        keep_models=file.keep.models,
    )


def _kind(entry: "AttributeEntry") -> Kind | None:
    """The kind that is said; of categories without one, the kind of texts."""
    return entry.kind or (Kind.NOMINAL if entry.categories else None)


def _only_one(roles: Mapping[str, Role | None], role: Role) -> str | None:
    names = [name for name, its in roles.items() if its is role]
    if len(names) > 1:
        raise SchemaError(f"{' and '.join(map(repr, names))} are both a {role}; name one of them")
    return names[0] if names else None


def _as_file(schema: Schema, home: Path) -> "SchemaFile":
    from evomask.io.schemas import AttributeEntry, KeepSection, RulesSection, SchemaFile

    made = [name for name, tree in schema.hierarchies.items() if not isinstance(tree, str | Path)]
    if made:
        raise SchemaError(
            f"the hierarchy of {made[0]!r} is in no file; write it with evomask.write_hierarchy "
            "first, and name the file"
        )
    roles = schema.roles
    return SchemaFile(
        attributes={
            name: AttributeEntry(
                said.kind,
                roles.get(name),
                list(said.categories),
                said.decimals,
                said.hierarchy and os.path.relpath(said.hierarchy, home),
                said.linked,
            )
            for name, said in declarations_of(schema).items()
        },
        rules=RulesSection(list(schema.edits)),
        keep=KeepSection(list(schema.keep_tables), list(schema.keep_models)),
    )


def schema_of(given: "Schema | str | Path | None", words: Schema) -> Schema:
    """A schema with what was said by name in a call, which wins over it."""
    if given is None:
        return words
    known = given if isinstance(given, Schema) else Schema.read(given)
    _check_dropped(known.roles, words.roles)
    merged: dict[str, Any] = {key: _with(known, words, key, words.roles) for key in ROLES}
    merged |= {key: _with(known, words, key, words.kinds) for key in KINDS}
    merged |= {key: _with(known, words, key, ()) for key in STATISTICS}
    merged |= {key: {**getattr(known, key), **getattr(words, key)} for key in MAPPINGS}
    for key in ("weight", "household"):
        before = getattr(known, key)
        merged[key] = getattr(words, key) or (None if before in words.roles else before)
    return Schema(**merged)


def _with(known: Schema, words: Schema, key: str, named: Collection[str]) -> list[str]:
    """A list of a schema without columns that a call says otherwise of, and with the call's."""
    return [*(name for name in getattr(known, key) if name not in named), *getattr(words, key)]


def _check_dropped(known: Mapping[str, Role], named: Mapping[str, Role]) -> None:
    for name in known.keys() & named.keys():
        if not known[name].is_released and named[name].is_released:
            raise SchemaError(
                f"column {name!r} is {known[name]} in the schema and {named[name]} by name; "
                "choose one role"
            )


def loaded_frame(frame: Frame, schema: Schema) -> "Loaded":
    """A frame's records under a schema, with its value trees and all that it says besides."""
    from evomask.data.rules.edits import rules_of
    from evomask.io.tables import source_of
    from evomask.runs.inputs import Loaded
    from evomask.runs.kept.keeping import keeping

    source = source_of(frame)
    table = source.table(declarations_of(schema))
    table = table.with_schema(replace(table.schema, edits=tuple(schema.edits)))
    rules_of(table.schema)
    trees = {name: tree_lines(tree) for name, tree in schema.hierarchies.items()}
    keep = keeping(schema.keep_tables, schema.keep_models)
    origin = source.origin(table, Path())
    return Loaded(table, None, (), trees, keep, origin, frozenset(schema.roles))


def known_frame(original: Frame, schema: Schema) -> "Loaded":
    """The original's records; where nobody named quasi-identifiers, all numbers are some."""
    from evomask.runs.inputs import with_quasi_identifiers

    loaded = loaded_frame(original, schema)
    table, notes = with_quasi_identifiers(loaded.table)
    return replace(loaded, table=table, notes=notes)


def tree_lines(tree: Tree) -> list[tuple[str, ...]]:
    """A value tree as its lines."""
    from evomask.data.trees.making import lines_of
    from evomask.io.hierarchies import read_lines

    if isinstance(tree, str | Path):
        return read_lines(Path(tree))
    if isinstance(tree, Hierarchy):
        return lines_of(tree)
    if isinstance(tree, Mapping):
        return [(str(value), *map(str, above)) for value, above in tree.items()]
    return [tuple(map(str, line)) for line in tree]
