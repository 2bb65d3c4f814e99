"""Random streams of a run, named by numbers, so that no result depends on who computed it.

A stream is named by the seed, the number of its purpose, and its own number or numbers. The
purpose is always second: numpy pads a short list with zeros, so [seed, n] would equal [seed, n, 0].
"""

from enum import IntEnum

import numpy as np


class Purpose(IntEnum):
    """Purpose of a stream; 8 belongs to the crawler (`evomask_graphs.crawler`).

    3 and 6 were used by former versions.
    """

    BREEDING = 0
    WORKING = 1
    DRAW = 2
    MEMBER = 4
    TRIAL = 5
    GRAPH_STUDY = 7
    BASELINE = 9


def breeding_stream(seed: int, generation: int) -> np.random.Generator:
    """Return the stream for proposing the tasks of one generation."""
    return _stream(seed, Purpose.BREEDING, generation)


def working_stream(seed: int, serial: int) -> np.random.Generator:
    """Return the stream of one task, whichever worker runs it."""
    return _stream(seed, Purpose.WORKING, serial)


def draw_stream(seed: int, number: int) -> np.random.Generator:
    """Return the stream of random masking number *number*, common to all evaluations."""
    return _stream(seed, Purpose.DRAW, number)


def member_seed(seed: int, place: int) -> int:
    """Return the seed of one search of `protect`, by its position."""
    return int(_stream(seed, Purpose.MEMBER, place).integers(2**63))


def trial_stream(seed: int, number: int) -> np.random.Generator:
    """Return the stream of one trial of a grid of parameters."""
    return _stream(seed, Purpose.TRIAL, number)


def graph_study_stream(seed: int, k: int, number: int) -> np.random.Generator:
    """Return the stream of one of several protections of a graph with the same k."""
    return _stream(seed, Purpose.GRAPH_STUDY, k, number)


def baseline_stream(seed: int) -> np.random.Generator:
    """Return the stream of the baseline releases."""
    return _stream(seed, Purpose.BASELINE, 0)


def litter_stream(litter: int) -> np.random.Generator:
    """Return the stream that the children of one crossover share."""
    return np.random.default_rng(litter)


def draw_litter(rng: np.random.Generator) -> int:
    """Draw the number of a `litter_stream`."""
    return int(rng.integers(2**63))


def _stream(seed: int, purpose: Purpose, *numbers: int) -> np.random.Generator:
    return np.random.default_rng([seed, int(purpose), *numbers])
