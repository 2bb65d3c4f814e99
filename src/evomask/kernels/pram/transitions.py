"""Mutation of PRAM transition matrices under constraints.

Matrices are flat, attribute by attribute. A plain matrix keeps its row sums, its band and the range
of its diagonal. An invariant one changes by flows: the same number of records moves from i to j as
from j to i, so expected frequencies are preserved.
"""

from typing import NamedTuple

from evomask.kernels.generator import RandomState, draw_below, draw_unit, seed_state
from evomask.kernels.jit import (
    BOOL,
    FLOAT64,
    FLOATS,
    INT64,
    RW_FLOATS,
    RW_INDICES,
    bundle,
    inner,
    kernel,
)
from evomask.types import Floats, Indices

TRIES = 20
"""Attempts to find a valid change, after which the matrices remain unchanged."""


class Bounds(NamedTuple):
    """Constraints of transition matrices.

    Args:
        squares: start of each attribute's matrix in a list of all.
        starts: start of each attribute in a list of all categories.
        shares: relative frequency of each category.
        allowed: 1 where a category may become another, matrix by matrix.
        high: limits of the diagonal, for each attribute.
        free: 1 for each attribute whose rows and columns may be exchanged.
    """

    sizes: Indices
    squares: Indices
    starts: Indices
    shares: Floats
    allowed: Indices
    low: Floats
    high: Floats
    free: Indices
    invariant: bool


BOUNDS = bundle(
    Bounds, *[RW_INDICES] * 3, RW_FLOATS, RW_INDICES, RW_FLOATS, RW_FLOATS, RW_INDICES, BOOL
)


@inner
def _amount(most: float, reach: float, state: RandomState) -> float:
    """Amount to move: the maximum, or a random part of up to *reach*."""
    return most if draw_unit(state) < 0.25 else min(most, reach * draw_unit(state))


@inner
def _other(size: int, i: int, state: RandomState) -> int:
    return (i + 1 + draw_below(state, size - 1)) % size


@inner
def _transfer(child: Floats, bounds: Bounds, a: int, reach: float, state: RandomState) -> bool:
    """Move probability from one cell of a row to another."""
    size = bounds.sizes[a]
    i = draw_below(state, size)
    row = bounds.squares[a] + i * size
    j = draw_below(state, size)
    k = _other(size, j, state)
    most = child[row + j]
    if j == i:
        most -= bounds.low[a]
    if k == i:
        most = min(most, bounds.high[a] - child[row + i])
    if bounds.shares[bounds.starts[a] + i] <= 0 or bounds.allowed[row + k] == 0 or most <= 0:
        return False
    moved = _amount(most, reach, state)
    child[row + j] = max(0.0, child[row + j] - moved)
    child[row + k] += moved
    return True


@inner
def _swap_cells(child: Floats, bounds: Bounds, a: int, state: RandomState) -> bool:
    """Exchange two cells of a row."""
    size = bounds.sizes[a]
    i, j = draw_below(state, size), draw_below(state, size)
    k = _other(size, j, state)
    row = bounds.squares[a] + i * size
    if bounds.allowed[row + j] * bounds.allowed[row + k] == 0 or child[row + j] == child[row + k]:
        return False
    if i in (j, k):
        comes = child[row + j + k - i]
        if comes < bounds.low[a] or comes > bounds.high[a]:
            return False
    child[row + j], child[row + k] = child[row + k], child[row + j]
    return True


@inner
def _swap_lines(child: Floats, bounds: Bounds, a: int, state: RandomState) -> bool:
    """Exchange two rows or two columns."""
    size = bounds.sizes[a]
    j = draw_below(state, size)
    k = _other(size, j, state)
    across, along = (size, 1) if draw_unit(state) < 0.5 else (1, size)
    for cell in range(size):
        one = bounds.squares[a] + j * across + cell * along
        other = bounds.squares[a] + k * across + cell * along
        child[one], child[other] = child[other], child[one]
    return True


@inner
def _flow(child: Floats, bounds: Bounds, a: int, ends: tuple[int, int], more: float) -> None:
    """Increase the flow between two categories, in both directions."""
    i, j = ends
    size, start = bounds.sizes[a], bounds.starts[a]
    for origin, goal in ((i, j), (j, i)):
        row = bounds.squares[a] + origin * size
        chance = more / bounds.shares[start + origin]
        child[row + goal] = max(0.0, child[row + goal] + chance)
        child[row + origin] -= chance


@inner
def _may_grow(child: Floats, bounds: Bounds, a: int, i: int) -> float:
    """Maximum increase of the flow out of a category."""
    stays = child[bounds.squares[a] + i * (bounds.sizes[a] + 1)]
    return max(0.0, stays - bounds.low[a]) * bounds.shares[bounds.starts[a] + i]


@inner
def _may_shrink(child: Floats, bounds: Bounds, a: int, i: int) -> float:
    """Maximum decrease of the flow out of a category."""
    stays = child[bounds.squares[a] + i * (bounds.sizes[a] + 1)]
    return max(0.0, bounds.high[a] - stays) * bounds.shares[bounds.starts[a] + i]


@inner
def _flow_changes(child: Floats, bounds: Bounds, a: int, reach: float, state: RandomState) -> bool:
    """Increase or decrease the flow between two categories, or redirect it to a third."""
    size, start = bounds.sizes[a], bounds.starts[a]
    i = draw_below(state, size)
    j = _other(size, i, state)
    k = _other(size, i, state)
    cell = bounds.squares[a] + i * size
    if (
        bounds.shares[start + i] <= 0
        or bounds.shares[start + j] <= 0
        or bounds.allowed[cell + j] == 0
    ):
        return False
    scale = reach * bounds.shares[start + i]
    kind = draw_below(state, 3)
    if kind == 0:
        most = min(_may_grow(child, bounds, a, i), _may_grow(child, bounds, a, j))
        more = _amount(most, scale, state)
        _flow(child, bounds, a, (i, j), more)
        return more > 0
    most = min(child[cell + j] * bounds.shares[start + i], _may_shrink(child, bounds, a, j))
    if kind == 1:
        more = _amount(min(most, _may_shrink(child, bounds, a, i)), scale, state)
        _flow(child, bounds, a, (i, j), -more)
        return more > 0
    if k == j or bounds.shares[start + k] <= 0 or bounds.allowed[cell + k] == 0:
        return False
    more = _amount(min(most, _may_grow(child, bounds, a, k)), scale, state)
    _flow(child, bounds, a, (i, j), -more)
    _flow(child, bounds, a, (i, k), more)
    return more > 0


@inner
def _mutate(child: Floats, bounds: Bounds, a: int, reach: float, state: RandomState) -> bool:
    if bounds.sizes[a] < 2:
        return False
    if bounds.invariant:
        return _flow_changes(child, bounds, a, reach, state)
    kind = draw_below(state, 10)
    if kind < 7:
        return _transfer(child, bounds, a, reach, state)
    if kind < 9 or not bounds.free[a]:
        return _swap_cells(child, bounds, a, state)
    return _swap_lines(child, bounds, a, state)


@kernel(FLOATS, BOUNDS, FLOAT64, INT64)
def mutate_matrices(matrices: Floats, bounds: Bounds, reach: float, seed: int) -> Floats:
    """Return the matrices after one random change of up to *reach*; O(categories) a change."""
    child = matrices.copy()
    state = seed_state(seed)
    for _ in range(TRIES):
        if _mutate(child, bounds, draw_below(state, bounds.sizes.size), reach, state):
            break
    return child
