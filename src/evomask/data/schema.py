"""Schema: the attributes of a table with their kinds, roles and categories."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from evomask.data.population import UNKNOWN, Population
from evomask.data.scenario import Scenario
from evomask.errors import SchemaError

MISSING = ""
"""Category of missing values; always the last category of an attribute."""

MOST_DECIMALS = 15
"""Largest number of significant decimals of a float64."""


class Kind(StrEnum):
    """Measurement level of an attribute.

    Dates are declared as such; as attributes they are continuous, with days as their unit.
    """

    CONTINUOUS = "continuous"
    ORDINAL = "ordinal"
    NOMINAL = "nominal"
    DATE = "date"


class Role(StrEnum):
    """Role of an attribute in disclosure control or in the survey design."""

    IDENTIFIER = "identifier"
    QUASI_IDENTIFIER = "quasi-identifier"
    CONFIDENTIAL = "confidential"
    OTHER = "other"
    WEIGHT = "weight"
    STRATUM = "stratum"
    HOUSEHOLD = "household"
    PERSON = "person"
    PSEUDONYM = "pseudonym"

    @property
    def is_released(self) -> bool:
        """Whether attributes of this role are written to a release; identifiers never are."""
        return self not in (Role.IDENTIFIER, Role.PSEUDONYM, *UNITS)


UNITS = (Role.HOUSEHOLD, Role.PERSON)
"""Roles of unit numbers: which records belong together. The coarser unit comes first."""


class Storage(StrEnum):
    """Data type of a column in its file, restored when the column is written."""

    TEXT = "text"
    INTEGER = "integer"
    REAL = "real"
    BOOLEAN = "boolean"
    DATE = "date"
    TIME = "time"
    MOMENT = "moment"


@dataclass(frozen=True)
class Notes:
    """Metadata of a column in its file, preserved when the column is written.

    Args:
        type: the column's type in the file, such as ``Int16`` or ``int32``.
        display: its display format, such as ``F8.2`` or ``%9.0g``.
        measure: its measure level in SPSS: ``nominal``, ``ordinal``, ``scale`` or ``unknown``.
        user_missing: closed ranges of codes that the file declares missing.
    """

    type: str = ""
    display: str = ""
    measure: str = ""
    user_missing: tuple[tuple[str, str], ...] = ()


NO_NOTES = Notes()


@dataclass(frozen=True)
class Attribute:
    """Description of one column.

    Args:
        categories: domain of an ordinal or nominal attribute, in order; missing values are
            a last category ``""``.
        decimals: released precision of a continuous attribute; None means no rounding.
        hierarchy: path of its hierarchy file, if any.
        label: variable label.
        value_labels: pairs of a code and its label; the codes are the categories.
        linked: attribute that determines this one and is masked together with it, if any.
        renumber: whether new numbers of units are released in place of the original ones.
        pseudonym: whether keyed pseudonyms are released in place of the values; the role is then
            person where values are repeated, else identifier.
        since: date from which an event is counted; the attribute is then the age in years.
    """

    name: str
    kind: Kind
    role: Role = Role.OTHER
    categories: tuple[str, ...] = ()
    storage: Storage = Storage.TEXT
    decimals: int | None = None
    hierarchy: str | None = None
    label: str = ""
    value_labels: tuple[tuple[str, str], ...] = ()
    notes: Notes = NO_NOTES
    linked: str = ""
    renumber: bool = False
    pseudonym: bool = False
    since: str = ""

    def __post_init__(self) -> None:
        if len(set(self.categories)) < len(self.categories):
            raise SchemaError(f"attribute {self.name!r} lists a category twice; list each once")
        if self.decimals is not None and not 0 <= self.decimals <= MOST_DECIMALS:
            raise SchemaError(
                f"decimals of {self.name!r} must be from 0 to {MOST_DECIMALS}, got {self.decimals}"
            )
        if self.renumber and self.role not in UNITS:
            raise SchemaError(
                f"{self.name!r} is {self.role}, and only numbers of households and persons are "
                "drawn anew; leave renumber out, or give the role household or person"
            )
        if MISSING in self.categories[:-1]:
            raise SchemaError(f"the empty (missing) category of {self.name!r} must be its last one")

    @property
    def is_replaced(self) -> bool:
        """Whether other values are released in place of those of the file."""
        return self.renumber or self.pseudonym or bool(self.since)

    @property
    def is_date(self) -> bool:
        """Whether its numbers are days, written as dates."""
        return self.kind is Kind.CONTINUOUS and self.storage is Storage.DATE

    @property
    def is_categorical(self) -> bool:
        return self.kind is not Kind.CONTINUOUS

    @property
    def has_missing(self) -> bool:
        return bool(self.categories) and self.categories[-1] == MISSING

    @property
    def domain_size(self) -> int:
        """Number of categories without the missing one."""
        return len(self.categories) - self.has_missing


@dataclass(frozen=True)
class Schema:
    """Attributes of a table in column order, its edit rules, and the scenarios of intruders.

    Args:
        edits: rules that every released record must satisfy, such as ``start <= end``.
        scenarios: who may attack a release, with which knowledge; without any, an intruder knows
            all quasi-identifiers.
        population: what is known of the population that the records are from.
    """

    attributes: tuple[Attribute, ...]
    edits: tuple[str, ...] = ()
    scenarios: tuple[Scenario, ...] = ()
    population: Population = UNKNOWN

    def __post_init__(self) -> None:
        self._check_scenarios()
        if len(self._by_name) < len(self.attributes):
            twice = sorted(name for name, count in Counter(self.names).items() if count > 1)
            raise SchemaError(f"duplicate column name {twice[0]!r}; give each column its own name")

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self.attributes)

    def __len__(self) -> int:
        return len(self.attributes)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> Attribute:
        if name in self._by_name:
            return self._by_name[name]
        raise SchemaError(f"no attribute {name!r}; the schema has {', '.join(self.names)}")

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields alone, so that what was looked up does not change a pickle."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def _check_scenarios(self) -> None:
        names = [scenario.name for scenario in self.scenarios]
        if len(set(names)) < len(names):
            raise SchemaError(f"two scenarios have the same name; there are {', '.join(names)}")
        for scenario in self.scenarios:
            for name in scenario.attributes:
                if name not in self:
                    raise SchemaError(
                        f"scenario {scenario.name!r} knows {name!r}, which is no column; "
                        f"there are {', '.join(self.names)}"
                    )
                if not self[name].role.is_released:
                    raise SchemaError(
                        f"scenario {scenario.name!r} knows {name!r}, whose role is "
                        f"{self[name].role} and which is never released; leave it out"
                    )
            for name in scenario.knows_about:
                if self[name].is_categorical:
                    raise SchemaError(
                        f"scenario {scenario.name!r} knows {name!r} within a tolerance, and it is "
                        f"{self[name].kind}; list it among what is known exactly"
                    )

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(attribute.name for attribute in self.attributes)

    @cached_property
    def _by_name(self) -> dict[str, Attribute]:
        return {attribute.name: attribute for attribute in self.attributes}

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """Names of the attributes that an intruder is assumed to know."""
        return self.with_role(Role.QUASI_IDENTIFIER)

    def with_role(self, *roles: Role) -> tuple[str, ...]:
        return tuple(attribute.name for attribute in self if attribute.role in roles)

    def replacing(self, changed: Iterable[Attribute]) -> "Schema":
        """Return a copy in which *changed* replace the attributes of the same names."""
        by_name = {attribute.name: attribute for attribute in changed}
        for name in by_name:
            self[name]
        return replace(self, attributes=tuple(by_name.get(a.name, a) for a in self))

    def assigning(self, roles: Mapping[str, Role]) -> "Schema":
        """Return a copy with new roles for the given attributes."""
        return self.replacing(replace(self[name], role=role) for name, role in roles.items())

    def only(self, names: Iterable[str]) -> "Schema":
        """Return the schema of the attributes *names*, in that order."""
        attributes = tuple(self[name] for name in names)
        chosen = {attribute.name for attribute in attributes}
        scenarios = tuple(s for s in self.scenarios if chosen.issuperset(s.attributes))
        return replace(self, attributes=attributes, scenarios=scenarios)
