"""Interpretations of chapter 3 where its text is ambiguous, compared with Table 3.2.

The text does not say which statistics its loss of numbers has, which intervals and linkages its
risk has, and with which files it began. Equation (3.3) prefers worse parents, the sentence below it
better ones; deterministic crowding as cited compares a child with the nearer parent, here with the
parent of the same number; a mutation flips a bit of the gene, which has none where a value is
unchanged. Each of six questions has several answers; one after another is answered by what comes
nearest to the printed scores.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

import numpy as np

from evomask.evolution.individual import COSTS, Brood, Outcomes, Population, ScoreRule
from evomask.evolution.schemes import CROSS, MutateOrCross
from evomask.evolution.selection import inverse
from evomask.evolution.state import State, individuals_from
from evomask.evolution.stopping import Budget
from evomask.measures.measure import Measure
from evomask.measures.papers.continuous_loss import (
    CorrelationLoss,
    CovarianceLoss,
    MeanLoss,
    ProbabilisticLoss,
    VarianceLoss,
)
from evomask.measures.papers.distance_linkage import DistanceLinkage
from evomask.measures.papers.interval_disclosure import (
    DeviationInterval,
    RankInterval,
    RelativeInterval,
)
from evomask.measures.papers.probabilistic_linkage import ProbabilisticLinkage
from evomask.measures.profiles import RiskProfile, classic_loss
from evomask.measures.score import Mean, Weighted
from evomask.searches.files.genome import Genome
from evomask.searches.files.search import FILES, Algorithm, Parameters, Width
from evomask_papers.effort import Effort
from evomask_papers.file_study import FilesStudy, observe_run
from evomask_papers.files.inputs import (
    CONTINUOUS,
    FINAL_SCORES,
    FIRST_BEST,
    FIRST_FILES,
    original_for,
)
from evomask_papers.files.tables import GENERATIONS, AnotherJudge, fall, methods_for

Row = dict[str, object]
Names = tuple[str, ...]


def _loss(answer: str, names: Names) -> Measure:
    statistics = (MeanLoss(names), CovarianceLoss(names), VarianceLoss(names))
    losses: Mapping[str, Measure] = {
        "IL1 to IL5": classic_loss(names),
        "probabilistic": ProbabilisticLoss(names),
        "IL2 to IL5": Mean((*statistics, CorrelationLoss(names))),
        "means and correlations": Mean((MeanLoss(names), CorrelationLoss(names))),
    }
    return losses[answer]


def _risk(answer: str, names: Names) -> Measure | None:
    linked = DistanceLinkage(names)
    risks: Mapping[str, Measure | None] = {
        "ranks, DBRL": None,
        "ranks, DBRL, PRL": Weighted(
            (RankInterval(names), linked, ProbabilisticLinkage(names)), (0.5, 0.25, 0.25)
        ),
        "deviations, DBRL": Mean((DeviationInterval(names), linked)),
        "ranks, DBRL of 1 to 7": Mean((RankInterval(names), _partly_known(names))),
        "shares of the value, DBRL of 1 to 7": Mean(
            (Mean(tuple(RelativeInterval(names, p) for p in PERCENT)), _partly_known(names))
        ),
    }
    return risks[answer]


PERCENT = tuple(range(1, 11))
"""Widths of intervals around a value, in percent of it, as in the grouping thesis."""

MOST_KNOWN = 7


def _partly_known(names: Names) -> Measure:
    """Linkage by the first attribute, the first two and so on up to seven, on average."""
    most = min(MOST_KNOWN, len(names))
    return Mean(tuple(DistanceLinkage(names[:known]) for known in range(1, most + 1)))


ANSWERS: Mapping[str, tuple[str, ...]] = {
    "loss": ("IL1 to IL5", "probabilistic", "IL2 to IL5", "means and correlations"),
    "first": ("evenly", "the best", "swapped"),
    "parents": ("better more often", "as (3.3)"),
    "survival": ("own parent", "nearer parent", "best two of four"),
    "mutation": ("any bit", "own bits"),
    "risk": (
        "ranks, DBRL",
        "deviations, DBRL",
        "ranks, DBRL, PRL",
        "ranks, DBRL of 1 to 7",
        "shares of the value, DBRL of 1 to 7",
    ),
}
"""Answers to each question in the order of trial; the first is the default."""

BY_FIRST_SCORES = {"loss": "probabilistic", "first": "the best"}
"""Answers whose initial scores are closest to the printed ones, given the final risks."""


@dataclass(frozen=True)
class ReadingOfText:
    """One interpretation: an answer to each open question of the text."""

    loss: str = ANSWERS["loss"][0]
    first: str = ANSWERS["first"][0]
    parents: str = ANSWERS["parents"][0]
    survival: str = ANSWERS["survival"][0]
    mutation: str = ANSWERS["mutation"][0]
    risk: str = ANSWERS["risk"][0]


@dataclass(frozen=True)
class OtherSurvival(MutateOrCross[Genome]):
    """The thesis' loop with another replacement rule for crossover children."""

    survival: str = ANSWERS["survival"][0]

    def replace(
        self, state: State[Genome], brood: Brood[Genome], outcomes: Outcomes[Genome]
    ) -> Population[Genome]:
        crossed = brood[0].operator == CROSS and brood[0].rival != brood[1].rival
        if crossed and self.survival == "best two of four":
            return self._best_two(state, brood, outcomes)
        nearer = crossed and self.survival == "nearer parent"
        return super().replace(state, _to_nearer(brood, outcomes) if nearer else brood, outcomes)

    def _best_two(
        self, state: State[Genome], brood: Brood[Genome], outcomes: Outcomes[Genome]
    ) -> Population[Genome]:
        survivors = list(state.population)
        places = [task.rival or 0 for task in brood]
        four = [*(survivors[place] for place in places), *individuals_from(state, brood, outcomes)]
        four.sort(key=lambda member: self.cost(member.fitness))
        for place, member in zip(places, four, strict=False):
            survivors[place] = member
        return tuple(survivors)


def _to_nearer(brood: Brood[Genome], outcomes: Outcomes[Genome]) -> Brood[Genome]:
    """Swap the rivals of a crossover's two tasks if the children are nearer that way."""
    parents = [parent.genome for parent in brood[0].parents]
    apart = [[int(np.sum(o.genome != parent)) for parent in parents] for o in outcomes]
    if apart[0][0] + apart[1][1] <= apart[0][1] + apart[1][0]:
        return brood
    return replace(brood[0], rival=brood[1].rival), replace(brood[1], rival=brood[0].rival)


@lru_cache(maxsize=256)
def followed(name: str, reading: ReadingOfText, effort: Effort) -> FilesStudy:
    """Run the thesis' algorithm on one file of numbers under one interpretation."""
    own = Width.OWN if reading.mutation == "own bits" else Width.FIXED
    parameters = Parameters(
        algorithm=Algorithm.THESIS,
        profile=RiskProfile.PAPERS,
        score=ScoreRule.MEAN,
        width=own,
        held_out=False,
    )
    setup = FILES.setup(original_for(name, effort), parameters, effort.around)
    problem = _judged(setup.problem, name, reading)
    weigh = inverse if reading.parents == "better more often" else np.copy
    scheme = OtherSurvival(weigh=weigh, cost=COSTS[ScoreRule.MEAN], survival=reading.survival)
    begun = replace(setup, problem=problem, scheme=scheme, first=len(problem.methods))
    return observe_run(begun, Budget(generations=effort.of(GENERATIONS)), effort.seed)


def _judged(problem: Any, name: str, reading: ReadingOfText) -> Any:  # noqa: ANN401
    names = problem.coding.names
    loss, risk = _loss(reading.loss, names), _risk(reading.risk, names)
    judge = AnotherJudge(problem.coding, RiskProfile.PAPERS, loss, risk)
    judged = replace(problem, judge=judge, methods=methods_for(problem.methods))
    return replace(judged, methods=_first_files(judged, FIRST_FILES[name], reading.first))


def _first_files(problem: Any, count: int, answer: str) -> tuple[Any, ...]:  # noqa: ANN401
    if answer == "evenly":
        return methods_for(problem.methods, count)
    swapped = tuple(m for m in problem.methods if "swapping" in m.family)
    if answer == "swapped":
        return methods_for(swapped, min(count, len(swapped)))
    files = (problem.decode(problem.first(i), 0) for i in range(len(problem.methods)))
    scores = [sum(problem.judge.full(file)) for file in files]
    return tuple(problem.methods[i] for i in sorted(np.argsort(scores, kind="stable")[:count]))


def distance_from_print(reading: ReadingOfText, effort: Effort) -> float:
    """Return the mean difference, in points, of initial best, final best and final mean score."""
    apart = []
    for name in CONTINUOUS:
        scores = followed(name, reading, effort).scores
        ours = scores[0].smallest, scores[-1].smallest, scores[-1].mean
        least, middle, _ = np.mean(FINAL_SCORES[name], axis=0)
        apart.append(np.abs(np.subtract(ours, (FIRST_BEST[name], least, middle))))
    return float(np.mean(apart))


def tried(effort: Effort) -> Iterator[ReadingOfText]:
    """Evaluate interpretations question by question, and keep the closest answer of each."""
    best = ReadingOfText()
    yield best
    for question in fields(ReadingOfText):
        others = [replace(best, **{question.name: a}) for a in ANSWERS[question.name]]
        yield from (other for other in others if other != best)
        best = min(others, key=lambda other: distance_from_print(other, effort))
    for risk in ANSWERS["risk"][-2:]:
        yield ReadingOfText(**BY_FIRST_SCORES, risk=risk)


def table_readings(seed: int = 1, share: float = 1.0) -> list[Row]:
    """Decreases of Table 3.2 under each interpretation of the text, the closest last."""
    effort = Effort(seed, share)
    made = list(dict.fromkeys(tried(effort)))
    nearest = min(made, key=lambda reading: distance_from_print(reading, effort))
    rows = [_reading_row("tried", reading, effort) for reading in made]
    return [*rows, _reading_row("nearest", nearest, effort)]


def _reading_row(label: str, reading: ReadingOfText, effort: Effort) -> Row:
    row: Row = {"": label, **vars(reading)}
    for name in CONTINUOUS:
        scores = followed(name, reading, effort).scores
        printed = min(least for least, _, _ in FINAL_SCORES[name])
        row |= {
            f"{name} fall paper": fall(FIRST_BEST[name], printed),
            f"{name} fall ours": fall(scores[0].smallest, scores[-1].smallest),
            f"{name} best paper": printed,
            f"{name} best ours": scores[-1].smallest,
        }
    return row | {"points off": distance_from_print(reading, effort)}
