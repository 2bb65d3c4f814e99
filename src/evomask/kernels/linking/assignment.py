"""Linear assignment: one-to-one pairing of rows and columns with the largest sum."""

import numpy as np

from evomask.kernels.compiler.arrays import full_ints
from evomask.kernels.jit import INDEX_ROWS, inner, kernel
from evomask.types import Indices

FAR = int(np.iinfo(np.int64).max)
"""Larger than any reduced cost."""


def assign_rows(weights: Indices) -> Indices:
    """Return for each column of a square integer matrix its row in a best assignment.

    Deterministic: equal matrices give equal assignments. Cost is O(k³), by shortest augmenting
    paths (Hungarian method).
    """
    return _assign_rows(np.ascontiguousarray(weights, dtype=np.int64))


@inner
def solve_assignment(weights: Indices) -> Indices:
    """Return what `assign_rows` returns; for kernels."""
    k = weights.shape[0]
    rows, row_prices, column_prices = full_ints(k + 1, -1), full_ints(k, 0), full_ints(k + 1, 0)
    for row in range(k):
        rows[k] = row
        _augment(weights, rows, row_prices, column_prices)
    return rows[:k]


@inner
def _augment(weights: Indices, rows: Indices, row_prices: Indices, column_prices: Indices) -> None:
    """Assign one more row, which is in the extra column k."""
    k = weights.shape[0]
    shortest, behind = full_ints(k, FAR), full_ints(k, k)
    done = full_ints(k + 1, 0)
    column = k
    while rows[column] >= 0:
        done[column] = 1
        row = rows[column]
        step, following = FAR, -1
        for c in range(k):
            if not done[c]:
                reach = -weights[row, c] - row_prices[row] - column_prices[c]
                if reach < shortest[c]:
                    shortest[c] = reach
                    behind[c] = column
                if shortest[c] < step:
                    step = shortest[c]
                    following = c
        for c in range(k + 1):
            if done[c]:
                row_prices[rows[c]] += step
                column_prices[c] -= step
            else:
                shortest[c] -= step
        column = following
    while column != k:
        rows[column] = rows[behind[column]]
        column = behind[column]


@kernel(INDEX_ROWS)
def _assign_rows(weights: Indices) -> Indices:
    return solve_assignment(weights)
