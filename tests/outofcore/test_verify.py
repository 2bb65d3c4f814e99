"""Written parts checked again, and work that the system cut short."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from evomask.errors import RunError
from evomask.outofcore.mask import mask_parts
from evomask.outofcore.release import verify_parts
from tests.outofcore.conftest import bytes_of
from tests.outofcore.test_mask import job

SCRIPT = """
import resource, sys
from pathlib import Path
from evomask.cli.main import run
from evomask.outofcore import mask, prepare
prepare.RECORDS, mask.REGION_SIZE = 250, 200
limit = int(sys.argv.pop(1))
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
run()
"""


def command(people, out, limit=0):
    words = ["mask", people, "-m", "mdav", "-k", 5, "--quasi", "income,wealth", "--drop", "name"]
    rest = ["--seed", 7, "--out", out]
    return [sys.executable, "-c", SCRIPT, *map(str, [limit, *words, *rest])]


@pytest.fixture
def done(people, tmp_path):
    mask_parts(job(people, tmp_path / "out", "mdav", options={"k": "5"}))
    return tmp_path / "out"


def test_what_was_written_holds(done):
    holds = {finding.check: finding.holds for finding in verify_parts(done).findings}
    assert holds.pop("signature") is None
    assert holds == dict.fromkeys(["log", "parts", "records", "k", "identifiers"], True)


def test_a_changed_part_fails(done):
    path = done / "masked" / "part-000001.parquet"
    frame = pl.read_parquet(path)
    frame.with_columns(pl.col("income") + pl.int_range(len(frame))).write_parquet(path)
    verdict = verify_parts(done)
    assert not verdict.holds
    findings = {finding.check: finding for finding in verdict.findings}
    assert "part-000001.parquet" in findings["parts"].text
    assert findings["k"].holds is False


def test_unfinished_work_is_said_to_be_unfinished(done):
    (done / "done.json").unlink()
    with pytest.raises(RunError, match="is not finished; run the same command again"):
        verify_parts(done)


def test_a_killed_command_goes_on_to_the_same_bytes(people, tmp_path):
    out = tmp_path / "killed"
    with subprocess.Popen(command(people, out), stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not list(Path(out).glob("work/sort-*.json")):
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
    assert not (out / "done.json").exists()
    assert subprocess.run(command(people, out), capture_output=True, check=False).returncode == 0
    assert (
        subprocess.run(
            command(people, tmp_path / "whole"), capture_output=True, check=False
        ).returncode
        == 0
    )
    assert bytes_of(out) == bytes_of(tmp_path / "whole")
    assert verify_parts(out).holds


def test_a_disk_that_takes_no_more_is_one_sentence_and_nothing_half_written(people, tmp_path):
    out = tmp_path / "full"
    found = subprocess.run(
        command(people, out, limit=3_000), capture_output=True, text=True, check=False
    )
    assert found.returncode == 1
    assert "could not be written: File too large; nothing was kept" in found.stderr
    assert "Traceback" not in found.stderr
    assert {path.name for path in out.rglob(".*")} <= {".lock"}
