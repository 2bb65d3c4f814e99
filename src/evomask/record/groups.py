"""Means of numbers by groups before and after masking, and categories that are gone."""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from evomask.data.recoding import says_nothing
from evomask.data.schema import Attribute, Role
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.measures.keeping.estimates import KeptStatistic
from evomask.measures.keeping.records import is_number
from evomask.measures.keeping.tables import PreparedTable, prepare_table
from evomask.measures.keeping.wording import TableWish
from evomask.record.record import AttributeNote

MOST_PAIRS = 40
"""Pairs of a grouping and a number that are compared: the first ones of all groupings."""

MOST_GROUPS = 40


def group_means(
    original: Table, masked: Table, notes: Sequence[AttributeNote]
) -> tuple[KeptStatistic, ...]:
    """The mean of every number in every group, for pairs of which one was changed."""
    shown = [note for note in notes if note.released and note.role != Role.WEIGHT]
    changed = {note.name for note in shown if note.changed > 0}
    attributes = [original.attribute(note.name) for note in shown]
    groups = [attribute.name for attribute in attributes if _are_groups(attribute)]
    numbers = [attribute.name for attribute in attributes if is_number(attribute)]
    pairs = [pair for pair in product(groups, numbers) if changed & set(pair)]
    pairs.sort(key=lambda pair: groups.index(pair[0]) + numbers.index(pair[1]))
    return tuple(table.compare(masked) for table in _prepared(original, pairs))


def _are_groups(attribute: Attribute) -> bool:
    return not is_number(attribute) and 1 < attribute.domain_size <= MOST_GROUPS


def _prepared(original: Table, pairs: Sequence[tuple[str, str]]) -> Iterator[PreparedTable]:
    """Tables with two groups or more that enough records have."""
    for group, number in pairs[:MOST_PAIRS]:
        try:
            wish = TableWish(f"mean {number} by {group}", (group,), "mean", number)
            table = prepare_table(wish, original)
        except SchemaError:
            continue
        if len(table.names) > 2:
            yield table


def lost_categories(
    before: Table, after: Table, name: str, minimum: int
) -> tuple[tuple[str, ...], int]:
    """Categories of the original that no released cell may stand for, and how many rare ones more.

    A suppressed cell may stand for anything and does not count.
    """
    attribute = before.attribute(name)
    if not attribute.is_categorical:
        return (), 0
    counts = np.bincount(before.codes(name), minlength=len(attribute.categories))
    recoding = after.recoding(name)
    used = np.bincount(after[name], minlength=len(recoding.labels)) > 0
    there = recoding.leaves[used & ~says_nothing(recoding)].any(axis=0)
    gone = np.flatnonzero(((counts > 0) & ~there)[: attribute.domain_size])
    named = tuple(attribute.categories[code] for code in gone if counts[code] >= minimum)
    return named, len(gone) - len(named)
