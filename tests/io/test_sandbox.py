"""Readers of libraries work in a child with limits: bombs and crashes become one sentence."""

import json
import os
import random
import subprocess
import sys
import time
from contextlib import suppress

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from evomask.errors import EvomaskError, FileError, ParameterError
from evomask.io import sandbox
from evomask.io.dialects import Dialect
from evomask.io.formats import read_here
from evomask.io.limits import VARIABLE, read_limits
from evomask.io.readback import read_back
from evomask.io.tables import read_source, release_spec, source_of, write_table
from tests.io import bombs

READ = """
import json, resource, sys, time
from pathlib import Path
from evomask.errors import EvomaskError
from evomask.io.tables import read_source
began, said = time.monotonic(), ""
try:
    read_source(Path(sys.argv[1]))
except EvomaskError as error:
    said = str(error)
from evomask.io.sandbox import close_readers
close_readers()
(own,) = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
kilobytes = int(own.split()[1]) + resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(json.dumps([said, time.monotonic() - began, kilobytes]))
"""
FRAME = pl.DataFrame({"age": [31, 45, 45], "pay": [10.5, None, 7.25], "sex": ["f", "m", ""]})


def read_elsewhere(path, limits=""):
    """What an own process says of a file, how long it took, and its memory in kilobytes."""
    done = subprocess.run(
        [sys.executable, "-c", READ, path],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, VARIABLE: limits},
    )
    assert done.stderr == ""
    return json.loads(done.stdout)


BOMBS = {
    "a stray cell": (lambda f: bombs.far_cell(f / "a.xlsx"), "spans 1048576 rows"),
    "a cell of 3 GB": (lambda f: bombs.large_cell(f / "a.xlsx", 3000), "unpacks to more"),
    "a cell of 3 GB that claims to be small": (
        lambda f: bombs.large_cell(f / "a.xlsx", 3000, claimed=1000),
        "",
    ),
    "opposite corners": (lambda f: bombs.wide_sheet(f / "a.ods"), "of memory to be read"),
    "4 GB in gzip": (lambda f: bombs.packed_text(f / "a.csv.gz", 4000), "unpacks to more"),
    "4 GB in bzip2": (lambda f: bombs.packed_text(f / "a.csv.bz2", 4000), "unpacks to more"),
    "4 GB in xz": (lambda f: bombs.packed_text(f / "a.csv.xz", 4000), "unpacks to more"),
    "300 million equal records in Parquet": (
        lambda f: bombs.repeating_parquet(f / "a.parquet", 300),
        "of memory to be read",
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_a_sentence_within_a_gigabyte_and_ten_seconds(name, tmp_path):
    make, expected = BOMBS[name]
    said, seconds, kilobytes = read_elsewhere(make(tmp_path))
    assert expected in said
    assert "\n" not in said
    assert seconds < 10 or os.getloadavg()[0] > os.cpu_count()
    assert kilobytes < 10**6


def test_a_limit_can_be_raised(tmp_path):
    path = bombs.packed_text(tmp_path / "a.csv.gz", 3)
    assert "raise unpacked" in read_elsewhere(path, "unpacked=1MB")[0]
    assert read_elsewhere(path, "unpacked=4MB")[0] == ""


@pytest.mark.parametrize("text", ["memory=lots", "speed=9", "memory", "cells=-1"])
def test_limits_that_are_none_are_refused(text, monkeypatch):
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(ParameterError, match=VARIABLE):
        read_limits()


def test_cells_and_columns_are_limited(tmp_path, monkeypatch):
    FRAME.write_parquet(tmp_path / "a.parquet")
    monkeypatch.setenv(VARIABLE, "cells=8")
    with pytest.raises(FileError, match="3 records of 3 columns, and at most 8 cells"):
        read_source(tmp_path / "a.parquet")
    monkeypatch.setenv(VARIABLE, "columns=2")
    with pytest.raises(FileError, match="has 3 columns, and at most 2"):
        read_source(tmp_path / "a.parquet")


def test_time_is_limited(tmp_path, monkeypatch):
    path = bombs.repeating_parquet(tmp_path / "a.parquet", 200)
    monkeypatch.setenv(VARIABLE, "seconds=1,memory=16GB")
    monkeypatch.setattr(sandbox.ReadLimits, "seconds_for", lambda self, size: -4.9)
    with pytest.raises(FileError, match="takes too long"):
        read_source(path)


@pytest.mark.parametrize("ending", [".csv.gz", ".xlsx", ".parquet", ".sav", ".dta", ".tsv.xz"])
def test_a_child_reads_what_this_process_would(ending, tmp_path):
    path = tmp_path / f"people{ending}"
    write_table(source_of(FRAME).table(), path)
    here, there = read_here(path, Dialect()), read_source(path)
    assert_frame_equal(here.frame, there.frame)
    assert_frame_equal(here.columns, there.columns)
    assert here.from_file == there.from_file
    assert here.dialect == there.dialect


def test_columns_of_all_types_come_back(tmp_path):
    frame = FRAME.with_columns(
        pl.Series("kind", ["a", "b", "a"], dtype=pl.Enum(["b", "a", "c"])),
        pl.Series("group", ["a", "b", "a"], dtype=pl.Categorical),
        pl.Series("price", ["1.20", "2.3", None]).cast(pl.Decimal(10, 2)),
        pl.Series("nothing", [None] * 3),
        pl.datetime(2020, 1, 1, time_zone="Europe/Madrid").alias("moment"),
        pl.date(2020, 1, 2).alias("day"),
        pl.time(3, 4, 5).alias("hour"),
    )
    frame.write_parquet(tmp_path / "a.parquet")
    found = read_source(tmp_path / "a.parquet").frame
    assert found.schema == frame.schema
    assert_frame_equal(found, frame, categorical_as_str=True)


def test_a_killed_reader_is_a_sentence_and_the_next_file_is_read(tmp_path, monkeypatch):
    FRAME.write_parquet(tmp_path / "a.parquet")
    with monkeypatch.context() as patch:
        patch.setattr(sandbox, "START", "import os; os.kill(os.getpid(), 11)")
        sandbox.close_readers()
        with pytest.raises(FileError, match="ended abnormally"):
            read_source(tmp_path / "a.parquet")
    assert_frame_equal(read_source(tmp_path / "a.parquet").frame, FRAME)


def test_a_reader_that_ended_while_it_waited_is_replaced(tmp_path):
    FRAME.write_parquet(tmp_path / "a.parquet")
    read_source(tmp_path / "a.parquet")
    (waiting,) = sandbox._idle
    waiting.process.kill()
    waiting.process.wait()
    assert_frame_equal(read_source(tmp_path / "a.parquet").frame, FRAME)


def test_an_error_keeps_its_sentence_and_the_reader(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(FileError, match="cannot be read as parquet"):
        read_source(tmp_path / "a.parquet")
    assert len(sandbox._idle) == 1


def test_a_module_in_the_folder_is_not_run(tmp_path, monkeypatch):
    sandbox.close_readers()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "polars.py").write_text("raise SystemExit('planted')", encoding="utf-8")
    FRAME.write_parquet("a.parquet")
    assert_frame_equal(read_source(tmp_path / "a.parquet").frame, FRAME)


@pytest.mark.parametrize("ending", [".xlsx", ".parquet", ".sav", ".dta", ".csv.gz"])
def test_damaged_files_are_read_or_refused(ending, tmp_path):
    path, rng = tmp_path / f"people{ending}", random.Random(5)
    write_table(source_of(FRAME).table(), path)
    content = path.read_bytes()
    for _ in range(8):
        damaged = bytearray(content)
        for _ in range(3):
            damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        began = time.monotonic()
        with suppress(EvomaskError):
            assert read_source(path).frame.width
        assert time.monotonic() - began < 10 or os.getloadavg()[0] > os.cpu_count()


def test_formulas_without_values_are_counted(tmp_path):
    def change(sheet):
        return sheet.replace(b'<c r="B3"><v>4</v></c>', b'<c r="B3"><f>1+1</f></c>')

    path = tmp_path / "a.xlsx"
    path.write_bytes(bombs.change_member(bombs.workbook(), "xl/worksheets/sheet1.xml", change))
    source = read_source(path)
    assert source.notes[0].startswith("1 cells of a.xlsx hold formulas without stored values")
    assert np.array_equal(source.frame["b"].is_null().arg_true().to_list(), [1])


@pytest.mark.parametrize("ending", [".csv.gz", ".xlsx", ".parquet", ".sav", ".dta"])
def test_a_foreign_release_is_read_back_as_our_own_is(ending, tmp_path):
    path, table = tmp_path / f"people{ending}", source_of(FRAME).table()
    write_table(table, path)
    spec = release_spec(table)
    assert read_back(path, spec, is_foreign=True) == read_back(path, spec)


def test_a_release_that_is_a_bomb_is_a_sentence_too(tmp_path):
    table = source_of(FRAME).table()
    path = bombs.repeating_parquet(tmp_path / "a.parquet", 300)
    with pytest.raises(FileError, match="of memory to be read"):
        read_back(path, release_spec(table), is_foreign=True)
