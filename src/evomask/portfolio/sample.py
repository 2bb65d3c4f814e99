"""Two fidelities: recipes are tried on a sample of a large file, and promoted by their promise.

The sample is made of whole blocks of neighbouring records. So people have the same look-alikes
in it as in the whole file, and a recipe costs about the same loss and risk; in a random draw
everybody would stand alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from evomask.arrays import Floats, Indices, Points
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.evolution.dominance import non_dominated_ranks
from evomask.evolution.individual import Individual
from evomask.portfolio.front import spread

BLOCK = 500
"""Records of a block, about."""

FEWEST = 10
"""Blocks that a sample has at least."""

RATIO = 5
"""Recipes that are tried on the sample for each that is made on the whole file."""

Pair: TypeAlias = tuple[float, float]
Trials: TypeAlias = Mapping[str, Mapping[int, Pair]]
"""Loss and risk on the sample of what was tried, by member and serial number."""


def sample_of(table: Table, records: int) -> Indices:
    """So many records or a few more, in whole blocks of neighbours.

    Nothing is sampled where strata are masked on their own: a sample has too few of each.
    """
    if table.schema.with_role(Role.STRATUM):
        return np.arange(0)
    size = min(BLOCK, records // FEWEST)
    leaves = blocks_of(_coordinates(table, table.schema.quasi_identifiers), size)
    count = min(len(leaves), -(-records * len(leaves) // len(table)))
    places = ((np.arange(count) + 0.5) * len(leaves) / count).astype(np.int64)
    return np.sort(np.concatenate([leaves[place] for place in places]))


def blocks_of(points: Points, size: int) -> list[Indices]:
    """Blocks of about so many neighbours, neighbouring blocks in a row.

    All are cut in two halves along the attribute that varies most, again and again.
    """
    halves = max(0, round(float(np.log2(max(1.0, len(points) / size)))))
    blocks = [np.arange(len(points))]
    for _ in range(halves):
        blocks = [half for block in blocks for half in _cut(points, block)]
    return blocks


def _cut(points: Points, block: Indices) -> tuple[Indices, Indices]:
    if len(block) < 2:
        return block, block[:0]
    own = points[block]
    along = own[:, int(own.var(axis=0).argmax())]
    order = np.argpartition(along, len(block) // 2)
    return block[order[: len(block) // 2]], block[order[len(block) // 2 :]]


def _coordinates(table: Table, names: Sequence[str]) -> Points:
    """Places of values among all, an attribute a column, each of the same variance."""
    columns = [_places(table, name) for name in names]
    return np.column_stack([column / max(1e-12, float(column.std())) for column in columns])


def _places(table: Table, name: str) -> Floats:
    """Share of the records with smaller values; nominal categories the most frequent first."""
    values = table[name]
    if table.attribute(name).kind is Kind.NOMINAL:
        counts = np.bincount(values.astype(np.int64))
        place = np.empty(len(counts), dtype=np.int64)
        place[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
        values = place[values.astype(np.int64)]
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    below: Floats = (np.cumsum(counts) - counts / 2.0) / len(values)
    return below[inverse]


def promising(
    trials: Trials, name: str, own: Sequence[Individual[Any]], count: int
) -> list[Individual[Any]]:
    """So many of a member's individuals that were tried, those first that the fewest beat.

    They are ranked among all that were tried by anybody; of equal rank, evenly by loss.
    """
    keys = [(member, serial) for member, tried in trials.items() for serial in tried]
    points = np.array([trials[member][serial] for member, serial in keys]).reshape(-1, 2)
    rank = dict(zip(keys, non_dominated_ranks(points).tolist(), strict=True))
    by_rank: dict[int, list[Individual[Any]]] = {}
    for individual in sorted(own, key=lambda i: (trials[name][i.serial], i.serial)):
        by_rank.setdefault(rank[name, individual.serial], []).append(individual)
    chosen: list[Individual[Any]] = []
    for level in sorted(by_rank):
        chosen += spread(by_rank[level], count - len(chosen))
    return chosen
