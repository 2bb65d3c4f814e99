"""Graph files: GraphML, GEXF, an edge list with a node table, and networkx."""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import ParseError

import numpy as np
import polars as pl

from evomask.data.frames import polars_from
from evomask.data.schema import MISSING, Schema
from evomask.data.table import Table
from evomask.errors import DataError, FileError
from evomask.io.files import check_not_input, check_target, check_writable, write_atomically
from evomask.io.tables import read_frame
from evomask.types import Indices
from evomask_graphs.graph import Edges, Graph, table_of_texts

if TYPE_CHECKING:
    import networkx as nx

GRAPHML, GEXF = ".graphml", ".gexf"
NODES, EDGES = "nodes.csv", "edges.csv"
NODE_COLUMNS = ("node", "id", "name")
EDGE_COLUMNS = (("source", "target"), ("from", "to"))


@dataclass(frozen=True)
class GraphSource:
    """Location and format of a graph on disk.

    Args:
        path: a GraphML or GEXF file, a folder with ``nodes.csv`` and ``edges.csv``, or an
            edge list, a table with the columns source and target.
        nodes: the node table of an edge list.
        directed: whether edges are directed; by default as the file states; tables of edges are
            undirected.
    """

    path: Path
    nodes: Path | None = None
    directed: bool | None = None


def read_graph(source: GraphSource) -> Graph:
    """Read a graph; the file ending determines the format."""
    ending = source.path.suffix.lower()
    if source.path.is_dir():
        return _from_tables(source, source.path / EDGES, source.nodes or source.path / NODES)
    if ending in (GRAPHML, GEXF):
        graph = graph_from_networkx(_parsed(source.path, ending))
        return graph if source.directed is not False else graph.undirected()
    return _from_tables(source, source.path, source.nodes)


def write_graph(graph: Graph, path: Path, *, force: bool = False) -> None:
    """Write a graph in the format of the ending; without one, as a folder of two tables."""
    check_graph_target(path, force=force)
    ending = path.suffix.lower()
    if ending:
        text = _as_text(graph, ending)
        write_atomically(path, lambda temporary: _write_text(text, temporary), force=force)
        return
    path.mkdir(exist_ok=True)
    names = pl.Series("node", graph.names)
    nodes = polars_from(graph.nodes) if len(graph.nodes.schema) else pl.DataFrame()
    edges = {"source": names.gather(graph.edges[:, 0]), "target": names.gather(graph.edges[:, 1])}
    _write_csv(nodes.insert_column(0, names), path / NODES, force)
    _write_csv(pl.DataFrame(edges), path / EDGES, force)


def write_weighted(
    nodes: Table,
    numbers: Mapping[str, Indices],
    links: tuple[Edges, Indices],
    path: Path,
    *,
    force: bool = False,
) -> None:
    """Write a folder of two tables: nodes with whole numbers, and edges with their counts."""
    check_graph_target(path, force=force)
    path.mkdir(exist_ok=True)
    edges, counts = links
    names = pl.Series("node", [f"n{i + 1}" for i in range(len(nodes))])
    ends = {"source": names.gather(edges[:, 0]), "target": names.gather(edges[:, 1])}
    columns = [names, *(pl.Series(name, values) for name, values in numbers.items())]
    _write_csv(pl.DataFrame(columns).hstack(polars_from(nodes)), path / NODES, force)
    _write_csv(pl.DataFrame({**ends, "links": counts}), path / EDGES, force)


def check_graph_target(
    path: Path, *, force: bool = False, inputs: Iterable[Path | None] = ()
) -> None:
    """Refuse a graph file that could not be written, before any computation."""
    if not path.suffix:
        given = [part for file in inputs if file for part in (file, file / NODES, file / EDGES)]
        for part in (path / NODES, path / EDGES):
            check_not_input(part, given)
        if path.exists() and not path.is_dir():
            raise FileError(f"{path} is a file; give another name for the folder of the graph")
        if path.is_dir() and any(path.iterdir()) and not force:
            raise FileError(f"{path} is not empty; choose another name or use --force")
        check_writable(path if path.is_dir() else path.parent)
        return
    if path.suffix.lower() not in (GRAPHML, GEXF):
        raise FileError(
            f"a graph is written as {GRAPHML}, {GEXF}, or without ending as a folder of two "
            f"tables, not as {path.suffix}"
        )
    check_target(path, force=force, inputs=inputs)
    _networkx()


def graph_from_networkx(graph: "nx.Graph[Any]") -> Graph:
    """Convert a networkx graph: attributes and node names as text, parallel edges once."""
    names = list(graph.nodes)
    place: dict[Hashable, int] = {name: position for position, name in enumerate(names)}
    ends = [(place[a], place[b]) for a, b in graph.edges()]
    columns = sorted(
        {key for _, attributes in graph.nodes(data=True) for key in attributes} - {"label"}
    )
    texts = {
        str(key): np.array([_text(graph.nodes[name].get(key)) for name in names], dtype=object)
        for key in columns
    }
    edges = np.array(ends, dtype=np.int64).reshape(-1, 2)
    return Graph(tuple(map(str, names)), _nodes(texts), edges, graph.is_directed())


def graph_to_networkx(graph: Graph) -> "nx.Graph[Any]":
    """Convert to a networkx graph; missing values are omitted."""
    made: nx.Graph[Any] = _networkx().DiGraph() if graph.directed else _networkx().Graph()
    columns = {name: _column(graph.nodes, name) for name in graph.nodes.schema.names}
    for position, name in enumerate(graph.names):
        texts_of_node = {key: texts[position] for key, texts in columns.items()}
        made.add_node(name, **{key: text for key, text in texts_of_node.items() if text != MISSING})
    made.add_edges_from((graph.names[a], graph.names[b]) for a, b in graph.edges.tolist())
    return made


def read_rows(path: Path) -> list[dict[str, str]]:
    """Records of a small table as text by column name, empty if missing."""
    rows: list[dict[str, str]] = read_frame(path).cast(pl.String).fill_null(MISSING).to_dicts()
    return rows


def _column(table: Table, name: str) -> Sequence[str]:
    texts: list[str] = polars_from(table.only([name]))[name].cast(pl.String).fill_null("").to_list()
    return texts


def _text(value: object) -> str:
    return MISSING if value is None or value != value else str(value)  # noqa: PLR0124


def _nodes(texts: Mapping[str, Any]) -> Table:
    return table_of_texts(texts) if texts else Table(Schema(()), {})


def _parsed(path: Path, ending: str) -> "nx.Graph[Any]":
    nx = _networkx()
    if not path.is_file():
        raise FileError(f"there is no file {path}; check the name")
    try:
        return nx.read_graphml(path) if ending == GRAPHML else nx.read_gexf(path)
    except (ParseError, nx.NetworkXError, KeyError, ValueError, TypeError, AttributeError):
        raise FileError(f"{path} cannot be read as {ending[1:]}; check the file") from None


def _networkx() -> Any:  # noqa: ANN401
    try:
        import networkx
    except ImportError:
        raise FileError(
            "this needs networkx; install evomask[graphs], or use a folder of two tables"
        ) from None
    return networkx


def _as_text(graph: Graph, ending: str) -> str:
    nx = _networkx()
    made = graph_to_networkx(graph)
    if ending == GRAPHML:
        return "\n".join(nx.generate_graphml(made)) + "\n"
    text = "\n".join(nx.generate_gexf(made)) + "\n"
    return re.sub(r' lastmodifieddate="[^"]*"', "", text)


def _write_text(text: str, path: Path) -> None:
    path.write_text(text, encoding="utf-8")


def _write_csv(frame: pl.DataFrame, path: Path, force: bool) -> None:
    write_atomically(path, frame.write_csv, force=force)


def _from_tables(source: GraphSource, edges: Path, nodes: Path | None) -> Graph:
    ends = read_frame(edges) if _has_rows(edges) else pl.DataFrame({"source": [], "target": []})
    sources, targets = (_as_texts(ends[name]) for name in _edge_columns(edges, ends.columns))
    if nodes is None:
        names = list(dict.fromkeys([*sources, *targets]))
        table = _nodes({})
    else:
        names, table = _read_nodes(nodes)
    return Graph(
        tuple(names), table, _positions(edges, names, sources, targets), bool(source.directed)
    )


def _has_rows(path: Path) -> bool:
    if not path.is_file():
        raise FileError(f"there is no file {path}; check the name")
    with path.open("rb") as file:
        return bool(file.readline().strip()) and bool(file.readline().strip())


def _read_nodes(path: Path) -> tuple[list[str], Table]:
    frame = read_frame(path)
    known = {name.lower(): name for name in reversed(frame.columns)}
    named = [known[name] for name in NODE_COLUMNS if name in known]
    column = named[0] if named else frame.columns[0]
    names = _as_texts(frame[column])
    if MISSING in names:
        row = names.index(MISSING) + 1
        raise DataError(f"{path} has no node name in record {row}; name every node")
    rest = [name for name in frame.columns if name != column]
    return names, _nodes({name: np.array(_as_texts(frame[name]), dtype=object) for name in rest})


def _as_texts(column: pl.Series) -> list[str]:
    texts: list[str] = column.cast(pl.String).fill_null(MISSING).to_list()
    return texts


def _edge_columns(path: Path, columns: Sequence[str]) -> tuple[str, str]:
    known = {name.lower(): name for name in columns}
    for source, target in EDGE_COLUMNS:
        if source in known and target in known:
            return known[source], known[target]
    raise FileError(f"{path} is not an edge list; it needs the columns source and target")


def _positions(path: Path, names: Iterable[str], *ends: Sequence[str]) -> Edges:
    place = {name: position for position, name in enumerate(names)}
    columns = [np.array([place.get(name, -1) for name in end], dtype=np.int64) for end in ends]
    edges = np.column_stack(columns)
    unknown = np.flatnonzero((edges < 0).any(axis=1))
    if len(unknown):
        raise DataError(
            f"record {unknown[0] + 1} of {path} names a node that the node table does not have; "
            "add the node or remove the edge"
        )
    return edges
