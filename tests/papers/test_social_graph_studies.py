"""Section 6.5 on reference graphs: how loss and risk go with k, and what the search saves."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from evomask_graphs.charts import StudyRow
from evomask_graphs.graph import Graph
from evomask_graphs.graph_files import GraphSource, read_graph
from evomask_graphs.runs.protect import PROTECTORS, with_profiles
from evomask_graphs.structure import structure_of
from evomask_graphs.study import study_graph
from evomask_papers.graphs import claims, figures
from evomask_papers.graphs.inputs import FOURSQUARE, SINANET, SIZES, graph_like

KS = (2, 5, 10, 20)


@pytest.fixture(scope="module")
def loaded(reference):
    """The 1000-node graph of Foursquare: real places (only four) and topics."""
    graph = read_graph(GraphSource(reference("graphs/foursquare4/nodes.csv").parent))
    marks = np.array(graph.nodes.attribute("small").categories)[graph.nodes.codes("small")]
    kept = np.flatnonzero(marks == "1")
    place = np.full(len(graph), -1)
    place[kept] = np.arange(len(kept))
    edges = place[graph.edges]
    edges = edges[(edges >= 0).all(axis=1)]
    names = tuple(graph.names[i] for i in kept)
    return with_profiles(Graph(names, graph.nodes.take(kept), edges))


@pytest.fixture(scope="module")
def studies(loaded):
    return {
        name: study_graph(loaded, KS, protector, n_runs=2, seed=1)
        for name, protector in PROTECTORS.items()
    }


def test_the_graph_is_the_one_described(loaded):
    assert (len(loaded.graph), len(loaded.graph.edges)) == (1000, 3580)


@pytest.mark.parametrize("name", PROTECTORS)
@pytest.mark.parametrize("loss", ["AAMIL", "CDIL", "DBIL", "mean"])
def test_loss_rises_with_k(studies, name, loss):
    values = [row.losses[loss] for row in studies[name].rows]
    assert spearmanr(KS, values).statistic > 0.9


@pytest.mark.parametrize("kind", ["location", "topic1", "topic2", "topics", "all"])
def test_risk_falls_with_k_for_random_seeds(studies, kind):
    values = [row.risks[kind] for row in studies["random"].rows]
    assert spearmanr(KS, values).statistic < -0.6


def test_risk_of_the_first_topic_is_highest_and_of_all_attributes_lowest(studies):
    for row in studies["random"].rows:
        assert row.risks["topic1"] > row.risks["topic2"] > row.risks["all"]


def test_the_search_loses_at_least_15_percent_less_at_every_k(studies):
    for old, new in zip(studies["random"].rows, studies["search"].rows, strict=True):
        assert new.losses["mean"] < 0.85 * old.losses["mean"]


def test_the_search_adds_at_most_two_points_of_risk_over_all_attributes(studies):
    for old, new in zip(studies["random"].rows, studies["search"].rows, strict=True):
        assert new.risks["all"] <= old.risks["all"] + 2.0


@pytest.mark.parametrize("name", PROTECTORS)
def test_microdata_lose_more_and_risk_less_with_k(studies, name):
    rows = studies[name].rows
    assert spearmanr(KS, [row.microdata["loss"] for row in rows]).statistic > 0.9
    assert rows[-1].microdata["risk"] <= rows[0].microdata["risk"]


class TestFiguresOfChapter6:
    def test_graphs_have_the_sizes_of_the_thesis(self, reference):
        reference("graphs/sinanet/nodes.csv")
        for which, (nodes, edges) in SIZES.items():
            for network in (FOURSQUARE, SINANET):
                graph = graph_like(which, network, 1)
                assert (len(graph), len(graph.edges)) == (nodes, edges)
                assert structure_of(graph).components == 1

    def test_loss_of_the_first_graph_rises_and_every_claim_is_answered(self, reference):
        reference("graphs/sinanet/nodes.csv")
        charts = figures.figure_6_10(share=0.15)
        assert [chart.title.split(", ")[-1] for chart in charts] == [FOURSQUARE, SINANET]
        assert all("loss rises with k: yes; CDIL grows fastest" in c.reading for c in charts)

    def test_the_second_graph_is_not_asked_what_is_said_of_the_first_alone(self, reference):
        reference("graphs/sinanet/nodes.csv")
        for chart in figures.figure_6_11(share=0.15):
            assert "CDIL grows" not in chart.reading
            assert (
                "loss is below the first graph's throughout (3 of 3 values): yes" in chart.reading
            )

    def test_risk_asks_for_what_neighbours_say(self, reference):
        reference("graphs/sinanet/nodes.csv")
        (chart, _) = figures.figure_6_12(share=0.15)
        assert "risk falls with k in all cases (not: location): no" in chart.reading
        assert {line.name for line in chart.series} >= {"location", "topics", "all"}

    def test_microdata_come_from_the_protected_graph(self, reference):
        reference("graphs/sinanet/nodes.csv")
        (chart, _) = figures.figure_6_14(share=0.15)
        assert {line.name for line in chart.series} == {"loss", "risk"}
        assert "evomask's own measures" in chart.title
        assert "loss rises with k: yes; risk falls with k: yes" in chart.reading

    def test_layouts_tell_the_characteristic_path_of_both(self, reference):
        reference("graphs/foursquare4/nodes.csv")
        chart = figures._layout("first graph", FOURSQUARE, 1)
        assert "longest path 17, characteristic path 8, mean path 7.60" in chart.reading
        assert "longest path 15, characteristic path 7, mean path 6.60" in chart.reading


def row_of(k, risk, loss):
    """A row in which every kind of risk is *risk* times a number of its own."""
    kinds = {"location": 1, "topic1": 6, "topic2": 5, "topic3": 4, "topics": 3, "all": 2}
    losses = {"AAMIL": 2 * loss, "CDIL": 3 * loss, "DBIL": 4 * loss, "mean": 3 * loss}
    risks = {name: risk * part for name, part in kinds.items()}
    return StudyRow(k, losses, risks, {"loss": loss, "risk": risk})


FALLING = [row_of(k, 12.0 - k, 1.0 + 0.1 * k) for k in (2, 5, 10)]


def answers(check, rows, first=FALLING):
    return {claim.paper: claim.holds for claim in check(rows, first)}


class TestStatementsOfTheText:
    def test_all_that_holds_is_said_to_hold(self):
        assert all(answers(claims.risk_of_first, FALLING).values())
        assert answers(claims.loss_of_first, FALLING) == {
            "loss rises with k": True,
            "CDIL grows fastest": False,
        }

    def test_equal_values_neither_fall_nor_are_rarer(self):
        flat = [row_of(k, 0.0, 1.0) for k in (2, 5, 10)]
        assert not any(answers(claims.risk_of_first, flat).values())
        assert not any(answers(claims.microdata_of_first, flat).values())
        second = answers(claims.loss_of_second, flat, flat)
        assert [text for text, held in second.items() if held] == [
            "AAMIL is lowest for nearly all k"
        ]

    def test_kinds_of_risk_that_do_not_fall_are_named(self):
        stays = [
            replace(row, risks={**row.risks, "topic2": 50.0, "location": 0.0}) for row in FALLING
        ]
        found = answers(claims.risk_of_first, stays)
        assert found["risk falls with k in all cases (not: location, topic2)"] is False

    def test_lower_and_much_lower_are_told_apart(self):
        lower = [row_of(row.k, 0.9 * row.microdata["risk"], 0.7 * row.microdata["loss"])
                 for row in FALLING]  # fmt: skip
        found = answers(claims.microdata_of_second, lower)
        assert found["loss is lower by a quarter or more (3 of 3)"] is True
        assert found["risk is below the first graph's throughout (3 of 3 values)"] is True
        assert found["risk is lower by a quarter or more (0 of 3)"] is False
        assert answers(claims.risk_of_second, lower)[
            "risk is below the first graph's throughout (18 of 18 values)"
        ]

    def test_risk_may_fall_by_a_larger_share_and_fewer_points(self):
        found = answers(claims.microdata_of_first, [row_of(2, 4.0, 40.0), row_of(9, 0.0, 50.0)])
        assert found["risk falls by more points than loss rises"] is False
        assert found["risk falls by a larger share of its first value"] is True
