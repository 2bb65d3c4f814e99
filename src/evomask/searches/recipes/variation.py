"""Variation of recipes: crossover per attribute and per phase, and mutations of steps."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from evomask.data.hierarchy import Hierarchy
from evomask.data.table import Table
from evomask.masking.catalogue import method_named
from evomask.masking.grid import FEW_RESTARTS
from evomask.masking.provenance import Step
from evomask.masking.recipe import (
    GROUPING,
    LEVELS,
    SUPPRESSING,
    Recipe,
    canonical,
    identity,
    phase_of,
)

SIZES = (2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200)
CHANGES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
PERCENTS = (0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0)
LEAVES = (2, 3, 5, 7, 10, 15, 20, 30, 50, 100, 200)
DEPTHS = (2, 3, 4, 5, 7, 10, 15, 30)
NOISES = (0.0, 2.0, 5.0, 10.0, 20.0, 30.0, 50.0)
RARE = (0, 1, 2, 3, 4, 5, 7, 10, 15, 20)
MERGED = tuple(range(2, 13))

LADDERS: Mapping[str, Mapping[str, Sequence[Any]]] = {
    "mdav-generic": {"k": SIZES},
    "mondrian": {"k": SIZES},
    "clustered-microaggregation": {"k": SIZES, "clusters": (2, 3, 5, 7, 10, 15, 20)},
    "clustered-global-median": {"k": SIZES, "clusters": (2, 3, 5, 7, 10, 15, 20)},
    "rank-swapping": {"window": (*PERCENTS, 70.0, 100.0)},
    "independent-noise": {"percent": PERCENTS},
    "correlated-noise": {"percent": PERCENTS},
    "pram": {"change": CHANGES, "design": ("diagonal", "off-diagonal")},
    "formula-pram": {"change": CHANGES},
    "cart": {"leaf": LEAVES, "depth": DEPTHS, "noise": NOISES, "rare": RARE},
    "copula": {"noise": NOISES, "rare": RARE},
    "bayesian-network": {"parents": (1, 2, 3), "leaf": LEAVES, "noise": NOISES, "rare": RARE},
    "global-recoding": {"merged": MERGED},
    "top-coding": {"merged": MERGED, "percent": PERCENTS},
    "bottom-coding": {"merged": MERGED, "percent": PERCENTS},
    "generalization": {LEVELS: tuple(range(1, 20))},
    "local-suppression": {"k": SIZES},
}
"""Values that a mutation gives to the parameters of each method, in order."""

FIXED: Mapping[str, Mapping[str, Any]] = {
    "clustered-microaggregation": {"restarts": FEW_RESTARTS},
    "clustered-global-median": {"restarts": FEW_RESTARTS},
    "mondrian": {"release": "value"},
    "global-recoding": {"release": "value"},
    "top-coding": {"release": "value"},
    "bottom-coding": {"release": "value"},
}
"""Parameters of new steps that differ from the defaults and are not varied."""

FEW_STEPS = 3
"""Largest distance of a mutated parameter from its value, on the ladder."""

ATTEMPTS = 5
"""Attempts to vary a recipe in a way that changes it."""

PARAMETER, METHOD, JOIN, SPLIT, MOVE, ADD, REMOVE = MUTATIONS = (
    "parameter", "method", "join", "split", "move", "add", "remove",
)  # fmt: skip
BY_PHASE = "crossover by phase"
CROSSOVERS = ("crossover by attribute", BY_PHASE)
OPERATORS = (*CROSSOVERS, *MUTATIONS)


@dataclass(frozen=True, eq=False)
class Variation:
    """Varies recipes for one table.

    Args:
        hierarchies: hierarchies that fit the table.
        may_be_empty: whether a recipe without steps is useful, because enforcement masks.
    """

    table: Table
    hierarchies: Mapping[str, Hierarchy]
    may_be_empty: bool = False

    @cached_property
    def names(self) -> tuple[str, ...]:
        return self.table.schema.quasi_identifiers

    def child(
        self, operator: str, first: Recipe, second: Recipe, rng: np.random.Generator
    ) -> Recipe | None:
        """Return a variation of the first recipe that differs from both; None if none is found.

        A crossover takes parts of the second recipe.
        """
        known = {identity(first), identity(second)}
        for _ in range(ATTEMPTS):
            if operator in CROSSOVERS:
                steps = self._crossed(operator, first, second, rng)
            else:
                steps = _MUTATIONS[operator](self, list(first), rng)
            made = canonical(steps)
            if identity(made) not in known and (made or self.may_be_empty):
                return made
        return None

    def _crossed(
        self, operator: str, first: Recipe, second: Recipe, rng: np.random.Generator
    ) -> list[Step]:
        if operator == BY_PHASE:
            phases = sorted({phase_of(step.method) for step in (*first, *second)})
            taken = {phase for phase in phases if rng.random() < 0.5}
            return [
                *(step for step in first if phase_of(step.method) not in taken),
                *(step for step in second if phase_of(step.method) in taken),
            ]
        share = rng.random()
        theirs = {name for name in self.names if rng.random() < share}
        ours = set(self.names) - theirs
        return [
            *(part for step in first for part in _restricted(step, ours)),
            *(part for step in second for part in _restricted(step, theirs)),
        ]

    def _parameter(self, steps: list[Step], rng: np.random.Generator) -> list[Step]:
        """Move one parameter of one step, or of several, up or down its ladder."""
        several = max(1, int(rng.geometric(0.6)))
        for place in rng.permutation(len(steps))[:several].tolist():
            steps[place] = self._tuned(steps[place], rng)
        return steps

    def _tuned(self, step: Step, rng: np.random.Generator) -> Step:
        own = {n: v for n, v in LADDERS.get(step.method, {}).items() if n in step.parameters}
        if not own:
            return step
        name = list(own)[int(rng.integers(len(own)))]
        before = step.parameters[name]
        if name == LEVELS:
            top = min(self.hierarchies[n].height for n in step.attributes)
            after = int(np.clip(before[0] + rng.choice([-1, 1]), 1, max(1, top - 1)))
            return replace(step, parameters={**step.parameters, name: [after]})
        ladder = own[name]
        place = _nearest(ladder, before)
        far = int(rng.integers(1, FEW_STEPS + 1)) * int(rng.choice([-1, 1]))
        value = ladder[int(np.clip(place + far, 0, len(ladder) - 1))]
        return replace(step, parameters={**step.parameters, name: value})

    def _method(self, steps: list[Step], rng: np.random.Generator) -> list[Step]:
        """Replace the method of a step by another of any phase that can mask its attributes."""
        if not steps:
            return self._add(steps, rng)
        place = int(rng.integers(len(steps)))
        step = steps.pop(place)
        found = [name for name in self._suitable(step.attributes) if name != step.method]
        if not found:
            return [*steps, step]
        return [*steps, self._new_step(found[int(rng.integers(len(found)))], step.attributes, rng)]

    def _join(self, steps: list[Step], rng: np.random.Generator) -> list[Step]:
        """Join two steps that group records into one step on the attributes of both."""
        groups = [i for i, step in enumerate(steps) if phase_of(step.method) == GROUPING]
        if len(groups) < 2:
            return self._move(steps, rng)
        a, b = rng.permutation(groups)[:2].tolist()
        names = self._ordered({*steps[a].attributes, *steps[b].attributes})
        if steps[a].method not in self._suitable(names):
            return steps
        both = replace(steps[a], attributes=names)
        return [step for i, step in enumerate(steps) if i not in (a, b)] + [both]

    def _split(self, steps: list[Step], rng: np.random.Generator) -> list[Step]:
        """Divide a step on several attributes into two."""
        large = [i for i, step in enumerate(steps) if len(step.attributes) > 1]
        if not large:
            return self._parameter(steps, rng)
        step = steps.pop(large[int(rng.integers(len(large)))])
        order = rng.permutation(len(step.attributes))
        cut = int(rng.integers(1, len(order)))
        parts = [self._ordered({step.attributes[i] for i in p}) for p in (order[:cut], order[cut:])]
        return [*steps, *(replace(step, attributes=part) for part in parts)]

    def _move(self, steps: list[Step], rng: np.random.Generator) -> list[Step]:
        """Move an attribute into another step that masks several attributes together."""
        name = self.names[int(rng.integers(len(self.names)))]
        joint = [
            i
            for i, step in enumerate(steps)
            if method_named(step.method).about.together
            and name not in step.attributes
            and step.method in self._suitable((name, *step.attributes))
        ]
        if not joint:
            return self._add(steps, rng)
        target = joint[int(rng.integers(len(joint)))]
        phase = phase_of(steps[target].method)
        moved = []
        for i, step in enumerate(steps):
            if i == target:
                names = self._ordered({name, *step.attributes})
                moved.append(replace(step, attributes=names))
            elif phase_of(step.method) == phase and phase != SUPPRESSING:
                moved += _restricted(step, set(self.names) - {name})
            else:
                moved.append(step)
        return moved

    def _add(self, steps: list[Step], rng: np.random.Generator) -> list[Step]:
        """Add a step for some attributes; it replaces what the same phase did to them."""
        count = min(len(self.names), int(rng.geometric(0.5)))
        names = self._ordered({self.names[i] for i in rng.permutation(len(self.names))[:count]})
        found = self._suitable(names)
        if not found:
            return steps
        new = self._new_step(found[int(rng.integers(len(found)))], names, rng)
        phase = phase_of(new.method)
        others = set(self.names) - set(names)
        kept = [
            part
            for step in steps
            for part in (
                _restricted(step, others)
                if phase_of(step.method) == phase != SUPPRESSING
                else [step]
            )
        ]
        return [*kept, new]

    def _remove(self, steps: list[Step], rng: np.random.Generator) -> list[Step]:
        """Remove a step, or one attribute from a step."""
        if not steps:
            return self._add(steps, rng)
        place = int(rng.integers(len(steps)))
        step = steps.pop(place)
        if len(step.attributes) > 1 and rng.random() < 0.5:
            lost = step.attributes[int(rng.integers(len(step.attributes)))]
            steps += _restricted(step, set(step.attributes) - {lost})
        return steps

    def _new_step(self, method: str, names: tuple[str, ...], rng: np.random.Generator) -> Step:
        entry = method_named(method)
        defaults = {parameter.name for parameter in entry.parameters}
        own = dict(FIXED.get(method, {}))
        for name, ladder in LADDERS[method].items():
            if name == LEVELS:
                tops = [max(1, self.hierarchies[n].height - 1) for n in names]
                own[name] = [int(rng.integers(1, top + 1)) for top in tops]
            elif name in defaults:
                own[name] = ladder[int(rng.integers(len(ladder)))]
        return Step(method, own, names)

    def _suitable(self, names: Iterable[str]) -> tuple[str, ...]:
        """Methods that can mask all these attributes."""
        names = tuple(names)
        kinds = {self.table.attribute(name).kind for name in names}
        return tuple(
            method
            for method in LADDERS
            if kinds <= method_named(method).kinds
            and (method != "generalization" or all(self._has_levels(n) for n in names))
            and (method != "correlated-noise" or len(names) > 1)
        )

    def _has_levels(self, name: str) -> bool:
        return name in self.hierarchies and self.hierarchies[name].height > 1

    def _ordered(self, names: set[str]) -> tuple[str, ...]:
        return tuple(name for name in self.names if name in names)


def _restricted(step: Step, names: set[str]) -> list[Step]:
    """Return the step on some of its attributes; none if it masks none of them."""
    places = [i for i, name in enumerate(step.attributes) if name in names]
    if len(places) == len(step.attributes):
        return [step]
    if not places:
        return []
    own = dict(step.parameters)
    if own.get(LEVELS):
        own[LEVELS] = [own[LEVELS][i] for i in places]
    if own.get("importance"):
        own["importance"] = [own["importance"][i] for i in places]
    return [Step(step.method, own, tuple(step.attributes[i] for i in places))]


def _nearest(ladder: Sequence[Any], value: Any) -> int:  # noqa: ANN401
    if isinstance(value, str):
        return ladder.index(value) if value in ladder else 0
    return int(np.argmin([abs(one - value) for one in ladder]))


_MUTATIONS: Mapping[str, Callable[[Variation, list[Step], np.random.Generator], list[Step]]] = {
    PARAMETER: Variation._parameter,
    METHOD: Variation._method,
    JOIN: Variation._join,
    SPLIT: Variation._split,
    MOVE: Variation._move,
    ADD: Variation._add,
    REMOVE: Variation._remove,
}
