"""Protection of edges: k-degree anonymity, and random perturbation as a baseline."""

from collections.abc import Iterable

import numpy as np

from evomask.data.partition import validate_k
from evomask.errors import DataError, ParameterError
from evomask.types import Indices
from evomask_graphs.graph import Edges, Graph

TRIES = 50


def anonymize_degrees(graph: Graph, k: int, rng: np.random.Generator) -> Graph:
    """Add edges until every degree is shared by k or more nodes.

    Degrees are raised as little as possible (Liu and Terzi, 2008, dynamic programming). Edges are
    then added between nodes with too few; remaining edges go to nodes with frequent degrees. If
    that fails, a few random degrees are raised and the procedure is repeated. Self-loops are
    removed, because they could make it infeasible.
    """
    if graph.directed:
        raise DataError("k-degree anonymity needs undirected edges; use --undirected")
    k = validate_k(k, len(graph))
    graph = graph.with_edges(graph.edges[graph.edges[:, 0] != graph.edges[:, 1]])
    raised = graph.degrees.copy()
    for _ in range(TRIES):
        builder = _Builder(graph, anonymous_degrees(raised, k), k)
        if builder.join(rng):
            return graph.with_edges(np.concatenate([graph.edges, builder.added]))
        lowest = np.argsort(raised, kind="stable")[: max(2 * k, len(graph) // 20)]
        raised[rng.choice(lowest, size=(len(lowest) + 1) // 2, replace=False)] += 1
        raised = np.minimum(raised, len(graph) - 1)
    raise DataError(f"degrees could not be made {k}-anonymous by adding edges; choose a smaller k")


def anonymous_degrees(degrees: Indices, k: int) -> Indices:
    """Minimally raised degrees, each shared by k or more nodes.

    Nodes in order of decreasing degree are divided into runs of k to 2k-1; each run takes the
    degree of its first node. Cost is O(n k).
    """
    order = np.argsort(-degrees, kind="stable")
    falling = degrees[order]
    totals = np.concatenate([[0], np.cumsum(falling)])
    n = len(degrees)
    best = np.full(n + 1, np.inf)
    best[0] = 0.0
    cut = np.zeros(n + 1, dtype=np.int64)
    for end in range(k, n + 1):
        starts = np.arange(max(0, end - 2 * k + 1), end - k + 1)
        costs = best[starts] + falling[starts] * (end - starts) - (totals[end] - totals[starts])
        cut[end] = starts[np.argmin(costs)]
        best[end] = costs.min()
    raised = np.empty(n, dtype=np.int64)
    end = n
    while end > 0:
        raised[order[cut[end] : end]] = falling[cut[end]]
        end = int(cut[end])
    return raised


class _Builder:
    """Adds edges to a graph until its nodes have the target degrees, or reports failure."""

    def __init__(self, graph: Graph, wanted: Indices, k: int) -> None:
        self.k = k
        self.lacking = wanted - graph.degrees
        self.wanted = wanted.copy()
        self.linked: list[set[int]] = [set() for _ in range(len(graph))]
        for a, b in graph.edges.tolist():
            self.linked[a].add(b)
            self.linked[b].add(a)
        self._added: list[tuple[int, int]] = []

    @property
    def added(self) -> Edges:
        return np.array(self._added, dtype=np.int64).reshape(-1, 2)

    def join(self, rng: np.random.Generator) -> bool:
        """Join nodes that lack edges, largest deficit first; return whether all have their target
        degree."""
        for node in np.argsort(-self.lacking, kind="stable").tolist():
            partners = np.flatnonzero(self.lacking > 0)
            falling = partners[np.argsort(-self.lacking[partners], kind="stable")]
            self._link(node, falling.tolist())
        for node in np.flatnonzero(self.lacking > 0).tolist():
            self._link_with_common(node, rng)
        return not (self.lacking > 0).any() and _is_anonymous(self.wanted, self.k)

    def _link(self, node: int, partners: Iterable[int]) -> None:
        for partner in partners:
            if self.lacking[node] <= 0:
                return
            if partner != node and partner not in self.linked[node]:
                self.linked[node].add(partner)
                self.linked[partner].add(node)
                self._added.append((node, partner))
                self.lacking[[node, partner]] -= 1

    def _link_with_common(self, node: int, rng: np.random.Generator) -> None:
        for degree in np.argsort(-np.bincount(self.wanted), kind="stable").tolist():
            free = self._spare(node, degree)
            above = int(np.sum(self.wanted == degree + 1))
            take = min(len(free), int(self.lacking[node]))
            if take == 0 or take + above < self.k:
                continue
            chosen = rng.permutation(free)[:take]
            self.wanted[chosen] += 1
            self.lacking[chosen] += 1
            self._link(node, chosen.tolist())
            if self.lacking[node] <= 0:
                return

    def _spare(self, node: int, degree: int) -> Indices:
        alike = np.flatnonzero((self.wanted == degree) & (self.lacking == 0))
        count = int(np.sum(self.wanted == degree)) - self.k
        free = [
            other for other in alike.tolist() if other != node and other not in self.linked[node]
        ]
        return np.array(free[: max(0, count)], dtype=np.int64)


def _is_anonymous(degrees: Indices, k: int) -> bool:
    counts = np.bincount(degrees)
    return bool(np.all((counts == 0) | (counts >= k)))


def shuffle_edges(graph: Graph, percent: float, rng: np.random.Generator) -> Graph:
    """Baseline: delete a percentage of edges and add the same number between other nodes.

    Hay and others (2007). Pairs that are edges of the original are not added.
    """
    if not 0 <= percent <= 100:
        raise ParameterError(f"the percentage of edges must lie in [0, 100], got {percent:g}")
    n = len(graph)
    count = round(len(graph.edges) * percent / 100)
    kept = np.sort(rng.permutation(len(graph.edges))[count:])
    present = {(a, b) for a, b in graph.edges.tolist()}
    pairs = n * (n - 1) // (1 if graph.directed else 2)
    proper = sum(a != b for a, b in present)
    if count > pairs - proper:
        raise ParameterError(
            "the graph is too dense to add that many other edges; use a lower percentage"
        )
    added: list[tuple[int, int]] = []
    while len(added) < count:
        a, b = (int(end) for end in rng.integers(n, size=2))
        pair = (a, b) if graph.directed else (min(a, b), max(a, b))
        if a != b and pair not in present:
            present.add(pair)
            added.append(pair)
    return graph.with_edges(
        np.concatenate([graph.edges[kept], np.array(added, dtype=np.int64).reshape(-1, 2)])
    )
