"""Loss and risk of wide, long, narrow and empty files."""

import numpy as np
import pytest

from evomask.data.schema import Attribute, Kind, Schema
from evomask.data.table import Table
from evomask.measures.disclosure.risk import DisclosureRisk
from evomask.measures.loss.loss import InformationLoss
from tests.tables import QUASI


def related(n, width):
    """Numbers and categories in turn, all of them related."""
    rng = np.random.default_rng(0)
    level = rng.normal(size=n)
    attributes, columns = [], {}
    for place in range(width):
        name = f"c{place}"
        if place % 2 == 0:
            attributes.append(Attribute(name, Kind.CONTINUOUS, QUASI))
            columns[name] = (level + rng.normal(size=n)).round(2)
        else:
            categories = tuple("abcdefghij")
            attributes.append(Attribute(name, Kind.NOMINAL, QUASI, categories))
            columns[name] = np.clip((2 * level + 2 * rng.normal(size=n) + 5).astype(int), 0, 9)
    return Table(Schema(tuple(attributes)), columns)


def noisy(table):
    rng = np.random.default_rng(1)
    n, changes = len(table), {}
    for name in table.schema.names:
        drawn = table[name][rng.permutation(n)]
        moved = rng.random(n) < 0.1
        if not table.attribute(name).is_categorical:
            drawn, moved = table[name] + rng.normal(0, 0.1, n), np.ones(n, dtype=bool)
        changes[name] = np.where(moved, drawn, table[name])
    return table.with_columns(changes)


@pytest.mark.parametrize(("n", "width"), [(2_000, 50), (100_000, 2)])
def test_wide_and_long_files_are_judged(n, width):
    table = related(n, width)
    names, masked = table.schema.names, noisy(table)
    assert 0 < InformationLoss(names).against(table)(masked) < 30
    judged = DisclosureRisk(names).against(table).assess(masked)
    assert 0 < judged.risk <= 100
    assert judged.people == 2_000


SMALL = related(200, 4)
ZEROS = {name: np.zeros(len(SMALL)) for name in SMALL.schema.names}
FILES = {
    "one number": (SMALL, ("c0",)),
    "one category": (SMALL, ("c1",)),
    "a constant of each kind": (
        SMALL.with_columns({n: ZEROS[n] for n in ("c0", "c1")}),
        SMALL.schema.names,
    ),
    "all constant": (SMALL.with_columns(ZEROS), SMALL.schema.names),
}


@pytest.mark.parametrize(("table", "names"), FILES.values(), ids=FILES)
def test_files_with_little_in_them_have_both_ends(table, names):
    loss, risk = InformationLoss(names).against(table), DisclosureRisk(names).against(table)
    nothing = table.suppressing(np.ones(len(table), dtype=bool))
    shuffled = table.take(np.random.default_rng(0).permutation(len(table)))
    assert loss(table) == 0
    assert loss(nothing) == pytest.approx(100)
    assert risk(nothing) == pytest.approx(100 / len(table))
    assert risk(shuffled) == pytest.approx(risk(table))


def test_a_number_that_is_missing_everywhere_changes_nothing_about_whom_others_give_away():
    missing = SMALL.with_columns({"c0": np.full(len(SMALL), np.nan)})
    others = tuple(name for name in SMALL.schema.names if name != "c0")
    with_it, without = (DisclosureRisk(n).against(missing) for n in (SMALL.schema.names, others))
    masked = noisy(missing)
    assert (
        with_it.assess(masked).reidentification.percent
        == without.assess(masked).reidentification.percent
    )
    assert InformationLoss(SMALL.schema.names).against(missing)(missing) == 0


def test_where_everything_is_missing_nobody_can_be_told_apart():
    missing = SMALL.with_columns({name: np.full(len(SMALL), np.nan) for name in ("c0", "c2")})
    reading = DisclosureRisk(("c0", "c2")).against(missing)
    assert reading(missing) == pytest.approx(100 / len(SMALL))
    assert InformationLoss(("c0", "c2")).against(missing)(missing) == 0
