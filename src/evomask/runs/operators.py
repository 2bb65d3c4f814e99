"""The operator study of a run as data and as charts."""

from collections.abc import Callable, Mapping
from typing import Any

from evomask.data.chart import Axis, Chart, Series
from evomask.evolution.brood import FIRST
from evomask.evolution.state import State
from evomask.evolution.study import Study, efficacy, efficiency, lifetime, utilization

BORN = Axis("generation of birth")


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
        _chart(
            "efficacy",
            "Children better than their parents",
            "The share of an operator's children that cost less than their parents' mean.",
            Axis("improved children (percent)"),
            _series(efficacy(state), lambda row: 100.0 * row.improved / max(1, sum(row))),
        ),
        _chart(
            "efficiency",
            "By how much children differ from their parents",
            "Above 0 children gained on average; the range reaches from the worst to the best.",
            Axis("gain over the parents' mean cost (percent)"),
            _series(
                efficiency(state),
                lambda row: row.improvement,
                lambda row: row.minimum,
                lambda row: row.maximum,
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


def _plain(study: Study[Any]) -> dict[str, Any]:
    return {
        operator: {generation: _row(value) for generation, value in rows.items()}
        for operator, rows in study.items()
    }


def _row(value: Any) -> Any:  # noqa: ANN401
    fields: Mapping[str, Any] | None = value._asdict() if hasattr(value, "_asdict") else None
    return value if fields is None else dict(fields)
