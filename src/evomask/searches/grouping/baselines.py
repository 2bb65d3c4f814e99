"""Baseline groupings by correlation, and the explanation of a grouping by correlations.

After Nin, Herranz and Torra (2008): microaggregating correlated attributes together loses little
information; distributing them over the groups keeps the same records together in every group.
"""

from collections.abc import Callable, Mapping, Sequence
from math import ceil, isqrt

import numpy as np

from evomask.searches.grouping.genome import Group, Grouping, grouping_of
from evomask.types import Points


def correlations(points: Points) -> Points:
    """Return absolute correlations of standardised attributes; 0 with a constant attribute."""
    lengths = np.sqrt(np.sum(points**2, axis=0))
    scaled = points / np.where(lengths > 0, lengths, 1.0)
    strengths = np.minimum(np.abs(scaled.T @ scaled), 1.0)
    np.fill_diagonal(strengths, 1.0)
    return strengths


def default_size(n_attributes: int) -> int:
    """Return the default number of attributes in a group, about the number of groups."""
    return max(1, isqrt(n_attributes))


def one_group(strengths: Points) -> Grouping:
    """All attributes in one group: multivariate microaggregation of the whole record."""
    return np.zeros(len(strengths), dtype=np.int64)


def single_attributes(strengths: Points) -> Grouping:
    """Every attribute in a group of its own: univariate microaggregation."""
    return np.arange(len(strengths))


def correlated_together(strengths: Points, size: int | None = None) -> Grouping:
    """Groups of *size* correlated attributes; the last one holds the rest.

    Each begins with the strongest remaining pair and is extended by the attribute with the largest
    mean correlation to the group; the lowest number wins a tie.
    """
    return grouping_of(_correlated_groups(strengths, size), len(strengths))


def correlated_apart(strengths: Points, size: int | None = None) -> Grouping:
    """Distribute correlated attributes over different groups of about *size*."""
    dealt = [a for group in _correlated_groups(strengths, size) for a in group]
    n_groups = ceil(len(dealt) / (size or default_size(len(dealt))))
    labels = np.empty(len(dealt), dtype=np.int64)
    labels[dealt] = np.arange(len(dealt)) % n_groups
    return labels


def _correlated_groups(strengths: Points, size: int | None) -> list[Group]:
    size = size or default_size(len(strengths))
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
    pairs = strengths[np.ix_(left, left)] - 2.0 * np.eye(len(left))
    return left[int(np.argmax(pairs)) // len(left)]


BASELINES: Mapping[str, Callable[[Points], Grouping]] = {
    "one group": one_group,
    "all single": single_attributes,
    "correlated together": correlated_together,
    "correlated apart": correlated_apart,
}


def baselines(strengths: Points) -> dict[str, Grouping]:
    """Return all baseline groupings by name."""
    return {name: make(strengths) for name, make in BASELINES.items()}


def explain_groups(
    groups: Sequence[Group], names: Sequence[str], strengths: Points
) -> list[dict[str, object]]:
    """Describe each group: its attributes, correlations inside and outside, in words.

    Args:
        strengths: absolute correlations.
    """
    return [_entry(group, names, strengths) for group in groups]


def _entry(group: Group, names: Sequence[str], strengths: Points) -> dict[str, object]:
    others = [a for a in range(len(names)) if a not in group]
    inside = _mean_inside(group, strengths)
    outside = float(strengths[np.ix_(group, others)].mean()) if others else None
    return {
        "attributes": [names[a] for a in group],
        "inside": inside,
        "outside": outside,
        "because": _sentence(group, others, names, strengths),
    }


def _mean_inside(group: Group, strengths: Points) -> float | None:
    pairs = np.triu_indices(len(group), 1)
    return float(strengths[np.ix_(group, group)][pairs].mean()) if len(group) > 1 else None


def _sentence(group: Group, others: Sequence[int], names: Sequence[str], strengths: Points) -> str:
    if len(group) == 1:
        strongest, strength = _strongest_pair(group, others, strengths)
        if not others:
            return f"{names[group[0]]} is the only attribute"
        return (
            f"{names[group[0]]} is masked alone: its strongest correlation is {strength:.2f}, "
            f"with {names[strongest[1]]}; alone it loses least"
        )
    pair, strength = _strongest_pair(group, group, strengths)
    tied = f"most of all {names[pair[0]]} and {names[pair[1]]} ({strength:.2f})"
    inside = _mean_inside(group, strengths)
    if not others:
        return (
            f"all are masked together, so that every record has at least k equals; "
            f"mean correlation {inside:.2f}, {tied}"
        )
    outside = float(strengths[np.ix_(group, others)].mean())
    if inside is not None and inside >= outside:
        return (
            f"they vary together (mean correlation {inside:.2f} against {outside:.2f} with the "
            f"others), {tied}: one cluster fits them all, and little is lost"
        )
    return (
        f"they correlate less with one another ({inside:.2f}) than with the other groups "
        f"({outside:.2f}): groups that resemble each other keep the same records together, "
        "which makes records hard to link"
    )


def _strongest_pair(
    group: Sequence[int], others: Sequence[int], strengths: Points
) -> tuple[tuple[int, int], float]:
    pairs = [(strengths[a, b], a, b) for a in group for b in others if a != b]
    if not pairs:
        return (group[0], group[0]), 0.0
    strength, a, b = max(pairs, key=lambda pair: (pair[0], -pair[1], -pair[2]))
    return (a, b), float(strength)
