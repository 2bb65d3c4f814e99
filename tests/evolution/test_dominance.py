import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evomask.evolution.archive import (
    dominated_strength,
    dominates,
    hypervolume,
    non_dominated_ranks,
)


def small_grids(columns):
    shape = st.tuples(st.integers(1, 25), st.just(columns))
    return arrays(np.float64, shape, elements=st.integers(0, 4).map(float))


def ranks_by_peeling(points):
    ranks = np.full(len(points), -1)
    left, rank = set(range(len(points))), 0
    while left:
        front = {i for i in left if not any(dominates(points[j], points[i]) for j in left)}
        ranks[list(front)] = rank
        left -= front
        rank += 1
    return ranks


def test_dominance_needs_one_smaller_number_and_none_larger():
    cases = {((1, 2), (1, 3)): True, ((1, 2), (1, 2)): False, ((1, 2), (2, 1)): False}
    assert {pair: dominates(*pair) for pair in cases} == cases


@given(st.sampled_from([2, 3]).flatmap(small_grids))
def test_ranks_are_what_peeling_fronts_gives(points):
    assert non_dominated_ranks(points).tolist() == ranks_by_peeling(points).tolist()


def test_ranks_of_2000_points_with_3_objectives_are_those_of_pymoo():
    from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

    points = np.random.default_rng(11).random((2000, 3)).round(2)
    _, expected = NonDominatedSorting().do(points, return_rank=True)
    assert non_dominated_ranks(points).tolist() == expected.tolist()


@given(small_grids(2))
def test_strength_adds_up_what_the_dominators_dominate(points):
    over = [[dominates(a, b) for b in points] for a in points]
    counts = [sum(row) for row in over]
    expected = [
        sum(counts[j] for j in range(len(points)) if over[j][i]) for i in range(len(points))
    ]
    assert dominated_strength(points).tolist() == expected


@given(small_grids(2))
def test_area_is_the_number_of_unit_squares_dominated(points):
    squares = {
        (x, y) for x in range(5) for y in range(5) if any(p[0] <= x and p[1] <= y for p in points)
    }
    assert hypervolume(points, (5.0, 5.0)) == pytest.approx(len(squares))


@pytest.mark.parametrize("objectives", [2, 3, 4])
def test_hypervolume_is_that_of_pymoo(objectives):
    from pymoo.indicators.hv import Hypervolume

    points = np.random.default_rng(objectives).random((40, objectives))
    expected = Hypervolume(ref_point=np.full(objectives, 0.9)).do(points)
    assert hypervolume(points, [0.9] * objectives) == pytest.approx(expected)


def test_points_beyond_the_reference_count_nothing():
    assert hypervolume(np.array([[2.0, 2.0]]), (1.0, 3.0)) == 0.0
