"""Study of loss and risk of protected graphs by k (section 6.5): means over several runs."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from evomask.data.chart import Chart
from evomask.errors import ParameterError
from evomask.evolution.streams import graph_study_stream
from evomask_graphs.charts import (
    MOST_DRAWN,
    StudyRow,
    graph_chart,
    links_chart,
    study_charts,
)
from evomask_graphs.disclosure_risk import disclosure_risk
from evomask_graphs.extraction import extract_microdata
from evomask_graphs.information_loss import semantic_loss
from evomask_graphs.profiles import profiles_of
from evomask_graphs.protection import Protector
from evomask_graphs.runs.protect import LoadedGraph, protect_with_edges
from evomask_graphs.structure import edge_loss


@dataclass(frozen=True)
class GraphStudy:
    """Rows of a study by k, and their charts."""

    rows: tuple[StudyRow, ...]
    charts: tuple[Chart, ...]


def study_graph(
    loaded: LoadedGraph,
    ks: Iterable[int],
    protector: Protector,
    n_runs: int,
    seed: int,
    watch: Callable[[int], None] = lambda _: None,
    *,
    knows_own: bool = True,
    links: bool = False,
) -> GraphStudy:
    """Protect a graph several times with every k; every run has its own random stream.

    Args:
        knows_own: whether intruders know a node's own attributes, or only those of its neighbours.
            links: whether to add the loss of links against that of profiles.
    """
    rows = []
    for k in ks:
        watch(k)
        runs = [
            _run(loaded, k, protector, graph_study_stream(seed, k, r), knows_own)
            for r in range(n_runs)
        ]
        rows.append(StudyRow(k, *(_mean([run[part] for run in runs]) for part in range(3))))
    if not rows:
        raise ParameterError("a study needs at least one k; give 2-20 or 2,5,10")
    charts = study_charts(rows) + _drawn(loaded, rows[0].k, protector, seed)
    if links:
        charts += (links_chart(_links(loaded, [row.k for row in rows], protector, seed)),)
    return GraphStudy(tuple(rows), charts)


def _run(
    loaded: LoadedGraph, k: int, protector: Protector, rng: np.random.Generator, knows_own: bool
) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    graph = loaded.graph
    (original,) = profiles_of(loaded.columns, graph.nodes)
    masked = protector.protect(original, graph.degrees, k, rng).profiles
    loss = semantic_loss(original, masked, graph.arcs)
    risks = disclosure_risk(original, masked, graph, graph, knows_own=knows_own)
    protected = graph.with_nodes(masked.table())
    table = extract_microdata(protected, loaded.columns, k, protector, rng, original=graph)
    losses = {
        "AAMIL": loss.adjacency.mean,
        "CDIL": loss.distribution.mean,
        "DBIL": loss.distance.mean,
        "mean": loss.mean,
    }
    matched = {name: risk.matched for name, risk in risks.items() if name != "links alone"}
    return losses, matched, {"loss": table.loss, "risk": table.risk}


def _links(
    loaded: LoadedGraph, ks: list[int], protector: Protector, seed: int
) -> dict[str, list[tuple[int, float, float]]]:
    """Return rows of k, edge loss and profile loss in percent, for each kind of edge protection."""
    ways = {
        "profiles alone": (False, False),
        "k-degree anonymity": (True, False),
        "k-neighbourhood anonymity with profiles": (False, True),
    }
    points: dict[str, list[tuple[int, float, float]]] = {name: [] for name in ways}
    for name, (degrees, neighbourhoods) in ways.items():
        for k in ks:
            rng = graph_study_stream(seed, k, 0)
            masked = protect_with_edges(
                loaded, k, protector, rng, degrees=degrees, neighbourhoods=neighbourhoods
            ).graph
            old, new = profiles_of(loaded.columns, loaded.graph.nodes, masked.nodes)
            loss = semantic_loss(old, new, loaded.graph.arcs, masked.arcs).mean
            points[name].append((k, edge_loss(loaded.graph, masked), loss))
    return points


def _mean(runs: list[dict[str, float]]) -> Mapping[str, float]:
    return {name: float(np.mean([run[name] for run in runs])) for name in runs[0]}


def _drawn(loaded: LoadedGraph, k: int, protector: Protector, seed: int) -> tuple[Chart, ...]:
    if len(loaded.graph) > MOST_DRAWN:
        return ()
    column = (loaded.columns.topics or loaded.columns.location)[0]
    rng = graph_study_stream(seed, k, 0)
    masked = protect_with_edges(loaded, k, protector, rng).graph
    return (
        graph_chart(loaded.graph, "graph-before", "The original graph", column),
        graph_chart(masked, "graph-after", f"The protected graph, k = {k}", column),
    )
