"""Small graphs that tests build on."""

import numpy as np

from evomask_graphs.graph import Graph, table_of_texts
from evomask_graphs.profiles import ProfileColumns, profiles_of

CITIES = [
    ("New York City", "New York", "United States", "North America"),
    ("Albany", "New York", "United States", "North America"),
    ("Chicago", "Illinois", "United States", "North America"),
    ("Lyon", "", "France", "Europe"),
    ("Paris", "", "France", "Europe"),
    ("", "", "France", "Europe"),
    ("", "", "", ""),
]
COLUMNS = ProfileColumns(("city", "region", "country", "continent"), ("topic1", "topic2", "topic3"))


def graph_of(places, topics, edges, directed=False):
    """A graph with these profiles; topics as words, empty where missing."""
    texts = {
        name: np.array([place[j] for place in places], dtype=object)
        for j, name in enumerate(COLUMNS.location)
    } | {
        name: np.array([row[j] for row in topics], dtype=object)
        for j, name in enumerate(COLUMNS.topics)
    }
    names = tuple(f"user{i}" for i in range(len(places)))
    return Graph(names, table_of_texts(texts), np.array(edges).reshape(-1, 2), directed)


def random_graph(n=60, m=120, seed=0, directed=False):
    """Random places, topics (some missing), edges, loops and isolated nodes."""
    rng = np.random.default_rng(seed)
    places = [CITIES[i] for i in rng.integers(len(CITIES), size=n)]
    topics = []
    for _ in range(n):
        row = [f"t{i}" for i in rng.permutation(6)[:3]]
        kept = int(rng.integers(0, 4))
        topics.append([*row[:kept], *[""] * (3 - kept)])
    edges = rng.integers(max(1, n - 3), size=(m, 2))
    return graph_of(places, topics, edges, directed)


def profiles(graph, *others):
    found = profiles_of(COLUMNS, graph.nodes, *(other.nodes for other in others))
    return found if others else found[0]


def slow_common(places, codes):
    """The closest common ancestor, found by comparing branches."""
    branches = [{int(a) for a in places.ancestors[code] if a >= 0} for code in codes]
    return min(set.intersection(*branches), key=lambda place: places.levels[place])
