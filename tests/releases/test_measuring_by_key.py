"""A masked file in another order is noticed, and matched by a key where one is named."""

import numpy as np
import polars as pl
import pytest

from evomask.errors import DataError, SchemaError
from evomask.runs.inputs import Input
from evomask.runs.measure import Measuring, measure_files


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {"number": range(100, 160), "x": rng.integers(0, 500, 60), "y": rng.integers(0, 500, 60)}
    )
    frame.write_csv(tmp_path / "a.csv")
    masked = frame.with_columns(x=pl.col("x") // 10 * 10, y=pl.col("y") // 10 * 10)
    masked.write_csv(tmp_path / "b.csv")
    masked.sample(fraction=1.0, shuffle=True, seed=3).write_csv(tmp_path / "c.csv")
    return tmp_path


def measured(files, masked, key=""):
    source = Input(files / "a.csv", quasi_identifiers=("x", "y"))
    return measure_files(source, files / masked, Measuring(("dbrl",), key=key))


def said(outcome):
    return any("seem to be in another order than the original" in note for note in outcome.notes)


def test_another_order_is_said(files):
    assert said(measured(files, "c.csv"))
    assert not said(measured(files, "b.csv"))


def test_records_are_matched_by_a_key(files):
    in_order, by_key = measured(files, "b.csv"), measured(files, "c.csv", "number")
    assert not said(by_key)
    assert by_key.loss == pytest.approx(in_order.loss)
    assert by_key.risk == pytest.approx(in_order.risk)


def test_records_that_were_left_out_are_counted(files):
    pl.read_csv(files / "c.csv").head(50).write_csv(files / "d.csv")
    outcome = measured(files, "d.csv", "number")
    assert outcome.records == 50
    assert "10 records of the original are not in the masked file" in outcome.notes


@pytest.mark.parametrize(
    ("key", "change", "error", "reason"),
    [
        ("z", {}, SchemaError, "no column 'z' in both files"),
        ("x", {}, DataError, "'x' is not a unique key"),
        ("number", {"number": pl.col("number") + 1}, DataError, "that the original does not have"),
    ],
)
def test_a_key_that_does_not_match_is_refused(files, key, change, error, reason):
    pl.read_csv(files / "c.csv").with_columns(**change).write_csv(files / "d.csv")
    with pytest.raises(error, match=reason):
        measured(files, "d.csv", key)
