"""Why attributes stand together: what a grouping says about their correlations."""

from collections.abc import Sequence

import numpy as np

from evomask.arrays import Points
from evomask.searches.grouping.genome import Group


def explained(
    groups: Sequence[Group], names: Sequence[str], strengths: Points
) -> list[dict[str, object]]:
    """One entry a group: its attributes, how they correlate inside and with the rest, in words.

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
    """Mean correlation of every two attributes of a group; none for a single one."""
    pairs = np.triu_indices(len(group), 1)
    return float(strengths[np.ix_(group, group)][pairs].mean()) if len(group) > 1 else None


def _sentence(group: Group, others: Sequence[int], names: Sequence[str], strengths: Points) -> str:
    if len(group) == 1:
        strongest, strength = _strongest(group, others, strengths)
        if not others:
            return f"{names[group[0]]} is the only attribute"
        return (
            f"{names[group[0]]} is masked alone: its strongest correlation is {strength:.2f}, "
            f"with {names[strongest[1]]}; alone it loses least"
        )
    pair, strength = _strongest(group, group, strengths)
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


def _strongest(
    group: Sequence[int], others: Sequence[int], strengths: Points
) -> tuple[tuple[int, int], float]:
    pairs = [(strengths[a, b], a, b) for a in group for b in others if a != b]
    if not pairs:
        return (group[0], group[0]), 0.0
    strength, a, b = max(pairs, key=lambda pair: (pair[0], -pair[1], -pair[2]))
    return (a, b), float(strength)
