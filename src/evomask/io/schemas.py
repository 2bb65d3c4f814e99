"""A schema as a small TOML file beside the data."""

import re
from pathlib import Path
from typing import Any

import msgspec

from evomask.data.frames import Declaration, Declarations
from evomask.data.schema import Kind, Role
from evomask.errors import FileError, SchemaError
from evomask.io.dialects import Dialect
from evomask.io.files import whole_content

MOST_DECIMALS = 15
"""Digits after the point, or before it where negative, that a number can have."""


OPEN = "?"
"""In the place of a role: a question that nobody has answered yet."""


class AttributeEntry(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What a schema file says of one attribute, in the section ``[attributes.NAME]``."""

    kind: Kind | None = None
    role: Role | None = None
    categories: list[str] = []
    decimals: int | None = None
    hierarchy: str | None = None
    linked: str = ""


class RulesSection(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The ``[rules]`` section: what every released record must obey."""

    edits: list[str] = []


class KeepSection(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The ``[keep]`` section: tables and models that masking must not change much."""

    tables: list[str] = []
    models: list[str] = []


class ReleaseSection(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The ``[release]`` section: what a data protection assessment asks of the release."""

    purpose: str = ""
    legal_basis: str = ""
    recipients: str = ""
    safeguards: str = ""
    earlier: str = ""
    by: str = ""
    review: str = ""


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
    release: ReleaseSection = msgspec.field(default_factory=ReleaseSection)

    @property
    def declarations(self) -> Declarations:
        """What the file says of each column."""
        return {
            name: Declaration(
                e.kind,
                e.role or Role.OTHER,
                tuple(e.categories),
                e.decimals,
                e.hierarchy,
                linked=e.linked,
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
        content = msgspec.toml.decode(whole_content(path))
        schema = msgspec.convert(content, SchemaFile)
    except FileNotFoundError:
        raise FileError(f"there is no schema file {path}; check the name") from None
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from None
    except msgspec.ValidationError as error:
        raise SchemaError(f"{path} is not a schema: {_place(content)}{sentence(error)}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SchemaError(f"{path} is not a schema: {sentence(error)}") from None
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


def _place(content: dict[str, Any]) -> str:
    """The column that is not described rightly, as a beginning of a sentence."""
    entries = content.get("attributes")
    for name, entry in entries.items() if isinstance(entries, dict) else ():
        try:
            msgspec.convert(entry, AttributeEntry)
        except msgspec.ValidationError:
            return f"column {name!r}, "
    return ""


_UNKNOWN = re.compile(r"Object contains unknown field `(.*?)`")
_WORD = re.compile(r"Invalid enum value '(.*?)'")
_AT = re.compile(r" - at `\$\.?(.*?)`$")
_WORDS = {"kind": tuple(Kind), "role": tuple(Role)}
"""The words that may stand at a key."""
_TYPES = {
    "str": "text", "str | null": "text", "int": "a whole number", "int | null": "a whole number",
    "float": "a number", "bool": "true or false", "array": "a list", "object": "a section",
}  # fmt: skip
"""What the parser calls a value, and what a user does."""


def sentence(error: Exception) -> str:
    """What is wrong, with the key in the words of the file."""
    text = str(error)
    at = _AT.search(text)
    path = "" if at is None else at[1].replace("attributes[...]", "").strip(".")
    key, text = re.sub(r"\[\.\.\.\]|\[\d+\]", "", path), _AT.sub("", text)
    where = f"key {key!r}: " if key else ""
    unknown, word = _UNKNOWN.search(text), _WORD.search(text)
    if unknown:
        return f"{where}unknown key {unknown[1]!r}"
    if word and word[1] == OPEN:
        return f"{where}still a question; write one of {', '.join(_WORDS[key])}"
    if word and key in _WORDS:
        return f"{where}there is no {key} {word[1]!r}; use one of {', '.join(_WORDS[key])}"
    for ours, theirs in _TYPES.items():
        text = text.replace(f"`{ours}`", theirs)
    return where + (text[:1].lower() + text[1:]).replace("`", "'")
