"""Semantic disclosure risk: original neighbourhoods found in the protected graph (section 6.4).

The intruder knows the neighbourhood of a node in the original graph: the node, its neighbours, all
links among them, and some attributes of each. The node is matched if the protected graph contains
the same neighbourhood anywhere, equations (6.9) and (6.10). The thesis compares attributes of the
neighbours alone; whether the node's own must agree too is an option.
"""

from dataclasses import dataclass

import numpy as np

from evomask.data.classes import classes_of_columns
from evomask.types import Indices, Labels
from evomask_graphs.graph import Edges, Graph
from evomask_graphs.profiles import Profiles

PATIENCE = 10_000
"""Limit of backtracking steps in the comparison of two neighbourhoods of equal signature. Beyond
it, they count as equal in a risk measure, and as different in a guarantee of k."""

BUCKETS = ((0, 0), (1, 1), (2, 4), (5, 10), (11, 20), (21, None))
"""Size classes of candidate sets, as in Hay and others (2007); 0 means no match."""

OUT, IN = 1, 2


@dataclass(frozen=True)
class Risk:
    """Disclosure risk for an intruder who knows some attributes of a neighbourhood.

    Args:
        matched: percentage of nodes whose neighbourhood is found (disclosure risk).
        candidates: percentage of nodes by number of matching protected nodes.
    """

    matched: float
    candidates: dict[str, float]


def knowledge_of(profiles: Profiles) -> dict[str, tuple[str, ...]]:
    """Sets of attributes that intruders may know: each one, the topics, all, or links alone."""
    columns = profiles.columns
    known: dict[str, tuple[str, ...]] = {name: (name,) for name in columns.attributes}
    if len(columns.topics) > 1:
        known["topics"] = columns.topics
    if len(columns.attributes) > 1:
        known["all"] = columns.attributes
    return known | {"links alone": ()}


def disclosure_risk(
    original: Profiles,
    masked: Profiles,
    graph: Graph,
    masked_graph: Graph,
    *,
    knows_own: bool = True,
) -> dict[str, Risk]:
    """Disclosure risk for each kind of knowledge; see `knowledge_of`.

    Args:
        knows_own: whether a node's own attributes must also agree, or only those of its neighbours
            (6.4).
    """
    links = Neighbourhoods.of(graph, masked_graph)
    old, new = original.codes(), masked.codes()
    columns = {name: np.concatenate([old[name], new[name]]) for name in old}
    return {
        kind: _risk(
            links.classes([columns[name] for name in names], knows_own=knows_own), len(graph)
        )
        for kind, names in knowledge_of(original).items()
    }


def _risk(classes: Labels, n_nodes: int) -> Risk:
    fitting = np.bincount(classes[n_nodes:], minlength=int(classes.max()) + 1)[classes[:n_nodes]]
    shares = {
        _bucket_name(low, high): 100.0
        * float(np.mean((fitting >= low) & (fitting <= (np.inf if high is None else high))))
        for low, high in BUCKETS
    }
    return Risk(100.0 * float(np.mean(fitting > 0)), shares)


def _bucket_name(low: int, high: int | None) -> str:
    if high is None:
        return f"{low} or more"
    return str(low) if low == high else f"{low} to {high}"


@dataclass(frozen=True, eq=False)
class Neighbourhoods:
    """Neighbours of each node in one or more graphs."""

    starts: Indices
    neighbours: Indices
    ways: Indices
    loops: Indices

    @classmethod
    def of(cls, *graphs: Graph) -> "Neighbourhoods":
        ends = np.cumsum([0, *map(len, graphs)])
        arcs = np.concatenate([g.arcs + begin for g, begin in zip(graphs, ends, strict=False)])
        looped = arcs[arcs[:, 0] == arcs[:, 1], 0]
        n = int(ends[-1])
        starts, neighbours, ways = _rows(arcs[arcs[:, 0] != arcs[:, 1]], n)
        loops = np.zeros(n, dtype=np.int64)
        loops[looped] = 1
        return cls(starts, neighbours, ways, loops)

    def classes(
        self, columns: list[Indices], *, knows_own: bool = True, doubt_is_same: bool = True
    ) -> Labels:
        """Class of each node; nodes of a class have the same neighbourhood and values in *columns*.

        Args:
            doubt_is_same: whether two neighbourhoods that cannot be compared in `PATIENCE` steps
                are equal.
        """
        from evomask_graphs.kernels.neighbourhoods import neighbourhood_classes, signatures

        n = len(self.loops)
        colours = classes_of_columns([self.loops, *(c + 1 for c in columns)], n).labels
        roots = colours if knows_own else self.loops
        arrays = (self.starts, self.neighbours, self.ways, colours, roots)
        ranks = np.unique(signatures(*arrays), return_inverse=True)[1].astype(np.int64)
        order = np.argsort(ranks, kind="stable").astype(np.int64)
        return neighbourhood_classes(*arrays, order, ranks, PATIENCE, int(doubt_is_same))


def _rows(arcs: Edges, n_nodes: int) -> tuple[Indices, Indices, Indices]:
    """Neighbours of each node in order, and the direction of each link: out, in or both."""
    keys = np.concatenate([arcs[:, 0] * n_nodes + arcs[:, 1], arcs[:, 1] * n_nodes + arcs[:, 0]])
    ways = np.repeat([OUT, IN], len(arcs))
    links, which = np.unique(keys, return_inverse=True)
    both = np.bincount(which, weights=ways, minlength=len(links)).astype(np.int64)
    sources = links // n_nodes
    starts = np.searchsorted(sources, np.arange(n_nodes + 1)).astype(np.int64)
    return starts, (links % n_nodes).astype(np.int64), both
