"""Structure of a graph without attributes, and its loss.

Degree distribution, clustering and path length as in Nettleton and others (2011); the
importance of nodes by entropy as in Shetty and Adibi (2005). Directions are ignored.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

from evomask.types import Floats, Indices
from evomask_graphs.graph import Graph

WHOLE = 5_000
"""Number of nodes up to which shortest paths are computed from every node."""

FEW_SOURCES = 200
"""Number of start nodes in a larger graph, evenly spread; and number processed at once."""

TOP = 10
"""Percentage of nodes that count as the important ones."""


@dataclass(frozen=True)
class Structure:
    """Structural statistics of a graph.

    Args:
        clustering: mean over nodes of the share of their neighbours' pairs that are linked.
        path_length: mean length of the shortest paths between nodes that are connected.
        characteristic_length: the median over nodes of the mean length of theirs.
        diameter: the longest of them.
        entropy: of the distribution of edge ends over nodes, in bits.
    """

    nodes: int
    edges: int
    components: int
    mean_degree: float
    clustering: float
    path_length: float
    characteristic_length: float
    diameter: int
    entropy: float


def structure_of(graph: Graph) -> Structure:
    """Compute structural statistics; paths from a sample of nodes above 5,000 nodes."""
    links = _links(graph)
    paths = _paths(links)
    degrees = np.diff(links.indptr)
    return Structure(
        len(graph),
        len(graph.edges),
        int(connected_components(links, directed=False)[0]),
        float(degrees.mean()),
        float(clustering_of(graph).mean()),
        *paths,
        _entropy(degrees),
    )


def clustering_of(graph: Graph) -> Floats:
    """Local clustering coefficient of each node; 0 with fewer than two neighbours."""
    links = _links(graph)
    degrees = np.diff(links.indptr)
    closed: Floats = np.asarray((links @ links).multiply(links).sum(axis=1)).ravel()
    pairs = degrees * (degrees - 1.0)
    shares: Floats = np.divide(closed, pairs, out=np.zeros(len(graph)), where=pairs > 0)
    return shares


def degree_loss(graph: Graph, masked: Graph) -> float:
    """Distance of two degree distributions in percent: 0 is equal, 100 disjoint."""
    size = int(max(graph.degrees.max(), masked.degrees.max())) + 1
    old = np.bincount(graph.degrees, minlength=size) / len(graph)
    new = np.bincount(masked.degrees, minlength=size) / len(masked)
    return 50.0 * float(np.abs(old - new).sum())


def edge_loss(graph: Graph, masked: Graph) -> float:
    """Percentage of edges that are in only one of two graphs."""
    n = len(graph)
    old, new = (edges[:, 0] * n + edges[:, 1] for edges in (graph.edges, masked.edges))
    both = len(np.intersect1d(old, new))
    either = len(old) + len(new) - both
    return 100.0 * (1 - both / either) if either else 0.0


def importance_of(graph: Graph) -> Floats:
    """Change of the entropy of the graph when a node is removed, for each node."""
    links = _links(graph)
    degrees = np.diff(links.indptr)
    ends = int(degrees.sum())
    before = _bits(degrees)
    lost = before - _bits(degrees - 1)
    sums = before.sum() - before - np.asarray(links @ lost).ravel()
    left = ends - 2 * degrees
    after = np.zeros(len(graph))
    linked = left > 0
    after[linked] = np.log2(left[linked]) - sums[linked] / left[linked]
    return _entropy(degrees) - after


def importance_loss(graph: Graph, masked: Graph) -> float:
    """Percentage of the most important nodes that are no longer among the most important."""
    count = max(1, len(graph) * TOP // 100)
    old, new = (set(_top(importance_of(version), count)) for version in (graph, masked))
    return 100.0 * (1 - len(old & new) / count)


def _top(importance: Floats, count: int) -> list[int]:
    top: list[int] = np.argsort(-np.round(np.abs(importance), 12), kind="stable")[:count].tolist()
    return top


def _links(graph: Graph) -> csr_array:
    proper = graph.edges[graph.edges[:, 0] != graph.edges[:, 1]]
    keys = np.unique(np.sort(proper, axis=1) @ np.array([len(graph), 1]))
    a, b = keys // len(graph), keys % len(graph)
    shape = (len(graph), len(graph))
    return csr_array(
        (np.ones(2 * len(a)), (np.concatenate([a, b]), np.concatenate([b, a]))), shape=shape
    )


def _paths(links: csr_array) -> tuple[float, float, int]:
    """Mean, characteristic and longest of the shortest paths; 0 where no nodes are connected."""
    n = links.shape[0]
    sources = np.unique(np.linspace(0, n - 1, n if n <= WHOLE else FEW_SOURCES).astype(np.int64))
    totals, counts, longest = list[Floats](), list[Floats](), 0.0
    for start in range(0, len(sources), FEW_SOURCES):
        some = sources[start : start + FEW_SOURCES]
        lengths: Floats = dijkstra(links, directed=False, indices=some, unweighted=True)
        lengths[np.isinf(lengths)] = 0.0
        totals.append(lengths.sum(axis=1))
        counts.append((lengths > 0).sum(axis=1))
        longest = max(longest, float(lengths.max()))
    total, count = np.concatenate(totals), np.concatenate(counts)
    if not count.any():
        return 0.0, 0.0, 0
    linked = count > 0
    middle = np.median(total[linked] / count[linked])
    return float(total.sum() / count.sum()), float(middle), int(longest)


def _bits(degrees: Indices) -> Floats:
    positive = np.maximum(degrees, 1)
    bits: Floats = positive * np.log2(positive)
    return bits


def _entropy(degrees: Indices) -> float:
    total = int(degrees.sum())
    return float(np.log2(total) - _bits(degrees).sum() / total) if total else 0.0
