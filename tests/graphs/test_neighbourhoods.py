"""k-neighbourhood anonymity, checked by networkx."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest

from evomask.errors import ParameterError
from evomask_graphs.disclosure_risk import Neighbourhoods
from evomask_graphs.graph import Graph
from evomask_graphs.neighbourhoods import (
    NeighbourhoodSearch,
    neighbourhood_labels,
    smallest_neighbourhood_class,
)
from evomask_graphs.runs.protect import PROTECTORS, protect_with_edges, with_profiles
from tests.graphs.examples import graph_of, profiles, random_graph


def neighbourhood(made, root):
    around = {root, *made.successors(root), *made.predecessors(root)}
    found = made.subgraph(around).copy()
    nx.set_node_attributes(found, {node: node == root for node in found}, "root")
    return found


def smallest_class_by_networkx(graph):
    """How many nodes share the rarest neighbourhood, by trying pairs."""
    made = nx.DiGraph(graph.arcs.tolist())
    made.add_nodes_from(range(len(graph)))
    samples, sizes = [], []
    for node in range(len(graph)):
        ego = neighbourhood(made, node)
        for at, sample in enumerate(samples):
            if len(sample) == len(ego) and nx.is_isomorphic(
                ego, sample, node_match=lambda a, b: a["root"] == b["root"]
            ):
                sizes[at] += 1
                break
        else:
            samples.append(ego)
            sizes.append(1)
    return min(sizes)


def random_edges(n, m, seed, directed=False):
    graph = random_graph(n, m, seed, directed)
    proper = graph.edges[graph.edges[:, 0] != graph.edges[:, 1]]
    return graph.with_edges(proper)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize(("k", "seed"), [(2, 0), (3, 1), (6, 2)])
def test_every_neighbourhood_is_shared_by_k(directed, k, seed):
    graph = random_edges(60, 110, seed, directed)
    masked = NeighbourhoodSearch().protect(graph, k, np.random.default_rng(seed))
    assert smallest_class_by_networkx(masked) >= k
    assert smallest_neighbourhood_class(masked) >= k


@pytest.mark.slow
def test_every_neighbourhood_of_500_nodes_is_shared_by_five(reference):
    reference("graphs/foursquare4/nodes.csv")
    from evomask_papers.graphs.inputs import crawled, foursquare

    graph = crawled(foursquare(), 500, 1400, np.random.default_rng(3))
    masked = NeighbourhoodSearch().protect(graph, 5, np.random.default_rng(1))
    assert smallest_class_by_networkx(masked) >= 5
    assert len(masked.edges) > len(graph.edges) / 2


def test_a_graph_that_is_anonymous_already_is_left_alone():
    ring = Graph(tuple("abcdef"), random_graph(6, 0).nodes, [[i, (i + 1) % 6] for i in range(6)])
    masked = NeighbourhoodSearch().protect(ring, 6, np.random.default_rng(0))
    assert np.array_equal(masked.edges, ring.edges)


def test_without_a_search_links_go_until_all_are_alike():
    graph = random_edges(30, 60, 4)
    masked = NeighbourhoodSearch(attempts=0).protect(graph, 3, np.random.default_rng(0))
    assert smallest_class_by_networkx(masked) >= 3


def test_searching_keeps_more_links_than_cutting():
    graph = random_edges(60, 110, 5)
    searched, cut = (
        NeighbourhoodSearch(attempts=n).protect(graph, 4, np.random.default_rng(0)) for n in (15, 0)
    )
    kept = {tuple(edge) for edge in graph.edges.tolist()}
    lost = [len(kept ^ {tuple(e) for e in made.edges.tolist()}) for made in (searched, cut)]
    assert lost[0] < lost[1]


def test_the_same_seed_gives_the_same_graph():
    graph = random_edges(40, 70, 6)
    first, second = (
        NeighbourhoodSearch().protect(graph, 3, np.random.default_rng(9)) for _ in range(2)
    )
    assert np.array_equal(first.edges, second.edges)


def test_classes_tell_a_triangle_from_a_path():
    triangle_and_path = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5)]
    graph = graph_of([("", "", "", "")] * 6, [("", "", "")] * 6, triangle_and_path)
    labels = neighbourhood_labels(graph)
    assert len(set(labels[:3])) == 1
    assert labels[4] != labels[0]
    assert labels[3] == labels[5]


HEXAGON = [(0, i) for i in range(1, 7)] + [(i, i % 6 + 1) for i in range(1, 7)]
TRIANGLES = [(7, i) for i in range(8, 14)] + [
    (8, 9), (9, 10), (8, 10), (11, 12), (12, 13), (11, 13),
]  # fmt: skip
HUBS = graph_of([("", "", "", "")] * 14, [("", "", "")] * 14, HEXAGON + TRIANGLES)
"""Two nodes of six neighbours each, which lie on a ring, or on two: no signature tells them."""


def test_neighbourhoods_of_one_signature_are_laid_on_one_another():
    labels = neighbourhood_labels(HUBS)
    assert labels[0] != labels[7]


def test_a_doubt_is_a_match_for_risk_and_none_for_a_guarantee(monkeypatch):
    monkeypatch.setattr("evomask_graphs.disclosure_risk.PATIENCE", 0)
    doubted = Neighbourhoods.of(HUBS).classes([])
    assert doubted[0] == doubted[7]
    assert neighbourhood_labels(HUBS)[0] != neighbourhood_labels(HUBS)[7]


def test_k_is_guaranteed_even_where_matching_gives_up(monkeypatch):
    monkeypatch.setattr("evomask_graphs.disclosure_risk.PATIENCE", 0)
    masked = NeighbourhoodSearch().protect(HUBS, 2, np.random.default_rng(0))
    assert smallest_class_by_networkx(masked) >= 2


def test_links_and_profiles_together_are_shared_by_k():
    loaded = with_profiles(random_edges(60, 90, 7))
    masked = protect_with_edges(
        loaded, 3, PROTECTORS["random"], np.random.default_rng(1), neighbourhoods=True
    ).graph
    codes = profiles(masked).codes().values()
    rows = zip(neighbourhood_labels(masked).tolist(), *(c.tolist() for c in codes), strict=True)
    assert min(Counter(rows).values()) >= 3


def test_degrees_and_neighbourhoods_are_not_asked_for_at_once():
    with pytest.raises(ParameterError, match="choose one"):
        protect_with_edges(
            with_profiles(random_edges(20, 30, 0)), 3, PROTECTORS["random"],
            np.random.default_rng(0), degrees=True, neighbourhoods=True,
        )  # fmt: skip
