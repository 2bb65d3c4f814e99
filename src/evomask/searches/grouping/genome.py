"""Genome of the grouping search: a grouping of attributes.

The grouping genetic algorithm has an object part, the group of each attribute, and a group part,
the list of groups. Groups are numbered along the group part without gaps, so the object part alone
is the genome. Different genomes can represent the same grouping; see `identity`.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from evomask.errors import ParameterError

Grouping = NDArray[np.int64]
"""Group number of each attribute, numbered from 0 without gaps."""

Group = tuple[int, ...]
"""Positions of the attributes of one group, ascending."""

SizedGroup = tuple[Group, int]
"""The attributes of a group, and the k of its clusters."""


def compact(labels: NDArray[np.int64]) -> Grouping:
    """Renumber the groups without gaps, in the same order."""
    used = np.bincount(labels) > 0
    return (np.cumsum(used) - 1)[labels]


def groups_of(grouping: Grouping) -> tuple[Group, ...]:
    """Return the group part: the attributes of each group."""
    order = np.argsort(grouping, kind="stable")
    ends = np.cumsum(np.bincount(grouping))[:-1]
    return tuple(tuple(part.tolist()) for part in np.split(order, ends))


def grouping_of(groups: Iterable[Sequence[int]], n_attributes: int) -> Grouping:
    """Return the grouping with the given groups, which must contain each attribute once."""
    labels = np.full(n_attributes, -1, dtype=np.int64)
    listed = [attribute for group in groups for attribute in group]
    if sorted(listed) != list(range(n_attributes)):
        raise ParameterError(f"groups must hold each of {n_attributes} attributes exactly once")
    for number, group in enumerate(groups):
        labels[list(group)] = number
    return compact(labels)


def identity(grouping: Grouping) -> tuple[int, ...]:
    """Return a key that is equal for genomes of the same grouping only.

    Groups are numbered in the order of their first attribute.
    """
    numbers: dict[int, int] = {}
    return tuple([numbers.setdefault(group, len(numbers)) for group in grouping.tolist()])
