"""The crawler against a server on loopback: pages, limits, failures, and nothing private."""

from datetime import datetime

import pytest

from evomask.errors import DataError, ParameterError
from evomask_graphs.http_client import LONGEST_WAIT, Answer
from evomask_graphs.mastodon import MOST_PAGES, Mastodon
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
    return Mastodon(server, pause=0, sleep=clock.sleep, now=clock.now, clock=clock.now)


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
    assert Mastodon(server, most_followed=2, pause=0).user("ann", 0).following == ("bob", "cy")
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
    network = Mastodon("http://127.0.0.1:9", retries=1, sleep=clock.sleep, clock=clock.now)
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
    network._politely.fetch = lambda _: Answer(200, {}, b"<html>")
    with pytest.raises(DataError, match="not JSON"):
        network.user("bob", 0)


def answering(network, *bodies, headers=None):
    """Let the server answer with the given bodies in turn, the last one for ever."""
    left = list(bodies)

    def fetch(address):
        if address.endswith("/robots.txt"):
            return Answer(404, {}, b"")
        body = left.pop(0) if len(left) > 1 else left[0]
        network.asked.append(address)
        return Answer(200, headers(len(network.asked)) if headers else {}, body)

    network.asked = []
    network._politely.fetch = fetch
    return network


def test_between_two_requests_lies_a_pause(server, world, clock):
    Mastodon(server, sleep=clock.sleep, now=clock.now, clock=clock.now).user("ann", 0)
    assert clock.slept == [1.0] * len(world.requests)


def test_the_pause_is_as_long_as_the_rules_of_the_server_ask_for(network, world, clock):
    world.robots = "User-agent: *\nCrawl-delay: 7\n"
    network.user("ann", 0)
    assert clock.slept == [7.0] * (len(world.requests) - 1)
    assert world.asked_for_rules == 1


def test_no_server_can_ask_for_a_pause_longer_than_a_minute(network, world, clock):
    world.robots = "User-agent: *\nCrawl-delay: 99999999\n"
    network.user("ann", 0)
    assert max(clock.slept) == 60.0


@pytest.mark.parametrize("agent", ["*", "evomask"])
def test_what_the_rules_of_the_server_forbid_is_not_asked_for(network, world, agent):
    world.robots = f"User-agent: {agent}\nDisallow: /api/\n"
    with pytest.raises(DataError, match=r"robots\.txt"):
        network.user("ann", 0)
    assert world.requests == []


def test_rules_for_others_do_not_count(network, world):
    world.robots = "User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /media/\n"
    assert network.user("ann", 0) is not None


def test_a_list_without_end_is_left_after_so_many_pages(network):
    def on(number):
        return {"link": f'<{network.server}/api/v1/more?page={number}>; rel="next"'}

    answering(network, b'{"id": 1}', b'[{"visibility": "private"}]', headers=on)
    assert network.user("ann", 40).posts == ()
    assert len(network.asked) == 1 + 2 * MOST_PAGES


def test_numbers_of_accounts_are_quoted(network):
    answering(network, b'{"id": "1/../../admin?x=#"}', b"[]")
    network.user("ann", 0)
    assert network.asked[1].startswith(
        f"{network.server}/api/v1/accounts/1%2F..%2F..%2Fadmin%3Fx%3D%23/following?"
    )


def test_a_clock_that_is_set_back_makes_no_wait_longer(server, world, clock):
    network = Mastodon(server, pause=0, sleep=clock.sleep, now=lambda: 0.0, clock=clock.now)
    world.remaining = 1
    network.user("ann", 0)
    assert max(clock.slept) == LONGEST_WAIT


@pytest.mark.parametrize(
    ("later", "slept"),
    [("nan", 1.0), ("inf", 1.0), ("-5", 1.0), ("1e999", 1.0), ("soon", 1.0),
     ("Tue, 01 Jan 2030 00:05:00 GMT", 100.0), ("0001-01-01T00:00:00", 1.0), ("7", 7.0)],
)  # fmt: skip
def test_any_wish_to_be_asked_later_is_understood_or_passed_over(
    network, world, clock, later, slept
):
    world.failures = [(429, {"Retry-After": later})]
    network.user("bob", 0)
    assert clock.slept == [pytest.approx(slept)]


MALFORMED = [
    b"null", b"[]", b"1", b'"text"', b'{"id": null, "fields": 7}', b'{"id": [], "fields": [1]}',
    b'{"id": 1, "note": [], "fields": {"name": 1}}', b'{"id": {}, "acct": {}}', b"[" * 100_000,
    b"\xff\xfe", b"", b'{"id": 1}{"id": 2}', b'[{"acct": "a"}, {"id": 1}, 5, null]',
]  # fmt: skip


def what_becomes_of(network, first, then):
    try:
        return answering(network, first, then).user("ann", 3)
    except DataError as error:
        return str(error)


def test_malformed_answers_are_passed_over_or_refused_in_a_sentence(network):
    for first in (b'{"id": 1}', *MALFORMED):
        for then in MALFORMED:
            found = what_becomes_of(network, first, then)
            is_refused = isinstance(found, str) and "answer is not JSON" in found
            assert is_refused or found is None or found.name == "ann", (first[:50], then[:50])


@pytest.mark.parametrize(
    "link", ["<http://[>; rel=next", "</é>; rel=next", "</a b>; rel=next", "<>; rel=next",
             "<//elsewhere/>; rel=next", "<{server}.evil.example/>; rel=next"],
)  # fmt: skip
def test_a_page_that_cannot_be_next_is_not_asked_for(network, link):
    answering(network, b'{"id": 1}', b'[{"acct": "bob", "id": 2}]',
              headers=lambda _: {"link": link.replace("{server}", network.server)})  # fmt: skip
    assert network.user("ann", 0).following == ("bob",)
    assert len(network.asked) <= 3
