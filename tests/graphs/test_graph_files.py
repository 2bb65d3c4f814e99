"""Graph files: what is written is read back, and what is wrong is said."""

import networkx as nx
import numpy as np
import pytest

from evomask.errors import DataError, FileError
from evomask_graphs.graph_files import (
    GraphSource,
    graph_from_networkx,
    graph_to_networkx,
    read_graph,
    write_graph,
)
from tests.graphs.examples import random_graph


def contents(graph):
    """Nodes with attributes and edges by name."""
    made = graph_to_networkx(graph)
    pairs = {(a, b) if graph.directed else frozenset((a, b)) for a, b in made.edges}
    return dict(made.nodes(data=True)), pairs


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("name", ["graph.graphml", "graph.gexf", "folder"])
def test_a_written_graph_is_read_back(name, directed, tmp_path):
    graph = random_graph(30, 50, directed=directed)
    write_graph(graph, tmp_path / name)
    said = directed if name == "folder" else None
    assert contents(read_graph(GraphSource(tmp_path / name, directed=said))) == contents(graph)


@pytest.mark.parametrize("name", ["graph.graphml", "graph.gexf"])
def test_the_same_graph_gives_the_same_bytes(name, tmp_path):
    graph = random_graph(20, 30)
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        write_graph(graph, tmp_path / folder / name)
    assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert b"lastmodified" not in (tmp_path / "a" / name).read_bytes()


def test_an_edge_list_takes_its_node_table(tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\n1,2\n2,1\n3,3\n", encoding="utf-8")
    (tmp_path / "people.csv").write_text("id,topic1\n1,a\n2,b\n3,\n4,a\n", encoding="utf-8")
    graph = read_graph(GraphSource(tmp_path / "edges.csv", tmp_path / "people.csv"))
    assert graph.names == ("1", "2", "3", "4")
    assert graph.edges.tolist() == [[0, 1], [2, 2]]
    assert graph.degrees.tolist() == [1, 1, 1, 0]


def test_a_graph_of_isolated_nodes_may_have_no_edges(tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\n", encoding="utf-8")
    (tmp_path / "nodes.csv").write_text("node,topic1\na,x\nb,y\n", encoding="utf-8")
    assert read_graph(GraphSource(tmp_path)).edges.shape == (0, 2)


def test_an_edge_with_an_unknown_node_is_named_by_its_record(tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\na,b\na,zz\n", encoding="utf-8")
    (tmp_path / "nodes.csv").write_text("node,topic1\na,x\nb,y\n", encoding="utf-8")
    with pytest.raises(DataError, match="record 2"):
        read_graph(GraphSource(tmp_path))


def test_a_node_that_stands_twice_is_refused(tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\na,b\n", encoding="utf-8")
    (tmp_path / "nodes.csv").write_text("node,topic1\na,x\nb,y\na,z\n", encoding="utf-8")
    with pytest.raises(DataError, match="several rows"):
        read_graph(GraphSource(tmp_path))


@pytest.mark.parametrize("name", ["graph.graphml", "graph.gexf"])
def test_what_is_no_graph_is_refused(name, tmp_path):
    (tmp_path / name).write_text("<graph", encoding="utf-8")
    with pytest.raises(FileError, match="cannot be read"):
        read_graph(GraphSource(tmp_path / name))


def test_a_table_without_ends_is_no_table_of_edges(tmp_path):
    (tmp_path / "edges.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(FileError, match="source and target"):
        read_graph(GraphSource(tmp_path / "edges.csv"))


def test_an_existing_graph_is_not_overwritten(tmp_path):
    graph = random_graph(5, 5)
    write_graph(graph, tmp_path / "folder")
    with pytest.raises(FileError, match="not empty"):
        write_graph(graph, tmp_path / "folder")


def test_another_ending_is_refused(tmp_path):
    with pytest.raises(FileError, match="graphml"):
        write_graph(random_graph(5, 5), tmp_path / "graph.json")


def test_parallel_edges_of_networkx_count_once():
    made = nx.MultiGraph()
    made.add_edge("a", "b")
    made.add_edge("b", "a")
    assert graph_from_networkx(made).edges.tolist() == [[0, 1]]


def test_names_that_are_one_as_text_are_refused():
    made = nx.Graph()
    made.add_nodes_from([1, "1"])
    with pytest.raises(DataError, match="several rows"):
        graph_from_networkx(made)


def test_reading_never_prints_values():
    graph = random_graph(5, 5)
    assert "user" not in repr(graph)
    assert np.array_equal(graph.undirected().edges, graph.edges)
