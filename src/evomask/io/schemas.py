"""Schema files in TOML: reading, writing, and text of a proposed schema."""

import json
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec

from evomask.data.frames import Declaration, Declarations
from evomask.data.roles.proposal import Proposal, ProposedSchema
from evomask.data.roles.scenarios import ProposedScenario, known_to_nobody
from evomask.data.scenario import SURE, Scenario, parse_tolerance
from evomask.data.schema import Kind, Role
from evomask.errors import FileError, SchemaError
from evomask.io.dialects import Dialect
from evomask.io.files import read_regular_file

MOST_DECIMALS = 15
"""Largest number of decimals; negative ones round before the decimal point."""

OPEN = "?"
"""Placeholder for a role that the user must choose."""

HEAD = """\
# A proposal for {name}: {records} records, {columns} columns. Read it and change what is wrong.
# kind: continuous | ordinal | nominal | date
# role: identifier (never released) | quasi-identifier (others may know it) | confidential
#       | other | weight | stratum | household | person (a number that its records share)
#       | pseudonym (released as a keyed code, see [pseudonyms])
"""
SCENARIOS_HEAD = """\
# Scenarios: who may attack, with which knowledge; what is required then holds in each of them.
# Without any, an intruder knows all quasi-identifiers. They are proposed by the names of the
# columns: delete the # in front of what fits, and correct it.
"""
MARGIN = 31
BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


class AttributeEntry(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Section ``[attributes.NAME]`` of a schema file."""

    kind: Kind | None = None
    role: Role | None = None
    categories: list[str] = []
    decimals: int | None = None
    hierarchy: str | None = None
    linked: str = ""
    renumber: bool = False
    since: str = ""


class RulesSection(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Section ``[rules]``: edit rules that every released record must satisfy."""

    edits: list[str] = []


class KeepSection(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Section ``[keep]``: tables, models and indicators that masking must preserve.

    Args:
        use: purposes in words, such as ``regional poverty statistics``.
        replicates: replicate weights or units for intervals, such as ``brr: repw*``.
    """

    tables: list[str] = []
    models: list[str] = []
    indicators: list[str] = []
    use: list[str] = []
    replicates: str = ""


class PseudonymsSection(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Section ``[pseudonyms]``: how columns with the role pseudonym are replaced.

    Args:
        key: file of the secret key, readable by its owner only.
        project: the same person has other pseudonyms in another project.
        stable: whether pseudonyms are the same in all tables and releases of the project.
    """

    key: str | None = None
    project: str = ""
    stable: bool = False


class ReleaseSection(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Section ``[release]``: information for a data protection impact assessment."""

    purpose: str = ""
    legal_basis: str = ""
    recipients: str = ""
    safeguards: str = ""
    earlier: str = ""
    by: str = ""
    review: str = ""


class FileSection(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Section ``[file]``: how the data file is read."""

    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    missing: list[str] = []
    escape_formulas: bool = False
    thousands: str | None = None
    header: int = 1
    sheet: str | None = None


class ScenarioEntry(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Section ``[scenarios.NAME]``: an intruder, and what they know."""

    knows: list[str] = []
    knows_about: dict[str, str | float] = {}
    any: int = 0
    of: list[str] = []
    takes_part: bool = True
    sure: float = SURE
    require: str = ""
    source: str = ""
    unit: str = ""

    def scenario(self, name: str) -> Scenario:
        """Return the scenario of that name."""
        return Scenario(
            name=name,
            knows=tuple(self.knows),
            knows_about={n: parse_tolerance(amount) for n, amount in self.knows_about.items()},
            any=self.any,
            of=tuple(self.of),
            takes_part=self.takes_part,
            sure=self.sure,
            require=self.require,
            source=self.source,
            unit=self.unit,
        )

    @classmethod
    def of_scenario(cls, scenario: Scenario) -> "ScenarioEntry":
        """Return the section of a scenario."""
        return cls(
            knows=list(scenario.knows),
            knows_about={name: str(amount) for name, amount in scenario.knows_about.items()},
            any=scenario.any,
            of=list(scenario.of),
            takes_part=scenario.takes_part,
            sure=scenario.sure,
            require=scenario.require,
            source=scenario.source,
            unit=scenario.unit,
        )


class PopulationSection(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Section ``[population]``: the people that the file is a sample of."""

    size: float | None = None
    table: str | None = None


class SchemaFile(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A schema file: attributes, scenarios, population, rules, analyses, dialect, release.

    Args:
        hierarchies: hierarchies that are no files of their own, by attribute: each value with its
            ancestors. Values that they do not have are suppressed above level 0.
    """

    attributes: dict[str, AttributeEntry] = {}
    hierarchies: dict[str, list[list[str]]] = {}
    scenarios: dict[str, ScenarioEntry] = {}
    population: PopulationSection = msgspec.field(default_factory=PopulationSection)
    rules: RulesSection = msgspec.field(default_factory=RulesSection)
    keep: KeepSection = msgspec.field(default_factory=KeepSection)
    file: FileSection = msgspec.field(default_factory=FileSection)
    pseudonyms: PseudonymsSection = msgspec.field(default_factory=PseudonymsSection)
    release: ReleaseSection = msgspec.field(default_factory=ReleaseSection)

    @property
    def declarations(self) -> Declarations:
        return {
            name: Declaration(
                e.kind,
                e.role or Role.OTHER,
                tuple(e.categories),
                e.decimals,
                e.hierarchy,
                linked=e.linked,
                renumber=e.renumber,
                since=e.since,
            )
            for name, e in self.attributes.items()
        }

    @property
    def intruders(self) -> tuple[Scenario, ...]:
        """The scenarios that the file describes."""
        return tuple(entry.scenario(name) for name, entry in self.scenarios.items())

    @property
    def stated(self) -> frozenset[str]:
        """Columns with a declared role."""
        return frozenset(name for name, e in self.attributes.items() if e.role is not None)

    @property
    def dialect(self) -> Dialect:
        section = self.file
        return Dialect(
            section.delimiter,
            section.encoding,
            tuple(section.missing),
            section.decimal,
            escape_formulas=section.escape_formulas,
            thousands=section.thousands,
            header=section.header,
            sheet=section.sheet,
        )


class PromisedSection(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Section ``[promised]`` of a recipe: what it led to on the file that it was found on.

    Args:
        records: number of records of that file.
        loss, risk: in percent.
        scenarios: risk in each scenario.
    """

    records: int = 0
    loss: float | None = None
    risk: float | None = None
    scenarios: dict[str, float] = {}


class RecipeFile(SchemaFile, forbid_unknown_fields=True, omit_defaults=True):
    """The file of a recipe: a schema file with masking steps and what every release fulfils.

    Args:
        format: version of the format.
        require: requirement, such as ``k=5,l=2``.
        profile: profile by which loss and risk are measured.
        loss: weights of the parts of the loss.
        seed: of the random numbers; keep it secret.
        steps: in order, each with its method, its attributes and its parameters.
    """

    format: int = 1
    require: str = ""
    profile: str = "strict"
    loss: str = ""
    seed: int | None = None
    steps: list[dict[str, Any]] = []
    promised: PromisedSection = msgspec.field(default_factory=PromisedSection)


OF_RECIPES = {"steps", "format"}
"""Keys by which the file of a recipe is recognised; one that only enforces has no steps."""

S = TypeVar("S", bound=SchemaFile)


def read_schema(path: Path) -> SchemaFile:
    """Read a schema file; an error names an unknown key or value.

    Paths of hierarchy files are relative to the schema file. A recipe file is accepted too.
    """
    return _read(path, SchemaFile, "schema")


def read_recipe_file(path: Path) -> RecipeFile:
    """Read the file of a recipe; an error names an unknown key or value."""
    return _read(path, RecipeFile, "recipe")


def _read(path: Path, kind: type[S], what: str) -> S:
    try:
        content = msgspec.toml.decode(read_regular_file(path))
        schema = msgspec.convert(
            content, cast("type[S]", RecipeFile) if OF_RECIPES & content.keys() else kind
        )
    except FileNotFoundError:
        raise FileError(f"there is no {what} file {path}; check the name") from None
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from None
    except msgspec.ValidationError as error:
        raise SchemaError(
            f"{path} is not a {what}: {_invalid_column(content)}{describe_error(error)}"
        ) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SchemaError(f"{path} is not a {what}: {describe_error(error)}") from None
    for name, entry in schema.attributes.items():
        if entry.hierarchy and "\0" in entry.hierarchy:
            raise SchemaError(f"{path} names no file as hierarchy of {name!r}; correct it")
        if abs(entry.decimals or 0) > MOST_DECIMALS:
            raise SchemaError(
                f"{path} gives {name!r} {entry.decimals} decimals; give at most {MOST_DECIMALS}"
            )
        if entry.hierarchy:
            entry.hierarchy = str(path.parent / entry.hierarchy)
    if schema.pseudonyms.key:
        schema.pseudonyms.key = str(path.parent / schema.pseudonyms.key)
    if schema.population.table:
        schema.population.table = str(path.parent / schema.population.table)
    return schema


def schema_file_text(schema: SchemaFile) -> str:
    """Text of a schema file; defaults are left out."""
    return msgspec.toml.encode(schema).decode()


def _invalid_column(content: dict[str, Any]) -> str:
    """Name the first column with an invalid section, as the beginning of a message."""
    entries = content.get("attributes")
    for name, entry in entries.items() if isinstance(entries, dict) else ():
        try:
            msgspec.convert(entry, AttributeEntry)
        except msgspec.ValidationError:
            return f"column {name!r}, "
    return ""


_UNKNOWN = re.compile(r"Object contains unknown field `(.*?)`")
_VALUE = re.compile(r"Invalid enum value '(.*?)'")
_AT = re.compile(r" - at `\$\.?(.*?)`$")
_ALLOWED = {"kind": tuple(Kind), "role": tuple(Role)}
"""Allowed values of a key."""
_TYPES = {
    "str": "text", "str | null": "text", "int": "a whole number", "int | null": "a whole number",
    "float": "a number", "bool": "true or false", "array": "a list", "object": "a section",
}  # fmt: skip
"""Types of the parser in plain words."""


def describe_error(error: Exception) -> str:
    """Message of a parser error in plain words, with the key of the file."""
    text = str(error)
    at = _AT.search(text)
    path = "" if at is None else at[1].replace("attributes[...]", "").strip(".")
    key, text = re.sub(r"\[\.\.\.\]|\[\d+\]", "", path), _AT.sub("", text)
    where = f"key {key!r}: " if key else ""
    unknown, value = _UNKNOWN.search(text), _VALUE.search(text)
    if unknown:
        return f"{where}unknown key {unknown[1]!r}"
    if value and value[1] == OPEN:
        return f"{where}still a question; write one of {', '.join(_ALLOWED[key])}"
    if value and key in _ALLOWED:
        return f"{where}there is no {key} {value[1]!r}; use one of {', '.join(_ALLOWED[key])}"
    for ours, theirs in _TYPES.items():
        text = text.replace(f"`{ours}`", theirs)
    return where + (text[:1].lower() + text[1:]).replace("`", "'")


def schema_text(
    proposed: ProposedSchema,
    name: str,
    n_records: int,
    dialect: Dialect | None,
    scenarios: Sequence[ProposedScenario] = (),
    adopted: Collection[str] = (),
) -> str:
    """Text of a schema file for a proposal, with a reason as comment beside every value.

    Args:
        scenarios: proposed scenarios; written as comments.
        adopted: names of scenarios that are written as sections instead.
    """
    head = HEAD.format(name=_one_line(name), records=n_records, columns=len(proposed.attributes))
    sections = [
        "\n".join([f"[attributes.{key}]", *_lines(proposal), ""])
        for proposal in proposed.attributes
        for key in [_key(proposal.name)]
    ]
    intruders = _scenarios_lines(proposed, scenarios, adopted)
    return "\n".join([head, *sections, *intruders, *_rules_lines(proposed), *_file_lines(dialect)])


def _scenarios_lines(
    proposed: ProposedSchema, scenarios: Sequence[ProposedScenario], adopted: Collection[str]
) -> Iterator[str]:
    if not scenarios:
        return
    yield SCENARIOS_HEAD
    for one in scenarios:
        mark = "" if one.scenario.name in adopted else "#"
        yield f"# {_one_line(one.reason)}"
        if one.beyond:
            names = _one_line(", ".join(one.beyond))
            yield f"# Columns that they may also know, and that are never masked: {names}"
        yield from (mark + line for line in scenario_lines(one.scenario))
        yield ""
    unknown = known_to_nobody(proposed.attributes, (one.scenario for one in scenarios))
    if unknown:
        names = _one_line(", ".join(unknown))
        yield f"# Quasi-identifiers that no proposed scenario knows: {names}"
        yield ""


def scenario_lines(scenario: Scenario) -> Iterator[str]:
    """Lines of the section of a scenario in a schema file."""
    yield f"[scenarios.{_key(scenario.name)}]"
    for name, value in msgspec.to_builtins(ScenarioEntry.of_scenario(scenario)).items():
        if isinstance(value, dict):
            pairs = ", ".join(f"{_key(key)} = {_text(amount)}" for key, amount in value.items())
            yield f"{name} = {{ {pairs} }}"
        else:
            yield f"{name} = {_text(value)}"


def _key(name: str) -> str:
    return name if BARE_KEY.fullmatch(name) else _text(name)


def _lines(proposal: Proposal) -> Iterator[str]:
    yield from (f"# {_one_line(remark)}" for remark in proposal.remarks)
    yield _with_comment(f"kind = {_text(proposal.kind)}", proposal.why_kind)
    if proposal.question:  # a placeholder that is refused until the question is answered
        yield _with_comment(f"role = {_text(OPEN)}", proposal.question)
    else:
        yield _with_comment(f"role = {_text(proposal.role)}", proposal.why_role)
    if proposal.categories:
        yield f"categories = {_text(list(proposal.categories))}"
    if proposal.decimals is not None:
        yield f"decimals = {proposal.decimals}"
    if proposal.linked:
        yield _with_comment(
            f"linked = {_text(proposal.linked)}", "same information: masked with it"
        )
    elif proposal.hierarchy:
        yield _with_comment(
            f"hierarchy = {_text(proposal.hierarchy)}", "built automatically: check it"
        )
    elif proposal.kind != "continuous" and proposal.role is Role.QUASI_IDENTIFIER:
        yield _with_comment('# hierarchy = "FILE.csv"', "your own hierarchy; automatic if none")


def _with_comment(line: str, reason: str) -> str:
    return f"{line:<{MARGIN}} # {_one_line(reason)}"


def _one_line(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)


def _rules_lines(proposed: ProposedSchema) -> Iterator[str]:
    if proposed.edits:
        yield "[rules]"
        yield _with_comment(
            f"edits = {_text(list(proposed.edits))}", "true for every record of this file"
        )
        yield ""


def _file_lines(dialect: Dialect | None) -> Iterator[str]:
    if dialect is not None and dialect != Dialect():
        yield "[file]"
        for name in ("delimiter", "decimal", "thousands", "encoding", "sheet"):
            if value := getattr(dialect, name):
                yield f"{name} = {_text(value)}"
        if dialect.header > 1:
            yield f"header = {dialect.header}"
        if dialect.missing:
            yield f"missing = {_text(list(dialect.missing))}"
        yield ""


def _text(value: object) -> str:
    """Encode as TOML; its strings and lists of strings are those of JSON."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
