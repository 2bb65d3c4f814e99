"""The linkage kernels against their slow and obvious twins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evomask.kernels.linking.agreement import agreement_patterns
from evomask.kernels.linking.linkage import Candidates, Rows, Terms, nearest_ties, tied_with_own


def distance(targets, i, rows, j, terms):
    """Every attribute one after the other, as the docstring says."""
    total = 0.0
    for a in range(targets.low.shape[1]):
        ours, theirs = targets.low[i, a], rows.low[j, a]
        if np.isnan(ours) or np.isnan(theirs):
            total += terms.missing * (np.isnan(ours) != np.isnan(theirs))
        else:
            gap = max(rows.low[j, a] - targets.high[i, a], ours - rows.high[j, a], 0)
            total += terms.weights[a] * gap**2
    for a in range(targets.codes.shape[1]):
        place = terms.starts[a] + targets.codes[i, a] * terms.widths[a] + rows.codes[j, a]
        total += terms.tables[place]
    return total


def all_distances(targets, rows, terms):
    return np.array(
        [
            [distance(targets, i, rows, j, terms) for j in range(len(rows))]
            for i in range(len(targets))
        ]
    )


def records(rng, n, missing=0.0, wide=False):
    """Few small whole numbers, so that many distances are tied."""
    low = rng.integers(0, 4, (n, 3)).astype(float)
    low[rng.random((n, 3)) < missing] = np.nan
    high = low + rng.integers(0, 3, (n, 3)) if wide else low
    return Rows(low, high, rng.integers(0, 3, (n, 2)).astype(np.int32))


def terms(rng):
    tables = [np.abs(np.subtract.outer(np.arange(3.0), np.arange(3))), 1 - np.eye(3)]
    return Terms(
        rng.integers(1, 3, 3).astype(float), 1.0, np.concatenate([t.ravel() for t in tables]),
        np.array([0, 9]), np.array([3, 3]),
    )  # fmt: skip


def by_line(rows, counts, weights):
    """Candidates sorted along the first number, and the places of any rows on that line."""
    order = np.argsort(rows.low[:, 0], kind="stable")
    line = rows.low[order, 0] * np.sqrt(weights[0])
    return Candidates(rows.take(order), counts[order], line), order


CASES = st.tuples(st.integers(0, 10**6), st.sampled_from([0.0, 0.3]), st.booleans())


@given(CASES)
@settings(max_examples=40, deadline=None)
def test_ties_with_the_own_record_are_those_of_all_distances(case):
    seed, missing, wide = case
    rng = np.random.default_rng(seed)
    targets, rows = records(rng, 12, missing, wide), records(rng, 150, missing)
    how, counts, own = terms(rng), rng.integers(1, 4, 150), rng.integers(0, 150, 12)
    far = all_distances(targets, rows, how)
    nearest = far[np.arange(12), own] == far.min(axis=1)
    slow = np.where(nearest, (far == far.min(axis=1, keepdims=True)) @ counts, 0)
    candidates = Candidates(rows, counts, np.empty(0))
    fast = tied_with_own(targets, np.full(12, np.nan), own, candidates, how)
    assert fast.tolist() == slow.tolist()


@given(CASES)
@settings(max_examples=40, deadline=None)
def test_all_nearest_records_are_found(case):
    seed, missing, wide = case
    rng = np.random.default_rng(seed)
    targets, rows = records(rng, 12, missing), records(rng, 150, missing, wide)
    how = terms(rng)
    far = all_distances(targets, rows, how)
    candidates = Candidates(rows, np.ones(150, dtype=np.int64), np.empty(0))
    ends, found = nearest_ties(targets, np.full(12, np.nan), candidates, how)
    for i in range(12):
        slow = np.flatnonzero(far[i] == far[i].min())
        assert sorted(found[ends[i] : ends[i + 1]]) == slow.tolist()


@given(st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_walking_along_a_line_misses_no_tie(seed):
    rng = np.random.default_rng(seed)
    targets, rows, how = records(rng, 12), records(rng, 200), terms(rng)
    counts, own = rng.integers(1, 4, 200), rng.integers(0, 200, 12)
    places = targets.low[:, 0] * np.sqrt(how.weights[0])
    candidates, order = by_line(rows, counts, how.weights)
    where = np.argsort(order)
    plain = Candidates(rows, counts, np.empty(0))
    walked = tied_with_own(targets, places, where[own], candidates, how)
    scanned = tied_with_own(targets, np.full(12, np.nan), own, plain, how)
    assert walked.tolist() == scanned.tolist()


def test_intervals_that_overlap_are_at_distance_zero():
    target = Rows(np.array([[1.0]]), np.array([[5.0]]), np.empty((1, 0), dtype=np.int32))
    rows = Rows(np.array([[3.0], [7.0]]), np.array([[3.0], [7.0]]), np.empty((2, 0), np.int32))
    none = np.empty(0, dtype=np.int64)
    how = Terms(np.ones(1), 1.0, np.empty(0), none, none)
    candidates = Candidates(rows, np.ones(2, dtype=np.int64), np.empty(0))
    assert tied_with_own(target, np.array([np.nan]), np.array([0]), candidates, how) == [1]


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_patterns_have_a_bit_for_every_attribute_that_agrees(missing):
    rng = np.random.default_rng(1)
    targets, rows, how = records(rng, 10, missing), records(rng, 20, missing), terms(rng)
    tolerances = np.array([0.0, 1.0, 2.0])
    patterns = agreement_patterns(targets, rows, tolerances, how)
    for i, j in np.ndindex(10, 20):
        both = [(targets.low[i, a], rows.low[j, a]) for a in range(3)]
        near = [
            abs(a - b) <= t or (np.isnan(a) and np.isnan(b))
            for (a, b), t in zip(both, tolerances, strict=True)
        ]
        same = (targets.codes[i] == rows.codes[j]).tolist()
        assert patterns[i, j] == sum(bool(bit) << a for a, bit in enumerate(near + same))


def test_targets_without_a_place_are_compared_with_all_candidates():
    rng = np.random.default_rng(1)
    targets, rows, how = records(rng, 12), records(rng, 200), terms(rng)
    candidates, _ = by_line(rows, np.ones(200, dtype=np.int64), how.weights)
    ends, _ = nearest_ties(targets, np.full(12, np.nan), candidates, how)
    far = all_distances(targets, candidates.rows, how)
    assert np.diff(ends).tolist() == (far == far.min(axis=1, keepdims=True)).sum(axis=1).tolist()
