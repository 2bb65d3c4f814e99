"""Counts of many files, added up a few at a time; lots of records that are read alone."""

import numpy as np
import polars as pl
import pytest

from evomask.io.chunks import COUNT, add_counts, keep_rows, summed_counts
from evomask.io.paired_chunks import gathered, scattered


def frames(count=7):
    rng = np.random.default_rng(5)
    return [
        pl.DataFrame({"a": rng.integers(0, 9, 20), "b": ["x", None] * 10, COUNT: np.arange(20)})
        for _ in range(count)
    ]


def test_counts_of_many_files_are_those_of_all_rows_together():
    whole = pl.concat(frames()).group_by("a", "b").agg(pl.col(COUNT).sum()).sort("a", "b")
    found = add_counts(iter(frames()), ("a", "b"))
    assert found.sort("a", "b").equals(whole)


def test_of_no_files_there_are_no_counts():
    assert add_counts([], ("a",)) is None


def test_counts_of_files_come_in_the_order_of_their_values(tmp_path):
    paths = [tmp_path / f"{number}.arrow" for number in range(3)]
    for path, frame in zip(paths, frames(3), strict=True):
        keep_rows(path, {name: frame[name] for name in frame.columns})
    found = summed_counts(["a", "b"], paths)
    assert found.select("a", "b").equals(found.select("a", "b").sort("a", "b"))
    assert found[COUNT].sum() == 3 * np.arange(20).sum()


@pytest.mark.parametrize("lot", [0, 1, 2])
def test_a_lot_of_records_is_read_without_the_others(tmp_path, lot):
    frame = pl.DataFrame({"name": ["a", "b", "c", "d"], "age": [1, None, 3, 4]})
    cuts = [np.array([2, 0]), np.array([], dtype=np.int64), np.array([3])]
    paths = [tmp_path / "first.arrow", tmp_path / "second.arrow"]
    ends = [
        [0, *scattered(path, frame, cuts, first)] for path, first in zip(paths, (0, 4), strict=True)
    ]
    places = [(own[lot], own[lot + 1]) for own in ends]
    rows, where = gathered(paths, places, np.arange)
    assert where.tolist() == [*cuts[lot], *(cuts[lot] + 4)]
    assert rows.equals(pl.concat([frame, frame])[where])
