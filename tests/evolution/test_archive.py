from math import inf, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.errors import ParameterError
from evomask.evolution.archive import Best, BoxedFront, Front, Nothing, dominates
from evomask.evolution.individual import Individual, worst_objective


def people(points):
    return [Individual(i, tuple(map(float, p)), i, "first", (), 0) for i, p in enumerate(points)]


def fitnesses(archive):
    return [member.fitness for member in archive.members]


def clouds(low=1, high=12):
    return st.lists(
        st.tuples(st.integers(low, high), st.integers(low, high)), min_size=1, max_size=40
    )


def minimal(points):
    return {tuple(p) for p in points if not any(dominates(q, p) for q in points)}


def test_best_keeps_the_earlier_of_equals():
    archive = Best(2).updated(people([(3,), (1,), (1,), (1,)]))
    assert [member.serial for member in archive.members] == [1, 2]


def test_best_can_be_judged_by_the_worst_number():
    assert fitnesses(Best(1, by=worst_objective).updated(people([(1, 9), (5, 5)]))) == [(5.0, 5.0)]


def test_an_archive_of_nobody_is_refused():
    with pytest.raises(ParameterError, match="at least 1"):
        Best(0)


@given(clouds(), st.randoms(use_true_random=False))
def test_the_front_is_all_that_nobody_dominates_in_any_order_of_arrival(points, random):
    random.shuffle(points)
    assert set(fitnesses(Front().updated(people(points)))) == minimal(points)


@given(clouds())
def test_arriving_together_or_one_by_one_is_the_same(points):
    together = Front().updated(people(points))
    alone = Front()
    for person in people(points):
        alone = alone.updated([person])
    assert alone == together


def test_of_equal_fitnesses_the_earliest_stays():
    front = Front().updated(people([(1, 2), (1, 2)]))
    assert [member.serial for member in front.members] == [0]


@pytest.mark.parametrize(
    "archive", [Best(3), Front(), BoxedFront((1.0, 1.0))], ids=["best", "front", "boxes"]
)
def test_nobody_enters_with_an_infinite_fitness(archive):
    assert archive.updated(people([(inf, 1), (inf, inf)])).members == ()


@given(clouds())
def test_boxes_hold_only_minimal_individuals(points):
    """Theorem 1 of the PBG-EA paper."""
    assert set(fitnesses(BoxedFront((3.0, 2.0)).updated(people(points)))) <= minimal(points)


@given(clouds())
def test_every_arrivals_box_is_held_or_dominated(points):
    archive = BoxedFront((3.0, 2.0)).updated(people(points))
    held = [tuple(box) for box in archive.boxes(np.array(fitnesses(archive)))]
    arrived = [tuple(box) for box in archive.boxes(np.array(points, dtype=float))]
    assert all(any(h == a or dominates(h, a) for h in held) for a in arrived)


@given(clouds())
def test_boxes_held_are_different_and_none_dominates_another(points):
    archive = BoxedFront((3.0, 2.0)).updated(people(points))
    held = [tuple(box) for box in archive.boxes(np.array(fitnesses(archive)))]
    assert len(set(held)) == len(held)
    assert minimal(held) == set(held)


@given(st.lists(st.tuples(*[st.integers(1, 12)] * 3), min_size=1, max_size=60))
def test_the_number_of_boxes_held_is_bounded(indices):
    """Theorem 2: with quality indices up to 12, the product of all but the smallest K/side."""
    sides = (3.0, 2.0, 6.0)
    archive = BoxedFront(sides).updated(people([tuple(-i for i in row) for row in indices]))
    assert len(archive.members) <= prod(sorted(12 / side for side in sides)[1:])


def test_a_minimised_index_falls_into_the_papers_box():
    boxes = BoxedFront((5.0,)).boxes(-np.array([[1.0], [5.0], [6.0]]))
    assert boxes.tolist() == [[-1.0], [-1.0], [-2.0]]


def test_within_a_box_the_better_replaces_and_the_incomparable_does_not():
    archive = BoxedFront((10.0, 10.0)).updated(people([(5, 5), (4, 6), (4, 5)]))
    assert fitnesses(archive) == [(4.0, 5.0)]


def test_a_box_without_extent_is_refused():
    with pytest.raises(ParameterError, match="positive"):
        BoxedFront((1.0, 0.0))


def test_nothing_keeps_nobody():
    assert Nothing().updated(people([(1,)])).members == ()
