import json

import pytest

from evomask.data.chart import Axis, Chart, Series
from evomask.evolution.stopping import Budget
from evomask.runs.search import perform
from evomask_papers.operator_statistics import efficacy, lifetime, utilization
from evomask_papers.operator_study import (
    OperatorStudy,
    best_cost_chart,
    mean_chart,
    operator_charts,
    operator_study,
)

HALVES = ("mutate", "mutate, worse")


@pytest.fixture
def state(plan_of):
    return perform(plan_of(Budget(generations=20))).state


def test_the_study_is_plain_data(state):
    told = json.loads(json.dumps(operator_study(state)))
    assert told.keys() == {"utilization", "lifetime", "efficacy", "efficiency"}
    assert told["efficacy"]["mutate"].popitem()[1].keys() == {"improved", "worsened", "clones"}


def test_there_is_a_chart_for_each_figure_with_a_series_for_each_operator(state):
    charts = operator_charts(state)
    names = [chart.name.removeprefix("operators-") for chart in charts]
    assert names == ["utilization", "lifetime", "efficacy", "efficiency"]
    assert all({s.name for s in chart.series} == {"cross", "mutate"} for chart in charts[:2])
    halves = {"cross", "mutate", "cross, worse", "mutate, worse"}
    assert all({s.name for s in chart.series} == halves for chart in charts[2:])


def test_the_worsening_half_lies_below_nothing(state):
    for chart in operator_charts(state)[2:]:
        for line in chart.series:
            side = -1 if line.name.endswith("worse") else 1
            assert all(side * value >= 0 for value in (*line.y, *line.low, *line.high))


def test_the_two_halves_and_clones_are_all_children(state):
    better, worse = ({s.name: s for s in operator_charts(state)[2].series}[n] for n in HALVES)
    shares = [100.0 * row.clones / sum(row) for row in efficacy(state)["mutate"].values()]
    sums = [b - w + c for b, w, c in zip(better.y, worse.y, shares, strict=True)]
    assert sums == pytest.approx([100.0] * len(sums))


def test_the_mean_of_several_runs_is_that_of_each_place():
    axis = Axis("generation")
    first, second = (
        Chart("c", "title", "reading", axis, axis, (Series("a", "line", xs, ys),))
        for xs, ys in (((1.0, 2.0), (2.0, 4.0)), ((1.0,), (6.0,)))
    )
    (line,) = mean_chart([first, second]).series
    assert (line.x, line.y) == ((1.0, 2.0), (4.0, 4.0))
    assert mean_chart([first]) is first


def test_charts_show_the_figures_of_the_study(state):
    used, lived, better, _ = (chart.series[0] for chart in operator_charts(state))
    name = used.name
    assert dict(zip(used.x, used.y, strict=True)) == utilization(state)[name]
    assert dict(zip(lived.x, lived.y, strict=True)) == lifetime(state)[name]
    shares = [100 * row.improved / sum(row) for row in efficacy(state)[name].values()]
    assert list(better.y) == shares


@pytest.fixture
def study(plan_of):
    return OperatorStudy.of(perform(plan_of(Budget(generations=5))))


def test_every_operator_has_a_run_of_its_own(study):
    assert study.alone.keys() == {"cross", "mutate"}
    assert all(set(s.ledger.births) == {"first", name} for name, s in study.alone.items())


def test_the_whole_study_is_plain_data(study):
    told = json.loads(json.dumps(study.as_json))
    assert {"counts", "best", "alone"} <= told.keys()
    assert told["best"].keys() == {"combined", "cross", "mutate"}


def test_the_mean_of_several_runs_keeps_its_range():
    axis = Axis("generation")
    charts = [
        Chart("c", "t", "r", axis, axis, (Series("a", "line", (1.0,), (y,), (y - 1,), (y + 3,)),))
        for y in (2.0, 6.0)
    ]
    (line,) = mean_chart(charts).series
    assert (line.y, line.low, line.high) == ((4.0,), (3.0,), (7.0,))


def test_best_costs_of_several_runs_are_ratios_of_means(monkeypatch):
    """Not means of ratios: (4 + 2) / (1 + 2) is 2, the mean of 4 and 1 is 2.5."""
    monkeypatch.setattr("evomask_papers.operator_study.best_costs", lambda costs: costs)
    chart = best_cost_chart([{0: 1.0}, {0: 2.0}], [{"mutate": {0: 4.0}}, {"mutate": {0: 2.0}}])
    assert [line.y for line in chart.series] == [(2.0,)]


def test_a_run_that_ended_early_counts_with_its_last_best_cost(monkeypatch):
    monkeypatch.setattr("evomask_papers.operator_study.best_costs", lambda costs: costs)
    chart = best_cost_chart(
        [{1: 2.0}, {1: 2.0, 2: 1.0}], [{"mutate": {1: 4.0}}, {"mutate": {1: 4.0, 2: 2.0}}]
    )
    assert [line.y for line in chart.series] == [(2.0, 2.0)]


def test_best_costs_are_drawn_relative_to_the_combined_run(study):
    chart = next(c for c in study.charts if c.name == "operators-best-cost")
    costs = study.as_json["best"]
    line = next(s for s in chart.series if s.name == "mutate")
    assert line.y[-1] == costs["mutate"][5] / costs["combined"][5]


def test_charts_show_operators_combined_and_alone_and_what_the_search_counts(study):
    names = {chart.name.removeprefix("operators-") for chart in study.charts}
    four = {"utilization", "lifetime", "efficacy", "efficiency"}
    assert names == four | {f"{name}-alone" for name in four} | {"best-cost", "width"}


def test_a_count_is_the_mean_over_children(study):
    chart = next(c for c in study.charts if c.name == "operators-width")
    births = study.combined.ledger.births["mutate"]
    line = next(s for s in chart.series if s.name == "mutate")
    assert list(line.y) == [dict(row.counts)["width"] / row.children for row in births]


def test_a_run_without_generations_has_nothing_to_draw(plan_of):
    assert OperatorStudy.of(perform(plan_of(Budget(generations=0)))).charts == ()


def test_an_operator_that_never_worked_alone_is_not_drawn(study):
    idle = OperatorStudy(study.combined, {**study.alone, "rare": study.alone["cross"]})
    chart = next(c for c in idle.charts if c.name == "operators-lifetime-alone")
    assert {series.name for series in chart.series} == {"cross", "mutate"}
