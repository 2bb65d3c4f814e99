"""No two purposes draw from one stream."""

from itertools import product

import numpy as np

from evomask.evolution import streams
from evomask_graphs.crawler import CRAWLING, crawl_stream

SEED, FEW = 7, range(12)
NAMED = (
    streams.breeding_stream,
    streams.working_stream,
    streams.draw_stream,
    streams.trial_stream,
    crawl_stream,
)


def start_of(rng):
    return tuple(rng.integers(2**63, size=2).tolist())


def starts():
    """The first numbers of every stream, and the first number of what members are seeded from."""
    for stream, number in product(NAMED, FEW):
        yield start_of(stream(SEED, number))
    for k, number in product(FEW, FEW):
        yield start_of(streams.graph_study_stream(SEED, k, number))


def test_no_two_purposes_share_a_stream():
    drawn = list(starts())
    seeds = [streams.member_seed(SEED, place) for place in FEW]
    assert len(set(drawn)) == len(drawn)
    assert len({first for first, _ in drawn} | set(seeds)) == len(drawn) + len(seeds)


def test_the_crawler_has_a_purpose_of_its_own():
    assert CRAWLING not in set(streams.Purpose)


def test_a_search_draws_from_the_streams_it_always_drew_from():
    drawn = [start_of(stream(SEED, 3)) for stream in NAMED[:3]]
    assert drawn == [start_of(np.random.default_rng([SEED, purpose, 3])) for purpose in range(3)]
