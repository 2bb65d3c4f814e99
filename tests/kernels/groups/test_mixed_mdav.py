"""The kernel against a slow twin that follows the definition."""

import numpy as np
import pytest

from evomask.kernels.groups.mdav import mdav
from evomask.kernels.groups.mixed_mdav import mixed_mdav


def distances(numbers, codes, squares, centre, middle):
    apart = np.zeros(len(numbers))
    for j, value in enumerate(centre):
        apart += (numbers[:, j] - value) ** 2
    for j, code in enumerate(middle):
        apart += squares[j, code, codes[:, j]]
    return apart


def slow_middle(column, ordered, domain):
    if not ordered:
        return int(np.bincount(column).argmax())
    known = np.sort(column[column < domain])
    if len(column) - len(known) > len(known):
        return domain
    return int(known[(len(known) - 1) // 2])


def slow_mixed_mdav(numbers, codes, squares, ordered, domains, k):
    labels = np.full(len(numbers), -1)
    left = np.arange(len(numbers))
    group = 0

    def from_record(record):
        return distances(numbers[left], codes[left], squares, numbers[record], codes[record])

    def close(record):
        nonlocal left, group
        order = np.argsort(from_record(record), kind="stable")
        labels[left[order[:k]]] = group
        left = np.sort(left[order[k:]])
        group += 1

    while len(left) >= 2 * k:
        paired = len(left) >= 3 * k
        centre = numbers[left].mean(axis=0)
        middle = [slow_middle(codes[left, j], ordered[j], domains[j]) for j in range(len(domains))]
        far = left[np.argmax(distances(numbers[left], codes[left], squares, centre, middle))]
        apart = dict(zip(left.tolist(), from_record(far).tolist(), strict=True))
        close(far)
        if paired:
            close(max(left.tolist(), key=lambda record: (apart[record], -record)))
    labels[left] = group
    return labels


def mixture(seed):
    """FileDistribution numbers and categories, so that sums are exact and ties are many."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 90))
    numbers = rng.integers(0, 6, (n, 2)).astype(float)
    codes = rng.integers(0, 4, (n, 3)).astype(np.int32)
    ranks = np.arange(4)
    ordinal = (np.abs(ranks[:, None] - ranks) / 4) ** 2
    missing = (np.abs(ranks[:, None] - ranks) / 3) ** 2
    missing[3, :3] = missing[:3, 3] = 1.0
    squares = np.array([ordinal, 1.0 - np.eye(4), missing])
    return numbers, codes, squares, np.array([1, 0, 1]), np.array([4, 4, 3])


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("seed", range(10))
def test_groups_are_those_of_the_slow_twin(seed, k):
    arguments = mixture(seed)
    k = min(k, len(arguments[0]))
    assert mixed_mdav(*arguments, k).tolist() == slow_mixed_mdav(*arguments, k).tolist()


@pytest.mark.parametrize("seed", range(5))
def test_without_categories_it_is_mdav(seed):
    numbers = np.random.default_rng(seed).integers(0, 50, (64, 3)).astype(float)
    none = np.zeros((64, 0), dtype=np.int32)
    squares = np.zeros((0, 1, 1))
    found = mixed_mdav(numbers, none, squares, np.zeros(0), np.zeros(0), 3)
    assert found.tolist() == mdav(numbers, 3).tolist()


@pytest.mark.parametrize("n", [4, 5, 6, 7, 11, 12, 13])
def test_groups_hold_k_to_2k_minus_1_records(n):
    numbers, codes, *rest = mixture(1)
    sizes = np.bincount(mixed_mdav(numbers[:n], codes[:n], *rest, 2))
    assert sizes.min() >= 2
    assert sizes.max() <= 3
