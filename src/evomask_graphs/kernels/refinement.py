"""Released profiles of clusters, and local search that moves members to reduce the loss.

Places, topics and distances are as in `clusters`.
"""

import numpy as np

from evomask.kernels.compiler.arrays import argsort, copy_into, fill, largest
from evomask.kernels.generator import draw_below, draw_unit, seed_state
from evomask.kernels.jit import FLOAT64, FLOATS, INDEX_ROWS, INDICES, INT64, POINTS, inner, kernel
from evomask.types import Floats, Indices, Labels, Points
from evomask_graphs.kernels.clusters import SEVEN


@inner
def _common(members: Indices, size: int, places: Indices, ancestors: Indices) -> int:
    """Return the lowest common ancestor of the members' places."""
    for level in range(ancestors.shape[1]):
        above = ancestors[places[members[0]], level]
        if above < 0:
            continue
        i = 1
        while i < size and ancestors[places[members[i]], level] == above:
            i += 1
        if i == size:
            return above
    return -1


@inner
def _n_topics(topics: Indices) -> int:
    highest = -1
    for i in range(topics.shape[0]):
        for j in range(topics.shape[1]):
            highest = max(highest, topics[i, j])
    return highest + 1


@inner
def _is_chosen(topic: int, chosen: Indices, j: int) -> bool:
    for other in range(chosen.size):
        if other != j and chosen[other] == topic and topic >= 0:
            return True
    return False


@inner
def _support(members: Indices, size: int, topics: Indices, j: int, topic: int, w: Floats) -> float:
    total = 0.0
    for i in range(size):
        if topics[members[i], j] == topic:
            total += w[members[i]]
    return total


@inner
def _elect(
    members: Indices, size: int, topics: Indices, w: Floats, chosen: Indices, tally: Floats
) -> float:
    """Choose the topic with the largest weight in each position, without repetition; return the
    weight of members whose topic changes.

    *tally* has an entry for each topic, all 0 before and after the call.
    """
    lost = 0.0
    fill(chosen, -1)
    for j in range(topics.shape[1]):
        total = 0.0
        silent = 0.0
        for i in range(size):
            topic = topics[members[i], j]
            total += w[members[i]]
            if topic < 0:
                silent += w[members[i]]
            else:
                tally[topic] += w[members[i]]
        best = 0.0
        winner = -1
        for i in range(size):
            topic = topics[members[i], j]
            if topic < 0 or _is_chosen(topic, chosen, j):
                continue
            if tally[topic] > best or (tally[topic] == best and topic < winner):
                best = tally[topic]
                winner = topic
        for i in range(size):
            if topics[members[i], j] >= 0:
                tally[topics[members[i], j]] = 0.0
        chosen[j] = winner
        lost += total - (best if winner >= 0 else silent)
    return lost


@inner
def _is_own(node: int, place: int, places: Indices, topics: Indices, chosen: Indices) -> bool:
    if places[node] != place:
        return False
    for j in range(chosen.size):
        if topics[node, j] != chosen[j]:
            return False
    return True


@inner
def _kept_by(
    members: Indices, size: int, place: int, places: Indices, topics: Indices, chosen: Indices
) -> int:
    """Return the number of members that would be released with their own profile."""
    kept = 0
    for i in range(size):
        kept += _is_own(members[i], place, places, topics, chosen)
    return kept


@inner
def _part(
    members: Indices,
    size: int,
    place: int,
    places: Indices,
    topics: Indices,
    w: Floats,
    chosen: Indices,
    limit: float,
) -> float:
    """Change one topic at the least cost, so that no member keeps its whole profile; return the
    cost.

    Nothing is changed if no single change with a cost below *limit* suffices.
    """
    best = limit
    at = -1
    instead = -1
    for j in range(chosen.size):
        before = chosen[j]
        held = _support(members, size, topics, j, before, w)
        for i in range(size):
            topic = topics[members[i], j]
            if topic < 0 or topic == before or _is_chosen(topic, chosen, j):
                continue
            cost = held - _support(members, size, topics, j, topic, w)
            if cost >= best:
                continue
            chosen[j] = topic
            if _kept_by(members, size, place, places, topics, chosen) == 0:
                best = cost
                at = j
                instead = topic
            chosen[j] = before
    if at < 0:
        return 0.0
    chosen[at] = instead
    return best


@inner
def _middle(members: Indices, size: int, numbers: Points, j: int, sorted_: Floats) -> float:
    """Return the lower median of a number among the members."""
    for i in range(size):
        value = numbers[members[i], j]
        slot = i
        while slot > 0 and sorted_[slot - 1] > value:
            sorted_[slot] = sorted_[slot - 1]
            slot -= 1
        sorted_[slot] = value
    return sorted_[(size - 1) // 2]


@inner
def _settle(
    members: Indices,
    size: int,
    places: Indices,
    levels: Indices,
    ancestors: Indices,
    topics: Indices,
    numbers: Points,
    w: Floats,
    caution: float,
    chosen: Indices,
    middles: Floats,
    sorted_: Floats,
    tally: Floats,
) -> float:
    """Write a cluster's profile into *chosen* and *middles*, and return its cost; see `settled`."""
    place = _common(members, size, places, ancestors)
    cost = _elect(members, size, topics, w, chosen, tally)
    kept = _kept_by(members, size, place, places, topics, chosen)
    if 0 < kept < size:
        limit = caution * kept
        cost += _part(members, size, place, places, topics, w, chosen, limit)
        cost += caution * _kept_by(members, size, place, places, topics, chosen)
    for i in range(size):
        own = places[members[i]]
        if own != place:
            cost += w[members[i]] - 1.0 + (levels[place] - levels[own]) / SEVEN
    for j in range(numbers.shape[1]):
        middles[j] = _middle(members, size, numbers, j, sorted_)
        for i in range(size):
            cost += abs(numbers[members[i], j] - middles[j])
    return cost


@kernel(INDICES, INDICES, INDEX_ROWS, INDEX_ROWS, POINTS, FLOATS, FLOAT64, INDICES)
def settled(
    places: Indices,
    levels: Indices,
    ancestors: Indices,
    topics: Indices,
    numbers: Points,
    w: Floats,
    caution: float,
    labels: Labels,
) -> tuple[Indices, Points]:
    """Return the topics and numbers that each cluster releases.

    In each position the topic with the greatest weight *w* of members, without repetition. If that
    is the whole profile of some members, but not of all, one topic is changed if that costs less
    than *caution* for each of them. Numbers: the lower median. The lowest code wins a tie.
    """
    n = places.size
    groups = largest(labels, labels.size) + 1
    starts = np.zeros(groups + 1, dtype=np.int64)
    for i in range(n):
        starts[labels[i] + 1] += 1
    widest = largest(starts, starts.size)
    for g in range(groups):
        starts[g + 1] += starts[g]
    order = argsort(labels)
    chosen = np.empty((groups, topics.shape[1]), dtype=np.int64)
    middles = np.empty((groups, numbers.shape[1]))
    sorted_ = np.empty(widest)
    tally = np.zeros(_n_topics(topics))
    for g in range(groups):
        members = order[starts[g] : starts[g + 1]]
        _settle(
            members, members.size, places, levels, ancestors, topics, numbers, w, caution,
            chosen[g], middles[g], sorted_, tally,
        )  # fmt: skip
    return chosen, middles


@kernel(
    INDICES, INDICES, INDEX_ROWS, INDEX_ROWS, POINTS, FLOATS, FLOAT64, INDICES, INT64,
    INDEX_ROWS, INDEX_ROWS, INT64, FLOAT64, INT64,
)  # fmt: skip
def improve_clusters(
    places: Indices,
    levels: Indices,
    ancestors: Indices,
    topics: Indices,
    numbers: Points,
    w: Floats,
    caution: float,
    labels: Labels,
    k: int,
    alike: Indices,
    bounds: Indices,
    attempts: int,
    heat: float,
    seed: int,
) -> Labels:
    """Swap and move nodes between clusters by simulated annealing of the cost of the clusters.

    A try takes a random node and a random other that is alike in one respect: row r of
    *alike* lists the nodes by respect r, and ``bounds[r, 2i:2i+2]`` says where in it those
    alike to node i stand. The node goes into the other's cluster, in exchange for one of its
    members or, where sizes of k to 2k-1 allow it, in addition. A worse state is taken with a
    probability that falls with *heat* to nothing. It is long because its arrays are shared
    by every step.
    """
    n = places.size
    groups = largest(labels, labels.size) + 1
    state = seed_state(seed)
    label = labels.copy()
    members = np.empty((groups, 2 * k - 1), dtype=np.int64)
    sizes = np.zeros(groups, dtype=np.int64)
    for i in range(n):
        members[label[i], sizes[label[i]]] = i
        sizes[label[i]] += 1
    chosen = np.empty(topics.shape[1], dtype=np.int64)
    middles = np.empty(numbers.shape[1])
    sorted_ = np.empty(2 * k)
    tally = np.zeros(_n_topics(topics))
    ours = np.empty(2 * k, dtype=np.int64)
    theirs = np.empty(2 * k, dtype=np.int64)
    costs = np.empty(groups)
    for g in range(groups):
        costs[g] = _settle(
            members[g], sizes[g], places, levels, ancestors, topics, numbers, w, caution,
            chosen, middles, sorted_, tally,
        )  # fmt: skip
    for attempt in range(attempts):
        node = draw_below(state, n)
        respect = draw_below(state, alike.shape[0])
        first, last = bounds[respect, 2 * node], bounds[respect, 2 * node + 1]
        other = alike[respect, first + draw_below(state, last - first)]
        g, h = label[node], label[other]
        if g == h:
            continue
        is_move = sizes[g] > k and sizes[h] < 2 * k - 1 and draw_below(state, 2) == 0
        out = draw_below(state, sizes[h])
        if not is_move and members[h, out] == other:
            out = (out + 1) % sizes[h]
        back = members[h, out]
        mine = 0
        for i in range(sizes[g]):
            if members[g, i] != node:
                ours[mine] = members[g, i]
                mine += 1
        yours = 0
        for i in range(sizes[h]):
            if is_move or i != out:
                theirs[yours] = members[h, i]
                yours += 1
        theirs[yours] = node
        yours += 1
        if not is_move:
            ours[mine] = back
            mine += 1
        here = _settle(
            ours, mine, places, levels, ancestors, topics, numbers, w, caution,
            chosen, middles, sorted_, tally,
        )  # fmt: skip
        there = _settle(
            theirs, yours, places, levels, ancestors, topics, numbers, w, caution,
            chosen, middles, sorted_, tally,
        )  # fmt: skip
        gain = costs[g] + costs[h] - here - there
        warmth = heat * (1.0 - attempt / attempts)
        if gain < 0.0 and (warmth <= 0.0 or draw_unit(state) >= np.exp(gain / warmth)):
            continue
        copy_into(members[g, :mine], ours)
        copy_into(members[h, :yours], theirs)
        sizes[g], sizes[h] = mine, yours
        costs[g], costs[h] = here, there
        label[node] = h
        if not is_move:
            label[back] = g
    return label
