"""Linkage by the days between the dates of a person, which a shift of all dates leaves."""

from dataclasses import dataclass

import numpy as np

from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.data.units import first_records, unit_labels
from evomask.measures.attacks.attack import AttackResult, PreparedAttack, result_of
from evomask.measures.measure import About, Side
from evomask.types import Indices, Points

MOST_GAPS = 8
"""Days between consecutive events of a person that the intruder knows, from the first."""

ABSENT = -10_000.0
"""In place of days that are unknown."""


@dataclass(frozen=True)
class DateIntervals:
    """Share of people whose records are found by the days between their dates alone.

    Args:
        attributes: names of the dates.

    The intruder knows the days between all dates of a record and, where a person has several
    records, between the first dates of consecutive records. The nearest person counts, with ties
    by the probability of a right guess.
    """

    attributes: tuple[str, ...]
    matches_records: bool = True

    @property
    def about(self) -> About:
        return About(
            "date-intervals",
            "linkage by the days between dates",
            Side.RISK,
            "the share of people who are found by somebody who knows the days between their dates "
            "and nothing else; a shift of all dates of a person leaves these days as they are",
        )

    def against(self, original: Table, control: Table | None = None) -> PreparedAttack:
        from scipy.spatial import cKDTree

        persons = _persons(original)
        known = _intervals(original, self.attributes, persons)

        def attack(masked: Table) -> AttackResult:
            released = _intervals(masked, self.attributes, persons)
            distances, _ = cKDTree(released).query(known, p=1)
            mine = np.abs(released - known).sum(axis=1)
            distinct, labels = np.unique(released, axis=0, return_inverse=True)
            sizes = np.bincount(labels.ravel(), minlength=len(distinct))
            found = np.where(mine <= distances + 1e-9, 1.0 / sizes[labels.ravel()], 0.0)
            return result_of(
                self.about,
                success=100.0 * float(found.mean()),
                targets=len(known),
                control=100.0 / len(known),
            )

        return attack


def dates_to_compare(original: Table, masked: Table) -> tuple[str, ...]:
    """Dates that were released as such, if a person has several."""
    names = tuple(
        a.name
        for a in original.schema
        if a.is_date and a.role.is_released and a.name in masked.schema
        if not masked.is_recoded(a.name)
    )
    has_events = bool(original.schema.with_role(Role.PERSON))
    return names if len(names) > 1 or (names and has_events) else ()


def _persons(table: Table) -> Indices:
    names = table.schema.with_role(Role.PERSON)
    return unit_labels(table, names[0]) if names else np.arange(len(table))


def _intervals(table: Table, names: tuple[str, ...], persons: Indices) -> Points:
    """Days between the dates of each person, a row for each."""
    days = table.matrix(names)
    first = first_records(persons)
    columns = [days[first, j] - days[first, 0] for j in range(1, len(names))]
    order = np.lexsort((days[:, 0], persons))
    owner, sorted_days = persons[order], days[order, 0]
    starts = np.flatnonzero(np.append(True, owner[1:] != owner[:-1]))
    counts = np.diff(starts, append=len(owner))
    columns.append(counts.astype(np.float64))
    for gap in range(min(MOST_GAPS, int(counts.max(initial=1)) - 1)):
        has = counts > gap + 1
        place = np.where(has, starts + gap, 0)
        after = np.minimum(place + 1, len(owner) - 1)
        columns.append(np.where(has, sorted_days[after] - sorted_days[place], ABSENT))
    found: Points = np.nan_to_num(np.column_stack(columns), nan=ABSENT)
    return found
