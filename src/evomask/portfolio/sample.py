"""Two fidelities: recipes are tried on a sample of a large file, and promoted by their promise.

The sample is drawn at random. What a recipe does before the repair is done to many more records,
of which the sample is taken: groups among fewer records would be wider, of some methods more
than of others.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from evomask.arrays import Indices
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.evolution.dominance import non_dominated_ranks
from evomask.evolution.individual import Individual
from evomask.portfolio.front import spread

FIXED = 0
"""Seed of the draw: who is in a sample is no secret, and the same whenever a run goes on."""

RATIO = 5
"""Recipes that are tried on the sample for each that is made on the whole file."""

Pair: TypeAlias = tuple[float, float]
Trials: TypeAlias = Mapping[str, Mapping[int, Pair]]
"""Loss and risk on the sample of what was tried, by member and serial number."""


def sample_of(table: Table, records: int) -> Indices:
    """So many records at random, in their order; a smaller sample is part of a larger one.

    Nothing is sampled where strata are masked on their own: a sample has too few of each.
    """
    if table.schema.with_role(Role.STRATUM):
        return np.arange(0)
    return np.sort(np.random.default_rng(FIXED).permutation(len(table))[:records])


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
