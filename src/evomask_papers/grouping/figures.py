"""Reproductions of the figures of the grouping thesis (Balasch, 2010)."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from evomask.data.chart import Axis, Chart, Series
from evomask_papers.claims import Claim
from evomask_papers.effort import Effort
from evomask_papers.grouping import claims
from evomask_papers.grouping.claims import WatchedOperators
from evomask_papers.grouping.inputs import CENSUS, SIZES, WATER
from evomask_papers.grouping.tables import (
    DYNAMIC,
    GOMM,
    Row,
    alone,
    searched,
    time_rows,
)
from evomask_papers.operator_study import (
    alone_charts,
    best_cost_chart,
    mean_chart,
    operator_charts,
    operators_used,
)

Combined = Callable[[WatchedOperators], Claim]

UTILIZATION, LIFETIME, EFFICACY, EFFICIENCY = range(4)
"""Places of the aspects among the charts of the operator study."""


def _watched(name: str, k: int, effort: Effort, runs: int) -> WatchedOperators:
    states = [searched(name, k, run).state for run in effort.repeated(runs)]
    return WatchedOperators([dict.fromkeys(operators_used(state), state) for state in states])


def _combined(
    aspect: int, name: str, k: int, effort: Effort, runs: int, claim: Combined
) -> list[Chart]:
    each = [searched(name, k, run).state for run in effort.repeated(runs)]
    chart = mean_chart([operator_charts(state)[aspect] for state in each])
    return [_with(chart, claim(_watched(name, k, effort, runs)))]


def _alone(aspect: int, effort: Effort, runs: int, claim: Combined) -> list[Chart]:
    each = [alone(WATER, 25, run) for run in effort.repeated(runs)]
    chart = mean_chart([alone_charts(states)[aspect] for states in each])
    return [_with(chart, claim(WatchedOperators(each)))]


def _with(chart: Chart, claim: Claim) -> Chart:
    return replace(chart, reading=f"{chart.reading} {claim.told}")


def figure_4_1(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Children discarded unused, each operator alone, Water-treatment, k = 25."""
    return _alone(UTILIZATION, Effort(seed, share), runs, claims.figure_4_1)


def figure_4_2(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Children discarded unused, operators combined, Water-treatment, k = 25."""
    return _combined(UTILIZATION, WATER, 25, Effort(seed, share), runs, claims.figure_4_2)


def figure_4_3(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Lifetime of children, each operator alone, Water-treatment, k = 25."""
    return _alone(LIFETIME, Effort(seed, share), runs, claims.figure_4_3)


def figure_4_4(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Lifetime of children, operators combined, Water-treatment, k = 25."""
    return _combined(LIFETIME, WATER, 25, Effort(seed, share), runs, claims.figure_4_4)


def figure_4_5(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Share of children that improve, each operator alone, Water-treatment, k = 25."""
    return _alone(EFFICACY, Effort(seed, share), runs, claims.figure_4_5)


def figure_4_6(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Share of children that improve, operators combined, Water-treatment, k = 25."""
    return _combined(EFFICACY, WATER, 25, Effort(seed, share), runs, claims.figure_4_6)


def figure_4_7(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Gain of children in percent, each operator alone, Water-treatment, k = 25."""
    return _alone(EFFICIENCY, Effort(seed, share), runs, claims.figure_4_7)


def figure_4_8(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Gain of children in percent, operators combined, Water-treatment, k = 25."""
    return _combined(EFFICIENCY, WATER, 25, Effort(seed, share), runs, claims.figure_4_8)


def figure_4_9(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Best cost of each operator alone against all combined, Water-treatment, k = 25 and 100."""
    return _best_costs(WATER, Effort(seed, share), runs)


def figure_4_10(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Best cost of each operator alone against all combined, Census, k = 25 and 100."""
    return _best_costs(CENSUS, Effort(seed, share), runs)


def _best_costs(name: str, effort: Effort, runs: int) -> list[Chart]:
    return [_best_cost(name, k, effort.repeated(runs)) for k in (25, 100)]


def _best_cost(name: str, k: int, runs: list[Effort]) -> Chart:
    combined = [searched(name, k, run).state for run in runs]
    single = [alone(name, k, run) for run in runs]
    chart = best_cost_chart(combined, single, f"best-cost-{k}")
    whole = sum(state.summary.best for state in combined)
    ends = {o: sum(states[o].summary.best for states in single) / whole for o in single[0]}
    return _with(
        replace(chart, title=f"{chart.title}, {name}, k = {k}"),
        claims.best_costs(ends, k, few=name == CENSUS),
    )


def figure_4_11(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Mean number of groups in the population by generation, both sets, k = 25."""
    chart = mean_chart([_groups(run) for run in Effort(seed, share).repeated(runs)])
    means = {line.name: line.y for line in chart.series}
    return [_with(chart, claims.figure_4_11(means))]


def _groups(effort: Effort) -> Chart:
    means = {name: searched(name, 25, effort).groups for name in (WATER, CENSUS)}
    return Chart(
        "number-of-groups",
        "Mean number of groups in the population, k = 25",
        "Where a line is level, attributes only move between groups.",
        Axis("generation"),
        Axis("mean number of groups"),
        tuple(
            Series(name, "line", tuple(map(float, range(len(mean)))), mean)
            for name, mean in means.items()
        ),
    )


def figure_5_1(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Time of GOMM and of D-GOMM by k, both sets; also their evaluations and scores."""
    rows = time_rows(Effort(seed, share), runs)
    return [chart for name in (CENSUS, WATER) for chart in _times(rows, name)]


def _times(rows: list[Row], name: str) -> list[Chart]:
    told = {
        "seconds": (
            "Time",
            "CPU seconds",
            " ".join(claim.told for claim in time_claims(rows, name)),
        ),
        "evaluations": ("Evaluations", "groupings measured", evaluation_claim(rows, name).told),
        "score": ("Best score", "score in percent", score_claim(rows, name).told),
    }
    return [
        Chart(
            f"{part}-of-{name.lower()}",
            f"{title} of GOMM and D-GOMM, {name}",
            reading,
            Axis("k"),
            Axis(unit),
            tuple(
                Series(kind, "line", tuple(map(float, SIZES)), _of(rows, name, f"{kind} {part}"))
                for kind in (GOMM, DYNAMIC)
            ),
        )
        for part, (title, unit, reading) in told.items()
    ]


def _ratios(rows: list[Row], name: str, part: str) -> dict[str, float]:
    pairs = zip(*(_of(rows, name, f"{kind} {part}") for kind in (GOMM, DYNAMIC)), strict=True)
    return {f"k = {k}": a / b for k, (a, b) in zip(SIZES, pairs, strict=True)}


def time_claims(rows: list[Row], name: str) -> list[Claim]:
    """Figure 5.1: seconds of GOMM and D-GOMM."""
    speed = _ratios(rows, name, "seconds")
    whole = {each: sum(_of(rows, each, f"{GOMM} seconds")) for each in (CENSUS, WATER)}
    faster = Claim(
        "D-GOMM is faster for every k",
        min(speed.values()) > 1,
        {f"{at}: times as fast": ratio for at, ratio in speed.items()},
    )
    slower = Claim(
        "Census takes longer than Water-treatment",
        whole[CENSUS] > whole[WATER],
        {f"{each} seconds": spent for each, spent in whole.items()},
    )
    return [faster, slower]


def evaluation_claim(rows: list[Row], name: str) -> Claim:
    """The speed-up, in evaluations: they are 99 % of the thesis' time, and ours are cached."""
    from scipy.stats import spearmanr

    saved = _ratios(rows, name, "evaluations")
    times = list(saved.values())
    trend = float(spearmanr(SIZES, times).statistic) if len(set(times)) > 1 else 0.0
    return Claim(
        "as k increases, the speed-up decreases",
        min(times) > 1 and max(times) == times[0] and trend <= FALLING,
        {f"{at}: times as many without": ratio for at, ratio in saved.items()}
        | {"rank correlation with k": trend},
    )


FALLING = -0.85
"""Largest rank correlation of falling values: of five, two neighbours may be exchanged."""


def score_claim(rows: list[Row], name: str) -> Claim:
    """Figure 5.1: scores of GOMM and D-GOMM."""
    pairs = zip(SIZES, *(_of(rows, name, f"{kind} score") for kind in (GOMM, DYNAMIC)), strict=True)
    worse = {f"k = {k}: D-GOMM above by": dynamic - plain for k, plain, dynamic in pairs}
    good, runs = (sum(_of(rows, name, column)) for column in ("as good", "runs"))
    return Claim(
        "D-GOMM finds the same quality in all runs",
        good == runs,
        {"runs as good": good, "of": runs, **worse},
    )


def _of(rows: list[Row], name: str, column: str) -> tuple[float, ...]:
    return tuple(float(str(row[column])) for row in rows if row["set"] == name)


def figure_b_1(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Children discarded unused, operators combined, Census, k = 25."""
    return _combined(UTILIZATION, CENSUS, 25, Effort(seed, share), runs, claims.figure_b_1)


def figure_b_2(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Lifetime of children, operators combined, Census, k = 25."""
    return _combined(LIFETIME, CENSUS, 25, Effort(seed, share), runs, claims.figure_b_2)


def figure_b_3(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Share of children that improve, operators combined, Census, k = 25."""
    return _combined(EFFICACY, CENSUS, 25, Effort(seed, share), runs, claims.figure_b_3)


def figure_b_4(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Gain of children in percent, operators combined, Census, k = 25."""
    effort = Effort(seed, share)
    claim = partial(claims.figure_b_4, water=_watched(WATER, 25, effort, runs))
    return _combined(EFFICIENCY, CENSUS, 25, effort, runs, claim)


def figure_b_5(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Children discarded unused, operators combined, Water-treatment, k = 100."""
    effort = Effort(seed, share)
    claim = partial(claims.figure_b_5, usual=_watched(WATER, 25, effort, runs))
    return _combined(UTILIZATION, WATER, 100, effort, runs, claim)


def figure_b_6(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Lifetime of children, operators combined, Water-treatment, k = 100."""
    return _combined(LIFETIME, WATER, 100, Effort(seed, share), runs, claims.figure_b_6)


def figure_b_7(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Share of children that improve, operators combined, Water-treatment, k = 100."""
    effort = Effort(seed, share)
    claim = partial(claims.figure_b_7, usual=_watched(WATER, 25, effort, runs))
    return _combined(EFFICACY, WATER, 100, effort, runs, claim)


def figure_b_8(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Gain of children in percent, operators combined, Water-treatment, k = 100."""
    effort = Effort(seed, share)
    claim = partial(claims.figure_b_8, usual=_watched(WATER, 25, effort, runs))
    return _combined(EFFICIENCY, WATER, 100, effort, runs, claim)
