"""k-anonymous profiles of a graph by clustering (Algorithms 13 and 14).

Every node keeps its edges and gets the profile of its cluster. There are two protectors: random
seeds as in the thesis, and a search for clusters with less information loss.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from evomask.data.classes import classes_of_columns
from evomask.data.partition import validate_k
from evomask.errors import ParameterError
from evomask.types import Floats, Indices, Labels
from evomask_graphs.aggregation import borda_topics, common_places, lower_medians
from evomask_graphs.profiles import Profiles

COUNTRY_LEVEL = 5


@dataclass(frozen=True, eq=False)
class Clustered:
    """Protected profiles, and the cluster of each node."""

    profiles: Profiles
    labels: Labels


class Protector(Protocol):
    """Replaces the profile of every node by that of its cluster of k or more nodes."""

    def protect(
        self, profiles: Profiles, degrees: Indices, k: int, rng: np.random.Generator
    ) -> Clustered:
        """Return profiles in clusters of k or more; the argument is not changed."""
        ...


@dataclass(frozen=True)
class RandomSeeds:
    """Clusters of a random node and its k-1 nearest, until none is left (Algorithm 14).

    The last 2k-1 nodes or fewer are one cluster, so none is smaller than k. A cluster's place is
    the lowest common ancestor, its topics those of the highest Borda count.
    """

    def protect(
        self, profiles: Profiles, degrees: Indices, k: int, rng: np.random.Generator
    ) -> Clustered:
        labels = random_clusters(profiles, k, rng)
        topics = borda_topics(profiles.topics, labels)
        return _substituted(profiles, labels, topics, lower_medians(profiles.numbers, labels))


@dataclass(frozen=True)
class ClusterSearch:
    """Clusters from random seeds, improved by exchanging and moving nodes.

    Args:
        attempts: exchanges tried, per node.
        heat: initial temperature of annealing; 0 accepts no worsening.
        pull: weight of a node's edges; 0 counts every node alike, whatever its degree.
        caution: penalty, in changed values, of a node that keeps its whole profile while others of
            its cluster do not.

    A cluster's place is the lowest common ancestor. In each position it releases the most frequent
    topic of its members. If some members, but not all, would keep their whole profile, one topic is
    changed if that costs less than *caution*.
    """

    attempts: int = 200
    heat: float = 0.3
    pull: float = 1.0
    caution: float = 3.0

    def __post_init__(self) -> None:
        if min(self.attempts, self.heat, self.pull, self.caution) < 0:
            raise ParameterError("attempts, heat, pull and caution must not be negative")

    def protect(
        self, profiles: Profiles, degrees: Indices, k: int, rng: np.random.Generator
    ) -> Clustered:
        """Return profiles in clusters of low information loss."""
        from evomask.kernels.generator import draw_seed
        from evomask_graphs.kernels.refinement import improve_clusters, settled

        first = random_clusters(profiles, k, rng)
        weights = _weights(degrees, self.pull)
        alike, bounds = _likenesses(profiles)
        tries = self.attempts * len(profiles) if first.max() > 0 else 0
        labels = improve_clusters(
            *_arrays(profiles), profiles.numbers, weights, self.caution, first, k, alike,
            bounds, tries, self.heat, draw_seed(rng),
        )  # fmt: skip
        topics, numbers = settled(
            *_arrays(profiles), profiles.numbers, weights, self.caution, labels
        )
        return _substituted(profiles, labels, topics, numbers)


def protect_within(
    profiles: Profiles,
    degrees: Indices,
    classes: Labels,
    k: int,
    protector: Protector,
    rng: np.random.Generator,
) -> Clustered:
    """Protect profiles in clusters of k or more within given classes of nodes.

    An intruder who knows the class of a node besides its profile still finds k candidates.
    """
    locations, topics = profiles.locations.copy(), profiles.topics.copy()
    numbers = profiles.numbers.copy()
    labels = np.zeros(len(profiles), dtype=np.int64)
    clusters = 0
    for value in range(int(classes.max()) + 1):
        rows = np.flatnonzero(classes == value)
        part = protector.protect(profiles.take(rows), degrees[rows], k, rng)
        locations[rows], topics[rows] = part.profiles.locations, part.profiles.topics
        numbers[rows] = part.profiles.numbers
        labels[rows] = part.labels + clusters
        clusters += int(part.labels.max()) + 1
    return Clustered(profiles.with_values(locations, topics, numbers), labels)


def random_clusters(profiles: Profiles, k: int, rng: np.random.Generator) -> Labels:
    """Cluster of each node by Algorithm 14: sizes k, the last k to 2k-1."""
    from evomask_graphs.kernels.clusters import clusters_around

    k = validate_k(k, len(profiles))
    seeds = rng.permutation(len(profiles))
    return clusters_around(*_arrays(profiles), profiles.numbers, seeds, k)


def _arrays(profiles: Profiles) -> tuple[Indices, Indices, Indices, Indices]:
    places = profiles.places
    return profiles.locations, places.levels, places.ancestors, profiles.topics


def _substituted(profiles: Profiles, labels: Labels, topics: Indices, numbers: Floats) -> Clustered:
    places = common_places(profiles.places, profiles.locations, labels)
    masked = profiles.with_values(places[labels], topics[labels], numbers[labels])
    return Clustered(masked, labels)


def _weights(degrees: Indices, pull: float) -> Floats:
    """Cost of changing one value of a node: its own and that of its neighbours."""
    mean = degrees.mean()
    edges = degrees / mean if mean > 0 else np.zeros(len(degrees))
    weights: Floats = 1.0 + pull * edges
    return weights


def _likenesses(profiles: Profiles) -> tuple[Indices, Indices]:
    """Nodes sorted by each respect (location, country, topic, number), and the range of equals of
    each.
    """
    places = profiles.places
    branch = places.ancestors[profiles.locations]
    country = np.where(branch[:, COUNTRY_LEVEL] >= 0, branch[:, COUNTRY_LEVEL], places.world)
    respects: list[Sequence[Indices]] = [[profiles.locations], [country]]
    for topic in profiles.topics.T:
        respects += [[topic + 1], [topic + 1, country], [topic + 1, profiles.locations]]
    respects += [[_ranks(number)] for number in profiles.numbers.T]
    rows = [_sorted_by(respect, len(profiles)) for respect in respects]
    return np.stack([row for row, _ in rows]), np.stack([ends for _, ends in rows])


def _ranks(number: Floats) -> Indices:
    return np.unique(number, return_inverse=True)[1].astype(np.int64)


def _sorted_by(respect: Sequence[Indices], n_nodes: int) -> tuple[Indices, Indices]:
    classes = classes_of_columns(respect, n_nodes)
    order = np.argsort(classes.labels, kind="stable").astype(np.int64)
    ends = np.cumsum(classes.sizes)
    bounds = np.empty(2 * n_nodes, dtype=np.int64)
    bounds[0::2] = (ends - classes.sizes)[classes.labels]
    bounds[1::2] = ends[classes.labels]
    return order, bounds
