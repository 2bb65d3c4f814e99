"""Social graphs: what the search saves, and how long protecting and measuring take.

    python benchmarks/bench_graphs.py [--full | --links]

Foursquare graphs are reference data (real places and topics, but only four places). The graph
of 100,000 nodes is made here: topics drawn from Foursquare's users, places drawn at random
from a gazetteer, edges at random; so its losses say nothing about real people. Sinanet has
real topics and edges, and places drawn at random: its location results rest on the draw.
"""

import resource
import sys
import time

import numpy as np

from evomask.io.datasets import reference_file
from evomask.types import Indices
from evomask_graphs.aggregation import borda_topics
from evomask_graphs.disclosure_risk import disclosure_risk
from evomask_graphs.edges import anonymize_degrees
from evomask_graphs.graph import Graph, table_of_texts
from evomask_graphs.graph_files import GraphSource, read_graph, read_rows
from evomask_graphs.information_loss import semantic_loss
from evomask_graphs.neighbourhoods import NeighbourhoodSearch
from evomask_graphs.profiles import ProfileColumns, Profiles, profiles_of
from evomask_graphs.protection import ClusterSearch, Protector, RandomSeeds
from evomask_graphs.structure import edge_loss
from evomask_papers.graphs.inputs import crawled

PLACES = ("city", "admin1", "country", "continent")
COLUMNS = ProfileColumns(PLACES, ("topic1", "topic2", "topic3"))
BOTH: dict[str, Protector] = {"random": RandomSeeds(), "search": ClusterSearch()}


def foursquare(*, small: bool) -> Graph:
    """The graph of four cities, whole or the 1000 nodes marked small."""
    graph = read_graph(GraphSource(reference_file("graphs/foursquare4/nodes.csv").parent))
    marks = np.array(graph.nodes.attribute("small").categories)[graph.nodes.codes("small")]
    return _induced(graph, np.flatnonzero(marks == "1")) if small else graph


def _induced(graph: Graph, kept: Indices) -> Graph:
    place = np.full(len(graph), -1)
    place[kept] = np.arange(len(kept))
    edges = place[graph.edges]
    names = tuple(graph.names[i] for i in kept)
    return Graph(names, graph.nodes.take(kept), edges[(edges >= 0).all(axis=1)])


def sinanet(seed: int) -> Graph:
    """Followers with real topics; every place is drawn from the gazetteer."""
    folder = reference_file("graphs/sinanet/nodes.csv").parent
    graph = read_graph(GraphSource(folder, directed=True))
    columns = _drawn_places(len(graph), np.random.default_rng(seed))
    for name in COLUMNS.topics:
        categories = np.array(graph.nodes.attribute(name).categories, dtype=object)
        columns[name] = categories[graph.nodes.codes(name)]
    return graph.with_nodes(table_of_texts(columns))


def made(n_nodes: int, rng: np.random.Generator) -> Graph:
    """A large graph with drawn places, drawn edges, and topics of Foursquare's users."""
    (users,) = profiles_of(COLUMNS, foursquare(small=False).nodes)
    topics = users.topics[rng.integers(len(users), size=n_nodes)]
    columns = _drawn_places(n_nodes, rng)
    for j, name in enumerate(COLUMNS.topics):
        columns[name] = np.array(users.topic_names, dtype=object)[topics[:, j]]
    names = tuple(str(i) for i in range(n_nodes))
    edges = rng.integers(n_nodes, size=(5 * n_nodes, 2))
    return Graph(names, table_of_texts(columns), edges)


def _drawn_places(n: int, rng: np.random.Generator) -> "dict[str, np.typing.NDArray[np.object_]]":
    rows = read_rows(reference_file("places/cities15000.csv"))
    drawn = rng.integers(len(rows), size=n)
    return {name: np.array([rows[i][name] for i in drawn], dtype=object) for name in PLACES}


def _spearman(a: list[float], b: list[float]) -> float:
    from scipy.stats import spearmanr

    return float(spearmanr(a, b).statistic) if len(set(b)) > 1 else 0.0


def compare(name: str, graph: Graph, ks: list[int], runs: int) -> None:
    """Loss and risk of both protectors by k, means over the runs."""
    (own,) = profiles_of(COLUMNS, graph.nodes)
    print(f"{name}: {len(graph)} nodes, {len(graph.edges)} edges, mean of {runs} runs")
    means: dict[str, list[tuple[float, dict[str, float]]]] = {key: [] for key in BOTH}
    for k in ks:
        for key, protector in BOTH.items():
            means[key].append(_means(graph, own, k, protector, runs))
        (old, risk), (new, other) = means["random"][-1], means["search"][-1]
        shown = ", ".join(f"{kind} {risk[kind]:.2f}/{other[kind]:.2f}" for kind in risk)
        print(f"  k={k:2d} loss {old:.2f} -> {new:.2f} (ratio {new / old:.3f}); risk {shown}")
    for key, rows in means.items():
        rising = _spearman([*map(float, ks)], [loss for loss, _ in rows])
        falling = {
            kind: round(_spearman([*map(float, ks)], [risks[kind] for _, risks in rows]), 3)
            for kind in rows[0][1]
        }
        print(f"  {key}: rank correlation with k: loss {rising:.3f}, risk {falling}")


def _means(
    graph: Graph, own: Profiles, k: int, protector: Protector, runs: int
) -> tuple[float, dict[str, float]]:
    losses, risks = [], []
    for r in range(runs):
        rng = np.random.default_rng([0, k, r])
        masked = protector.protect(own, graph.degrees, k, rng).profiles
        losses.append(semantic_loss(own, masked, graph.arcs).mean)
        found = disclosure_risk(own, masked, graph, graph)
        risks.append({kind: risk.matched for kind, risk in found.items()})
    kinds = [kind for kind in risks[0] if kind != "links alone"]
    return float(np.mean(losses)), {
        kind: float(np.mean([risk[kind] for risk in risks])) for kind in kinds
    }


def parts(graph: Graph, k: int) -> None:
    """How much of the gain is the clusters', and how much the choice of topics'."""
    (own,) = profiles_of(COLUMNS, graph.nodes)
    loss = {}
    for key, protector in (*BOTH.items(), ("topics alone", ClusterSearch(attempts=0))):
        found = protector.protect(own, graph.degrees, k, np.random.default_rng(0))
        loss[key] = semantic_loss(own, found.profiles, graph.arcs).mean
        if key == "search":
            topics = borda_topics(own.topics, found.labels)[found.labels]
            borda = own.with_values(found.profiles.locations, topics, own.numbers)
            loss["search with Borda"] = semantic_loss(own, borda, graph.arcs).mean
    told = ", ".join(f"{key} {value / loss['random']:.3f}" for key, value in loss.items())
    print(f"parts of the gain at k={k}, loss as a share of random seeds': {told}")


def times(n_nodes: int) -> None:
    """CPU seconds and memory at two sizes, and their ratio."""
    small = foursquare(small=False)
    (own,) = profiles_of(COLUMNS, small.nodes)
    masked = RandomSeeds().protect(own, small.degrees, 5, np.random.default_rng(0)).profiles
    disclosure_risk(own, masked, small, small)
    started = time.process_time()
    disclosure_risk(own, masked, small, small)
    print(f"risk of {len(small)} nodes, all kinds: {time.process_time() - started:.2f} s CPU")
    large = made(n_nodes, np.random.default_rng(1))
    (many,) = profiles_of(COLUMNS, large.nodes)
    for key, protector in BOTH.items():
        seconds = []
        for graph, profiles in ((small, own), (large, many)):
            started = time.process_time()
            protector.protect(profiles, graph.degrees, 5, np.random.default_rng(0))
            seconds.append(time.process_time() - started)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(
            f"{key}, k=5: {seconds[0]:.2f} s CPU for {len(small)} nodes, {seconds[1]:.1f} s for "
            f"{n_nodes} (ratio {seconds[1] / seconds[0]:.1f}), {memory:.2f} GB at most"
        )


def links() -> None:
    """Percent of edges that change for k-anonymous degrees, and for neighbourhoods."""
    for nodes, edges, ks in ((306, 342, (3,)), (500, 1400, (2, 5, 10))):
        for seed, k in ((seed, k) for seed in (3, 4) for k in ks):
            graph = crawled(foursquare(small=False), nodes, edges, np.random.default_rng(seed))
            started = time.process_time()
            masked = NeighbourhoodSearch().protect(graph, k, np.random.default_rng(1))
            seconds = time.process_time() - started
            degrees = anonymize_degrees(graph, k, np.random.default_rng(1))
            print(
                f"{nodes} nodes, {edges} edges, draw {seed}, k={k}: degrees "
                f"{edge_loss(graph, degrees):.1f} %, neighbourhoods {edge_loss(graph, masked):.1f} "
                f"% of edges changed, {seconds:.1f} s CPU"
            )


def main() -> None:
    if "--links" in sys.argv:
        links()
        return
    full = "--full" in sys.argv
    ks, runs = (list(range(2, 21)), 5) if full else ([2, 5, 10, 20], 2)
    compare("foursquare, small", foursquare(small=True), ks, runs)
    compare("foursquare", foursquare(small=False), ks if full else [2, 10], runs if full else 1)
    print("places of sinanet are drawn at random; its location results rest on the draw")
    compare("sinanet", sinanet(1), [2, 5, 10, 20], 1)
    parts(foursquare(small=False), 5)
    times(100_000)


if __name__ == "__main__":
    main()
