"""Clusters of k: the guarantee for every k and n, and slow twins of the kernels."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evomask.errors import ParameterError
from evomask_graphs.aggregation import borda_topics, common_places, lower_medians
from evomask_graphs.information_loss import semantic_loss
from evomask_graphs.profiles import NO_TOPIC
from evomask_graphs.protection import ClusterSearch, RandomSeeds, random_clusters
from tests.graphs.examples import CITIES, graph_of, profiles, random_graph, slow_common

PROTECTORS = [RandomSeeds(), ClusterSearch(attempts=20)]


def apart(found, a, b):
    """Distance of two profiles in sevenths, written out."""
    one, other = np.array([found.locations[a]]), np.array([found.locations[b]])
    place = 7 * found.places.distances(one, other)[0]
    return round(place) + 7 * int(np.sum(found.topics[a] != found.topics[b]))


def slow_clusters(found, seeds, k):
    free, labels, cluster = set(range(len(found))), np.full(len(found), -1), 0
    for seed in seeds:
        if seed not in free or len(free) < 2 * k:
            continue
        free.remove(seed)
        near = sorted(free, key=lambda node: (apart(found, seed, node), node))[: k - 1]
        labels[[seed, *near]] = cluster
        free -= set(near)
        cluster += 1
    labels[list(free)] = cluster
    return labels


@pytest.mark.parametrize("protector", PROTECTORS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("n", [2, 3, 7, 20])
def test_every_cluster_holds_k_nodes_or_more_for_every_k(protector, n):
    graph = random_graph(n, m=n, seed=n)
    for k in range(2, n + 1):
        found = protector.protect(profiles(graph), graph.degrees, k, np.random.default_rng(k))
        assert np.bincount(found.labels).min() >= k


@pytest.mark.parametrize("protector", PROTECTORS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("k", [2, 3, 7])
def test_every_released_profile_is_shared_by_k_nodes(protector, k):
    graph = random_graph(50)
    table = protector.protect(profiles(graph), graph.degrees, k, np.random.default_rng(1)).profiles
    rows = np.column_stack([*table.codes().values()])
    assert np.unique(rows, axis=0, return_counts=True)[1].min() >= k


@pytest.mark.parametrize("protector", PROTECTORS, ids=lambda one: type(one).__name__)
def test_the_same_seed_gives_the_same_profiles(protector):
    graph = random_graph(40)
    first, second = (
        protector.protect(profiles(graph), graph.degrees, 3, np.random.default_rng(5)).profiles
        for _ in range(2)
    )
    assert np.array_equal(first.topics, second.topics)
    assert np.array_equal(first.locations, second.locations)


@pytest.mark.parametrize("protector", PROTECTORS, ids=lambda one: type(one).__name__)
def test_a_released_place_lies_on_the_branch_of_the_original(protector):
    graph = random_graph(40)
    own = profiles(graph)
    masked = protector.protect(own, graph.degrees, 4, np.random.default_rng(5)).profiles
    above = own.places.ancestors[own.locations, own.places.levels[masked.locations]]
    assert np.array_equal(above, masked.locations)


@pytest.mark.parametrize("protector", PROTECTORS, ids=lambda one: type(one).__name__)
def test_no_profile_names_a_topic_twice(protector):
    graph = random_graph(40)
    masked = protector.protect(profiles(graph), graph.degrees, 4, np.random.default_rng(5))
    for row in masked.profiles.topics:
        named = row[row != NO_TOPIC]
        assert len(set(named)) == len(named)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_random_seeds_equal_a_slow_twin(k):
    found = profiles(random_graph(45, seed=k))
    seeds = np.random.default_rng(9).permutation(45)
    labels = random_clusters(found, k, np.random.default_rng(9))
    assert np.array_equal(labels, slow_clusters(found, seeds, k))


@pytest.mark.parametrize("k", [1, 0, 41, 2.5])
def test_a_k_that_cannot_be_is_refused(k):
    with pytest.raises(ParameterError, match="k must"):
        random_clusters(profiles(random_graph(40)), k, np.random.default_rng(0))


@pytest.mark.parametrize("k", [2, 4, 8])
def test_the_search_loses_less_than_random_seeds(k):
    graph = random_graph(300, 600)
    own = profiles(graph)
    losses = [
        np.mean(
            [
                semantic_loss(
                    own,
                    one.protect(own, graph.degrees, k, np.random.default_rng(s)).profiles,
                    graph.arcs,
                ).mean
                for s in range(3)
            ]
        )
        for one in (RandomSeeds(), ClusterSearch())
    ]
    assert losses[1] < 0.85 * losses[0]


def settled_cost(found, members, weights, caution, topics):
    """What a cluster costs if it releases these topics, written out."""
    place = slow_common(found.places, found.locations[members])
    cost = 0.0
    for node in members:
        changed = topics != found.topics[node]
        cost += weights[node] * changed.sum()
        steps = found.places.levels[place] - found.places.levels[found.locations[node]]
        if found.locations[node] != place:
            cost += weights[node] - 1 + steps / 7
        cost += caution * (not changed.any() and found.locations[node] == place)
    return cost


@pytest.mark.parametrize("seed", range(6))
def test_released_topics_cost_no_more_than_one_change_from_any_choice(seed):
    from evomask_graphs.kernels.refinement import settled

    graph = random_graph(5, seed=seed)
    found = profiles(graph)
    weights = 1.0 + graph.degrees / 3
    labels = np.zeros(5, dtype=np.int64)
    places = found.places
    chosen, _ = settled(
        found.locations, places.levels, places.ancestors, found.topics, found.numbers,
        weights, 0.0, labels,
    )  # fmt: skip
    own = settled_cost(found, np.arange(5), weights, 0.0, chosen[0])
    for j in range(3):
        for topic in set(found.topics[:, j]) - {NO_TOPIC} - set(chosen[0]):
            other = chosen[0].copy()
            other[j] = topic
            assert own <= settled_cost(found, np.arange(5), weights, 0.0, other) + 1e-9


def test_caution_keeps_nobody_whole_where_it_costs_nothing():
    rows = [("a", "b", "c"), ("d", "e", "f")]
    graph = graph_of([CITIES[0]] * 2, rows, [[0, 1]])
    found = profiles(graph)
    masked = ClusterSearch().protect(found, graph.degrees, 2, np.random.default_rng(0)).profiles
    assert not any(np.array_equal(masked.topics[i], found.topics[i]) for i in range(2))


def test_without_caution_the_first_of_two_equals_stays_whole():
    rows = [("a", "b", "c"), ("d", "e", "f")]
    graph = graph_of([CITIES[0]] * 2, rows, [[0, 1]])
    found = profiles(graph)
    search = ClusterSearch(caution=0.0)
    masked = search.protect(found, graph.degrees, 2, np.random.default_rng(0)).profiles
    assert np.array_equal(masked.topics[0], found.topics[0])


def slow_borda(topics):
    points, votes = {}, {}
    for row in topics:
        for j, topic in enumerate(row):
            if topic != NO_TOPIC:
                points[topic] = points.get(topic, 0) + len(row) - j
                votes[topic] = votes.get(topic, 0) + 1
    ranked = sorted(points, key=lambda topic: (-points[topic], -votes[topic], topic))
    return (ranked + [NO_TOPIC] * 3)[:3]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.permutations(range(5)), min_size=1, max_size=8), st.integers(0, 3))
def test_borda_counts_equal_a_slow_twin(rows, gaps):
    topics = np.array(rows)[:, :3].copy()
    topics[0, 3 - gaps :] = NO_TOPIC
    (chosen,) = borda_topics(topics, np.zeros(len(rows), dtype=np.int64))
    assert chosen.tolist() == slow_borda(topics)


def test_a_tie_in_points_goes_to_the_topic_that_more_name():
    topics = np.array([[0, 1, NO_TOPIC], [2, NO_TOPIC, 1], [3, 4, 1]])
    (chosen,) = borda_topics(topics, np.zeros(3, dtype=np.int64))
    assert chosen.tolist() == [1, 0, 2]


def test_common_places_of_several_clusters_are_each_clusters_own():
    found = profiles(random_graph(30))
    labels = np.arange(30) % 4
    expected = [slow_common(found.places, found.locations[labels == g]) for g in range(4)]
    assert common_places(found.places, found.locations, labels).tolist() == expected


def test_the_lower_median_is_a_value_of_a_member():
    numbers = np.array([[4.0], [1.0], [3.0], [2.0], [9.0]])
    assert lower_medians(numbers, np.array([0, 0, 0, 0, 1])).tolist() == [[2.0], [9.0]]


def test_negative_parameters_are_refused():
    for name, value in itertools.product(["attempts", "heat", "pull", "caution"], [-1]):
        with pytest.raises(ParameterError, match="must not be negative"):
            ClusterSearch(**{name: value})
