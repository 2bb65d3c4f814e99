"""Semantic loss against tables written out."""

from collections import Counter

import numpy as np
import pytest

from evomask_graphs.information_loss import adjacency_loss, semantic_loss
from evomask_graphs.protection import RandomSeeds
from tests.graphs.examples import CITIES, graph_of, profiles, random_graph


@pytest.mark.parametrize("directed", [False, True])
def test_adjacency_loss_equals_counting_pairs(directed):
    graph = random_graph(40, 90, 3, directed)
    own = profiles(graph)
    masked = RandomSeeds().protect(own, graph.degrees, 3, np.random.default_rng(0)).profiles
    loss = adjacency_loss(own, masked, graph.arcs, graph.arcs)
    for name, old in own.codes().items():
        new = masked.codes()[name]
        before = Counter((old[a], old[b]) for a, b in graph.arcs)
        after = Counter((old[a], new[b]) for a, b in graph.arcs)
        apart = sum(abs(before[pair] - after[pair]) for pair in before | after)
        assert loss.attributes[name] == pytest.approx(100 * apart / (2 * len(graph.arcs)))


def test_nothing_is_lost_against_itself():
    graph = random_graph()
    own = profiles(graph)
    assert semantic_loss(own, own, graph.arcs).mean == 0.0


def test_without_edges_no_adjacency_is_lost():
    graph = graph_of([CITIES[0], CITIES[1]], [("a", "b", ""), ("c", "", "")], [])
    own = profiles(graph)
    masked = RandomSeeds().protect(own, graph.degrees, 2, np.random.default_rng(0)).profiles
    loss = semantic_loss(own, masked, graph.arcs)
    assert loss.adjacency.mean == 0.0
    assert loss.distance.mean > 0.0


def test_losses_stay_within_a_hundred_percent_when_edges_are_added():
    graph = random_graph(20, 10)
    own = profiles(graph)
    every = np.array([(a, b) for a in range(20) for b in range(20)])
    assert semantic_loss(own, own, graph.arcs, every).adjacency.mean <= 100.0
