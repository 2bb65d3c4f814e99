"""Membership inference against scikit-learn and by hand."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import NearestNeighbors

from evomask.measures.attacks.membership import (
    MembershipInference,
    area_under_curve,
    best_limit,
    held_back_rates,
)
from tests.tables import numbers

NAMES = ("a", "b", "c")


def people(seed, n=200):
    values = np.random.default_rng(seed).normal(size=(n, len(NAMES)))
    return numbers(**dict(zip(NAMES, values.T, strict=True)))


ORIGINAL, OTHERS = people(1), people(2)


def noisy(size):
    rng = np.random.default_rng(5)
    changes = {name: ORIGINAL[name] + rng.normal(0, size, len(ORIGINAL)) for name in NAMES}
    return ORIGINAL.with_columns(changes)


def attack(masked, original=ORIGINAL, control=OTHERS):
    return MembershipInference(NAMES).against(original, control)(masked)


@pytest.mark.parametrize("size", [0.0, 0.2, 2.0])
def test_the_area_under_the_curve_is_that_of_scikit_learn(size):
    masked, scale = noisy(size), ORIGINAL.matrix(NAMES).std(axis=0)
    nearest = NearestNeighbors(n_neighbors=1).fit(masked.matrix(NAMES) / scale)
    apart = [
        nearest.kneighbors(table.matrix(NAMES) / scale)[0][:, 0] for table in (ORIGINAL, OTHERS)
    ]
    expected = roc_auc_score(np.repeat([1, 0], 200), -np.concatenate(apart))
    assert attack(masked).details["auc"] == pytest.approx(100 * expected, abs=0.01)


def test_ties_count_by_half():
    assert area_under_curve(np.array([1.0, 1.0]), np.array([1.0, 1.0])) == 0.5
    assert area_under_curve(np.array([0.0, 1.0]), np.array([1.0, 2.0])) == 0.875


def test_the_best_limit_divides_most():
    assert best_limit(np.array([0.0, 1.0, 2.0]), np.array([1.5, 1.7, 3.0])) == 1.0


def test_everybody_in_a_file_that_is_not_masked_is_recognised():
    found = attack(ORIGINAL)
    assert found.success == 100
    assert found.control < 5


def test_noise_hides_who_is_in_the_file():
    gains = [attack(noisy(size)).gain for size in (0.0, 0.3, 3.0)]
    assert gains == sorted(gains, reverse=True)
    assert gains[0] > gains[-1] + 50


def test_the_choice_of_the_limit_is_no_gain():
    rng = np.random.default_rng(3)
    gains = []
    for _ in range(200):
        true, false = held_back_rates(rng.normal(size=60), rng.normal(size=60))
        gains.append(true - false)
    assert abs(np.mean(gains)) < 3 * np.std(gains) / np.sqrt(len(gains))


def test_nobody_gains_from_people_who_were_not_released():
    low, high = attack(noisy(0.1), people(8), people(9)).interval
    assert low <= 0 <= high
