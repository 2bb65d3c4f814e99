"""In which order records are released."""

import secrets

import numpy as np

from evomask.arrays import Indices


def new_order(records: int) -> Indices:
    """A random order in which records, or the nodes of a graph, are released.

    It comes from the system and hangs on no seed, so that nobody finds it by trying seeds; every
    release has an order of its own, so that two of them cannot be put side by side.
    """
    return np.random.default_rng(secrets.randbits(256)).permutation(records)
