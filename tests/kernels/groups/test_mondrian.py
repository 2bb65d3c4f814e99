"""The kernel against a slow twin that follows the definition."""

import numpy as np
import pytest

from evomask.kernels.groups.mondrian import mondrian


def slow_cuts(values, k, relaxed):
    """Every allowed number of records below a cut, the most balanced first, the lower of two."""
    ordered = np.sort(values)
    size = len(ordered)
    if relaxed:
        return [size // 2] if size >= 2 * k else []
    allowed = [b for b in range(k, size - k + 1) if ordered[b - 1] < ordered[b]]
    return sorted(allowed, key=lambda below: (abs(2 * below - size), below))


def slow_regions(points, spans, members, k, relaxed):
    widths = [
        np.ptp(points[members, j]) / spans[j] if spans[j] else 0.0 for j in range(points.shape[1])
    ]
    for side in sorted(range(len(widths)), key=lambda j: -widths[j]):
        cuts = slow_cuts(points[members, side], k, relaxed) if widths[side] > 0 else []
        if cuts:
            order = members[np.argsort(points[members, side], kind="stable")]
            parts = np.sort(order[: cuts[0]]), np.sort(order[cuts[0] :])
            return [r for part in parts for r in slow_regions(points, spans, part, k, relaxed)]
    return [members]


def slow_mondrian(points, spans, k, relaxed):
    labels = np.empty(len(points), dtype=int)
    for number, region in enumerate(
        slow_regions(points, spans, np.arange(len(points)), k, relaxed)
    ):
        labels[region] = number
    return labels


@pytest.mark.parametrize("relaxed", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_regions_are_those_of_the_slow_twin(seed, relaxed):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, rng.integers(2, 12), (rng.integers(4, 120), 3)).astype(float)
    k = int(rng.integers(2, 6)) if len(points) > 6 else 2
    spans = np.ptp(points, axis=0)
    found = mondrian(points, spans, k, relaxed=relaxed)
    assert found.tolist() == slow_mondrian(points, spans, k, relaxed).tolist()


@pytest.mark.parametrize("relaxed", [False, True])
def test_every_region_holds_k_records(relaxed):
    points = np.random.default_rng(1).integers(0, 9, (500, 4)).astype(float)
    labels = mondrian(points, np.ptp(points, axis=0), 7, relaxed=relaxed)
    assert np.bincount(labels).min() >= 7


def test_alike_records_are_one_region():
    assert mondrian(np.ones((9, 2)), np.zeros(2), 2).tolist() == [0] * 9
