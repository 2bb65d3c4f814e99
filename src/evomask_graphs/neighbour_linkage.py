"""Re-identification of people by the profiles of their neighbours.

The intruder knows the original profiles of a person and of all their neighbours, and picks the
released node that is nearest: by its profile, and by those of its neighbours, each compared with
the nearest one of the other side. So values that were generalized or changed still count as near,
where `disclosure_risk` asks for the same values.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evomask.types import Floats, Indices, Points
from evomask_graphs.graph import Graph
from evomask_graphs.profiles import LOCATION, Profiles

OWN, NEIGHBOURS, BOTH = "own profile", "profiles of neighbours", "own and neighbours' profiles"

WORK = 2e8
"""Comparisons of two neighbours that are made at most; of a larger graph, fewer people are
attacked."""

LEAST_TARGETS = 50

DIGITS = 9
"""Distances that agree to this many digits are equal."""


def neighbour_linkage(
    original: Profiles, masked: Profiles, graph: Graph, masked_graph: Graph
) -> dict[str, float]:
    """Percentage of people whose released node is the nearest, by what the intruder knows.

    Nodes must be in the same order. Among equally near nodes one is picked at random, so a person
    counts by one over their number.
    """
    known, released = _Distinct.of(original), _Distinct.of(masked)
    apart = _distances(original.take(known.first), masked.take(released.first))
    around, candidates = _Around.of(graph), _Around.of(masked_graph)
    found = {OWN: 0.0, NEIGHBOURS: 0.0, BOTH: 0.0}
    targets = _targets(around, candidates)
    for target in targets.tolist():
        own = apart[known.codes[target], released.codes]
        theirs = known.codes[around.of_node(target)]
        others = _apart_around(apart[theirs], released.codes, candidates)
        for what, costs in {OWN: own, NEIGHBOURS: others, BOTH: own + others}.items():
            rounded = np.round(costs, DIGITS)
            nearest = rounded == rounded.min()
            found[what] += float(nearest[target]) / int(nearest.sum())
    return {what: 100.0 * hits / len(targets) for what, hits in found.items()}


@dataclass(frozen=True)
class _Distinct:
    """Distinct profiles: the first node that has each, and the code of each node's profile."""

    first: Indices
    codes: Indices

    @classmethod
    def of(cls, profiles: Profiles) -> "_Distinct":
        columns = np.column_stack(list(profiles.codes().values()))
        _, first, codes = np.unique(columns, axis=0, return_index=True, return_inverse=True)
        return cls(first.astype(np.int64), codes.ravel().astype(np.int64))


@dataclass(frozen=True)
class _Around:
    """Neighbours of each node, whatever the direction of the link, without the node itself."""

    starts: Indices
    neighbours: Indices

    @classmethod
    def of(cls, graph: Graph) -> "_Around":
        edges = graph.edges[graph.edges[:, 0] != graph.edges[:, 1]]
        both = np.unique(np.concatenate([edges, edges[:, ::-1]]), axis=0)
        starts = np.searchsorted(both[:, 0], np.arange(len(graph) + 1))
        return cls(starts.astype(np.int64), both[:, 1].astype(np.int64))

    def of_node(self, node: int) -> Indices:
        return self.neighbours[self.starts[node] : self.starts[node + 1]]

    @property
    def degrees(self) -> Indices:
        return np.diff(self.starts)


def _targets(around: _Around, candidates: _Around) -> Indices:
    """People to attack: all, or evenly spaced ones of a graph that takes too much work."""
    n = len(around.degrees)
    each = max(1.0, float(around.degrees.mean())) * max(1, len(candidates.neighbours))
    count = min(n, max(LEAST_TARGETS, int(WORK / each)))
    return np.unique(np.linspace(0, n - 1, count).round().astype(np.int64))


def _distances(original: Profiles, masked: Profiles) -> Points:
    """Mean distance over the attributes of each original profile to each masked one."""
    theirs: Mapping[str, Indices] = masked.codes()
    total: Points = np.zeros((len(original), len(masked)))
    for name, codes in original.codes().items():
        if name == LOCATION:
            total += original.places.distances(codes[:, None], theirs[name][None, :])
        else:
            total += codes[:, None] != theirs[name][None, :]
    return total / len(original.codes())


def _apart_around(apart: Points, codes: Indices, candidates: _Around) -> Floats:
    """Distance of a person's neighbours to those of every candidate.

    The mean distance of a neighbour to the nearest one of the other side, in both directions, plus
    the difference of their numbers in share of the larger.

    Args:
        apart: distances of each known neighbour's profile to each distinct released profile.
    """
    degrees, own = candidates.degrees, len(apart)
    gap = np.abs(degrees - own) / np.maximum(1, np.maximum(degrees, own))
    if not own or not len(candidates.neighbours):
        return np.where(degrees == own, 0.0, 1.0) + gap
    linked = np.flatnonzero(degrees)
    begins = candidates.starts[linked]
    pairs = apart[:, codes[candidates.neighbours]]
    forward = np.minimum.reduceat(pairs, begins, axis=1).mean(axis=0)
    backward = np.add.reduceat(pairs.min(axis=0), begins) / degrees[linked]
    costs = np.ones(len(degrees))
    costs[linked] = (forward + backward) / 2
    return costs + gap
