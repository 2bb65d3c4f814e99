"""Copies of unique people, against sets of rows."""

from collections import Counter

import numpy as np
import pytest

from evomask.masking.microaggregation.mondrian import Mondrian
from evomask.masking.synthesis.cart import Cart
from evomask.measures.attacks.copies import Copies, copied_uniques, percent_copied
from tests.measures.files import categories
from tests.tables import mixed, numbers

NAMES = ("x", "y", "z")


def rows(table, names):
    return list(zip(*(table[name].tolist() for name in names), strict=True))


def people(seed, n=300):
    rng = np.random.default_rng(seed)
    codes = {name: np.append(rng.integers(0, 9, n), 8) for name in NAMES}
    return categories(**codes)


def test_copies_are_rows_that_are_unique_and_released():
    before, after = people(1), people(2)
    counts, released = Counter(rows(before, NAMES)), set(rows(after, NAMES))
    alone = [row for row, count in counts.items() if count == 1]
    expected = 100 * np.mean([row in released for row in alone])
    assert percent_copied(before, after, NAMES) == pytest.approx(expected)
    unique, copied = copied_uniques(before, after, NAMES)
    assert (unique & copied).sum() == sum(row in released for row in alone)


def test_the_original_is_all_copies_and_values_of_several_records_none():
    table = mixed()
    names = table.schema.quasi_identifiers
    assert percent_copied(table, table, names) == 100
    regions = Mondrian(names, 20).mask(table, np.random.default_rng(1))
    assert percent_copied(table, regions, names) < 20
    nobody = table.suppressing(np.ones(len(table), dtype=bool))
    assert percent_copied(table, nobody, names) == 0


def test_a_model_that_is_too_close_copies_people_and_an_independent_draw_only_by_chance():
    """Leaves of one record repeat the file; people of the control group are not repeated."""
    rng = np.random.default_rng(3)
    before, others = (numbers(**{n: rng.integers(0, 40, 400) for n in NAMES}) for _ in range(2))
    close = Cart(NAMES, leaf=1, depth=100).mask(before, rng)
    chance = numbers(**{n: rng.integers(0, 40, 400) for n in NAMES})
    found = [Copies(NAMES).against(before, others)(table) for table in (close, chance)]
    assert found[0].interval[0] > 20
    assert found[1].interval[0] <= 0 <= found[1].interval[1]
    assert found[1].control_people > 300
