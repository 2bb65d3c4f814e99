"""Generalization to supernodes (Campan and Truta, 2009; Stokes and Torra, 2012).

Each cluster of nodes is released as one supernode: its number of people, their common profile, the
number of links among them, and the number with each other supernode.
"""

from dataclasses import dataclass

import numpy as np

from evomask.types import Indices, Labels
from evomask_graphs.graph import Edges, Graph


@dataclass(frozen=True, eq=False)
class Supernodes:
    """A graph of clusters.

    Args:
        members: number of people in each. inside: number of links among the people of each.
        edges: pairs of clusters with links between their people, the smaller number first.
        links: number of links of each of these pairs.
        loss: structural information loss in percent: error rate of guessing whether two people are
            linked, relative to its maximum (Campan and Truta, 2009).
    """

    members: Indices
    inside: Indices
    edges: Edges
    links: Indices
    loss: float


def supernodes(graph: Graph, labels: Labels) -> Supernodes:
    """Clusters of a graph with the links within and between them; directions are ignored."""
    size = int(labels.max()) + 1
    proper = graph.undirected().edges
    proper = proper[proper[:, 0] != proper[:, 1]]
    ends = np.sort(labels[proper], axis=1)
    keys, counts = np.unique(ends[:, 0] * size + ends[:, 1], return_counts=True)
    pairs = np.column_stack([keys // size, keys % size]).astype(np.int64)
    within = pairs[:, 0] == pairs[:, 1]
    members = np.bincount(labels, minlength=size).astype(np.int64)
    inside = np.zeros(size, dtype=np.int64)
    inside[pairs[within, 0]] = counts[within]
    between, links = pairs[~within], counts[~within].astype(np.int64)
    return Supernodes(
        members, inside, between, links, _structural_loss(members, inside, between, links)
    )


def _structural_loss(members: Indices, inside: Indices, edges: Edges, links: Indices) -> float:
    n = int(members.sum())
    if n < 2:
        return 0.0
    own = members * (members - 1) / 2
    across = (members[edges[:, 0]] * members[edges[:, 1]]).astype(float)
    wrong = np.sum(2 * inside * (1 - inside / np.maximum(own, 1)))
    wrong += np.sum(2 * links * (1 - links / across))
    return 100.0 * float(wrong) / (n * (n - 1) / 4)
