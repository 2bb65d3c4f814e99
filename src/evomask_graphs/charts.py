"""Charts of graph studies: loss and risk by k (figures 6.10 to 6.15), drawings of small graphs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evomask.data.chart import Axis, Chart, Series
from evomask.errors import ParameterError
from evomask.types import Points
from evomask_graphs.graph import Graph

MOST_DRAWN = 150
LOSSES = ("AAMIL", "CDIL", "DBIL", "mean")


@dataclass(frozen=True)
class StudyRow:
    """Means over several runs with one k, in percent.

    Args:
        losses: AAMIL, CDIL, DBIL and their mean.
        risks: disclosure risk by the knowledge of the intruder.
        microdata: loss and risk of the extracted table.
    """

    k: int
    losses: Mapping[str, float]
    risks: Mapping[str, float]
    microdata: Mapping[str, float]


def study_charts(rows: Sequence[StudyRow]) -> tuple[Chart, ...]:
    """Charts of loss, risk, and loss and risk of extracted microdata, each by k."""
    return (
        _by_k("graph-loss", "Information loss by k", "information loss in percent", rows,
              lambda row: row.losses),
        _by_k("graph-risk", "Disclosure risk by k", "re-identified neighbourhoods in percent", rows,
              lambda row: row.risks),
        _by_k("graph-microdata", "Extracted microdata by k, by evomask's own measures", "percent",
              rows, lambda row: row.microdata),
    )  # fmt: skip


def _by_k(
    name: str,
    title: str,
    unit: str,
    rows: Sequence[StudyRow],
    values: Callable[[StudyRow], Mapping[str, float]],
) -> Chart:
    ks = tuple(float(row.k) for row in rows)
    names = tuple(values(rows[0]))
    series = tuple(
        Series(label, "line", ks, tuple(values(row)[label] for row in rows)) for label in names
    )
    ends = ", ".join(f"{line.name} {line.y[0]:.1f} to {line.y[-1]:.1f}" for line in series)
    reading = f"From k = {rows[0].k} to k = {rows[-1].k}, in percent: {ends}."
    return Chart(name, title, reading, Axis("k, nodes that share a profile"), Axis(unit), series)


def outline_chart(graph: Graph, name: str, title: str, reading: str, seed: int = 0) -> Chart:
    """Draw a graph of any size without attributes: edges as lines, nodes as points."""
    spots = _layout(graph, seed)
    axis = Axis("position without meaning")
    series = (*_lines(graph, spots), _points("users", spots))
    return Chart(name, title, reading, axis, axis, series)


def links_chart(points: Mapping[str, Sequence[tuple[int, float, float]]]) -> Chart:
    """Loss of links against loss of profiles: a point for each k, a series for each protection."""
    series = tuple(
        Series(
            name, "points", tuple(row[1] for row in rows), tuple(row[2] for row in rows),
            labels=tuple(f"k = {row[0]}" for row in rows),
        )
        for name, rows in points.items()
    )  # fmt: skip
    parts = [f"{n} {rows[-1][1]:.1f} and {rows[-1][2]:.1f}" for n, rows in points.items()]
    last = next(iter(points.values()))[-1][0]
    return Chart(
        "graph-links",
        "Loss of links and of profiles",
        f"At k = {last}, loss of edges and of profiles in percent: {'; '.join(parts)}.",
        Axis("edges in only one of the two graphs, percent"),
        Axis("semantic information loss, percent"),
        series,
    )


def graph_chart(graph: Graph, name: str, title: str, column: str, seed: int = 0) -> Chart:
    """Draw a small graph: edges as lines, nodes as points, one series per category.

    Positions depend on the edges alone, so the graph has the same layout before and after.
    """
    if len(graph) > MOST_DRAWN:
        raise ParameterError(
            f"a graph of {len(graph)} nodes is too large to draw; the limit is {MOST_DRAWN}"
        )
    spots = _layout(graph, seed)
    attribute = graph.nodes.attribute(column)
    codes = graph.nodes.codes(column)
    points = tuple(
        _points(category or "unknown", spots[codes == code])
        for code, category in enumerate(attribute.categories)
        if (codes == code).any()
    )
    reading = (
        f"{len(graph)} nodes and {len(graph.edges)} edges; "
        f"{len(points)} categories of {column} have different marks."
    )
    axis = Axis("position without meaning")
    return Chart(name, title, reading, axis, axis, _lines(graph, spots) + points)


def _points(name: str, spots: Points) -> Series:
    return Series(name, "points", tuple(spots[:, 0].tolist()), tuple(spots[:, 1].tolist()))


def _layout(graph: Graph, seed: int) -> Points:
    import networkx as nx

    made: nx.Graph[int] = nx.Graph()
    made.add_nodes_from(range(len(graph)))
    made.add_edges_from(map(tuple, graph.edges.tolist()))
    positions = nx.spring_layout(made, seed=seed)
    return np.round(np.array([positions[node] for node in range(len(graph))], dtype=float), 6)


def _lines(graph: Graph, spots: Points) -> tuple[Series, ...]:
    """One line for each component, which walks along every edge and back."""
    links: list[list[int]] = [[] for _ in range(len(graph))]
    for a, b in graph.undirected().edges.tolist():
        if a != b:
            links[a].append(b)
            links[b].append(a)
    walks, seen = [], set[int]()
    for start in range(len(graph)):
        if start not in seen and links[start]:
            walks.append(_walk(start, links, seen))
    return tuple(
        Series("edges" if number == 0 else f"edges {number + 1}", "line",
               tuple(spots[walk, 0].tolist()), tuple(spots[walk, 1].tolist()))
        for number, walk in enumerate(walks)
    )  # fmt: skip


def _walk(start: int, links: Sequence[Sequence[int]], seen: set[int]) -> list[int]:
    """Return a depth-first walk along every edge of a component and back."""
    walk, path, used = [start], [start], set[tuple[int, int]]()
    seen.add(start)
    while path:
        node = path[-1]
        onward = [
            other for other in links[node] if (min(node, other), max(node, other)) not in used
        ]
        if not onward:
            path.pop()
            walk += path[-1:]
            continue
        other = onward[0]
        used.add((min(node, other), max(node, other)))
        walk.append(other)
        if other in seen:
            walk.append(node)
        else:
            seen.add(other)
            path.append(other)
    return walk
