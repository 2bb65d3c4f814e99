"""What measures are on average over all files that PRAM may draw, without drawing any.

Row i of a matrix holds the probabilities that category i becomes each of the categories; an
attribute without a matrix stays as it is. DBIL, ID and DBRL are exact. A count of CTBIL is a
sum of independent draws, taken as normal with its true mean and variance: its distance from
the original count is then a folded normal, whose mean is known. EBIL is taken from the means
and variances of the joint counts, to second order.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from math import prod

import numpy as np
from scipy.special import ndtr

from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.kernels.arrays import Codes, Floats, Points
from evomask.kernels.linkage import Rows, nearest_ties
from evomask.measures.categories import CategoricalColumn
from evomask.measures.pairing import categorical, continuous
from evomask.measures.risk.interval import CATEGORICAL_WINDOW
from evomask.measures.risk.linkage import expected as shared
from evomask.measures.risk.space import Space
from evomask.measures.trackable import Request

Matrices = Mapping[str, Points]

MOST_COMBINATIONS = 1 << 20
"""Masked records that linkage looks at, at most."""


def expectation(original: Table, request: Request, matrices: Matrices) -> float:
    """The expected value of a measure under PRAM, in percent."""
    if request.measure not in _EXPECTATIONS:
        raise ParameterError(
            f"{request.measure} has no expectation under PRAM; read the average of some draws"
        )
    _check(original, matrices)
    return _EXPECTATIONS[request.measure](original, request, matrices)


def _check(original: Table, matrices: Matrices) -> None:
    for name, matrix in matrices.items():
        if not original.attribute(name).is_categorical:
            raise SchemaError(f"{name!r} is continuous; PRAM changes categories, leave it out")
        size = len(original.attribute(name).categories)
        if matrix.shape != (size, size) or np.any(np.abs(matrix.sum(axis=1) - 1) > 1e-9):
            raise ParameterError(
                f"the matrix of {name!r} must have {size} rows and columns, and rows that sum to 1"
            )


def _columns(original: Table, request: Request) -> list[CategoricalColumn]:
    names = categorical(original.schema, request.attributes)
    return [CategoricalColumn.of(original, name) for name in names]


def _matrix(column: CategoricalColumn, matrices: Matrices) -> Points:
    return matrices.get(column.attribute.name, np.eye(column.size))


def _mean_cell(column: CategoricalColumn, matrices: Matrices, of_categories: Floats) -> float:
    """Mean over records of what a table of original against masked categories holds."""
    found = column.counts @ (_matrix(column, matrices) * of_categories).sum(axis=1)
    return float(found) / len(column.codes)


def _distance(original: Table, request: Request, matrices: Matrices) -> float:
    """DBIL; numbers stay, so they add nothing."""
    columns = _columns(original, request)
    total = sum(_mean_cell(c, matrices, c.distances) for c in columns)
    return 100.0 * total / len(request.attributes)


def _interval(original: Table, request: Request, matrices: Matrices) -> float:
    """ID; numbers stay, so all of them are within any interval."""
    columns = _columns(original, request)
    percent = CATEGORICAL_WINDOW if request.window is None else request.window
    window = percent / 100 * len(original)
    total = sum(_mean_cell(c, matrices, c.nearness(window).astype(np.float64)) for c in columns)
    n_numbers = len(request.attributes) - len(columns)
    return 100.0 * (total + n_numbers) / len(request.attributes)


def _entropy(original: Table, request: Request, matrices: Matrices) -> float:
    """EBIL by the means and variances of the joint counts."""
    parts = [_relative_entropy(c, _matrix(c, matrices)) for c in _columns(original, request)]
    return 100.0 * float(np.mean(parts))


def _relative_entropy(column: CategoricalColumn, matrix: Points) -> float:
    if column.size < 2:
        return 0.0
    joint = column.counts[:, None] * matrix
    spread = joint * (1 - matrix)
    own = _log_of_count(joint - matrix, spread - matrix * (1 - matrix))
    arriving, widely = joint.sum(axis=0) - matrix, spread.sum(axis=0) - matrix * (1 - matrix)
    entropy = float(np.sum(joint * (_log_of_count(arriving, widely) - own)))
    return max(0.0, entropy / len(column.codes) / float(np.log(column.size)))


def _log_of_count(others: Floats, variances: Floats) -> Floats:
    """E log(1 + X) for a count X of others with this mean and variance, to second order.

    A mean of N log N over draws is that of log(1 + X) over the records counted, X being how
    many others are: so rare categories do no harm.
    """
    counts = 1 + np.maximum(others, 0.0)
    logarithms: Floats = np.log(counts) - np.maximum(variances, 0.0) / (2 * counts**2)
    return logarithms


def _contingency(original: Table, request: Request, matrices: Matrices) -> float:
    """CTBIL by the folded normal of each count."""
    columns = _columns(original, request)
    total, tables = 0.0, 0
    for order in range(1, min(request.dimension, len(columns)) + 1):
        for chosen in combinations(columns, order):
            total += _expected_difference(chosen, matrices)
            tables += 1
    return 50.0 * total / (len(original) * tables)


def _expected_difference(columns: Sequence[CategoricalColumn], matrices: Matrices) -> float:
    sizes = tuple(column.size for column in columns)
    keys = np.ravel_multi_index(tuple(column.codes for column in columns), sizes)
    before = np.bincount(keys, minlength=prod(sizes)).reshape(sizes).astype(np.float64)
    mean, squares = before, before
    for axis, column in enumerate(columns):
        matrix = _matrix(column, matrices)
        mean = np.moveaxis(np.tensordot(mean, matrix, (axis, 0)), -1, axis)
        squares = np.moveaxis(np.tensordot(squares, matrix**2, (axis, 0)), -1, axis)
    return float(folded_normal_means(mean - before, mean - squares).sum())


def folded_normal_means(means: Floats, variances: Floats) -> Floats:
    """E |X| for normal X; |mean| where the variance is 0 but for rounding."""
    spread = np.sqrt(np.maximum(variances, 0.0))
    varies = spread > 1e-9
    scores = np.divide(means, spread, out=np.zeros_like(means), where=varies)
    folded = spread * np.sqrt(2 / np.pi) * np.exp(-(scores**2) / 2)
    folded += means * (1 - 2 * ndtr(-scores))
    return np.where(varies, folded, np.abs(means))


def _linkage(original: Table, request: Request, matrices: Matrices) -> float:
    """DBRL over all masked records that can be drawn."""
    if continuous(original.schema, request.attributes):
        raise SchemaError("linkage has an expectation for categories alone; leave numbers out")
    space = Space.of(original, request.attributes)
    masked = _combinations(space, matrices)
    candidates, _ = space.candidates
    terms = space.terms(space.masked(original))
    targets = Rows(np.empty((len(masked), 0)), np.empty((len(masked), 0)), masked)
    ends, found = nearest_ties(targets, np.full(len(masked), np.nan), candidates, terms)
    who = np.repeat(np.arange(len(masked)), np.diff(ends))
    ties = np.bincount(who, weights=candidates.counts[found]).astype(np.int64)
    chance = _chances(space, candidates.rows.codes[found], masked[who], matrices)
    weights = (request.ties or shared)(ties)[who]
    return 100.0 * float(np.sum(weights * candidates.counts[found] * chance)) / len(original)


def _combinations(space: Space, matrices: Matrices) -> Codes:
    """All masked records that can be drawn, or more."""
    reached = [
        np.flatnonzero(_matrix(column, matrices)[column.counts > 0].any(axis=0))
        for column in space.categories
    ]
    count = prod(len(codes) for codes in reached)
    if count > MOST_COMBINATIONS:
        raise ParameterError(
            f"linkage would have to look at {count} masked records; read some draws instead"
        )
    grid = np.meshgrid(*reached, indexing="ij")
    return np.column_stack([axis.ravel() for axis in grid]).astype(np.int32)


def _chances(space: Space, before: Codes, after: Codes, matrices: Matrices) -> Floats:
    """Probability that one record becomes another, for each pair of rows."""
    chance = np.ones(len(before))
    for j, column in enumerate(space.categories):
        chance *= _matrix(column, matrices)[before[:, j], after[:, j]]
    return chance


def _loss(original: Table, request: Request, matrices: Matrices) -> float:
    """The categories' mean of CTBIL, DBIL and EBIL; numbers stay."""
    names = categorical(original.schema, request.attributes)
    if not names:
        return 0.0
    own = Request(request.measure, names)
    parts = [part(original, own, matrices) for part in (_contingency, _distance, _entropy)]
    return float(np.mean(parts)) * len(names) / len(request.attributes)


def _papers(original: Table, request: Request, matrices: Matrices) -> float:
    """Half ID and half DBRL."""
    parts = (_interval, _linkage)
    return float(np.mean([part(original, request, matrices) for part in parts]))


_EXPECTATIONS: Mapping[str, Callable[[Table, Request, Matrices], float]] = {
    "dbil": _distance, "id": _interval, "ebil": _entropy, "ctbil": _contingency,
    "dbrl": _linkage, "loss": _loss, "risk-papers": _papers,
}  # fmt: skip
