"""Our search of the lattice: read next what a prediction says may enter the front."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeGuard

import numpy as np

from evomask.arrays import Flags, Floats, Indices, Points
from evomask.evolution.brood import Brood, Outcomes, Task
from evomask.evolution.individual import Population
from evomask.evolution.state import State, born
from evomask.kernels.lattice.classes import Rows
from evomask.kernels.lattice.promise import distances, margins
from evomask.searches.generalization.comparison import minimal
from evomask.searches.generalization.genome import as_rows, number_of
from evomask.searches.generalization.guided.people import People
from evomask.searches.generalization.guided.prediction import Prediction, limited, predict
from evomask.searches.generalization.guided.thresholds import NEVER, SURE, Thresholds, past_all
from evomask.searches.generalization.guided.worst import WORST
from evomask.searches.generalization.indices import Index
from evomask.searches.generalization.lattice import Levels
from evomask.searches.generalization.problem import NODE
from evomask.searches.generalization.reader import AnyIndex, Objectives

REACH = 3
"""Steps from the front beyond which distance no longer matters."""

PENALTY, OF_THRESHOLDS = 4.0, 2.0
"""Usual errors of the prediction that a step away from the front costs.

Less where thresholds are forecast, whose errors grow with the distance themselves.
"""

SMALL = 10_000
"""Nodes of a lattice up to which thresholds are forecast, which takes longer and tells more."""

FIRST, FEWEST, PART = {True: 5, False: 10}, {True: 1, False: 5}, {True: 20, False: 10}
"""First nodes, the fewest in a brood and which part of those read, small lattices and large."""

MOST = 25
"""Nodes in a brood: few while little is known, for each prediction is better than the last."""


@dataclass(frozen=True)
class Guided:
    """Everyone read so far is the population; a brood is the most promising of the others.

    A node's promise is by how many usual errors the prediction puts it past every read node,
    less a penalty for each step that it is away from the front. In a small lattice the classes of
    some people bound every node; those come first that no other may dominate. Nodes that the front
    surely dominates wait until no others are left: then the front is complete.

    Args:
        people: who is in the way of read nodes, and what their classes tell of the others.
        thresholds: what the classes of read nodes tell of those that were not read.
        pool: how many unread nodes are looked at; a larger lattice is looked at near its front.
        memory: how many read nodes a prediction learns from: the front, and the newest.
    """

    objectives: Objectives
    thresholds: Thresholds
    people: People
    pool: int = 20_000
    memory: int = 2_000

    def propose(self, state: State[Levels], rng: np.random.Generator) -> Brood[Levels]:
        """The nodes of most promise; none when all were read."""
        shape = self.objectives.lattice.shape
        nodes = [individual.genome for individual in state.population]
        known = as_rows(nodes, len(shape))
        fitness = np.array([individual.fitness for individual in state.population])
        front = minimal(fitness)
        others = self._others(nodes, known[front], rng)
        if not len(others):
            return ()
        lessons = np.unique(np.concatenate([front, np.arange(len(known))[-self.memory :]]))
        values = self.objectives.natural(fitness[lessons])
        predicted = predict(self.objectives, known[lessons], values, others)
        own = np.searchsorted(lessons, front)
        count = brood_size(len(known), self.objectives.lattice.size)
        others, predicted = _open(others, predicted, own)
        if self._is_small:
            self.people.learn(nodes)
            predicted = limited(self.objectives, predicted, values, self.people.best(others))
            others, predicted = _open(others, predicted, own)
        ahead = margins(predicted.read[own], predicted.hopes)
        if not (ahead > 0).any():
            return _tasks(others[np.argsort(-ahead, kind="stable")[:count]], shape)
        gains = self._gains(predicted, known[lessons], values, own, others)
        promise = past_all(gains, len(own)) - self._penalty * _steps(others, known[front])
        return _tasks(others[self._chosen(predicted, promise, count)], shape)

    def _chosen(self, predicted: Prediction, promise: Floats, count: int) -> Indices:
        """The most promising; in a small lattice of those that no other may dominate."""
        if not self._is_small or not self.people.count:
            return np.argsort(-promise, kind="stable")[:count]
        hopes = np.where(np.isfinite(predicted.hopes), predicted.hopes, predicted.expected)
        ahead = minimal(hopes)
        return ahead[np.argsort(-promise[ahead], kind="stable")][:count]

    @property
    def _is_small(self) -> bool:
        return self.objectives.lattice.size <= SMALL

    def _gains(
        self, predicted: Prediction, known: Rows, values: Points, front: Indices, others: Rows
    ) -> list[Callable[[int], Floats]]:
        """For each objective by how many usual errors others are past a node of the front."""
        best = predicted.read[front]
        gains: list[Callable[[int], Floats]] = []
        for c, index in enumerate(self.objectives.indices):
            if not self._is_forecast(index):
                gains.append(partial(_ahead, predicted, best[:, c], c))
                continue
            own = values[:, c]
            told, places = self.thresholds.forecast(index, known, own, own[front], others)
            told = np.ascontiguousarray(told.T)
            gains.append(partial(_beats, predicted, best[:, c], c, told, places))
        return gains

    @property
    def _penalty(self) -> float:
        forecast = any(map(self._is_forecast, self.objectives.indices))
        return OF_THRESHOLDS if forecast else PENALTY

    def _is_forecast(self, index: AnyIndex) -> TypeGuard[Index]:
        """Whether it is forecast who beats the front in this, not the value itself."""
        is_worst = isinstance(index, Index) and index.name in WORST
        return is_worst and self._is_small

    def _others(self, read: list[Levels], front: Rows, rng: np.random.Generator) -> Rows:
        """Unread nodes worth a prediction: all of a small lattice, else those near the front."""
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
        """All nodes read before and the new ones, since every one of them teaches something."""
        return (*state.population, *born(state, brood, outcomes))


def _tasks(nodes: Rows, shape: tuple[int, ...]) -> Brood[Levels]:
    numbers = [number_of(tuple(node), shape) for node in nodes.tolist()]
    return tuple(Task(NODE, (), number) for number in numbers)


def first_nodes(size: int) -> int:
    """How many nodes a search of a lattice of that size begins with."""
    return FIRST[size <= SMALL]


def brood_size(read: int, size: int) -> int:
    """How many nodes are read before the next prediction: a part of those read, 25 at most."""
    small = size <= SMALL
    return min(max(read // PART[small], FEWEST[small]), MOST)


def _ahead(predicted: Prediction, best: Floats, c: int, other: int) -> Floats:
    """By how many usual errors of its value nodes are past one of the front."""
    reach, doubt = best[other] - predicted.steps[c], predicted.doubt[c]
    ahead: Floats = reach / doubt - predicted.expected[:, c] / doubt
    return ahead


def _beats(
    predicted: Prediction, best: Floats, c: int, told: Points, places: Indices, other: int
) -> Floats:
    """The same from a forecast of thresholds, unless what was read around nodes decides it."""
    surely = predicted.fears[:, c] < best[other]
    never = predicted.hopes[:, c] >= best[other]
    return np.where(surely, SURE, np.where(never, NEVER, told[places[other]]))


def _steps(others: Rows, front: Rows) -> Indices:
    """Steps to the nearest of the front, the first not counted."""
    return np.minimum(distances(others, front), REACH) - 1


def _open(others: Rows, predicted: Prediction, front: Indices) -> tuple[Rows, Prediction]:
    """The nodes that the front does not surely dominate; all where it dominates every one."""
    is_open: Flags = margins(predicted.read[front], predicted.hopes) > 0
    is_open = is_open if is_open.any() else ~is_open
    return others[is_open], predicted.of(is_open)


def _around(front: Rows, heights: Indices, count: int, rng: np.random.Generator) -> Rows:
    """Neighbours of front nodes: all one step away, and random ones up to three steps away."""
    width = front.shape[1]
    steps = np.vstack([np.eye(width, dtype=np.int64), -np.eye(width, dtype=np.int64)])
    nearest = (front[:, None, :] + steps[None]).reshape(-1, width)
    nearest = rng.permutation(nearest)[: count // 2]
    start = front[rng.integers(len(front), size=count - len(nearest))]
    for _ in range(REACH):
        start = start + steps[rng.integers(len(steps), size=len(start))]
    return np.clip(np.vstack([nearest, start]), 0, heights)
