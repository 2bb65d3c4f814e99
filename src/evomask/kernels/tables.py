"""Contingency tables of coded columns: counts, and the part that the marginals do not explain."""

import numpy as np

from evomask.kernels.jit import CODE_ROWS, CODES, FLOATS, INDEX_ROWS, INDICES, INT64, kernel
from evomask.types import Codes, Floats, Indices


@kernel(CODE_ROWS, INDEX_ROWS, FLOATS, INT64)
def count_pairs(codes: Codes, tables: Indices, weights: Floats, cells: int) -> Floats:
    """Return the weighted counts of tables of two columns, one after another.

    Args:
        codes: a column a row.
        tables: for each table its two columns, its first cell, and the number of codes of the
            second column.
        cells: number of cells of all tables.

    Cost is O(tables · records).
    """
    counts = np.zeros(cells)
    for t in range(tables.shape[0]):
        first, second = tables[t, 0], tables[t, 1]
        start, width = tables[t, 2], tables[t, 3]
        for r in range(codes.shape[1]):
            counts[start + codes[first, r] * width + codes[second, r]] += weights[r]
    return counts


@kernel(CODES, CODES, CODES, FLOATS)
def weight_moved(before: Codes, after: Codes, bins: Codes, weights: Floats) -> float:
    """Return the weight of the records whose code is in another bin than before."""
    moved = 0.0
    for r in range(before.size):
        if bins[before[r]] != bins[after[r]]:
            moved += weights[r]
    return moved


@kernel(CODE_ROWS, INDEX_ROWS, FLOATS, INT64)
def count_triples(codes: Codes, tables: Indices, weights: Floats, cells: int) -> Floats:
    """Return the weighted counts of tables of three columns, one after another.

    Args:
        codes: a column a row.
        tables: for each table its three columns, its first cell, and the numbers of codes of the
            second and third column.
        cells: number of cells of all tables.

    Cost is O(tables · records).
    """
    counts = np.zeros(cells)
    for t in range(tables.shape[0]):
        first, second, third = tables[t, 0], tables[t, 1], tables[t, 2]
        start, width, depth = tables[t, 3], tables[t, 4], tables[t, 5]
        for r in range(codes.shape[1]):
            row = codes[first, r] * width + codes[second, r]
            counts[start + row * depth + codes[third, r]] += weights[r]
    return counts


@kernel(CODE_ROWS, INDEX_ROWS, FLOATS, INT64, INDICES, INDICES, INDICES, FLOATS)
def divide_among_triples(
    codes: Codes, tables: Indices, weights: Floats, cells: int,
    offsets: Indices, ends: Indices, bins: Indices, shares: Floats,
) -> Floats:  # fmt: skip
    """Return the same for cells that belong to several bins, by their shares.

    Args:
        codes: cell of each record, a column a row.
        tables: for each table its three columns, its first cell, and the numbers of bins of the
            second and third column.
        offsets, ends: cell c of column j belongs to ``bins[ends[i]:ends[i + 1]]``, with these
            *shares*, where i is ``offsets[j] + c``.

    Cost is O(tables · records · bins of a cell to the third).
    """
    counts = np.zeros(cells)
    for t in range(tables.shape[0]):
        first, second, third = tables[t, 0], tables[t, 1], tables[t, 2]
        start, width, depth = tables[t, 3], tables[t, 4], tables[t, 5]
        for r in range(codes.shape[1]):
            i = offsets[first] + codes[first, r]
            j = offsets[second] + codes[second, r]
            k = offsets[third] + codes[third, r]
            for a in range(ends[i], ends[i + 1]):
                for b in range(ends[j], ends[j + 1]):
                    share = weights[r] * shares[a] * shares[b]
                    row = start + (bins[a] * width + bins[b]) * depth
                    for c in range(ends[k], ends[k + 1]):
                        counts[row + bins[c]] += share * shares[c]
    return counts


@kernel(FLOATS, INDEX_ROWS)
def pair_products(shares: Floats, tables: Indices) -> Floats:
    """Return the product of the marginals in each cell of tables of two columns.

    Args:
        tables: for each table its first cell, and its numbers of rows and of columns.
    """
    products = np.zeros(shares.size)
    for t in range(tables.shape[0]):
        start, rows, width = tables[t, 0], tables[t, 1], tables[t, 2]
        across = np.zeros(rows)
        down = np.zeros(width)
        for i in range(rows):
            for j in range(width):
                share = shares[start + i * width + j]
                across[i] += share
                down[j] += share
        for i in range(rows):
            for j in range(width):
                products[start + i * width + j] = across[i] * down[j]
    return products


@kernel(FLOATS, INDEX_ROWS)
def triple_products(shares: Floats, tables: Indices) -> Floats:
    """Return the product of the marginals in each cell of tables of three columns.

    Args:
        tables: for each table its first cell, its numbers of codes, and the column whose marginal
            is multiplied by the joint shares of the other two, or -1 for three marginals.
    """
    products = np.zeros(shares.size)
    for t in range(tables.shape[0]):
        start, rows, width, depth = tables[t, 0], tables[t, 1], tables[t, 2], tables[t, 3]
        apart = tables[t, 4]
        first, second, third = np.zeros(rows), np.zeros(width), np.zeros(depth)
        others = np.zeros((max(rows, width), max(width, depth)))
        for i in range(rows):
            for j in range(width):
                for k in range(depth):
                    share = shares[start + (i * width + j) * depth + k]
                    first[i] += share
                    second[j] += share
                    third[k] += share
                    if apart == 0:
                        others[j, k] += share
                    elif apart == 1:
                        others[i, k] += share
                    elif apart == 2:
                        others[i, j] += share
        for i in range(rows):
            for j in range(width):
                for k in range(depth):
                    if apart == 0:
                        product = first[i] * others[j, k]
                    elif apart == 1:
                        product = second[j] * others[i, k]
                    elif apart == 2:
                        product = third[k] * others[i, j]
                    else:
                        product = first[i] * second[j] * third[k]
                    products[start + (i * width + j) * depth + k] = product
    return products
