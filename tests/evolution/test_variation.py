import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from evomask.errors import ParameterError
from evomask.evolution.state import Births, Ledger, Log
from evomask.evolution.variation import (
    adaptive_rates,
    cross_at,
    cross_points,
    cross_uniformly,
    crossing_points,
    draw_operator,
    offspring_count,
    useful_operators,
)

A = np.arange(1, 7)
B = -A


def seeds():
    return st.integers(0, 2**32)


def test_one_point_crossover_as_in_the_thesis():
    one, other = cross_at(A, B, [3])
    assert one.tolist() == [1, 2, 3, -4, -5, -6]
    assert other.tolist() == [-1, -2, -3, 4, 5, 6]


def test_two_point_crossover_as_in_the_thesis():
    one, other = cross_at(A, B, [2, 4])
    assert one.tolist() == [1, 2, -3, -4, 5, 6]
    assert other.tolist() == [-1, -2, 3, 4, -5, -6]


@given(st.integers(2, 30), st.integers(1, 40), seeds())
def test_crossing_points_lie_between_genes_and_differ(length, count, seed):
    points = crossing_points(length, count, np.random.default_rng(seed)).tolist()
    assert points == sorted(set(points))
    assert len(points) == min(count, length - 1)
    assert set(points) <= set(range(1, length))


@given(st.integers(1, 5), seeds())
def test_crossover_by_points_changes_sides_as_often_as_there_are_points(count, seed):
    one, _ = cross_points(A, B, count, np.random.default_rng(seed))
    assert np.count_nonzero(np.diff(np.sign(one))) == count


@given(seeds())
def test_swapped_parents_and_the_same_stream_give_the_other_child(seed):
    one, other = cross_points(A, B, 2, np.random.default_rng(seed))
    swapped, _ = cross_points(B, A, 2, np.random.default_rng(seed))
    assert np.array_equal(swapped, other)
    assert not np.array_equal(swapped, one)


def test_uniform_crossover_takes_the_stated_share_from_the_other():
    zeros, ones = np.zeros(20_000), np.ones(20_000)
    child, _ = cross_uniformly(zeros, ones, np.random.default_rng(1), share=0.3)
    assert child.mean() == pytest.approx(0.3, abs=0.015)


@given(seeds())
def test_uniform_crossover_loses_no_gene(seed):
    one, other = cross_uniformly(A, B, np.random.default_rng(seed))
    assert np.array_equal(np.sort([one, other], axis=0), np.sort([A, B], axis=0))


def test_pick_follows_the_rates():
    rng = np.random.default_rng(3)
    drawn = [draw_operator({"cross": 1.0, "mutate": 3.0}, rng) for _ in range(4000)]
    assert chisquare([drawn.count("cross"), drawn.count("mutate")], [1000, 3000]).pvalue > 0.001


def test_rates_that_are_all_zero_are_refused():
    with pytest.raises(ParameterError, match="more than 0"):
        draw_operator({"cross": 0.0}, np.random.default_rng(1))


def ledger(**improved):
    rows = {
        name: Log(
            [
                Births(g, name, 10, entered, entered, 0, 0, 0, 0, 0, 0, 0, ())
                for g, entered in enumerate(row)
            ]
        )
        for name, row in improved.items()
    }
    return Ledger(births=rows)


def test_an_operator_is_set_aside_after_its_patience():
    vain = ledger(a=[3, 0, 0, 0, 0, 0], b=[0, 0, 1, 0, 0, 0])
    assert useful_operators(vain, ["a", "b"], 5) == ("b",)


def test_when_every_operator_works_in_vain_none_stays():
    assert useful_operators(ledger(a=[0] * 5), ["a"], 5) == ()


def test_a_gap_replaces_at_least_one():
    assert [offspring_count(20, 0.01), offspring_count(20, 0.3), offspring_count(20, 1)] == [
        1,
        6,
        20,
    ]


def test_a_gap_above_one_is_refused():
    with pytest.raises(ParameterError, match="gap"):
        offspring_count(10, 1.5)


def test_operators_begin_with_equal_rates():
    assert adaptive_rates(Ledger(), ["a", "b"]) == {"a": 0.5, "b": 0.5}


def test_an_operator_whose_children_stay_is_used_more_and_none_falls_below_the_least():
    rates = adaptive_rates(ledger(a=[9] * 10, b=[0] * 10), ["a", "b"], least=0.1)
    assert rates["a"] > 0.8
    assert 0.1 < rates["b"] < 0.15
    assert sum(rates.values()) == pytest.approx(1.0)


def test_only_the_latest_generations_earn():
    assert adaptive_rates(ledger(a=[9] * 10 + [0] * 10, b=[0] * 20), ["a", "b"])["a"] == 0.5


def test_more_operators_than_least_rates_fit_are_refused():
    with pytest.raises(ParameterError, match="3 operators"):
        adaptive_rates(Ledger(), ["a", "b", "c"], least=0.4)
