"""Choice of a hierarchy rule for a column: automatic, or named by the user."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evomask.data.hierarchy import (
    Bands,
    Hierarchy,
    HierarchyDefinitions,
    fit_hierarchy,
    flat_hierarchy,
)
from evomask.data.hierarchy_builders.categorical import (
    date_hierarchy,
    neighbour_hierarchy,
    parse_dates,
    prefix_hierarchy,
    similarity_hierarchy,
)
from evomask.data.hierarchy_builders.numeric import (
    FINEST,
    automatic_widths,
    interval_hierarchy,
    quantile_bands,
    quantile_hierarchy,
)
from evomask.data.schema import MISSING, Attribute, Kind, Storage
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.types import Codes, Indices

MOST_VALUES = 256
"""Numeric attributes with more distinct values get bands as leaves of their hierarchy."""

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


def _intervals(table: Table, name: str, widths: Sequence[float]) -> Hierarchy:
    categories = table.attribute(name).categories
    return interval_hierarchy(categories, widths or automatic_widths(categories))


def _quantiles(table: Table, name: str, numbers: Sequence[float]) -> Hierarchy:
    finest = int(numbers[0]) if numbers else FINEST
    counts = _counts(table, name).tolist()
    return quantile_hierarchy(table.attribute(name).categories, counts, finest)


def _neighbours(table: Table, name: str, numbers: Sequence[float]) -> Hierarchy:
    fanout = int(numbers[0]) if numbers else 2
    return neighbour_hierarchy(table.attribute(name).categories, fanout)


RULES: dict[str, Callable[[Table, str, Sequence[float]], Hierarchy]] = {
    "suiting": lambda table, name, _: automatic_hierarchy(table, name),
    "intervals": _intervals,
    "quantiles": _quantiles,
    "dates": lambda table, name, _: date_hierarchy(table.attribute(name).categories),
    "codes": lambda table, name, _: prefix_hierarchy(table.attribute(name).categories),
    "order": _neighbours,
    "likeness": lambda table, name, _: similarity_hierarchy(table, name, _others(table, name)),
    "top": lambda table, name, _: flat_hierarchy(table.attribute(name).categories),
}
"""Hierarchy rules by the names that users give."""
