"""Explanation of a search: which searches and operators paid, how the front grew, and the family
of the chosen recipe in three sentences."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from evomask.engine.evaluation import EvaluationContext
from evomask.engine.front import DESIGN, FrontPoint, spread
from evomask.engine.specialists import is_main_search
from evomask.engine.state import NONE, Birth, EngineState, shares
from evomask.masking.catalogue import method_named
from evomask.masking.recipe import Recipe, identity, joined
from evomask.report.describe import join_names
from evomask.report.record import (
    AncestorNote,
    ExplanationNote,
    GrowthNote,
    PaidNote,
)

MOST_ROWS = 200
"""Moments of the growth of the front that a record holds."""

MOST_ANCESTORS = 100
"""Ancestors that a record holds, the latest first."""

MOST_DEEDS = 4
"""Kinds of changes that a sentence names."""

DEEDS: Mapping[str, str] = {
    "parameter": "a parameter was tuned",
    "method": "a method was exchanged for another",
    "join": "two groups of attributes were joined",
    "split": "a group of attributes was divided",
    "move": "an attribute was moved to another group",
    "add": "a step was added",
    "remove": "a step was left out",
    "crossover by attribute": "the masking of some attributes was taken from another recipe",
    "crossover by phase": "the steps of one kind were taken from another recipe",
}
"""What each operator did, as a clause."""


def explain(
    context: EvaluationContext, state: EngineState, times: Sequence[float], point: FrontPoint
) -> ExplanationNote:
    """Explain how a point was found.

    Args:
        times: seconds at the end of each block; empty if the run was not bound by time.
    """
    known = {birth.number: birth for birth in state.births}
    family = _ancestors(known, point.number)
    return ExplanationNote(
        point=point.point,
        sentences=_sentences(context, state, known, point),
        ancestors=tuple(
            AncestorNote(
                one.number,
                one.search,
                one.operator,
                round(one.loss, 2),
                round(one.risk, 2),
                tuple(n for n in (one.first, one.second) if n != NONE),
            )
            for one in sorted(family, reverse=True)[:MOST_ANCESTORS]
        ),
        growth=tuple(_growth(state, times)),
        searches=tuple(_searches(state)),
        operators=tuple(_operators(state)),
    )


def _ancestors(known: Mapping[int, Birth], number: int) -> list[Birth]:
    """Return a candidate and all that it descends from."""
    found: dict[int, Birth] = {}
    waiting = [number]
    while waiting:
        one = known.get(waiting.pop())
        if one is not None and one.number not in found:
            found[one.number] = one
            waiting += [n for n in (one.first, one.second) if n != NONE]
    return list(found.values())


def _line(known: Mapping[int, Birth], number: int) -> list[Birth]:
    """Return a candidate's line of first parents, from the oldest."""
    line: list[Birth] = []
    while number in known and (not line or number < line[-1].number):
        line.append(known[number])
        number = known[number].first
    return line[::-1]


def _growth(state: EngineState, times: Sequence[float]) -> Iterator[GrowthNote]:
    for row in spread(list(state.rounds), MOST_ROWS):
        seconds = round(times[row.generation], 1) if row.generation < len(times) else None
        yield GrowthNote(row.evaluations, row.front, round(row.volume, 3), seconds)


def _searches(state: EngineState) -> Iterator[PaidNote]:
    """What each search cost and found."""
    points = Counter(point.search for point in state.front)
    born = Counter(birth.search for birth in state.births)
    whole = Counter(point.search for point in state.candidates)
    for name, share in shares(state).items():
        yield _paid(name, share, born[name], points[name], len(state.front), whole[name])


def _operators(state: EngineState) -> Iterator[PaidNote]:
    """What each operator on recipes cost and found; its cost is its share of the candidates."""
    names = [birth.operator for birth in state.births if is_main_search(birth.search)]
    main = sum(share for name, share in shares(state).items() if is_main_search(name))
    points = Counter(point.operator for point in state.front if is_main_search(point.search))
    whole = Counter(point.operator for point in state.candidates if is_main_search(point.search))
    for name, count in Counter(names).most_common():
        share = main * count / len(names)
        yield _paid(name, share, count, points[name], len(state.front), whole[name])


def _paid(
    name: str, share: float, candidates: int, points: int, front: int, whole: int
) -> PaidNote:
    found = 100.0 * points / front if front else 0.0
    return PaidNote(name, round(share, 2), candidates, whole, points, round(found, 2))


def _sentences(
    context: EvaluationContext, state: EngineState, known: Mapping[int, Birth], point: FrontPoint
) -> tuple[str, ...]:
    """Tell the family of a point in three sentences."""
    line = _line(known, point.number)
    tried = len(state.births)
    if not line:
        return ()
    oldest, own = line[0], line[-1]
    origin = _origin(context, oldest)
    if len(line) == 1:
        return (
            f"The masking is {origin}, and nothing was changed in it.",
            f"None of the {tried:,} candidates that were tried has both less loss and less risk.",
            _capitalized(_result(point)),
        )
    roots = [one for one in _ancestors(known, own.number) if one.first == NONE]
    others = len(roots) - 1
    with_others = f" and took parts of {_others(others)}" if others else ""
    kept = f"{_times(len(line) - 1, 'change')} of it survived among {tried:,} candidates"
    return (
        f"The masking began as {origin}{with_others}; {kept}.",
        f"On the way, {_deeds(line[1:])}.",
        f"{_best_change(line)}; {_result(point)}",
    )


def _origin(context: EvaluationContext, oldest: Birth) -> str:
    """Say where a line began."""
    recipes = {identity(one): one for one in context.initial_recipes}
    recipe = recipes.get(oldest.identity)
    if oldest.search == DESIGN:
        steps = f" ({_titles(recipe)})" if recipe else ""
        return f"one of the recipes that every search begins with{steps}"
    if recipe is None or is_main_search(oldest.search):
        return f"a proposal of the search {oldest.search}"
    return f"a recipe that was given ({_titles(recipe)})"


def _titles(recipe: Recipe) -> str:
    """Name the methods of a recipe."""
    titles = [method_named(step.method).about.title for step in joined(recipe)]
    return join_names(list(dict.fromkeys(titles))) or "enforcement alone"


def _others(count: int) -> str:
    return "one other recipe" if count == 1 else f"{count} other recipes"


def _times(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _deeds(line: Iterable[Birth]) -> str:
    """List what was done in a line, the most frequent first."""
    counts = Counter(birth.operator for birth in line).most_common()
    return join_names([_deed(name, count) for name, count in counts], MOST_DEEDS, "other changes")


def _deed(operator: str, count: int) -> str:
    clause = DEEDS.get(operator, f"the operator {operator} was applied")
    return clause if count == 1 else f"{clause} {'twice' if count == 2 else f'{count} times'}"


def _best_change(line: Sequence[Birth]) -> str:
    """Name the change that lowered loss and risk most, as seen at the first evaluations."""
    gains = [(a.loss + a.risk - b.loss - b.risk, a, b) for a, b in pairwise(line)]
    gain, before, after = max(gains, key=lambda row: row[0])
    if gain <= 0:
        return "No single change lowered the sum of loss and risk"
    deed = DEEDS.get(after.operator, f"the operator {after.operator} was applied")
    return (
        f"Most was gained when {deed}: the loss went from {before.loss:.1f} to {after.loss:.1f} % "
        f"and the risk from {before.risk:.1f} to {after.risk:.1f} % at the first evaluation"
    )


def _result(point: FrontPoint) -> str:
    return (
        f"on the whole file it has a loss of {point.loss:.1f} % and a risk of {point.risk:.1f} %."
    )


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]
