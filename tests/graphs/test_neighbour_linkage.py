"""Linkage by the profiles of neighbours, against its definition in plain Python."""

import numpy as np
import pytest

from evomask_graphs.neighbour_linkage import BOTH, NEIGHBOURS, OWN, neighbour_linkage
from evomask_graphs.profiles import profiles_of
from evomask_graphs.runs.protect import protect_with_edges, protector_named, with_profiles
from tests.graphs.examples import COLUMNS, graph_of, random_graph


def linkage(graph, masked):
    return neighbour_linkage(*profiles_of(COLUMNS, graph.nodes, masked.nodes), graph, masked)


def protected(graph, k, **options):
    loaded = with_profiles(graph)
    rng = np.random.default_rng(1)
    return protect_with_edges(loaded, k, protector_named("search"), rng, **options).graph


def by_definition(graph, masked):
    """The three percentages, one pair of nodes after the other."""
    old, new = profiles_of(COLUMNS, graph.nodes, masked.nodes)

    def near(a, b):
        one, other = old.take(np.array([a])), new.take(np.array([b]))
        return np.mean([float(v[0]) for v in one.distances(other).values()])

    def around(g, node):
        return sorted({int(x) for edge in g.edges if node in edge for x in edge} - {node})

    def others(v, w):
        mine, theirs = around(graph, v), around(masked, w)
        gap = abs(len(mine) - len(theirs)) / max(1, len(mine), len(theirs))
        if not mine or not theirs:
            return gap + (len(mine) != len(theirs))
        forward = np.mean([min(near(u, x) for x in theirs) for u in mine])
        backward = np.mean([min(near(u, x) for u in mine) for x in theirs])
        return gap + (forward + backward) / 2

    found = {OWN: [], NEIGHBOURS: [], BOTH: []}
    for v in range(len(graph)):
        own = [near(v, w) for w in range(len(graph))]
        rest = [others(v, w) for w in range(len(graph))]
        both = np.add(own, rest)
        for what, costs in ((OWN, own), (NEIGHBOURS, rest), (BOTH, both)):
            ties = np.round(costs, 9) == np.round(costs, 9).min()
            found[what].append(ties[v] / ties.sum())
    return {what: 100 * np.mean(hits) for what, hits in found.items()}


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_percentages_are_those_of_the_definition(seed, directed):
    graph = random_graph(18, 25, seed=seed, directed=directed)
    masked = protected(graph, 3)
    assert linkage(graph, masked) == pytest.approx(by_definition(graph, masked))


@pytest.mark.parametrize("k", [2, 5])
def test_profiles_alone_are_shared_by_k_people(k):
    graph = random_graph(60, 120, seed=4)
    assert linkage(graph, protected(graph, k))[OWN] <= 100 / k


def test_profiles_of_neighbours_find_people_whose_own_profile_hides_them():
    graph = random_graph(60, 120, seed=4)
    found = linkage(graph, protected(graph, 5))
    assert found[BOTH] > 2 * found[OWN]


def test_everybody_is_found_in_an_unprotected_graph_of_different_people():
    n = 12
    places = [("Lyon", "", "France", "Europe")] * n
    topics = [(f"t{i}", "", "") for i in range(n)]
    ring = graph_of(places, topics, [(i, (i + 1) % n) for i in range(n)])
    assert linkage(ring, ring) == pytest.approx({OWN: 100, NEIGHBOURS: 100, BOTH: 100})


def test_people_who_are_alike_in_all_are_guessed():
    n = 8
    places = [("Lyon", "", "France", "Europe")] * n
    ring = graph_of(places, [("t", "", "")] * n, [(i, (i + 1) % n) for i in range(n)])
    assert linkage(ring, ring) == pytest.approx({OWN: 12.5, NEIGHBOURS: 12.5, BOTH: 12.5})


def test_a_graph_without_links_tells_nothing_of_neighbours():
    graph = random_graph(20, 0, seed=1)
    assert linkage(graph, graph)[NEIGHBOURS] == pytest.approx(100 / 20)


def test_of_large_graphs_some_people_are_attacked(monkeypatch):
    graph = random_graph(200, 400, seed=2)
    masked = protected(graph, 3)
    whole = linkage(graph, masked)
    monkeypatch.setattr("evomask_graphs.neighbour_linkage.WORK", 1e5)
    part = linkage(graph, masked)
    assert part != whole
    assert part[BOTH] == pytest.approx(whole[BOTH], abs=20)
