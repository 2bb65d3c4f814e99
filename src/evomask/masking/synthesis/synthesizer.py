"""What all syntheses share: who is replaced, what is conditioned on, edit rules, and the order.

In a partly synthetic file (Reiter, 2003) some attributes are replaced by draws given the others,
for all records or for those that stand out. In a wholly synthetic one nothing is left to condition
on, and a record belongs to nobody. But measures of loss and risk compare records in pairs, so
records that agree in all that is conditioned on, and could as well change places, are assigned to
the original records that they resemble. Both measures then see the file at its best and at its
most revealing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from evomask.data.classes import classes_of, classes_of_columns
from evomask.data.edits import rules_of
from evomask.data.schema import Kind, Role
from evomask.data.table import Column, Table
from evomask.errors import SchemaError
from evomask.masking.method import require_attributes, require_count, require_percent
from evomask.types import Codes, Flags, Floats, Indices, Points

CONDITIONS = (Role.QUASI_IDENTIFIER, Role.CONFIDENTIAL, Role.WEIGHT)
"""Roles of attributes that are conditioned on by default."""

PROMISE = (
    " A synthetic value is no person's value, so counts of equal records protect nobody by it; "
    "what protects people is that the file tells little more of them than of people who are not in "
    "it, and how much more was measured."
)
"""What protects people in synthetic values, for the public report."""

ATTEMPTS = 5
"""Draws of a record until it breaks no edit rule."""

TENTHS = 11
"""Bins of a number by which records stand out, of which one is for missing values."""

FEW = 64
"""Largest number of records that are assigned one by one."""


@dataclass(frozen=True)
class Synthesizer:
    """Base: replace attributes by draws given the others.

    Args:
        attributes: names of the replaced attributes, in the order in which they are drawn.
        given: attributes that the draws depend on, besides attributes drawn earlier; by default
            all other quasi-identifiers, confidential attributes and weights.
        rare: replace only records whose combination of the quasi-identifiers (of those of any
            scenario, numbers in tenths of the file) occurs in at most so many records; 0 replaces
            all.
        noise: percent of the dependence that is given up.
    """

    attributes: tuple[str, ...]
    given: tuple[str, ...] = ()
    rare: int = 0
    noise: float = 0.0

    def __post_init__(self) -> None:
        require_attributes(self.attributes, "synthesis")
        require_count(self.rare, "rare", least=0)
        if self.noise:
            require_percent(self.noise, "noise")
        if self.given:
            require_attributes(self.given, "given")
        both = sorted(set(self.given) & set(self.attributes))
        if both:
            raise SchemaError(f"{both[0]!r} is synthesized and cannot be given; leave it out there")

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        chosen = stand_out(table, self.rare) if self.rare else np.ones(len(table), dtype=bool)
        records = np.flatnonzero(chosen)
        if not len(records):
            return table
        given = self._conditions(table)
        drawn = self._draw_by_rules(table, given, records, rng)
        labels = classes_of(table.take(records), given).labels
        order = matched(table.take(records), drawn, self.attributes, labels)
        changes: dict[str, Column] = {}
        for name in self.attributes:
            changes[name] = np.array(table[name])
            changes[name][records] = drawn[name][order]
        return table.with_columns(changes)

    def _conditions(self, table: Table) -> tuple[str, ...]:
        names = self.given or table.schema.with_role(*CONDITIONS)
        return tuple(n for n in names if n not in self.attributes and not table.is_recoded(n))

    def _draw_by_rules(
        self, table: Table, given: Sequence[str], records: Indices, rng: np.random.Generator
    ) -> Table:
        """Draw records, and those that break an edit rule again, as often as `ATTEMPTS`."""
        drawn = table.take(records).with_columns(self._draw(table, given, records, rng))
        involved = set(self.attributes) & {one.name for one in rules_of(table.schema).attributes}
        for _ in range(ATTEMPTS - 1) if involved else ():
            wrong = np.flatnonzero(rules_of(table.schema).broken_by(drawn))
            if not len(wrong):
                break
            again = self._draw(table, given, records[wrong], rng)
            columns = {name: np.array(drawn[name]) for name in again}
            for name, column in again.items():
                columns[name][wrong] = column
            drawn = drawn.with_columns(columns)
        return drawn

    def _draw(
        self, table: Table, given: Sequence[str], records: Indices, rng: np.random.Generator
    ) -> dict[str, Column]:
        """Draw the attributes given the conditions of some records; fit the model to all."""
        raise NotImplementedError


def stand_out(table: Table, most: int) -> Flags:
    """Flag records whose combination of what any scenario knows occurs at most *most* times."""
    schema = table.schema
    known = [one.attributes for one in schema.scenarios] or [schema.quasi_identifiers]
    flags = np.zeros(len(table), dtype=bool)
    for names in known:
        columns = [
            table[n]
            if schema[n].is_categorical or table.is_recoded(n)
            else NumberBins(table[n], TENTHS)(table[n])
            for n in names
        ]
        classes = classes_of_columns(columns, len(table))
        flags |= classes.sizes[classes.labels] <= most
    return flags


class NumberBins:
    """Bins of a number with about equally many records; equal values share one, missing is 0."""

    def __init__(self, values: Floats, most: int) -> None:
        distinct, counts = np.unique(values[~np.isnan(values)], return_counts=True)
        if len(distinct) >= most:
            shares = (np.cumsum(counts) - counts / 2) / counts.sum() if len(counts) else counts
            cuts = np.searchsorted(shares, np.arange(1, most - 1) / (most - 1))
            distinct = distinct[np.unique(np.minimum(np.append(0, cuts), len(distinct) - 1))]
        self.starts = distinct

    @property
    def size(self) -> int:
        return len(self.starts) + 1

    def __call__(self, values: Floats) -> Codes:
        known = np.maximum(np.searchsorted(self.starts, values, "right"), 1)
        return np.where(np.isnan(values), 0, known).astype(np.int32)


def matched(
    original: Table, drawn: Table, names: Sequence[str], labels: Indices | None = None
) -> Indices:
    """Position of the drawn record that is assigned to each original record.

    Files are halved recursively along the attribute with the largest spread, and the records of
    small parts are assigned with the least total difference of ranks.

    Args:
        labels: class of each record in both files; records stay in their class.
    """
    ours, theirs = (
        np.column_stack([_relative_ranks(original[name], table[name]) for name in names])
        for table in (original, drawn)
    )
    nominal = np.array([original.attribute(name).kind is Kind.NOMINAL for name in names])
    found = np.arange(len(original))
    for own, other in _parts(ours, theirs, labels):
        found[own] = other[_assignment(ours[own], theirs[other], nominal)]
    return found


def _relative_ranks(before: Column, values: Column) -> Floats:
    known = np.sort(before[~np.isnan(before)]).astype(np.float64)
    if not len(known):
        return np.full(len(values), 0.5)
    low, high = (np.searchsorted(known, values, side) for side in ("left", "right"))
    ranks: Floats = np.where(np.isnan(values), 0.5, (low + high) / (2.0 * len(known)))
    return ranks


def _parts(
    ours: Points, theirs: Points, labels: Indices | None
) -> Iterator[tuple[Indices, Indices]]:
    """Halve both files recursively along the attribute with the largest spread."""
    if labels is None:
        labels = np.zeros(len(ours), dtype=np.int64)
    order = np.argsort(labels, kind="stable")
    classes = np.split(order, np.cumsum(np.bincount(labels))[:-1])
    stack = [(one, one) for one in reversed(classes) if len(one) > 1]
    while stack:
        own, other = stack.pop()
        if len(own) <= FEW:
            yield own, other
            continue
        widest = int(np.argmax(ours[own].std(axis=0)))
        own = own[np.argsort(ours[own, widest], kind="stable")]
        other = other[np.argsort(theirs[other, widest], kind="stable")]
        half = len(own) // 2
        stack += [(own[half:], other[half:]), (own[:half], other[:half])]


def _assignment(ours: Points, theirs: Points, nominal: Flags) -> Indices:
    """Assignment of drawn to original records with the least total difference."""
    from scipy.optimize import linear_sum_assignment

    apart = np.abs(ours[:, None] - theirs[None])
    costs = np.where(nominal, apart > 0, apart).sum(axis=2)
    pairs: Indices = linear_sum_assignment(costs)[1]
    return pairs
