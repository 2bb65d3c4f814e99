"""Purposes in words, and the analyses to preserve that a file needs for them.

A purpose such as ``regional poverty statistics`` is matched with a library by its words, and the
columns that its analyses need by topics, as scenarios are proposed.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from evomask.data.roles.vocabulary import TARGETS, find_words, words_of
from evomask.data.schema import Attribute, Role
from evomask.data.table import Table
from evomask.errors import FileError, ParameterError, SchemaError
from evomask.io.files import read_regular_file
from evomask.io.scenario_library import scenario_library
from evomask.io.schemas import describe_error
from evomask.measures.analyses.analyses import KINDS, AnalysesToPreserve
from evomask.measures.analyses.parser import split_limit
from evomask.measures.analyses.records import is_number

LIBRARY = Path(__file__).with_name("purposes.toml")

MOST_CATEGORIES = 60
"""Most categories of a column that groups records."""

ANALYSED = (Role.QUASI_IDENTIFIER, Role.CONFIDENTIAL, Role.STRATUM, Role.OTHER)
"""Roles of columns that analyses are found for."""

NUMBER, GROUPS, ANY, OTHERS = "number", "groups", "any", "others"


class Purpose(msgspec.Struct, forbid_unknown_fields=True):
    """A purpose of a file, and templates of the analyses that it needs.

    Args:
        words: words of a text that means this purpose.
        columns: kind and topics of each column of the templates.
        needs: column without which the purpose has no meaning.
    """

    title: str
    words: str = ""
    columns: dict[str, str] = {}
    tables: list[str] = []
    models: list[str] = []
    indicators: list[str] = []
    needs: str = ""


def expand_purposes(
    keep: AnalysesToPreserve, table: Table
) -> tuple[AnalysesToPreserve, tuple[str, ...]]:
    """Return analyses with those of their purposes, and notes that name them."""
    found, notes = AnalysesToPreserve(), []
    for text in keep.uses:
        bare, limit = split_limit(text)
        name, given = _parse(bare)
        purposes = _read(Path(name)) if name.endswith(".toml") else [_match(name)]
        for purpose in purposes:
            own = _analyses(purpose, table, given, "" if limit is None else f" <= {limit:g} %")
            found += own
            listed = "; ".join((*own.tables, *own.models, *own.indicators))
            notes.append(f"use {bare!r} ({purpose.title}): preserves {listed}")
    return found + replace(keep, uses=()), tuple(notes)


def _parse(text: str) -> tuple[str, dict[str, str]]:
    """Split ``machine learning: target=income`` into the purpose and the columns given."""
    name, _, rest = text.partition(":")
    given: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in rest.split(","))):
        key, equals, column = part.partition("=")
        if not equals or not column.strip():
            raise ParameterError(
                f"the use {text!r} cannot be read: columns are given as NAME=COLUMN, such as "
                '"machine learning: target=income"'
            )
        given[key.strip()] = column.strip()
    return name.strip(), given


def _match(text: str) -> Purpose:
    """Return the purpose of the library that has most words of a text."""
    words = {word.removesuffix("s") for word in words_of(text)}
    known = _read(LIBRARY)
    scores = [
        len(words & {word.removesuffix("s") for word in words_of(f"{one.words} {one.title}")})
        for one in known
    ]
    if not max(scores):
        titles = "; ".join(one.title for one in known)
        raise ParameterError(f"no known purpose matches the use {text!r}; known are: {titles}")
    return known[scores.index(max(scores))]


def _read(path: Path) -> Sequence[Purpose]:
    try:
        found = msgspec.toml.decode(read_regular_file(path), type=dict[str, Purpose])
    except FileNotFoundError:
        raise FileError(f"there is no library of purposes {path}; check the name") from None
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        why = describe_error(error)
        raise SchemaError(f"{path} is not a library of purposes: {why}") from None
    return tuple(found.values())


def _analyses(
    purpose: Purpose, table: Table, given: Mapping[str, str], limit: str
) -> AnalysesToPreserve:
    """Return the analyses of a purpose that a file has the columns for."""
    columns = _columns(purpose, table, given)
    if purpose.needs and purpose.needs not in columns:
        raise ParameterError(
            f"the use {purpose.title!r} needs a column for {purpose.needs}; name it as in "
            f'"{purpose.title.lower()}: {purpose.needs}=COLUMN"'
        )
    kinds = (
        tuple(_filled(kind, templates, columns, table, limit))
        for kind, templates in (
            ("tables", purpose.tables),
            ("models", purpose.models),
            ("indicators", purpose.indicators),
        )
    )
    found = AnalysesToPreserve(*kinds)
    if not found:
        raise ParameterError(
            f"the file has no columns for an analysis of the use {purpose.title!r}; name them as "
            f'in "{purpose.title.lower()}: {next(iter(purpose.columns), "income")}=COLUMN"'
        )
    return found


def _filled(
    kind: str, templates: Sequence[str], columns: Mapping[str, str], table: Table, limit: str
) -> Iterator[str]:
    """Templates with their columns; those that the file does not allow are left out."""
    for template in templates:
        needed = re.findall(r"{(\w+)}", template)
        names = [columns.get(key, "") for key in needed]
        if not all(names) or len(set(names)) < len(names):
            continue
        text = template.format(**columns)
        single = AnalysesToPreserve(*((text,) if kind == one else () for one in KINDS))
        if single.possible_in(table):
            yield f"{text}{limit}"


def _columns(purpose: Purpose, table: Table, given: Mapping[str, str]) -> dict[str, str]:
    """Return the column for each entry of a purpose, between backticks."""
    for key, name in given.items():
        if key not in purpose.columns:
            known = ", ".join(purpose.columns)
            raise ParameterError(f"the use {purpose.title!r} has no {key!r}; it has {known}")
        if name not in table.schema:
            raise SchemaError(f"no column {name!r} for the use {purpose.title!r}")
    found = dict(given)
    attributes = [one for one in table.schema if one.role in ANALYSED]
    for key, wish in purpose.columns.items():
        kind, _, topics = wish.partition(":")
        if key in found or kind == OTHERS:
            continue
        free = [one for one in attributes if one.name not in found.values() and _suits(one, kind)]
        name = next(_by_topic(free, topics.split()), "")
        if name:
            found[key] = name
    quoted = {key: _quoted(name) for key, name in found.items()}
    for key, wish in purpose.columns.items():
        if wish.startswith(OTHERS) and key not in found:
            rest = (one for one in attributes if one.name not in found.values())
            quoted[key] = " + ".join(_quoted(one.name) for one in rest if _suits(one, ANY))
    return quoted


def _quoted(name: str) -> str:
    return name if re.fullmatch(r"[\w.-]{2,}", name) else f"`{name}`"


def _by_topic(attributes: Sequence[Attribute], topics: Sequence[str]) -> Iterator[str]:
    """Columns of some topics; names of fewer words come first, as income before other_income."""
    library = scenario_library()
    plainest = sorted(attributes, key=lambda one: len(words_of(one.name)))
    for topic in topics:
        for one in plainest:
            is_target = topic == "target" and find_words(words_of(one.name), TARGETS)
            if topic == "*" or is_target or library.topic_of(one.name) == topic:
                yield one.name


def _suits(attribute: Attribute, kind: str) -> bool:
    if kind == NUMBER:
        return is_number(attribute)
    few = attribute.is_categorical and 1 < len(attribute.categories) <= MOST_CATEGORIES
    return few or (kind == ANY and is_number(attribute))
