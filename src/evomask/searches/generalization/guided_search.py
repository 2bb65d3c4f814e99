"""Guided search of a lattice: evaluate next the nodes that are predicted to enter the front.

Each objective is predicted by a ridge regression on the levels reached, one by one and in pairs:
the probability that two records agree is nearly a product over attributes, so logarithms of class
sizes are nearly sums. Known bounds are used as well: the loss without suppression, and that k
never falls when a level rises.
"""

from dataclasses import dataclass, replace

import numpy as np

from evomask.evolution.individual import Brood, Outcomes, Population, Task
from evomask.evolution.loop import Scheme
from evomask.evolution.state import State, individuals_from
from evomask.kernels.lattice.bounds import bounds_between, distances, margins
from evomask.kernels.lattice.classes import Rows
from evomask.kernels.lattice.nodes import LOSSES
from evomask.searches.generalization.lattice import Levels
from evomask.searches.generalization.objectives import Index, Objectives
from evomask.searches.generalization.problem import NODE, as_rows, minimal, number_of
from evomask.types import Flags, Floats, Indices, Points

RIDGE = (2e-8, 4e-4, 1e-2)
"""Penalties of the constant, of single levels and of pairs."""

WIDE = 100.0
"""A user-defined objective whose values differ by this factor is predicted on the log scale."""


@dataclass(frozen=True, eq=False)
class Prediction:
    """Predicted objectives, transformed so that smaller is better.

    Args:
        read: values of the evaluated nodes.
        expected: predictions of the other nodes.
        doubt: standard error of each objective.
        hopes: lower bounds of the other nodes; minus infinity if unknown.
        steps: half the smallest difference between two values; 0 if unknown.
    """

    read: Points
    expected: Points
    doubt: Floats
    hopes: Points
    steps: Floats

    def of(self, some: Flags) -> "Prediction":
        return replace(self, expected=self.expected[some], hopes=self.hopes[some])


def predict(objectives: Objectives, known: Rows, values: Points, others: Rows) -> Prediction:
    """Predict the objectives of *others* from the *values* of the *known* nodes."""
    logs = _logarithmic(objectives, values)
    read = _scaled(objectives, values, logs)
    free_known = _scaled(objectives, _without_suppression(objectives, known), logs)
    free_others = _scaled(objectives, _without_suppression(objectives, others), logs)
    separable = np.array([isinstance(i, Index) and i.separable for i in objectives.indices])
    offset = np.where(separable, free_known, 0.0)
    shape = objectives.lattice.shape
    weights, doubt = ridge(features(known, shape), read - offset, penalties(shape))
    predicted = evaluate_features(weights, others, shape)
    expected = predicted + np.where(separable, free_others, 0.0)
    hopes = np.where(separable, free_others, -np.inf)
    _apply_bounds(objectives, known, read, others, expected, hopes)
    whole = np.all(values == np.round(values), axis=0) & ~logs
    return Prediction(read, expected, doubt, hopes, np.where(whole, 0.5, 0.0))


def _logarithmic(objectives: Objectives, values: Points) -> Flags:
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


def _without_suppression(objectives: Objectives, nodes: Rows) -> Points:
    """Separable objectives without suppression."""
    columns = np.ones((len(nodes), len(objectives.indices)))
    lattice = objectives.lattice
    whole = np.zeros((len(nodes), LOSSES + nodes.shape[1]), dtype=np.int64)
    whole[:, LOSSES:] = lattice.bases[np.arange(nodes.shape[1]), nodes]
    figures = lattice.figures(nodes, whole, np.zeros((len(nodes), 3)))
    for c, index in enumerate(objectives.indices):
        if isinstance(index, Index) and index.separable:
            columns[:, c] = index.read(figures)
    return columns


def features(nodes: Rows, shape: tuple[int, ...]) -> Points:
    """Return the regressors: a constant, the levels reached, and pairs of them."""
    reached = _reached(nodes, shape)
    first, second = _pairs(shape)
    return np.hstack([np.ones((len(nodes), 1)), reached, reached[:, first] * reached[:, second]])


def _reached(nodes: Rows, shape: tuple[int, ...]) -> Points:
    flags = [nodes[:, [a]] >= np.arange(1, levels) for a, levels in enumerate(shape)]
    return np.concatenate(flags, axis=1).astype(np.float64)


def evaluate_features(weights: Points, nodes: Rows, shape: tuple[int, ...]) -> Points:
    """Return the predictions for many nodes, with the pairs as a quadratic form."""
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


def penalties(shape: tuple[int, ...]) -> Floats:
    """Return the ridge penalty of each feature."""
    constant, single, pair = RIDGE
    singles = sum(shape) - len(shape)
    return np.array([constant, *[single] * singles, *[pair] * len(_pairs(shape)[0])])


def ridge(x: Points, y: Points, penalties: Floats) -> tuple[Points, Floats]:
    """Return the weights and the root mean square of the leave-one-out errors."""
    inverse = np.linalg.inv(x.T @ x + np.diag(penalties))
    middle = y.mean(axis=0)
    weights = inverse @ (x.T @ (y - middle))
    leverage = np.einsum("ij,ij->i", x @ inverse, x)
    errors = (y - middle - x @ weights) / np.maximum(1.0 - leverage, 0.05)[:, None]
    doubt: Floats = np.sqrt((errors**2).mean(axis=0)) + 1e-12
    weights[0] += middle
    return weights, doubt


def _apply_bounds(
    objectives: Objectives,
    known: Rows,
    read: Points,
    others: Rows,
    expected: Points,
    hopes: Points,
) -> None:
    """Restrict predictions of monotone objectives by the evaluated nodes around them, in place."""
    for c, index in enumerate(objectives.indices):
        if isinstance(index, Index) and index.separable:
            expected[:, c] = np.maximum(expected[:, c], hopes[:, c])
        if isinstance(index, Index) and index.monotone:
            best, worst = bounds_between(known, read[:, c], others)
            expected[:, c] = np.clip(expected[:, c], best, worst)
            hopes[:, c] = best


REACH = 3
"""Distance from the front, in steps, beyond which the penalty no longer grows."""

PENALTY = 4.0
"""Penalty of a step away from the front, in standard errors of the prediction."""

FIRST_NODES = 10
"""Nodes evaluated before the first prediction."""

FEWEST, MOST, SHARE = 5, 25, 10
"""Fewest and most nodes between two predictions, and their share of those evaluated before."""


@dataclass(frozen=True)
class Guided:
    """Evaluate next the nodes that, by a prediction, may enter the Pareto front.

    All evaluated nodes form the population. A node's priority is by how many standard errors
    the prediction puts it past every evaluated node, less a penalty for each step of distance from
    the front. Nodes that the front provably dominates come last: once no others are left, the
    front is complete.

    Args:
        pool: number of unevaluated nodes considered; in a larger lattice those near the front.
        memory: number of evaluated nodes that a prediction is fitted to: the front and the newest.
    """

    objectives: Objectives
    pool: int = 20_000
    memory: int = 2_000

    def propose(self, state: State[Levels], rng: np.random.Generator) -> Brood[Levels]:
        shape = self.objectives.lattice.shape
        nodes = [individual.genome for individual in state.population]
        known = as_rows(nodes, len(shape))
        fitness = np.array([individual.fitness for individual in state.population])
        front = minimal(fitness)
        others = self._others(nodes, known[front], rng)
        if not len(others):
            return ()
        training = np.unique(np.concatenate([front, np.arange(len(known))[-self.memory :]]))
        values = self.objectives.natural(fitness[training])
        predicted = predict(self.objectives, known[training], values, others)
        own = np.searchsorted(training, front)
        count = batch_size(len(known))
        best = predicted.read[own]
        is_open = margins(best, predicted.hopes) > 0
        is_open = is_open if is_open.any() else ~is_open
        others, predicted = others[is_open], predicted.of(is_open)
        ahead = margins(best, predicted.hopes)
        if not (ahead > 0).any():
            return _tasks(others[np.argsort(-ahead, kind="stable")[:count]], shape)
        past = margins(
            (best - predicted.steps) / predicted.doubt, predicted.expected / predicted.doubt
        )
        steps = np.minimum(distances(others, known[front]), REACH) - 1
        priority = past - PENALTY * steps
        return _tasks(others[np.argsort(-priority, kind="stable")[:count]], shape)

    def _others(self, read: list[Levels], front: Rows, rng: np.random.Generator) -> Rows:
        shape = self.objectives.lattice.shape
        size = self.objectives.lattice.size
        if size <= self.pool:
            unread = np.ones(size, dtype=bool)
            unread[[number_of(node, shape) for node in read]] = False
            return np.stack(np.unravel_index(np.flatnonzero(unread), shape), axis=1)
        near = _around(front, np.array(shape) - 1, self.pool, rng)
        known = set(read)
        fresh = [node for node in map(tuple, np.unique(near, axis=0).tolist()) if node not in known]
        return as_rows(fresh, len(shape))

    def replace(
        self, state: State[Levels], brood: Brood[Levels], outcomes: Outcomes[Levels]
    ) -> Population[Levels]:
        return (*state.population, *individuals_from(state, brood, outcomes))


def _tasks(nodes: Rows, shape: tuple[int, ...]) -> Brood[Levels]:
    numbers = [number_of(tuple(node), shape) for node in nodes.tolist()]
    return tuple(Task(NODE, (), number) for number in numbers)


def batch_size(evaluated: int) -> int:
    """Return how many nodes are evaluated before the next prediction."""
    return min(max(evaluated // SHARE, FEWEST), MOST)


def _around(front: Rows, heights: Indices, count: int, rng: np.random.Generator) -> Rows:
    """Return neighbours of front nodes: all at one step, and random ones up to three steps away."""
    width = front.shape[1]
    steps = np.vstack([np.eye(width, dtype=np.int64), -np.eye(width, dtype=np.int64)])
    nearest = (front[:, None, :] + steps[None]).reshape(-1, width)
    nearest = rng.permutation(nearest)[: count // 2]
    start = front[rng.integers(len(front), size=count - len(nearest))]
    for _ in range(REACH):
        start = start + steps[rng.integers(len(steps), size=len(start))]
    return np.clip(np.vstack([nearest, start]), 0, heights)


@dataclass(frozen=True)
class Remembering:
    """Another scheme whose population is preceded by all nodes met earlier.

    So the state knows all nodes that were evaluated.

    Args:
        living: size of the scheme's own population.
    """

    scheme: Scheme[Levels]
    living: int

    def propose(self, state: State[Levels], rng: np.random.Generator) -> Brood[Levels]:
        return self.scheme.propose(self._alive(state), rng)

    def replace(
        self, state: State[Levels], brood: Brood[Levels], outcomes: Outcomes[Levels]
    ) -> Population[Levels]:
        alive = self.scheme.replace(self._alive(state), brood, outcomes)
        again = {individual.genome for individual in alive}
        before = {
            individual.genome: individual
            for individual in state.population
            if individual.genome not in again
        }
        return (*before.values(), *alive)

    def _alive(self, state: State[Levels]) -> State[Levels]:
        return replace(state, population=state.population[-self.living :])
