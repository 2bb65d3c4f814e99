"""Intersection of several releases, against a loop over pairs of people."""

import numpy as np
import pytest

from evomask.errors import DataError, ParameterError
from evomask.measures.attacks.several_releases import intersect_releases
from tests.tables import numbers

FIRST = numbers(age=[1, 1, 2, 2, 3, 3])
SECOND = numbers(age=[1, 2, 2, 1, 3, 3])


def random_release(seed, n):
    rng = np.random.default_rng(seed)
    return numbers(a=rng.integers(3, size=n), b=rng.integers(3, size=n))


def slow_share(releases, people):
    """Share of unique people, person by person."""
    places = [{person: row for row, person in enumerate(own)} for own in people]
    persons = sorted(set().union(*places))

    def alike(one, other):
        held = [r for r, place in enumerate(places) if one in place]
        return all(
            other in places[r]
            and all(
                releases[r][name][places[r][one]] == releases[r][name][places[r][other]]
                for name in releases[r].schema.names
            )
            for r in held
        )

    return np.mean([sum(alike(one, other) for other in persons) == 1 for one in persons])


def test_two_releases_each_with_k_of_two_single_people_out():
    found = intersect_releases([FIRST, SECOND])
    assert found.success == pytest.approx(100 * 4 / 6)
    assert found.control == 0
    assert "k is 1 in all together and 2, 2 in each" in found.sentence


def test_the_same_release_twice_adds_nothing():
    found = intersect_releases([FIRST, FIRST])
    assert (found.success, found.gain) == (0, 0)


@pytest.mark.parametrize("seed", range(5))
def test_people_who_overlap_are_intersected_as_by_a_loop(seed):
    rng = np.random.default_rng(seed)
    people = [rng.permutation(30)[:size] for size in (20, 25, 22)]
    releases = [random_release([seed, i], len(own)) for i, own in enumerate(people)]
    found = intersect_releases(releases, people)
    assert found.success == pytest.approx(100 * slow_share(releases, people))
    assert found.targets == len(set(np.concatenate(people)))


def test_a_record_left_out_is_nobody_s():
    gone = FIRST.suppressing(np.array([True, False, False, False, False, False]))
    found = intersect_releases([gone, gone])
    assert found.targets == 5
    assert found.success == pytest.approx(20)


def test_one_release_is_not_enough():
    with pytest.raises(ParameterError, match="give two or more"):
        intersect_releases([FIRST])


def test_releases_of_different_lengths_need_the_people():
    with pytest.raises(DataError, match="which person each record is of"):
        intersect_releases([FIRST, FIRST.take(np.arange(3))])
