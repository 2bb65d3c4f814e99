"""Microaggregation by a minimum spanning tree, against scipy's tree and natural groups."""

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree as scipy_tree
from scipy.spatial.distance import cdist

from evomask.io.tables import read_table
from evomask.masking.microaggregation.aggregation import standardize
from evomask.masking.microaggregation.spanning_tree import (
    Division,
    cut_edges,
    minimum_spanning_tree,
    spanning_groups,
)


@pytest.fixture
def points():
    return np.random.default_rng(4).normal(size=(80, 3))


def il(points, labels):
    """Sum of squares within groups in percent of the whole."""
    means = np.array([points[labels == g].mean(axis=0) for g in range(labels.max() + 1)])
    return 100 * np.square(points - means[labels]).sum() / np.square(points - points.mean(0)).sum()


def test_its_tree_is_as_long_as_scipys(points):
    _, _, lengths = minimum_spanning_tree(points)
    assert np.sqrt(lengths).sum() == pytest.approx(scipy_tree(cdist(points, points)).sum())


@pytest.mark.parametrize("division", Division)
@pytest.mark.parametrize("k", [2, 3, 7, 40])
def test_every_group_has_k_records(points, k, division):
    assert np.bincount(spanning_groups(points, k, division)).min() >= k


@pytest.mark.parametrize("k", [2, 3, 7])
def test_divided_groups_have_less_than_2k_records(points, k):
    assert np.bincount(spanning_groups(points, k)).max() < 2 * k


@pytest.mark.parametrize("division", [d for d in Division if d is not Division.NONE])
@pytest.mark.parametrize("k", [3, 5])
def test_a_division_refines_the_parts_of_the_tree(points, k, division):
    whole, divided = spanning_groups(points, k, Division.NONE), spanning_groups(points, k, division)
    assert all(len(set(whole[divided == group])) == 1 for group in range(divided.max() + 1))
    assert il(points, divided) <= il(points, whole)


def test_the_diameter_division_begins_at_the_two_most_distant_records():
    # one natural group: a line whose ends are the most distant records
    line = np.column_stack([np.arange(9.0), np.zeros(9)])
    labels = spanning_groups(line, 4, Division.DIAMETER)
    assert sorted(np.bincount(labels)) == [4, 5]
    assert labels[0] != labels[8]
    assert set(labels[:4]) == {labels[0]}


def test_division_with_a_centroid_takes_one_group_at_a_time():
    line = np.column_stack([np.arange(9.0) ** 2, np.zeros(9)])
    labels = spanning_groups(line, 3, Division.CENTROID)
    assert len({*labels[6:]}) == 1  # the last record is farthest from the mean
    assert sorted(np.bincount(labels)) == [3, 3, 3]


M_D = {
    "census": {3: 6.11, 4: 8.24, 5: 10.30, 10: 17.17},
    "tarragona": {3: 16.63, 4: 19.66, 5: 24.50, 10: 38.58},
}
"""Information loss of M-d (Laszlo and Mukherjee, 2005), as later papers quote it."""


@pytest.mark.parametrize("name", M_D)
def test_m_d_loses_what_is_published(reference, name):
    table = read_table(reference(f"casc/{name}.csv"))
    scaled = standardize(table, table.schema.names)
    for k, printed in M_D[name].items():
        ours = il(scaled, spanning_groups(scaled, k, Division.DIAMETER))
        assert ours == pytest.approx(printed, rel=0.005)


def test_natural_groups_stay_whole():
    rng = np.random.default_rng(2)
    sizes = [4, 7, 5, 6]
    centres = np.repeat(100 * rng.normal(size=(4, 2)), sizes, axis=0)
    labels = spanning_groups(centres + rng.normal(size=centres.shape), 4, Division.NONE)
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
