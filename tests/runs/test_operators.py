import json

import pytest

from evomask.evolution.stopping import Budget
from evomask.evolution.study import efficacy, lifetime, utilization
from evomask.runs.operators import operator_charts, operator_study
from evomask.runs.perform import perform


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
    assert all({s.name for s in chart.series} == {"cross", "mutate"} for chart in charts)


def test_charts_show_the_figures_of_the_study(state):
    used, lived, better, _ = (chart.series[0] for chart in operator_charts(state))
    name = used.name
    assert dict(zip(used.x, used.y, strict=True)) == utilization(state)[name]
    assert dict(zip(lived.x, lived.y, strict=True)) == lifetime(state)[name]
    shares = [100 * row.improved / sum(row) for row in efficacy(state)[name].values()]
    assert list(better.y) == shares
