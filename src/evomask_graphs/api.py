"""Python interface for networkx graphs: protection and measures."""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evomask_graphs.runs.protect import Readings


def protect_graph(
    graph: Any,  # noqa: ANN401
    k: int,
    *,
    location: Iterable[str] = (),
    topics: Iterable[str] = (),
    protector: str = "search",
    edges: bool = False,
    neighbourhoods: bool = False,
    supernodes: str | PathLike[str] | None = None,
    seed: int | None = None,
) -> Any:  # noqa: ANN401
    """Return a protected copy of a networkx graph in which every profile is shared by k or more
    nodes.

    Args:
        location: node attributes of the place, from specific to general; found by name
            (city, region, country, continent) when absent.
        topics: node attributes of the topics, in order; topic1, topic2, ... when absent.
        protector: ``search`` (loses less) or ``random`` (the thesis' Algorithm 14).
        edges: whether degrees are made k-anonymous too, by adding edges.
        neighbourhoods: whether one-hop neighbourhoods are, together with profiles; not with
            *edges*.
        supernodes: a new folder for the clusters as supernodes, too.

    Nodes keep their names, as text, and their order: rename them before a release. Attributes
    that are no part of a profile are left out.
    """
    from evomask_graphs.graph_files import graph_from_networkx, graph_to_networkx
    from evomask_graphs.runs import protect as use

    folder = None if supernodes is None else Path(supernodes)
    if folder is not None:
        use.check_supernodes_target(folder, force=False)
    loaded = use.with_profiles(graph_from_networkx(graph), tuple(location), tuple(topics))
    protectors = use.protector_named(protector), use.generator(seed)
    masked = use.protect_with_edges(
        loaded, k, *protectors, degrees=edges, neighbourhoods=neighbourhoods
    )
    if folder is not None:
        use.write_as_supernodes(masked, folder)
    return graph_to_networkx(masked.graph)


def measure_graph(
    original: Any,  # noqa: ANN401
    masked: Any,  # noqa: ANN401
    *,
    location: Iterable[str] = (),
    topics: Iterable[str] = (),
    neighbours_alone: bool = False,
) -> "Readings":
    """Measure information loss, disclosure risk and structure of a protected networkx graph; nodes
    are matched by name.

    Args:
        neighbours_alone: whether intruders know the attributes of neighbours only, not those of the
            target, as in the thesis.
    """
    from evomask_graphs.graph_files import graph_from_networkx
    from evomask_graphs.runs.protect import read_aligned, with_profiles

    before, after = (
        with_profiles(graph_from_networkx(graph), tuple(location), tuple(topics))
        for graph in (original, masked)
    )
    return read_aligned(before, after, knows_own=not neighbours_alone)
