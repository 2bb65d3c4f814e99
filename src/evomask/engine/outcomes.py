"""Outcomes of the engine's proposals, merged into its state in the order of the proposals."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evomask.engine.evaluation import Bred, EvaluationContext, Measured, Refusal, Timed
from evomask.engine.front import FrontPoint, front_of
from evomask.engine.prediction import pair, predict
from evomask.engine.proposals import EXHAUSTED, Proposer, order_of, pace_key, products_of
from evomask.engine.state import (
    NONE,
    Birth,
    Candidate,
    Effort,
    EngineState,
    Generation,
    Kind,
    OperatorTally,
    Proposal,
    Shift,
)
from evomask.evolution.individual import Brood, Outcome, initial_tasks
from evomask.evolution.schemes import Unbred
from evomask.evolution.state import State, individuals_from
from evomask.searches.catalogue import RECIPES

POOL = 60
"""Size of the breeding population."""

REMEMBERED = 100
"""Candidates outside of the population that may still be promoted."""

PRODUCTS = 3
"""Individuals of a generation of another search that are evaluated as candidates."""

LEARNING = 0.05
"""Weight of the latest outcome in the success of an operator."""

REWARDS = (0.0, 0.3, 1.0)
"""Reward for a candidate that is discarded, enters the population, or is beaten by none."""

PACE = 0.2
"""Weight of the latest task in the mean cost of such tasks."""


@dataclass(frozen=True, eq=False)
class Merger:
    """Merges outcomes for one file.

    Args:
        clocked: whether costs are the measured seconds.
    """

    context: EvaluationContext
    proposer: Proposer
    clocked: bool

    def merge(self, state: EngineState, timed: Timed) -> EngineState:
        """Return the state after the outcome of its first pending proposal."""
        proposal, *rest = state.pending
        cost = timed.seconds if self.clocked else self.proposer.estimate(proposal)
        after = self._with_cost(replace(state, pending=tuple(rest)), proposal, cost)
        after = replace(after, evaluations=state.evaluations + 1)
        if proposal.kind is Kind.BREEDING:
            return self._merge_task(after, proposal, timed.result, cost)
        return self._merge_evaluation(after, proposal, timed.result, cost)

    def _with_cost(self, state: EngineState, proposal: Proposal, cost: float) -> EngineState:
        """Replace the expected cost of a proposal by that which it had."""
        key = pace_key(proposal)
        before = state.pace.get(key)
        pace = cost if before is None else before + PACE * (cost - before)
        kind = Kind.BREEDING if proposal.kind is Kind.PRODUCT else proposal.kind
        spent = state.spent.get(kind, 0.0) + cost - proposal.expected
        return replace(state, pace={**state.pace, key: pace}, spent={**state.spent, kind: spent})

    # -- evaluations ----------------------------------------------------------------------------

    def _merge_evaluation(
        self, state: EngineState, proposal: Proposal, result: object, cost: float
    ) -> EngineState:
        before = state.live[proposal.candidate]
        level, is_first = proposal.level, before.level == NONE
        is_whole = level == self.context.top
        state = _with_effort(state, before.search, cost, whole=is_whole)
        if not isinstance(result, Measured):
            reason = result.reason if isinstance(result, Refusal) else ""
            return self._without(state, before, is_first=is_first, reason=reason)
        reading = (result.loss, result.risk)
        readings = (*before.readings[:level], reading, *before.readings[level + 1 :])
        candidate = replace(before, readings=readings, predicted=reading)
        state = replace(state, live={**state.live, candidate.number: candidate})
        if is_first:
            state = replace(state, births=state.births.plus([_birth(candidate, reading)]))
        else:
            state = self._with_shift(state, before, level, reading)
        if is_whole:
            state = self._with_point(state, candidate, result)
        else:
            state = self._with_sampled_excess(state, candidate, result)
            state = replace(state, trials=state.trials + 1)
        fresh = state.live.values() if not is_first else (state.live[candidate.number],)
        state = self._predicted(state, fresh)
        return self._selected(state, candidate.number if is_first else None)

    def _without(
        self, state: EngineState, candidate: Candidate, *, is_first: bool, reason: str
    ) -> EngineState:
        """Discard a candidate that could not be made or evaluated."""
        live = {n: one for n, one in state.live.items() if n != candidate.number}
        state = replace(state, live=live, refused=state.refused + 1)
        state = replace(state, pool=tuple(n for n in state.pool if n != candidate.number))
        if is_first:
            state = replace(state, births=state.births.plus([_birth(candidate, (100.0, 100.0))]))
            state = _with_tally(state, candidate.operator, 0)
        refusals = {**state.refusals, reason: state.refusals.get(reason, 0) + 1}
        return replace(state, refusals=refusals)

    def _with_shift(
        self, state: EngineState, before: Candidate, level: int, reading: tuple[float, float]
    ) -> EngineState:
        """Learn the difference between the last fidelity of a candidate and its new one."""
        seen = before.readings[before.level]
        if seen is None:
            return state
        shift = Shift(
            before.level, *seen, reading[0] - seen[0], reading[1] - seen[1], before.number
        )
        signatures = {**state.signatures, before.number: before.signature}
        return replace(state, shifts=state.shifts.plus([shift]), signatures=signatures)

    def _with_point(
        self, state: EngineState, candidate: Candidate, measured: Measured
    ) -> EngineState:
        """Add a whole file, and update the front."""
        specialist = self.context.settings.members[candidate.member]
        point = FrontPoint(
            number=candidate.number,
            making=self.context.provenance(candidate.member, candidate.genome, candidate.operator),
            loss=measured.loss,
            risk=measured.risk,
            search=candidate.search,
            member=candidate.member,
            operator=candidate.operator,
            serial=candidate.number,
            round=state.generation + 1,
            parameters=specialist.parameters,
            assessment=measured.assessment,
            objectives=measured.objectives,
            limited=measured.limited,
            errors=measured.errors,
        )
        limits = self.context.settings.limits
        excess = point.excess(limits)
        live = {**state.live, candidate.number: replace(candidate, excess=max(0.0, excess))}
        state = self._with_relief(state, candidate, excess)
        points = sorted((*state.front, point), key=lambda one: one.number)
        state = replace(state, live=live, candidates=state.candidates.plus([point]))
        return replace(state, front=front_of(points, limits))

    def _with_relief(self, state: EngineState, candidate: Candidate, excess: float) -> EngineState:
        """Learn how much larger errors are on the sample on which a candidate was seen before."""
        before = [i for i, own in enumerate(candidate.readings[:-1]) if own is not None]
        if candidate.sampled is None or not before:
            return state
        key, difference = str(before[-1]), excess - candidate.sampled
        mean = state.relief.get(key, difference)
        return replace(state, relief={**state.relief, key: mean + PACE * (difference - mean)})

    def _with_sampled_excess(
        self, state: EngineState, candidate: Candidate, measured: Measured
    ) -> EngineState:
        """Expect the errors of analyses of a sample, less what samples add, for the whole file."""
        limits = self.context.settings.limits
        known = [measured.errors[name] - limits[name] for name in limits if name in measured.errors]
        if not known:
            return state
        sampled = max(known)
        excess = max(0.0, sampled + state.relief.get(str(candidate.level), 0.0))
        after = replace(candidate, sampled=sampled, excess=excess)
        return replace(state, live={**state.live, candidate.number: after})

    def _predicted(self, state: EngineState, fresh: Iterable[Candidate]) -> EngineState:
        """Predict the whole-file results of candidates."""
        known = [one for one in fresh if one.level >= 0]
        values = predict(known, tuple(state.shifts), state.signatures, self.context.top)
        live = dict(state.live)
        for one, row in zip(known, values, strict=True):
            live[one.number] = replace(one, predicted=pair(row))
        return replace(state, live=live)

    def _selected(self, state: EngineState, new: int | None) -> EngineState:
        """Select the breeding population, and forget candidates that have no future."""
        waiting = {one.candidate for one in state.pending if one.kind is not Kind.BREEDING}
        adopting = {n for own in state.generations.values() for n in own.adopting}
        known = [one for one in state.live.values() if one.level >= 0]
        points = np.array([one.penalized for one in known]).reshape(-1, 2)
        ranked = [known[place].number for place in order_of(points, POOL + REMEMBERED)]
        front = {point.number for point in state.front}
        pinned = {*ranked, *front, *waiting, *adopting}
        live = {number: one for number, one in state.live.items() if number in pinned}
        pool = tuple(ranked[:POOL])
        settings = self.context.settings
        if self.context.objectives or settings.limits or settings.keep.objective:
            # they are not predicted, so points with good ones breed too
            pool = tuple(dict.fromkeys((*pool, *sorted(front))))
        state = replace(state, live=live, pool=pool)
        if new is None:
            return state
        return self._with_credit(state, new)

    def _with_credit(self, state: EngineState, number: int) -> EngineState:
        """Credit the operator or the search that made a candidate."""
        if number not in state.pool:
            return _credit(state, state.births.last(1)[0], 0)
        candidate = state.live[number]
        others = np.array([state.live[n].predicted for n in state.pool if n != number])
        own = np.array(candidate.predicted)
        beaten = bool(len(others)) and bool((others <= own).all(axis=1).any())
        return _credit(state, state.births.last(1)[0], 1 if beaten else 2)

    # -- searches that breed --------------------------------------------------------------------

    def _merge_task(
        self, state: EngineState, proposal: Proposal, result: object, cost: float
    ) -> EngineState:
        name = proposal.member
        search = self.context.settings.members[name].search
        state = _with_effort(state, search, cost, bred=True)
        own = state.generations[name]
        own = replace(own, cost=own.cost + cost)
        if isinstance(result, Bred):
            own = replace(own, outcomes={**own.outcomes, proposal.index: result.outcome})
            if result.recipe is not None:
                own = replace(own, recipes={**own.recipes, proposal.index: result.recipe})
        else:
            reason = result.reason if isinstance(result, Refusal) else EXHAUSTED
            own = replace(own, outcomes={**own.outcomes, proposal.index: None})
            if not own.adopting:
                state = state.with_closed(name, reason)
        if len(own.outcomes) == own.size and name not in state.closed:
            own = self._completed(name, own)
        return replace(state, generations={**state.generations, name: own})

    def _completed(self, name: str, own: Generation) -> Generation:
        """Advance a search by its generation, and take its best individuals as candidates."""
        setup = self.context.breeder(name).setup(name)
        outcomes = [own.outcomes[place] for place in range(own.size)]
        made = [one for one in outcomes if isinstance(one, Outcome)]
        inner: State[Any] = own.state or State(archive=setup.archive)
        idle = replace(own, size=0, issued=0, outcomes={}, recipes={}, adopting=())
        if own.adopting:
            adopted = own.adopted.union(own.adopting)
            adoptions: Brood[Any] = initial_tasks(len(made))
            children = individuals_from(inner, adoptions, made)
            after = inner.advanced(adoptions, made, (*inner.population, *children), setup.cost)
            return replace(idle, state=after if made else own.state, adopted=adopted)
        brood = tuple(self.proposer.brood(name, own))
        scheme = Unbred() if own.state is None else setup.scheme
        after = inner.advanced(brood, made, scheme.replace(inner, brood, made), setup.cost)
        born = ((inner.tasks + place, place) for place in range(own.size))
        ready = products_of(own, after, born, PRODUCTS)
        return replace(idle, state=after, ready=ready)


def _birth(candidate: Candidate, reading: tuple[float, float]) -> Birth:
    first, second = (*candidate.parents, NONE, NONE)[:2]
    return Birth(
        candidate.number,
        candidate.search,
        candidate.operator,
        first,
        second,
        *reading,
        candidate.identity,
    )


def _with_effort(
    state: EngineState, search: str, cost: float, *, whole: bool = False, bred: bool = False
) -> EngineState:
    before = state.efforts.get(search, Effort())
    after = Effort(
        bred=before.bred + bred,
        trials=before.trials + (not whole and not bred),
        files=before.files + (whole and not bred),
        cost=before.cost + cost,
    )
    return replace(state, efforts={**state.efforts, search: after})


def _credit(state: EngineState, birth: Birth, success: int) -> EngineState:
    """Update the success of an operator, or of the search whose individual the candidate was."""
    if birth.search == RECIPES:
        return _with_tally(state, birth.operator, success)
    generations = {
        name: replace(own, quality=own.quality + 3 * LEARNING * (REWARDS[success] - own.quality))
        if name.partition("-")[0] == birth.search
        else own
        for name, own in state.generations.items()
    }
    return replace(state, generations=generations)


def _with_tally(state: EngineState, operator: str, success: int) -> EngineState:
    before = state.operators.get(operator, OperatorTally())
    after = OperatorTally(
        children=before.children + 1,
        entered=before.entered + (success > 0),
        improved=before.improved + (success > 1),
        quality=before.quality + LEARNING * (REWARDS[success] - before.quality),
    )
    return replace(state, operators={**state.operators, operator: after})
