"""Section 6.5 on reference graphs: how loss and risk go with k, and what the search saves."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from evomask.data.graph import Graph
from evomask.graphs.structure import structure_of
from evomask.io.graphs import GraphSource, read_graph
from evomask.papers.graphs import figures
from evomask.papers.graphs.inputs import FOURSQUARE, SINANET, SIZES, graph_like
from evomask.runs.graphs.graph import PROTECTORS, with_profiles
from evomask.studies.graphs import study_graph

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

    def test_risk_asks_for_what_neighbours_say(self, reference):
        reference("graphs/sinanet/nodes.csv")
        (chart, _) = figures.figure_6_12(share=0.15)
        assert "risk falls with k: yes" in chart.reading
        assert {line.name for line in chart.series} >= {"location", "topics", "all"}

    def test_microdata_come_from_the_protected_graph(self, reference):
        reference("graphs/sinanet/nodes.csv")
        (chart, _) = figures.figure_6_14(share=0.15)
        assert {line.name for line in chart.series} == {"loss", "risk"}
        assert "loss rises with k: yes; risk falls with k: yes" in chart.reading
