"""Linear assignment: rows and columns of a square matrix paired off for the largest sum."""

import numpy as np

from evomask.arrays import Indices
from evomask.kernels.compiler import INDEX_ROWS, inner, kernel
from evomask.kernels.filled import wholes

FAR = int(np.iinfo(np.int64).max)
"""Farther than any row is from a column."""


def best_rows(weights: Indices) -> Indices:
    """For each column of a square matrix of whole numbers its row in a best pairing.

    Deterministic: equal matrices give equal pairings. Cost is O(k³), by shortest augmenting
    paths (Kuhn's Hungarian method).
    """
    return _best_rows(np.ascontiguousarray(weights, dtype=np.int64))


@inner
def pair_off(weights: Indices) -> Indices:
    """The same for kernels."""
    k = weights.shape[0]
    rows, row_prices, column_prices = wholes(k + 1, -1), wholes(k, 0), wholes(k + 1, 0)
    for row in range(k):
        rows[k] = row
        _augment(weights, rows, row_prices, column_prices)
    return rows[:k]


@inner
def _augment(weights: Indices, rows: Indices, row_prices: Indices, column_prices: Indices) -> None:
    """Pair one more row, which waits in the column behind the last."""
    k = weights.shape[0]
    shortest, behind = wholes(k, FAR), wholes(k, k)
    done = wholes(k + 1, 0)
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
def _best_rows(weights: Indices) -> Indices:
    return pair_off(weights)
