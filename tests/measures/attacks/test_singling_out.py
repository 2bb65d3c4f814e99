"""Singling out by rare combinations."""

from itertools import combinations

import numpy as np
import pytest

from evomask.data.recoding import CategorySets
from evomask.measures.attacks import singling_out
from evomask.measures.attacks.singling_out import SinglingOut
from tests.measures.files import categories, generalized, perturbed, suppressed
from tests.tables import mixed, numbers

RNG = np.random.default_rng(8)
TABLE = categories(**{name: RNG.integers(0, 7, 60) for name in "wxyz"})
NAMES = TABLE.schema.names
MASKED = perturbed(TABLE, NAMES)


def sets(names):
    return [chosen for size in (1, 2, 3) for chosen in combinations(names, size)]


def test_whoever_fits_a_combination_that_occurs_once_is_singled_out():
    found, made, won = set(), 0, 0
    for chosen in sets(NAMES):
        people = list(zip(*(TABLE[name].tolist() for name in chosen), strict=True))
        released = list(zip(*(MASKED[name].tolist() for name in chosen), strict=True))
        rare = {row for row in released if released.count(row) == 1}
        hit = {i for i, row in enumerate(people) if row in rare and people.count(row) == 1}
        found, made, won = found | hit, made + len(rare), won + len(hit)
    read = SinglingOut(NAMES).against(TABLE)(MASKED)
    assert read.success == pytest.approx(100 * len(found) / 60)
    assert read.details == {"bets_won": pytest.approx(100 * won / made)}


def test_generalized_cells_fit_everyone_they_cover():
    masked = generalized(MASKED, NAMES[:2])
    leaves = {name: masked.recodings[name].leaves for name in NAMES[:2]}
    found, bets = set(), []
    for chosen in sets(NAMES):
        released = list(zip(*(masked[name].tolist() for name in chosen), strict=True))
        for row in (row for row in released if released.count(row) == 1):
            cells = list(zip(chosen, row, strict=True))
            fits = [
                i
                for i in range(60)
                if all(
                    leaves[n][cell, TABLE[n][i]] if n in leaves else TABLE[n][i] == cell
                    for n, cell in cells
                )
            ]
            bets.append(len(fits) == 1)
            found |= set(fits) if len(fits) == 1 else set()
    read = SinglingOut(NAMES).against(TABLE)(masked)
    assert read.success == pytest.approx(100 * len(found) / 60)
    assert read.details == {"bets_won": pytest.approx(100 * sum(bets) / len(bets))}


def test_plain_cells_written_as_sets_give_the_same():
    read = SinglingOut(NAMES).against(TABLE)
    written = MASKED
    for name in NAMES:
        size = len(TABLE.attribute(name).categories)
        leaves = np.vstack([np.eye(size, dtype=bool), np.ones((1, size), dtype=bool)])
        written = written.with_recoded(
            name, MASKED[name], CategorySets(tuple(map(str, range(size + 1))), leaves)
        )
    assert read(written) == read(MASKED)


def test_look_alikes_protect_from_being_singled_out():
    pairs = TABLE.take(np.repeat(np.arange(30), 2))
    assert SinglingOut(NAMES).against(TABLE)(pairs).success == 0.0


def test_nothing_is_rare_where_everything_is_suppressed():
    assert SinglingOut(NAMES).against(TABLE)(suppressed(TABLE, NAMES)).success == 0.0


def test_the_order_of_records_does_not_matter():
    order = np.random.default_rng(1).permutation(60)
    read = SinglingOut(NAMES).against(TABLE)
    assert read(MASKED.take(order)) == read(MASKED)


def test_numbers_are_described_by_tenths():
    table = numbers(a=np.arange(40.0), b=np.roll(np.arange(40.0), 13))
    moved = table.with_columns({"a": table["a"] + 0.01})
    read = SinglingOut(("a", "b")).against(table)
    assert read(moved).success == pytest.approx(read(table).success, abs=15)
    assert read(table).success > 0


def test_related_columns_single_out_more_than_chance():
    level = np.repeat(np.arange(10), 30)
    level[:5] = [9, 8, 7, 6, 5]
    table = categories(a=np.repeat(np.arange(10), 30), b=level)
    found = SinglingOut(("a", "b")).against(table)(table)
    assert found.success > found.control


def test_of_generalized_combinations_only_so_many_are_tried(monkeypatch):
    masked = generalized(MASKED, NAMES[:1])
    every = SinglingOut(NAMES).against(TABLE)(masked).success
    monkeypatch.setattr(singling_out, "MOST_CLAIMS", 1)
    assert 0 < SinglingOut(NAMES).against(TABLE)(masked).success < every


def test_missing_values_and_intervals_can_be_described():
    table = mixed(60)
    names = table.schema.quasi_identifiers
    found = SinglingOut(names).against(table)(generalized(table, names))
    assert 0 < found.success < 100


def test_control_people_are_singled_out_by_claims_that_nobody_in_the_file_fits():
    rng = np.random.default_rng(6)
    others = TABLE.take(rng.permutation(60)[:20]).with_columns(
        {name: rng.permutation(TABLE[name])[:20] for name in NAMES}
    )
    hit = set()
    for chosen in sets(NAMES):
        people, released, outside = (
            list(zip(*(table[name].tolist() for name in chosen), strict=True))
            for table in (TABLE, MASKED, others)
        )
        claims = {row for row in released if released.count(row) == 1 and row not in people}
        hit |= {i for i, row in enumerate(outside) if row in claims}
    found = SinglingOut(NAMES).against(TABLE, others)(MASKED)
    assert found.control == pytest.approx(100 * len(hit) / 20)
    assert found.control_people == 20
    assert SinglingOut(NAMES).against(TABLE, others)(TABLE).control == 0


def test_generalized_cells_treat_control_people_alike():
    others = TABLE.take(np.arange(15)).with_columns({NAMES[0]: TABLE[NAMES[0]][15:30]})
    attack = SinglingOut(NAMES).against(TABLE, others)
    written = MASKED
    for name in NAMES:
        size = len(TABLE.attribute(name).categories)
        leaves = np.vstack([np.eye(size, dtype=bool), np.ones((1, size), dtype=bool)])
        labels = tuple(map(str, range(size + 1)))
        written = written.with_recoded(name, MASKED[name], CategorySets(labels, leaves))
    assert attack(written) == attack(MASKED)
