"""k-neighbourhood anonymity: every one-hop neighbourhood is shared by k or more nodes.

The aim of Zhou and Pei (2008): an intruder who knows all links among a person and their neighbours
finds k candidates. They add edges; here edges are also deleted, by simulated annealing that makes
rare neighbourhoods simpler or equal to others at the cost of few edges.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from evomask.data.partition import validate_k
from evomask.errors import ParameterError
from evomask.types import Floats, Labels
from evomask_graphs.disclosure_risk import Neighbourhoods
from evomask_graphs.graph import Edges, Graph
from evomask_graphs.profiles import Profiles

OUT, IN = 1, 2

Signature = tuple[int, int]
Move = tuple[int, int, int]
"""Two nodes, and the direction of the link to set."""


@dataclass(frozen=True)
class NeighbourhoodSearch:
    """Change few links until every neighbourhood is shared by k or more nodes.

    Args:
        attempts: changes tried per node and round.
        heat: initial temperature of annealing, in changed links.
        simpler: penalty of each node and link of a neighbourhood that too few nodes share, in
            changed links; it favours simple neighbourhoods, which many nodes share.
    """

    attempts: int = 15
    heat: float = 0.5
    simpler: float = 1.0

    def __post_init__(self) -> None:
        if self.attempts < 0 or self.heat < 0 or self.simpler < 0:
            raise ParameterError("attempts, heat and simpler must not be negative")

    def protect(self, graph: Graph, k: int, rng: np.random.Generator) -> Graph:
        """Return the graph with changed links; self-loops are removed."""
        k = validate_k(k, len(graph))
        state = _State(graph, k, self.simpler)
        tries, heat = self.attempts * len(graph), self.heat
        for turn in range(ROUNDS):
            lacking = state.lacking
            state.price = 2.0**turn
            _anneal(state, tries, heat, rng)
            if state.lacking == 0:
                _anneal(state, tries, 0.0, rng)
                break
            heat = min(2 * heat, HOTTEST * self.heat) if state.lacking >= lacking else self.heat
        return _freed(graph.with_edges(state.edges()), k)


ROUNDS = 10
"""Maximum number of rounds; each doubles the penalty of nodes whose neighbourhood too few nodes
share."""

HOTTEST = 8
"""Largest factor of the initial temperature for a search that is stuck."""

REFRESH = 50
"""Attempts between two updates of the list of nodes with rare neighbourhoods."""


def neighbourhood_labels(graph: Graph) -> Labels:
    """Class of each node by its neighbourhood without attributes, compared exactly.

    Neighbourhoods that cannot be compared in time count as different: so k is never overestimated.
    """
    return Neighbourhoods.of(graph).classes([], doubt_is_same=False)


def smallest_neighbourhood_class(graph: Graph) -> int:
    """Return the number of nodes that share the rarest neighbourhood."""
    return int(np.bincount(neighbourhood_labels(graph)).min())


def unique_with_profiles(profiles: Profiles, graph: Graph) -> int:
    """Number of nodes alone with their neighbourhood when the profiles in it are known too."""
    columns = list(profiles.codes().values())
    labels = Neighbourhoods.of(graph).classes(columns, doubt_is_same=False)
    return int((np.bincount(labels) == 1).sum())


def _freed(graph: Graph, k: int) -> Graph:
    """Remove links near nodes of rare neighbourhoods until none is rare; at worst, all links."""
    while True:
        labels = neighbourhood_labels(graph)
        few = np.flatnonzero(np.bincount(labels)[labels] < k)
        if not len(few):
            return graph
        spare = {edge for node in few.tolist() for edge in _in_the_way(graph, node)[:1]}
        if not spare:
            lowest = np.argsort(graph.degrees, kind="stable")[:k]
            spare = set(np.flatnonzero(np.isin(graph.edges, lowest).any(axis=1)).tolist())
        graph = graph.with_edges(np.delete(graph.edges, sorted(spare), axis=0))


def _in_the_way(graph: Graph, node: int) -> list[int]:
    """Return the edges among the neighbours of a node, then its own."""
    own = (graph.edges == node).any(axis=1)
    around = np.setdiff1d(graph.edges[own], [node])
    among = np.isin(graph.edges, around).all(axis=1)
    return [*np.flatnonzero(among).tolist(), *np.flatnonzero(own).tolist()]


def _anneal(state: "_State", attempts: int, heat: float, rng: np.random.Generator) -> None:
    """Simulated annealing of links at nodes with rare neighbourhoods."""
    few: list[int] = []
    draws, chances = rng.random((attempts, 4)), -np.log1p(-rng.random(attempts))
    for attempt in range(attempts):
        if attempt % REFRESH == 0:
            few = state.offenders()
        crowd = few or range(len(state.links))
        node = crowd[int(draws[attempt, 0] * len(crowd))]
        move = (
            state.proposed(node, draws[attempt, 1:])
            if few
            else state.given_back(node, draws[attempt, 1])
        )
        if move is not None:
            state.attempt(*move, heat * (1 - attempt / attempts) * chances[attempt])


class _State:
    """Current links, the signature of each neighbourhood, and their total cost."""

    def __init__(self, graph: Graph, k: int, simpler: float) -> None:
        self.k, self.simpler, self.price = k, simpler, 1.0
        self.directed = graph.directed
        self.original: list[dict[int, int]] = [{} for _ in range(len(graph))]
        for a, b in graph.arcs.tolist():
            if a != b:
                self.original[a][b] = self.original[a].get(b, 0) | OUT
                self.original[b][a] = self.original[b].get(a, 0) | IN
        self.links = [dict(row) for row in self.original]
        self.signatures = [self._signature(node) for node in range(len(graph))]
        self.counts = Counter(self.signatures)
        self.lacking = len(self.offenders())
        self.edits = 0.0

    def edges(self) -> Edges:
        found = [
            (a, b)
            for a, row in enumerate(self.links)
            for b, way in row.items()
            if way & OUT and (self.directed or a < b)
        ]
        return np.array(found, dtype=np.int64).reshape(-1, 2)

    def offenders(self) -> list[int]:
        """Nodes whose neighbourhood is shared by fewer than k nodes."""
        return [node for node, s in enumerate(self.signatures) if self.counts[s] < self.k]

    def attempt(self, a: int, b: int, way: int, most: float) -> bool:
        """Change the link between two nodes if that costs at most *most*; return whether it did."""
        before, edits = self.links[a].get(b, 0), self._apart(a, b)
        touched = [a, b, *(self.links[a].keys() & self.links[b].keys())]
        old = [self.signatures[node] for node in touched]
        _link(self.links, a, b, way)
        fresh = [self._signature(node) for node in touched]
        classes = {*old, *fresh}
        price, lacking = self._shortfall(classes)
        self._recount(old, fresh)
        higher, more = self._shortfall(classes)
        changed = self._apart(a, b) - edits
        if higher - price + changed > most:
            self._recount(fresh, old)
            _link(self.links, a, b, before)
            return False
        for node, signature in zip(touched, fresh, strict=True):
            self.signatures[node] = signature
        self.lacking += more - lacking
        self.edits += changed
        return True

    def _recount(self, old: list[Signature], fresh: list[Signature]) -> None:
        for signature in old:
            self.counts[signature] -= 1
        for signature in fresh:
            self.counts[signature] += 1

    def given_back(self, node: int, draw: float) -> Move | None:
        now, then = self.links[node], self.original[node]
        changed = [x for x in {**then, **now} if now.get(x, 0) != then.get(x, 0)]
        if not changed:
            return None
        other = changed[int(draw * len(changed))]
        return node, other, then.get(other, 0)

    def proposed(self, node: int, draws: Floats) -> Move | None:
        """Propose a change near a node: remove or add a link."""
        kind, first, second = draws
        around = list(self.links[node])
        if kind < 0.3 and around:
            return self._toggled(node, around[int(first * len(around))], second)
        if kind < 0.6 and around:
            middle = around[int(first * len(around))]
            shared = [x for x in self.links[middle] if x in self.links[node]]
            return (
                self._toggled(middle, shared[int(second * len(shared))], first) if shared else None
            )
        other = int(first * len(self.links))
        return self._toggled(node, other, second) if other != node else None

    def _toggled(self, a: int, b: int, draw: float) -> Move:
        way = self.links[a].get(b, 0)
        if not self.directed:
            return a, b, 0 if way else OUT | IN
        return a, b, way ^ (OUT if draw * 7919 % 1 < 0.5 else IN)

    def _apart(self, a: int, b: int) -> float:
        changed = self.links[a].get(b, 0) ^ self.original[a].get(b, 0)
        return float(changed > 0) if not self.directed else float(changed.bit_count())

    def _shortfall(self, classes: set[Signature]) -> tuple[float, int]:
        total, nodes = 0.0, 0
        for signature in classes:
            size = self.counts[signature]
            if 0 < size < self.k:
                total += size * (self.price + self.simpler * signature[1])
                nodes += size
        return total, nodes

    def _signature(self, node: int) -> Signature:
        """Hash shared by equal neighbourhoods (two rounds of refinement), and their size."""
        around = self.links[node]
        inside = {x: [y for y in self.links[x] if y in around] for x in around}
        first = {
            x: hash((around[x], *sorted((around[y], self.links[x][y]) for y in inside[x])))
            for x in around
        }
        second = sorted(
            hash((first[x], *sorted((first[y], self.links[x][y]) for y in inside[x])))
            for x in around
        )
        return hash(tuple(second)), len(around) + sum(map(len, inside.values())) // 2


def _link(links: list[dict[int, int]], a: int, b: int, way: int) -> None:
    back = (IN if way & OUT else 0) | (OUT if way & IN else 0)
    for one, other, kind in ((a, b, way), (b, a, back)):
        if kind:
            links[one][other] = kind
        else:
            links[one].pop(other, None)
