"""Fidelities of an evaluation: samples of the records and of the targets, from small to whole.

Of a file of persons or households with several records, a sample has whole ones.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evomask.data.classes import classes_of
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.data.units import first_records, units_in, whole_units
from evomask.measures.targets import SEARCH_TARGETS
from evomask.types import Indices, Labels

SAMPLES = ((2_000, 300), (10_000, 1_000))
"""Records and targets of the samples."""

WORTH_A_SAMPLE = 1.4
"""Smallest file that has a sample, as a multiple of the sample."""

MOST_CONTROLS = 1_000
"""Largest control group of a sample."""

FEWEST_IN_STRATUM = 30
"""Fewest records that a sample has of each stratum."""

SAMPLE_SEED = 0
"""Seed of the samples; it is fixed, so that a resumed run has the same samples."""


class Fidelity(NamedTuple):
    """How much of a file an evaluation uses.

    Args:
        records: number of records; all of them at the highest fidelity.
        people: number of targets.
    """

    records: int
    people: int


def fidelities_of(
    table: Table, k: int, samples: Sequence[tuple[int, int]] = SAMPLES
) -> tuple[Fidelity, ...]:
    """Return the fidelities for a table, the whole file last.

    Args:
        samples: records and targets of the samples, in ascending order.

    A sample has *FEWEST_IN_STRATUM* records and 4 k of each stratum or is not used; of a file with
    units, so many units.
    """
    n, units = len(table), whole_units(table)
    classes = classes_of(table, table.schema.with_role(Role.STRATUM))
    strata = classes.sizes if units is None else units_in(classes.labels, units)
    least = strata.min(initial=n) / max(1, n)
    usable = (
        Fidelity(records, people)
        for records, people in samples
        if n >= WORTH_A_SAMPLE * records and least * records >= max(FEWEST_IN_STRATUM, 4 * k)
    )
    return (*usable, Fidelity(n, SEARCH_TARGETS))


def records_at(table: Table, fidelity: Fidelity) -> tuple[Indices, Indices]:
    """Return the records of a sample, and those of the control group outside of it, in order.

    A smaller sample is a subset of a larger one, in the same share of every stratum. Of a file
    with units, the sample has as many whole units as fit, and the control group as many units as it
    otherwise has records.
    """
    strata = classes_of(table, table.schema.with_role(Role.STRATUM)).labels
    controls = min(MOST_CONTROLS, fidelity.people)
    units = whole_units(table)
    if units is None:
        order = _mixed_order(strata)
        inside, outside = np.split(order, [fidelity.records])
        return np.sort(inside), np.sort(outside[:controls])
    order = _mixed_order(strata[first_records(units)])
    fitting = np.searchsorted(np.cumsum(np.bincount(units)[order]), fidelity.records, "right")
    chosen, others = np.split(order, [max(1, int(fitting))])
    return (
        np.flatnonzero(np.isin(units, chosen)),
        np.flatnonzero(np.isin(units, others[:controls])),
    )


def _mixed_order(strata: Labels) -> Indices:
    """Random order of records or units, of which every beginning has the same share of each
    stratum."""
    order = np.random.default_rng(SAMPLE_SEED).permutation(len(strata))
    sizes, labels = np.bincount(strata), strata[order]
    by_stratum = np.argsort(labels, kind="stable")
    starts = np.cumsum(sizes) - sizes
    place = np.empty(len(strata))
    place[by_stratum] = np.arange(len(strata)) - np.repeat(starts, sizes)
    relative = (place + 0.5) / sizes[labels]
    return order[np.argsort(relative, kind="stable")]
