"""The crawler against a server on loopback: pages, limits, failures, and nothing private."""

from datetime import datetime

import pytest

from evomask.errors import DataError, ParameterError
from evomask.graphs.mastodon import LONGEST_WAIT, Mastodon
from tests.graphs.mastodon_server import RESET, World, serving

MOMENT = datetime.fromisoformat(RESET).timestamp()


class Clock:
    """A clock that moves only when someone sleeps."""

    def __init__(self, now=MOMENT - 100):
        self.time, self.slept = now, []

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.time += seconds

    def now(self):
        return self.time


@pytest.fixture
def world():
    made = World()
    for name in ("bob", "cy", "dee", "eve"):
        made.add(name)
    made.add(
        "ann",
        following=["bob", "cy", "dee", "eve"],
        posts=[
            "<p>football</p>",
            "<p>the election</p>",
            "<p>snow</p>",
            "<p>rain</p>",
            "<p>sun</p>",
        ],
        fields=[
            {"name": "Pronouns", "value": "she"},
            {"name": "Location:", "value": "<a>Lyon</a>"},
        ],
    )
    return made


@pytest.fixture
def server(world):
    with serving(world) as address:
        yield address


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def network(server, clock):
    return Mastodon(server, sleep=clock.sleep, now=clock.now)


def test_all_pages_of_followed_users_are_read(network, world):
    assert network.user("ann", 0).following == ("bob", "cy", "dee", "eve")
    assert len(world.requests) == 3


def test_no_more_pages_of_posts_are_asked_for_than_wanted(network, world):
    user = network.user("ann", 3)
    assert [post.text for post in user.posts] == [
        "<p>football</p>",
        "<p>the election</p>",
        "<p>snow</p>",
    ]
    assert sum("statuses" in path for path in world.requests) == 2


def test_no_more_followed_users_are_asked_for_than_wanted(server, world):
    assert Mastodon(server, most_followed=2).user("ann", 0).following == ("bob", "cy")
    assert len(world.requests) == 2


def test_the_place_is_what_the_profile_field_says(network):
    assert network.user("ann", 0).location == "Lyon"


def test_a_followed_user_is_asked_for_by_number(network, world):
    network.user("ann", 0)
    network.user("bob", 0)
    assert not any("lookup?acct=bob" in path for path in world.requests)


def test_a_user_who_is_not_there_is_hidden(network):
    assert network.user("nobody", 5) is None


@pytest.mark.parametrize("said", [{"noindex": True}, {"note": "<p>#<span>nobot</span></p>"}])
def test_who_asks_not_to_be_indexed_is_left_out(network, world, said):
    world.add("shy", posts=["secret"], **said)
    assert network.user("shy", 5) is None
    assert len(world.requests) == 1


def test_posts_that_are_not_public_are_left_out(network, world):
    posts = [
        {"content": "open", "visibility": "public"},
        {"content": "x", "visibility": "unlisted"},
    ]
    world.add("flo", posts=posts)
    assert [post.text for post in network.user("flo", 5).posts] == ["open"]


def test_the_card_of_a_linked_page_is_its_text(network, world):
    card = {"title": "World cup", "description": "football"}
    world.add("flo", posts=[{"content": "see", "visibility": "public", "card": card}])
    assert network.user("flo", 5).posts[0].pages == ("World cup football",)


def test_the_limit_is_waited_out_before_the_next_request(network, world, clock):
    world.remaining = 1
    network.user("ann", 0)
    assert clock.slept[0] == pytest.approx(100)
    assert clock.now() >= MOMENT


def test_too_many_requests_wait_as_long_as_the_server_says(network, world, clock):
    world.failures = [(429, {"X-RateLimit-Reset": RESET})]
    assert network.user("bob", 0) is not None
    assert clock.slept == [pytest.approx(100)]


def test_no_wait_is_longer_than_a_quarter_of_an_hour(network, world, clock):
    world.failures = [(429, {"Retry-After": "999999"})]
    network.user("bob", 0)
    assert clock.slept == [LONGEST_WAIT]


def test_failures_are_tried_again_with_longer_and_longer_waits(network, world, clock):
    world.failures = [(503, {}), (500, {}), (502, {})]
    assert network.user("bob", 0) is not None
    assert clock.slept == [1, 2, 4]


def test_a_server_that_never_answers_is_given_up(network, world, clock):
    world.failures = [(503, {})] * 50
    with pytest.raises(DataError, match="--run"):
        network.user("bob", 0)
    assert len(world.requests) == 5


def test_a_server_that_is_not_there_is_given_up(clock):
    network = Mastodon("http://127.0.0.1:9", retries=1, sleep=clock.sleep, now=clock.now)
    with pytest.raises(DataError, match="did not answer 2 times"):
        network.user("bob", 0)


def test_a_page_elsewhere_is_not_followed(network, world):
    world.next_host = "http://elsewhere.invalid"
    assert network.user("ann", 0).following == ("bob", "cy")


def test_a_redirect_is_not_followed(network, world):
    world.redirect = True
    with pytest.raises(DataError, match="302"):
        network.user("ann", 0)


@pytest.mark.parametrize("address", ["mastodon.example", "file:///etc/passwd", "ftp://x"])
def test_an_address_that_is_no_web_server_is_refused(address):
    with pytest.raises(ParameterError, match="https"):
        Mastodon(address)


def test_an_answer_that_is_not_json_is_refused(network):
    from evomask.graphs.mastodon import Answer

    network.fetch = lambda _: Answer(200, {}, b"<html>")
    with pytest.raises(DataError, match="not JSON"):
        network.user("bob", 0)
