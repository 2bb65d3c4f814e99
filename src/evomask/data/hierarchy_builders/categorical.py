"""Hierarchies of categories: dates, code prefixes, ordered neighbours, similarity."""

import re
from collections.abc import Sequence
from datetime import date

import numpy as np

from evomask.data.hierarchy import Hierarchy, hierarchy_with_top
from evomask.data.recoding import SUPPRESSED
from evomask.data.schema import MISSING
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.types import Indices, Points

DATE_FORMATS = (
    re.compile(r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})(?:[ T]\d{2}:\d{2}.*)?"),
    re.compile(r"(?P<year>\d{4})/(?P<month>\d{1,2})/(?P<day>\d{1,2})"),
    re.compile(r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4}|\d{2})"),
    re.compile(r"(?P<day>\d{1,2})-(?P<month>\d{1,2})-(?P<year>\d{4}|\d{2})"),
    re.compile(r"(?P<day>\d{1,2})/(?P<month>\d{1,2})/(?P<year>\d{4}|\d{2})"),
    re.compile(r"(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4}|\d{2})"),
)
"""Date formats in order of preference: year first, day first, month first."""

CENTURY_TURNS = 30
"""Years of two digits below this are 20xx, the others 19xx."""

PERIODS = (5, 10, 20)
"""Lengths of the periods of years."""

MOST_COMPARED = 300
"""Number of most frequent categories that are compared pairwise; rarer ones join one of them."""

BINS = 5
"""Quantile bins of numeric attributes when categories are compared."""

DISTINCTION_COST = 0.5
"""Squared distance of two categories with equal profiles; an attribute adds at most 2."""

MOST_LISTED = 3
"""Largest number of categories that the label of a group lists."""


def parse_dates(texts: Sequence[str]) -> list[date] | None:
    """Parse texts as dates in one common format; None if no format fits all."""
    for pattern in DATE_FORMATS:
        parsed = [_parse_date(pattern, text) for text in texts]
        known = [day for day in parsed if day is not None]
        if parsed and len(known) == len(parsed):
            return known
    return None


def _parse_date(pattern: re.Pattern[str], text: str) -> date | None:
    match = pattern.fullmatch(text.strip())
    if match is None:
        return None
    year = int(match["year"])
    if len(match["year"]) <= 2:
        year += 2000 if year < CENTURY_TURNS else 1900
    try:
        return date(year, int(match["month"]), int(match["day"]))
    except ValueError:
        return None


def natural_order(texts: Sequence[str]) -> list[str]:
    """Sort texts by date where all are dates in one format, else alphabetically."""
    days = parse_dates(texts)
    if days is None:
        return sorted(texts)
    return [text for _, text in sorted(zip(days, texts, strict=True))]


def date_hierarchy(categories: Sequence[str]) -> Hierarchy:
    """Group dates by month, by year, and by five, ten and twenty years."""
    known = [category for category in categories if category != MISSING]
    days = parse_dates(known)
    if days is None:
        raise SchemaError(
            "a hierarchy of dates needs dates in one format, such as 1984-05-31, 31.05.1984 or "
            "31/05/1984; choose another hierarchy rule"
        )
    date_of = dict(zip(known, days, strict=True))
    return hierarchy_with_top(categories, 2 + len(PERIODS), lambda text: _periods(date_of[text]))


def _periods(day: date) -> list[str]:
    starts = [day.year // years * years for years in PERIODS]
    spans = [f"{first:04d}-{first + n - 1:04d}" for first, n in zip(starts, PERIODS, strict=True)]
    return [f"{day.year:04d}-{day.month:02d}", f"{day.year:04d}", *spans]


def prefix_hierarchy(categories: Sequence[str], mask: str = SUPPRESSED) -> Hierarchy:
    """Mask the last characters of codes one by one, as 8166* and 816** for 81667.

    A shorter code preserves its length and is masked completely when no characters are left.
    """
    longest = max((len(category) for category in categories), default=0)

    def masked(text: str, n_masked: int) -> str:
        n_left = max(0, len(text) - n_masked)
        return text[:n_left] + mask * (len(text) - n_left)

    return hierarchy_with_top(
        categories, max(0, longest - 1), lambda text: [masked(text, n) for n in range(1, longest)]
    )


def neighbour_hierarchy(categories: Sequence[str], fanout: int = 2) -> Hierarchy:
    """Group ordered values with their neighbours, *fanout* groups at a time, up to the top.

    The label of a group is its first and last value.
    """
    if fanout < 2:
        raise ParameterError(f"fanout must be at least 2, got {fanout}")
    known = [category for category in categories if category != MISSING]
    sizes = [fanout**level for level in range(1, 64) if fanout**level < len(known)]
    rank_of = {category: rank for rank, category in enumerate(known)}

    def label(rank: int, size: int) -> str:
        group = known[rank // size * size :][:size]
        return group[0] if len(group) == 1 else f"{group[0]} to {group[-1]}"

    return hierarchy_with_top(
        categories, len(sizes), lambda text: [label(rank_of[text], size) for size in sizes]
    )


def similarity_hierarchy(table: Table, name: str, others: Sequence[str]) -> Hierarchy:
    """Group nominal categories by Ward clustering; each level has half of the groups below.

    Groups are merged first if they are rare, or if their records have similar distributions of
    the *other* attributes.
    """
    attribute = table.attribute(name)
    known = attribute.domain_size
    counts = np.bincount(table.codes(name), minlength=len(attribute.categories))[:known]
    merges = _merges(_profiles(table, name, others)[:known], counts)
    cuts = _halvings(known)
    levels = [_labels(attribute.categories[:known], counts, merges, groups) for groups in cuts]
    code_of = {category: code for code, category in enumerate(attribute.categories)}
    return hierarchy_with_top(
        attribute.categories, len(levels), lambda text: [level[code_of[text]] for level in levels]
    )


def _halvings(categories: int) -> list[int]:
    """Return the numbers of groups per level, from half of the categories down to two."""
    cuts = []
    groups = (categories + 1) // 2
    while groups >= 2 and groups < categories:
        cuts.append(groups)
        groups = (groups + 1) // 2 if groups > 2 else 1
    return cuts


def _profiles(table: Table, name: str, others: Sequence[str]) -> Points:
    """Return for each category the square roots of the shares of other attributes' values."""
    codes, size = table.codes(name), len(table.attribute(name).categories)
    blocks = [np.zeros((size, 1))]
    for other in others:
        values = _binned(table, other)
        width = int(values.max(initial=0)) + 1
        counted = np.bincount(codes * width + values, minlength=size * width).reshape(size, width)
        blocks.append(np.sqrt(counted / np.maximum(counted.sum(axis=1, keepdims=True), 1)))
    return np.hstack(blocks)


def _binned(table: Table, name: str) -> Indices:
    """Return the categories of an attribute, or the quantile bins of a numeric one."""
    if table.attribute(name).is_categorical:
        return table.codes(name).astype(np.int64)
    values = table.values(name)
    known = values[~np.isnan(values)]
    cuts = np.quantile(known, np.arange(1, BINS) / BINS) if len(known) else np.empty(0)
    bins = np.searchsorted(cuts, values, "right")
    return np.where(np.isnan(values), BINS, bins).astype(np.int64)


def _merges(profiles: Points, counts: Indices) -> list[tuple[int, int]]:
    """Return the pairs of groups to merge, in order; the first of a pair remains."""
    centres, sizes = profiles.copy(), np.maximum(counts, 0.5).astype(np.float64)
    frequent = np.argsort(-sizes, kind="stable")[:MOST_COMPARED]
    merges = []
    for rare in np.argsort(-sizes, kind="stable")[MOST_COMPARED:][::-1].tolist():
        costs = _costs(centres, sizes, rare)[frequent]
        merges.append((int(frequent[np.argmin(costs)]), rare))
        _merge(centres, sizes, *merges[-1])
    costs = np.full((len(sizes), len(sizes)), np.inf)
    for group in frequent.tolist():
        costs[group, frequent] = _costs(centres, sizes, group)[frequent]
        costs[group, group] = np.inf
    for _ in range(len(frequent) - 1):
        into, gone = sorted(int(i) for i in np.unravel_index(np.argmin(costs), costs.shape))
        merges.append((into, gone))
        _merge(centres, sizes, into, gone)
        costs[gone] = costs[:, gone] = np.inf
        left = np.isfinite(costs[into])
        costs[into, left] = costs[left, into] = _costs(centres, sizes, into)[left]
    return merges


def _costs(centres: Points, sizes: Points, group: int) -> Points:
    squared = ((centres - centres[group]) ** 2).sum(axis=1) + DISTINCTION_COST
    costs: Points = squared * sizes * sizes[group] / (sizes + sizes[group])
    return costs


def _merge(centres: Points, sizes: Points, into: int, gone: int) -> None:
    total = sizes[into] + sizes[gone]
    centres[into] = (sizes[into] * centres[into] + sizes[gone] * centres[gone]) / total
    sizes[into] = total


def _labels(
    categories: Sequence[str], counts: Indices, merges: Sequence[tuple[int, int]], groups: int
) -> list[str]:
    """Return the label of each category's group when *groups* are left."""
    group = np.arange(len(categories))
    for into, gone in merges[: len(categories) - groups]:
        group[group == gone] = into
    labels = {
        g: _group_label(categories, counts, np.flatnonzero(group == g)) for g in set(group.tolist())
    }
    return [labels[g] for g in group.tolist()]


def _group_label(categories: Sequence[str], counts: Indices, members: Indices) -> str:
    by_frequency = members[np.argsort(-counts[members], kind="stable")]
    if len(members) <= MOST_LISTED:
        return " | ".join(categories[m] for m in by_frequency)
    return f"{categories[by_frequency[0]]} and {len(members) - 1} others"
