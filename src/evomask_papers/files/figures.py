"""Reproductions of the figures of chapter 3 (Marés, 2013)."""

from dataclasses import replace

from evomask.data.chart import Axis, Chart, Series
from evomask.evolution.individual import ScoreRule
from evomask.searches.files.search import Algorithm
from evomask_papers.claims import Claim
from evomask_papers.effort import Effort
from evomask_papers.file_study import FilesStudy
from evomask_papers.files import claims
from evomask_papers.files.inputs import (
    CATEGORICAL,
    CONTINUOUS,
    FALLS,
    FINAL_SCORES,
    FIRST_BEST,
    FLARE,
    LAST_BEST,
    ROBUST,
    TARRAGONA,
)
from evomask_papers.files.tables import fall, searched

GENERATION = Axis("generation")
PARTS = ("largest", "mean", "smallest")


def figure_3_2(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Risk and loss of first and last files, mean score, four files of numbers."""
    effort = Effort(seed, share)
    studies = {name: searched(name, ScoreRule.MEAN, effort) for name in CONTINUOUS}
    return [_map(name, study, claims.both_fall(study)) for name, study in studies.items()]


def figure_3_3(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Largest, mean and smallest mean score by generation, four files of numbers."""
    effort = Effort(seed, share)
    return [
        _evolution(
            name,
            searched(name, ScoreRule.MEAN, effort),
            f"the smallest {_fell(FIRST_BEST[name], LAST_BEST[name])}",
        )
        for name in CONTINUOUS
    ]


def figure_3_4(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """The smallest mean score by generation, two executions on each file of numbers."""
    return [_executions(name, Effort(seed, share)) for name in CONTINUOUS]


def figure_3_5(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Mean score by generation with both operators in one generation, Tarragona."""
    effort = Effort(seed, share)
    named = {
        "one operator a generation": Algorithm.THESIS,
        "test 1: both, all values may mutate": Algorithm.BOTH_ALL,
        "test 2: both, one value may mutate": Algorithm.BOTH_ONE,
    }
    studies = {
        label: searched(TARRAGONA, ScoreRule.MEAN, effort, algorithm)
        for label, algorithm in named.items()
    }
    ended = ", ".join(f"{label} {study.scores[-1].mean:.2f}" for label, study in studies.items())
    return [
        Chart(
            "both-operators-tarragona",
            "Mean score of the population with both operators in one generation, Tarragona",
            f"The mean ends at: {ended}. {claims.one_is_better(list(studies.values())).told} "
            "Rates of Schaffer et al. are 0.85 and 0.0075. "
            f"{_about(TARRAGONA, studies['one operator a generation'])}",
            GENERATION,
            Axis("mean score of the population"),
            tuple(_curve(label, study, "mean") for label, study in studies.items()),
        )
    ]


def figure_3_6(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Risk and loss of first and last files, mean score, four files of categories."""
    studies = {name: searched(name, ScoreRule.MEAN, Effort(seed, share)) for name in CATEGORICAL}
    last = claims.fewer_categories_less_balanced(studies)
    return [
        _map(name, study, claims.pairs_fall(study), *([last] if name == FLARE else []))
        for name, study in studies.items()
    ]


def figure_3_7(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Largest, mean and smallest mean score by generation, four files of categories."""
    return _falls(ScoreRule.MEAN, Effort(seed, share))


def figure_3_8(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Risk and loss of first and last files, worst score, four files of categories."""
    effort = Effort(seed, share)
    return [_balanced(name, effort) for name in CATEGORICAL]


def _balanced(name: str, effort: Effort) -> Chart:
    by_worst, by_mean = (
        searched(name, score, effort) for score in (ScoreRule.WORST, ScoreRule.MEAN)
    )
    return _map(name, by_worst, claims.more_balanced(by_worst, by_mean))


def figure_3_9(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Largest, mean and smallest worst score by generation, four files of categories."""
    return _falls(ScoreRule.WORST, Effort(seed, share))


def figure_3_10(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Risk and loss of first and last files without the best 5 %, worst score, Solar flare."""
    return _holed(5.0, Effort(seed, share))


def figure_3_11(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Risk and loss of first and last files without the best 10 %, worst score, Solar flare."""
    return _holed(10.0, Effort(seed, share))


def _holed(percent: float, effort: Effort) -> list[Chart]:
    whole, holed = searched(FLARE, ScoreRule.WORST, effort), _robust(percent, effort)
    return [_map(FLARE, holed, claims.has_a_hole(holed, whole))]


def figure_3_12(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Largest, mean and smallest worst score without the best 5 %, Solar flare."""
    return _robust_evolution(5.0, Effort(seed, share))


def figure_3_13(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Largest, mean and smallest worst score without the best 10 %, Solar flare."""
    return _robust_evolution(10.0, Effort(seed, share))


def _about(name: str, study: FilesStudy) -> str:
    return (
        f"{name}, {study.records} records, {len(study.first)} first files, "
        f"{len(study.scores) - 1} generations, {study.seconds:.0f} s."
    )


def _slug(name: str) -> str:
    return name.lower().replace(" ", "-")


def _map(name: str, study: FilesStudy, *said: Claim) -> Chart:
    """R-U map of first and final files, with the claims of the thesis and the size of the study."""
    chart = study.map(f"map-{_slug(name)}", f"Risk and loss of first and last files, {name}")
    told = " ".join(claim.told for claim in said)
    return replace(chart, reading=f"{chart.reading} {told} {_about(name, study)}")


def _curve(label: str, study: FilesStudy, part: str) -> Series:
    values = tuple(float(getattr(scores, part)) for scores in study.scores)
    return Series(label, "line", tuple(map(float, range(len(values)))), values)


def _evolution(name: str, study: FilesStudy, paper: str) -> Chart:
    chart = study.evolution(f"evolution-{_slug(name)}", f"Scores of the population, {name}")
    reading = f"Ours: {_course(study)}. In the thesis {paper}. {_about(name, study)}"
    return replace(chart, reading=reading)


def _course(study: FilesStudy) -> str:
    begun, ended = study.scores[0], study.scores[-1]
    parts = [f"the {part} {_fell(getattr(begun, part), getattr(ended, part))}" for part in PARTS]
    return ", ".join(parts)


def _fell(before: float, after: float) -> str:
    return f"from {before:.2f} to {after:.2f} ({fall(before, after):.0f} %)"


def _executions(name: str, effort: Effort) -> Chart:
    runs = [searched(name, ScoreRule.MEAN, effort, execution=i) for i in range(2)]
    ours = " and ".join(f"{run.scores[-1].smallest:.2f}" for run in runs)
    theirs = " and ".join(f"{scores[0]:.2f}" for scores in FINAL_SCORES[name])
    return Chart(
        f"executions-{_slug(name)}",
        f"Smallest score of two executions, {name}",
        f"Both begin at {runs[0].scores[0].smallest:.2f} and end at {ours}; in the thesis they "
        f"begin at {FIRST_BEST[name]:.2f} and end at {theirs}. {_about(name, runs[0])}",
        GENERATION,
        Axis("smallest score in percent"),
        tuple(_curve(f"execution {i + 1}", run, "smallest") for i, run in enumerate(runs)),
    )


def _falls(score: ScoreRule, effort: Effort) -> list[Chart]:
    return [
        _evolution(name, searched(name, score, effort), _printed_falls(name, score))
        for name in CATEGORICAL
    ]


def _printed_falls(name: str, score: ScoreRule) -> str:
    parts = zip(PARTS, FALLS[score.value][name], strict=True)
    falls = [
        f"the {part} {_fell(*pair)}" if pair else f"the {part} does not fall"
        for part, pair in parts
    ]
    return ", ".join(falls)


def _robust(percent: float, effort: Effort) -> FilesStudy:
    return searched(FLARE, ScoreRule.WORST, effort, without_best=percent)


def _robust_evolution(percent: float, effort: Effort) -> list[Chart]:
    whole = searched(FLARE, ScoreRule.WORST, effort).scores[-1].smallest
    paper = (
        f"the smallest ends at {ROBUST[percent]:.2f} without the best {percent:g} % and at "
        f"{ROBUST[0.0]:.2f} with all first files, ours with all at {whole:.2f}"
    )
    return [_evolution(FLARE, _robust(percent, effort), paper)]
