import numpy as np
import pytest

from evomask_graphs.trajectories.tracking_attack import (
    GUESSES,
    followed,
    most_in_common,
    nearest_disc,
    straight_on,
)
from evomask_graphs.trajectories.trajectory import Discs


def discs(centres, people, radius=50.0):
    centres = np.array(centres, dtype=float)
    return Discs(centres, np.full(centres.shape[:2], radius), np.array(people))


FAR_APART = [[[0, 0]], [[1000, 0]], [[0, 1000]]]


@pytest.mark.parametrize("guess", GUESSES.values(), ids=list(GUESSES))
def test_people_who_stay_where_they_are_are_followed_but_only_to_their_disc(guess):
    before = after = discs(FAR_APART, [40, 40, 40])
    groups = np.repeat([0, 1, 2], 40)
    found = followed(guess, before, after, (groups, groups), np.random.default_rng(1))
    assert found.discs == 100
    assert found.linked < 100 / 40 + 4 * found.error


def test_nobody_is_linked_where_the_disc_is_guessed_wrong():
    before, after = discs(FAR_APART, [5] * 3), discs(FAR_APART[::-1], [5] * 3)
    groups = np.zeros(5, dtype=int)
    found = followed(nearest_disc, before, after, (groups, groups), np.random.default_rng(1))
    assert (found.discs, found.linked, found.error) == (0, 0, 0)


def test_who_goes_straight_on_is_found_by_the_last_step():
    before = discs([[[0, 0], [100, 0]]], [3])
    after = discs([[[110, 0]], [[200, 0]]], [3, 3])
    assert straight_on(before, after).tolist() == [1]
    assert nearest_disc(before, after).tolist() == [0]


def test_of_one_time_alone_straight_on_is_the_nearest():
    before, after = discs([[[0, 0]]], [3]), discs(FAR_APART, [3] * 3)
    assert straight_on(before, after).tolist() == nearest_disc(before, after).tolist()


def test_a_disc_with_more_people_is_the_likelier_one():
    before = discs([[[0, 0]]], [5])
    assert most_in_common(before, discs([[[10, 0]], [[-10, 0]]], [3, 30])).tolist() == [1]


def test_where_nothing_overlaps_the_nearest_is_taken():
    before = discs([[[0, 0]]], [5])
    assert most_in_common(before, discs([[[900, 0]], [[500, 0]]], [3, 3])).tolist() == [1]


def test_nobody_seen_in_both_stretches_is_nobody_followed():
    nobody = np.empty(0, dtype=int)
    one = discs([[[0, 0]]], [5])
    assert followed(nearest_disc, one, one, (nobody, nobody), np.random.default_rng(0)).linked == 0
