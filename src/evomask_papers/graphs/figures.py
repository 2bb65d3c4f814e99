"""Figures 6.9 to 6.15 (Marés, 2013): protected graphs by k, and microdata extracted from them.

Profiles are protected by Algorithms 13 and 14; neighbourhoods are matched by the attributes of
neighbours, as in section 6.4. Microdata come from the protected graph. The thesis prints curves
without numbers: the claims of its text are tested on ours.
"""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from evomask.data.chart import Chart
from evomask_graphs.charts import outline_chart
from evomask_graphs.protection import RandomSeeds
from evomask_graphs.runs.protect import with_profiles
from evomask_graphs.structure import structure_of
from evomask_graphs.study import GraphStudy, study_graph
from evomask_papers.claims import verdict
from evomask_papers.effort import Effort
from evomask_papers.graphs import claims
from evomask_papers.graphs.inputs import (
    FIRST,
    FOURSQUARE,
    PLACES,
    PRINTED,
    SECOND,
    SINANET,
    SIZES,
    TOPICS,
    graph_like,
)

NETWORKS = FOURSQUARE, SINANET
KS, RUNS = range(2, 21), 5
"""Values of k and runs of each at full effort; the thesis states five runs, but not the largest
k."""

LOSS, RISK, MICRODATA = range(3)
"""Positions of the figures among the charts of a study."""


@lru_cache(maxsize=8)
def studied(which: str, network: str, effort: Effort) -> GraphStudy:
    """Run Algorithm 14 with every k on a graph of the thesis' size; with less effort, for fewer
    k."""
    loaded = with_profiles(graph_like(which, network, effort.seed), PLACES, TOPICS)
    picked = np.unique(np.linspace(0, len(KS) - 1, effort.of(len(KS), 3)).round().astype(int))
    return study_graph(
        loaded,
        [KS[i] for i in picked],
        RandomSeeds(),
        effort.of(RUNS),
        effort.seed,
        knows_own=False,
    )


def figure_6_9(seed: int = 1) -> list[Chart]:
    """Layout of two graphs of 306 and 1638 users, from each of two networks."""
    return [_layout(which, network, seed) for which in SIZES for network in NETWORKS]


def _layout(which: str, network: str, seed: int) -> Chart:
    graph = graph_like(which, network, seed)
    ours, paper = structure_of(graph), PRINTED[which]
    reading = (
        f"Thesis: {SIZES[which][0]} users, {SIZES[which][1]} edges, longest path "
        f"{paper['diameter']}, characteristic path {paper['characteristic']}, mean path "
        f"{paper['shortest path']:.2f}, mean degree {paper['degree']}. Ours: {ours.nodes} users, "
        f"{ours.edges} edges, longest path {ours.diameter}, characteristic path "
        f"{ours.characteristic_length:.0f}, mean path {ours.path_length:.2f}, mean degree "
        f"{ours.mean_degree:.1f}."
    )
    slug = f"{which}-{network}".lower().replace(" ", "-")
    return outline_chart(graph, slug, f"{which.capitalize()}, {network}", reading, seed)


def figure_6_10(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Information loss by k, first graph."""
    return _drawn(FIRST, LOSS, Effort(seed, share), claims.loss_of_first)


def figure_6_11(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Information loss by k, second graph."""
    return _drawn(SECOND, LOSS, Effort(seed, share), claims.loss_of_second)


def figure_6_12(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Disclosure risk by k and by the intruder's knowledge of neighbours, first graph."""
    return _drawn(FIRST, RISK, Effort(seed, share), claims.risk_of_first)


def figure_6_13(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Disclosure risk by k and by the intruder's knowledge of neighbours, second graph."""
    return _drawn(SECOND, RISK, Effort(seed, share), claims.risk_of_second)


def figure_6_14(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Loss and risk (measures of ours) of microdata from the protected first graph, by k."""
    return _drawn(FIRST, MICRODATA, Effort(seed, share), claims.microdata_of_first)


def figure_6_15(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Loss and risk (measures of ours) of microdata from the protected second graph, by k."""
    return _drawn(SECOND, MICRODATA, Effort(seed, share), claims.microdata_of_second)


def _drawn(which: str, place: int, effort: Effort, check: claims.Check) -> list[Chart]:
    return [_with_claims(which, network, place, effort, check) for network in NETWORKS]


def _with_claims(
    which: str, network: str, place: int, effort: Effort, check: claims.Check
) -> Chart:
    study = studied(which, network, effort)
    first = study if which == FIRST else studied(FIRST, network, effort)
    chart = study.charts[place]
    found = check(study.rows, first.rows)
    answers = "; ".join(f"{claim.paper}: {verdict(claim.holds)}" for claim in found)
    return replace(
        chart,
        name=f"{chart.name}-{which}-{network}".lower().replace(" ", "-"),
        title=f"{chart.title}, {which}, {network}",
        reading=f"{chart.reading} The thesis says, and ours show: {answers}.",
    )
