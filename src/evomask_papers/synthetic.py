"""Synthetic points as in the papers on genetic microaggregation.

Values are drawn uniformly from [-10000, 10000]: ``random_table`` for any size, ``scattered``
and ``clustered`` with 1000 records of 2 attributes (hybrid paper, section 4).
"""

import numpy as np
from numpy.typing import NDArray

from evomask.data.schema import Attribute, Kind, Role, Schema, Storage
from evomask.data.table import Table
from evomask.errors import ParameterError

REACH = 10_000.0
SHIFT = 36.0
"""Shift of groups, relative to their extent; the paper does not state it. With this one MDAV and
the natural clusters have the sums of squares that the paper prints (3.6 and 1.2, standardised)."""


def random_table(n_records: int, n_attributes: int, seed: int) -> Table:
    """Return records drawn uniformly from the cube of side 20000 around 0."""
    if n_records < 1 or n_attributes < 1:
        raise ParameterError("a random table needs at least one record and one attribute")
    return _table(_drawn(n_records, n_attributes, np.random.default_rng(seed)))


def scattered(seed: int, n_records: int = 1000) -> Table:
    """Records of two attributes without natural clusters."""
    return random_table(n_records, 2, seed)


def clustered(seed: int, n_records: int = 1000) -> Table:
    """Records of two attributes, shifted group by group into clusters of 3 to 5 records."""
    return clustered_with_clusters(seed, n_records)[0]


def clustered_with_clusters(seed: int, n_records: int = 1000) -> tuple[Table, NDArray[np.int64]]:
    """The same records, and the natural cluster of each."""
    if n_records < 3:
        raise ParameterError(f"clusters have 3 records or more, got {n_records} records")
    rng = np.random.default_rng(seed)
    points = _drawn(n_records, 2, rng)
    clusters = natural_clusters(n_records, rng)
    shifts = rng.uniform(-SHIFT * REACH, SHIFT * REACH, (clusters.max() + 1, 2))
    order = rng.permutation(n_records)
    return _table((points + shifts[clusters])[order]), clusters[order]


def natural_clusters(n_records: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """The cluster of each record, every one with 3 to 5 records (with 6 or 7 if need be)."""
    starts = np.cumsum(np.concatenate([[0], rng.integers(3, 6, n_records // 3)]))
    starts = starts[starts <= n_records - 3]
    return np.searchsorted(starts, np.arange(n_records), side="right").astype(np.int64) - 1


def _drawn(n_records: int, n_attributes: int, rng: np.random.Generator) -> NDArray[np.float64]:
    return rng.uniform(-REACH, REACH, (n_records, n_attributes))


def _table(points: NDArray[np.float64]) -> Table:
    attributes = tuple(
        Attribute(f"x{number + 1}", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER, storage=Storage.REAL)
        for number in range(points.shape[1])
    )
    columns = {a.name: points[:, number] for number, a in enumerate(attributes)}
    return Table(Schema(attributes), columns)
