"""Whether unread nodes beat given values of the worst class: k, l, entropy, t.

The worst class alone says little of a node: most have a k of 1. How many records lie in classes
that are not better than a value says how far the node is from beating it, and is as smooth as a
sum of levels and pairs can follow. A read node tells it for all values at once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from evomask.arrays import Floats, Indices, Points
from evomask.kernels.lattice.classes import Rows
from evomask.searches.generalization.guided.prediction import evaluated, features, penalties, ridge
from evomask.searches.generalization.guided.worst import WORST, Classes
from evomask.searches.generalization.indices import Index
from evomask.searches.generalization.lattice import Levels
from evomask.searches.generalization.reader import Reader

RIDGE = (2e-8, 0.1, 1.0)
"""Penalties of the constant, of single levels and of pairs."""

NEAR, NOISE = 0.5, 0.1
"""How fast what a neighbour teaches fades with each step, and how little of it is chance."""

LESSONS = 500
"""Read nodes whose errors correct forecasts near them: the newest."""

MOST = 100
"""Values of an objective that are forecast; a larger front is taken at so many of its values."""

FURTHEST = 6.0
"""Slack beyond which it does not matter how large it is."""

DIGITS = 3
"""Decimals of class values that are told apart."""

SMALL, STEEP = 0.02, 3.0
"""Distances of sensitive values are compared by the logarithm of so much more, so many times."""

SURE, NEVER = 5.0, -1e6
"""Usual errors by which a node is ahead where that follows from others, or cannot be."""


@dataclass(frozen=True, eq=False)
class Profile:
    """Values of a node's classes, the worst first, and how many records have at most these."""

    values: Floats
    records: Indices

    def not_better(self, than: Floats) -> Indices:
        """How many records are in classes no better than each value."""
        places = np.searchsorted(self.values, np.round(than, DIGITS), side="right")
        return np.concatenate([[0], self.records])[places]


@dataclass(frozen=True, eq=False)
class Thresholds:
    """Forecasts of whether nodes beat the values of others, from the classes of read nodes.

    A node that another process read is read again here when it teaches something first.
    """

    reader: Reader
    _profiles: dict[tuple[str, Levels], Profile] = field(default_factory=dict)

    def forecast(
        self, index: Index, known: Rows, values: Floats, front: Floats, others: Rows
    ) -> tuple[Points, Indices]:
        """By how many usual errors *others* should beat values, and which value is each front's.

        Args:
            values: of the known nodes.
            front: values to beat.
        """
        than, places = _few(front)
        slack = np.array(
            [
                self.slack(index, tuple(node), value, than)
                for node, value in zip(known.tolist(), values.tolist(), strict=True)
            ]
        )
        return _forecast(self.reader.lattice.shape, known, slack, others), places

    def slack(self, index: Index, levels: Levels, value: float, than: Floats) -> Floats:
        """How far a node is from values: positive where it is better, negative where it is not.

        Ahead by the logarithm of the values' ratio, behind by that of how many times too many
        records are in classes that are no better.
        """
        sign = 1.0 if index.more else -1.0
        may = self.reader.rule.limit if index.name == "k" else 0
        left = np.maximum(self._profile(index, levels).not_better(sign * than), may + 1)
        behind = np.log((may + 1) / (left + 1))
        if index.more:
            ahead = np.log(value / than)
        else:
            ahead = STEEP * np.log((than + SMALL) / (value + SMALL))
        slack = np.where(sign * value > sign * than, ahead, behind)
        return np.clip(slack, -FURTHEST, FURTHEST)

    def _profile(self, index: Index, levels: Levels) -> Profile:
        key = (index.name, levels)
        if key not in self._profiles:
            node = self.reader.equivalence(levels)
            lattice = self.reader.lattice
            told = Classes(node.sizes, node.counts, lattice.shares, lattice.ordered)
            worth = np.round(WORST[index.name](told), DIGITS)
            counted = node.sizes if index.name == "k" else np.where(node.stays, node.sizes, 0)
            found, places = np.unique(worth, return_inverse=True)
            records = np.bincount(places, weights=counted, minlength=len(found))
            self._profiles[key] = Profile(found, np.cumsum(records).astype(np.int64))
        return self._profiles[key]


def _few(front: Floats) -> tuple[Floats, Indices]:
    """The different values, evenly thinned where they are many, and the one for each."""
    than = np.unique(front)
    if len(than) > MOST:
        than = than[np.linspace(0, len(than) - 1, MOST).round().astype(np.int64)]
    return than, np.searchsorted(than, front).clip(0, len(than) - 1)


def _forecast(shape: tuple[int, ...], known: Rows, slack: Points, others: Rows) -> Points:
    """Slack of others in usual errors: a regression, and what it missed at read nodes nearby."""
    x = features(known, shape)
    weights, _ = ridge(x, slack, penalties(shape, RIDGE))
    missed = (slack - x @ weights)[-LESSONS:]
    lessons = known[-LESSONS:]
    like = _likeness(lessons, lessons) + NOISE * np.eye(len(lessons))
    inverse = np.linalg.inv(like)
    taught = inverse @ missed
    near = _likeness(others, lessons)
    own = np.diag(inverse)
    usual = np.sqrt(((taught / own[:, None]) ** 2).mean(axis=0)) + 1e-9
    strange = np.maximum(1.0 - near.max(axis=1) ** 2 / (1.0 + NOISE), SMALL)
    doubt = usual * np.sqrt(strange / (1.0 / own).mean())[:, None]
    forecast: Points = (evaluated(weights, others, shape) + near @ taught) / doubt
    return forecast


def _likeness(nodes: Rows, lessons: Rows) -> Points:
    steps = np.zeros((len(nodes), len(lessons)), dtype=np.int64)
    for a in range(nodes.shape[1]):
        steps += np.abs(nodes[:, [a]] - lessons[:, a])
    likeness: Points = np.exp(-NEAR * np.arange(steps.max(initial=0) + 1))[steps]
    return likeness


def past_all(gains: Sequence[Callable[[int], Floats]], count: int) -> Floats:
    """How far nodes are past each of *count* others in some objective; the least counts."""
    least = np.full(len(gains[0](0)), np.inf)
    for other in range(count):
        most = gains[0](other)
        for gain in gains[1:]:
            most = np.maximum(most, gain(other))
        least = np.minimum(least, most)
    return least
