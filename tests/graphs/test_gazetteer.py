"""Places by name."""

import numpy as np
import pytest

from evomask.errors import SchemaError
from evomask_graphs.gazetteer import gazetteer_from_rows, geonames, locate_nodes, plain_name
from evomask_graphs.graph import Graph, table_of_texts
from evomask_graphs.profiles import ProfileColumns, profiles_of

WORLD = ("", "", "", "")
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
    assert small.find(text).path == path


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
    assert whole.find(text).path == path


def test_accents_capitals_and_points_do_not_matter():
    assert plain_name(" São-Paulo, S.P. ") == "sao paulo sp"


def test_unknown_places_are_the_world_and_counted(small):
    texts = np.array(["Lyon", "Narnia", ""], dtype=object)
    graph = Graph(("a", "b", "c"), table_of_texts({"location": texts}), np.empty((0, 2)))
    found, report = locate_nodes(graph, "location", small)
    assert (report.unknown, report.ambiguous) == (1, 0)
    assert found.nodes.schema.names == ("city", "region", "country", "continent")
    cities = np.array(found.nodes.attribute("city").categories)[found.nodes.codes("city")]
    assert cities.tolist() == ["Lyon", "", ""]


SPRINGFIELDS = [
    dict(zip(KEYS, row, strict=True))
    for row in (
        ("Springfield", "Missouri", "United States", "North America", "167000"),
        ("Springfield", "Massachusetts", "United States", "North America", "153000"),
        ("Springfield", "Florida", "United States", "North America", "8000"),
        ("Jackson", "Missouri", "United States", "North America", "15000"),
        ("New York", "New York", "United States", "North America", "8000000"),
        ("Lyon", "", "France", "Europe", "500000"),
    )
]


def test_places_that_share_a_name_are_told_but_for_much_smaller_ones():
    match = gazetteer_from_rows(SPRINGFIELDS).find("Springfield")
    assert match.path[1] == "Missouri"
    assert [path[1] for path in match.others] == ["Massachusetts"]


def test_a_region_makes_a_name_clear():
    match = gazetteer_from_rows(SPRINGFIELDS).find("Springfield, Massachusetts")
    assert match.path[1] == "Massachusetts"
    assert match.others == ()


def test_a_city_named_as_its_region_is_ambiguous():
    match = gazetteer_from_rows(SPRINGFIELDS).find("New York")
    assert {match.path[0], *(path[0] for path in match.others)} == {"New York", ""}


def test_geonames_knows_more_than_one_springfield_and_one_london(whole):
    assert whole.find("Springfield").others
    assert not whole.find("London").others
    assert not whole.find("Springfield, Illinois").others


def test_ambiguous_and_unknown_texts_are_reported_first():
    texts = np.array(["Lyon", "Narnia", "Springfield", "Springfield", "Lyon"], dtype=object)
    graph = Graph(tuple("abcde"), table_of_texts({"location": texts}), np.empty((0, 2)))
    _, report = locate_nodes(graph, "location", gazetteer_from_rows(SPRINGFIELDS))
    assert (report.unknown, report.ambiguous) == (1, 2)
    assert [(row["text"], row["nodes"], row["status"]) for row in report.rows] == [
        ("Springfield", "2", "ambiguous"), ("Narnia", "1", "unknown"), ("Lyon", "2", "found"),
    ]  # fmt: skip
    assert report.rows[0]["place"] == "Springfield, Missouri, United States, North America"
    assert report.rows[0]["others"].startswith("Springfield, Massachusetts")


FINE = [
    {"neighborhood": "Croix-Rousse", "city": "Lyon", "admin2": "Rhône", "admin1": "Auvergne",
     "country": "France", "continent": "Europe", "population": "30000"},
    {"neighborhood": "", "city": "Lyon", "admin2": "Rhône", "admin1": "Auvergne",
     "country": "France", "continent": "Europe", "population": "500000"},
]  # fmt: skip


def test_a_table_may_have_places_below_and_levels_above_the_city():
    table = gazetteer_from_rows(FINE)
    assert table.columns == ("neighborhood", "city", "admin2", "region", "country", "continent")
    assert table.find("croix-rousse").path == (
        "Croix-Rousse", "Lyon", "Rhône", "Auvergne", "France", "Europe",
    )  # fmt: skip
    assert table.find("Croix-Rousse, Lyon").path[0] == "Croix-Rousse"
    assert table.find("Lyon").path == ("", "Lyon", "Rhône", "Auvergne", "France", "Europe")
    assert table.find("rhone").path == ("", "", "Rhône", "Auvergne", "France", "Europe")
    assert table.find("Narnia").path == table.world == ("",) * 6


def test_finer_places_become_columns_of_their_levels():
    texts = np.array(["Croix-Rousse", "Lyon", "France"], dtype=object)
    graph = Graph(tuple("abc"), table_of_texts({"location": texts}), np.empty((0, 2)))
    located, _ = locate_nodes(graph, "location", gazetteer_from_rows(FINE))
    columns = ProfileColumns.found_in(located.nodes.schema.names)
    assert columns.location == ("neighborhood", "city", "admin2", "region", "country", "continent")
    (profiles,) = profiles_of(columns, located.nodes)
    places = profiles.places
    fine, city, country = profiles.locations
    # figure 6.2: levels apart on one branch, divided by 7
    assert places.distances(np.array([fine]), np.array([city])) == pytest.approx(1 / 7)
    assert places.distances(np.array([fine]), np.array([country])) == pytest.approx(5 / 7)


def test_two_columns_of_one_level_are_refused():
    row = {**FINE[0], "sublocality": "x"}
    with pytest.raises(SchemaError, match="one of each level"):
        gazetteer_from_rows([row])


def test_a_table_without_countries_is_refused():
    with pytest.raises(SchemaError, match="country"):
        gazetteer_from_rows([{"city": "Lyon"}])
