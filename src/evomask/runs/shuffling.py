"""The order in which records are released, so that a file cannot be laid beside its original."""

from evomask.arrays import Indices
from evomask.evolution.streams import order_stream


def release_order(seed: int, point: int, n_records: int) -> Indices:
    """Places of the original's records in the order in which those of a point are released."""
    return order_stream(seed, point).permutation(n_records)
