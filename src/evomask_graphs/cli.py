"""The subcommands of ``evomask graph``: crawl, protect, measure, extract, study."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples, register_command
from evomask.cli.terminal.output import notes, progress, say, say_json
from evomask.errors import ParameterError

if TYPE_CHECKING:
    from evomask_graphs.runs.extract import ExtractOutcome
    from evomask_graphs.runs.protect import GraphInput, ProtectGraphOutcome, Readings
    from evomask_graphs.study import GraphStudy

PROFILES = "Profiles"

graphs = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Social graphs: crawl, protect, measure, extract, study.",
)

GraphFile = Annotated[
    Path,
    typer.Argument(metavar="GRAPH", help=".graphml, .gexf, a folder of two tables, or edges.csv."),
]
K = Annotated[int, typer.Option("-k", help="Minimum number of nodes that share a profile.")]
Nodes = Annotated[
    Path | None,
    typer.Option(
        "--nodes", help="Node table, if GRAPH is a table of edges.", rich_help_panel=PROFILES
    ),
]
Location = Annotated[
    str,
    typer.Option(
        "--location", help="Place columns, specific first: city,country.", rich_help_panel=PROFILES
    ),
]
Topics = Annotated[
    str, typer.Option("--topics", help="Topic columns in order.", rich_help_panel=PROFILES)
]
PlaceTable = Annotated[
    Path | None,
    typer.Option("--places", help="Table of places for free text.", rich_help_panel=PROFILES),
]
PlaceReport = Annotated[
    Path | None,
    typer.Option(
        "--place-report",
        help="CSV of place texts, places found, and others of the name (holds texts of nodes).",
        rich_help_panel=PROFILES,
    ),
]
Directed = Annotated[
    bool | None,
    typer.Option(
        "--directed/--undirected", help="Whether edges are directed [default: as in the file]."
    ),
]
Protector = Annotated[
    str, typer.Option("--protector", help="search (loses less) or random (Algorithm 14).")
]
KnowsOwn = Annotated[
    bool,
    typer.Option(
        "--own/--neighbours-alone",
        help="Whether intruders know the target's own attributes (in the thesis, they do not).",
    ),
]


@register_command(graphs)
@examples(
    "evomask graph crawl network --start alice --users 200 --out graph.graphml",
)
def crawl(
    network: Annotated[str, typer.Argument(help="A folder of JSON lines, or a server's address.")],
    start: Annotated[str, typer.Option("--start", help="The first user.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The graph.")],
    users: Annotated[int, typer.Option("--users", help="Maximum number of users.")] = 100,
    posts: Annotated[
        int, typer.Option("--posts", help="Maximum number of posts read per user.")
    ] = 40,
    run: Annotated[
        Path | None, typer.Option("--run", help="Folder of a crawl that can be resumed.")
    ] = None,
    places: PlaceTable = None,
    place_report: PlaceReport = None,
    words: Annotated[
        Path | None,
        typer.Option(
            "--words", help="Table of topic and word, to find topics.", rich_help_panel=PROFILES
        ),
    ] = None,
    languages: Annotated[
        str,
        typer.Option(
            "--languages",
            help="Languages of the words that find topics: en, de, es, fr.",
            rich_help_panel=PROFILES,
        ),
    ] = "en",
    force: options.Force = False,
    seed: options.Seed = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Build a graph from public profiles. The only command that uses the network."""
    from evomask_graphs.runs.crawl import CrawlJob, crawl_network

    job = CrawlJob(
        network, start, out, users, posts, run, places, seed, force, words,
        options.names(languages), place_report,
    )  # fmt: skip
    outcome = crawl_network(job, lambda n: progress(f"visited {n}", quiet=quiet or n % 10 > 0))
    if json:
        say_json({**asdict(outcome), "out": str(outcome.out)})
        return
    say(f"{outcome.users} users and {outcome.edges} edges: {outcome.out}")
    say(
        f"{outcome.hidden} users have no public profile, {outcome.unknown_places} have an unknown "
        f"place, {outcome.ambiguous_places} one of several places of a name, "
        f"{outcome.without_topics} have no topic"
    )


@register_command(graphs)
@examples(
    "evomask graph protect graph.graphml -k 5 --edges --out protected.graphml",
)
def protect(
    graph: GraphFile,
    k: K,
    out: Annotated[Path, typer.Option("--out", "-o", help="The protected graph.")],
    protector: Protector = "search",
    edges: Annotated[bool, typer.Option("--edges", help="Degrees k-anonymous too.")] = False,
    neighbourhoods: Annotated[
        bool,
        typer.Option("--neighbourhoods", help="One-hop neighbourhoods k-anonymous with profiles."),
    ] = False,
    supernodes: Annotated[
        Path | None, typer.Option("--supernodes", help="Folder for clusters as supernodes.")
    ] = None,
    shuffle: Annotated[
        float, typer.Option("--shuffle-edges", help="Percentage replaced at random: a baseline.")
    ] = 0.0,
    key: Annotated[
        Path | None,
        typer.Option("--key", help="Key file: original and new names of nodes (secret)."),
    ] = None,
    nodes: Nodes = None,
    location: Location = "",
    topics: Topics = "",
    places: PlaceTable = None,
    place_report: PlaceReport = None,
    directed: Directed = None,
    force: options.Force = False,
    seed: options.Seed = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Make every profile shared by K or more nodes; nodes are renamed and keep their edges."""
    from evomask_graphs.runs.protect import ProtectGraphJob, protect_graph_file

    source = _source(graph, nodes, location, topics, places, directed)
    job = ProtectGraphJob(
        source, k, out, protector, edges, neighbourhoods, supernodes, shuffle, key, seed, force,
        place_report,
    )  # fmt: skip
    progress(f"protecting {graph}", quiet=quiet)
    outcome = protect_graph_file(job)
    notes(outcome.notes, quiet=quiet)
    say_json(_protected_json(outcome)) if json else say(_protected_in_words(outcome))


@register_command(graphs)
@examples(
    "evomask graph measure graph.graphml protected.graphml --key key.csv",
)
def measure(
    original: GraphFile,
    masked: Annotated[Path, typer.Argument(metavar="MASKED", help="The protected graph.")],
    key: Annotated[Path | None, typer.Option("--key", help="Key file of protect --key.")] = None,
    knows_own: KnowsOwn = True,
    nodes: Nodes = None,
    masked_nodes: Annotated[
        Path | None,
        typer.Option("--masked-nodes", help="Node table, if MASKED is a table of edges."),
    ] = None,
    location: Location = "",
    topics: Topics = "",
    places: PlaceTable = None,
    directed: Directed = None,
    json: options.Json = False,
) -> None:
    """Measure information loss, disclosure risk and structure of a protected graph."""
    from evomask_graphs.runs.protect import measure_graph_files

    before = _source(original, nodes, location, topics, places, directed)
    after = _source(masked, masked_nodes, location, topics, places, directed)
    readings = measure_graph_files(before, after, key, knows_own=knows_own)
    say_json(_as_json(readings)) if json else say(_in_words(readings))


@register_command(graphs)
@examples(
    "evomask graph extract protected.graphml -k 5 --out people.csv",
    "evomask graph extract protected.graphml -k 5 --original graph.graphml --key key.csv -o p.csv",
)
def extract(
    graph: GraphFile,
    k: K,
    out: Annotated[Path, typer.Option("--out", "-o", help="Table of records to write.")],
    original: Annotated[
        Path | None,
        typer.Option("--original", help="The graph before protection: loss and risk against it."),
    ] = None,
    key: Annotated[Path | None, typer.Option("--key", help="Key file of protect --key.")] = None,
    protector: Protector = "search",
    nodes: Nodes = None,
    original_nodes: Annotated[
        Path | None,
        typer.Option("--original-nodes", help="Node table, if the original is a table of edges."),
    ] = None,
    location: Location = "",
    topics: Topics = "",
    places: PlaceTable = None,
    directed: Directed = None,
    force: options.Force = False,
    seed: options.Seed = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write a k-anonymous table with one record per node, its degree included.

    GRAPH is the protected graph. With --original (and --key, if nodes were renamed), loss and risk
    are measured against the graph before protection.
    """
    from evomask_graphs.runs.extract import ExtractJob, extract_file

    columns = location, topics, places, directed
    source = _source(graph, nodes, *columns)
    before = None if original is None else _source(original, original_nodes, *columns)
    outcome = extract_file(ExtractJob(source, k, out, protector, seed, force, before, key))
    notes(outcome.notes, quiet=quiet)
    if json:
        say_json({**asdict(outcome), **_texts(outcome), "notes": list(outcome.notes)})
        return
    say(f"{outcome.records} records in groups of {outcome.smallest} or more: {outcome.out}")
    say(
        f"information loss {outcome.loss:.2f} %, records re-identified {outcome.risk:.2f} %, "
        f"against "
        f"{outcome.against}, by evomask's own measures"
    )


def _texts(outcome: "ExtractOutcome") -> dict[str, str]:
    return {"out": str(outcome.out), "against": str(outcome.against)}


@register_command(graphs)
@examples(
    "evomask graph study graph.graphml --ks 2-10 --runs 3 --out figures",
)
def study(
    graph: GraphFile,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the figures.")],
    ks: Annotated[str, typer.Option("--ks", help="Values of k, 2-20 or 2,5,10.")] = "2-20",
    runs: Annotated[int, typer.Option("--runs", min=1, help="Runs for each k.")] = 5,
    protector: Protector = "search",
    knows_own: KnowsOwn = True,
    links: Annotated[
        bool, typer.Option("--links", help="Also plot loss of links against loss of profiles.")
    ] = False,
    nodes: Nodes = None,
    location: Location = "",
    topics: Topics = "",
    places: PlaceTable = None,
    directed: Directed = None,
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Measure loss and risk by k (figures 6.10 to 6.15); draw a small graph before and after."""
    from evomask.runs.figures import write_charts
    from evomask_graphs.runs.protect import load_graph, protector_named
    from evomask_graphs.study import study_graph

    loaded = load_graph(_source(graph, nodes, location, topics, places, directed))
    study = study_graph(
        loaded,
        _whole_numbers(ks),
        protector_named(protector),
        runs,
        seed or 0,
        lambda k: progress(f"k = {k}", quiet=quiet),
        knows_own=knows_own,
        links=links,
    )
    notes(loaded.notes, quiet=quiet)
    written = write_charts(study.charts, out)
    if json:
        say_json(_study_json(study))
        return
    for path, chart in zip(written, study.charts, strict=True):
        say(f"{path}: {chart.title}. {chart.reading}")


def _source(
    path: Path,
    nodes: Path | None,
    location: str,
    topics: str,
    places: Path | None,
    directed: bool | None,
) -> "GraphInput":
    from evomask_graphs.runs.protect import GraphInput

    columns = options.names(location), options.names(topics)
    return GraphInput(path, nodes, *columns, places, directed)


def _whole_numbers(text: str) -> list[int]:
    """Parse whole numbers given as a list (``2,3,4``) or a range (``2-4``)."""
    first, dash, last = text.partition("-")
    words = [first, last] if dash else text.split(",")
    if not all(word.strip().isdigit() for word in words):
        raise ParameterError(f"values of k are written 2-20 or 2,5,10, got {text}")
    numbers = [int(word) for word in words]
    return list(range(numbers[0], numbers[1] + 1)) if dash else numbers


def _as_json(readings: "Readings") -> dict[str, object]:
    loss = readings.loss
    return {
        "loss": loss.mean,
        "risk": _strongest(readings),
        "aamil": {"mean": loss.adjacency.mean, **loss.adjacency.attributes},
        "cdil": {"mean": loss.distribution.mean, **loss.distribution.attributes},
        "dbil": {"mean": loss.distance.mean, **loss.distance.attributes},
        "risks": {name: risk.matched for name, risk in readings.risk.items()},
        "candidates": {name: risk.candidates for name, risk in readings.risk.items()},
        "linkage": dict(readings.linkage),
        "structure": readings.structure,
    }


def _protected_json(outcome: "ProtectGraphOutcome") -> dict[str, object]:
    return {
        "masked": str(outcome.out),
        "nodes": outcome.nodes,
        "edges": outcome.edges,
        "clusters": outcome.clusters,
        "smallest": outcome.smallest,
        "seconds": outcome.seconds,
        "notes": list(outcome.notes),
        "supernode_loss": outcome.supernode_loss,
        **_as_json(outcome.readings),
    }


def _protected_in_words(outcome: "ProtectGraphOutcome") -> str:
    return "\n".join(
        [
            f"{outcome.nodes} nodes in {outcome.clusters} clusters of {outcome.smallest} or more",
            _in_words(outcome.readings),
            f"{outcome.out} ({outcome.seconds:.2f} s)",
        ]
    )


def _strongest(readings: "Readings") -> float:
    known = [name for name in readings.risk if name != "links alone"]
    return readings.risk["all" if "all" in known else known[0]].matched


def _in_words(readings: "Readings") -> str:
    loss = readings.loss
    parts = {"AAMIL": loss.adjacency, "CDIL": loss.distribution, "DBIL": loss.distance}
    each = ", ".join(f"{name} {part.mean:.2f} %" for name, part in parts.items())
    risks: Mapping[str, object] = {
        name: f"{risk.matched:.2f} %" for name, risk in readings.risk.items()
    }
    return "\n".join(
        [
            f"information loss {loss.mean:.2f} % ({each})",
            "re-identified neighbourhoods, by the intruder's knowledge: "
            + ", ".join(f"{name} {value}" for name, value in risks.items()),
            "people re-identified by the nearest node: "
            + ", ".join(f"{name} {value:.2f} %" for name, value in readings.linkage.items()),
        ]
    )


def _study_json(study: "GraphStudy") -> dict[str, object]:
    return {
        "rows": [asdict(row) for row in study.rows],
        "charts": [chart.as_json() for chart in study.charts],
    }
