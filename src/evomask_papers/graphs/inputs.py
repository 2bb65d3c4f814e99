"""Stand-ins for the graphs of chapter 6 (Marés, 2013), sampled from available networks.

Twitter's are not published. Ours are crawled as in Algorithm 12 from friendships of Foursquare
(four cities, 391 kinds of venues as topics) and from followers of Sina Weibo (ten topics; places
are drawn from a gazetteer, since the network has none), with as many nodes and edges: links among
crawled users are thinned at random to the thesis' number, where the thesis keeps every link.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from evomask.io.datasets import reference_file
from evomask.types import Indices
from evomask_graphs.graph import Graph, table_of_texts
from evomask_graphs.graph_files import GraphSource, read_graph, read_rows

FIRST, SECOND = "first graph", "second graph"
FOURSQUARE, SINANET = "Foursquare", "Sinanet"

SIZES = {FIRST: (306, 342), SECOND: (1638, 4622)}
"""Nodes and edges of the thesis' graphs."""

PRINTED = {
    FIRST: {"diameter": 17, "characteristic": 8, "shortest path": 7.597, "degree": 2},
    SECOND: {"diameter": 11, "characteristic": 4, "shortest path": 4.2595, "degree": 5},
}
"""Their properties in the text: longest, characteristic and mean path in hops, mean degree."""

PLACES = ("city", "admin1", "country", "continent")
TOPICS = ("topic1", "topic2", "topic3")


@lru_cache(maxsize=8)
def graph_like(which: str, network: str, seed: int) -> Graph:
    """Return a graph of the size of the thesis' first or second graph, from one of two networks."""
    nodes, edges = SIZES[which]
    rng = np.random.default_rng([seed, nodes])
    whole = foursquare() if network == FOURSQUARE else _sinanet(rng)
    return crawled(whole, nodes, edges, rng)


def crawled(graph: Graph, n_nodes: int, n_edges: int, rng: np.random.Generator) -> Graph:
    """Sample a network like a crawler that requests some links of each user.

    The next user is drawn at random among those linked with the visited (Algorithm 12). Links
    through which users were found are kept, plus a number of random other links.
    """
    links: list[list[int]] = [[] for _ in range(len(graph))]
    for a, b in graph.edges.tolist():
        links[a].append(b)
        links[b].append(a)
    start = int(rng.choice(np.flatnonzero(graph.degrees)))
    place, waiting, found = {start: 0}, [(start, other) for other in links[start]], []
    while waiting and len(place) < n_nodes:
        at = int(rng.integers(len(waiting)))
        waiting[at], waiting[-1] = waiting[-1], waiting[at]
        known, user = waiting.pop()
        if user in place:
            continue
        place[user] = len(place)
        found.append((known, user))
        waiting += [(user, other) for other in links[user] if other not in place]
    return _with_links(graph, place, found, n_edges, rng)


def _with_links(
    graph: Graph,
    place: dict[int, int],
    found: list[tuple[int, int]],
    n_edges: int,
    rng: np.random.Generator,
) -> Graph:
    taken = {(min(pair), max(pair)) for pair in found}
    others = [
        (a, b)
        for a, b in graph.edges.tolist()
        if a in place and b in place and a != b and (min(a, b), max(a, b)) not in taken
    ]
    drawn = rng.permutation(len(others))[: max(0, n_edges - len(found))]
    edges = [(place[a], place[b]) for a, b in [*found, *(others[i] for i in drawn)]]
    order: Indices = np.array(list(place), dtype=np.int64)
    names = tuple(graph.names[i] for i in order)
    return Graph(names, graph.nodes.take(order), np.array(edges, dtype=np.int64))


def foursquare() -> Graph:
    """Friends of 6,000 people in four cities, with their locations and visited venues."""
    return read_graph(GraphSource(reference_file("graphs/foursquare4/nodes.csv").parent))


def _sinanet(rng: np.random.Generator) -> Graph:
    folder = reference_file("graphs/sinanet/nodes.csv").parent
    graph = read_graph(GraphSource(folder, directed=True)).undirected()
    rows = read_rows(reference_file("places/cities15000.csv"))
    drawn = rng.integers(len(rows), size=len(graph))
    columns: dict[str, NDArray[np.object_]] = {
        name: np.array([rows[i][name] for i in drawn], dtype=object) for name in PLACES
    }
    for name in TOPICS:
        categories = np.array(graph.nodes.attribute(name).categories, dtype=object)
        columns[name] = categories[graph.nodes.codes(name)]
    return graph.with_nodes(table_of_texts(columns))
