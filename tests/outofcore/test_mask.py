"""Masking part by part: what is exact equals the whole file's, k holds, nothing is made twice."""

import json

import numpy as np
import polars as pl
import pytest

from evomask.data.frames import table_from
from evomask.errors import DataError, ParameterError, RunError, SchemaError
from evomask.execution.local import Local
from evomask.masking.recoding.top_bottom_coding import BottomCoding, TopCoding
from evomask.outofcore.mask import PartsJob, mask_parts
from evomask.runs.inputs import Input
from tests.outofcore.conftest import bytes_of, town, written

NUMBERS = ("income", "wealth")


def job(people, out, method, quasi=NUMBERS, **more):
    source = Input(people, quasi_identifiers=quasi, identifiers=("name",))
    return PartsJob(source, method, out, seed=7, **more)


def test_every_combination_is_shared_by_k_records_of_the_whole_file(people, tmp_path):
    done = mask_parts(job(people, tmp_path / "out", "mdav", options={"k": "5"}))
    classes = written(tmp_path / "out").to_pandas().groupby(list(NUMBERS), dropna=False).size()
    assert classes.min() == done.alike.least >= 5
    assert done.records == 1_000
    assert done.aggregation.groups >= len(classes) == done.alike.classes


def test_what_is_not_masked_stays_in_its_place_and_identifiers_stay_behind(people, tmp_path):
    mask_parts(job(people, tmp_path / "out", "mdav", options={"k": "5"}))
    masked, original = written(tmp_path / "out"), town()
    assert masked.columns == [name for name in original.columns if name != "name"]
    for name in ("age", "sex", "region", "illness"):
        assert masked[name].equals(original[name])
    assert masked["income"].mean() == pytest.approx(original["income"].mean(), rel=1e-3)


def test_the_loss_that_is_told_is_that_of_the_written_records(people, tmp_path):
    done = mask_parts(
        job(people, tmp_path / "out", "mdav", options={"k": "5"}, quasi=("age", "income"))
    )
    names = ["age", "income"]
    before = town().select(names).cast(pl.Float64).to_numpy()
    after = written(tmp_path / "out").select(names).cast(pl.Float64).to_numpy()
    points, moved = (before - before.mean(0)) / before.std(0), (after - before) / before.std(0)
    assert done.aggregation.il == pytest.approx(
        100 * (moved**2).sum() / (points**2).sum(), rel=0.01
    )


@pytest.mark.parametrize(
    ("name", "method"), [("top-coding", TopCoding), ("bottom-coding", BottomCoding)]
)
def test_end_coding_by_parts_is_that_of_the_whole(people, tmp_path, name, method):
    mask_parts(job(people, tmp_path / "out", name, options={"percent": "10"}))
    table = table_from(town().select(NUMBERS))
    whole = method(NUMBERS, percent=10.0).mask(table, np.random.default_rng(0))
    for column in NUMBERS:
        values = written(tmp_path / "out")[column].fill_null(float("nan")).to_numpy()
        assert np.array_equal(values, whole.values(column), equal_nan=True)


def test_noise_by_parts_has_the_deviation_of_the_whole(people, tmp_path):
    mask_parts(job(people, tmp_path / "out", "independent-noise", options={"percent": "10"}))
    original = town()["income"].to_numpy()
    errors = written(tmp_path / "out")["income"].to_numpy() - original
    assert errors.std() / original.std() == pytest.approx(0.1, rel=0.15)


def test_pram_by_parts_has_the_matrix_of_the_whole(people, tmp_path):
    options = {"change": "0.3", "design": "entropy"}
    mask_parts(job(people, tmp_path / "out", "pram", quasi=("sex", "illness"), options=options))
    changed = (written(tmp_path / "out")["illness"] != town()["illness"]).mean()
    assert changed == pytest.approx(0.3, abs=0.05)


def test_two_processes_write_the_bytes_of_one(people, tmp_path, monkeypatch):
    for name, workers in (("one", 1), ("two", 2)):
        mask_parts(job(people, tmp_path / name, "pram", ("sex",)), evaluators=Local(workers))
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")


def test_work_that_was_stopped_goes_on_and_no_written_part_is_made_again(people, tmp_path):
    out, whole = tmp_path / "out", tmp_path / "whole"
    mask_parts(job(people, whole, "mdav", options={"k": "5"}))

    def stop(step, done, count):
        if step == "mask" and done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mask_parts(job(people, out, "mdav", options={"k": "5"}), told=stop)
    before = {file.name: file.stat().st_mtime_ns for file in (out / "masked").iterdir()}
    assert len(before) == 4
    mask_parts(job(people, out, "mdav", options={"k": "5"}))
    after = {file.name: file.stat().st_mtime_ns for file in (out / "masked").iterdir()}
    assert {name: after[name] for name in before} == before
    assert bytes_of(out) == bytes_of(whole)


def test_a_damaged_part_is_made_again(people, tmp_path):
    out = tmp_path / "out"
    mask_parts(job(people, out, "top-coding"))
    whole, victim = bytes_of(out), out / "masked" / "part-000002.parquet"
    victim.write_bytes(b"")
    mask_parts(job(people, out, "top-coding"))
    assert bytes_of(out) == whole


def test_every_written_part_is_a_line_in_the_journal_with_its_hash(people, tmp_path):
    mask_parts(job(people, tmp_path / "out", "top-coding"))
    lines = [json.loads(x) for x in (tmp_path / "out" / "journal.jsonl").read_text().splitlines()]
    masked = [line for line in lines if line["step"] == "mask"]
    assert [line["part"] for line in masked] == [0, 1, 2, 3, 4]
    assert all(len(line["sha256"]) == 64 for line in masked)


def test_nothing_that_helped_on_the_way_is_left(people, tmp_path):
    mask_parts(job(people, tmp_path / "out", "mdav"))
    left = {path.name[:5] for path in (tmp_path / "out" / "work").iterdir()}
    assert left == {"mask-"}


def test_a_folder_with_other_work_is_refused(people, tmp_path):
    mask_parts(job(people, tmp_path / "out", "top-coding"))
    with pytest.raises(RunError, match="a run on another file or with other options"):
        mask_parts(job(people, tmp_path / "out", "bottom-coding"))


def test_a_text_file_is_converted_once(tmp_path, small_parts):
    town().write_csv(tmp_path / "town.csv")
    done = mask_parts(job(tmp_path / "town.csv", tmp_path / "out", "mdav", options={"k": "4"}))
    assert done.records == 1_000
    assert done.alike.least >= 4


def test_a_method_that_needs_the_whole_file_is_refused(people, tmp_path):
    with pytest.raises(ParameterError, match="rank-swapping needs the whole file at once"):
        mask_parts(job(people, tmp_path / "out", "rank-swapping"))


def test_files_with_other_columns_are_refused(people, tmp_path):
    town()[:5].drop("age").write_parquet(people / "c.parquet")
    with pytest.raises(DataError, match=r"c\.parquet differ from those of"):
        mask_parts(job(people, tmp_path / "out", "mdav"))


def test_a_column_that_looks_identifying_is_refused(people, tmp_path):
    source = Input(people, quasi_identifiers=NUMBERS)
    with pytest.raises(SchemaError, match="column 'name'"):
        mask_parts(PartsJob(source, "mdav", tmp_path / "out"))
