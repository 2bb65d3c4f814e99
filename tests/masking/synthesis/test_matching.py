"""Assignment of drawn to original records, against the best one and against chance."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from evomask.masking.synthesis import synthesizer
from evomask.masking.synthesis.synthesizer import matched
from tests.measures.files import categories
from tests.tables import numbers


def test_a_shuffled_file_is_put_back_in_order():
    rng = np.random.default_rng(1)
    before = numbers(a=rng.permutation(700.0 * np.arange(700)), b=rng.normal(size=700))
    order = rng.permutation(700)
    found = matched(before, before.take(order), ("a", "b"))
    assert np.array_equal(order[found], np.arange(700))


def test_every_drawn_record_stands_for_one():
    rng = np.random.default_rng(2)
    before = categories(x=rng.integers(0, 4, 1000), y=rng.integers(0, 3, 1000))
    after = categories(x=rng.integers(0, 4, 1000), y=rng.integers(0, 3, 1000))
    assert sorted(matched(before, after, ("x", "y"))) == list(range(1000))


def test_a_small_file_is_paired_as_well_as_can_be():
    """Against the assignment of ranks, all pairs at once."""
    rng = np.random.default_rng(3)
    before, after = (numbers(a=rng.permutation(40.0 * np.arange(40))) for _ in range(2))
    places = [np.argsort(np.argsort(table["a"])) for table in (before, after)]
    costs = np.abs(np.subtract.outer(*places))
    best = costs[linear_sum_assignment(costs)].sum()
    assert costs[np.arange(40), matched(before, after, ("a",))].sum() == best


def test_parts_of_a_large_file_are_nearly_as_good(monkeypatch):
    rng = np.random.default_rng(4)
    before, after = (numbers(a=rng.normal(size=400), b=rng.normal(size=400)) for _ in range(2))

    def apart():
        found = matched(before, after, ("a", "b"))
        return sum(np.abs(before[n] - after[n][found]).mean() for n in ("a", "b"))

    by_parts = apart()
    monkeypatch.setattr(synthesizer, "FEW", 1000)
    whole = apart()
    by_chance = sum(np.abs(before[n] - after[n]).mean() for n in ("a", "b"))
    assert whole <= by_parts + 1e-9
    assert by_parts - whole < 0.1 * (by_chance - whole)


def test_missing_numbers_lie_in_the_middle():
    before = numbers(a=[0.0, 1.0, 2.0, np.nan])
    after = numbers(a=[np.nan, 2.0, 0.0, 1.0])
    found = matched(before, after, ("a",))
    assert [after["a"][found][0], after["a"][found][2]] == pytest.approx([0.0, 2.0])


def test_records_stay_in_their_class():
    rng = np.random.default_rng(5)
    before, after = (numbers(a=rng.normal(size=500)) for _ in range(2))
    labels = rng.integers(0, 5, 500)
    found = matched(before, after, ("a",), labels)
    assert sorted(found) == list(range(500))
    assert np.array_equal(labels[found], labels)
