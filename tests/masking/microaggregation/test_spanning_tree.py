"""Microaggregation by a minimum spanning tree, against scipy's tree and natural groups."""

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree as scipy_tree
from scipy.spatial.distance import cdist

from evomask.masking.microaggregation.spanning_tree import (
    cut_edges,
    minimum_spanning_tree,
    spanning_groups,
)


@pytest.fixture
def points():
    return np.random.default_rng(4).normal(size=(80, 3))


def test_its_tree_is_as_long_as_scipys(points):
    _, _, lengths = minimum_spanning_tree(points)
    assert np.sqrt(lengths).sum() == pytest.approx(scipy_tree(cdist(points, points)).sum())


@pytest.mark.parametrize("k", [2, 3, 7, 40])
def test_every_group_has_k_records(points, k):
    assert np.bincount(spanning_groups(points, k)).min() >= k
    assert np.bincount(spanning_groups(points, k, divide=False)).min() >= k


@pytest.mark.parametrize("k", [2, 3, 7])
def test_divided_groups_have_less_than_2k_records(points, k):
    assert np.bincount(spanning_groups(points, k)).max() < 2 * k


def test_natural_groups_stay_whole():
    rng = np.random.default_rng(2)
    sizes = [4, 7, 5, 6]
    centres = np.repeat(100 * rng.normal(size=(4, 2)), sizes, axis=0)
    labels = spanning_groups(centres + rng.normal(size=centres.shape), 4, divide=False)
    natural = np.repeat(np.arange(4), sizes)
    assert len(set(zip(labels.tolist(), natural.tolist(), strict=True))) == 4


def test_no_edge_is_left_that_could_be_cut(points):
    """Each edge that stays would leave a part below k records, by brute force."""
    k = 5
    order, parents, lengths = minimum_spanning_tree(points)
    cut = cut_edges(order, parents, lengths, k)
    kept = {(int(r), int(parents[r])) for r in order[1:] if not cut[r]}
    for edge in kept:
        sizes = sorted(_part_sizes(len(points), kept - {edge}, edge))
        assert sizes[0] < k


def _part_sizes(n, edges, ends):
    neighbours = {i: set() for i in range(n)}
    for a, b in edges:
        neighbours[a].add(b)
        neighbours[b].add(a)
    for end in ends:
        reached, waiting = {end}, [end]
        while waiting:
            new = neighbours[waiting.pop()] - reached
            reached |= new
            waiting += new
        yield len(reached)


def test_equal_records_are_no_trouble():
    assert np.bincount(spanning_groups(np.zeros((7, 2)), 3)).tolist() == [3, 4]
