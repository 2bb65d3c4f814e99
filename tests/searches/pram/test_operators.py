import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.evolution.variation import gray
from evomask.masking.randomization.pram import frequency_shift
from evomask.searches.pram.genome import Layout, Limits
from evomask.searches.pram.problem import (
    blend,
    climb,
    cross,
    exchange_ranges,
    flip_gray_bit,
    mutate,
)
from tests.measures.files import categories

FIGURE = np.array([[0.185, 0.283, 0.532], [0.609, 0.089, 0.302], [0.002, 0.277, 0.721]])
TABLE = categories(ordinal=True, a=[0, 1, 2, 2, 1, 2, 0, 2], b=[0, 1, 0, 1, 1, 0, 0, 1])
SIZES = (3, 2)
seeds = st.integers(0, 10_000)


def layout(**limits):
    return Layout(TABLE, ("a", "b"), Limits(**limits))


def whole(seed=0):
    return np.random.default_rng(seed).integers(0, 1000, 13).astype(float)


def test_a_matrix_becomes_the_whole_numbers_of_figure_4_1():
    table = categories(ordinal=True, a=[0, 1, 2])
    numbers = Layout(table, ("a",), Limits()).whole(FIGURE.ravel())
    assert numbers.tolist() == [185, 283, 532, 609, 89, 302, 2, 277, 721]
    assert f"{gray(int(numbers[0])):010b}" == "0011100101"


def test_a_mutation_is_the_one_of_figure_4_2():
    assert f"{gray(flip_gray_bit(609, 3)):010b}" == "1101011001"


def test_a_crossover_is_the_one_of_figure_4_3():
    numbers = np.arange(9.0)
    assert exchange_ranges(numbers, 3, 7, 2).tolist() == [0, 1, 2, 7, 8, 5, 6, 3, 4]


@given(seeds)
def test_a_mutation_changes_one_bit_of_one_number(seed):
    parent = whole(seed)
    child = mutate(parent, SIZES, np.random.default_rng(seed))
    (place,) = np.flatnonzero(child != parent)
    assert bin(gray(int(child[place])) ^ gray(int(parent[place]))).count("1") == 1
    assert 0 <= child[place] < 1024


@given(seeds)
def test_a_crossover_stays_inside_one_matrix_and_loses_no_number(seed):
    parent = whole(seed)
    child = cross(parent, SIZES, np.random.default_rng(seed))
    assert sorted(child[:9]) == sorted(parent[:9])
    assert sorted(child[9:]) == sorted(parent[9:])


def test_whole_numbers_make_matrices_whose_rows_sum_to_one():
    numbers = np.zeros(13)
    numbers[0:2] = 250, 750
    matrices = layout().matrices(layout().from_whole(numbers))
    assert matrices["a"].tolist() == [[0.25, 0.75, 0], [0, 1, 0], [0, 0, 1]]
    assert matrices["b"].tolist() == [[1, 0], [0, 1]]


@given(seeds)
def test_between_two_valid_matrices_all_are_valid(seed):
    ours = layout(low=0.4, high=0.8, invariant=True)
    one, other = (ours.from_whole(whole(s)) for s in (seed, seed + 1))
    child = blend(one, other, SIZES, np.random.default_rng(seed))
    for name, matrix in ours.matrices(child).items():
        assert frequency_shift(matrix, ours.frequencies[name]) < 1e-12
        assert np.diagonal(matrix).min() >= 0.4 - 1e-12


def test_climbing_finds_the_bottom():
    ours = layout()
    goal = ours.from_whole(whole(1))

    def guide(flat):
        return float(np.abs(flat - goal).sum()), 0.0

    begin = ours.from_whole(whole(2))
    rng = np.random.default_rng(1)
    found = climb(begin, ours.bounds, guide, lambda f: f[0], 0.0, 4000, rng)
    assert found == pytest.approx(goal, abs=0.02)


def test_climbing_never_ends_above_where_it_began():
    ours = layout()
    begin = ours.from_whole(whole(2))
    rng = np.random.default_rng(1)
    found = climb(begin, ours.bounds, lambda f: (float(f[0]), 0.0), lambda f: f[0], 5.0, 30, rng)
    assert found[0] <= begin[0]
