"""Dependencies between columns: functional dependency, correlation, sums and leakage.

Leakage: unmasked columns that determine a masked one undo its masking; unmasked columns that are
unique in a file re-identify its records.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations

import numpy as np

from evomask.data.classes import classes_of
from evomask.data.edits import quote_name
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.types import Flags, Floats, Indices

MOST_RECORDS = 20_000
"""Sample size for the search for dependencies."""
FEW_RECORDS = 500
"""Sample size of a first test, which rules out most pairs."""
MOST_NUMBERS = 30
"""Largest number of numeric columns that are compared."""
FEWEST_PAIRS = 10
HIGH_CORRELATION = 0.995

ERROR_REDUCTION = 0.95
"""Least reduction of wrong guesses at a masked value that counts as leakage."""
LEAST_SHARED = 0.5
"""Least share of records with repeated values of the other columns for a conclusion."""
FEWEST_RECORDS = 20
"""Least number of records for a conclusion."""
BAND_SIZE = 10
"""Records per band of numbers that differ in nearly every record."""
LEAST_UNIQUE = 5.0
"""Least percentage of sample uniques that is reported."""
MOST_COLUMNS = 25
"""Largest number of columns that are examined in pairs."""
MOST_TOGETHER = 4
"""Largest number of columns in a reported combination."""
LEAST_FIT = 0.9999
"""Least share of the variance of a masked number, explained by two others, for leakage."""


def describe_dependencies(table: Table) -> dict[str, tuple[str, ...]]:
    """Remarks on columns that other columns determine or are correlated with, by column."""
    sample = sample_evenly(table)
    remarks: defaultdict[str, list[str]] = defaultdict(list)
    for name, remark in (*_determined(sample), *_correlated(sample)):
        remarks[name].append(remark)
    return {name: tuple(own) for name, own in remarks.items()}


def find_sum_rules(table: Table) -> tuple[str, ...]:
    """Edit rules ``total = a + b`` that all known numbers satisfy non-trivially."""
    sample = sample_evenly(table)
    names = [a.name for a in sample.schema if a.kind is Kind.CONTINUOUS][:MOST_NUMBERS]
    columns = {name: sample.values(name) for name in names}
    return tuple(
        f"{quote_name(total)} = {quote_name(a)} + {quote_name(b)}"
        for a, b in combinations(names, 2)
        for total in names
        if total not in (a, b) and _adds_up(columns[total], columns[a], columns[b])
    )


def _adds_up(total: Floats, a: Floats, b: Floats) -> bool:
    """Return whether total = a + b in all records with known values, and enough have a and b other
    than 0."""
    known = ~np.isnan(total + a + b)
    informative: Flags = known & (a != 0) & (b != 0)
    if informative.sum() < FEWEST_PAIRS:
        return False
    return bool(np.allclose(total[known], a[known] + b[known], rtol=1e-9, atol=1e-6))


def sample_evenly(table: Table, most: int = MOST_RECORDS) -> Table:
    """Systematic sample of at most *most* records, at even distances."""
    step = max(1, -(-len(table) // most))
    return table.take(np.arange(0, len(table), step)) if step > 1 else table


def _determined(table: Table) -> list[tuple[str, str]]:
    """Return columns that are a function of a column with repeated values, with remarks."""
    sample = sample_evenly(table, FEW_RECORDS)
    counts = {name: len(classes_of(table, [name])) for name in table.schema.names}
    repeating = [name for name, count in counts.items() if 1 < count <= len(table) / 3]
    relations = {True: "same information as", False: "determined by"}
    return [
        (other, f"{relations[counts[given] == counts[other]]} {given!r}; mask both or drop one")
        for given, other in permutations(repeating, 2)
        if counts[other] <= counts[given]
        and _determines(sample, given, other)
        and _determines(table, given, other)
    ]


def are_equivalent(table: Table, a: str, b: str) -> bool:
    """Whether each of two columns with repeated values determines the other."""
    sample = sample_evenly(table, FEW_RECORDS)
    equivalent = _determines(sample, a, b) and _determines(sample, b, a)
    if not equivalent or not 1 < len(classes_of(table, [a])) <= len(table) / 3:
        return False
    return _determines(table, a, b) and _determines(table, b, a)


def _determines(table: Table, given: str, other: str) -> bool:
    return len(classes_of(table, [given, other])) == len(classes_of(table, [given]))


def _correlated(table: Table) -> list[tuple[str, str]]:
    names = [a.name for a in table.schema if a.kind is Kind.CONTINUOUS]
    return [
        (b, f"highly correlated with {a!r}; mask both or drop one")
        for a, b in combinations(names[:MOST_NUMBERS], 2)
        if _are_correlated(table.values(a), table.values(b))
    ]


def _are_correlated(a: Floats, b: Floats) -> bool:
    known = ~np.isnan(a + b)
    if known.sum() < FEWEST_PAIRS or np.ptp(a[known]) == 0 or np.ptp(b[known]) == 0:
        return False
    return bool(abs(np.corrcoef(a[known], b[known])[0, 1]) > HIGH_CORRELATION)


@dataclass(frozen=True)
class Leakage:
    """Unmasked columns that determine a masked column, or that make records unique.

    Args:
        about: the masked column; empty where *columns* make records unique.
        share: percentage of records that are unique in *columns*.
    """

    columns: tuple[str, ...]
    about: str = ""
    share: float = 0.0

    @property
    def text(self) -> str:
        """Description with a recommendation, in one sentence."""
        names = " and ".join(map(repr, self.columns))
        alone = len(self.columns) == 1
        if not self.about:
            verb = "singles" if alone else "together single"
            return (
                f"{names} {verb} out {self.share:.0f} % of the people (sample uniques) and would "
                f"be released unmasked; mask {'it' if alone else 'one'} if an intruder may know it"
            )
        link = f", link it (linked = {self.about!r})" if alone else ""
        verb = "determines" if alone else "together determine"
        return (
            f"{names} {verb} {self.about!r}, which is masked, and would be released unmasked; "
            f"mask {'it' if alone else 'one'} too{link} or drop it"
        )


def find_leakage(table: Table) -> tuple[Leakage, ...]:
    """Find unmasked columns that determine masked ones or make records unique."""
    sample = sample_evenly(table, MOST_RECORDS)
    if len(sample) < FEWEST_RECORDS:
        return ()
    unmasked = [
        a.name
        for a in table.schema
        if a.role.is_released and a.role is not Role.QUASI_IDENTIFIER and not a.linked
    ]
    masked, free = (
        [column for name in names if (column := _Column(sample, name)).distinct > 1]
        for names in (table.schema.quasi_identifiers, unmasked)
    )
    return (*_attribute_leakage(free, masked), *_identity_leakage(table, free))


@dataclass(frozen=True)
class _Column:
    """One column with its values numbered from 0."""

    table: Table
    name: str

    @cached_property
    def codes(self) -> Indices:
        return np.unique(self.table[self.name], return_inverse=True)[1]

    @cached_property
    def distinct(self) -> int:
        return int(self.codes.max()) + 1

    @cached_property
    def repeats(self) -> bool:
        """Whether most values occur in several records."""
        return self.distinct <= len(self.codes) / 3

    @cached_property
    def numbers(self) -> Floats | None:
        """Numbers or ranks of an ordered column; None without an order or with few values."""
        attribute = self.table.attribute(self.name)
        if attribute.kind == "nominal" or self.distinct <= BAND_SIZE:
            return None
        return self.table.middles(self.name)

    @cached_property
    def bands(self) -> Indices:
        """Codes of rank bands of `BAND_SIZE` records; repeated values keep their codes."""
        if self.repeats or self.numbers is None:
            return self.codes
        order = np.argsort(self.numbers, kind="stable")
        bands = np.empty(len(order), dtype=np.intp)
        bands[order] = np.arange(len(order)) // BAND_SIZE
        return bands


def _attribute_leakage(free: Sequence[_Column], masked: Sequence[_Column]) -> Iterator[Leakage]:
    """Yield single columns and pairs of columns that determine a masked one."""
    alone = {
        (f.name, m.name)
        for f in free
        for m in masked
        if _are_monotone(f, m) or _predicts(f.bands, m.codes)
    }
    yield from (Leakage((name,), about) for name, about in sorted(alone))
    for a, b in combinations(free[:MOST_COLUMNS], 2):
        for about in masked:
            one_suffices = (a.name, about.name) in alone or (b.name, about.name) in alone
            if not one_suffices and _leak_together(a, b, about):
                yield Leakage((a.name, b.name), about.name)


def _are_monotone(free: _Column, masked: _Column) -> bool:
    if free.numbers is None or masked.numbers is None:
        return False
    a, b = _known(free.numbers, masked.numbers)
    if len(a) < FEWEST_RECORDS or np.ptp(a) == 0 or np.ptp(b) == 0:
        return False
    if np.mean(a == b) >= ERROR_REDUCTION:
        return True
    rank_a, rank_b = (np.unique(values, return_inverse=True)[1] for values in (a, b))
    pearson, spearman = np.corrcoef(a, b)[0, 1], np.corrcoef(rank_a, rank_b)[0, 1]
    return bool(max(abs(pearson), abs(spearman)) > HIGH_CORRELATION)


def _leak_together(a: _Column, b: _Column, masked: _Column) -> bool:
    if a.repeats and b.repeats and _predicts(a.codes * b.distinct + b.codes, masked.codes):
        return True
    if a.numbers is None or b.numbers is None or masked.numbers is None:
        return False
    return _fits(masked.numbers, a.numbers, b.numbers)


def _predicts(given: Indices, target: Indices) -> bool:
    """Whether the most frequent target among records with equal *given* is nearly always right."""
    pairs, counts = np.unique(given * (int(target.max()) + 1) + target, return_counts=True)
    classes = np.unique(pairs // (int(target.max()) + 1), return_inverse=True)[1]
    sizes, most = np.bincount(classes, counts), np.zeros(int(classes.max()) + 1)
    np.maximum.at(most, classes, counts)
    shared = sizes > 1
    n_shared = sizes[shared].sum()
    if n_shared < max(FEWEST_RECORDS, LEAST_SHARED * len(target)):
        return False
    usual = np.bincount(target).max() / len(target)
    wrong = 1.0 - most[shared].sum() / n_shared
    return bool(usual < 1.0 and wrong <= (1.0 - ERROR_REDUCTION) * (1.0 - usual))


def _fits(target: Floats, a: Floats, b: Floats) -> bool:
    """Whether a number is a weighted sum, or a product of powers, of two others."""
    y, *others = _known(target, a, b)
    if len(y) < FEWEST_RECORDS or np.ptp(y) == 0:
        return False
    if _explained(y, *others) > LEAST_FIT:
        return True
    positive = all((values > 0).all() for values in (y, *others))
    return positive and _explained(np.log(y), *map(np.log, others)) > LEAST_FIT


def _explained(y: Floats, *others: Floats) -> float:
    design = np.column_stack([np.ones(len(y)), *others])
    design /= np.maximum(np.abs(design).max(axis=0), 1e-300)
    left = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    return float(1.0 - left.var() / max(y.var(), 1e-300))


def _known(*columns: Floats | None) -> list[Floats]:
    given = [column for column in columns if column is not None]
    known = ~np.isnan(np.sum(given, axis=0))
    return [column[known] for column in given]


def _identity_leakage(table: Table, free: Sequence[_Column]) -> Iterator[Leakage]:
    """Yield columns that make records unique alone, and a small combination of the others."""
    whole = {column.name: _Column(table, column.name).codes for column in free}
    alone = {name: _percent_unique(codes) for name, codes in whole.items()}
    found = {name: share for name, share in alone.items() if share >= LEAST_UNIQUE}
    yield from (Leakage((name,), share=share) for name, share in found.items())
    rest = {name: codes for name, codes in whole.items() if name not in found}
    names: tuple[str, ...] = ()
    together = np.zeros(len(table), dtype=np.intp)
    while rest and len(names) < MOST_TOGETHER:
        joint = {name: together * (int(codes.max()) + 1) + codes for name, codes in rest.items()}
        best = max(joint, key=lambda name: len(np.unique(joint[name])))
        together, names = np.unique(joint[best], return_inverse=True)[1], (*names, best)
        del rest[best]
        if len(names) > 1 and _percent_unique(together) >= LEAST_UNIQUE:
            yield Leakage(names, share=_percent_unique(together))
            return


def _percent_unique(codes: Indices) -> float:
    return 100.0 * float((np.bincount(codes) == 1).sum()) / len(codes)
