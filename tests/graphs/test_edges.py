"""k-degree anonymity and random edges."""

import itertools

import numpy as np
import pytest

from evomask.errors import DataError, ParameterError
from evomask_graphs.edges import anonymize_degrees, anonymous_degrees, shuffle_edges
from tests.graphs.examples import random_graph


def smallest_sum(degrees, k):
    """The least total of raised degrees over all cuts of the sorted sequence into runs."""
    falling = sorted(degrees, reverse=True)
    n, best = len(falling), float("inf")
    for cuts in itertools.chain.from_iterable(
        itertools.combinations(range(1, n), r) for r in range(n)
    ):
        ends = [0, *cuts, n]
        if min(np.diff(ends)) >= k:
            best = min(best, sum(falling[a] * (b - a) for a, b in itertools.pairwise(ends)))
    return best


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_degrees_are_raised_as_little_as_can_be(k, seed):
    degrees = np.random.default_rng(seed).integers(0, 9, size=9)
    found = anonymous_degrees(degrees, k)
    assert (found >= degrees).all()
    assert np.unique(found, return_counts=True)[1].min() >= k
    assert found.sum() == smallest_sum(degrees, k)


@pytest.mark.parametrize("n", [2, 3, 5, 12, 60])
def test_every_degree_is_shared_by_k_nodes_for_every_k(n):
    graph = random_graph(n, 2 * n, seed=n)
    for k in range(2, n + 1, max(1, n // 6)):
        masked = anonymize_degrees(graph, k, np.random.default_rng(k))
        assert np.unique(masked.degrees, return_counts=True)[1].min() >= k


def test_edges_are_added_and_only_loops_taken_away():
    graph = random_graph(60, 120)
    masked = anonymize_degrees(graph, 5, np.random.default_rng(0))
    before = {(a, b) for a, b in graph.edges if a != b}
    assert before <= {(a, b) for a, b in masked.edges}


def test_degrees_of_a_directed_graph_are_refused():
    with pytest.raises(DataError, match="undirected"):
        anonymize_degrees(random_graph(directed=True), 2, np.random.default_rng(0))


@pytest.mark.parametrize("directed", [False, True])
def test_shuffling_keeps_the_number_of_edges_and_the_share(directed):
    graph = random_graph(60, 100, directed=directed)
    masked = shuffle_edges(graph, 30, np.random.default_rng(0))
    before, after = ({tuple(edge) for edge in one.edges} for one in (graph, masked))
    assert len(after) == len(before)
    assert len(before - after) == round(0.3 * len(before))


def test_a_share_above_a_hundred_is_refused():
    with pytest.raises(ParameterError, match="percentage"):
        shuffle_edges(random_graph(), 101, np.random.default_rng(0))
