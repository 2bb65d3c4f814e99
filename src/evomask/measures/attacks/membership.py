"""Membership inference: whether the record of a person is in the release.

The intruder knows the quasi-identifiers of a person and takes the distance of the nearest released
record: the smaller, the more likely the person is in the file. Only a control group shows whether
that is so; what anybody's distance says of anybody is no disclosure.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.data.table import Table
from evomask.kernels.linking.linkage import Rows, Terms
from evomask.measures.attacks.attack import (
    AttackResult,
    PreparedAttack,
    distances,
    people_rows,
    result_of,
    target_blocks,
)
from evomask.measures.comparison_space import Space
from evomask.measures.measure import About, Side, check_columns, check_original
from evomask.measures.papers.distance_linkage import classes_of_rows
from evomask.measures.papers.inference import fixed_targets
from evomask.types import Floats


@dataclass(frozen=True)
class MembershipInference:
    """Share of people in the release who are recognised as such, beyond the control group.

    The intruder says of everybody nearer than a limit that they are in the release. The limit with
    the largest advantage (true less false positives) on one half of the people is tried on the
    other half, and the other way round, so that its choice is no gain. ``auc`` is the chance that
    a target is nearer than a person of the control group, ties counted by half. Above 2,000
    records a fixed sample of 1,000 people is attacked.
    """

    attributes: tuple[str, ...]
    matches_records: bool = False

    about: ClassVar[About] = About(
        "membership",
        "membership inference by the nearest record",
        Side.RISK,
        "the share of people who are said to be in the release because a released record is near, "
        "beyond people who are not in it; no disclosure where the gain is 0",
    )

    def against(self, original: Table, control: Table | None = None) -> PreparedAttack:
        check_original(original, self.attributes)
        space = Space.of(original, self.attributes)
        groups = [original] if control is None else [original, control]
        people = [
            people_rows(space, group.take(fixed_targets(group, self.attributes)))
            for group in groups
        ]

        def attack(masked: Table) -> AttackResult:
            check_columns(original, masked, self.attributes)
            released = space.masked(masked)
            rows = released.rows.take(classes_of_rows(released.rows).representatives)
            terms = space.terms(released, from_originals=True)
            inside, *others = (_nearest(group, rows, terms) for group in people)
            outside = others[0] if others else inside
            success, false = held_back_rates(inside, outside)
            return result_of(
                self.about,
                success=success,
                targets=len(inside),
                control=false,
                control_people=len(outside),
                details={"auc": 100.0 * area_under_curve(inside, outside)},
            )

        return attack


def _nearest(people: Rows, rows: Rows, terms: Terms) -> Floats:
    """Distance of the nearest released record of each person."""
    blocks = target_blocks(np.arange(len(people)), len(rows))
    return np.concatenate([distances(people.take(b), rows, terms).min(axis=1) for b in blocks])


def area_under_curve(inside: Floats, outside: Floats) -> float:
    """Chance that one of *inside* is smaller than one of *outside*; ties count by half."""
    ascending = np.sort(outside)
    above = len(outside) - np.searchsorted(ascending, inside, "right")
    tied = np.searchsorted(ascending, inside, "right") - np.searchsorted(ascending, inside, "left")
    return float(np.mean((above + tied / 2) / len(outside)))


def best_limit(inside: Floats, outside: Floats) -> float:
    """The limit up to which most more of *inside* lie than of *outside*."""
    limits = np.unique(np.concatenate([inside, outside]))
    shares = [
        np.searchsorted(np.sort(one), limits, "right") / len(one) for one in (inside, outside)
    ]
    return float(limits[np.argmax(shares[0] - shares[1])])


def held_back_rates(inside: Floats, outside: Floats) -> tuple[float, float]:
    """True and false positives in percent, each half judged by the limit of the other half."""
    halves = [(inside[i::2], outside[i::2]) for i in range(2)]
    if any(not len(group) for half in halves for group in half):
        return 0.0, 0.0
    counts = np.zeros(2)
    for (taught_in, taught_out), (asked_in, asked_out) in zip(halves, halves[::-1], strict=True):
        limit = best_limit(taught_in, taught_out)
        counts += np.sum(asked_in <= limit), np.sum(asked_out <= limit)
    return 100.0 * counts[0] / len(inside), 100.0 * counts[1] / len(outside)
