"""Figures 6.9 to 6.15 (Marés, 2013): protected graphs by k, and microdata extracted from them.

Profiles are protected by Algorithms 13 and 14; a neighbourhood is matched by what its neighbours
say, as in section 6.4. Microdata come from the protected graph. The thesis prints curves without
numbers: what its text says of them is checked on ours.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache

import numpy as np

from evomask.data.chart import Chart
from evomask.graphs.charts import StudyRow, outlined_graph
from evomask.graphs.protection import RandomSeeds
from evomask.graphs.structure import structure_of
from evomask.papers.effort import Effort
from evomask.papers.graphs.inputs import (
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
from evomask.runs.graphs.graph import with_profiles
from evomask.studies.graphs import GraphStudy, study_graph

NETWORKS = FOURSQUARE, SINANET
KS, RUNS = range(2, 21), 5
"""Values of k and runs of each at full effort; the thesis says five runs, not how far k goes."""

LOSS, RISK, MICRODATA = range(3)
"""Places of the figures among the charts of a study."""


@lru_cache(maxsize=8)
def studied(which: str, network: str, effort: Effort) -> GraphStudy:
    """Algorithm 14 with every k on a graph of the thesis' size; below full effort fewer k."""
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
        f"{paper['diameter']}, mean path {paper['shortest path']:.2f}, mean degree "
        f"{paper['degree']}. Ours: {ours.nodes} users, {ours.edges} edges, longest path "
        f"{ours.diameter}, mean path {ours.path_length:.2f}, mean degree {ours.mean_degree:.1f}."
    )
    slug = f"{which}-{network}".lower().replace(" ", "-")
    return outlined_graph(graph, slug, f"{which.capitalize()}, {network}", reading, seed)


def figure_6_10(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Information loss by k, first graph."""
    return _drawn(FIRST, LOSS, Effort(seed, share), _loss_claims)


def figure_6_11(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Information loss by k, second graph."""
    effort = Effort(seed, share)
    return _drawn(SECOND, LOSS, effort, lambda rows: [*_loss_claims(rows), *_second_claims(rows)])


def figure_6_12(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Disclosure risk by k and by what is known of neighbours, first graph."""
    return _drawn(FIRST, RISK, Effort(seed, share), _risk_claims)


def figure_6_13(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Disclosure risk by k and by what is known of neighbours, second graph."""
    return _drawn(SECOND, RISK, Effort(seed, share), _risk_claims)


def figure_6_14(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Loss and risk (measures of ours) of microdata from the protected first graph, by k."""
    return _drawn(FIRST, MICRODATA, Effort(seed, share), _microdata_claims)


def figure_6_15(seed: int = 1, share: float = 1.0) -> list[Chart]:
    """Loss and risk (measures of ours) of microdata from the protected second graph, by k."""
    return _drawn(SECOND, MICRODATA, Effort(seed, share), _microdata_claims)


Claim = tuple[str, bool]


def _drawn(
    which: str, place: int, effort: Effort, claims: Callable[[tuple[StudyRow, ...]], list[Claim]]
) -> list[Chart]:
    return [_with_claims(which, network, place, effort, claims) for network in NETWORKS]


def _with_claims(
    which: str,
    network: str,
    place: int,
    effort: Effort,
    claims: Callable[[tuple[StudyRow, ...]], list[Claim]],
) -> Chart:
    study = studied(which, network, effort)
    chart = study.charts[place]
    answers = "; ".join(f"{text}: {'yes' if held else 'no'}" for text, held in claims(study.rows))
    return replace(
        chart,
        name=f"{chart.name}-{which}-{network}".lower().replace(" ", "-"),
        title=f"{chart.title}, {which}, {network}",
        reading=f"{chart.reading} The thesis says, and ours show: {answers}.",
    )


def _loss_claims(rows: tuple[StudyRow, ...]) -> list[Claim]:
    first, last = rows[0].losses, rows[-1].losses
    grown = {name: last[name] - first[name] for name in ("AAMIL", "CDIL", "DBIL")}
    return [
        ("loss rises with k", _rises(row.losses["mean"] for row in rows)),
        ("CDIL grows fastest", max(grown, key=lambda name: grown[name]) == "CDIL"),
    ]


def _second_claims(rows: tuple[StudyRow, ...]) -> list[Claim]:
    lowest = [min(("AAMIL", "CDIL", "DBIL"), key=lambda n: row.losses[n]) for row in rows]
    return [("AAMIL is lowest for nearly all k", lowest.count("AAMIL") >= 0.8 * len(rows))]


def _risk_claims(rows: tuple[StudyRow, ...]) -> list[Claim]:
    mean = {name: float(np.mean([row.risks[name] for row in rows])) for name in rows[0].risks}
    topics = [mean[name] for name in TOPICS]
    return [
        ("risk falls with k", _rises(-sum(row.risks.values()) for row in rows)),
        (
            "the first topic is found most often, then the second, then the third",
            topics == sorted(topics, reverse=True),
        ),
        (
            "topics together are found more rarely, all attributes most rarely",
            min(topics) >= mean["topics"] >= mean["all"],
        ),
    ]


def _microdata_claims(rows: tuple[StudyRow, ...]) -> list[Claim]:
    first, last = rows[0].microdata, rows[-1].microdata
    return [
        ("loss rises with k", _rises(row.microdata["loss"] for row in rows)),
        ("risk falls with k", last["risk"] <= first["risk"]),
    ]


def _rises(values: Iterable[float]) -> bool:
    """Whether values rise with their place, by rank."""
    from scipy.stats import spearmanr

    line = list(values)
    if len(set(line)) < 2:
        return False
    return bool(spearmanr(range(len(line)), line).statistic > 0.5)
