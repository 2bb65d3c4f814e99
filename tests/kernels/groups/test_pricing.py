from itertools import combinations

import numpy as np
import pytest

from evomask.kernels.groups.lower_bound import best_groups

ENOUGH = 10**6
NO_TRIOS, NO_FINES = np.empty((0, 3), dtype=np.int64), np.empty(0)


def squared_distances(points):
    return np.sum((points[:, None] - points[None]) ** 2, axis=2)


def gain(apart, prices, trios, fines, group):
    """What a group costs less its worth, for each of its records, from the definition."""
    cost = apart[np.ix_(group, group)].sum() / (2 * len(group))
    fined = sum(
        fine
        for trio, fine in zip(trios, fines, strict=True)
        if len({*trio.tolist()} & {*group}) >= 2
    )
    return (cost - prices[list(group)].sum() + fined) / len(group)


def by_trying_all(apart, prices, k, trios, fines):
    n = len(apart)
    best = np.zeros((n, min(2 * k - 1, n) - k + 1))
    for size in range(k, min(2 * k - 1, n) + 1):
        for group in combinations(range(n), size):
            value = gain(apart, prices, trios, fines, group)
            members = list(group)
            best[members, size - k] = np.minimum(best[members, size - k], value)
    return best


def made(seed, with_trios):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(5, 11)), int(rng.integers(2, 4))
    apart, prices = squared_distances(rng.normal(size=(n, 2))), 1.5 * rng.random(n)
    if not with_trios:
        return apart, prices, k, NO_TRIOS, NO_FINES
    trios = np.array([np.sort(rng.choice(n, 3, replace=False)) for _ in range(4)])
    return apart, prices, k, trios, 0.5 * rng.random(4)


@pytest.mark.parametrize("with_trios", [False, True])
@pytest.mark.parametrize("seed", range(15))
def test_gains_are_those_of_trying_all_groups(seed, with_trios):
    apart, prices, k, trios, fines = made(seed, with_trios)
    gains, _ = best_groups(apart, prices, k, trios, fines, ENOUGH)
    assert gains == pytest.approx(by_trying_all(apart, prices, k, trios, fines), abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_the_groups_found_hold_their_record_and_gain_what_is_said(seed):
    apart, prices, k, trios, fines = made(seed, with_trios=True)
    gains, groups = best_groups(apart, prices, k, trios, fines, ENOUGH)
    for row, found in enumerate(groups):
        record, column = divmod(row, gains.shape[1])
        group = found[found >= 0].tolist()
        assert (gains[record, column] < 0) == bool(group)
        if group:
            assert record in group
            assert len(set(group)) == k + column
            told = gain(apart, prices, trios, fines, group)
            assert told == pytest.approx(gains[record, column], abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_cut_short_it_tells_a_bound_that_no_group_falls_below(seed):
    apart, prices, k, trios, fines = made(seed, with_trios=True)
    gains, _ = best_groups(apart, prices, k, trios, fines, 3)
    assert (gains <= by_trying_all(apart, prices, k, trios, fines) + 1e-9).all()


def test_at_prices_of_nothing_no_group_is_worth_it():
    apart = squared_distances(np.random.default_rng(1).normal(size=(9, 3)))
    gains, groups = best_groups(apart, np.zeros(9), 3, NO_TRIOS, NO_FINES, ENOUGH)
    assert (gains == 0).all()
    assert (groups == -1).all()
