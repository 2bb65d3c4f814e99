"""Microdata from a graph."""

import numpy as np
import pytest

from evomask_graphs.extraction import extract_microdata
from evomask_graphs.protection import ClusterSearch, RandomSeeds
from tests.graphs.examples import COLUMNS, profiles, random_graph

PROTECTORS = [RandomSeeds(), ClusterSearch(attempts=20)]


@pytest.mark.parametrize("protector", PROTECTORS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("k", [2, 5, 30])
def test_records_with_their_degree_are_shared_by_k(protector, k):
    found = extract_microdata(
        random_graph(60, 150), COLUMNS, k, protector, np.random.default_rng(0)
    )
    rows = np.column_stack([found.table[name] for name in found.table.schema.names])
    assert np.unique(rows, axis=0, return_counts=True)[1].min() >= k
    assert found.smallest >= k


@pytest.mark.parametrize("protector", PROTECTORS, ids=lambda one: type(one).__name__)
def test_a_released_degree_is_one_of_the_graph(protector):
    graph = random_graph(60, 150)
    found = extract_microdata(graph, COLUMNS, 4, protector, np.random.default_rng(0))
    assert set(found.table["degree"]) <= set(graph.degrees)


def test_a_table_of_one_group_has_lost_what_can_be_counted():
    graph = random_graph(20, 30)
    found = extract_microdata(graph, COLUMNS, 20, RandomSeeds(), np.random.default_rng(0))
    middle = np.sort(graph.degrees)[9]
    assert set(found.table["degree"]) == {middle}
    assert 0 < found.loss <= 100
    assert 0 <= found.risk <= 100


def test_a_table_of_a_protected_graph_is_measured_against_the_original():
    graph = random_graph(60, 150)
    masked = RandomSeeds().protect(profiles(graph), graph.degrees, 5, np.random.default_rng(0))
    protected = graph.with_nodes(masked.profiles.table())
    alone, against = (
        extract_microdata(
            protected, COLUMNS, 5, RandomSeeds(), np.random.default_rng(1), original=original
        )
        for original in (None, graph)
    )
    assert np.array_equal(alone.table["degree"], against.table["degree"])
    assert against.loss > alone.loss
    assert against.risk <= alone.risk
