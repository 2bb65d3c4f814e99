"""Algorithm 12 over folders and servers, stopped and gone on."""

import json
from contextlib import suppress

import pytest

from evomask.errors import DataError, FileError, ParameterError
from evomask_graphs.crawler import Crawl, Folder, User, VisitLog, graph_of
from evomask_graphs.mastodon import Mastodon
from evomask_graphs.topics import Post, thesis_lexicon
from tests.graphs.mastodon_server import World, serving

LEXICON = thesis_lexicon()


def ring(n=12, step=3):
    """Users who follow the next few."""
    users = {
        str(i): User(str(i), "", tuple(str((i + j) % n) for j in range(1, step)), (Post("snow"),))
        for i in range(n)
    }
    return Folder(users)


class Dying:
    """A network that fails after some users."""

    def __init__(self, network, after):
        self.network, self.left = network, after

    def user(self, name, n_posts):
        if self.left == 0:
            raise DataError("gone")
        self.left -= 1
        return self.network.user(name, n_posts)


def test_a_crawl_visits_everyone_who_can_be_reached_once():
    visits = list(Crawl("0", 100, 5, 1).visits(ring(), LEXICON))
    assert sorted(int(visit.name) for visit in visits) == list(range(12))


def test_a_crawl_stops_at_the_number_of_users():
    assert len(list(Crawl("0", 5, 5, 1).visits(ring(), LEXICON))) == 5


def test_the_next_user_is_followed_by_one_visited_before():
    visits = list(Crawl("0", 12, 5, 4).visits(ring(), LEXICON))
    for turn, visit in enumerate(visits[1:], start=1):
        assert any(visit.name in before.following for before in visits[:turn])


def test_another_seed_takes_another_way():
    ways = {tuple(v.name for v in Crawl("0", 8, 5, s).visits(ring(), LEXICON)) for s in range(6)}
    assert len(ways) > 1


@pytest.mark.parametrize("after", [0, 1, 5])
def test_a_crawl_that_goes_on_equals_one_that_never_stopped(after, tmp_path):
    crawl = Crawl("0", 9, 5, 7)
    whole = list(crawl.visits(ring(), LEXICON))
    log = VisitLog(tmp_path / "crawl.jsonl")
    before = log.read(crawl)
    with suppress(DataError):
        for visit in crawl.visits(Dying(ring(), after), LEXICON, before):
            log.add(visit)
    kept = log.read(crawl)
    assert len(kept) == after
    assert kept + list(crawl.visits(ring(), LEXICON, kept)) == whole


def test_a_line_that_was_cut_off_is_dropped(tmp_path):
    crawl = Crawl("0", 3, 5, 7)
    log = VisitLog(tmp_path / "crawl.jsonl")
    log.read(crawl)
    for visit in crawl.visits(ring(), LEXICON):
        log.add(visit)
    text = log.path.read_text(encoding="utf-8")
    log.path.write_text(text[:-10], encoding="utf-8")
    assert len(log.read(crawl)) == 2


def test_another_crawl_does_not_go_on_from_the_same_folder(tmp_path):
    log = VisitLog(tmp_path / "crawl.jsonl")
    log.read(Crawl("0", 3, 5, 7))
    with pytest.raises(DataError, match="another crawl"):
        log.read(Crawl("1", 3, 5, 7))


def test_no_post_is_kept(tmp_path):
    crawl = Crawl("a", 3, 5, 7)
    log = VisitLog(tmp_path / "crawl.jsonl")
    log.read(crawl)
    network = Folder({"a": User("a", "Lyon", (), (Post("my secret football diary"),))})
    for visit in crawl.visits(network, LEXICON):
        log.add(visit)
    assert "diary" not in log.path.read_text(encoding="utf-8")


def test_a_first_user_without_public_data_is_an_error():
    with pytest.raises(DataError, match="first user"):
        list(Crawl("nobody", 3, 5, 7).visits(ring(), LEXICON))


def test_edges_join_found_users_alone():
    network = Folder({"a": User("a", "", ("b", "gone")), "b": User("b", "", ("a",))})
    graph = graph_of(Crawl("a", 9, 5, 1).visits(network, LEXICON))
    assert graph.names == ("a", "b")
    assert graph.edges.tolist() == [[0, 1], [1, 0]]
    assert graph.directed


def test_a_server_is_crawled_with_a_bounded_number_of_requests():
    world = World()
    for i in range(30):
        names = [f"u{(i + j) % 30}" for j in range(1, 4)]
        world.add(f"u{i}", names, ["<p>rain and snow</p>"] * 3)
    with serving(world) as address:
        visits = list(Crawl("u0", 10, 2, 1).visits(Mastodon(address, pause=0), LEXICON))
    graph = graph_of(visits)
    assert len(graph) == 10
    assert {visit.topics for visit in visits} == {("Weather",)}
    assert len(world.requests) == 10 * (1 + 2 + 1)


@pytest.mark.parametrize(
    "line", ["not json", "[1]", '{"location": "x"}', '{"id": 1, "posts": [3]}']
)
def test_a_line_that_is_no_user_is_named(line, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"id": 1}\n' + line, encoding="utf-8")
    with pytest.raises(FileError, match="line 2"):
        Folder.read(tmp_path)


def test_users_of_a_folder_are_read(tmp_path):
    said = {
        "id": 7,
        "location": None,
        "following": [1],
        "posts": ["a", {"text": "b", "pages": ["c"]}],
    }
    (tmp_path / "a.jsonl").write_text(json.dumps(said) + "\n\n", encoding="utf-8")
    user = Folder.read(tmp_path).user("7", 5)
    assert user == User("7", "", ("1",), (Post("a"), Post("b", ("c",))))


def test_a_folder_without_lines_is_refused(tmp_path):
    with pytest.raises(FileError, match="jsonl"):
        Folder.read(tmp_path)


def test_a_crawl_of_nobody_is_refused():
    with pytest.raises(ParameterError, match="at least one user"):
        Crawl("0", 0, 5, 1)


def test_what_was_visited_is_for_its_owner_alone_from_the_first_byte(tmp_path, monkeypatch):
    modes = []
    write = VisitLog._write

    def watched(log, entry):
        write(log, entry)
        modes.append(log.path.stat().st_mode & 0o777)

    monkeypatch.setattr(VisitLog, "_write", watched)
    VisitLog(tmp_path / "crawl.jsonl").read(Crawl("0", 3, 5, 7))
    assert modes == [0o600]
