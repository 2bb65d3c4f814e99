"""Our search of the lattice: read next what a prediction says may enter the front."""

from dataclasses import dataclass

import numpy as np

from evomask.arrays import Floats, Indices
from evomask.evolution.brood import Brood, Outcomes, Task
from evomask.evolution.individual import Population
from evomask.evolution.state import State, born
from evomask.kernels.lattice.classes import Rows
from evomask.kernels.lattice.promise import distances, margins
from evomask.searches.generalization.comparison import minimal
from evomask.searches.generalization.genome import as_rows, number_of
from evomask.searches.generalization.lattice import Levels
from evomask.searches.generalization.prediction import Prediction, predict
from evomask.searches.generalization.problem import NODE
from evomask.searches.generalization.reader import Objectives

REACH = 3
"""Steps from the front beyond which distance no longer matters."""

PENALTY = 4.0
"""Usual errors of the prediction that a step away from the front costs."""

FEWEST, MOST = 5, 25
"""Nodes in a brood: few while little is known, for each prediction is better than the last."""


@dataclass(frozen=True)
class Guided:
    """Everyone read so far is the population; a brood is the most promising of the others.

    A node's promise is by how many usual errors the prediction puts it past every read node,
    less a penalty for each step that it is away from the front. Nodes that the front surely
    dominates wait until no others are left.

    Args:
        pool: how many unread nodes are looked at; a larger lattice is looked at near its front.
        memory: how many read nodes a prediction learns from: the front, and the newest.
    """

    objectives: Objectives
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
        promise = _promise(predicted, np.searchsorted(lessons, front), others, known[front])
        best = np.argsort(-promise, kind="stable")[: brood_size(len(known))]
        chosen = [place for place in best if promise[place] > -np.inf]
        numbers = [number_of(tuple(others[place].tolist()), shape) for place in chosen]
        return tuple(Task(NODE, (), number) for number in numbers)

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


def brood_size(read: int) -> int:
    """How many nodes are read before the next prediction: a tenth of those read, 5 to 25."""
    return min(max(read // 10, FEWEST), MOST)


def _promise(predicted: Prediction, front: Indices, others: Rows, near: Rows) -> Floats:
    best = predicted.read[front]
    margin = margins(
        (best - predicted.steps) / predicted.doubt, predicted.expected / predicted.doubt
    )
    steps = np.minimum(distances(others, near), REACH) - 1
    promise: Floats = margin - PENALTY * steps
    beaten = margins(best, predicted.hopes) <= 0
    return promise if beaten.all() else np.where(beaten, -np.inf, promise)


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
