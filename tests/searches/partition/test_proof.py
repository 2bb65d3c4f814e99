import numpy as np
import pytest

from evomask.data.partition import canonical, group_sizes, within_sum_of_squares
from evomask.errors import ParameterError
from evomask.kernels.groups.exact import optimum
from evomask.kernels.groups.mdav import mdav
from evomask.searches.partition.proof import MOST_RECORDS, proved


def points(seed, n, axes=2):
    return np.random.default_rng(seed).normal(size=(n, axes))


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("seed", range(12))
def test_the_bound_is_below_the_optimum_and_the_partition_above(seed, k):
    records = points(seed, 8 + seed)
    best = within_sum_of_squares(records, optimum(records, k))
    proof = proved(records, k, [canonical(mdav(records, k))])
    assert 0.8 * best <= proof.bound <= best * (1 + 1e-9)
    assert proof.sse >= best * (1 - 1e-9)
    assert proof.sse == pytest.approx(within_sum_of_squares(records, proof.labels))


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("n", [20, 22, 24])
def test_the_bound_of_24_records_is_below_their_optimum(n, k):
    records = points(n + k, n, 3)
    best = within_sum_of_squares(records, optimum(records, k))
    proof = proved(records, k, [canonical(mdav(records, k))])
    assert 0.9 * best <= proof.bound <= best * (1 + 1e-9)


def test_pairs_of_near_records_are_proved_to_be_best():
    centres = points(3, 10) * 100
    records = np.repeat(centres, 2, axis=0) + 0.01 * points(4, 20)
    proof = proved(records, 2, [canonical(mdav(records, 2))])
    assert proof.gap < 0.02


def test_whole_groups_found_on_the_way_make_a_better_partition():
    records = points(5, 60)
    start = canonical(mdav(records, 3))
    proof = proved(records, 3, [start])
    assert proof.sse < within_sum_of_squares(records, start)
    assert group_sizes(proof.labels).min() >= 3
    assert proof.gap < 5


def test_the_same_partitions_give_the_same_proof():
    records = points(6, 40)
    first, again = (proved(records, 3, [canonical(mdav(records, 3))]) for _ in range(2))
    assert first.bound == again.bound
    assert (first.labels == again.labels).all()


def test_fewer_than_two_groups_are_what_they_are():
    records = points(7, 5)
    proof = proved(records, 3, [np.zeros(5, dtype=np.int64)])
    assert proof.gap == 0
    assert proof.bound == proof.sse


def test_equal_records_lose_nothing():
    proof = proved(np.zeros((9, 2)), 3, [np.arange(9) // 3])
    assert (proof.bound, proof.sse, proof.gap) == (0, 0, 0)


def test_too_many_records_are_refused():
    with pytest.raises(ParameterError, match="--prove supports at most 5,000 records"):
        proved(np.zeros((MOST_RECORDS + 1, 1)), 2, [np.zeros(MOST_RECORDS + 1, dtype=np.int64)])
