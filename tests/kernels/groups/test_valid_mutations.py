"""Valid children of a lone genome: their chance and their kinds against drawing every child."""

from itertools import product

import numpy as np
import pytest

from evomask.kernels.groups.genetic import valid_child


def is_valid(sizes, k, most):
    return ((sizes == 0) | ((sizes >= k) & (sizes <= most))).all()


def counted_chance(genome, groups, k, most, mutation):
    """Every child there is, with its chance."""
    total = 0.0
    for child in product(range(groups), repeat=len(genome)):
        chance = 1.0
        for before, after in zip(genome, child, strict=True):
            chance *= mutation / groups + (1 - mutation) * (before == after)
        total += chance * is_valid(np.bincount(child, minlength=groups), k, most)
    return total


@pytest.mark.parametrize("mutation", [0.1, 0.5, 1.0])
@pytest.mark.parametrize(
    ("genome", "groups", "k"),
    [([0, 0, 1, 1, 2, 2, 2], 3, 2), ([0, 0, 0, 2, 2, 2], 3, 2), ([0] * 4 + [1] * 4, 2, 3)],
)
def test_the_chance_is_that_of_all_valid_children_together(genome, groups, k, mutation):
    sizes = np.bincount(genome, minlength=groups)
    chance, _, _ = valid_child(sizes, k, 2 * k - 1, mutation, 5)
    assert chance == pytest.approx(counted_chance(genome, groups, k, 2 * k - 1, mutation))


def test_the_chance_of_fifty_genes_is_how_often_drawn_children_are_valid():
    sizes = np.array([3] * 14 + [4] * 2)
    genome, rng = np.repeat(np.arange(16), sizes), np.random.default_rng(1)
    drawn = np.tile(genome, (200_000, 1))
    changes = rng.random(drawn.shape) < 0.06
    drawn[changes] = rng.integers(16, size=int(changes.sum()))
    counts = np.stack([np.sum(drawn == g, axis=1) for g in range(16)])
    share = np.mean(((counts == 0) | ((counts >= 3) & (counts <= 5))).all(axis=0))
    assert valid_child(sizes, 3, 5, 0.06, 1)[0] == pytest.approx(share, rel=0.05)


def test_moves_of_valid_children_are_as_frequent_as_among_drawn_ones():
    sizes, k, most, mutation = np.array([2, 3, 3]), 2, 3, 0.4
    genome, rng = np.repeat(np.arange(3), sizes), np.random.default_rng(1)
    drawn, found = {}, {}
    for _ in range(60_000):
        changes = rng.random(8) < mutation
        child = np.where(changes, rng.integers(3, size=8), genome)
        if is_valid(np.bincount(child, minlength=3), k, most):
            moved = genome[changes], child[changes]
            moves = tuple(np.concatenate([np.bincount(m, minlength=3) for m in moved]))
            drawn[moves] = drawn.get(moves, 0) + 1
    for seed in range(1, 20_001):
        _, leave, join = valid_child(sizes, k, most, mutation, seed)
        moves = tuple(np.concatenate([leave, join]))
        found[moves] = found.get(moves, 0) + 1
    whole = sum(drawn.values())
    seen = set(drawn) | set(found)
    apart = [abs(drawn.get(m, 0) / whole - found.get(m, 0) / 20_000) for m in seen]
    assert max(apart) < 0.01
    assert sum(apart) < 0.12


def test_moves_lead_to_valid_sizes():
    sizes = np.array([3] * 14 + [4] * 2)
    for seed in range(1, 200):
        _, leave, join = valid_child(sizes, 3, 5, 0.2, seed)
        assert is_valid(sizes - leave + join, 3, 5)
        assert leave.sum() == join.sum()
