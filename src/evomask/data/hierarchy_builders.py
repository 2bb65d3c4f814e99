"""Automatic hierarchies: intervals, quantiles, dates, code prefixes, neighbours, similarity."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise

import numpy as np

from evomask.data.hierarchy import (
    Bands,
    Hierarchy,
    HierarchyDefinitions,
    fit_hierarchy,
    flat_hierarchy,
    hierarchy_with_top,
    interval_label,
)
from evomask.data.recoding import SUPPRESSED
from evomask.data.schema import MISSING, Attribute, Kind, Storage
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.types import Codes, Floats, Indices, Points

MOST_INTERVALS = 20
"""Largest number of intervals of the finest automatic level."""

FINEST = 64
"""Largest number of bands of the finest level."""

LEEWAY = 0.2
"""Largest shift of a cut to a round number, as a share of the width of a band of its level."""

SMALLEST_EXPONENT = -300
"""Least power of ten that is tried for a round number."""


def interval_hierarchy(
    categories: Sequence[str], widths: Sequence[float], origin: float = 0.0
) -> Hierarchy:
    """Group numbers into intervals of growing widths that start at *origin*, and a common top.

    Each width must be a multiple of the one before, so that intervals are nested.
    """
    if not widths or widths[0] <= 0:
        raise ParameterError("widths must be positive numbers; give at least one")
    for narrow, wide in pairwise(widths):
        if wide <= narrow or not math.isclose(wide / narrow, round(wide / narrow)):
            raise ParameterError(
                f"each width must be a multiple of the one before, and {wide:g} is not of "
                f"{narrow:g}"
            )
    numbers = (*parse_numbers(categories), *widths, origin)
    whole = all(float(number).is_integer() for number in numbers)

    def ancestors(text: str) -> list[str]:
        # the tolerance puts a number that rounding left just below an end on that end
        step = math.floor((float(text) - origin) / widths[0] + 1e-9)
        steps = [round(width / widths[0]) for width in widths]
        lows = [origin + step // per_interval * per_interval * widths[0] for per_interval in steps]
        pairs = zip(lows, widths, strict=True)
        return [interval_label(low, low + width, whole=whole) for low, width in pairs]

    return hierarchy_with_top(categories, len(widths), ancestors)


def automatic_widths(categories: Sequence[str]) -> list[float]:
    """Widths of 1, 2 or 5 times a power of ten, doubled until two intervals are left."""
    numbers = parse_numbers(categories)
    reach = max(numbers, default=0.0) - min(numbers, default=0.0)
    least = max(reach, 1e-9) / MOST_INTERVALS
    power = 10.0 ** math.floor(math.log10(least))
    finest = next(step * power for step in (1, 2, 5, 10) if step * power >= least * (1 - 1e-12))
    if all(number.is_integer() for number in numbers):
        finest = max(finest, 2.0)
    doublings = max(0, math.ceil(math.log2(max(reach, 1e-9) / finest)))
    return [finest * 2**times for times in range(max(1, doublings))]


def parse_numbers(categories: Sequence[str]) -> list[float]:
    """Convert categories to numbers; missing ones are left out."""
    try:
        return [float(category) for category in categories if category != MISSING]
    except ValueError:
        raise SchemaError(
            "intervals need numbers, and some categories are text; choose another hierarchy rule"
        ) from None


def quantile_bands(numbers: Floats, finest: int = FINEST) -> Bands:
    """Cut *numbers* (none missing) into 2, 4, 8, ... bands of about equal frequency."""
    if finest < 2:
        raise ParameterError(f"there must be at least 2 bands, got {finest}")
    if len(numbers) == 0:
        raise ParameterError("bands need numbers, and the column has none")
    ascending = np.sort(numbers)
    levels: list[tuple[float, ...]] = []
    cuts: set[float] = set()
    bands = 2
    while bands <= finest:
        for share in (np.arange(1, bands, 2) / bands).tolist():
            ends = share - LEEWAY / bands, share + LEEWAY / bands
            low, high = np.quantile(ascending, ends, method="higher")
            cuts.add(roundest(float(low), float(high)))
        cuts.discard(float(ascending[0]))  # the band below it would be empty
        if cuts and (not levels or len(cuts) > len(levels[-1])):
            levels.append(tuple(sorted(cuts)))
        bands *= 2
    whole = bool(np.all(np.mod(ascending, 1.0) == 0.0))
    return Bands(tuple(reversed(levels)) or ((),), whole)


def roundest(low: float, high: float) -> float:
    """Roundest number from *low* to *high*: a multiple of the largest 1, 2 or 5 times 10^n."""
    if low <= 0.0 <= high:
        return 0.0
    power = int(np.floor(np.log10(max(abs(low), abs(high)))))
    for exponent in range(power, max(power - 16, SMALLEST_EXPONENT), -1):
        for step in (5.0, 2.0, 1.0):
            multiple = float(np.ceil(low / step / 10.0**exponent)) * step
            cut = multiple * 10.0**exponent if exponent >= 0 else multiple / 10.0**-exponent
            if low <= cut <= high:
                return cut
    return low


def quantile_hierarchy(
    categories: Sequence[str], counts: Sequence[int], finest: int = FINEST
) -> Hierarchy:
    """Group numeric categories into bands of about equal frequency.

    Args:
        counts: number of records of each category.
    """
    known = [c for c in categories if c != MISSING]
    known_counts = [n for c, n in zip(categories, counts, strict=True) if c != MISSING]
    bands = quantile_bands(np.repeat(parse_numbers(known), known_counts), finest)
    return hierarchy_with_top(categories, len(bands.cuts), lambda text: bands.labels(float(text)))


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
    """Sort texts by date if all are dates in one format, else alphabetically."""
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

    def periods(text: str) -> list[str]:
        day = date_of[text]
        pairs = [(day.year // years * years, years) for years in PERIODS]
        spans = [f"{first:04d}-{first + years - 1:04d}" for first, years in pairs]
        return [f"{day.year:04d}-{day.month:02d}", f"{day.year:04d}", *spans]

    return hierarchy_with_top(categories, 2 + len(PERIODS), periods)


def prefix_hierarchy(categories: Sequence[str]) -> Hierarchy:
    """Mask the last characters of codes one by one, as 8166* and 816** for 81667.

    A shorter code keeps its length and is masked completely when no characters are left.
    """
    longest = max((len(category) for category in categories), default=0)

    def masked(text: str, n_masked: int) -> str:
        n_left = max(0, len(text) - n_masked)
        return text[:n_left] + SUPPRESSED * (len(text) - n_left)

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


MOST_VALUES = 256
"""Numeric attributes with more distinct values have bands as leaves of their hierarchy."""

MOST_IN_INTERVAL = 0.5
"""Largest share of records in one finest interval; above it quantile bands are used."""

FEW = 3
"""Nominal attributes with at most this many categories get no intermediate level."""

MANY_CODES, SHORTEST_CODE = 20, 3
"""Least number and length of texts of equal length that count as hierarchical codes."""


def complete_hierarchies(table: Table, given: HierarchyDefinitions) -> HierarchyDefinitions:
    """Add an automatic hierarchy for every quasi-identifier that has none.

    A given hierarchy that does not fit its column is an error.
    """
    for name, definition in given.items():
        if not isinstance(definition, Bands):
            fit_hierarchy(name, definition, with_categories(table, name))
    missing = (name for name in table.schema.quasi_identifiers if name not in given)
    return {**given, **{name: define_hierarchy(table, name) for name in missing}}


def define_hierarchy(table: Table, name: str) -> list[tuple[str, ...]] | Bands:
    """Build an automatic hierarchy: lines, or bands of a numeric attribute with many values."""
    attribute = table.attribute(name)
    if attribute.is_categorical:
        return lines_of(automatic_hierarchy(table, name))
    values = table.values(name)
    known = values[~np.isnan(values)]
    if attribute.is_date and len(known):
        return replace(quantile_bands(known), dates=attribute.notes.type)
    distinct, counts = np.unique(known, return_counts=True)
    if len(distinct) > MOST_VALUES or len(distinct) == 0:
        return quantile_bands(known) if len(known) else Bands(((),), whole=False)
    hierarchy = _numeric([number_text(v) for v in distinct.tolist()], counts)
    return lines_of(drop_redundant_levels(hierarchy))


def automatic_hierarchy(table: Table, name: str) -> Hierarchy:
    """Build a hierarchy of a categorical column by the rule that fits its values."""
    return drop_redundant_levels(_by_values(table, table.attribute(name)))


def _by_values(table: Table, attribute: Attribute) -> Hierarchy:
    known = [category for category in attribute.categories if category != MISSING]
    if parse_dates(known):
        return date_hierarchy(attribute.categories)
    if attribute.kind is Kind.NOMINAL:
        if _are_codes(known):
            return prefix_hierarchy(attribute.categories)
        if len(known) <= FEW:
            return flat_hierarchy(attribute.categories)
        return similarity_hierarchy(table, attribute.name, _others(table, attribute.name))
    if attribute.storage in (Storage.INTEGER, Storage.REAL):
        return _numeric(attribute.categories, _counts(table, attribute.name))
    return neighbour_hierarchy(attribute.categories)


def lines_of(hierarchy: Hierarchy) -> list[tuple[str, ...]]:
    """Lines of a hierarchy file, one for each known value."""
    return [line for line in zip(*hierarchy.levels, strict=True) if line[0] != MISSING]


def drop_redundant_levels(hierarchy: Hierarchy) -> Hierarchy:
    """Drop the levels that merge no groups of the level below."""
    levels = [hierarchy.levels[0]]
    for level in hierarchy.levels[1:-1]:
        if 1 < len(set(level)) < len(set(levels[-1])):
            levels.append(level)
    return Hierarchy(hierarchy.categories, (*levels, hierarchy.levels[-1]))


def with_categories(table: Table, name: str) -> Table:
    """Return the table with a numeric column converted to ordered categories."""
    if table.attribute(name).is_categorical:
        return table
    values = table.values(name)
    known = np.unique(values[~np.isnan(values)])
    codes = np.searchsorted(known, values)
    labels = tuple(number_text(value) for value in known.tolist())
    if np.isnan(values).any():
        codes = np.where(np.isnan(values), len(known), codes)
        labels = (*labels, MISSING)
    return with_codes(table, name, codes.astype(np.int32), labels)


def with_codes(table: Table, name: str, codes: Codes, labels: tuple[str, ...]) -> Table:
    """Return the table with a numeric column replaced by codes of ordered categories."""
    attribute = replace(table.attribute(name), kind=Kind.ORDINAL, categories=labels, decimals=None)
    schema = table.schema.replacing([attribute])
    return replace(table, schema=schema, columns={**table.columns, name: codes})


def number_text(value: float) -> str:
    """Text of a number in a hierarchy file."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def _numeric(categories: Sequence[str], counts: Indices) -> Hierarchy:
    """Build intervals of equal width, or quantile bands if one interval had most records."""
    even = interval_hierarchy(categories, automatic_widths(categories))
    finest = np.bincount(even.ancestors(1), weights=counts) if even.height else np.zeros(1)
    if finest.max() <= MOST_IN_INTERVAL * max(float(counts.sum()), 1.0):
        return even
    return quantile_hierarchy(categories, counts.tolist())


def _others(table: Table, name: str) -> list[str]:
    return [other for other in table.schema.quasi_identifiers if other != name]


def _are_codes(known: Sequence[str]) -> bool:
    lengths = {len(text) for text in known}
    return (
        len(known) >= MANY_CODES
        and len(lengths) == 1
        and min(lengths) >= SHORTEST_CODE
        and all(text.isalnum() and any(map(str.isdigit, text)) for text in known)
    )


def _texts(table: Table, name: str) -> tuple[str, ...]:
    return table.attribute(name).categories


def _counts(table: Table, name: str) -> Indices:
    return np.bincount(table.codes(name), minlength=len(table.attribute(name).categories))


@dataclass(frozen=True)
class BuilderRule:
    """A named rule with numbers, such as ``intervals=5,10,20``."""

    name: str
    numbers: tuple[float, ...] = ()


def parse_builder_rule(text: str) -> BuilderRule:
    """Parse a rule such as ``intervals=5,10,20``."""
    name, _, values = text.partition("=")
    if name not in RULES:
        raise ParameterError(f"--by must begin with one of {', '.join(RULES)}, got {name!r}")
    try:
        numbers = tuple(float(value) for value in values.split(",") if value.strip())
    except ValueError:
        raise ParameterError(
            f"--by {name} takes numbers separated by commas, such as {name}=5,10"
        ) from None
    return BuilderRule(name, numbers)


def hierarchy_by_rule(table: Table, name: str, rule: BuilderRule) -> Hierarchy:
    """Build the hierarchy of a column by a named rule."""
    return RULES[rule.name](table, name, rule.numbers)


RULES: dict[str, Callable[[Table, str, Sequence[float]], Hierarchy]] = {
    "suiting": lambda table, name, _: automatic_hierarchy(table, name),
    "intervals": lambda table, name, widths: interval_hierarchy(
        _texts(table, name), widths or automatic_widths(_texts(table, name))
    ),
    "quantiles": lambda table, name, numbers: quantile_hierarchy(
        _texts(table, name), _counts(table, name).tolist(), *map(int, numbers[:1])
    ),
    "dates": lambda table, name, _: date_hierarchy(_texts(table, name)),
    "codes": lambda table, name, _: prefix_hierarchy(_texts(table, name)),
    "order": lambda table, name, numbers: neighbour_hierarchy(
        _texts(table, name), *map(int, numbers[:1])
    ),
    "likeness": lambda table, name, _: similarity_hierarchy(table, name, _others(table, name)),
    "top": lambda table, name, _: flat_hierarchy(_texts(table, name)),
}
"""Hierarchy rules by the names that users give."""
