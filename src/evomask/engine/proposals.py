"""Proposals of the engine: which candidate is made or evaluated next, and at which fidelity.

Each proposal goes to the kind of task that has had the smallest part of its share of the cost.
A proposal depends on the state alone, so that workers have no influence on results.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast
from zlib import crc32

import numpy as np

from evomask.engine.evaluation import Adopt, Breed, Evaluate, EvaluationContext, Request
from evomask.engine.front import DEFAULT_RELEASE, DESIGN, RELEASE_TYPES, spread
from evomask.engine.prediction import as_seen, crowding, gains
from evomask.engine.state import (
    Candidate,
    EngineState,
    Generation,
    Kind,
    OperatorTally,
    Product,
    Proposal,
)
from evomask.errors import EvomaskError
from evomask.evolution.archive import non_dominated_ranks
from evomask.evolution.individual import Task, initial_tasks
from evomask.evolution.state import State
from evomask.evolution.streams import breeding_stream
from evomask.masking.recipe import Recipe, identity
from evomask.searches.base import SearchInput
from evomask.searches.catalogue import GIVEN, RECIPES
from evomask.searches.recipes.design import Design
from evomask.searches.recipes.search import Recipes
from evomask.searches.recipes.variation import CROSSOVERS, OPERATORS, Variation
from evomask.types import Floats, Points

SHARES: Mapping[Kind, float] = {
    Kind.DESIGN: 0.25,
    Kind.VARIATION: 0.25,
    Kind.PROMOTION: 0.35,
    Kind.BREEDING: 0.15,
}
"""Share of the cost of each kind of task; those of a kind without tasks go to the others."""

LATE = 0.95
"""Share of the budget after which candidates are only promoted, if there are samples."""

QUICK = 10.0
"""Largest cost, in evaluations on the smallest sample, of a whole file that is evaluated first:
the outcomes of all others wait for it."""

LEAST_CHANCE = 0.04
"""Least probability of an operator."""

AIMED = 0.3
"""Share of the parents that are chosen for little loss at a given risk."""

FROM_FRONT = 0.3
"""Share of the other parents that are chosen from the front of whole files."""

ATTEMPTS = 4
"""Operators that are tried until one makes a new recipe."""

ADOPTED = 8
"""Candidates that a search adopts at once."""

EAGER = 0.05
"""Least probability that a search breeds next, however small its success."""


@dataclass(frozen=True, eq=False)
class Proposer:
    """Makes the proposals for one file.

    Args:
        risk: largest risk that the user accepts, in percent, if there is a limit.
    """

    context: EvaluationContext
    risk: float = RELEASE_TYPES[DEFAULT_RELEASE]

    def propose(
        self, state: EngineState, used: float, left: float | None = None
    ) -> EngineState | None:
        """Return the state with one more proposal pending; None if there is nothing to propose.

        Args:
            used: share of the budget that is used.
            left: seconds of the budget that are left, if it has seconds.
        """
        rng = breeding_stream(self.context.seed, state.issued)
        for kind in self._kinds(state, used):
            after = _MAKERS[kind](self, state, rng)
            if after is None:
                continue
            if len(after.pending) == len(state.pending):
                state = after  # searches were closed
                continue
            proposal = after.pending[-1]
            if left is not None and state.front and self.seconds(state, proposal) > left:
                continue
            expected = self.expected(state, proposal)
            pending = (*after.pending[:-1], replace(proposal, expected=expected))
            spent = {**state.spent, kind: state.spent.get(kind, 0.0) + expected}
            return replace(after, issued=state.issued + 1, pending=pending, spent=spent)
        return None

    def _kinds(self, state: EngineState, used: float) -> list[Kind]:
        """Kinds of tasks, the one with the smallest part of its share first."""
        spent = {kind: state.spent.get(kind, 0.0) / share for kind, share in SHARES.items()}
        kinds = sorted(SHARES, key=lambda kind: spent[kind])
        if state.designed < len(self.starts):
            return [Kind.DESIGN, *(kind for kind in kinds if kind is not Kind.DESIGN)]
        if self.context.top and (used >= LATE or (used >= 1.0 and not state.front)):
            return [Kind.PROMOTION, *(kind for kind in kinds if kind is not Kind.PROMOTION)]
        return kinds

    def expected(self, state: EngineState, proposal: Proposal) -> float:
        """Cost of a proposal: the mean of such tasks so far, or an estimate by their size."""
        return state.pace.get(pace_key(proposal), self.estimate(proposal))

    def estimate(self, proposal: Proposal) -> float:
        """Cost by the size of a task, relative to that of an evaluation at the lowest fidelity."""
        if proposal.kind is Kind.BREEDING:
            cost = self.context.settings.members[proposal.member].cost
            return cost * (1.0 if self.context.is_portable(proposal.member) else self._cost(-1))
        return self._cost(proposal.level)

    def _cost(self, level: int) -> float:
        fidelities = self.context.fidelities
        top = level in (-1, self.context.top) and self.context.top > 0
        records = fidelities[level].records + FIXED_RECORDS
        return (2.0 if top else 1.0) * records / (fidelities[0].records + FIXED_RECORDS)

    def seconds(self, state: EngineState, proposal: Proposal) -> float:
        """Seconds that a proposal takes, by the pace so far; 0 before there is any."""
        known = state.pace.get(pace_key(proposal))
        if known is not None:
            return known
        base = state.pace.get(pace_key(Proposal(Kind.DESIGN, RECIPES, level=0)))
        return 0.0 if base is None else base * self.estimate(proposal)

    def request(self, state: EngineState, proposal: Proposal) -> Request:
        """Return the task of a proposal."""
        if proposal.kind is not Kind.BREEDING:
            candidate = state.live[proposal.candidate]
            return Evaluate(candidate.member, candidate.genome, proposal.level)
        own = state.generations[proposal.member]
        if own.adopting:
            source = state.live[own.adopting[proposal.index]]
            return Adopt(proposal.member, source.member, source.genome)
        inner = own.state or State()
        task = self.brood(proposal.member, own)[proposal.index]
        return Breed(proposal.member, task, inner.tasks + proposal.index)

    def brood(self, name: str, own: Generation) -> Sequence[Task[Any]]:
        """Tasks of the generation that a search is breeding."""
        setup = self.context.breeder(name).setup(name)
        if own.state is None:
            return initial_tasks(setup.first)
        stream = breeding_stream(self.context.seed_of(name), own.state.generation)
        return setup.scheme.propose(own.state, stream)

    @cached_property
    def _recipes(self) -> Recipes:
        problem: Any = self.context.at(0).setup(RECIPES).problem
        return cast("Recipes", problem)

    @cached_property
    def design(self) -> tuple[Design, ...]:
        """Recipes of the initial design, in the order in which they are evaluated."""
        return self._recipes.design

    @cached_property
    def variation(self) -> Variation:
        source = SearchInput(
            self.context.table, self.context.settings.requirement, self.context.settings.profile
        )
        return Variation(self.context.table, self._recipes.trees, source.asks_anything)

    # -- kinds of proposals ---------------------------------------------------------------------

    @cached_property
    def starts(self) -> tuple[tuple[str, Any], ...]:
        """Recipes and files that the user gave: the search that decodes each, and its genome."""
        recipes = ((RECIPES, recipe) for recipe in self.context.settings.start)
        return (*recipes, *((GIVEN, number) for number in range(len(self.context.given))))

    def _design(self, state: EngineState, rng: np.random.Generator) -> EngineState | None:
        """What the user gave, as whole files, then the next recipe of the initial design."""
        if state.designed >= len(self.starts) + len(self.design):
            return None
        after = replace(state, designed=state.designed + 1)
        if state.designed < len(self.starts):
            member, genome = self.starts[state.designed]
            return self._with_candidate(
                after, genome, GIVEN, GIVEN, (), kind=Kind.DESIGN, member=member,
                level=self.context.top,
            )  # fmt: skip
        recipe = self.design[state.designed - len(self.starts)].recipe
        if identity(recipe) in state.known:
            return self._design(after, rng)
        is_quick = not state.born and self._cost(self.context.top) <= QUICK
        level = self.context.top if is_quick else 0  # so that there is a front soon
        return self._with_candidate(after, recipe, DESIGN, "first", (), level=level)

    def _variation(self, state: EngineState, rng: np.random.Generator) -> EngineState | None:
        """A variation of one or two candidates of the breeding population."""
        pool = [state.live[number] for number in state.pool]
        pool = [one for one in pool if one.member == RECIPES]
        if len(pool) < 2:
            return None
        chances = self._chances(state)
        for _ in range(ATTEMPTS):
            operator = OPERATORS[int(rng.choice(len(OPERATORS), p=chances))]
            first, second = self._parent(state, pool, rng), self._parent(state, pool, rng)
            child = self.variation.child(operator, first.genome, second.genome, rng)
            if child is not None and identity(child) not in state.known:
                parents = (first, second) if operator in CROSSOVERS else (first,)
                numbers = tuple(one.number for one in parents)
                return self._with_candidate(state, child, RECIPES, operator, numbers)
        return None

    @staticmethod
    def _chances(state: EngineState) -> Floats:
        """Probability of each operator, by its recent success."""
        quality = np.array([_tally(state, name).quality for name in OPERATORS])
        share = quality / quality.sum()
        left = 1.0 - LEAST_CHANCE * len(OPERATORS)
        chances: Floats = (LEAST_CHANCE + left * share) / (LEAST_CHANCE * len(quality) + left)
        return chances

    def _parent(
        self, state: EngineState, pool: Sequence[Candidate], rng: np.random.Generator
    ) -> Candidate:
        """Select a parent: least loss below a random risk, from the front, or by tournament."""
        points = np.array([one.penalized for one in pool])
        if rng.random() < AIMED:
            limit = 2.0 * self.risk * rng.random()
            beyond = np.maximum(points[:, 1] - limit, 0.0)
            return pool[int(np.lexsort((points[:, 0], beyond))[0])]
        if rng.random() < FROM_FRONT:
            numbers = {point.number for point in state.front}
            best = [one for one in pool if one.number in numbers]
            if best:
                return best[int(rng.integers(len(best)))]
        return pool[
            int(rng.integers(len(pool), size=2).min())
        ]  # the pool is ordered by rank and crowding

    def _promotion(self, state: EngineState, rng: np.random.Generator) -> EngineState | None:
        """The candidate that promises the most, at the next fidelity."""
        if self.context.top == 0:
            return None
        waiting = {one.candidate for one in state.pending if one.level > 0}
        front = [point.number for point in state.front]
        coming = [state.live[number].predicted for number in (*front, *sorted(waiting))]
        open_ = [
            one
            for one in state.live.values()
            if 0 <= one.level < self.context.top and one.number not in waiting
        ]
        if not open_:
            return None
        points = as_seen(np.array([one.predicted for one in open_]))
        added = gains(points, as_seen(np.array(coming).reshape(-1, 2)))
        added = added / (1.0 + np.array([one.excess for one in open_]))
        best = int(np.argmax(added))
        if added[best] <= 0.0:
            return None
        chosen = open_[best]
        proposal = Proposal(
            Kind.PROMOTION, chosen.member, candidate=chosen.number, level=chosen.level + 1
        )
        return replace(state, pending=(*state.pending, proposal))

    def _breeding(self, state: EngineState, rng: np.random.Generator) -> EngineState:
        """The next task of a search, or the evaluation of one of its individuals.

        Without either, the state in which searches that cannot begin or go on are closed.
        """
        for name in self._searches(state, rng):
            own = state.generations.get(name, Generation())
            if own.ready:
                return self._evaluate_product(state, name, own)
            if own.is_idle:
                try:
                    begun = self._begun(state, name, own)
                except EvomaskError as error:
                    state = state.with_closed(name, str(error))
                    continue
                if begun is None:
                    continue
                own = begun
            if own.size == 0:
                state = state.with_closed(name, EXHAUSTED)
                continue
            if own.issued < own.size:
                proposal = Proposal(Kind.BREEDING, name, index=own.issued)
                issued = replace(own, issued=own.issued + 1)
                return replace(
                    state,
                    pending=(*state.pending, proposal),
                    generations={**state.generations, name: issued},
                )
        return state

    def _searches(self, state: EngineState, rng: np.random.Generator) -> list[str]:
        """Searches that may breed, the next one first: by their recent success."""
        names = [
            name
            for name in self.context.settings.members
            if name != RECIPES and name not in state.closed
        ]
        quality = np.array(
            [EAGER + state.generations.get(name, Generation()).quality for name in names]
        )
        if not names:
            return []
        order = rng.choice(len(names), size=len(names), replace=False, p=quality / quality.sum())
        return [names[place] for place in order.tolist()]

    def _begun(self, state: EngineState, name: str, own: Generation) -> Generation | None:
        """Begin a generation: it adopts the best candidates of others, or breeds.

        None for a search that has to wait for the first front.
        """
        if self.context.adopts(name):
            foreign = [
                point.number
                for point in state.front
                if point.member != name and point.number not in own.adopted
            ]
            if foreign and (own.state is None or len(foreign) >= ADOPTED // 2):
                chosen = tuple(spread(foreign, ADOPTED))
                return replace(own, adopting=chosen, size=len(chosen), issued=0, outcomes={})
            if own.state is None:
                return None
        own = replace(own, adopting=(), issued=0, outcomes={})
        return replace(own, size=len(self.brood(name, own)))

    def _evaluate_product(self, state: EngineState, name: str, own: Generation) -> EngineState:
        product, *rest = own.ready
        generations = {**state.generations, name: replace(own, ready=tuple(rest))}
        after = replace(state, generations=generations)
        search = self.context.settings.members[name].search
        if product.recipe is not None:
            if identity(product.recipe) in state.known:
                return self._breeding(after, np.random.default_rng(product.serial))
            return self._with_candidate(
                after, product.recipe, search, product.operator, (), kind=Kind.PRODUCT
            )
        level = 0 if self.context.is_portable(name) else self.context.top
        return self._with_candidate(
            after, product.genome, search, product.operator, (), kind=Kind.PRODUCT, member=name,
            level=level,
        )  # fmt: skip

    def _with_candidate(
        self,
        state: EngineState,
        genome: Any,  # noqa: ANN401
        search: str,
        operator: str,
        parents: tuple[int, ...],
        *,
        kind: Kind | None = None,
        member: str = RECIPES,
        level: int = 0,
    ) -> EngineState:
        """Add a candidate and the proposal to evaluate it."""
        kinds = {DESIGN: Kind.DESIGN, RECIPES: Kind.VARIATION}
        candidate = Candidate(
            number=state.born,
            member=member,
            genome=genome,
            search=search,
            operator=operator,
            parents=parents,
            readings=(None,) * (self.context.top + 1),
            signature=self._signature(member, genome),
            identity=identity(genome) if member == RECIPES else "",
        )
        proposal = Proposal(kind or kinds[search], member, candidate=state.born, level=level)
        return replace(
            state,
            born=state.born + 1,
            live={**state.live, candidate.number: candidate},
            known=state.known | {candidate.identity},
            pending=(*state.pending, proposal),
        )

    def _signature(self, member: str, genome: Any) -> tuple[int, ...]:  # noqa: ANN401
        """Codes of the methods that mask each quasi-identifier."""
        names = self.context.table.schema.quasi_identifiers
        if member != RECIPES:
            return (crc32(member.encode()),) * len(names)
        recipe: Recipe = genome
        return tuple(
            crc32("+".join(step.method for step in recipe if name in step.attributes).encode())
            for name in names
        )


FIXED_RECORDS = 2_000
"""Records whose evaluation takes as long as what does not depend on their number."""

EXHAUSTED = "nothing is left to try"

_MAKERS: Mapping[
    Kind, Callable[[Proposer, EngineState, np.random.Generator], EngineState | None]
] = {
    Kind.DESIGN: Proposer._design,
    Kind.VARIATION: Proposer._variation,
    Kind.PROMOTION: Proposer._promotion,
    Kind.BREEDING: Proposer._breeding,
}


def pace_key(proposal: Proposal) -> str:
    """Key of the tasks whose cost is alike."""
    if proposal.kind is Kind.BREEDING:
        return f"breed {proposal.member}"
    return f"evaluate {proposal.level}"


def _tally(state: EngineState, operator: str) -> OperatorTally:
    return state.operators.get(operator, OperatorTally())


def order_of(points: Points, size: int) -> list[int]:
    """Positions of the best points by rank, then by crowding, at most *size*."""
    seen = as_seen(points)
    ranks = non_dominated_ranks(seen)
    chosen: list[int] = []
    for rank in range(int(ranks.max(initial=-1)) + 1):
        places = np.flatnonzero(ranks == rank)
        apart = crowding(seen[places])
        chosen += places[np.argsort(-apart, kind="stable")].tolist()
        if len(chosen) >= size:
            break
    return chosen[:size]


def products_of(
    own: Generation, after: State[Any], born: Iterator[tuple[int, int]], most: int
) -> tuple[Product, ...]:
    """The best new individuals of a generation, as candidates.

    Args:
        born: serial number and position of each child of the generation.
    """
    places = dict(born)
    best = sorted(after.archive.members or after.population, key=lambda one: one.fitness)
    new = [one for one in best if one.serial in places]
    return tuple(
        Product(one.serial, one.operator, one.genome, own.recipes.get(places[one.serial]))
        for one in spread(new, most)
    )
