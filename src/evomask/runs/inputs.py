"""Input files: loading a table with roles, hierarchies and text dialect, and warnings on inputs."""

import secrets
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

import msgspec
import numpy as np

from evomask.data.dates import parse_dates
from evomask.data.edits import rules_of
from evomask.data.frames import Declaration, Declarations, storage_of
from evomask.data.hierarchy import (
    Hierarchy,
    HierarchyLines,
    Line,
    fit_hierarchies,
    with_unknown_values,
)
from evomask.data.hierarchy_builders import natural_order
from evomask.data.population import Population
from evomask.data.pseudonyms import PseudonymKey
from evomask.data.roles.dependencies import find_leakage
from evomask.data.roles.proposal import identifying_columns
from evomask.data.scenario import Scenario, parse_scenario
from evomask.data.schema import MISSING, Kind, Role, Storage
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.io.dialects import Dialect
from evomask.io.hierarchies import read_hierarchies
from evomask.io.masked_tables import masked_version, with_known_categories
from evomask.io.population import read_population
from evomask.io.schemas import RecipeFile, SchemaFile, read_schema
from evomask.io.sources import Origin, Source
from evomask.io.tables import read_source, released_name
from evomask.masking.recoding.derived_columns import without_derived_quasi_identifiers
from evomask.measures.analyses.analyses import NO_ANALYSES, AnalysesToPreserve
from evomask.report.record import NO_STATEMENT, Statement
from evomask.runs.store.signature import read_secret


@dataclass(frozen=True)
class Input:
    """A data file, with column roles from a schema file, from options, or none."""

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
    thousands: str | None = None
    header: int | None = None
    sheet: str | None = None
    household: str = ""
    person: str = ""
    keep: tuple[str, ...] = ()
    weight: str = ""
    scenarios: tuple[str, ...] = ()
    population: float | None = None
    population_table: Path | None = None

    @property
    def is_described(self) -> bool:
        """Whether quasi-identifiers are declared."""
        return self.schema is not None or bool(self.quasi_identifiers)

    @property
    def dialect(self) -> Dialect:
        """How the file is read, as given by options."""
        return Dialect(
            self.delimiter,
            self.encoding,
            self.missing,
            self.decimal,
            thousands=self.thousands,
            header=self.header or 1,
            sheet=self.sheet,
        )

    @property
    def roles(self) -> dict[str, Role]:
        """Roles given by options; two roles for one column are an error."""
        named = (
            *((name, Role.QUASI_IDENTIFIER) for name in self.quasi_identifiers),
            *((name, Role.CONFIDENTIAL) for name in self.confidential),
            *((name, Role.IDENTIFIER) for name in self.identifiers),
            *((name, Role.HOUSEHOLD) for name in filter(None, [self.household])),
            *((name, Role.PERSON) for name in filter(None, [self.person])),
            *((name, Role.WEIGHT) for name in filter(None, [self.weight])),
            *((name, Role.OTHER) for name in self.keep),
        )
        return roles_of(named)


def roles_of(named: Iterable[tuple[str, Role]]) -> dict[str, Role]:
    """Role of each column; two roles for one column are an error."""
    roles: dict[str, Role] = {}
    for name, role in named:
        if roles.setdefault(name, role) is not role:
            raise SchemaError(
                f"column {name!r} is declared both {roles[name]} and {role}; choose one role"
            )
    return roles


@dataclass(frozen=True)
class Loaded:
    """A loaded table, the dialect of its text file, and notes for the user.

    Args:
        hierarchies: as in their files; whether one fits the table is checked on use.
        keep: analyses to preserve, from the schema; checked on use.
        origin: columns as in the file, to write back unmasked values unchanged.
        stated: columns with a declared role.
        statement: statement of the schema on the release, for its record.
        pseudonyms: key of the pseudonyms that a release gets.
    """

    table: Table
    dialect: Dialect | None
    notes: tuple[str, ...]
    hierarchies: HierarchyLines = field(default_factory=dict)
    keep: AnalysesToPreserve = NO_ANALYSES
    origin: Origin | None = field(default=None, repr=False)
    stated: frozenset[str] = frozenset()
    statement: Statement = NO_STATEMENT
    pseudonyms: PseudonymKey | None = field(default=None, repr=False)

    @property
    def trees(self) -> dict[str, Hierarchy]:
        """Hierarchies fitted to the table; an error if one does not fit."""
        return fit_hierarchies(self.hierarchies, self.table)


def files_of(source: Input) -> tuple[Path, ...]:
    """Files of an input: data, schema, and the hierarchies that the schema names."""
    if source.schema is None:
        return (source.path,)
    trees = [d.hierarchy for d in read_schema(source.schema).declarations.values() if d.hierarchy]
    table = population_table_of(source, read_schema(source.schema))
    return (source.path, source.schema, *map(Path, trees), *([table] if table else []))


def population_table_of(source: Input, schema: SchemaFile) -> Path | None:
    """File of the population table, given by option or in the schema."""
    named = schema.population.table
    return source.population_table or (Path(named) if named else None)


def population_of(source: Input, schema: SchemaFile) -> Population:
    """The population by option or in the schema, its table read."""
    size = source.population if source.population is not None else schema.population.size
    return read_population(size, population_table_of(source, schema))


DEFAULT_DIALECT = Dialect(",", "utf-8", decimal=".")


def check_described(source: Input) -> None:
    """Refuse a file without declared quasi-identifiers."""
    if not source.is_described:
        raise SchemaError(
            f"no column roles given for {source.path}; list quasi-identifiers with --quasi, "
            "accept a proposal, or write a schema with `evomask init`"
        )


def check_stated(table: Table, stated: Collection[str]) -> None:
    """Refuse unmasked columns without a declared role that look like identifiers."""
    for name, why in identifying_columns(table).items():
        if name not in stated:
            raise SchemaError(
                f"column {name!r} {why} and would be released unchanged; drop it with --drop, "
                "allow its release with --keep, or declare its role in the schema"
            )


def load(source: Input, hierarchies: Path | None = None) -> Loaded:
    """Load a file with its schema and options; options override the schema.

    Hierarchies are those that the schema names and those in the folder *hierarchies*. Edit rules
    that cannot be parsed are refused.
    """
    schema = read_schema(source.schema) if source.schema else SchemaFile()
    return load_source(read_source(source.path, dialect_of(source, schema)), source, hierarchies)


def load_source(read: Source, source: Input, hierarchies: Path | None = None) -> Loaded:
    """Load columns that were read, with the schema and the options of an input."""
    schema = read_schema(source.schema) if source.schema else SchemaFile()
    declared, new = _with_new_categories(_declarations(source, schema), schema, read)
    table = read.table(_present(declared, schema, read))
    table = table.with_schema(replace(table.schema, edits=tuple(schema.rules.edits)))
    rules_of(table.schema)
    scenarios = intruders_of(schema, source)
    population = population_of(source, schema)
    rules = replace(table.schema, scenarios=scenarios, population=population)
    table = table.with_schema(rules)
    table, assumed = with_quasi_identifiers(table)
    table = table.with_schema(without_derived_quasi_identifiers(table.schema))
    files = read_hierarchies(table.schema, hierarchies)
    own, unknown = own_hierarchies(schema, table, files if isinstance(schema, RecipeFile) else {})
    trees = {**files, **own}
    named = schema.keep
    keep = AnalysesToPreserve(
        tuple(named.tables),
        tuple(named.models),
        tuple(named.indicators),
        tuple(named.use),
        replicates=named.replicates,
    )
    notes = (*_dialect_note(read.dialect), *read.notes, *assumed, *new, *unknown)
    origin = read.origin(table, source.path)
    stated = schema.stated | source.roles.keys()
    return Loaded(
        table=table,
        dialect=read.dialect,
        notes=notes,
        hierarchies=trees,
        keep=keep,
        origin=origin,
        stated=stated,
        statement=Statement(**msgspec.structs.asdict(schema.release)),
        pseudonyms=_pseudonym_key(schema, table),
    )


def _pseudonym_key(schema: SchemaFile, table: Table) -> PseudonymKey | None:
    """Key of the pseudonyms of a release; new random bytes unless they are stable."""
    section = schema.pseudonyms
    names = [attribute.name for attribute in table.schema if attribute.pseudonym]
    if not names:
        return None
    if not section.key:
        raise SchemaError(
            f"column {names[0]!r} has the role pseudonym, and there is no key; make one with "
            "`openssl rand -hex 32`, and name its file as key under [pseudonyms] in the schema"
        )
    if section.stable and not section.project:
        raise SchemaError(
            "stable pseudonyms need the name of their project, so that those of other projects "
            "differ; add project under [pseudonyms]"
        )
    nonce = b"" if section.stable else secrets.token_bytes(16)
    return PseudonymKey(read_secret(Path(section.key)), section.project, nonce)


def _with_new_categories(
    declared: dict[str, Declaration], schema: SchemaFile, read: Source
) -> tuple[dict[str, Declaration], tuple[str, ...]]:
    """Add categories that a file has and its recipe does not know; a note counts them.

    They come after the known ones, in natural order.
    """
    notes = []
    for name, own in declared.items() if isinstance(schema, RecipeFile) else ():
        if not own.categories or name not in read.frame.columns:
            continue
        texts = read.frame[name].cast(str).to_list()
        new = natural_order([*({*texts} - {*own.categories, None, MISSING})])
        if new:
            declared = {**declared, name: replace(own, categories=(*own.categories, *new))}
            records = sum(text in new for text in texts)
            notes.append(
                f"the recipe does not know {counted(len(new), 'category')} of {name!r} "
                f"({counted(records, 'record')}); they come after those that it knows"
            )
    return declared, tuple(notes)


def _present(declared: Declarations, schema: SchemaFile, read: Source) -> Declarations:
    """Leave out identifiers that a file lacks, if a recipe declares them for others."""
    if not isinstance(schema, RecipeFile):
        return declared
    columns = read.frame.columns
    return {n: own for n, own in declared.items() if own.role.is_released or n in columns}


def own_hierarchies(
    schema: SchemaFile, table: Table, more: HierarchyLines = MappingProxyType({})
) -> tuple[dict[str, list[Line]], tuple[str, ...]]:
    """Return the hierarchies that a schema file holds, and notes on categories they do not have.

    Args:
        more: hierarchies of a recipe that are files; they replace those of the same name.
    """
    found: dict[str, list[Line]] = {}
    notes = []
    for name, given in {**schema.hierarchies, **more}.items():
        lines: list[Line] = [tuple(line) for line in given]
        attribute = table.attribute(name)
        if not attribute.is_categorical:
            found[name] = lines
            continue
        found[name] = with_unknown_values(lines, attribute.categories)
        new = {line[0] for line in found[name][len(lines) :]}
        if new:
            codes = [c for c, label in enumerate(attribute.categories) if label in new]
            records = int(np.isin(table.codes(name), codes).sum())
            notes.append(
                f"the hierarchy of {name!r} does not have {counted(len(new), 'category')} of this "
                f"file ({counted(records, 'record')}); generalized cells of it are suppressed"
            )
    return found, tuple(notes)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, such as ``1 category`` or ``3 categories``."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def intruders_of(schema: SchemaFile, source: Input) -> tuple[Scenario, ...]:
    """Scenarios of the schema and of the options, which replace those of the same name."""
    named = (*schema.intruders, *map(parse_scenario, source.scenarios))
    return tuple({one.name: one for one in named}.values())


def declarations_of(source: Input) -> tuple[dict[str, Declaration], SchemaFile]:
    """Declarations of columns by schema and options, and the schema file."""
    schema = read_schema(source.schema) if source.schema else SchemaFile()
    return _declarations(source, schema), schema


def load_released(source: Input) -> Loaded:
    """Load a masked file without its original.

    Declarations of columns that are absent are ignored, and so are kinds that cells no longer have
    because they were recoded.
    """
    schema = read_schema(source.schema) if source.schema else SchemaFile()
    read = read_source(source.path, dialect_of(source, schema))
    loaded = released_of(read, _declarations(source, schema), _declarations(source, SchemaFile()))
    scenarios = intruders_of(schema, source)
    own = loaded.table.schema
    rules = replace(
        own,
        population=population_of(source, schema),
        scenarios=tuple(_exact_knowledge(scenarios, own.names)),
    )
    loaded = replace(loaded, table=loaded.table.with_schema(rules))
    return replace(loaded, notes=(*_dialect_note(read.dialect), *read.notes, *loaded.notes))


def _exact_knowledge(scenarios: Iterable[Scenario], columns: Collection[str]) -> Iterator[Scenario]:
    """What scenarios know exactly of the columns that a released file still has."""
    for one in scenarios:
        knows = tuple(name for name in one.knows if name in columns)
        of = tuple(name for name in one.of if name in columns)
        if knows or of:
            yield replace(one, knows=knows, knows_about={}, of=of, any=min(one.any, len(of)))


def released_of(read: Source, declared: Declarations, named: Collection[str]) -> Loaded:
    """Table of a masked file that was read; *named* columns must be present."""
    gone = [n for n in declared if n not in read.frame.columns and n not in named]
    present = {n: d for n, d in declared.items() if n not in gone}
    table = read.table({name: _as_released(read, name, own) for name, own in present.items()})
    table, assumed = with_quasi_identifiers(table)
    missed = [n for n in gone if declared[n].role in (Role.QUASI_IDENTIFIER, Role.CONFIDENTIAL)]
    notes = (f"not in the file: {', '.join(missed)}",) if missed else ()
    return Loaded(table, read.dialect, (*assumed, *notes))


def _as_released(read: Source, name: str, declared: Declaration) -> Declaration:
    """Keep the role, and the kind only where it is used and the cells still have it."""
    ordered = declared.role in (Role.CONFIDENTIAL, Role.WEIGHT) and name in read.frame.columns
    return declared if ordered and _fits(read, name, declared) else Declaration(role=declared.role)


def _fits(read: Source, name: str, declared: Declaration) -> bool:
    if declared.since:
        return False
    if declared.kind is Kind.DATE:
        return parse_dates(read.frame[name]) is not None
    if declared.kind is Kind.CONTINUOUS:
        return storage_of(read.frame[name]) is not Storage.TEXT
    cells = {str(cell) for cell in read.frame[name].unique().drop_nulls()}
    return not declared.categories or cells <= {*declared.categories, MISSING}


def _dialect_note(dialect: Dialect | None) -> tuple[str, ...]:
    """Note on the dialect of a text file, where it is not the default."""
    plain = dialect is None or str(dialect) == str(DEFAULT_DIALECT)
    return () if plain else (f"read as text with {dialect}",)


def with_quasi_identifiers(table: Table) -> tuple[Table, tuple[str, ...]]:
    """Default quasi-identifiers: all numeric columns; returns the table and a warning."""
    if table.schema.quasi_identifiers:
        return table, ()
    numeric = [a.name for a in table.schema if a.kind is Kind.CONTINUOUS and a.role is Role.OTHER]
    schema = table.schema.assigning(dict.fromkeys(numeric, Role.QUASI_IDENTIFIER))
    note = (
        f"no quasi-identifiers were named: using all {len(numeric)} numeric columns; "
        "name them with --quasi or a schema"
    )
    return table.with_schema(schema), (note,)


def dialect_of(source: Input, schema: SchemaFile) -> Dialect:
    """Dialect of a text file by options and schema."""
    written = schema.dialect
    return replace(
        written,
        delimiter=source.delimiter or written.delimiter,
        encoding=source.encoding or written.encoding,
        decimal=source.decimal or written.decimal,
        missing=source.missing or written.missing,
        thousands=source.thousands or written.thousands,
        header=source.header or written.header,
        sheet=source.sheet or written.sheet,
    )


def _declarations(source: Input, schema: SchemaFile) -> dict[str, Declaration]:
    declared = dict(schema.declarations)
    for name, role in source.roles.items():
        before = declared.get(name, Declaration()).role
        if not before.is_released and role.is_released:
            raise SchemaError(
                f"column {name!r} is {before} in the schema and {role} by option; choose one role"
            )
        _declare(declared, [name], role=role)
    _declare(declared, source.ordinal, kind=Kind.ORDINAL)
    _declare(declared, source.nominal, kind=Kind.NOMINAL)
    return declared


def _declare(
    declared: dict[str, Declaration],
    names: Iterable[str],
    *,
    role: Role | None = None,
    kind: Kind | None = None,
) -> None:
    for name in names:
        before = declared.get(name, Declaration())
        declared[name] = replace(before, role=role or before.role, kind=kind or before.kind)


FINDABLE = 2**32
"""Seeds below this limit can be found by exhaustive search."""


def note_on_seed(seed: int) -> tuple[str, ...]:
    """Warn where the seed is so small that an intruder can try all of them."""
    if seed >= FINDABLE:
        return ()
    return (
        (
            "seeds below 2^32 can be found by exhaustive search and reverse a masking; use one for "
            "tests only"
        ),
    )


def note_on_width(width: object) -> tuple[str, ...]:
    """Note that the option width of earlier versions has no effect."""
    if width == 1:
        return ()
    return ("the option width is ignored: it was removed, and searches take turns",)


def note_on_format(path: Path) -> tuple[str, ...]:
    """Warn where the release cannot have the format of the original."""
    name = released_name(path)
    if name == path.name:
        return ()
    what = "such workbooks" if name.endswith(".xlsx") else "SAS files"
    return (f"{what} cannot be written: the release of {path.name} is written as {name}",)


def notes_on_leakage(table: Table) -> tuple[str, ...]:
    """Warn of unmasked columns that determine a masked one or identify people."""
    return tuple(telling.text for telling in find_leakage(table))


def load_version(path: Path, loaded: Loaded) -> Table:
    """Load a masked version of a loaded original."""
    missing = loaded.dialect.missing if loaded.dialect else ()
    return masked_version(loaded.table, read_source(path, Dialect(missing=missing)), loaded.trees)


def load_control(path: Path, loaded: Loaded) -> tuple[Table, tuple[str, ...]]:
    """Load people who are not in a masked file, under the schema of the original.

    People with categories that the original does not have are left out; a note counts them.
    """
    missing = loaded.dialect.missing if loaded.dialect else ()
    source, gone = with_known_categories(loaded.table, read_source(path, Dialect(missing=missing)))
    note = f"records of the control group with categories that the original does not have: {gone}"
    control = masked_version(loaded.table, source, loaded.trees)
    return control, (f"{note}; they are left out",) if gone else ()
