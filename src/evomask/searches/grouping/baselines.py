"""Groupings without a search: one group, single attributes, correlated ones together or apart.

After Nin, Herranz and Torra (2008): attributes that vary together are microaggregated with
little loss; spread over the groups they keep records together from group to group.
"""

from collections.abc import Callable, Mapping
from math import ceil, isqrt

import numpy as np

from evomask.arrays import Points
from evomask.searches.grouping.genome import Group, Grouping, grouping_of


def correlations(points: Points) -> Points:
    """Absolute correlations of standardised attributes; 0 with a constant one, 1 with itself."""
    lengths = np.sqrt(np.sum(points**2, axis=0))
    scaled = points / np.where(lengths > 0, lengths, 1.0)
    strengths = np.minimum(np.abs(scaled.T @ scaled), 1.0)
    np.fill_diagonal(strengths, 1.0)
    return strengths


def usual_size(n_attributes: int) -> int:
    """Attributes in a group where nobody says: about as many as there are groups."""
    return max(1, isqrt(n_attributes))


def one_group(strengths: Points) -> Grouping:
    """All attributes in one group: multivariate microaggregation of the whole record."""
    return np.zeros(len(strengths), dtype=np.int64)


def singles(strengths: Points) -> Grouping:
    """Every attribute in a group of its own: univariate microaggregation."""
    return np.arange(len(strengths))


def together(strengths: Points, size: int | None = None) -> Grouping:
    """Groups of *size* correlated attributes, the last one of what is left.

    Each begins with the strongest pair that is left and takes in, one by one, the attribute
    that correlates most with its attributes on average; the lowest number wins a tie.
    """
    return grouping_of(_correlated(strengths, size), len(strengths))


def apart(strengths: Points, size: int | None = None) -> Grouping:
    """Correlated attributes dealt out over different groups of about *size*."""
    dealt = [a for group in _correlated(strengths, size) for a in group]
    n_groups = ceil(len(dealt) / (size or usual_size(len(dealt))))
    labels = np.empty(len(dealt), dtype=np.int64)
    labels[dealt] = np.arange(len(dealt)) % n_groups
    return labels


def _correlated(strengths: Points, size: int | None) -> list[Group]:
    size = size or usual_size(len(strengths))
    left = list(range(len(strengths)))
    groups: list[Group] = []
    while left:
        group = [_strongest(strengths, left)]
        left.remove(group[0])
        while left and len(group) < size:
            joined = left[int(np.argmax(strengths[np.ix_(group, left)].mean(axis=0)))]
            group.append(joined)
            left.remove(joined)
        groups.append(tuple(group))
    return groups


def _strongest(strengths: Points, left: list[int]) -> int:
    """The first attribute of the strongest pair among those left."""
    pairs = strengths[np.ix_(left, left)] - 2.0 * np.eye(len(left))
    return left[int(np.argmax(pairs)) // len(left)]


BASELINES: Mapping[str, Callable[[Points], Grouping]] = {
    "one group": one_group,
    "all single": singles,
    "correlated together": together,
    "correlated apart": apart,
}


def baselines(strengths: Points) -> dict[str, Grouping]:
    """All of them for attributes that correlate like this."""
    return {name: make(strengths) for name, make in BASELINES.items()}
