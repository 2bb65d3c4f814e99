"""Every kind of move alone, where all costs are equal and so every move is kept."""

import numpy as np
import pytest

from evomask.evolution.variation import gray
from evomask.kernels.incremental.bursts import (
    DRAW,
    EXCHANGE,
    FLIP,
    GIVE,
    JOIN,
    MOVES,
    NEAR,
    SWAP,
    burst,
    empty_move,
)
from evomask.kernels.incremental.measures import PAPERS
from evomask.searches.files.genome import Coding
from evomask.searches.files.steps import Steps
from tests.measures.files import perturbed
from tests.tables import mixed

TABLE = mixed(40)
NAMES = TABLE.schema.quasi_identifiers
AGE, INCOME, SCHOOL = range(3)
CODING = Coding(TABLE, NAMES)
STEPS = Steps(CODING, "risk-papers")
ORIGINAL = CODING.file(TABLE)
BEFORE = CODING.to_file(CODING.encode(perturbed(TABLE, NAMES)))
DONOR = CODING.to_file(CODING.encode(TABLE))
NO_MATTER = np.zeros(4)
ROOM = 2 * len(NAMES)
seeds = pytest.mark.parametrize("seed", range(1, 9))


def after(kind, seed, steps=1):
    """The file after some moves of one kind."""
    masked = CODING.table(BEFORE)
    tracked = STEPS.tracker.begin(masked, unkept=ROOM)
    allowed = (np.arange(MOVES) == kind).astype(np.int64)
    file = BEFORE.copy()
    counts = burst(
        tracked.state, STEPS.field, STEPS.rules, STEPS.alike(masked), empty_move(ROOM), file, DONOR,
        NO_MATTER, allowed, PAPERS, steps, 0.0, seed,
    )  # fmt: skip
    assert counts[kind] == counts[MOVES + kind] > 0
    return file


def changed(file):
    """Attribute and record of every cell that is another one now."""
    same = (file == BEFORE) | (np.isnan(file) & np.isnan(BEFORE))
    return [(int(a), int(record)) for a, record in np.argwhere(~same)]


def rows(file):
    return sorted(map(tuple, np.nan_to_num(file.T, nan=-1.0).tolist()))


@seeds
def test_flipping_changes_one_gray_bit_or_one_category(seed):
    [(a, record)] = changed(file := after(FLIP, seed))
    if a in (AGE, INCOME):
        codes = [gray(int(CODING.scales[a].index(one[a, [record]])[0])) for one in (BEFORE, file)]
        assert (codes[0] ^ codes[1]).bit_count() == 1
    else:
        assert file[a, record] in range(CODING.scales[a].width)


@seeds
def test_drawing_takes_a_value_that_occurs(seed):
    [(a, record)] = changed(file := after(DRAW, seed))
    assert np.isclose(file[a, record], ORIGINAL[a]).any()


@seeds
def test_a_near_category_is_a_neighbour_or_the_original(seed):
    file = after(NEAR, seed, steps=1)
    for a, record in changed(file):
        if a == SCHOOL:
            step = abs(file[a, record] - BEFORE[a, record])
            assert step == 1 or file[a, record] == ORIGINAL[a, record]


@seeds
def test_a_near_number_stays_between_the_ends(seed):
    for a, record in changed(file := after(NEAR, seed, steps=20)):
        if a in (AGE, INCOME):
            low, high = np.nanmin(ORIGINAL[a]), np.nanmax(ORIGINAL[a])
            assert low - 1e-9 <= file[a, record] <= high + 1e-9


@seeds
def test_swapping_leaves_every_column_its_values(seed):
    file = after(SWAP, seed, steps=30)
    assert np.array_equal(np.sort(file, axis=1), np.sort(BEFORE, axis=1), equal_nan=True)
    assert changed(file)


@seeds
def test_joining_makes_one_record_like_another(seed):
    file = after(JOIN, seed)
    [record] = {record for _, record in changed(file)}
    assert rows(file[:, [record]])[0] in rows(np.delete(BEFORE, record, axis=1))


@seeds
def test_exchanging_keeps_all_records(seed):
    file = after(EXCHANGE, seed, steps=30)
    assert rows(file) == rows(BEFORE)
    assert changed(file)


@seeds
def test_giving_takes_the_donors_values(seed):
    file = after(GIVE, seed, steps=10)
    assert changed(file)
    assert all(file[a, record] == DONOR[a, record] for a, record in changed(file))
