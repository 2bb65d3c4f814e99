import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evomask.kernels.linking.joint_linkage import strictly_nearest


def by_every_distance(points, centroids, labels):
    """The slow twin: all masked records, all distances."""
    masked = np.hstack([rows[own] for rows, own in zip(centroids, labels, strict=True)])
    gaps = points[:, None, :] - masked[None, :, :]
    apart = np.where(np.isnan(gaps), 1.0, gaps**2)
    both = np.isnan(points)[:, None, :] & np.isnan(masked)[None, :, :]
    distances = np.where(both, 0.0, apart).sum(axis=2)
    own = np.diag(distances)
    others = distances + np.diag(np.full(len(points), np.inf))
    return own < others.min(axis=1)


def random_case(seed, n_records, widths, missing=0.0):
    """Whole numbers, so that ties are exact."""
    rng = np.random.default_rng(seed)
    points = rng.integers(-4, 5, (n_records, sum(widths))).astype(float)
    points[rng.random(points.shape) < missing] = np.nan
    labels, centroids = [], []
    for width in widths:
        clusters = int(rng.integers(1, max(2, n_records // 2)))
        labels.append(rng.permutation(np.arange(n_records) % clusters))
        centroids.append(rng.integers(-4, 5, (clusters, width)).astype(float))
    return points, centroids, labels


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6), st.integers(2, 40), st.lists(st.integers(1, 3), min_size=1, max_size=5)
)
def test_links_are_those_of_all_distances(seed, n_records, widths):
    case = random_case(seed, n_records, widths)
    assert np.array_equal(strictly_nearest(*case), by_every_distance(*case))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_a_missing_number_is_at_distance_one(seed):
    case = random_case(seed, 20, [2, 1, 2], missing=0.2)
    assert np.array_equal(strictly_nearest(*case), by_every_distance(*case))


@pytest.mark.parametrize("n_records", [2, 9])
def test_nobody_is_linked_where_all_share_one_cluster(n_records):
    points = np.random.default_rng(1).normal(size=(n_records, 2))
    labels = np.zeros(n_records, dtype=np.int64)
    assert not strictly_nearest(points, [np.zeros((1, 2))], [labels]).any()


def test_everybody_is_linked_where_nothing_was_masked():
    points = np.random.default_rng(1).normal(size=(15, 2))
    labels = np.arange(15)
    found = strictly_nearest(points, [points[:, :1].copy(), points[:, 1:].copy()], [labels, labels])
    assert found.all()
