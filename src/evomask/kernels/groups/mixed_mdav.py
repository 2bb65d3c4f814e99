"""MDAV microaggregation of numbers and categories; centres are means, medians and modes.

The squared distance of two records is the sum of their squared differences in numbers and of the
given squared distances of their categories. The lowest index wins every tie.
"""

import numpy as np

from evomask.kernels.compiler.arrays import arange, copy_into, fill, sort
from evomask.kernels.jit import BOOL, CODE_ROWS, INDICES, INT64, POINTS, inner, kernel
from evomask.types import Codes, Floats, Indices, Labels, Points

SQUARES, ABSOLUTE = False, True
"""Whether differences of numbers are summed as squares or as absolute values."""


def mixed_mdav(
    numbers: Points, codes: Codes, squares: Floats, ordered: Indices, domains: Indices, k: int
) -> Labels:
    """Return the group label of each record, groups numbered in the order of their formation.

    Pairs of groups are formed while 3k or more records remain and one more while 2k or more remain;
    the remaining k to 2k-1 records are the last group. ``squares[j, a, b]`` is the squared distance
    of categories a and b in column j of *codes*; the centre of a column is the lower median where
    ``ordered[j]`` is 1, else the mode. Codes from ``domains[j]`` up are missing: the median ignores
    them unless they are the majority.

    Cost is O(n² d / k) time and O(n d) memory.
    """
    width = squares.shape[1]
    return _mixed_mdav(
        np.ascontiguousarray(numbers.T, dtype=np.float64),
        np.ascontiguousarray(codes.T, dtype=np.int32),
        np.ascontiguousarray(squares.reshape(-1, width), dtype=np.float64),
        np.ascontiguousarray(ordered, dtype=np.int64),
        np.ascontiguousarray(domains, dtype=np.int64),
        k,
        3,
        SQUARES,
    )


def city_block_mdav(points: Points, k: int) -> Labels:
    """Return the group label of each record by Manhattan distance and mean records.

    Pairs of groups are formed while 2k or more records remain; the rest, often fewer than k, is the
    last group (MDAV as in Balasch, 2010). Ties and cost are those of `mixed_mdav`.
    """
    columns = np.ascontiguousarray(points.T, dtype=np.float64)
    none = np.empty((0, points.shape[0]), dtype=np.int32)
    no_column = np.empty(0, dtype=np.int64)
    return _mixed_mdav(columns, none, np.empty((0, 0)), no_column, no_column, k, 2, ABSOLUTE)


@inner
def _distances(
    numbers: Points,
    codes: Codes,
    squares: Points,
    left: int,
    centre: Floats,
    middle: Indices,
    absolute: bool,
    apart: Floats,
) -> None:
    fill(apart[:left], 0.0)
    for j in range(numbers.shape[0]):
        for i in range(left):
            difference = numbers[j, i] - centre[j]
            apart[i] += abs(difference) if absolute else difference * difference
    width = squares.shape[1]
    for j in range(codes.shape[0]):
        row = squares[j * width + middle[j]]
        for i in range(left):
            apart[i] += row[codes[j, i]]


@inner
def _farthest(apart: Floats, ids: Indices, left: int) -> int:
    """Position of the farthest record; the lowest index wins a tie."""
    best = 0
    for i in range(1, left):
        if apart[i] > apart[best] or (apart[i] == apart[best] and ids[i] < ids[best]):
            best = i
    return best


@inner
def _nearest(apart: Floats, ids: Indices, left: int, near: Indices) -> None:
    """Fill *near* with the positions of the nearest records; the lowest index wins a tie."""
    k = near.size
    found = 0
    for i in range(left):
        if found == k:
            last = near[k - 1]
            if apart[i] > apart[last] or (apart[i] == apart[last] and ids[i] > ids[last]):
                continue
        else:
            found += 1
        place = found - 1
        while place > 0 and (
            apart[near[place - 1]] > apart[i]
            or (apart[near[place - 1]] == apart[i] and ids[near[place - 1]] > ids[i])
        ):
            near[place] = near[place - 1]
            place -= 1
        near[place] = i


@inner
def _farthest_outside(apart: Floats, ids: Indices, left: int, near: Indices) -> int:
    inside = np.zeros(left, dtype=np.bool_)
    for i in range(near.size):
        inside[near[i]] = True
    best = -1
    for i in range(left):
        if inside[i]:
            continue
        if best < 0 or apart[i] > apart[best] or (apart[i] == apart[best] and ids[i] < ids[best]):
            best = i
    return best


@inner
def _middle(counts: Indices, ordered: int, domain: int) -> int:
    """The lower median category, or the mode, given category frequencies."""
    if not ordered:
        return int(np.argmax(counts))
    known = counts[:domain].sum()
    if counts[domain:].sum() > known:
        return domain
    reached = 0
    for code in range(domain):
        reached += counts[code]
        if 2 * reached >= known:
            return code
    return 0


@inner
def _take_out(
    numbers: Points,
    codes: Codes,
    ids: Indices,
    left: int,
    near: Indices,
    sums: Floats,
    counts: Indices,
    labels: Labels,
    group: int,
) -> int:
    """Label the records at *near* and remove them from arrays, sums and counts."""
    for position in sort(near)[::-1]:
        labels[ids[position]] = group
        left -= 1
        ids[position] = ids[left]
        for j in range(numbers.shape[0]):
            sums[j] -= numbers[j, position]
            numbers[j, position] = numbers[j, left]
        for j in range(codes.shape[0]):
            counts[j, codes[j, position]] -= 1
            codes[j, position] = codes[j, left]
    return left


@kernel(POINTS, CODE_ROWS, POINTS, INDICES, INDICES, INT64, INT64, BOOL)
def _mixed_mdav(
    given_numbers: Points,
    given_codes: Codes,
    squares: Points,
    ordered: Indices,
    domains: Indices,
    k: int,
    pairs_while: int,
    absolute: bool,
) -> Labels:
    """Loop of MDAV; long, as a kernel's state is its local arrays."""
    numbers, codes = given_numbers.copy(), given_codes.copy()
    p, q, n = numbers.shape[0], codes.shape[0], numbers.shape[1]
    sums = np.zeros(p)
    for j in range(p):
        for i in range(n):
            sums[j] += numbers[j, i]
    counts = np.zeros((q, squares.shape[1]), dtype=np.int64)
    for j in range(q):
        for i in range(n):
            counts[j, codes[j, i]] += 1
    ids = arange(n)
    labels = np.empty(n, dtype=np.int64)
    apart = np.empty(n)
    near = np.empty(k, dtype=np.int64)
    centre, opposite = np.empty(p), np.empty(p)
    middle, across = np.empty(q, dtype=np.int64), np.empty(q, dtype=np.int64)
    left, group = n, 0
    while left >= 2 * k:
        for j in range(p):
            centre[j] = sums[j] / left
        for j in range(q):
            middle[j] = _middle(counts[j], ordered[j], domains[j])
        _distances(numbers, codes, squares, left, centre, middle, absolute, apart)
        far = _farthest(apart, ids, left)
        copy_into(centre, numbers[:, far])
        copy_into(middle, codes[:, far])
        _distances(numbers, codes, squares, left, centre, middle, absolute, apart)
        _nearest(apart, ids, left, near)
        paired = left >= pairs_while * k
        if paired:
            far = _farthest_outside(apart, ids, left, near)
            copy_into(opposite, numbers[:, far])
            copy_into(across, codes[:, far])
        left = _take_out(numbers, codes, ids, left, near, sums, counts, labels, group)
        group += 1
        if paired:
            _distances(numbers, codes, squares, left, opposite, across, absolute, apart)
            _nearest(apart, ids, left, near)
            left = _take_out(numbers, codes, ids, left, near, sums, counts, labels, group)
            group += 1
    for i in range(left):
        labels[ids[i]] = group
    return labels
