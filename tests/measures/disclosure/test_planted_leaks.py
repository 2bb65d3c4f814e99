"""Leaks that are planted in a protected file; the risk must find every one of them."""

import numpy as np
import pytest

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.masking.microaggregation.mdav import MdavGeneric
from evomask.measures.disclosure.risk import DisclosureRisk
from tests.tables import QUASI

N, K, SHARE = 400, 40, 0.1
SEEDS = range(50)
KNOWN = ("age", "region", "sex")
LEAST = 3.0
"""Percentage points by which a leak raises the risk at least.

A tenth of the people are concerned. The nearest records of some of them are those of another group
than their own, so that the intruder is right about 6 to 9 in a hundred.
"""


def people(rng, n=N):
    """Nothing of an illness follows from what is known of a person."""
    schema = Schema(
        (
            Attribute("age", Kind.CONTINUOUS, QUASI, decimals=0),
            Attribute("region", Kind.NOMINAL, QUASI, tuple("abcdefgh")),
            Attribute("sex", Kind.NOMINAL, QUASI, ("f", "m")),
            Attribute("other", Kind.NOMINAL, Role.OTHER, tuple("pqrstuvw")),
            Attribute("illness", Kind.NOMINAL, Role.CONFIDENTIAL, tuple("ABCDEFGHIJ")),
        )
    )
    columns = {
        "age": rng.integers(18, 90, n).astype(float),
        "region": rng.integers(8, size=n),
        "sex": rng.integers(2, size=n),
        "other": rng.integers(8, size=n),
        "illness": rng.integers(10, size=n),
    }
    return Table(schema, columns)


def protect(table, rng):
    return MdavGeneric(KNOWN, K).mask(table, rng)


def assess(original, control, masked, names=KNOWN):
    return DisclosureRisk(names).against(original, control).assess(masked)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_group_that_shares_an_illness_is_found(seed):
    """The people of one group of k have one illness; those like them elsewhere do not."""
    rng = np.random.default_rng([1, seed])
    table, control = people(rng), people(rng)
    masked = protect(table, rng)
    groups = np.unique([masked[name] for name in KNOWN], axis=1, return_inverse=True)[1].ravel()
    sharing = groups == rng.integers(groups.max() + 1)
    illness = np.where(sharing, rng.integers(10), table["illness"])
    leaking = assess(
        table.with_columns({"illness": illness}), control, masked.with_columns({"illness": illness})
    )
    before = assess(table, control, masked)
    assert leaking.confidential.percent > before.confidential.percent + LEAST
    assert leaking.risk >= leaking.confidential.percent


@pytest.mark.parametrize("seed", SEEDS)
def test_an_unmasked_copy_of_a_quasi_identifier_is_found(seed):
    """The same numbers under another name, or under names of categories."""
    rng = np.random.default_rng([2, seed])
    table, control = people(rng), people(rng)
    masked = protect(table, rng)
    before = assess(table, control, masked)
    add = (_with_number, _with_category)[seed % 2]
    original, others = (add(one, one["age"]) for one in (table, control))
    leaking = assess(original, others, add(masked, table["age"]))
    assert leaking.reidentification.percent > before.reidentification.percent + LEAST
    assert leaking.risk > before.risk
    assert assess(original, others, masked).reidentification == before.reidentification


def _with_number(table, ages):
    copy = Attribute("years", Kind.CONTINUOUS, Role.OTHER, decimals=0)
    return Table(Schema((*table.schema.attributes, copy)), {**table.columns, "years": ages})


def _with_category(table, ages):
    names = tuple(f"code {(37 * age) % 101}" for age in range(101))
    copy = Attribute("years", Kind.NOMINAL, Role.OTHER, names)
    codes = ages.astype(np.int32)
    return Table(Schema((*table.schema.attributes, copy)), {**table.columns, "years": codes})


@pytest.mark.parametrize("seed", SEEDS)
def test_rare_combinations_that_are_left_as_they_are_are_found(seed):
    """A tenth of the people keep values that nobody else in the file has."""
    rng = np.random.default_rng([3, seed])
    table, control = people(rng), people(rng)
    rare = rng.choice(N, int(SHARE * N), replace=False)
    table = table.with_columns(
        {"age": _replaced(table["age"], rare, 100.0 + 7 * np.arange(len(rare)))}
    )
    masked = protect(table, rng)
    before = assess(table, control, masked)
    left = {name: _replaced(masked[name], rare, table[name][rare]) for name in KNOWN}
    leaking = assess(table, control, masked.with_columns(left))
    assert leaking.reidentification.percent > before.reidentification.percent + LEAST
    assert leaking.risk > before.risk + LEAST


def _replaced(column, rows, values):
    changed = column.copy()
    changed[rows] = values
    return changed
