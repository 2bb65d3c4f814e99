"""Small random changes of transition matrices that keep what must be kept.

Matrices stand flat, attribute after attribute. A plain matrix keeps its row sums, its band and
the range of its diagonal. An invariant one changes by flows: as many records go from i to j
as from j to i, so expected frequencies stay.
"""

from typing import NamedTuple

from evomask.arrays import Floats, Indices
from evomask.kernels.compiler import (
    FLOATS,
    OWN_FLOATS,
    OWN_INDICES,
    REAL,
    TRUTH,
    WHOLE,
    bundle,
    inner,
    kernel,
)
from evomask.kernels.generator import State, below, started, unit

TRIES = 20
"""Attempts to find a change that is allowed, after which the matrices stay as they are."""


class Bounds(NamedTuple):
    """What changes keep to."""

    sizes: Indices
    squares: Indices
    """Where an attribute's square begins in a list of all squares."""

    starts: Indices
    """Where an attribute's first category stands in a list of all categories."""

    shares: Floats
    """Of the records, for each category."""

    allowed: Indices
    """1 where a category may become another, square after square."""

    low: Floats
    high: Floats
    """Of the diagonal, for each attribute."""

    free: Indices
    """1 for each attribute in which whole rows and columns may change places."""

    invariant: bool


BOUNDS = bundle(
    Bounds, *[OWN_INDICES] * 3, OWN_FLOATS, OWN_INDICES, OWN_FLOATS, OWN_FLOATS, OWN_INDICES, TRUTH
)


@inner
def _amount(most: float, reach: float, state: State) -> float:
    """How much to move: all that can be, or a part of up to *reach*."""
    return most if unit(state) < 0.25 else min(most, reach * unit(state))


@inner
def _other(size: int, i: int, state: State) -> int:
    return (i + 1 + below(state, size - 1)) % size


@inner
def _transfer(child: Floats, bounds: Bounds, a: int, reach: float, state: State) -> bool:
    """Probability moves from one cell of a row to another."""
    size = bounds.sizes[a]
    i = below(state, size)
    row = bounds.squares[a] + i * size
    j = below(state, size)
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
def _swap_cells(child: Floats, bounds: Bounds, a: int, state: State) -> bool:
    """Two cells of a row change places."""
    size = bounds.sizes[a]
    i, j = below(state, size), below(state, size)
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
def _swap_lines(child: Floats, bounds: Bounds, a: int, state: State) -> bool:
    """Two rows, or two columns, change places."""
    size = bounds.sizes[a]
    j = below(state, size)
    k = _other(size, j, state)
    across, along = (size, 1) if unit(state) < 0.5 else (1, size)
    for cell in range(size):
        one = bounds.squares[a] + j * across + cell * along
        other = bounds.squares[a] + k * across + cell * along
        child[one], child[other] = child[other], child[one]
    return True


@inner
def _flow(child: Floats, bounds: Bounds, a: int, ends: tuple[int, int], more: float) -> None:
    """More records go from one category to another, and as many back."""
    i, j = ends
    size, start = bounds.sizes[a], bounds.starts[a]
    for origin, goal in ((i, j), (j, i)):
        row = bounds.squares[a] + origin * size
        chance = more / bounds.shares[start + origin]
        child[row + goal] = max(0.0, child[row + goal] + chance)
        child[row + origin] -= chance


@inner
def _may_grow(child: Floats, bounds: Bounds, a: int, i: int) -> float:
    """By how much the flow out of a category may grow."""
    stays = child[bounds.squares[a] + i * (bounds.sizes[a] + 1)]
    return max(0.0, stays - bounds.low[a]) * bounds.shares[bounds.starts[a] + i]


@inner
def _may_shrink(child: Floats, bounds: Bounds, a: int, i: int) -> float:
    """By how much the flow out of a category may shrink."""
    stays = child[bounds.squares[a] + i * (bounds.sizes[a] + 1)]
    return max(0.0, bounds.high[a] - stays) * bounds.shares[bounds.starts[a] + i]


@inner
def _held(child: Floats, bounds: Bounds, a: int, i: int, j: int) -> float:
    """The flow between two categories."""
    cell = bounds.squares[a] + i * bounds.sizes[a] + j
    return child[cell] * bounds.shares[bounds.starts[a] + i]


@inner
def _flow_changes(child: Floats, bounds: Bounds, a: int, reach: float, state: State) -> bool:
    """The flow between two categories grows or shrinks, or goes to a third instead."""
    size, start = bounds.sizes[a], bounds.starts[a]
    i = below(state, size)
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
    kind = below(state, 3)
    if kind == 0:
        most = min(_may_grow(child, bounds, a, i), _may_grow(child, bounds, a, j))
        more = _amount(most, scale, state)
        _flow(child, bounds, a, (i, j), more)
        return more > 0
    most = min(_held(child, bounds, a, i, j), _may_shrink(child, bounds, a, j))
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
def _changed(child: Floats, bounds: Bounds, a: int, reach: float, state: State) -> bool:
    if bounds.sizes[a] < 2:
        return False
    if bounds.invariant:
        return _flow_changes(child, bounds, a, reach, state)
    kind = below(state, 10)
    if kind < 7:
        return _transfer(child, bounds, a, reach, state)
    if kind < 9 or not bounds.free[a]:
        return _swap_cells(child, bounds, a, state)
    return _swap_lines(child, bounds, a, state)


@kernel(FLOATS, BOUNDS, REAL, WHOLE)
def changed_at_random(matrices: Floats, bounds: Bounds, reach: float, seed: int) -> Floats:
    """The matrices after one small change, of up to *reach* or of all there is to move."""
    child = matrices.copy()
    state = started(seed)
    for _ in range(TRIES):
        if _changed(child, bounds, below(state, bounds.sizes.size), reach, state):
            break
    return child
