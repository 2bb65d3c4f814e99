"""Random streams named by numbers, so that a result never depends on who computed it."""

import numpy as np


def breeding_stream(seed: int, generation: int) -> np.random.Generator:
    """What breeding in one generation draws from."""
    return np.random.default_rng([seed, 0, generation])


def working_stream(seed: int, serial: int) -> np.random.Generator:
    """What one task draws from, on whichever worker it runs."""
    return np.random.default_rng([seed, 1, serial])


def draw_stream(seed: int, number: int) -> np.random.Generator:
    """Draw *number* of a random masking, common to all evaluations of a run."""
    return np.random.default_rng([seed, 2, number])


def litter_stream(litter: int) -> np.random.Generator:
    """What the children of one crossover share: the same crossing points for both."""
    return np.random.default_rng(litter)


def draw_litter(rng: np.random.Generator) -> int:
    """A number for one litter, drawn while breeding."""
    return int(rng.integers(2**63))
