"""Profiles of nodes: a location in the hierarchy of places, and ordered topics."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evomask.data.schema import MISSING
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.types import Floats, Indices, Points
from evomask_graphs.graph import table_of_texts
from evomask_graphs.places import LEVELS, Path, Places, column_levels

NO_TOPIC = -1
"""Code of a missing topic."""

LOCATION = "location"


@dataclass(frozen=True)
class ProfileColumns:
    """Columns of a node table that hold profiles.

    Args:
        location: columns of the place, from specific to general; may be none.
        topics: columns of the topics, the preferred one first; may be none.
    """

    location: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.names:
            raise SchemaError(
                "the node table has no column of a place or a topic; "
                "name them with --location city,country and --topics topic1,topic2,topic3"
            )
        column_levels(self.location)

    @property
    def names(self) -> tuple[str, ...]:
        return self.location + self.topics

    @property
    def attributes(self) -> tuple[str, ...]:
        """Attributes of a profile: the location as a whole, and each topic."""
        return ((LOCATION,) if self.location else ()) + self.topics

    @classmethod
    def found_in(
        cls, names: Sequence[str], location: tuple[str, ...] = (), topics: tuple[str, ...] = ()
    ) -> "ProfileColumns":
        """The columns given, or those named after levels and topic1, topic2, ..."""
        levels: dict[int, str] = {}
        for name in names:
            if name.lower() in LEVELS:
                levels.setdefault(LEVELS[name.lower()], name)
        numbered = [name for name in names if re.fullmatch(r"topic_?\d+", name.lower())]
        numbered.sort(key=lambda name: int(re.sub(r"\D", "", name)))
        return cls(
            location or tuple(levels[level] for level in sorted(levels)),
            topics or tuple(numbered),
        )


@dataclass(frozen=True, eq=False)
class Profiles:
    """The profiles of all nodes as arrays.

    Args:
        locations: code of each node's place; the world if unknown.
        topic_names: every topic, by code; in the order of their names.
        topics: one row per node, topic codes by preference, -1 if there are fewer.
        numbers: further numbers in [0, 1] to aggregate, one column each.
    """

    columns: ProfileColumns
    places: Places
    locations: Indices
    topic_names: tuple[str, ...]
    topics: Indices
    numbers: Points

    def __len__(self) -> int:
        return len(self.locations)

    def with_values(self, locations: Indices, topics: Indices, numbers: Points) -> "Profiles":
        return replace(self, locations=locations, topics=topics, numbers=numbers)

    def take(self, rows: Indices) -> "Profiles":
        parts = self.locations[rows], self.topics[rows], self.numbers[rows]
        return self.with_values(*parts)

    def with_numbers(self, numbers: Points) -> "Profiles":
        return replace(self, numbers=numbers)

    def codes(self) -> dict[str, Indices]:
        """Values of each attribute as codes; the location is one attribute."""
        topics = {name: self.topics[:, j] for j, name in enumerate(self.columns.topics)}
        return {LOCATION: self.locations, **topics} if self.columns.location else topics

    def distances(self, other: "Profiles") -> dict[str, Floats]:
        """Distance of each node's value from *other*'s per attribute, (6.1) and (6.2)."""
        theirs = other.codes()
        distances: dict[str, Floats] = {}
        for name, codes in self.codes().items():
            if name == LOCATION:
                distances[name] = self.places.distances(codes, theirs[name])
            else:
                distances[name] = (codes != theirs[name]).astype(float)
        return distances

    def table(self) -> Table:
        """The profiles as a node table, with one column for each level of places."""
        paths = np.array(self.places.paths, dtype=object)
        texts = np.array([*self.topic_names, MISSING], dtype=object)
        columns = {
            name: paths[self.locations, j] for j, name in enumerate(self.columns.location)
        } | {name: texts[self.topics[:, j]] for j, name in enumerate(self.columns.topics)}
        return table_of_texts(columns)


def profiles_of(columns: ProfileColumns, *tables: Table) -> tuple[Profiles, ...]:
    """Profiles of one or more node tables, with common codes of places and topics."""
    paths = [_paths(columns, table) for table in tables]
    places = Places.of(columns.location, {path for rows in paths for path in rows})
    texts = [[_texts(table, name) for name in columns.topics] for table in tables]
    names = sorted({str(text) for rows in texts for row in rows for text in set(row)} - {MISSING})
    code = {name: number for number, name in enumerate(names)} | {MISSING: NO_TOPIC}
    return tuple(
        Profiles(
            columns,
            places,
            np.array([places.codes[path] for path in node_paths], dtype=np.int64),
            tuple(names),
            _topic_codes(topic_texts, code, len(node_paths)),
            np.empty((len(node_paths), 0)),
        )
        for node_paths, topic_texts in zip(paths, texts, strict=True)
    )


def _paths(columns: ProfileColumns, table: Table) -> list[Path]:
    parts = [_texts(table, name) for name in columns.location]
    return [tuple(path) for path in zip(*parts, strict=True)] if parts else [()] * len(table)


def _topic_codes(texts: Sequence[NDArray[np.object_]], code: dict[str, int], n: int) -> Indices:
    rows = np.full((n, len(texts)), NO_TOPIC, dtype=np.int64)
    for j, column in enumerate(texts):
        rows[:, j] = [code[text] for text in column]
    return _without_gaps(rows)


def _without_gaps(rows: Indices) -> Indices:
    order = np.argsort(rows == NO_TOPIC, axis=1, kind="stable")
    return np.ascontiguousarray(np.take_along_axis(rows, order, axis=1))


def _texts(table: Table, name: str) -> NDArray[np.object_]:
    attribute = table.attribute(name)
    if not attribute.is_categorical:
        raise SchemaError(f"profiles hold text, and {name!r} is continuous; declare it nominal")
    texts = np.array(attribute.categories, dtype=object)[table.codes(name)]
    return np.asarray(texts, dtype=object)
