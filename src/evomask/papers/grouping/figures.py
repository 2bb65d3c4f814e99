"""The figures of the grouping thesis (Balasch, 2010), drawn again from our runs."""

from evomask.data.chart import Axis, Chart, Series
from evomask.papers.effort import Effort
from evomask.papers.grouping.inputs import CENSUS, SIZES, WATER
from evomask.papers.grouping.tables import alone, repeated, searched, time_rows
from evomask.studies.operators import (
    alone_charts,
    best_cost_chart,
    mean_chart,
    operator_charts,
)

UTILIZATION, LIFETIME, EFFICACY, EFFICIENCY = range(4)
"""Places of the aspects among the charts of the operator study."""


def _combined(aspect: int, name: str, k: int, effort: Effort, runs: int) -> list[Chart]:
    each = [searched(name, k, run).state for run in repeated(effort, runs)]
    return [mean_chart([operator_charts(state)[aspect] for state in each])]


def _alone(aspect: int, effort: Effort, runs: int) -> list[Chart]:
    each = [alone(WATER, 25, run) for run in repeated(effort, runs)]
    return [mean_chart([alone_charts(states)[aspect] for states in each])]


def figure_4_1(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Children discarded unused, each operator alone, Water-treatment, k = 25."""
    return _alone(UTILIZATION, Effort(seed, share), runs)


def figure_4_2(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Children discarded unused, operators combined, Water-treatment, k = 25."""
    return _combined(UTILIZATION, WATER, 25, Effort(seed, share), runs)


def figure_4_3(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Lifetime of children, each operator alone, Water-treatment, k = 25."""
    return _alone(LIFETIME, Effort(seed, share), runs)


def figure_4_4(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Lifetime of children, operators combined, Water-treatment, k = 25."""
    return _combined(LIFETIME, WATER, 25, Effort(seed, share), runs)


def figure_4_5(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Share of children that improve, each operator alone, Water-treatment, k = 25."""
    return _alone(EFFICACY, Effort(seed, share), runs)


def figure_4_6(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Share of children that improve, operators combined, Water-treatment, k = 25."""
    return _combined(EFFICACY, WATER, 25, Effort(seed, share), runs)


def figure_4_7(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Gain of children in percent, each operator alone, Water-treatment, k = 25."""
    return _alone(EFFICIENCY, Effort(seed, share), runs)


def figure_4_8(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Gain of children in percent, operators combined, Water-treatment, k = 25."""
    return _combined(EFFICIENCY, WATER, 25, Effort(seed, share), runs)


def figure_4_9(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Best cost of each operator alone against all combined, Water-treatment, k = 25 and 100."""
    return _best_costs(WATER, Effort(seed, share), runs)


def figure_4_10(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Best cost of each operator alone against all combined, Census, k = 25 and 100."""
    return _best_costs(CENSUS, Effort(seed, share), runs)


def _best_costs(name: str, effort: Effort, runs: int) -> list[Chart]:
    return [
        mean_chart(
            [
                best_cost_chart(searched(name, k, run).state, alone(name, k, run), f"best-cost-{k}")
                for run in repeated(effort, runs)
            ]
        )
        for k in (25, 100)
    ]


def figure_4_11(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Mean number of groups in the population by generation, both sets, k = 25."""
    return [mean_chart([_groups(run) for run in repeated(Effort(seed, share), runs)])]


def _groups(effort: Effort) -> Chart:
    means = {name: searched(name, 25, effort).groups for name in (WATER, CENSUS)}
    return Chart(
        "number-of-groups",
        "Mean number of groups in the population, k = 25",
        "First the number of groups is found, then attributes move between groups.",
        Axis("generation"),
        Axis("mean number of groups"),
        tuple(
            Series(name, "line", tuple(map(float, range(len(mean)))), mean)
            for name, mean in means.items()
        ),
    )


def figure_5_1(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Time of GOMM and of D-GOMM by k, both sets."""
    rows = time_rows(Effort(seed, share))
    return [
        Chart(
            f"time-of-{name.lower()}",
            f"Time of GOMM and D-GOMM, {name}",
            "The dynamic optimizer saves the evaluations of operators that work in vain.",
            Axis("k"),
            Axis("CPU seconds"),
            tuple(
                Series(kind, "line", tuple(map(float, SIZES)), _of(rows, name, f"{kind} seconds"))
                for kind in ("GOMM", "D-GOMM")
            ),
        )
        for name in (CENSUS, WATER)
    ]


def _of(rows: list[dict[str, object]], name: str, column: str) -> tuple[float, ...]:
    return tuple(float(str(row[column])) for row in rows if row["set"] == name)


def figure_b_1(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Children discarded unused, operators combined, Census, k = 25."""
    return _combined(UTILIZATION, CENSUS, 25, Effort(seed, share), runs)


def figure_b_2(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Lifetime of children, operators combined, Census, k = 25."""
    return _combined(LIFETIME, CENSUS, 25, Effort(seed, share), runs)


def figure_b_3(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Share of children that improve, operators combined, Census, k = 25."""
    return _combined(EFFICACY, CENSUS, 25, Effort(seed, share), runs)


def figure_b_4(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Gain of children in percent, operators combined, Census, k = 25."""
    return _combined(EFFICIENCY, CENSUS, 25, Effort(seed, share), runs)


def figure_b_5(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Children discarded unused, operators combined, Water-treatment, k = 100."""
    return _combined(UTILIZATION, WATER, 100, Effort(seed, share), runs)


def figure_b_6(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Lifetime of children, operators combined, Water-treatment, k = 100."""
    return _combined(LIFETIME, WATER, 100, Effort(seed, share), runs)


def figure_b_7(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Share of children that improve, operators combined, Water-treatment, k = 100."""
    return _combined(EFFICACY, WATER, 100, Effort(seed, share), runs)


def figure_b_8(seed: int = 1, share: float = 1.0, runs: int = 1) -> list[Chart]:
    """Gain of children in percent, operators combined, Water-treatment, k = 100."""
    return _combined(EFFICIENCY, WATER, 100, Effort(seed, share), runs)
