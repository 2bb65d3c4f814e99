import numpy as np
import pytest
from scipy.stats import chisquare

from evomask.errors import ParameterError
from evomask.evolution.individual import Individual, lexicographic
from evomask.evolution.selection import inverse, leaders, ranks_of, roulette, tournament, uniform


def shares(places, members):
    return np.bincount(places, minlength=members)


def test_roulette_draws_in_proportion_to_the_weights():
    drawn = roulette(np.array([1.0, 3.0, 4.0]), 8000, np.random.default_rng(1))
    assert chisquare(shares(drawn, 3), [1000, 3000, 4000]).pvalue > 0.001


def test_roulette_never_draws_a_weight_of_zero():
    drawn = roulette(np.array([0.0, 1.0, 0.0]), 500, np.random.default_rng(2))
    assert set(drawn) == {1}


def test_roulette_without_any_weight_has_no_preference():
    drawn = roulette(np.zeros(4), 4000, np.random.default_rng(3))
    assert chisquare(shares(drawn, 4)).pvalue > 0.001


def test_roulette_refuses_a_negative_weight():
    with pytest.raises(ParameterError, match="not negative"):
        roulette(np.array([1.0, -1.0]), 1, np.random.default_rng(1))


def test_an_infinite_cost_weighs_nothing():
    assert inverse(np.array([1.0, np.inf])).tolist() == [0.5, 0.0]


def test_a_binary_tournament_prefers_the_better_as_often_as_theory_says():
    costs = np.array([3.0, 1.0, 2.0])
    drawn = tournament(costs, 2, 6000, np.random.default_rng(4))
    assert shares(drawn, 3)[0] == 0
    assert chisquare(shares(drawn, 3)[1:], [4000, 2000]).pvalue > 0.001


def test_the_lowest_place_wins_a_tied_tournament():
    assert tournament(np.zeros(3), 3, 1, np.random.default_rng(5)).tolist() == [0]


def test_a_tournament_larger_than_the_population_is_refused():
    with pytest.raises(ParameterError, match="1 to 2 individuals"):
        tournament(np.zeros(2), 3, 1, np.random.default_rng(5))


def test_uniform_has_no_preference():
    assert chisquare(shares(uniform(5, 5000, np.random.default_rng(6)), 5)).pvalue > 0.001


def test_leaders_are_the_best_in_order_with_ties_by_place():
    assert leaders(np.array([2.0, 1.0, 3.0, 1.0]), 3).tolist() == [1, 3, 0]


def test_equal_individuals_share_a_rank():
    members = [
        Individual(None, f, i, "first", (), 0) for i, f in enumerate([(2, 1), (1, 9), (2, 1)])
    ]
    assert ranks_of(members, lexicographic).tolist() == [1, 0, 1]
