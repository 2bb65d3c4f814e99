"""Figures of graphs as data."""

from itertools import pairwise

import pytest

from evomask.errors import ParameterError
from evomask_graphs.charts import StudyRow, graph_chart, study_charts
from tests.graphs.examples import random_graph


def test_a_study_makes_a_figure_each_for_loss_risk_and_microdata():
    rows = [
        StudyRow(k, {"AAMIL": k, "mean": 2 * k}, {"all": 10 / k}, {"loss": k, "risk": 1 / k})
        for k in (2, 5)
    ]
    loss, risk, microdata = study_charts(rows)
    assert [one.name for one in loss.series] == ["AAMIL", "mean"]
    assert risk.series[0].x == (2.0, 5.0)
    assert risk.series[0].y == (5.0, 2.0)
    assert {one.name for one in microdata.series} == {"loss", "risk"}


def test_a_drawn_graph_walks_along_every_edge_and_no_other():
    graph = random_graph(20, 30)
    chart = graph_chart(graph, "before", "Before", "topic1")
    points = [
        xy for one in chart.series if one.mark == "points" for xy in zip(one.x, one.y, strict=True)
    ]
    assert len(points) == 20
    walked = set()
    for line in (one for one in chart.series if one.mark == "line"):
        spots = list(zip(line.x, line.y, strict=True))
        walked |= {frozenset(pair) for pair in pairwise(spots)}
    assert len(walked) == sum(a != b for a, b in graph.edges)


def test_a_large_graph_is_not_drawn():
    with pytest.raises(ParameterError, match="too large to draw"):
        graph_chart(random_graph(200, 10), "before", "Before", "topic1")
