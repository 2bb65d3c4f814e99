"""Reproductions of evolved PRAM matrices (Marés, 2013, chapter 4.1): tables 4.1 to 4.7, figures 4.4
to 4.9.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from evomask.data.chart import Axis, Chart, Series
from evomask.evolution.individual import Brood, Fitness, Outcomes, ScoreRule
from evomask.evolution.loop import Setup, Worker, begin, evolve
from evomask.evolution.state import State
from evomask.evolution.stopping import generations
from evomask.evolution.streams import draw_stream
from evomask.execution.local import InProcess
from evomask.masking.randomization.pram import Transitions, category_frequencies, draw, off_diagonal
from evomask.measures.profiles import RiskProfile
from evomask.searches.pram.search import (
    Algorithm,
    Parameters,
    PramSearch,
)
from evomask.types import Floats
from evomask_papers.claims import MUCH, SLIGHTLY, VERY_MUCH, Claim
from evomask_papers.effort import Effort
from evomask_papers.housing import DEGREE, DEGREES, housing
from evomask_papers.pram.inputs import (
    ATTRIBUTES,
    FIRST_MATRIX,
    FLARE,
    GERMAN,
    HOUSING,
    LAST_FREQUENCIES,
    LAST_MATRIX,
    SCORES,
    original,
)

AS_PRINTED, OURS = 1_125, 15
"""Generations of Algorithm 6, and of ours."""

Row = dict[str, object]


class SearchRun(NamedTuple):
    """A finished search for matrices or equations: its best result and its course.

    Args:
        path: loss and risk of the best individual after each generation.
    """

    problem: Any
    genome: Any
    path: tuple[Fitness, ...]

    @property
    def fitness(self) -> Fitness:
        return self.path[-1]


def run_setup(setup: Setup[Any], effort: Effort, usual: int) -> SearchRun:
    """Run a prepared search for that many generations."""
    work = InProcess(Worker(setup.problem, effort.seed))
    leading: list[Any] = []

    def watch(_: Any, __: Brood[Any], ___: Outcomes[Any], after: State[Any]) -> None:  # noqa: ANN401
        everyone = (*leading[-1:], *after.population)
        leading.append(min(everyone, key=lambda member: setup.cost(member.fitness)))

    state = begin(setup.first, work, archive=setup.archive, observers=[watch], cost=setup.cost)
    until = generations(effort.of(usual))
    evolve(
        state, setup.scheme, work, seed=effort.seed, until=until, observers=[watch], cost=setup.cost
    )
    path = tuple(member.fitness for member in leading)
    return SearchRun(setup.problem, leading[-1].genome, path)


@lru_cache(maxsize=64)
def searched(
    name: str, attributes: tuple[str, ...], algorithm: Algorithm, effort: Effort
) -> SearchRun:
    """Search matrices for the mean score from the frequency matrix with p = 0.5, profile `papers`.

    As in (4.4) and (4.10): the mean of five drawn files, probabilistic linkage among the risks.
    """
    parameters = Parameters(
        algorithm=algorithm,
        profile=RiskProfile.PAPERS,
        probabilistic=True,
        score=ScoreRule.MEAN,
        expected=False,
    )
    setup = PramSearch.setup(original(name).only(attributes), parameters, effort.around)
    usual = AS_PRINTED if algorithm is Algorithm.THESIS else OURS
    return run_setup(setup, effort, usual)


def table_4_1() -> list[Row]:
    """The first matrix of DEGREE, p = 0.5, by equation (2.3)."""
    return _matrix_rows(FIRST_MATRIX, off_diagonal(DEGREE, 0.5))


def table_4_2() -> list[Row]:
    """Number of records in each category of DEGREE."""
    ours = category_frequencies(housing(), "DEGREE")
    return _frequency_rows({"records": (DEGREE, ours)})


def table_4_6(seed: int = 1, share: float = 1.0) -> list[Row]:
    """The last matrix of DEGREE, three attributes of Housing at the same time."""
    run = searched(HOUSING, ATTRIBUTES[HOUSING], Algorithm.THESIS, Effort(seed, share))
    return _matrix_rows(LAST_MATRIX, run.problem.matrices(run.genome)["DEGREE"])


def table_4_7(seed: int = 1, share: float = 1.0) -> list[Row]:
    """Number of records in each category of DEGREE before and after masking."""
    effort = Effort(seed, share)
    run = searched(HOUSING, ATTRIBUTES[HOUSING], Algorithm.THESIS, effort)
    codes = housing().codes("DEGREE")
    masked = draw(codes, run.problem.matrices(run.genome)["DEGREE"], draw_stream(effort.seed, 0))
    ours = np.bincount(masked, minlength=len(DEGREE)).astype(np.float64)
    first = category_frequencies(housing(), "DEGREE")
    last = np.array(LAST_FREQUENCIES, dtype=np.float64)
    return _frequency_rows({"initial": (DEGREE, first), "final": (last, ours)})


def _matrix_rows(paper: Transitions, ours: Transitions) -> list[Row]:
    """Return a row for each category with its transition probabilities, printed and computed."""
    return [
        {
            "from": DEGREES[i],
            **{f"to {name} paper": float(paper[i, j]) for j, name in enumerate(DEGREES)},
            **{f"to {name} ours": float(ours[i, j]) for j, name in enumerate(DEGREES)},
        }
        for i in range(len(DEGREES))
    ]


def _frequency_rows(pairs: Mapping[str, tuple[Floats, Floats]]) -> list[Row]:
    return [
        {"category": category}
        | {
            f"{label} {whose}": int(values[i])
            for label, pair in pairs.items()
            for whose, values in zip(("paper", "ours"), pair, strict=True)
        }
        for i, category in enumerate(DEGREES)
    ]


def table_4_3(seed: int = 1, share: float = 1.0) -> list[Row]:
    """Initial and final scores of three attributes at the same time, Housing."""
    return _scores(HOUSING, Effort(seed, share))


def table_4_4(seed: int = 1, share: float = 1.0) -> list[Row]:
    """Initial and final scores of three attributes at the same time, German credit."""
    return _scores(GERMAN, Effort(seed, share))


def table_4_5(seed: int = 1, share: float = 1.0) -> list[Row]:
    """Initial and final scores of three attributes at the same time, Solar flare."""
    return _scores(FLARE, Effort(seed, share))


def _scores(name: str, effort: Effort) -> list[Row]:
    printed = searched(name, ATTRIBUTES[name], Algorithm.THESIS, effort)
    ours = searched(name, ATTRIBUTES[name], Algorithm.MEMETIC, effort)
    start = printed.path[0]
    rows = {
        "initial": (SCORES[name]["initial"], start),
        "final, Algorithm 6": (SCORES[name]["final"], printed.fitness),
        "final, memetic": (None, ours.fitness),
    }
    return [_score_row(name, label, *values, start) for label, values in rows.items()]


def _score_row(
    name: str, label: str, paper: tuple[float, ...] | None, ours: Fitness, start: Fitness
) -> Row:
    row: Row = {"matrices": label}
    values = (*ours, sum(ours) / 2)
    for place, (measure, value) in enumerate(zip(("IL", "DR", "score"), values, strict=True)):
        row |= {f"{measure} paper": paper[place] if paper else None, f"{measure} ours": value}
    before = SCORES[name]["initial"][2]
    row["fall paper"] = 100 * (1 - paper[2] / before) if paper else None
    row["fall ours"] = 100 * (1 - values[2] / (sum(start) / 2))
    return row


def figure_4_4(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Measures by generation, three attributes separately, Housing."""
    return _single(HOUSING, Effort(seed, share))


def figure_4_5(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Measures by generation, three attributes at the same time, Housing."""
    return _together(HOUSING, Effort(seed, share))


def figure_4_6(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Measures by generation, three attributes separately, German credit."""
    return _single(GERMAN, Effort(seed, share))


def figure_4_7(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Measures by generation, three attributes at the same time, German credit."""
    return _together(GERMAN, Effort(seed, share))


def figure_4_8(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Measures by generation, three attributes separately, Solar flare."""
    return _single(FLARE, Effort(seed, share))


def figure_4_9(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Measures by generation, three attributes at the same time, Solar flare."""
    return _together(FLARE, Effort(seed, share))


def _single(name: str, effort: Effort) -> list[Chart]:
    return [_evolution(name, (attribute,), effort, single_claim) for attribute in ATTRIBUTES[name]]


def _together(name: str, effort: Effort) -> list[Chart]:
    return [_evolution(name, ATTRIBUTES[name], effort, together_claim)]


def _evolution(
    name: str,
    attributes: tuple[str, ...],
    effort: Effort,
    claim: Callable[[str, Sequence[Fitness]], Claim],
) -> Chart:
    run = searched(name, attributes, Algorithm.THESIS, effort)
    means = [sum(fitness) / 2 for fitness in run.path]
    what = ", ".join(attributes)
    return Chart(
        f"evolution-of-{'-'.join(attributes)}".lower(),
        f"{name}: matrices of {what}",
        f"The score goes from {means[0]:.2f} to {means[-1]:.2f} "
        f"({_fall(means[0], means[-1]):.0f} %). {claim(name, run.path).told}",
        Axis("generation"),
        Axis("percent"),
        evolution_series({"": run.path}, {"score": means}),
    )


def _fall(before: float, after: float) -> float:
    return 100 * (1 - after / before) if before else 0.0


def single_claim(name: str, path: Sequence[Fitness]) -> Claim:
    """Figures 4.4, 4.6 and 4.8: one attribute at a time."""
    loss, risk = (_fall(path[0][place], path[-1][place]) for place in (0, 1))
    score = _fall(sum(path[0]), sum(path[-1]))
    falls = {"fall of loss in percent": loss, "of risk": risk, "of the score": score}
    if name == HOUSING:
        return Claim("the score falls quite significantly", score >= 100 * MUCH, falls)
    very_much = risk >= 100 * VERY_MUCH
    return Claim("risk falls very much, loss less", very_much and risk > loss > 0, falls)


def together_claim(name: str, path: Sequence[Fitness]) -> Claim:
    """Figures 4.5, 4.7 and 4.9: three attributes at the same time, with the printed scores."""
    first, last = SCORES[name]["initial"], SCORES[name]["final"]
    (loss, risk), (last_loss, last_risk) = path[0], path[-1]
    if name == HOUSING:
        text = "risk falls much, loss a little"
        fallen = _fall(risk, last_risk)
        holds = fallen >= 100 * MUCH and fallen > _fall(loss, last_loss) > 0
    else:
        text = "loss falls much and risk rises a little"
        holds = _fall(loss, last_loss) >= 100 * MUCH and risk < last_risk < (1 + SLIGHTLY) * risk
    return Claim(
        f"{text} (loss {first[0]} to {last[0]}, risk {first[1]} to {last[1]}, score {first[2]} to "
        f"{last[2]}, by {_fall(first[2], last[2]):.0f} %)",
        holds,
        {"loss from": loss, "to": last_loss, "risk from": risk, "then to": last_risk},
    )


def evolution_series(
    paths: Mapping[str, Sequence[Fitness]], more: Mapping[str, Sequence[float]] | None = None
) -> tuple[Series, ...]:
    """Return series of loss and risk by generation, and of other values per generation."""
    values: dict[str, Sequence[float]] = {}
    for name, path in paths.items():
        for place, measure in enumerate(("loss", "risk")):
            values[f"{measure} {name}".strip()] = [fitness[place] for fitness in path]
    return tuple(
        Series(name, "line", tuple(map(float, range(len(line)))), tuple(line))
        for name, line in {**values, **(more or {})}.items()
    )
