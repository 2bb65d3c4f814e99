"""A schema as a small TOML file beside the data."""

from pathlib import Path

import msgspec

from evomask.data.frames import Declaration, Declarations
from evomask.data.schema import Kind, Role
from evomask.errors import FileError, SchemaError
from evomask.io.dialects import Dialect

MOST_DECIMALS = 15
"""Digits after the point, or before it where negative, that a number can have."""


class AttributeEntry(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What a schema file says of one attribute, in the section ``[attributes.NAME]``."""

    kind: Kind | None = None
    role: Role | None = None
    categories: list[str] = []
    decimals: int | None = None
    hierarchy: str | None = None


class RulesSection(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The ``[rules]`` section: what every released record must obey."""

    edits: list[str] = []


class KeepSection(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The ``[keep]`` section: tables and models that masking must not change much."""

    tables: list[str] = []
    models: list[str] = []


class FileSection(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The ``[file]`` section: how the data file is written."""

    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    missing: list[str] = []


class SchemaFile(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A schema file as it is written: the data file, its attributes and their edit rules."""

    attributes: dict[str, AttributeEntry] = {}
    rules: RulesSection = msgspec.field(default_factory=RulesSection)
    keep: KeepSection = msgspec.field(default_factory=KeepSection)
    file: FileSection = msgspec.field(default_factory=FileSection)

    @property
    def declarations(self) -> Declarations:
        """What the file says of each column."""
        return {
            name: Declaration(
                e.kind, e.role or Role.OTHER, tuple(e.categories), e.decimals, e.hierarchy
            )
            for name, e in self.attributes.items()
        }

    @property
    def stated(self) -> frozenset[str]:
        """The columns whose role it names."""
        return frozenset(name for name, e in self.attributes.items() if e.role is not None)

    @property
    def dialect(self) -> Dialect:
        """How the file says the data are written."""
        section = self.file
        return Dialect(section.delimiter, section.encoding, tuple(section.missing), section.decimal)


def read_schema(path: Path) -> SchemaFile:
    """The schema in a TOML file; a misspelt key or word is an error that names it.

    Hierarchy files are looked for beside the schema file.
    """
    try:
        schema = msgspec.toml.decode(path.read_bytes(), type=SchemaFile)
    except FileNotFoundError:
        raise FileError(f"there is no schema file {path}; check the name") from None
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SchemaError(f"{path} is not a schema: {_sentence(error)}") from None
    for name, entry in schema.attributes.items():
        if entry.hierarchy and "\0" in entry.hierarchy:
            raise SchemaError(f"{path} names no file as hierarchy of {name!r}; correct it")
        if abs(entry.decimals or 0) > MOST_DECIMALS:
            raise SchemaError(
                f"{path} gives {name!r} {entry.decimals} decimals; no number has more than "
                f"{MOST_DECIMALS}"
            )
        if entry.hierarchy:
            entry.hierarchy = str(path.parent / entry.hierarchy)
    return schema


def schema_file_text(schema: SchemaFile) -> str:
    """A schema as the text of its file; what it does not say is left out."""
    return msgspec.toml.encode(schema).decode()


def _sentence(error: Exception) -> str:
    text = str(error).replace("Object contains unknown field", "unknown key")
    return (text[:1].lower() + text[1:]).replace("`", "'")
