"""The genetic algorithm of the paper: valid starts, penalties, the best kept."""

import numpy as np
import pytest

from evomask.data.partition import canonical, group_sizes, within_sum_of_squares
from evomask.kernels.groups.exact import optimum
from evomask.kernels.groups.genetic import INVALID, evolve_genomes, initial_genomes


def uniform(n_records, n_columns, seed=0):
    return np.random.default_rng(seed).uniform(size=(n_records, n_columns))


@pytest.mark.parametrize("n_records", [5, 6, 11, 20, 53])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_every_first_genome_has_all_groups_of_k_to_2k_minus_1(n_records, k):
    for genome in initial_genomes(n_records, k, 20, seed=7):
        sizes = np.bincount(genome, minlength=n_records // k)
        assert sizes.min() >= k
        assert sizes.max() <= 2 * k - 1


def test_first_genomes_differ():
    assert len(np.unique(initial_genomes(20, 3, 10, seed=1), axis=0)) == 10


def test_sums_of_squares_are_those_of_the_genomes():
    points = uniform(12, 2)
    genomes, costs, _ = evolve_genomes(
        points, 3, initial_genomes(12, 3, 8, seed=1), 5, 0.02, 0.5, seed=2
    )
    valid = [
        (cost, within_sum_of_squares(points, canonical(genome)))
        for genome, cost in zip(genomes, costs, strict=True)
        if cost < INVALID
    ]
    assert [cost for cost, _ in valid] == pytest.approx([full for _, full in valid])


def test_a_genome_outside_the_sizes_is_penalised():
    points = uniform(12, 2)
    wrong = np.array([[0] * 4 + [1] * 4 + [2] * 4, [0] * 2 + [1] * 5 + [2] * 5])
    _, costs, _ = evolve_genomes(points, 3, wrong, 0, 0.1, 0.3, seed=1)
    assert costs[1] == INVALID


def test_empty_groups_are_no_fault():
    points = uniform(9, 2)
    genome = np.array([[0] * 5 + [2] * 4, [0] * 3 + [1] * 3 + [2] * 3])
    _, costs, _ = evolve_genomes(points, 3, genome, 0, 0.1, 0.3, seed=1)
    assert (costs < INVALID).all()


def test_the_best_is_never_lost():
    points = uniform(30, 2)
    genomes = initial_genomes(30, 3, 10, seed=1)
    bests = []
    for burst in range(10):
        genomes, costs, _ = evolve_genomes(points, 3, genomes, 20, 0.1, 0.3, seed=burst + 1)
        bests.append(costs[0])
    assert (np.diff(bests) <= 0).all()


def test_the_epoch_of_the_best_is_told():
    points = uniform(20, 2)
    start = initial_genomes(20, 3, 20, seed=1)
    _, costs, arisen = evolve_genomes(points, 3, start, 500, 0.05, 0.3, seed=3)
    before = evolve_genomes(points, 3, start, arisen - 1, 0.05, 0.3, seed=3)[1][0]
    assert costs[0] == evolve_genomes(points, 3, start, arisen, 0.05, 0.3, seed=3)[1][0] < before


def test_mutating_every_gene_leaves_a_long_genome_invalid():
    points = uniform(200, 2)
    _, costs, _ = evolve_genomes(
        points, 3, initial_genomes(200, 3, 50, seed=1), 1, 0.1, 0.0, seed=1
    )
    assert np.sum(costs < INVALID) == 1


def test_mutating_one_gene_leaves_many_genomes_valid():
    points = uniform(200, 2)
    first = initial_genomes(200, 3, 50, seed=1)
    _, costs, _ = evolve_genomes(points, 3, first, 1, 0.1, 0.0, seed=1, per_gene=False)
    assert np.sum(costs < INVALID) > 40


def test_the_best_of_small_files_has_groups_of_k():
    points = uniform(11, 3)
    genomes, _, _ = evolve_genomes(
        points, 3, initial_genomes(11, 3, 30, seed=1), 200, 0.1, 0.3, seed=1
    )
    assert group_sizes(canonical(genomes[0])).min() >= 3


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5, 1.0])
def test_genes_change_at_their_rate_to_any_group_alike(rate):
    points, alike = uniform(40, 2), np.repeat(initial_genomes(40, 4, 1, seed=3), 2001, axis=0)
    genomes, _, _ = evolve_genomes(points, 4, alike, 1, rate, 0.3, seed=5)
    changed = np.mean(genomes[1:] != alike[1:], axis=0)
    assert changed == pytest.approx(np.full(40, rate * 0.9), abs=0.05)
    if rate == 1.0:
        shares = np.bincount(genomes[1:].ravel(), minlength=10) / genomes[1:].size
        assert shares == pytest.approx(np.full(10, 0.1), abs=0.01)


def test_sums_of_crossed_genomes_are_theirs_wherever_the_points_lie():
    points = uniform(12, 2) + 1000.0
    genomes, costs, _ = evolve_genomes(
        points, 3, initial_genomes(12, 3, 60, seed=1), 3, 0.0, 1.0, seed=2
    )
    full = [within_sum_of_squares(points, canonical(genome)) for genome in genomes]
    sizes = np.array([np.bincount(genome, minlength=4) for genome in genomes])
    valid = ((sizes == 0) | ((sizes >= 3) & (sizes <= 5))).all(axis=1)
    assert ((costs < INVALID) == valid).all()
    assert costs[valid] == pytest.approx(np.array(full)[valid], rel=1e-6)


def test_a_run_stays_once_it_has_what_is_proven_to_be_least():
    points, start = uniform(11, 2), initial_genomes(11, 3, 30, seed=1)
    least = within_sum_of_squares(points, optimum(points, 3))
    whole = evolve_genomes(points, 3, start, 2000, 0.1, 0.3, seed=1)
    ended = evolve_genomes(points, 3, start, 2000, 0.1, 0.3, seed=1, proven=least)
    assert whole[1][0] == ended[1][0] == pytest.approx(least)
    assert whole[2] == ended[2] < 2000
    assert (whole[0][0] == ended[0][0]).all()
