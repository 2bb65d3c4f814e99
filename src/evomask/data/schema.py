"""What each column of a table is, and what it is for."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from evomask.errors import SchemaError

MISSING = ""
"""The category of missing values; where an attribute has it, it is the last one."""


MOST_DECIMALS = 15
"""A number has no more digits after the point that mean anything."""


class Kind(StrEnum):
    """What can be done with an attribute's values: average, order, or only compare them."""

    CONTINUOUS = "continuous"
    ORDINAL = "ordinal"
    NOMINAL = "nominal"


class Role(StrEnum):
    """What an attribute means to an intruder, or to the survey."""

    IDENTIFIER = "identifier"
    QUASI_IDENTIFIER = "quasi-identifier"
    CONFIDENTIAL = "confidential"
    OTHER = "other"
    WEIGHT = "weight"
    STRATUM = "stratum"
    HOUSEHOLD = "household"

    @property
    def is_released(self) -> bool:
        """Whether a release holds attributes of that role: numbers of people never."""
        return self not in (Role.IDENTIFIER, Role.HOUSEHOLD)


class Storage(StrEnum):
    """How the values stand in the file, so that they are written back alike."""

    TEXT = "text"
    INTEGER = "integer"
    REAL = "real"
    BOOLEAN = "boolean"
    DATE = "date"
    TIME = "time"
    MOMENT = "moment"


@dataclass(frozen=True)
class Notes:
    """What a file says of a column besides its values, kept to be written back.

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
    """One column's description.

    Args:
        categories: the domain of an ordinal or nominal attribute, in order; a last
            category ``""`` stands for missing values.
        decimals: released precision of a continuous attribute; none means as it comes.
        hierarchy: name of the file with its value tree, if any.
        label: what the column means, in words.
        value_labels: pairs of a code and its meaning in words; codes stay the categories.
        linked: the column that it follows from and is masked with, if any.
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

    def __post_init__(self) -> None:
        if len(set(self.categories)) < len(self.categories):
            raise SchemaError(f"attribute {self.name!r} names a category twice; name each once")
        if self.decimals is not None and not 0 <= self.decimals <= MOST_DECIMALS:
            raise SchemaError(
                f"decimals of {self.name!r} must be from 0 to {MOST_DECIMALS}, got {self.decimals}"
            )
        if MISSING in self.categories[:-1]:
            raise SchemaError(f"the empty category of {self.name!r} must be its last one")

    @property
    def is_categorical(self) -> bool:
        """Whether its values are categories, ordered or not."""
        return self.kind is not Kind.CONTINUOUS

    @property
    def has_missing(self) -> bool:
        """Whether missing values are one of its categories."""
        return bool(self.categories) and self.categories[-1] == MISSING

    @property
    def domain_size(self) -> int:
        """Number of categories, not counting the missing one."""
        return len(self.categories) - self.has_missing


@dataclass(frozen=True)
class Schema:
    """The attributes of a table, in the order of its columns.

    Args:
        edits: rules that every released record must obey, such as ``start <= end``.
    """

    attributes: tuple[Attribute, ...]
    edits: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        twice = sorted({name for name in self.names if self.names.count(name) > 1})
        if twice:
            raise SchemaError(f"column name {twice[0]!r} stands twice; give each its own name")

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self.attributes)

    def __len__(self) -> int:
        return len(self.attributes)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __getitem__(self, name: str) -> Attribute:
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute
        raise SchemaError(f"no attribute {name!r}; the schema has {', '.join(self.names)}")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns, in their order."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """Names of the attributes an intruder may know."""
        return self.with_role(Role.QUASI_IDENTIFIER)

    def with_role(self, *roles: Role) -> tuple[str, ...]:
        """Names of the attributes that have one of *roles*."""
        return tuple(attribute.name for attribute in self if attribute.role in roles)

    def replacing(self, changed: Iterable[Attribute]) -> "Schema":
        """The same schema with the attributes of the same names replaced."""
        by_name = {attribute.name: attribute for attribute in changed}
        for name in by_name:
            self[name]
        return replace(self, attributes=tuple(by_name.get(a.name, a) for a in self))

    def assigning(self, roles: Mapping[str, Role]) -> "Schema":
        """The same schema with the given attributes in new roles."""
        return self.replacing(replace(self[name], role=role) for name, role in roles.items())

    def only(self, names: Iterable[str]) -> "Schema":
        """The attributes called *names*, in that order."""
        return replace(self, attributes=tuple(self[name] for name in names))
