"""Greedy groups against the same greed written slowly."""

import numpy as np
import pytest

from evomask.kernels.lattice.local_recoding import build_hierarchies, cluster_records
from tests.searches.generalization.lattices import TREES, small_lattice

NAMES = tuple(TREES)


def hierarchies_of(lattice):
    leaves = np.array([len(tree.categories) for tree in lattice.trees.values()])
    return build_hierarchies(lattice.layout, leaves, lattice.heights)


def loss_of(members):
    """Cell losses of a group added over attributes, from its rows of leaves."""
    total = 0.0
    for a, name in enumerate(NAMES):
        tree = TREES[name]
        for level in tree.levels:
            labels = {level[row[a]] for row in members}
            if len(labels) == 1:
                total += (level.count(labels.pop()) - 1) / (len(tree.categories) - 1)
                break
    return total


def group_slowly(rows, sizes, order, k):
    left, groups = [int(i) for i in order], []
    while left:
        group = [left.pop(0)]
        while sum(sizes[i] for i in group) < k and left:
            costs = [round(loss_of([rows[j] for j in (*group, i)]), 9) for i in left]
            group.append(left.pop(costs.index(min(costs))))
        groups.append(group)
    if len(groups) > 1 and sum(sizes[i] for i in groups[-1]) < k:
        for i in sorted(groups.pop()):
            more = [round(_more(group, i, rows, sizes), 9) for group in groups]
            groups[more.index(min(more))].append(i)
    return {frozenset(group) for group in groups}


def _more(group, i, rows, sizes):
    before = sum(sizes[j] for j in group)
    after = loss_of([rows[j] for j in (*group, i)]) * (before + sizes[i])
    return after - loss_of([rows[j] for j in group]) * before


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("k", [2, 5, 9])
def test_groups_are_those_of_the_slow_greed(seed, k):
    rng = np.random.default_rng(seed)
    leaves = [len(tree.categories) for tree in TREES.values()]
    rows = np.unique(rng.integers(leaves, size=(25, 3)), axis=0).astype(np.int32)
    sizes = rng.integers(1, 3, size=len(rows))
    order = rng.permutation(len(rows))
    labels = cluster_records(rows, sizes, order, hierarchies_of(small_lattice()), k)
    found = {frozenset(np.flatnonzero(labels == g).tolist()) for g in np.unique(labels)}
    assert found == group_slowly(rows.tolist(), sizes.tolist(), order, k)
