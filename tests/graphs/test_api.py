"""Social graphs in Python: what can be asked for on the command line can be asked for here."""

import pytest

from evomask import measure_graph, protect_graph
from evomask.errors import EvomaskError
from evomask_graphs.graph_files import graph_from_networkx, graph_to_networkx, read_rows
from evomask_graphs.neighbourhoods import smallest_neighbourhood_class
from tests.graphs.examples import random_graph

GRAPH = graph_to_networkx(random_graph(40, 70))


def test_neighbourhoods_are_shared_by_k_nodes():
    masked = graph_from_networkx(protect_graph(GRAPH, 3, neighbourhoods=True, seed=1))
    assert smallest_neighbourhood_class(masked) >= 3
    plain = graph_from_networkx(protect_graph(GRAPH, 3, seed=1))
    assert smallest_neighbourhood_class(plain) < 3


def test_clusters_are_written_as_supernodes(tmp_path):
    masked = protect_graph(GRAPH, 4, supernodes=tmp_path / "super", seed=1)
    people = [int(row["people"]) for row in read_rows(tmp_path / "super" / "nodes.csv")]
    assert sum(people) == len(masked)
    assert min(people) >= 4


def test_supernodes_are_not_written_onto_what_is_there(tmp_path):
    protect_graph(GRAPH, 4, supernodes=tmp_path / "super", seed=1)
    with pytest.raises(EvomaskError):
        protect_graph(GRAPH, 4, supernodes=tmp_path / "super", seed=1)


def test_intruders_may_know_neighbours_alone():
    masked = protect_graph(GRAPH, 2, seed=1)
    own = measure_graph(GRAPH, masked).risk
    less = measure_graph(GRAPH, masked, neighbours_alone=True).risk
    assert all(less[kind].matched >= own[kind].matched for kind in own)
    assert less != own
