"""Structure against networkx."""

import networkx as nx
import numpy as np
import pytest

from evomask_graphs.structure import (
    clustering_of,
    degree_loss,
    edge_loss,
    importance_loss,
    importance_of,
    structure_of,
)
from tests.graphs.examples import CITIES, graph_of, random_graph

GRAPH = random_graph(60, 130)


def as_networkx(graph):
    made = nx.Graph()
    made.add_nodes_from(range(len(graph)))
    made.add_edges_from((a, b) for a, b in graph.edges.tolist() if a != b)
    return made


def entropy(made):
    degrees = np.array([degree for _, degree in made.degree if degree])
    shares = degrees / degrees.sum() if len(degrees) else degrees
    return float(-(shares * np.log2(shares)).sum())


def test_clustering_equals_networkx():
    expected = nx.clustering(as_networkx(GRAPH))
    assert clustering_of(GRAPH) == pytest.approx([expected[i] for i in range(60)])


def test_paths_and_components_equal_networkx():
    made = as_networkx(GRAPH)
    lengths = [
        length
        for _, to in nx.all_pairs_shortest_path_length(made)
        for length in to.values()
        if length > 0
    ]
    found = structure_of(GRAPH)
    assert found.path_length == pytest.approx(np.mean(lengths))
    assert found.diameter == max(lengths)
    means = [
        sum(to.values()) / (len(to) - 1)
        for _, to in nx.all_pairs_shortest_path_length(made)
        if len(to) > 1
    ]
    assert found.characteristic_length == pytest.approx(np.median(means))
    assert found.components == nx.number_connected_components(made)


def test_importance_is_the_entropy_that_goes_with_a_node():
    made = as_networkx(GRAPH)
    expected = []
    for node in range(60):
        without = made.copy()
        without.remove_node(node)
        expected.append(entropy(made) - entropy(without))
    assert importance_of(GRAPH) == pytest.approx(expected)


def test_the_same_graph_loses_no_structure():
    assert (
        degree_loss(GRAPH, GRAPH) == edge_loss(GRAPH, GRAPH) == importance_loss(GRAPH, GRAPH) == 0
    )


def test_a_graph_without_edges_has_a_structure():
    bare = graph_of([CITIES[0]] * 3, [("a", "b", "c")] * 3, [])
    found = structure_of(bare)
    assert (found.components, found.path_length, found.entropy) == (3, 0.0, 0.0)
    assert importance_of(bare).tolist() == [0, 0, 0]


def test_edges_in_one_graph_alone_are_counted():
    one = graph_of([CITIES[0]] * 3, [("a", "b", "c")] * 3, [[0, 1], [1, 2]])
    other = one.with_edges(np.array([[0, 1], [0, 2]]))
    assert edge_loss(one, other) == pytest.approx(100 * 2 / 3)


def test_paths_of_a_graph_above_a_block_of_sources_are_those_of_all_nodes():
    graph = random_graph(450, 700)
    made = as_networkx(graph)
    lengths = [
        length
        for _, to in nx.all_pairs_shortest_path_length(made)
        for length in to.values()
        if length > 0
    ]
    assert structure_of(graph).path_length == pytest.approx(np.mean(lengths))
    assert structure_of(graph).diameter == max(lengths)
