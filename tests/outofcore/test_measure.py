"""Measuring in parts tells what measuring the whole files does."""

from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from evomask.errors import DataError, RunError, SchemaError
from evomask.execution.local import Local
from evomask.masking.enforce.requirement import Requirement
from evomask.outofcore.generalize import GeneralizeJob, generalize_parts
from evomask.outofcore.mask import mask_parts
from evomask.outofcore.measure import MeasurePartsJob, measure_parts
from evomask.runs.inputs import Input
from evomask.runs.measure import measure_files
from tests.outofcore.conftest import town, written
from tests.outofcore.test_mask import job as masking

QUASI = ("age", "sex", "region", "income", "wealth")


def source(path):
    return Input(path, quasi_identifiers=QUASI, confidential=("illness",), identifiers=("name",))


def whole(tmp_path, masked):
    """What the files tell as a whole."""
    town().write_parquet(tmp_path / "whole.parquet")
    masked.write_parquet(tmp_path / "masked.parquet")
    return measure_files(source(tmp_path / "whole.parquet"), tmp_path / "masked.parquet")


def same(found, expected):
    assert found.attributes == expected.attributes
    assert found.records == expected.records
    assert found.loss == pytest.approx(expected.loss, abs=1e-9)
    assert list(found.losses) == list(expected.losses)
    assert all(0.0 <= loss <= 100.0 for loss in found.losses.values())
    for name, value in found.measures.items():
        assert value == pytest.approx(expected.measures[name], abs=1e-9)
    for mine, theirs in (
        (found.assessment, expected.assessment),
        (found.original, expected.original),
    ):
        assert {n: p.percent for n, p in mine.parts.items()} == pytest.approx(
            {n: p.percent for n, p in theirs.parts.items()}, abs=1e-9
        )


def in_pieces(folder, frame, cuts):
    folder.mkdir()
    for number, (first, end) in enumerate(pairwise(cuts)):
        frame[first:end].write_parquet(folder / f"{number}.parquet")
    return folder


def test_a_masked_folder_is_measured_like_the_whole_file(people, tmp_path):
    mask_parts(masking(people, tmp_path / "out", "mdav", options={"k": "5"}))
    found = measure_parts(MeasurePartsJob(source(people), tmp_path / "out"))
    same(found, whole(tmp_path, written(tmp_path / "out")))
    assert found.assessment.parts["confidential"].attribute == "illness"


def test_files_may_be_cut_elsewhere_and_hold_intervals_and_changed_secrets(people, tmp_path):
    ages = (pl.col("age") // 20 * 20).cast(pl.String)
    tops = (pl.col("age") // 20 * 20 + 19).cast(pl.String)
    frame = town().with_columns(
        age=pl.concat_str([pl.lit("["), ages, pl.lit(","), tops, pl.lit("]")]),
        sex=pl.when(pl.int_range(pl.len()) % 11 == 0).then(pl.lit("*")).otherwise("sex"),
        illness=pl.col("illness").reverse(),
    )
    folder = in_pieces(tmp_path / "other", frame.drop("name"), (0, 30, 640, 1_000))
    found = measure_parts(MeasurePartsJob(source(people), folder), evaluators=Local(2))
    same(found, whole(tmp_path, frame.drop("name")))
    assert "illness" in found.attributes


def test_text_files_are_measured_in_parts(tmp_path, small_parts):
    frame = town().drop("name")
    masked = frame.with_columns(income=(pl.col("income") * 1.1).round(1))
    frame.write_csv(tmp_path / "town.csv")
    masked.write_csv(tmp_path / "masked.csv")
    files = Input(tmp_path / "town.csv", quasi_identifiers=QUASI), tmp_path / "masked.csv"
    same(measure_parts(MeasurePartsJob(*files)), measure_files(*files))


def test_a_sample_of_people_is_told_with_its_error(people, tmp_path):
    mask_parts(masking(people, tmp_path / "out", "independent-noise", options={"percent": "40"}))
    judged = measure_parts(MeasurePartsJob(source(people), tmp_path / "out", 100)).assessment
    exact = whole(tmp_path, written(tmp_path / "out")).assessment
    assert (judged.people, judged.records) == (100, 1_000)
    for name, part in exact.parts.items():
        assert 0 < judged.parts[name].error < 10
        assert abs(judged.parts[name].percent - part.percent) < 4 * judged.parts[name].error


def test_nothing_is_left_beside_the_masked_file(people, tmp_path):
    frame = town().drop("name")
    before = set(tmp_path.iterdir())
    folder = in_pieces(tmp_path / "same", frame, (0, 1_000))
    found = measure_parts(MeasurePartsJob(source(people), folder))
    assert set(tmp_path.iterdir()) - before == {folder}
    assert found.loss == 0


def test_records_in_another_order_are_noticed(people, tmp_path):
    shuffled = town().drop("name")[np.random.default_rng(1).permutation(1_000)]
    folder = in_pieces(tmp_path / "shuffled", shuffled, (0, 1_000))
    notes = measure_parts(MeasurePartsJob(source(people), folder)).notes
    assert any("seem to be in another order than the original" in note for note in notes)


def test_files_of_other_lengths_are_refused(people, tmp_path):
    folder = in_pieces(tmp_path / "short", town().drop("name"), (0, 900))
    with pytest.raises(DataError, match="has 900 records and the original 1,000"):
        measure_parts(MeasurePartsJob(source(people), folder))


def test_a_masked_file_without_a_quasi_identifier_is_refused(people, tmp_path):
    folder = in_pieces(tmp_path / "less", town().drop("name", "age"), (0, 1_000))
    with pytest.raises(SchemaError, match="has no column 'age'"):
        measure_parts(MeasurePartsJob(source(people), folder))


def test_a_shuffled_release_is_not_put_beside_its_original(people, tmp_path):
    generalize_parts(
        GeneralizeJob(
            Input(people, quasi_identifiers=("sex",), identifiers=("name",)),
            tmp_path / "out",
            Requirement(k=3),
        )
    )
    with pytest.raises(RunError, match=r"were shuffled.*report-internal\.html"):
        measure_parts(MeasurePartsJob(source(people), tmp_path / "out"))
