"""Synthetic records from a Gaussian copula: every column by itself, and how columns go together.

Each column is turned into normal scores by its ranks, equal values by chance; the correlations of
the scores are kept, new scores are drawn from them, and turned back by the column's own
distribution. Nothing else of the file is kept, and no record is copied.
"""

from collections.abc import Sequence

import numpy as np

from evomask.arrays import Floats, Points
from evomask.data.schema import Attribute
from evomask.data.table import Column, Table

NEARLY_SINGULAR = 1e-9
"""Least eigenvalue of a matrix of correlations that is drawn from."""


def synthetic(table: Table, names: Sequence[str], rng: np.random.Generator) -> Table:
    """As many records as *table* has, with the named columns drawn anew, all others as they are.

    Numbers lie between neighbours among the values there are, rounded as the attribute is; a value
    is missing as often as in the file, and by itself.
    """
    scores = np.column_stack([_scores(table, name, rng) for name in names])
    drawn = rng.standard_normal(scores.shape) @ _root(scores).T
    columns = {
        name: _column(table.attribute(name), table[name], _shares(drawn[:, place]), rng)
        for place, name in enumerate(names)
    }
    return table.with_columns(columns)


def _scores(table: Table, name: str, rng: np.random.Generator) -> Floats:
    """Normal scores of a column; equal values, and missing ones, lie where chance puts them."""
    from scipy.special import ndtri

    column = np.asarray(table[name], dtype=np.float64)
    filled = np.where(np.isnan(column), rng.permutation(_known(column, len(column))), column)
    order = np.lexsort((rng.random(len(filled)), filled))
    ranks = np.empty(len(filled))
    ranks[order] = (np.arange(len(filled)) + 0.5) / len(filled)
    scores: Floats = ndtri(ranks)
    return scores


def _known(column: Floats, length: int) -> Floats:
    """Known values again and again, so many; zeros where none is known."""
    known = column[~np.isnan(column)]
    return np.resize(known, length) if len(known) else np.zeros(length)


def _root(scores: Points) -> Points:
    """A matrix whose product with its transpose is the correlation of the scores."""
    correlations = np.atleast_2d(np.corrcoef(scores, rowvar=False))
    values, vectors = np.linalg.eigh(np.nan_to_num(correlations))
    root: Points = vectors * np.sqrt(np.maximum(values, NEARLY_SINGULAR))
    return root


def _shares(scores: Floats) -> Floats:
    """Where scores lie among all of a normal distribution, from 0 to 1."""
    from scipy.special import ndtr

    shares: Floats = ndtr(scores)
    return shares


def _column(
    attribute: Attribute, before: Column, shares: Floats, rng: np.random.Generator
) -> Column:
    """Values that lie at so large shares of the column's own distribution."""
    if attribute.is_categorical:
        places = np.minimum((shares * len(before)).astype(np.int64), len(before) - 1)
        codes: Column = np.sort(before)[places]
        return codes
    values = np.sort(_known(before, len(before)))
    drawn = np.interp(shares * (len(values) - 1), np.arange(len(values)), values)
    drawn = drawn if attribute.decimals is None else np.round(drawn, attribute.decimals)
    return np.where(rng.permutation(np.isnan(before)), np.nan, drawn)
