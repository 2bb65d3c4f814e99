"""Roles and kinds of the columns of a frame: `Schema`, and `propose` for a first proposal."""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from evomask.api.arguments import checked
from evomask.data.frames import Declaration, Frame
from evomask.data.hierarchy import Hierarchy
from evomask.data.scenario import Scenario, parse_scenario
from evomask.data.schema import Kind, Role
from evomask.errors import SchemaError

if TYPE_CHECKING:
    from evomask.data.roles.proposal import ProposedSchema
    from evomask.data.roles.scenarios import ProposedScenario
    from evomask.io.schemas import SchemaFile
    from evomask.runs.inputs import Loaded

Tree: TypeAlias = str | Path | Hierarchy | Mapping[str, Sequence[str]] | Sequence[Sequence[str]]
"""A hierarchy: a file, a `Hierarchy`, or the ancestors of each value."""

ROLES = {
    "quasi": Role.QUASI_IDENTIFIER,
    "confidential": Role.CONFIDENTIAL,
    "drop": Role.IDENTIFIER,
    "keep": Role.OTHER,
    "strata": Role.STRATUM,
}
KINDS = {"ordinal": Kind.ORDINAL, "nominal": Kind.NOMINAL, "continuous": Kind.CONTINUOUS,
         "dates": Kind.DATE}  # fmt: skip
STATISTICS = ("scenarios", "edits", "keep_tables", "keep_models", "keep_indicators", "uses")
LISTS = (*ROLES, *KINDS, *STATISTICS)
MAPPINGS = ("hierarchies", "categories", "decimals", "linked", "since")
GIVEN = "given in code"
"""Placeholder for the file name of a hierarchy that is not in a file."""


@dataclass(frozen=True, kw_only=True)
class Schema:
    """Roles, kinds and hierarchies of the columns of a frame, and rules and analyses to preserve.

    Args:
        quasi: quasi-identifiers, columns that an intruder may know.
        confidential: confidential (sensitive) columns, for l, t and attribute disclosure.
        drop: direct identifiers, left out of every result.
        keep: columns to release although they look identifying.
        ordinal: columns with ordered categories.
        nominal: columns with unordered categories.
        continuous: columns of numbers that can be averaged.
        dates: columns of dates, which are masked as numbers of days.
        strata: columns whose combinations are masked separately.
        weight: column of survey weights.
        household: column with the household number; left out of every result.
        person: column with a number that the records of a person share; left out of every result.
        population: number of people of the population that the records are a sample of.
        population_table: file of the population: a column for each attribute, and ``count``.
        hierarchies: hierarchies by column: a file, a result of `hierarchy`, or a mapping from
            each value to its ancestors.
        categories: all categories of a column, by column; in ascending order, unless the column
            is nominal.
        decimals: released decimal places by column; by default those of the column.
        linked: columns derived from another one and masked with it, such as
            ``{"education_years": "education"}``.
        since: dates that are released as the age in years since another date, such as
            ``{"admission": "birth"}``.
        scenarios: who may attack a release and what they know, each a `Scenario` or a text such as
            ``register: age, sex, income ~ 20 %``; without any, all quasi-identifiers.
        edits: edit rules that every released record must satisfy, such as ``start <= end``.
        keep_tables: tables to preserve, such as ``education x sex: mean hours``.
        keep_models: regressions to preserve, such as ``income ~ age + education``.
        keep_indicators: indicators to preserve, such as ``gini(income) by region``.
        uses: what the file is for, such as ``regional poverty statistics``.

    Columns that are not named are released unchanged; their kind follows from their type.

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
    dates: Iterable[str] = ()
    strata: Iterable[str] = ()
    weight: str | None = None
    household: str | None = None
    person: str | None = None
    population: float | None = None
    population_table: str | Path | None = None
    hierarchies: Mapping[str, Tree] = field(default_factory=dict)
    categories: Mapping[str, Sequence[str]] = field(default_factory=dict)
    decimals: Mapping[str, int] = field(default_factory=dict)
    linked: Mapping[str, str] = field(default_factory=dict)
    since: Mapping[str, str] = field(default_factory=dict)
    scenarios: Iterable[Scenario | str] = ()
    edits: Iterable[str] = ()
    keep_tables: Iterable[str] = ()
    keep_models: Iterable[str] = ()
    keep_indicators: Iterable[str] = ()
    uses: Iterable[str] = ()

    def __post_init__(self) -> None:
        for name in LISTS:
            given = getattr(self, name)
            if not isinstance(given, Iterable):
                raise SchemaError(f"{name} must be a list, got {type(given).__name__}")
            whole = (given,) if isinstance(given, str) else tuple(given)
            object.__setattr__(self, name, whole)
        for name in MAPPINGS:
            if not isinstance(getattr(self, name), Mapping):
                raise SchemaError(f"{name} must be a mapping, with a key for each column")
            object.__setattr__(self, name, dict(getattr(self, name)))
        _ = self.roles

    @classmethod
    def read(cls, path: str | Path) -> "Schema":
        """Read a schema file (TOML), such as ``evomask init`` writes."""
        from evomask.io.schemas import read_schema

        return _of_file(read_schema(Path(path)))

    def write(self, path: str | Path, *, force: bool = False) -> Path:
        """Write a schema file for the command line; hierarchies must be given as files."""
        from evomask.io.files import write_text
        from evomask.io.schemas import schema_file_text

        target = Path(path)
        write_text(target, schema_file_text(_as_file(self, target.parent)), force=force)
        return target

    @property
    def roles(self) -> dict[str, Role]:
        """The role of every named column; two roles for one column are an error."""
        from evomask.runs.inputs import roles_of

        named = [(name, role) for key, role in ROLES.items() for name in getattr(self, key)]
        if self.weight is not None:
            named.append((self.weight, Role.WEIGHT))
        if self.household is not None:
            named.append((self.household, Role.HOUSEHOLD))
        if self.person is not None:
            named.append((self.person, Role.PERSON))
        return roles_of(named)

    @property
    def kinds(self) -> dict[str, Kind]:
        """The kind of every column for which one is given."""
        ordered = dict.fromkeys(self.categories, Kind.ORDINAL)
        return ordered | {name: kind for key, kind in KINDS.items() for name in getattr(self, key)}

    def __repr__(self) -> str:
        given = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name)}
        if self.hierarchies:
            given["hierarchies"] = tuple(self.hierarchies)
        values = {n: list(v) if isinstance(v, tuple) else v for n, v in given.items()}
        return f"Schema({', '.join(f'{name}={value!r}' for name, value in values.items())})"


def declarations_of(schema: Schema) -> dict[str, Declaration]:
    """Return the declaration of each column, to build a table."""
    kinds, roles = schema.kinds, schema.roles
    named = [
        *roles, *kinds, *schema.hierarchies, *schema.decimals, *schema.linked, *schema.since
    ]  # fmt: skip
    return {
        name: Declaration(
            kinds.get(name),
            roles.get(name, Role.OTHER),
            tuple(map(str, schema.categories.get(name, ()))),
            schema.decimals.get(name),
            _tree_name(schema.hierarchies.get(name)),
            linked=schema.linked.get(name, ""),
            since=schema.since.get(name, ""),
        )
        for name in dict.fromkeys(named)
    }


def _tree_name(tree: Tree | None) -> str | None:
    return None if tree is None else str(tree) if isinstance(tree, str | Path) else GIVEN


def _of_file(file: "SchemaFile") -> Schema:
    entries = file.attributes
    roles = {name: entry.role for name, entry in entries.items()}
    named = {key: [n for n in roles if roles[n] is role] for key, role in ROLES.items()}
    named["drop"] += [n for n in roles if roles[n] is Role.PSEUDONYM]  # see evomask.pseudonyms
    # Categories without a kind are nominal, as text is.
    kind_of = {n: e.kind or (Kind.NOMINAL if e.categories else None) for n, e in entries.items()}
    kinds = {key: [n for n in kind_of if kind_of[n] is kind] for key, kind in KINDS.items()}
    return Schema(
        **named,
        **kinds,
        weight=_single_column(roles, Role.WEIGHT),
        household=_single_column(roles, Role.HOUSEHOLD),
        person=_single_column(roles, Role.PERSON),
        population=file.population.size,
        population_table=file.population.table,
        hierarchies={
            **file.hierarchies,
            **{n: e.hierarchy for n, e in entries.items() if e.hierarchy},
        },
        categories={n: e.categories for n, e in entries.items() if e.categories},
        decimals={n: e.decimals for n, e in entries.items() if e.decimals is not None},
        linked={n: e.linked for n, e in entries.items() if e.linked},
        since={n: e.since for n, e in entries.items() if e.since},
        scenarios=file.intruders,
        edits=file.rules.edits,
        keep_tables=file.keep.tables,
        keep_models=file.keep.models,
        keep_indicators=file.keep.indicators,
        uses=file.keep.use,
    )


def _single_column(roles: Mapping[str, Role | None], role: Role) -> str | None:
    names = [name for name, own in roles.items() if own is role]
    if len(names) > 1:
        raise SchemaError(
            f"{' and '.join(map(repr, names))} are both declared as {role}; name only one of them"
        )
    return names[0] if names else None


def _as_file(schema: Schema, home: Path) -> "SchemaFile":
    from evomask.io.schemas import (
        AttributeEntry,
        KeepSection,
        PopulationSection,
        RulesSection,
        ScenarioEntry,
        SchemaFile,
    )

    unsaved = [n for n, tree in schema.hierarchies.items() if not isinstance(tree, str | Path)]
    if unsaved:
        raise SchemaError(
            f"the hierarchy of {unsaved[0]!r} is not in a file; write it first with "
            "evomask.write_hierarchy, and give the path"
        )
    roles = schema.roles
    return SchemaFile(
        attributes={
            name: AttributeEntry(
                declared.kind,
                roles.get(name),
                list(declared.categories),
                declared.decimals,
                declared.hierarchy and os.path.relpath(declared.hierarchy, home),
                declared.linked,
                since=declared.since,
            )
            for name, declared in declarations_of(schema).items()
        },
        scenarios={one.name: ScenarioEntry.of_scenario(one) for one in scenarios_of(schema)},
        rules=RulesSection(list(schema.edits)),
        keep=KeepSection(
            list(schema.keep_tables),
            list(schema.keep_models),
            list(schema.keep_indicators),
            list(schema.uses),
        ),
        population=PopulationSection(
            schema.population,
            os.path.relpath(schema.population_table, home) if schema.population_table else None,
        ),
    )


def scenarios_of(schema: Schema) -> tuple[Scenario, ...]:
    """Return the scenarios of a schema."""
    return tuple(parse_scenario(one) if isinstance(one, str) else one for one in schema.scenarios)


def schema_of(given: "Schema | str | Path | None", arguments: Schema) -> Schema:
    """Merge a schema with the arguments of a call, which take precedence."""
    if given is None:
        return arguments
    known = given if isinstance(given, Schema) else Schema.read(given)
    roles = arguments.roles
    _check_dropped(known.roles, roles)

    def merge(key: str, named: Collection[str]) -> list[str]:
        kept = [name for name in getattr(known, key) if name not in named]
        return [*kept, *getattr(arguments, key)]

    merged: dict[str, Any] = {key: merge(key, roles) for key in ROLES}
    merged |= {key: merge(key, arguments.kinds) for key in KINDS}
    merged |= {key: merge(key, ()) for key in STATISTICS}
    merged |= {key: {**getattr(known, key), **getattr(arguments, key)} for key in MAPPINGS}
    for key in ("weight", "household", "person"):
        before = getattr(known, key)
        merged[key] = getattr(arguments, key) or (None if before in roles else before)
    for key in ("population", "population_table"):
        merged[key] = getattr(arguments, key) or getattr(known, key)
    return Schema(**merged)


def _check_dropped(known: Mapping[str, Role], named: Mapping[str, Role]) -> None:
    """Refuse to release a column that the schema excludes from the release."""
    for name in known.keys() & named.keys():
        if not known[name].is_released and named[name].is_released:
            raise SchemaError(
                f"column {name!r} is {known[name]} in the schema and {named[name]} by name; "
                "choose one role"
            )


def loaded_frame(frame: Frame, schema: Schema) -> "Loaded":
    """Load a frame as a table under a schema, with hierarchies and analyses to preserve."""
    from evomask.data.edits import rules_of
    from evomask.io.population import read_population
    from evomask.io.tables import source_of
    from evomask.runs.inputs import Loaded
    from evomask.runs.store.preserved_analyses import parse_analyses

    source = source_of(frame)
    table = source.table(declarations_of(schema))
    people = schema.population_table
    rules = replace(
        table.schema,
        edits=tuple(schema.edits),
        scenarios=scenarios_of(schema),
        population=read_population(schema.population, None if people is None else Path(people)),
    )
    table = table.with_schema(rules)
    rules_of(table.schema)
    trees = {name: tree_lines(tree) for name, tree in schema.hierarchies.items()}
    keep = parse_analyses(
        schema.keep_tables, schema.keep_models, schema.keep_indicators, schema.uses
    )
    origin = source.origin(table, Path())
    return Loaded(
        table=table,
        dialect=None,
        notes=(),
        hierarchies=trees,
        keep=keep,
        origin=origin,
        stated=frozenset(schema.roles),
    )


def known_frame(original: Frame, schema: Schema) -> "Loaded":
    """Load a frame; without quasi-identifiers, all numeric columns become quasi-identifiers."""
    from evomask.runs.inputs import with_quasi_identifiers

    loaded = loaded_frame(original, schema)
    table, notes = with_quasi_identifiers(loaded.table)
    return replace(loaded, table=table, notes=notes)


def tree_lines(tree: Tree) -> list[tuple[str, ...]]:
    """Return a hierarchy as lines: each value, and its ancestors."""
    from evomask.data.hierarchy_builders import lines_of
    from evomask.io.hierarchies import read_lines

    if isinstance(tree, str | Path):
        return read_lines(Path(tree))
    if isinstance(tree, Hierarchy):
        return lines_of(tree)
    if isinstance(tree, Mapping):
        return [(str(value), *map(str, above)) for value, above in tree.items()]
    return [tuple(map(str, line)) for line in tree]


@dataclass(frozen=True, repr=False)
class Proposal:
    """Proposed role and kind of every column, with reasons.

    Args:
        proposed: the proposal as data, column by column.
        records: number of records that were examined.
    """

    proposed: "ProposedSchema"
    records: int

    @property
    def schema(self) -> Schema:
        """The proposal as a schema, to be edited and used; every column has a role in it."""
        columns = self.proposed.attributes
        by_role = {role: [c.name for c in columns if c.role is role] for role in Role}
        lists: dict[str, Any] = {key: by_role[role] for key, role in ROLES.items()}
        lists |= {key: [c.name for c in columns if c.kind is kind] for key, kind in KINDS.items()}
        return Schema(
            **lists,
            weight=next(iter(by_role[Role.WEIGHT]), None),
            household=next(iter(by_role[Role.HOUSEHOLD]), None),
            person=next(iter(by_role[Role.PERSON]), None),
            categories={c.name: c.categories for c in columns if c.categories},
            decimals={c.name: c.decimals for c in columns if c.decimals is not None},
            edits=self.proposed.edits,
        )

    @property
    def questions(self) -> tuple[str, ...]:
        """Questions to be answered, by naming roles, before the proposal can be accepted."""
        return self.proposed.questions

    def write(self, path: str | Path, *, force: bool = False) -> Path:
        """Write a schema file with the reasons as comments."""
        from evomask.io.files import write_text
        from evomask.io.schemas import schema_text

        name = "the data frame"
        text = schema_text(self.proposed, name, self.records, None, self._proposed_scenarios())
        write_text(Path(path), text, force=force)
        return Path(path)

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        """Scenarios that suit the columns, proposed by their names; give some to a `Schema`."""
        return tuple(one.scenario for one in self._proposed_scenarios())

    def _proposed_scenarios(self) -> "tuple[ProposedScenario, ...]":
        from evomask.data.roles.scenarios import propose_scenarios
        from evomask.io.scenario_library import scenario_library

        return propose_scenarios(self.proposed.attributes, scenario_library())

    def _rows(self) -> list[tuple[str, str, str, str]]:
        return [(c.name, str(c.role), str(c.kind), c.why_role) for c in self.proposed.attributes]

    def __repr__(self) -> str:
        rows = self._rows()
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        lines = [
            "  ".join([*(text.ljust(w) for text, w in zip(row, widths, strict=False)), row[3]])
            for row in rows
        ]
        head = f"<evomask.Proposal for {len(rows)} columns of {self.records} records"
        questions = (f"  question: {question}" for question in self.questions)
        return "\n".join([head, *(f"  {line}" for line in lines), *questions]) + ">"

    def _repr_html_(self) -> str:
        from evomask.report.pages import table_html

        return table_html("Proposed roles", ("column", "role", "kind", "reason"), self._rows())


class RolesNeededError(SchemaError):
    """No quasi-identifiers were given; the error carries a proposal.

    Args:
        proposal: proposed roles of every column, to be edited and given as ``schema``.
    """

    def __init__(self, proposal: Proposal) -> None:
        self.proposal = proposal
        quasi = ", ".join(proposal.schema.quasi)
        super().__init__(
            "no column roles given, so nothing is released; see `evomask.propose(frame)`, which "
            f"proposes as quasi-identifiers: {quasi}; then give a schema, or accept_proposal=True"
        )


@checked
def propose(frame: Frame, *, schema: Schema | str | Path | None = None) -> Proposal:
    """Propose role and kind of every column of a frame, with reasons, to be confirmed by a person.

    Args:
        schema: roles that are known already; they are kept.

    Example:
        import evomask

        people = evomask.read("survey.csv")
        found = evomask.propose(people)
        schema = found.schema
        assert "age" in schema.quasi and "name" in schema.drop
        print(found)
    """
    from evomask.io.tables import source_of
    from evomask.runs.onboarding.schemas import propose_roles

    known = schema_of(schema, Schema()).roles
    return Proposal(propose_roles(source_of(frame).table(), known), len(frame))
