"""Operator study of a run as data and charts: all operators combined, and each alone."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from evomask.data.chart import Axis, Chart, Series
from evomask.evolution.individual import FIRST
from evomask.evolution.state import State
from evomask.execution.evaluator import Evaluators
from evomask.execution.local import Local
from evomask.runs.search import Run, perform_alone
from evomask_papers.operator_statistics import (
    Study,
    efficacy,
    efficiency,
    lifetime,
    mean_counts,
    utilization,
)

BORN = Axis("generation of birth")


@dataclass(frozen=True)
class OperatorStudy:
    """One run with all operators, and one run with each operator alone.

    Args:
        alone: last state of the run of each operator by itself.
    """

    combined: State[Any]
    alone: Mapping[str, State[Any]]

    @classmethod
    def of(cls, run: Run, *, evaluators: Evaluators = Local()) -> "OperatorStudy":
        """Study a run; each operator that it used has a separate run of at most the same length."""
        alone = {
            name: perform_alone(
                run.plan, name, generations=run.state.generation, evaluators=evaluators
            )
            for name in operators_used(run.state)
        }
        return cls(run.state, alone)

    @cached_property
    def as_json(self) -> dict[str, Any]:
        return {
            **operator_study(self.combined),
            "counts": {name: _plain(mean_counts(self.combined, name)) for name in self.counts},
            "best": {"combined": best_costs(self.combined)}
            | {name: best_costs(state) for name, state in self.alone.items()},
            "alone": operator_study_alone(self.alone),
        }

    @property
    def counts(self) -> tuple[str, ...]:
        """Statistics that the search counts of its children, such as the number of groups."""
        rows = [row for log in self.combined.ledger.births.values() for row in log]
        return tuple(sorted({name for row in rows for name, _ in row.counts}))

    @property
    def charts(self) -> tuple[Chart, ...]:
        if not operators_used(self.combined):
            return ()
        best = best_cost_chart([self.combined], [self.alone])
        counts = (count_chart(self.combined, name) for name in self.counts)
        return (*operator_charts(self.combined), *alone_charts(self.alone), best, *counts)


def operators_used(state: State[Any]) -> tuple[str, ...]:
    """Operators that created children in a run; the initial population has none."""
    return tuple(name for name in state.ledger.births if name != FIRST)


def best_costs(state: State[Any]) -> dict[int, float]:
    """The best cost so far at each generation's end."""
    return {summary.generation: summary.best for summary in state.history}


def operator_study_alone(alone: Mapping[str, State[Any]]) -> dict[str, dict[str, Any]]:
    """Return the statistics of each operator from its own run."""
    studies = {name: operator_study(state) for name, state in alone.items()}
    return {
        kind: {name: study[kind].get(name, {}) for name, study in studies.items()}
        for kind in ("utilization", "lifetime", "efficacy", "efficiency")
    }


def alone_charts(alone: Mapping[str, State[Any]]) -> tuple[Chart, ...]:
    """The four figures with each operator's series from its own run."""
    by_operator = {n: operator_charts(s) for n, s in alone.items() if n in operators_used(s)}
    return tuple(
        _chart(
            f"{charts[0].name.removeprefix('operators-')}-alone",
            f"{charts[0].title}, each operator alone",
            charts[0].reading,
            charts[0].y,
            tuple(series for chart in charts for series in chart.series),
        )
        for charts in zip(*by_operator.values(), strict=True)
    )


def best_cost_chart(
    combined: Sequence[State[Any]],
    alone: Sequence[Mapping[str, State[Any]]],
    name: str = "best-cost",
) -> Chart:
    """Mean best cost of each operator alone, in units of the combined runs' mean.

    Args:
        combined: the last state of each run with all operators.
        alone: for each of these, the last states of the runs of single operators.
    """
    whole = _mean_costs([best_costs(state) for state in combined])
    operators = dict.fromkeys(operator for states in alone for operator in states)
    costs = {o: _mean_costs([best_costs(s[o]) for s in alone if o in s]) for o in operators}
    more = f" Ratios of the means of {len(combined)} runs." if len(combined) > 1 else ""
    return Chart(
        f"operators-{name}",
        "Best cost of each operator alone, divided by that of all combined",
        f"Above 1 an operator alone is behind the combined run of the same generation.{more}",
        Axis("generation"),
        Axis("best cost relative to the combined run"),
        tuple(
            _line(operator, {g: _ratio(cost, whole[g]) for g, cost in own.items() if g in whole})
            for operator, own in costs.items()
        ),
    )


def _mean_costs(runs: Sequence[Mapping[int, float]]) -> dict[int, float]:
    seen = sorted({generation for run in runs for generation in run})
    return {g: sum(run.get(g, run[max(run)]) for run in runs) / len(runs) for g in seen}


def count_chart(state: State[Any], name: str) -> Chart:
    """Chart of the mean of a count over the children of each operator."""
    return _chart(
        name,
        f"Mean number of {name} of children",
        f"Where a line settles, an operator has stopped changing the number of {name}.",
        Axis(f"mean number of {name}"),
        _series(mean_counts(state, name), lambda value: value),
    )


def _ratio(cost: float, whole: float) -> float:
    return cost / whole if whole else 1.0


def _line(name: str, values: Mapping[int, float]) -> Series:
    return Series(name, "line", tuple(map(float, values)), tuple(map(float, values.values())))


def operator_study(state: State[Any]) -> dict[str, dict[str, Any]]:
    """Utilization, lifetime, efficacy and efficiency of each operator, by generation of birth."""
    named: dict[str, Study[Any]] = {
        "utilization": utilization(state),
        "lifetime": lifetime(state),
        "efficacy": efficacy(state),
        "efficiency": efficiency(state),
    }
    return {name: _plain(study) for name, study in named.items()}


def operator_charts(state: State[Any]) -> tuple[Chart, ...]:
    """The study's four figures; each operator is a series."""
    return (
        _chart(
            "utilization",
            "Children discarded without becoming a parent",
            "The higher a line, the more of an operator's work was in vain.",
            Axis("children"),
            _series(utilization(state), lambda unused: unused),
        ),
        _chart(
            "lifetime",
            "Average lifetime of children",
            "The higher a line, the longer an operator's children stayed in the population.",
            Axis("generations lived"),
            _series(lifetime(state), lambda lived: lived),
        ),
        *_halved_charts(state),
    )


def _halved_charts(state: State[Any]) -> tuple[Chart, ...]:
    """Charts of efficacy and efficiency, with improvements above 0 and deteriorations below."""
    return (
        _chart(
            "efficacy",
            "Children better and worse than their parents",
            "Above 0 the share of an operator's children that cost less than their parents' mean, "
            "below 0 of those that cost more; the rest are clones.",
            Axis("improved and worsened children (percent)"),
            _halves(
                efficacy(state),
                lambda row: 100.0 * row.improved / max(1, sum(row)),
                lambda row: -100.0 * row.worsened / max(1, sum(row)),
            ),
        ),
        _chart(
            "efficiency",
            "By how much children differ from their parents",
            "Above 0 the mean gain of children that improved, with the largest as its range; "
            "below 0 the mean loss of those that worsened.",
            Axis("gain over the parents' mean cost (percent)"),
            _halves(
                efficiency(state),
                lambda row: row.improvement,
                lambda row: -abs(row.worsening),
                lambda row: max(row.maximum, row.improvement),
                lambda row: min(row.minimum, -abs(row.worsening)),
            ),
        ),
    )


def _chart(name: str, title: str, reading: str, y: Axis, series: tuple[Series, ...]) -> Chart:
    return Chart(f"operators-{name}", title, reading, BORN, y, series)


def _series(
    study: Study[Any],
    value: Callable[[Any], float],
    low: Callable[[Any], float] | None = None,
    high: Callable[[Any], float] | None = None,
) -> tuple[Series, ...]:
    return tuple(
        Series(
            operator,
            "line",
            tuple(map(float, rows)),
            tuple(float(value(row)) for row in rows.values()),
            tuple(float(low(row)) for row in rows.values()) if low else (),
            tuple(float(high(row)) for row in rows.values()) if high else (),
        )
        for operator, rows in study.items()
        if operator != FIRST
    )


WORSE = "worse"
"""Suffix of the series of deteriorations of an operator."""


def _halves(
    study: Study[Any],
    better: Callable[[Any], float],
    worse: Callable[[Any], float],
    best: Callable[[Any], float] | None = None,
    worst: Callable[[Any], float] | None = None,
) -> tuple[Series, ...]:
    upper = _series(study, better, better if best else None, best)
    lower = _series(study, worse, worst, worse if worst else None)
    return (*upper, *(replace(line, name=f"{line.name}, {WORSE}") for line in lower))


def mean_chart(charts: Sequence[Chart]) -> Chart:
    """Return one chart for several runs: the mean of each series where the runs have values."""
    if len(charts) == 1:
        return charts[0]
    names = dict.fromkeys(line.name for chart in charts for line in chart.series)
    lines = {
        name: [line for chart in charts for line in chart.series if line.name == name]
        for name in names
    }
    return replace(
        charts[0],
        reading=f"{charts[0].reading} Means of {len(charts)} runs.",
        series=tuple(_mean_line(name, runs) for name, runs in lines.items()),
    )


def _mean_line(name: str, runs: Sequence[Series]) -> Series:
    """Return the mean of a line over runs, and of its range if all of them have one."""
    values = _by_place(runs, [line.y for line in runs])
    places = tuple(sorted(values))
    low, high = (
        _means(_by_place(runs, ends), places) if all(ends) else ()
        for ends in ([line.low for line in runs], [line.high for line in runs])
    )
    return Series(name, runs[0].mark, places, _means(values, places), low, high)


def _by_place(
    runs: Sequence[Series], values: Sequence[Sequence[float]]
) -> dict[float, list[float]]:
    found: dict[float, list[float]] = {}
    for line, own in zip(runs, values, strict=True):
        for x, y in zip(line.x, own, strict=True):
            found.setdefault(x, []).append(y)
    return found


def _means(values: Mapping[float, Sequence[float]], places: Sequence[float]) -> tuple[float, ...]:
    return tuple(sum(values[x]) / len(values[x]) for x in places)


def _plain(study: Study[Any]) -> dict[str, Any]:
    return {
        operator: {generation: _row(value) for generation, value in rows.items()}
        for operator, rows in study.items()
    }


def _row(value: Any) -> Any:  # noqa: ANN401
    fields: Mapping[str, Any] | None = value._asdict() if hasattr(value, "_asdict") else None
    return value if fields is None else dict(fields)
