"""Columns that say the same, follow from one another, or add up."""

from collections import defaultdict
from itertools import combinations, permutations

import numpy as np

from evomask.arrays import Flags, Floats
from evomask.data.classes import classes_of
from evomask.data.rules.edits import written
from evomask.data.schema import Kind
from evomask.data.table import Table

MOST_RECORDS = 20_000
"""Links are looked for in this many records, spread evenly over the file."""
FEW_RECORDS = 500
"""What does not hold in these is not looked at further."""
MOST_NUMBERS = 30
"""Sums are looked for among at most this many columns of numbers."""
FEWEST_SUMS = 10
ALIKE = 0.995


def linked(table: Table) -> dict[str, tuple[str, ...]]:
    """For each column its links to others, in words."""
    sample = sampled(table)
    links: defaultdict[str, list[str]] = defaultdict(list)
    for name, words in (*_following(sample), *_correlated(sample)):
        links[name].append(words)
    return {name: tuple(words) for name, words in links.items()}


def sums(table: Table) -> tuple[str, ...]:
    """Rules ``total = a + b`` that all known numbers obey and that are not obvious."""
    sample = sampled(table)
    names = [a.name for a in sample.schema if a.kind is Kind.CONTINUOUS][:MOST_NUMBERS]
    columns = {name: sample.values(name) for name in names}
    return tuple(
        f"{written(total)} = {written(a)} + {written(b)}"
        for a, b in combinations(names, 2)
        for total in names
        if total not in (a, b) and _adds_up(columns[total], columns[a], columns[b])
    )


def _adds_up(total: Floats, a: Floats, b: Floats) -> bool:
    """Whether total = a + b wherever known, with both parts often enough different from 0."""
    known = ~np.isnan(total + a + b)
    telling: Flags = known & (a != 0) & (b != 0)
    if telling.sum() < FEWEST_SUMS:
        return False
    return bool(np.allclose(total[known], a[known] + b[known], rtol=1e-9, atol=1e-6))


def sampled(table: Table, most: int = MOST_RECORDS) -> Table:
    """Some records, spread evenly over the table; all of them where there are few."""
    step = max(1, -(-len(table) // most))
    return table.take(np.arange(0, len(table), step)) if step > 1 else table


def _following(table: Table) -> list[tuple[str, str]]:
    """Columns whose value is settled by another's, where that other one repeats itself."""
    sample = sampled(table, FEW_RECORDS)
    counts = {name: len(classes_of(table, [name])) for name in table.schema.names}
    repeating = [name for name, count in counts.items() if 1 < count <= len(table) / 3]
    return [
        (other, f"linked: {_words(counts[given], counts[other])} {given!r}; mask both or drop one")
        for given, other in permutations(repeating, 2)
        if counts[other] <= counts[given]
        and _settles(sample, given, other)
        and _settles(table, given, other)
    ]


def say_the_same(table: Table, a: str, b: str) -> bool:
    """Whether each of two columns settles the other, and values repeat so that it can be seen."""
    some = sampled(table, FEW_RECORDS)
    alike = _settles(some, a, b) and _settles(some, b, a)
    if not alike or not 1 < len(classes_of(table, [a])) <= len(table) / 3:
        return False
    return _settles(table, a, b) and _settles(table, b, a)


def _settles(table: Table, given: str, other: str) -> bool:
    return len(classes_of(table, [given, other])) == len(classes_of(table, [given]))


def _words(given: int, other: int) -> str:
    return "says the same as" if given == other else "follows from"


def _correlated(table: Table) -> list[tuple[str, str]]:
    names = [a.name for a in table.schema if a.kind is Kind.CONTINUOUS]
    return [
        (b, f"linked: rises and falls with {a!r}; mask both or drop one")
        for a, b in combinations(names[:MOST_NUMBERS], 2)
        if _are_alike(table.values(a), table.values(b))
    ]


def _are_alike(a: Floats, b: Floats) -> bool:
    known = ~np.isnan(a + b)
    if known.sum() < FEWEST_SUMS or np.ptp(a[known]) == 0 or np.ptp(b[known]) == 0:
        return False
    return bool(abs(np.corrcoef(a[known], b[known])[0, 1]) > ALIKE)
