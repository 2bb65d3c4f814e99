"""Clusters of k or more similar profiles: a place, topics in order, and numbers.

Places form a tree of eight levels; ``ancestors[p, l]`` is the place of level l on the
branch of p, or -1. All distances are in sevenths, so that they are integers for places and topics
and ties are exact.
"""

import numpy as np

from evomask.kernels.compiler.arrays import arange, fill, full_floats, full_ints
from evomask.kernels.jit import INDEX_ROWS, INDICES, INT64, POINTS, inner, kernel
from evomask.types import Codes, Flags, Floats, Indices, Labels, Points

SEVEN = 7.0
BLOCK = 1024


@inner
def _lay_out(
    seed_place: int, levels: Indices, ancestors: Indices, is_leaf: Flags, apart: Floats
) -> None:
    """Fill in the distance of one place to every place, in sevenths; 7 for places not on its
    branch."""
    level = levels[seed_place]
    fill(apart[: levels.size], SEVEN)
    if not is_leaf[seed_place]:
        for place in range(levels.size):
            if ancestors[place, level] == seed_place:
                apart[place] = level - levels[place]
    for above in ancestors[seed_place]:
        if above >= 0:
            apart[above] = levels[above] - level


@inner
def _leaves(levels: Indices, ancestors: Indices) -> Flags:
    is_leaf = np.ones(levels.size, dtype=np.bool_)
    for place in range(levels.size):
        for above in ancestors[place]:
            if above >= 0 and above != place:
                is_leaf[above] = False
    return is_leaf


@inner
def _measure(
    first: int,
    last: int,
    place_of: Indices,
    topic_of: Codes,
    number_of: Points,
    apart: Floats,
    topics: Indices,
    numbers: Floats,
    block: Floats,
) -> None:
    """Write the distances of the nodes first..last-1 to one profile into *block*."""
    size = last - first
    for i in range(size):
        block[i] = apart[place_of[first + i]]
    for j in range(topics.size):
        topic = topics[j]
        for i in range(size):
            block[i] += SEVEN * (topic_of[j, first + i] != topic)
    for j in range(numbers.size):
        number = numbers[j]
        for i in range(size):
            block[i] += SEVEN * abs(number_of[j, first + i] - number)


@kernel(INDICES, INDICES, INDEX_ROWS, INDEX_ROWS, POINTS, INDICES, INT64)
def clusters_around(
    places: Indices,
    levels: Indices,
    ancestors: Indices,
    topics: Indices,
    numbers: Points,
    seeds: Indices,
    k: int,
) -> Labels:
    """Form a cluster of each next free node of *seeds* and its k-1 nearest free nodes (Algorithm
    14).

    The last k to 2k-1 nodes are one cluster. Cost is O(n²/k); the lowest index wins a tie.
    A clustered node is moved to infinite distance, and removed once one in eight nodes is
    clustered; this keeps the loop over nodes simple.
    """
    n = places.size
    nowhere = levels.size
    apart = full_floats(nowhere + 1, np.inf)
    is_leaf = _leaves(levels, ancestors)
    ids, position = arange(n), arange(n)
    place_of = places.copy()
    topic_of = np.empty((topics.shape[1], n), dtype=np.int32)
    number_of = np.empty((numbers.shape[1], n))
    for i in range(n):
        for j in range(topics.shape[1]):
            topic_of[j, i] = topics[i, j]
        for j in range(numbers.shape[1]):
            number_of[j, i] = numbers[i, j]
    labels = full_ints(n, -1)
    block = np.empty(BLOCK)
    near = np.empty(k, dtype=np.int64)
    far = np.empty(k)
    left = rows = n
    cluster = turn = 0
    while left >= 2 * k:
        while labels[seeds[turn]] >= 0:
            turn += 1
        seed = seeds[turn]
        labels[seed] = cluster
        place_of[position[seed]] = nowhere
        _lay_out(places[seed], levels, ancestors, is_leaf, apart)
        fill(far, np.inf)
        for first in range(0, rows, BLOCK):
            last = min(first + BLOCK, rows)
            _measure(
                first, last, place_of, topic_of, number_of, apart, topics[seed], numbers[seed],
                block,
            )  # fmt: skip
            for i in range(last - first):
                if block[i] < far[k - 2]:
                    slot = k - 2
                    while slot > 0 and far[slot - 1] > block[i]:
                        far[slot], near[slot] = far[slot - 1], near[slot - 1]
                        slot -= 1
                    far[slot], near[slot] = block[i], first + i
        for i in range(k - 1):
            labels[ids[near[i]]] = cluster
            place_of[near[i]] = nowhere
        left -= k
        cluster += 1
        if 8 * left < 7 * rows:
            kept = 0
            for i in range(rows):
                if place_of[i] != nowhere:
                    ids[kept], place_of[kept] = ids[i], place_of[i]
                    position[ids[i]] = kept
                    for j in range(topics.shape[1]):
                        topic_of[j, kept] = topic_of[j, i]
                    for j in range(numbers.shape[1]):
                        number_of[j, kept] = number_of[j, i]
                    kept += 1
            rows = kept
    for i in range(n):
        if labels[i] < 0:
            labels[i] = cluster
    return labels
