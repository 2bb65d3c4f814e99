"""A scheme that uses one of its operators only: what can an operator do without the others?"""

from dataclasses import dataclass
from typing import Generic

import numpy as np

from evomask.evolution.brood import Brood, Outcomes, Task
from evomask.evolution.individual import G, Population
from evomask.evolution.loop import Scheme
from evomask.evolution.state import State

TRIES = 200
"""Proposals in search of an operator that a scheme uses seldom."""


@dataclass(frozen=True)
class Alone(Generic[G]):
    """The tasks of one operator, as many as the scheme proposes of all of them together.

    The brood is empty where the scheme does not use the operator, now or any more.
    """

    scheme: Scheme[G]
    operator: str

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        """Proposals are made until enough tasks of the operator are among them."""
        brood = self.scheme.propose(state, rng)
        size = len(brood)
        found: list[Task[G]] = []
        for _ in range(TRIES):
            found += [task for task in brood if task.operator == self.operator]
            if len(found) >= size:
                break
            brood = self.scheme.propose(state, rng)
        return tuple(found[:size])

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        """As the scheme does."""
        return self.scheme.replace(state, brood, outcomes)
