"""What unread nodes are probably worth, from those that were read.

Each objective is a ridge regression on which levels are reached, one by one and in pairs:
the chance that two records agree is nearly a product over attributes, so logarithms of class
sizes are nearly sums. What is known of a node without reading it is put in: its loss with no
record suppressed, and that k grows with every level.
"""

from dataclasses import dataclass, replace

import numpy as np

from evomask.arrays import Flags, Floats, Points
from evomask.kernels.lattice.bounds import bounds_between
from evomask.kernels.lattice.classes import Rows
from evomask.kernels.lattice.nodes import LOSSES
from evomask.searches.generalization.figures import Figures
from evomask.searches.generalization.indices import Index
from evomask.searches.generalization.lattice import Lattice
from evomask.searches.generalization.reader import Objectives

RIDGE = (2e-8, 4e-4, 1e-2)
"""Penalties of the constant, of single levels and of pairs."""

WIDE = 100.0
"""A user's own objective whose values differ by this factor is predicted by its logarithm."""


@dataclass(frozen=True, eq=False)
class Prediction:
    """Nodes on scales where smaller is better and steps are alike.

    Args:
        read: the nodes that were read.
        expected: the others.
        doubt: for each objective the size of a usual error.
        hopes: the best that the others can be; minus infinity where nothing bounds them.
        fears: the worst that they can be; infinity where nothing bounds them.
        steps: half the least difference between two values, 0 where it is not known.
    """

    read: Points
    expected: Points
    doubt: Floats
    hopes: Points
    fears: Points
    steps: Floats

    def of(self, some: Flags) -> "Prediction":
        """The same for some of the others."""
        expected, hopes, fears = self.expected[some], self.hopes[some], self.fears[some]
        return replace(self, expected=expected, hopes=hopes, fears=fears)


def limited(
    objectives: Objectives, predicted: Prediction, values: Points, best: Points
) -> Prediction:
    """The same where others can be no better than *best*; NaN: nothing is known.

    Args:
        values: of the read nodes.
    """
    bounds = _scaled(objectives, best, _logarithmic(objectives, values))
    bounds = np.where(np.isnan(best), -np.inf, bounds)
    hopes = np.maximum(predicted.hopes, bounds)
    return replace(predicted, hopes=hopes, expected=np.maximum(predicted.expected, hopes))


def predict(objectives: Objectives, known: Rows, values: Points, others: Rows) -> Prediction:
    """What *others* are probably worth, given the *values* of the *known* nodes."""
    logs = _logarithmic(objectives, values)
    read = _scaled(objectives, values, logs)
    free_known = _scaled(objectives, _free(objectives, known), logs)
    free_others = _scaled(objectives, _free(objectives, others), logs)
    separable = _separable(objectives)
    offset = np.where(separable, free_known, 0.0)
    shape = objectives.lattice.shape
    weights, doubt = ridge(features(known, shape), read - offset, penalties(shape))
    guess = evaluated(weights, others, shape)
    expected = guess + np.where(separable, free_others, 0.0)
    hopes = np.where(separable, free_others, -np.inf)
    fears = np.full_like(hopes, np.inf)
    _bound(objectives, known, read, others, expected, hopes, fears)
    whole = np.all(values == np.round(values), axis=0) & ~logs
    return Prediction(read, expected, doubt, hopes, fears, np.where(whole, 0.5, 0.0))


def _logarithmic(objectives: Objectives, values: Points) -> Flags:
    """Which objectives are predicted by their logarithms."""
    least = values.min(axis=0)
    wide = values.max(axis=0) > WIDE * least
    known = [
        i.product if isinstance(i, Index) else w
        for i, w in zip(objectives.indices, wide, strict=True)
    ]
    logarithmic: Flags = np.array(known) & (least > 0)
    return logarithmic


def _scaled(objectives: Objectives, values: Points, logs: Flags) -> Points:
    signs = np.where([index.more for index in objectives.indices], -1.0, 1.0)
    scaled: Points = signs * np.where(logs, np.log(np.maximum(values, 1e-300)), values)
    return scaled


def _separable(objectives: Objectives) -> Flags:
    return np.array([isinstance(i, Index) and i.separable for i in objectives.indices])


def _free(objectives: Objectives, nodes: Rows) -> Points:
    """The objectives that add up over attributes, as they are with no record suppressed."""
    columns = np.ones((len(nodes), len(objectives.indices)))
    figures = _unsuppressed(objectives.lattice, nodes)
    for c, index in enumerate(objectives.indices):
        if isinstance(index, Index) and index.separable:
            columns[:, c] = index.read(figures)
    return columns


def _unsuppressed(lattice: Lattice, nodes: Rows) -> Figures:
    losses = lattice.bases[np.arange(nodes.shape[1]), nodes]
    whole = np.zeros((len(nodes), LOSSES + nodes.shape[1]), dtype=np.int64)
    whole[:, LOSSES:] = losses
    real = np.zeros((len(nodes), 3))
    return Figures(
        nodes, whole, real, lattice.layout.full, lattice.heights, lattice.n_records
    )  # fmt: skip


def features(nodes: Rows, shape: tuple[int, ...]) -> Points:
    """1, which levels are reached, and which pairs of levels of two attributes are."""
    reached = _reached(nodes, shape)
    first, second = _pairs(shape)
    return np.hstack([np.ones((len(nodes), 1)), reached, reached[:, first] * reached[:, second]])


def _reached(nodes: Rows, shape: tuple[int, ...]) -> Points:
    flags = [nodes[:, [a]] >= np.arange(1, levels) for a, levels in enumerate(shape)]
    return np.concatenate(flags, axis=1).astype(np.float64)


def evaluated(weights: Points, nodes: Rows, shape: tuple[int, ...]) -> Points:
    """Features times weights for many nodes, pairs as a quadratic form."""
    reached = _reached(nodes, shape)
    singles = reached.shape[1]
    pairs = np.zeros((weights.shape[1], singles, singles))
    pairs[:, *_pairs(shape)] = weights[1 + singles :].T
    crossed = [((reached @ form) * reached).sum(axis=1) for form in pairs]
    value: Points = weights[0] + reached @ weights[1 : 1 + singles] + np.stack(crossed, axis=1)
    return value


def _pairs(shape: tuple[int, ...]) -> tuple[Rows, Rows]:
    owner = np.repeat(np.arange(len(shape)), np.array(shape) - 1)
    first, second = np.triu_indices(len(owner), 1)
    apart = owner[first] != owner[second]
    return first[apart], second[apart]


def penalties(shape: tuple[int, ...], of: tuple[float, float, float] = RIDGE) -> Floats:
    """The penalty of each feature, from those of the constant, of single levels and of pairs."""
    constant, single, pair = of
    singles = sum(shape) - len(shape)
    return np.array([constant, *[single] * singles, *[pair] * len(_pairs(shape)[0])])


def ridge(x: Points, y: Points, penalties: Floats) -> tuple[Points, Floats]:
    """Weights of the features, and the root mean square of leave-one-out errors."""
    inverse = np.linalg.inv(x.T @ x + np.diag(penalties))
    middle = y.mean(axis=0)
    weights = inverse @ (x.T @ (y - middle))
    leverage = np.einsum("ij,ij->i", x @ inverse, x)
    errors = (y - middle - x @ weights) / np.maximum(1.0 - leverage, 0.05)[:, None]
    doubt: Floats = np.sqrt((errors**2).mean(axis=0)) + 1e-12
    weights[0] += middle
    return weights, doubt


def _bound(
    objectives: Objectives,
    known: Rows,
    read: Points,
    others: Rows,
    expected: Points,
    hopes: Points,
    fears: Points,
) -> None:
    """Keep forecasts of indices that grow with every level between what was read around them."""
    for c, index in enumerate(objectives.indices):
        if isinstance(index, Index) and index.separable:
            expected[:, c] = np.maximum(expected[:, c], hopes[:, c])
        if isinstance(index, Index) and index.monotone:
            best, worst = bounds_between(known, read[:, c], others)
            expected[:, c] = np.clip(expected[:, c], best, worst)
            hopes[:, c], fears[:, c] = best, worst
