"""Linkage by a tree, and the tally of agreements, against every pair one by one."""

import numpy as np
import pytest

from evomask.kernels.linking.agreement_tally import DistinctRecords, agreement_tally
from evomask.kernels.linking.code_tree import build_code_tree, nearest_in_tree, ties_in_tree
from evomask.kernels.linking.linkage import Candidates, Rows, Terms

DOMAINS = (5, 2, 8, 4)


def codes(rng, n):
    return np.column_stack([rng.integers(0, size, n) for size in DOMAINS]).astype(np.int32)


def tables(rng):
    """Small whole distances, so that many are tied; 0 on the diagonal."""
    return [rng.integers(0, 3, (size, size)) * (1.0 - np.eye(size)) for size in DOMAINS]


def terms(given):
    sizes = np.array([table.size for table in given])
    flat = np.concatenate([table.ravel() for table in given])
    return Terms(np.empty(0), 1.0, flat, np.cumsum(sizes) - sizes, np.array(DOMAINS))


def case(seed):
    """Targets, distinct candidates with their counts, and the distances of all pairs."""
    rng = np.random.default_rng(seed)
    targets, given = codes(rng, 70), tables(rng)
    distinct = np.unique(codes(rng, 90), axis=0)[rng.permutation(40)]
    counts = rng.integers(1, 4, len(distinct))
    nothing = np.empty((len(distinct), 0))
    candidates = Candidates(Rows(nothing, nothing, distinct), counts, np.empty(0))
    apart = sum(table[np.ix_(targets[:, a], distinct[:, a])] for a, table in enumerate(given))
    return rng, targets, candidates, given, apart


@pytest.mark.parametrize("seed", range(6))
def test_ties_with_the_own_record_are_those_of_all_pairs(seed):
    rng, targets, candidates, given, apart = case(seed)
    own = rng.integers(0, apart.shape[1], len(targets))
    limits = apart[np.arange(len(targets)), own]
    tied = (apart == limits[:, None]) @ candidates.counts
    expected = np.where(apart.min(axis=1) < limits, 0, tied)
    found = ties_in_tree(targets, own, candidates, terms(given))
    assert found.tolist() == expected.tolist()
    assert 0 < np.count_nonzero(expected) < len(targets)


@pytest.mark.parametrize("seed", range(6))
def test_nearest_candidates_are_those_of_all_pairs(seed):
    _, targets, candidates, given, apart = case(seed)
    ends, found = nearest_in_tree(targets, candidates, terms(given))
    for i, row in enumerate(apart):
        expected = np.flatnonzero(row == row.min()).tolist()
        assert sorted(found[ends[i] : ends[i + 1]].tolist()) == expected


def test_a_target_may_hold_codes_that_no_candidate_has():
    nothing = np.empty((2, 0))
    rows = Rows(nothing, nothing, np.array([[0, 1, 0, 0], [1, 1, 7, 3]], dtype=np.int32))
    candidates = Candidates(rows, np.array([1, 1]), np.empty(0))
    target = np.array([[4, 0, 7, 3]], dtype=np.int32)
    apart = terms([1.0 - np.eye(size) for size in DOMAINS])
    assert nearest_in_tree(target, candidates, apart)[1].tolist() == [1]
    assert ties_in_tree(target, np.array([0]), candidates, apart).tolist() == [0]


def test_a_tree_knows_what_candidates_share_and_where_they_share_no_more():
    tree = build_code_tree(np.array([[0, 1], [1, 0], [0, 0]], dtype=np.int32))
    assert tree.places.tolist() == [2, 0, 1]
    assert tree.shared.tolist() == [0, 1, 0]
    assert tree.beyond.tolist() == [[2, 1], [2, 2], [3, 3]]


def slow_tally(targets, times, rows, counts, given):
    expected = np.zeros(16)
    for target, weight in zip(targets, times, strict=True):
        for row, count in zip(rows, counts, strict=True):
            agrees = [given[a][target[a], row[a]] == 0 for a in range(4)]
            expected[sum(1 << a for a in range(4) if agrees[a])] += weight * count
    return expected


@pytest.mark.parametrize("seed", range(4))
def test_agreements_are_counted_as_over_all_pairs(seed):
    rng, targets, candidates, given, _ = case(seed)
    times, rows, counts = rng.integers(1, 5, 70), candidates.rows.codes, candidates.counts
    tally = agreement_tally(
        DistinctRecords(targets, times), DistinctRecords(rows, counts), terms(given)
    )
    assert tally.tolist() == slow_tally(targets, times, rows, counts, given).tolist()


@pytest.mark.parametrize("seed", range(4))
def test_agreements_of_many_records_that_are_equal_or_not_are_those_of_all_pairs(seed):
    rng = np.random.default_rng(seed)
    targets, rows = (np.unique(codes(rng, n), axis=0) for n in (400, 800))
    ours, theirs = (rng.integers(1, 5, len(some)) for some in (targets, rows))
    given = [1.0 - np.eye(size) for size in DOMAINS]
    tally = agreement_tally(
        DistinctRecords(targets, ours), DistinctRecords(rows, theirs), terms(given)
    )
    assert (len(targets) + len(rows)) * 16 < len(targets) * len(rows) / 4, "pairs are too few"
    assert tally.tolist() == slow_tally(targets, ours, rows, theirs, given).tolist()


def test_a_single_attribute_agrees_or_not():
    one = Terms(np.empty(0), 1.0, 1.0 - np.eye(2).ravel(), np.array([0]), np.array([2]))
    column = np.array([[0], [1]], dtype=np.int32)
    counted = DistinctRecords(column, np.array([3, 2]))
    assert agreement_tally(counted, counted, one).tolist() == [12.0, 13.0]
