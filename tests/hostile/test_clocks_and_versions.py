"""Clocks that jump, files from the future, and runs that another version goes on with."""

import os
import random
import time

import pytest

from evomask.runs.protect import resume_protection
from evomask.runs.store import run_folder
from evomask.runs.store.verify import verify
from tests.hostile.conftest import protected

YEAR = 365 * 86_400


@pytest.fixture
def jumping_clock(monkeypatch):
    """The time of day jumps by up to ten years, in either direction, whenever it is asked for."""
    rng = random.Random(4)
    monkeypatch.setattr(time, "time", lambda: 1.7e9 + rng.uniform(-10, 10) * YEAR)


def test_a_clock_that_jumps_changes_no_byte_of_a_release(jumping_clock, once_protected, tmp_path):
    folder = protected(tmp_path)
    assert verify(folder).holds
    names = ("front.parquet", "recipe.toml")
    assert [(folder / n).read_bytes() for n in names] == [
        (once_protected / n).read_bytes() for n in names
    ]
    began = time.monotonic()
    resume_protection(folder)
    assert time.monotonic() - began < 60
    assert verify(folder).holds


@pytest.mark.parametrize("moment", [0, 4_000_000_000])
def test_files_of_another_century_are_those_of_a_whole_release(evomask, protection, moment):
    for path in protection.rglob("*"):
        os.utime(path, (moment, moment))
    assert evomask("verify", protection).code == 0
    assert evomask("choose", protection, "--point", 1, "--quiet").code == 0


def test_a_run_that_another_version_goes_on_with_says_so_and_is_whole(
    evomask, protection, monkeypatch
):
    monkeypatch.setattr(run_folder, "version", lambda name: "9.9")
    answer = evomask("resume", protection)
    assert answer.code == 0, answer.err
    assert "and 9.9 is installed now; results may differ" in answer.err
    assert verify(protection).holds
