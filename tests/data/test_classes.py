from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evomask.data.classes import classes_of, classes_of_columns, merge_counts
from tests.tables import mixed, numbers


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 2)), min_size=1))
def test_records_share_a_class_exactly_when_all_their_values_are_equal(rows):
    columns = [np.array(column, dtype=np.int32) for column in zip(*rows, strict=True)]
    found = classes_of_columns(columns, len(rows))
    counts = Counter(rows)
    assert found.sizes_of_records.tolist() == [counts[row] for row in rows]
    assert len(found) == len(counts)


def test_missing_numbers_equal_each_other():
    table = numbers(a=[np.nan, 1, np.nan])
    assert classes_of(table, ["a"]).sizes_of_records.tolist() == [2, 1, 2]


def test_many_columns_do_not_overflow():
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, 1000, 200).astype(np.int32) for _ in range(40)]
    assert len(classes_of_columns(columns, 200)) == 200


def test_without_a_column_all_records_look_alike():
    assert classes_of(mixed(), []).sizes.tolist() == [60]


def test_a_representative_belongs_to_its_class():
    found = classes_of(mixed(), ["school", "region"])
    assert found.labels[found.representatives].tolist() == list(range(len(found)))


def merged(parts):
    return sorted({value for part in parts for value in part})


def test_what_comes_of_parts_is_what_comes_of_all_at_once():
    parts = [[i % 7, i % 5] for i in range(40)]
    assert merge_counts(iter(parts), merged) == merged(parts)


def test_no_more_waits_than_twice_what_is_known():
    most = []

    def join(parts):
        most.append(sum(map(len, parts)))
        return merged(parts)

    merge_counts(([i % 10] for i in range(1000)), join)
    assert max(most) <= 2 * 10 + 1


def test_of_no_parts_nothing_comes():
    assert merge_counts(iter(()), merged) is None
