"""The kernel against a slow twin that follows the definition."""

from collections import deque

import numpy as np
import pytest
from scipy.stats import wasserstein_distance

from evomask.kernels.groups.merging import merge_classes


def slow_closeness(values, members, ordered):
    size = values.max() + 1
    whole = np.bincount(values, minlength=size) / len(values)
    own = np.bincount(values[members], minlength=size) / len(members)
    if not ordered:
        return np.abs(whole - own).sum() / 2
    ranks = np.arange(size)
    return wasserstein_distance(ranks, ranks, own, whole) / max(1, size - 1)


def slow_merged(points, labels, confidential, ordered, k, diversity, closeness):
    members = {c: np.flatnonzero(labels == c).tolist() for c in range(len(points))}
    centres = {c: points[c].copy() for c in members}
    target = list(range(len(points)))

    def falls_short(c):
        if len(members[c]) < k:
            return True
        return any(
            len(set(values[members[c]])) < diversity
            or slow_closeness(values, members[c], is_ordered) > closeness + 1e-9
            for values, is_ordered in zip(confidential, ordered, strict=True)
        )

    queue = deque(sorted(members, key=lambda c: (len(members[c]), c)))
    while queue and len(members) > 1:
        own = queue.popleft()
        if own not in members or not falls_short(own):
            continue
        apart = {c: np.sum((centres[own] - centres[c]) ** 2) for c in sorted(members) if c != own}
        other = min(apart, key=apart.get)
        sizes = len(members[own]), len(members[other])
        centres[other] = (centres[own] * sizes[0] + centres[other] * sizes[1]) / sum(sizes)
        members[other] += members.pop(own)
        target = [other if end == own else end for end in target]
        if other not in queue:
            queue.append(other)
    return target


def classes(seed):
    rng = np.random.default_rng(seed)
    n_classes = int(rng.integers(2, 25))
    labels = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 60)])
    confidential = np.array([rng.integers(0, 4, len(labels)), rng.integers(0, 6, len(labels))])
    confidential = np.array([np.unique(row, return_inverse=True)[1] for row in confidential])
    return rng.random((n_classes, 3)), labels, confidential, np.array([0, 1])


@pytest.mark.parametrize("requirement", [(4, 1, 1.0), (2, 3, 1.0), (2, 1, 0.25), (3, 2, 0.3)])
@pytest.mark.parametrize("seed", range(8))
def test_classes_are_merged_as_by_the_slow_twin(seed, requirement):
    arguments = classes(seed)
    assert merge_classes(*arguments, *requirement).tolist() == slow_merged(*arguments, *requirement)


def test_nothing_is_merged_where_nothing_falls_short():
    points, labels = np.array([[0.0], [1.0]]), np.array([0, 0, 1, 1])
    none = np.zeros((0, 4))
    assert merge_classes(points, labels, none, np.zeros(0), 2, 1, 1.0).tolist() == [0, 1]


def many_classes(seed, secrets=2):
    """Three thousand classes of one record or two, in two clouds."""
    rng = np.random.default_rng(seed)
    points = rng.random((3000, 2)) + 9 * (np.arange(3000) % 2)[:, None]
    labels = np.concatenate([np.arange(3000), rng.integers(0, 3000, 1000)])
    return points, labels, rng.integers(0, secrets, (1, 4000)), np.array([0])


def test_every_one_of_many_classes_ends_large_enough():
    points, labels, secrets, ordered = many_classes(1)
    target = merge_classes(points, labels, secrets, ordered, 5, 2, 1.0)
    ends, sizes = np.unique(target[labels], return_counts=True)
    assert sizes.min() >= 5
    assert all(len(set(secrets[0, target[labels] == end])) == 2 for end in ends)


def test_many_classes_are_merged_with_near_ones_only():
    points, labels, secrets, ordered = many_classes(2)
    target = merge_classes(points, labels, secrets, ordered, 5, 1, 1.0)
    assert np.array_equal(target % 2, np.arange(3000) % 2)


def test_what_a_region_cannot_give_is_found_beyond_it():
    points, labels, secrets, ordered = many_classes(3)
    secrets[0] = labels % 2
    target = merge_classes(points, labels, secrets, ordered, 5, 2, 1.0)
    assert all(len(set(labels[target[labels] == end] % 2)) == 2 for end in np.unique(target))
