"""Places by name."""

import numpy as np
import pytest

from evomask.errors import SchemaError
from evomask_graphs.gazetteer import WORLD, gazetteer_from_rows, geonames, locate_nodes, plain_name
from evomask_graphs.graph import Graph, table_of_texts

KEYS = ("city", "admin1", "country", "continent", "population")
ROWS = [
    dict(zip(KEYS, row, strict=True))
    for row in (
        ("Paris", "", "France", "Europe", "2000000"),
        ("Paris", "Texas", "United States", "North America", "25000"),
        ("Lyon", "", "France", "Europe", "500000"),
    )
]


@pytest.fixture(scope="module")
def small():
    return gazetteer_from_rows(ROWS)


@pytest.fixture(scope="module")
def whole():
    return geonames()


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("Paris", ("Paris", "", "France", "Europe")),
        ("paris, TEXAS", ("Paris", "Texas", "United States", "North America")),
        ("somewhere in / Lyon", ("Lyon", "", "France", "Europe")),
        ("Texas", ("", "Texas", "United States", "North America")),
        ("Europe", ("", "", "", "Europe")),
        ("Lyon, Texas", ("", "Texas", "United States", "North America")),
        ("the moon", WORLD),
        ("", WORLD),
    ],
)
def test_a_text_finds_its_place(small, text, path):
    assert small.find(text) == path


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("Brooklyn, NY", ("Brooklyn", "New York", "United States", "North America")),
        ("München", ("Munich", "", "Germany", "Europe")),
        ("Berlin \U0001f1e9\U0001f1ea", ("Berlin", "", "Germany", "Europe")),
        ("London, UK", ("London", "", "United Kingdom", "Europe")),
        ("USA", ("", "", "United States", "North America")),
        ("Windhoek, Namibia", ("Windhoek", "", "Namibia", "Africa")),
    ],
)
def test_geonames_knows_places_of_the_world(whole, text, path):
    assert whole.find(text) == path


def test_accents_capitals_and_points_do_not_matter():
    assert plain_name(" São-Paulo, S.P. ") == "sao paulo sp"


def test_unknown_places_are_the_world_and_counted(small):
    texts = np.array(["Lyon", "Narnia", ""], dtype=object)
    graph = Graph(("a", "b", "c"), table_of_texts({"location": texts}), np.empty((0, 2)))
    found, unknown = locate_nodes(graph, "location", small.find)
    assert unknown == 1
    assert found.nodes.schema.names == ("city", "region", "country", "continent")
    cities = np.array(found.nodes.attribute("city").categories)[found.nodes.codes("city")]
    assert cities.tolist() == ["Lyon", "", ""]


def test_a_table_without_countries_is_refused():
    with pytest.raises(SchemaError, match="country"):
        gazetteer_from_rows([{"city": "Lyon"}])
