"""Chapter 6: the worked examples of its figures and tables."""

import numpy as np
import pytest

from evomask_graphs.aggregation import borda_topics, common_places
from evomask_graphs.graph import Graph, table_of_texts
from evomask_graphs.information_loss import adjacency_loss, distance_loss, distribution_loss
from evomask_graphs.places import LEVELS, WORLD_LEVEL, Places
from evomask_graphs.profiles import ProfileColumns, profiles_of
from evomask_graphs.topics import thesis_lexicon

UNITED_STATES = ("", "", "", "United States", "North America")
NEW_YORK = ("", "New York City", "New York", "United States", "North America")
WASHINGTON = ("", "Washington DC", "", "United States", "North America")
BROOKLYN = ("Brooklyn", *NEW_YORK[1:])
MANHATTAN = ("Manhattan", *NEW_YORK[1:])
CENTRAL_PARK = ("Central Park", *NEW_YORK[1:])
PLACE_COLUMNS = ("sublocality", "city", "state", "country", "continent")
FIGURE_6_2 = Places.of(PLACE_COLUMNS, [BROOKLYN, MANHATTAN, CENTRAL_PARK, WASHINGTON])

COLUMNS = ProfileColumns(PLACE_COLUMNS, ("topic1", "topic2", "topic3"))

# Figure 6.5: user 2 in the middle, linked with users 1 and 3.
ORIGINAL = [
    (WASHINGTON, "Technology", "Politics", "Weather"),
    (UNITED_STATES, "Technology", "Sports", "Religion"),
    (NEW_YORK, "Politics", "Technology", "Sports"),
]
MASKED = [(UNITED_STATES, "Technology", "Politics", "Sports")] * 3


def graph_of(rows):
    texts = {
        name: np.array([row[0][j] for row in rows], dtype=object)
        for j, name in enumerate(PLACE_COLUMNS)
    } | {f"topic{j}": np.array([row[j] for row in rows], dtype=object) for j in (1, 2, 3)}
    return Graph(("1", "2", "3"), table_of_texts(texts), np.array([[0, 1], [1, 2]]))


GRAPH = graph_of(ORIGINAL)
BEFORE, AFTER = profiles_of(COLUMNS, GRAPH.nodes, graph_of(MASKED).nodes)


def code(place):
    return np.array([FIGURE_6_2.codes[place]])


def test_levels_of_table_6_1():
    assert WORLD_LEVEL == 7
    assert [LEVELS[kind] for kind in ("route", "locality", "admin3", "admin2", "admin1")] == [
        0, 1, 2, 3, 4,
    ]  # fmt: skip
    assert [LEVELS[kind] for kind in ("country", "political", "continent")] == [5, 5, 6]


def test_brooklyn_is_five_sevenths_from_the_united_states():
    assert FIGURE_6_2.distances(code(BROOKLYN), code(UNITED_STATES)) == pytest.approx([5 / 7])


def test_the_united_states_are_as_far_from_brooklyn():
    assert FIGURE_6_2.distances(code(UNITED_STATES), code(BROOKLYN)) == pytest.approx([5 / 7])


def test_new_york_and_washington_are_on_different_branches():
    assert FIGURE_6_2.distances(code(NEW_YORK), code(WASHINGTON)) == [1.0]


@pytest.mark.parametrize(
    ("places", "common"),
    [((BROOKLYN, WASHINGTON), UNITED_STATES), ((MANHATTAN, CENTRAL_PARK), NEW_YORK)],
)
def test_places_aggregate_to_their_closest_common_ancestor(places, common):
    codes = np.array([FIGURE_6_2.codes[place] for place in places])
    found = common_places(FIGURE_6_2, codes, np.zeros(2, dtype=np.int64))
    assert FIGURE_6_2.paths[found[0]] == common


def test_topics_of_figure_6_3_are_elected_by_borda_count():
    names = BEFORE.topic_names
    (chosen,) = borda_topics(BEFORE.topics, np.zeros(3, dtype=np.int64))
    assert [names[topic] for topic in chosen] == ["Technology", "Politics", "Sports"]


def test_adjacency_loss_of_figure_6_6():
    loss = adjacency_loss(BEFORE, AFTER, GRAPH.arcs, GRAPH.arcs)
    assert loss.attributes["location"] == 50.0


def test_distribution_loss_of_figure_6_7():
    assert distribution_loss(BEFORE, AFTER).attributes["topic1"] == pytest.approx(100 / 3)


def test_distance_loss_of_figure_6_8():
    user2 = [values[1] for values in BEFORE.distances(AFTER).values()]
    assert user2 == [0, 0, 1, 1]
    assert np.mean(user2) == 0.5


def test_distance_loss_is_the_mean_over_nodes_and_attributes():
    places = np.mean([4 / 7, 0, 4 / 7])
    expected = 100 * np.mean([places, 1 / 3, 2 / 3, 2 / 3])
    assert distance_loss(BEFORE, AFTER).mean == pytest.approx(expected)


def test_there_are_eighteen_topics():
    assert len(thesis_lexicon().terms) == 18
