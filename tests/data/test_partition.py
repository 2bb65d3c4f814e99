import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.data.partition import (
    canonical,
    group_sizes,
    information_loss,
    total_sum_of_squares,
    validate_k,
    within_sum_of_squares,
)
from evomask.errors import ParameterError

POINTS = np.random.default_rng(3).normal(size=(12, 3))
LABELS = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 1, 0])


@pytest.mark.parametrize(
    ("k", "sentence"),
    [
        (0, "at least 2, got 0"),
        (-1, "at least 2, got -1"),
        (1, "k = 1 masks nothing"),
        (2.5, "whole number, got 2.5"),
        (True, "whole number, got True"),
        (13, "must not exceed the number of records, got k = 13 for 12"),
    ],
)
def test_a_k_that_makes_no_sense_is_explained(k, sentence):
    with pytest.raises(ParameterError, match=sentence):
        validate_k(k, 12)


def test_sse_is_the_sum_of_squared_distances_to_centroids():
    groups = [POINTS[np.flatnonzero(LABELS == g)] for g in range(3)]
    by_hand = sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups)
    assert within_sum_of_squares(POINTS, LABELS) == pytest.approx(by_hand)


def test_one_group_loses_everything():
    assert information_loss(POINTS, np.zeros(12, dtype=int)) == pytest.approx(100)


def test_groups_of_one_lose_nothing():
    assert information_loss(POINTS, np.arange(12)) == 0


def test_equal_records_lose_nothing():
    assert information_loss(np.ones((4, 2)), np.array([0, 0, 1, 1])) == 0


def test_sse_is_sound_far_from_the_origin():
    far = within_sum_of_squares(POINTS + 1e9, LABELS)
    assert far == pytest.approx(within_sum_of_squares(POINTS, LABELS), rel=1e-5)


def test_sst_is_n_times_p_when_standardised():
    scaled = (POINTS - POINTS.mean(axis=0)) / POINTS.std(axis=0)
    assert total_sum_of_squares(scaled) == pytest.approx(36)


@given(st.lists(st.integers(0, 6), min_size=1))
def test_canonical_labels_follow_the_first_records(labels):
    found = canonical(np.array(labels))
    assert list(dict.fromkeys(found.tolist())) == list(range(found.max() + 1))
    assert group_sizes(found).sum() == len(labels)


@given(st.lists(st.integers(0, 6), min_size=1))
def test_canonical_labels_are_the_same_partition(labels):
    found = canonical(np.array(labels)).tolist()
    assert len(set(zip(labels, found, strict=True))) == len(set(labels)) == len(set(found))
