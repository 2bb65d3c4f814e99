"""All random streams of a run, named by numbers: a result never depends on who computed it.

A stream is the seed, the number of its purpose, and its own number or numbers. The purpose always
stands second: numpy pads a short list with zeros, so that [seed, n] would be [seed, n, 0].
"""

from enum import IntEnum

import numpy as np


class Purpose(IntEnum):
    """What a stream is for; 8 is the crawler's, who stands apart (`graphs.crawling`).

    3 was the order of releases, which comes from no seed any more; 6 was repeated runs, which now
    are trials.
    """

    BREEDING = 0
    WORKING = 1
    DRAW = 2
    MEMBER = 4
    TRIAL = 5
    GRAPH_STUDY = 7
    BASELINE = 9


def breeding_stream(seed: int, generation: int) -> np.random.Generator:
    """What breeding in one generation draws from."""
    return _stream(seed, Purpose.BREEDING, generation)


def working_stream(seed: int, serial: int) -> np.random.Generator:
    """What one task draws from, on whichever worker it runs."""
    return _stream(seed, Purpose.WORKING, serial)


def draw_stream(seed: int, number: int) -> np.random.Generator:
    """Draw *number* of a random masking, common to all evaluations of a run."""
    return _stream(seed, Purpose.DRAW, number)


def member_seed(seed: int, place: int) -> int:
    """The seed of the streams that one member of a portfolio has, by its place among them."""
    return int(_stream(seed, Purpose.MEMBER, place).integers(2**63))


def trial_stream(seed: int, number: int) -> np.random.Generator:
    """What one trial of a grid of parameters draws from."""
    return _stream(seed, Purpose.TRIAL, number)


def graph_study_stream(seed: int, k: int, number: int) -> np.random.Generator:
    """What one of several protections of a graph with one k draws from."""
    return _stream(seed, Purpose.GRAPH_STUDY, k, number)


def baseline_stream(seed: int) -> np.random.Generator:
    """What a file that could be released instead is drawn from."""
    return _stream(seed, Purpose.BASELINE, 0)


def litter_stream(litter: int) -> np.random.Generator:
    """What the children of one crossover share: the same crossing points for both."""
    return np.random.default_rng(litter)


def draw_litter(rng: np.random.Generator) -> int:
    """A number for one litter, drawn while breeding."""
    return int(rng.integers(2**63))


def _stream(seed: int, purpose: Purpose, *numbers: int) -> np.random.Generator:
    return np.random.default_rng([seed, int(purpose), *numbers])
