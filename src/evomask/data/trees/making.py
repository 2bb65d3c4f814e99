"""A value tree for any column: the rule that suits it, or the one that a user names."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evomask.arrays import Codes, Indices
from evomask.data.bands import Bands, ValueTrees
from evomask.data.hierarchy import Hierarchy, fitted, flat
from evomask.data.schema import MISSING, Attribute, Kind, Storage
from evomask.data.table import Table
from evomask.data.trees.codes import prefixes
from evomask.data.trees.dates import dates, days_of
from evomask.data.trees.intervals import automatic_widths, intervals
from evomask.data.trees.likeness import likenesses
from evomask.data.trees.neighbours import neighbours
from evomask.data.trees.quantiles import FINEST, quantile_bands, quantiles
from evomask.errors import ParameterError

MOST_VALUES = 256
"""Numbers with more different values have bands as leaves of their tree, not values."""

LOPSIDED = 0.5
"""Share of the records in one of the finest intervals above which bands follow the quantiles."""

FEW = 3
"""So few categories without an order have nothing between them and everything."""

MANY_CODES, SHORTEST_CODE = 20, 3
"""Texts of one length, so many and so long, are codes whose first characters tell most."""


def completed(table: Table, given: ValueTrees) -> ValueTrees:
    """The trees given, and one made for every other quasi-identifier.

    A tree given that does not fit its column is refused here, not when a search meets it.
    """
    for name, tree in given.items():
        if not isinstance(tree, Bands):
            fitted(name, tree, with_categories(table, name))
    lacking = (name for name in table.schema.quasi_identifiers if name not in given)
    return {**given, **{name: made(table, name) for name in lacking}}


def made(table: Table, name: str) -> list[tuple[str, ...]] | Bands:
    """The value tree that suits a column: lines, or bands where a number has many values."""
    attribute = table.attribute(name)
    if attribute.is_categorical:
        return lines_of(suiting(table, name))
    values = table.values(name)
    known = values[~np.isnan(values)]
    distinct, counts = np.unique(known, return_counts=True)
    if len(distinct) > MOST_VALUES or len(distinct) == 0:
        return quantile_bands(known) if len(known) else Bands(((),), whole=False)
    tree = _of_numbers([number_text(v) for v in distinct.tolist()], counts)
    return lines_of(without_repeats(tree))


def suiting(table: Table, name: str) -> Hierarchy:
    """The value tree that suits a column of categories."""
    return without_repeats(_chosen(table, table.attribute(name)))


def _chosen(table: Table, attribute: Attribute) -> Hierarchy:
    known = [category for category in attribute.categories if category != MISSING]
    if days_of(known):
        return dates(attribute.categories)
    if attribute.kind is Kind.NOMINAL:
        return _of_names(table, attribute, known)
    if attribute.storage in (Storage.INTEGER, Storage.REAL):
        return _of_numbers(attribute.categories, _counts(table, attribute.name))
    return neighbours(attribute.categories)


def lines_of(tree: Hierarchy) -> list[tuple[str, ...]]:
    """A tree as its file holds it, one line for each known value."""
    return [line for line in zip(*tree.levels, strict=True) if line[0] != MISSING]


def without_repeats(tree: Hierarchy) -> Hierarchy:
    """The same tree without levels that put nothing together that the one below does not."""
    levels = [tree.levels[0]]
    for level in tree.levels[1:-1]:
        if 1 < len(set(level)) < len(set(levels[-1])):
            levels.append(level)
    return Hierarchy(tree.categories, (*levels, tree.levels[-1]))


def with_categories(table: Table, name: str) -> Table:
    """The table with a number's values as ordered categories; categories stay as they are."""
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
    """The table with ordered categories in the place of a number."""
    attribute = replace(table.attribute(name), kind=Kind.ORDINAL, categories=labels, decimals=None)
    schema = table.schema.replacing([attribute])
    return replace(table, schema=schema, columns={**table.columns, name: codes})


def number_text(value: float) -> str:
    """A number as a value tree's file has it."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def _of_numbers(categories: Sequence[str], counts: Indices) -> Hierarchy:
    """Intervals of equal widths; bands by quantiles where most records would be in one."""
    even = intervals(categories, automatic_widths(categories))
    finest = np.bincount(even.ancestors(1), weights=counts) if even.height else np.zeros(1)
    if finest.max() <= LOPSIDED * max(float(counts.sum()), 1.0):
        return even
    return quantiles(categories, counts.tolist())


def _of_names(table: Table, attribute: Attribute, known: Sequence[str]) -> Hierarchy:
    if _are_codes(known):
        return prefixes(attribute.categories)
    if len(known) <= FEW:
        return flat(attribute.categories)
    return likenesses(table, attribute.name, _others(table, attribute.name))


def _others(table: Table, name: str) -> list[str]:
    """The quasi-identifiers that a column is compared by."""
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
class Rule:
    """A rule that a user names, such as ``intervals=5,10,20``."""

    name: str
    numbers: tuple[float, ...] = ()


def rule_of(text: str) -> Rule:
    """The rule in a user's words; what cannot be understood is said."""
    name, _, values = text.partition("=")
    if name not in RULES:
        raise ParameterError(f"--by must begin with one of {', '.join(RULES)}, got {name!r}")
    try:
        numbers = tuple(float(value) for value in values.split(",") if value.strip())
    except ValueError:
        raise ParameterError(f"--by {name} takes numbers with commas between them") from None
    return Rule(name, numbers)


def by_rule(table: Table, name: str, rule: Rule) -> Hierarchy:
    """The value tree of a column by a rule that a user names."""
    return RULES[rule.name](table, name, rule.numbers)


def _intervals(table: Table, name: str, widths: Sequence[float]) -> Hierarchy:
    categories = table.attribute(name).categories
    return intervals(categories, widths or automatic_widths(categories))


def _quantiles(table: Table, name: str, numbers: Sequence[float]) -> Hierarchy:
    finest = int(numbers[0]) if numbers else FINEST
    return quantiles(table.attribute(name).categories, _counts(table, name).tolist(), finest)


def _neighbours(table: Table, name: str, numbers: Sequence[float]) -> Hierarchy:
    return neighbours(table.attribute(name).categories, int(numbers[0]) if numbers else 2)


RULES: dict[str, Callable[[Table, str, Sequence[float]], Hierarchy]] = {
    "suiting": lambda table, name, _: suiting(table, name),
    "intervals": _intervals,
    "quantiles": _quantiles,
    "dates": lambda table, name, _: dates(table.attribute(name).categories),
    "codes": lambda table, name, _: prefixes(table.attribute(name).categories),
    "order": _neighbours,
    "likeness": lambda table, name, _: likenesses(table, name, _others(table, name)),
    "top": lambda table, name, _: flat(table.attribute(name).categories),
}
"""Rules by name."""
