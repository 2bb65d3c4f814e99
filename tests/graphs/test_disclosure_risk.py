"""Neighbourhoods found again, against brute force by networkx."""

import networkx as nx
import numpy as np
import pytest

from evomask_graphs.disclosure_risk import disclosure_risk, knowledge_of
from evomask_graphs.protection import RandomSeeds
from tests.graphs.examples import CITIES, graph_of, profiles, random_graph


def coloured(graph, columns):
    made = nx.DiGraph()
    for node in range(len(graph)):
        made.add_node(node, colour=tuple(int(column[node]) for column in columns))
    made.add_edges_from(graph.arcs.tolist())
    return made


def neighbourhood(made, root):
    around = {root, *made.successors(root), *made.predecessors(root)}
    found = made.subgraph(around).copy()
    nx.set_node_attributes(found, {node: node == root for node in found}, "root")
    return found


def slow_candidates(graph, masked, old, new, knows_own=True):
    """How many masked neighbourhoods equal each original one, by trying all pairs."""
    before, after = coloured(graph, old), coloured(masked, new)
    egos = [neighbourhood(after, node) for node in range(len(masked))]

    def is_same(a, b):
        is_own = a["root"] and b["root"] and not knows_own
        return a["root"] == b["root"] and (is_own or a["colour"] == b["colour"])

    return [
        sum(nx.is_isomorphic(neighbourhood(before, node), ego, node_match=is_same) for ego in egos)
        for node in range(len(graph))
    ]


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("seed", [0, 1])
def test_risk_equals_trying_all_pairs(directed, seed):
    graph = random_graph(24, 40, seed, directed)
    (own,) = (profiles(graph),)
    clustered = RandomSeeds().protect(own, graph.degrees, 2, np.random.default_rng(seed))
    masked = clustered.profiles
    risks = disclosure_risk(own, masked, graph, graph)
    for kind, names in knowledge_of(own).items():
        old, new = ([one.codes()[name] for name in names] for one in (own, masked))
        found = np.array(slow_candidates(graph, graph, old, new))
        assert risks[kind].matched == pytest.approx(100 * np.mean(found > 0)), kind
        assert risks[kind].candidates["1"] == pytest.approx(100 * np.mean(found == 1)), kind
        between = (found >= 2) & (found <= 4)
        assert risks[kind].candidates["2 to 4"] == pytest.approx(100 * np.mean(between)), kind


@pytest.mark.parametrize("directed", [False, True])
def test_risk_by_what_neighbours_say_equals_trying_all_pairs(directed):
    graph = random_graph(24, 40, 3, directed)
    own = profiles(graph)
    masked = RandomSeeds().protect(own, graph.degrees, 2, np.random.default_rng(3)).profiles
    risks = disclosure_risk(own, masked, graph, graph, knows_own=False)
    for kind, names in knowledge_of(own).items():
        old, new = ([one.codes()[name] for name in names] for one in (own, masked))
        found = np.array(slow_candidates(graph, graph, old, new, knows_own=False))
        assert risks[kind].matched == pytest.approx(100 * np.mean(found > 0)), kind


def test_who_knows_more_finds_no_more():
    graph = random_graph(60, 90, 4)
    own = profiles(graph)
    masked = RandomSeeds().protect(own, graph.degrees, 2, np.random.default_rng(3)).profiles
    more, less = (
        disclosure_risk(own, masked, graph, graph, knows_own=known)["all"].matched
        for known in (True, False)
    )
    assert more <= less


def test_dense_neighbourhoods_that_refinement_cannot_tell_apart_are_told_apart():
    hexagon = [(i, (i + 1) % 6) for i in range(6)]
    triangles = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)]
    hub = [(6, i) for i in range(6)]
    places, topics = [CITIES[0]] * 7, [("a", "b", "c")] * 7
    one = graph_of(places, topics, hexagon + hub)
    other = graph_of(places, topics, triangles + hub)
    own, masked = profiles(one, other)
    found = disclosure_risk(own, masked, one, other)["links alone"]
    assert found.candidates["0"] == pytest.approx(100.0)


def test_an_unprotected_graph_is_found_as_a_whole():
    graph = random_graph(30, 60)
    own = profiles(graph)
    risks = disclosure_risk(own, own, graph, graph)
    assert {risk.matched for risk in risks.values()} == {100.0}


def test_a_loop_is_part_of_what_is_known():
    places, topics = [CITIES[0]] * 2, [("a", "b", "c")] * 2
    looped = graph_of(places, topics, [[0, 0], [0, 1], [1, 1]])
    plain = graph_of(places, topics, [[0, 1]])
    own = profiles(looped)
    assert disclosure_risk(own, own, looped, plain)["all"].matched == 0.0


def test_shares_of_candidate_sets_add_up_to_all():
    graph = random_graph(40, 80)
    own = profiles(graph)
    masked = RandomSeeds().protect(own, graph.degrees, 4, np.random.default_rng(0)).profiles
    for risk in disclosure_risk(own, masked, graph, graph).values():
        assert sum(risk.candidates.values()) == pytest.approx(100.0)
        assert risk.matched == pytest.approx(100.0 - risk.candidates["0"])
