"""Clusters as supernodes."""

import numpy as np
import pytest

from evomask_graphs.supernodes import supernodes
from tests.graphs.examples import CITIES, graph_of, random_graph

LABELS = np.array([0, 0, 0, 1, 1, 2])
EDGES = [(0, 1), (1, 2), (2, 3), (1, 3), (3, 4), (4, 5)]


def made(edges=EDGES, labels=LABELS):
    graph = graph_of([CITIES[0]] * len(labels), [("a", "b", "c")] * len(labels), edges)
    return supernodes(graph, labels)


def test_people_and_links_are_counted_within_and_between():
    found = made()
    assert found.members.tolist() == [3, 2, 1]
    assert found.inside.tolist() == [2, 1, 0]
    assert found.edges.tolist() == [[0, 1], [1, 2]]
    assert found.links.tolist() == [2, 1]


def test_loss_is_what_guessing_links_gets_wrong():
    wrong = 2 * 2 * (1 - 2 / 3) + 2 * 2 * (1 - 2 / 6) + 2 * 1 * (1 - 1 / 2)
    assert made().loss == pytest.approx(100 * wrong / (6 * 5 / 4))


def test_clusters_of_one_lose_nothing():
    assert made(labels=np.arange(6)).loss == 0.0


@pytest.mark.parametrize("seed", range(3))
def test_every_proper_edge_is_counted_once(seed):
    graph = random_graph(40, 90, seed, directed=bool(seed))
    labels = np.random.default_rng(seed).integers(5, size=40)
    found = supernodes(graph, labels)
    edges = graph.undirected().edges
    assert found.inside.sum() + found.links.sum() == np.sum(edges[:, 0] != edges[:, 1])
    assert 0 <= found.loss <= 100
