"""One-hop neighbourhoods: classes of nodes with isomorphic, equally coloured neighbourhoods.

The neighbourhood of a node is the node itself (the root), its neighbours, and all links among
them. Two are equal if there is an isomorphism that maps root to root and preserves colours and
links. Colour refinement distinguishes most by a signature; those of equal signature are compared
exactly.

A graph is given as rows of neighbours: ``neighbours[starts[i]:starts[i + 1]]`` are those of
node i in increasing order, and ``ways`` says for each whether the link goes out (1), comes in
(2) or both (3). A node is no neighbour of itself. A node has one colour as a neighbour and
another, of ``roots``, in its own neighbourhood.
"""

import numpy as np
from numpy.typing import NDArray

from evomask.kernels.compiler.arrays import argsort, full_ints
from evomask.kernels.jit import INDICES, INT64, inner, kernel
from evomask.types import Indices, Labels

Hashes = NDArray[np.uint64]

ROUNDS = 3
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_STEP = np.uint64(0x9E3779B97F4A7C15)
_S30, _S27, _S31 = np.uint64(30), np.uint64(27), np.uint64(31)


@inner
def _mixed(x: np.uint64) -> np.uint64:
    """Hash 64 bits bijectively (the finisher of splitmix64)."""
    x = (x ^ (x >> _S30)) * _FIRST
    x = (x ^ (x >> _S27)) * _SECOND
    return x ^ (x >> _S31)


@inner
def _way(a: int, b: int, starts: Indices, neighbours: Indices, ways: Indices) -> int:
    """Return the direction of the link between a and b: 0 none, 1 out, 2 in, 3 both."""
    low, high = starts[a], starts[a + 1]
    while low < high:
        middle = (low + high) // 2
        if neighbours[middle] < b:
            low = middle + 1
        else:
            high = middle
    return ways[low] if low < starts[a + 1] and neighbours[low] == b else 0


@inner
def _member(node: int, root: int, starts: Indices, neighbours: Indices) -> int:
    """Position of a node in the root's neighbourhood, where the root is 0; -1 outside."""
    if node == root:
        return 0
    low, high = starts[root], starts[root + 1]
    while low < high:
        middle = (low + high) // 2
        if neighbours[middle] < node:
            low = middle + 1
        else:
            high = middle
    is_there = low < starts[root + 1] and neighbours[low] == node
    return low - starts[root] + 1 if is_there else -1


@inner
def _refined(
    root: int, starts: Indices, neighbours: Indices, ways: Indices, colours: Indices, roots: Indices
) -> Hashes:
    """Return a hash of each member's colour and links, equal for members that are
    interchangeable."""
    size = starts[root + 1] - starts[root] + 1
    own = np.empty(size, dtype=np.uint64)
    own[0] = _mixed(np.uint64(roots[root]) + _STEP + _STEP)
    for i in range(1, size):
        own[i] = _mixed(np.uint64(colours[neighbours[starts[root] + i - 1]]) + _STEP)
    following = np.empty(size, dtype=np.uint64)
    for _ in range(ROUNDS):
        for i in range(size):
            node = root if i == 0 else neighbours[starts[root] + i - 1]
            total = _mixed(own[i])
            if starts[node + 1] - starts[node] < size:
                for at in range(starts[node], starts[node + 1]):
                    other = _member(neighbours[at], root, starts, neighbours)
                    if other >= 0:
                        total += _mixed(own[other] + np.uint64(ways[at]))
            else:
                for j in range(size):
                    one = root if j == 0 else neighbours[starts[root] + j - 1]
                    way = _way(node, one, starts, neighbours, ways)
                    if way > 0:
                        total += _mixed(own[j] + np.uint64(way))
            following[i] = total
        own, following = following, own
    return own


@kernel(INDICES, INDICES, INDICES, INDICES, INDICES)
def signatures(
    starts: Indices, neighbours: Indices, ways: Indices, colours: Indices, roots: Indices
) -> Hashes:
    """Return a hash of each node's neighbourhood; equal neighbourhoods have equal hashes."""
    n = colours.size
    found = np.empty(n, dtype=np.uint64)
    for root in range(n):
        own = _refined(root, starts, neighbours, ways, colours, roots)
        total = _mixed(own[0] + _STEP)
        for i in range(1, own.size):
            total += _mixed(own[i])
        found[root] = _mixed(total)
    return found


@inner
def _at(root: int, i: int, starts: Indices, neighbours: Indices) -> int:
    return root if i == 0 else neighbours[starts[root] + i - 1]


@inner
def _agrees(
    a: int,
    b: int,
    i: int,
    j: int,
    order: Indices,
    image: Indices,
    done: int,
    starts: Indices,
    neighbours: Indices,
    ways: Indices,
    colours: Indices,
    roots: Indices,
) -> bool:
    """Return whether member i of a can be mapped to member j of b, given the *done* members mapped
    before."""
    one, other = _at(a, i, starts, neighbours), _at(b, j, starts, neighbours)
    shades = roots if i == 0 else colours
    if (i == 0) != (j == 0) or shades[one] != shades[other]:
        return False
    for step in range(done):
        before = order[step]
        way = _way(one, _at(a, before, starts, neighbours), starts, neighbours, ways)
        over = _at(b, image[before], starts, neighbours)
        if way != _way(other, over, starts, neighbours, ways):
            return False
    return True


@inner
def _is_same(
    a: int,
    b: int,
    starts: Indices,
    neighbours: Indices,
    ways: Indices,
    colours: Indices,
    roots: Indices,
    patience: int,
    doubt: int,
) -> bool:
    """Return whether two neighbourhoods of equal signature are isomorphic, by backtracking.

    Members are mapped to members of equal hash. After *patience* backtracking steps, the result is
    *doubt*.
    """
    size = starts[a + 1] - starts[a] + 1
    if starts[b + 1] - starts[b] + 1 != size:
        return False
    ours = _refined(a, starts, neighbours, ways, colours, roots)
    theirs = _refined(b, starts, neighbours, ways, colours, roots)
    order = argsort(ours)
    places = argsort(theirs)
    for step in range(size):
        if ours[order[step]] != theirs[places[step]]:
            return False
    first = np.empty(size, dtype=np.int64)
    for step in range(size):
        alike = step > 0 and ours[order[step]] == ours[order[step - 1]]
        first[step] = first[step - 1] if alike else step
    image = full_ints(size, -1)
    taken = np.zeros(size, dtype=np.bool_)
    tried = first.copy()
    step = 0
    while step < size:
        i = order[step]
        candidate = tried[step]
        laid = False
        while candidate < size and theirs[places[candidate]] == ours[i]:
            j = places[candidate]
            candidate += 1
            if taken[j]:
                continue
            if _agrees(a, b, i, j, order, image, step, starts, neighbours, ways, colours, roots):
                image[i] = j
                taken[j] = True
                laid = True
                break
        tried[step] = candidate
        if laid:
            step += 1
            continue
        tried[step] = first[step]
        step -= 1
        patience -= 1
        if step < 0:
            return False
        if patience < 0:
            return doubt != 0
        taken[image[order[step]]] = False
    return True


@kernel(INDICES, INDICES, INDICES, INDICES, INDICES, INDICES, INDICES, INT64, INT64)
def neighbourhood_classes(
    starts: Indices,
    neighbours: Indices,
    ways: Indices,
    colours: Indices,
    roots: Indices,
    order: Indices,
    ranks: Indices,
    patience: int,
    doubt: int,
) -> Labels:
    """Return the class of each node; nodes with equal neighbourhoods share one.

    *order* lists the nodes by signature and *ranks* numbers the signatures of all nodes. After
    *patience* backtracking steps, two neighbourhoods count as equal if *doubt* is 1, and as
    different if it is 0.
    """
    n = colours.size
    labels = full_ints(n, -1)
    samples = np.empty(n, dtype=np.int64)
    classes = 0
    first = 0
    for at in range(n):
        node = order[at]
        if at == 0 or ranks[node] != ranks[order[at - 1]]:
            first = classes
        for known in range(first, classes):
            other = samples[known]
            if _is_same(other, node, starts, neighbours, ways, colours, roots, patience, doubt):
                labels[node] = known
                break
        if labels[node] < 0:
            labels[node] = classes
            samples[classes] = node
            classes += 1
    return labels
