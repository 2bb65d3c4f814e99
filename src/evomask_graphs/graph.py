"""Social graph: nodes with attributes, and edges between them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evomask.data.schema import MISSING, Attribute, Kind, Role, Schema
from evomask.data.table import Column, Table
from evomask.errors import DataError
from evomask.types import Indices

Edges = NDArray[np.int64]
"""One row per edge: the positions of its two nodes, source first."""


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """An immutable graph: nodes under a schema and the edges between them.

    Args:
        names: name of each node; an identifier, which is never released.
        nodes: one record per node.
        edges: positions of each edge's nodes; an edge of a node with itself is allowed.
        directed: whether edges are directed, from the first node to the second.

    Repeated edges are stored once; in an undirected graph the smaller position comes first.
    """

    names: tuple[str, ...]
    nodes: Table
    edges: Edges
    directed: bool = False

    def __post_init__(self) -> None:
        if not self.names:
            raise DataError("the graph has no nodes; give one with at least one")
        if len(set(self.names)) < len(self.names):
            raise DataError("the node table has several rows for one node; give each node one row")
        if len(self.nodes.schema) and len(self.nodes) != len(self.names):
            raise DataError("a graph needs one record of attributes for each node")
        edges = np.asarray(self.edges, dtype=np.int64).reshape(-1, 2)
        if len(edges) and not 0 <= edges.min() <= edges.max() < len(self.names):
            raise DataError("an edge names an unknown node; add it to the node table")
        object.__setattr__(self, "edges", _canonical(edges, len(self.names), self.directed))

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        """Sizes and attribute names, never a node's values."""
        names = ", ".join(self.nodes.schema.names)
        return f"<Graph of {len(self)} nodes and {len(self.edges)} edges: {names}>"

    @cached_property
    def arcs(self) -> Edges:
        """Links from each node to each neighbour; an undirected edge gives two, a loop one."""
        if self.directed:
            return self.edges
        proper = self.edges[self.edges[:, 0] != self.edges[:, 1]]
        return np.concatenate([self.edges, proper[:, ::-1]])

    @cached_property
    def degrees(self) -> Indices:
        """Number of edges at each node, in either direction; a loop counts once."""
        proper = self.edges[self.edges[:, 0] != self.edges[:, 1]]
        loops = self.edges[self.edges[:, 0] == self.edges[:, 1]][:, 0]
        ends = np.concatenate([proper.ravel(), loops])
        return np.bincount(ends, minlength=len(self)).astype(np.int64)

    def with_nodes(self, nodes: Table) -> "Graph":
        return replace(self, nodes=nodes)

    def with_edges(self, edges: Edges) -> "Graph":
        return replace(self, edges=edges)

    def undirected(self) -> "Graph":
        return replace(self, directed=False)

    def renamed(self, names: tuple[str, ...], order: Indices) -> "Graph":
        place = np.empty(len(self), dtype=np.int64)
        place[order] = np.arange(len(self))
        nodes = self.nodes.take(order) if len(self.nodes.schema) else self.nodes
        return Graph(names, nodes, place[self.edges], self.directed)


def _canonical(edges: Edges, n_nodes: int, directed: bool) -> Edges:
    ends = edges if directed else np.sort(edges, axis=1)
    keys = np.unique(ends[:, 0] * n_nodes + ends[:, 1])
    unique = np.column_stack([keys // n_nodes, keys % n_nodes])
    unique.flags.writeable = False
    return unique


def table_of_texts(columns: Mapping[str, NDArray[np.object_]]) -> Table:
    """Build a table of nominal quasi-identifiers; empty text is missing."""
    pairs = [_nominal(name, texts) for name, texts in columns.items()]
    schema = Schema(tuple(attribute for attribute, _ in pairs))
    return Table(schema, {attribute.name: codes for attribute, codes in pairs})


def _nominal(name: str, texts: NDArray[np.object_]) -> tuple[Attribute, Column]:
    present = set(texts.tolist())
    categories = (*sorted(present - {MISSING}), *([MISSING] if MISSING in present else []))
    code = {text: number for number, text in enumerate(categories)}
    codes = np.array([code[text] for text in texts], dtype=np.int32)
    return Attribute(name, Kind.NOMINAL, Role.QUASI_IDENTIFIER, categories), codes
