import numpy as np
import pytest

from evomask.masking.method import Making
from evomask.portfolio.front import Candidate, balanced, front_of, volume_of


def candidates(*pairs):
    return [Candidate(i, Making(), loss, risk) for i, (loss, risk) in enumerate(pairs)]


def numbers(front):
    return [one.number for one in front]


def test_the_front_is_what_nothing_beats_by_loss():
    assert numbers(front_of(candidates((5, 5), (1, 9), (6, 6), (9, 1)))) == [1, 0, 3]


def test_what_looks_the_same_appears_once_and_the_earliest_stays():
    assert numbers(front_of(candidates((5.001, 5), (5.0, 5.0)))) == [0]


def test_what_is_beaten_at_the_precision_shown_is_left_out():
    assert numbers(front_of(candidates((5.0, 5.0), (4.999, 6.0)))) == [0]


def test_a_front_can_grow_by_parts():
    rng = np.random.default_rng(3)
    everyone = candidates(*rng.uniform(0, 100, (200, 2)).tolist())
    grown = ()
    for start in range(0, 200, 7):
        grown = front_of(sorted((*grown, *everyone[start : start + 7]), key=lambda c: c.number))
    assert grown == front_of(everyone)


def test_the_balanced_point_has_the_smallest_larger_part():
    assert balanced(candidates((40, 10), (25, 24), (10, 30))).number == 1


def test_a_trifle_of_loss_is_not_paid_for_with_much_risk():
    assert balanced(candidates((28.31, 9.77), (28.32, 6.30), (28.50, 1.0))).number == 1


def test_the_volume_is_the_share_of_the_plane_that_is_beaten():
    assert volume_of(candidates((0, 50), (50, 0))) == pytest.approx(75.0)
    assert volume_of([]) == 0.0
