"""Categories without an order, put together where their records are alike, rare ones first."""

from collections.abc import Sequence

import numpy as np

from evomask.arrays import Indices, Points
from evomask.data.hierarchy import Hierarchy, with_top
from evomask.data.table import Table

MOST = 300
"""Categories that are compared with all others; rarer ones only with the most frequent ones."""

PARTS = 5
"""Parts of about as many records into which numbers are cut to be compared."""

OWN = 0.5
"""What telling two categories apart is worth by itself, beside squares of up to 2 an attribute."""

NAMED = 3
"""Categories that the label of a group names, at most."""


def likenesses(table: Table, name: str, others: Sequence[str]) -> Hierarchy:
    """A tree in which half of the groups are left at each level, up to one for all.

    Groups are joined where that tells least (Ward): they are rare, or their records have much
    the same values in the *other* attributes.
    """
    attribute = table.attribute(name)
    known = attribute.domain_size
    counts = np.bincount(table.codes(name), minlength=len(attribute.categories))[:known]
    merges = _merges(_profiles(table, name, others)[:known], counts)
    cuts = _halvings(known)
    levels = [_labels(attribute.categories[:known], counts, merges, groups) for groups in cuts]
    place = {category: i for i, category in enumerate(attribute.categories)}
    return with_top(
        attribute.categories, len(levels), lambda text: [level[place[text]] for level in levels]
    )


def _halvings(categories: int) -> list[int]:
    """Numbers of groups from half of the categories down to two."""
    cuts = []
    groups = (categories + 1) // 2
    while groups >= 2 and groups < categories:
        cuts.append(groups)
        groups = (groups + 1) // 2 if groups > 2 else 1
    return cuts


def _profiles(table: Table, name: str, others: Sequence[str]) -> Points:
    """For each category the roots of the shares of other attributes' values, side by side."""
    codes, size = table.codes(name), len(table.attribute(name).categories)
    blocks = [np.zeros((size, 1))]
    for other in others:
        values = _parts(table, other)
        width = int(values.max(initial=0)) + 1
        counted = np.bincount(codes * width + values, minlength=size * width).reshape(size, width)
        blocks.append(np.sqrt(counted / np.maximum(counted.sum(axis=1, keepdims=True), 1)))
    return np.hstack(blocks)


def _parts(table: Table, name: str) -> Indices:
    """An attribute's categories, or the fifth of its range that a number lies in."""
    if table.attribute(name).is_categorical:
        return table.codes(name).astype(np.int64)
    values = table.values(name)
    known = values[~np.isnan(values)]
    cuts = np.quantile(known, np.arange(1, PARTS) / PARTS) if len(known) else np.empty(0)
    parts = np.searchsorted(cuts, values, "right")
    return np.where(np.isnan(values), PARTS, parts).astype(np.int64)


def _merges(profiles: Points, counts: Indices) -> list[tuple[int, int]]:
    """Which two groups are joined, in turn; the first of each pair stands for both."""
    centres, sizes = profiles.copy(), np.maximum(counts, 0.5).astype(np.float64)
    frequent = np.argsort(-sizes, kind="stable")[:MOST]
    merges = []
    for rare in np.argsort(-sizes, kind="stable")[MOST:][::-1].tolist():
        costs = _costs(centres, sizes, rare)[frequent]
        merges.append((int(frequent[np.argmin(costs)]), rare))
        _join(centres, sizes, *merges[-1])
    costs = np.full((len(sizes), len(sizes)), np.inf)
    for group in frequent.tolist():
        costs[group, frequent] = _costs(centres, sizes, group)[frequent]
        costs[group, group] = np.inf
    for _ in range(len(frequent) - 1):
        into, gone = sorted(int(i) for i in np.unravel_index(np.argmin(costs), costs.shape))
        merges.append((into, gone))
        _join(centres, sizes, into, gone)
        costs[gone] = costs[:, gone] = np.inf
        left = np.isfinite(costs[into])
        costs[into, left] = costs[left, into] = _costs(centres, sizes, into)[left]
    return merges


def _costs(centres: Points, sizes: Points, group: int) -> Points:
    """What joining a group with each would lose: Ward's increase of the squares."""
    apart = ((centres - centres[group]) ** 2).sum(axis=1) + OWN
    costs: Points = apart * sizes * sizes[group] / (sizes + sizes[group])
    return costs


def _join(centres: Points, sizes: Points, into: int, gone: int) -> None:
    total = sizes[into] + sizes[gone]
    centres[into] = (sizes[into] * centres[into] + sizes[gone] * centres[gone]) / total
    sizes[into] = total


def _labels(
    categories: Sequence[str], counts: Indices, merges: Sequence[tuple[int, int]], groups: int
) -> list[str]:
    """The group of each category when so many are left, by name."""
    group = np.arange(len(categories))
    for into, gone in merges[: len(categories) - groups]:
        group[group == gone] = into
    names = {g: _name(categories, counts, np.flatnonzero(group == g)) for g in set(group.tolist())}
    return [names[g] for g in group.tolist()]


def _name(categories: Sequence[str], counts: Indices, members: Indices) -> str:
    """The members of a group, or the most frequent one and how many others there are."""
    by_frequency = members[np.argsort(-counts[members], kind="stable")]
    if len(members) <= NAMED:
        return " | ".join(categories[m] for m in by_frequency)
    return f"{categories[by_frequency[0]]} and {len(members) - 1} others"
