"""Reproductions of equations for PRAM matrices (Marés, 2013, chapter 4.2).

Tables 4.12 to 4.15 and figures 4.16 to 4.20. `GP, Algorithm 7` is the thesis' search with its
parameters; `GP, memetic` is ours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from evomask.data.chart import Axis, Chart, Line, Series
from evomask.evolution.individual import Fitness, ScoreRule, worst_objective
from evomask.masking.randomization.formula_pram import RowRule
from evomask.masking.randomization.pram import Design
from evomask.measures.expected.expectation import PramEvaluation
from evomask.measures.profiles import RiskProfile
from evomask.searches.equations.genome import readable_formula
from evomask.searches.equations.search import DEFAULTS, Algorithm, EquationsSearch, Parameters
from evomask_papers.claims import Claim
from evomask_papers.effort import Effort, spread
from evomask_papers.pram.designs import standard_matrices
from evomask_papers.pram.inputs import (
    ATTRIBUTES,
    DEPTHS,
    FLARE,
    GERMAN,
    HOUSING,
    IMPROVED,
    PROTECTIONS,
    original,
)
from evomask_papers.pram.matrices import Row, SearchRun, evolution_series, run_setup

AS_PRINTED, OURS = 1_500, 60
"""Generations of Algorithm 7, and of ours."""

JUDGED = Parameters(profile=RiskProfile.PAPERS, probabilistic=True, expected=False)
"""Evaluation as in the thesis: mean of five drawn files, with probabilistic linkage in the risk."""

UNIFORM_CHANGE = 0.5

FILES = (HOUSING, GERMAN, FLARE)


@lru_cache(maxsize=64)
def searched(
    name: str, score: ScoreRule, algorithm: Algorithm, effort: Effort, levels: int | None = None
) -> SearchRun:
    """Search for equations on one file, evaluated as (4.10) by five drawn files."""
    parameters = replace(JUDGED, algorithm=algorithm, score=score, levels=levels)
    setup = EquationsSearch.setup(original(name), parameters, effort.around)
    usual = AS_PRINTED if algorithm is Algorithm.THESIS else OURS
    return run_setup(setup, effort, usual)


@lru_cache
def standard(name: str, effort: Effort) -> dict[str, Fitness]:
    """Return the frequency matrix with the best worst score of all its parameters, and the uniform
    one."""
    judge = _judge(name, effort)
    made = list(standard_matrices(original(name), ATTRIBUTES[name]))
    frequency = [
        judge(entry.matrices) for entry in made if entry.method.design is Design.OFF_DIAGONAL
    ]
    uniform = next(
        entry
        for entry in made
        if entry.method.design is Design.DIAGONAL and entry.method.change == UNIFORM_CHANGE
    )
    return {"Freq PRAM": min(frequency, key=worst_objective), "Unif PRAM": judge(uniform.matrices)}


def _judge(name: str, effort: Effort) -> PramEvaluation:
    setup = EquationsSearch.setup(original(name), JUDGED, effort.around)
    judge: PramEvaluation = setup.problem.measured  # type: ignore[attr-defined]
    return judge


def protections(name: str, effort: Effort) -> dict[str, tuple[str, Fitness, str]]:
    """Compared protections: name in the paper, loss, risk, and formula of an equation."""
    compared = {label: (label, fitness, "") for label, fitness in standard(name, effort).items()}
    for algorithm, title in ((Algorithm.THESIS, "Algorithm 7"), (Algorithm.MEMETIC, "memetic")):
        for score, label in ((ScoreRule.WORST, "GP Max"), (ScoreRule.MEAN, "GP Mean")):
            run = searched(name, score, algorithm, effort)
            text = readable_formula(run.genome, RowRule.NORMALISED)
            compared[f"{label}, {title}"] = label, run.fitness, text
    return compared


def table_4_12(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Row]:
    """Standard matrices and those of evolved equations, German credit."""
    return _protection_rows(GERMAN, Effort(seed, share), runs)


def table_4_13(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Row]:
    """Standard matrices and those of evolved equations, Solar flare."""
    return _protection_rows(FLARE, Effort(seed, share), runs)


def table_4_14(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Row]:
    """Standard matrices and those of evolved equations, Housing."""
    return _protection_rows(HOUSING, Effort(seed, share), runs)


def _protection_rows(name: str, effort: Effort, runs: int) -> list[Row]:
    printed = PROTECTIONS[name]
    first, *others = (protections(name, each) for each in effort.repeated(runs))
    rows: list[Row] = []
    for label, (theirs, fitness, text) in first.items():
        row = {"protection": label} | _beside(printed[theirs], fitness)
        row |= _means(printed[theirs], fitness)
        if others:
            each = [fitness, *(other[label][1] for other in others)]
            row |= spread("max", [max(pair) for pair in each])
        rows.append(row | {"equation": text})
    return rows


def _beside(paper: tuple[float, float], ours: Fitness) -> Row:
    row: Row = {}
    for label, of in (("IL", 0), ("DR", 1)):
        row |= {f"{label} paper": paper[of], f"{label} ours": ours[of]}
    return row | {"max paper": max(paper), "max ours": max(ours)}


def _means(paper: tuple[float, float], ours: Fitness) -> Row:
    return {"mean paper": sum(paper) / 2, "mean ours": sum(ours) / 2}


def table_4_15(seed: int = 1, share: float = 1.0) -> list[Row]:
    """Best worst score by the depth that trees may have, all files."""
    effort = Effort(seed, share)
    return [
        row
        for name in (GERMAN, HOUSING, FLARE)
        for levels, paper in DEPTHS[name].items()
        for row in _depth_rows(name, levels, paper, effort)
    ]


def _depth_rows(name: str, levels: int, paper: tuple[float, float], effort: Effort) -> list[Row]:
    titles = {Algorithm.THESIS: "Algorithm 7", Algorithm.MEMETIC: "memetic"}
    rows: list[Row] = []
    for algorithm, title in titles.items():
        asked = None if levels == DEFAULTS[algorithm].levels else levels
        run = searched(name, ScoreRule.WORST, algorithm, effort, asked)
        rows.append({"file": name, "depth": levels, "search": title, **_beside(paper, run.fitness)})
    return rows


def figure_4_16(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Score of the best equation by generation, mean and worst, all files."""
    effort = Effort(seed, share)
    return [_best_scores(score, effort) for score in (ScoreRule.MEAN, ScoreRule.WORST)]


def _best_scores(score: ScoreRule, effort: Effort) -> Chart:
    paths = {n: searched(n, score, Algorithm.THESIS, effort).path for n in FILES}
    join = worst_objective if score is ScoreRule.WORST else _mean
    lines = {name: [join(fitness) for fitness in path] for name, path in paths.items()}
    claims = [improved(score, name, line) for name, line in lines.items()]
    return Chart(
        f"best-score-{score}",
        f"Best equation by generation, {score} of loss and risk",
        " ".join(claim.told for claim in claims),
        Axis("generation"),
        Axis("score, percent"),
        evolution_series({}, lines),
    )


def improved(score: ScoreRule, name: str, line: Sequence[float]) -> Claim:
    """Claim that the best equation of a file improves."""
    first, last = IMPROVED[score.value][name]
    text = f"the best equation of {name} improves (from {first} to {last})"
    return Claim(text, line[-1] < line[0], {"from": line[0], "to": line[-1]})


def _mean(fitness: Fitness) -> float:
    return sum(fitness) / len(fitness)


def figure_4_17(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Loss and risk of the best equation by generation, German credit."""
    return _parts(GERMAN, Effort(seed, share))


def figure_4_18(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Loss and risk of the best equation by generation, Housing."""
    return _parts(HOUSING, Effort(seed, share))


def figure_4_19(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Loss and risk of the best equation by generation, Solar flare."""
    return _parts(FLARE, Effort(seed, share))


def _parts(name: str, effort: Effort) -> list[Chart]:
    scores = (ScoreRule.MEAN, ScoreRule.WORST)
    paths = {score: searched(name, score, Algorithm.THESIS, effort).path for score in scores}
    claim = balanced(name, paths[ScoreRule.MEAN][-1], paths[ScoreRule.WORST][-1])
    return [
        Chart(
            f"parts-{name}-{score}".lower(),
            f"{name}: the best equation for the {score} score",
            f"The search ends with a loss of {path[-1][0]:.2f} and a risk of {path[-1][1]:.2f}. "
            f"{claim.told}",
            Axis("generation"),
            Axis("percent"),
            evolution_series({"": path}),
        )
        for score, path in paths.items()
    ]


def balanced(name: str, by_mean: Fitness, by_worst: Fitness) -> Claim:
    """Claim that the worst score leads to more balanced results than the mean score."""
    printed = [PROTECTIONS[name][label] for label in ("GP Mean", "GP Max")]
    ends = " and ".join(f"{loss:.2f}, {risk:.2f}" for loss, risk in printed)
    apart, together = (abs(loss - risk) for loss, risk in (by_mean, by_worst))
    return Claim(
        f"loss and risk end far apart for the mean score and near for the worst ({ends})",
        together < apart,
        {"points apart for the mean": apart, "for the worst": together},
    )


def figure_4_20(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Loss and risk of the best protection of each kind, all files; paper and ours."""
    return [_scatter(name, Effort(seed, share)) for name in FILES]


def _scatter(name: str, effort: Effort) -> Chart:
    compared = protections(name, effort)
    ours = {label: fitness for label, (_, fitness, _) in compared.items()}
    best = min(ours, key=lambda label: worst_objective(ours[label]))
    points: dict[str, Mapping[str, Fitness]] = {"ours": ours, "paper": PROTECTIONS[name]}
    return Chart(
        f"protections-{name}".lower(),
        f"{name}: loss and risk of each kind of PRAM",
        f"Smallest worst of loss and risk: {best}, {worst_objective(ours[best]):.1f}.",
        Axis("loss, percent"),
        Axis("risk, percent"),
        tuple(
            Series(
                side,
                "points",
                tuple(pair[0] for pair in values.values()),
                tuple(pair[1] for pair in values.values()),
                labels=tuple(values),
            )
            for side, values in points.items()
        ),
        lines=(Line("best worst score of ours", y=worst_objective(ours[best])),),
    )
