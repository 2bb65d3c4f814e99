"""Commands that are killed or terminated at any moment: no record stays where others may read."""

import os
import random
import signal
import subprocess
import sys
import time

import polars as pl
import pytest

SECRET = "Farhamlet"
KILLS, ALL_KILLS = range(2), [range(first, first + 20) for first in range(20, 120, 20)]
ENDS, ALL_ENDS = range(3), [range(first, first + 10) for first in range(10, 60, 10)]
LONGEST = 12.0
"""Seconds within which a command is killed."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three hundred people, one from a place of its own, as text and as a workbook."""
    folder = tmp_path_factory.mktemp("killed")
    rng = random.Random(1)
    frame = pl.DataFrame(
        {
            "age": [rng.randint(20, 70) for _ in range(300)],
            "income": [rng.randint(1000, 9000) for _ in range(300)],
            "town": [SECRET, *rng.choices(["Aa", "Bb", "Cc"], k=299)],
        }
    )
    frame.write_csv(folder / "people.csv")
    frame.write_excel(folder / "people.xlsx")
    return folder


ROLES = ("--quasi", "age,income,town", "--quiet")
MASK = ("-m", "mdav-generic", "-k", "3", "-o")
COMMANDS = (
    ("mask", "people.csv", *ROLES, *MASK, "out.csv"),
    ("mask", "people.xlsx", *ROLES, *MASK, "out.xlsx"),
    ("mask", "people.csv", *ROLES, *MASK, "-"),
    ("search", "partition", "people.csv", *ROLES, "-k", "3", "--seconds", "9", "-o", "found.csv"),
    ("protect", "people.csv", *ROLES, "--seconds", "9", "--workers", "2", "--out", "release"),
    ("audit", "people.csv", *ROLES),
    ("init", "people.xlsx"),
)


class Ended:
    """A command in a folder of its own that gets a signal at a moment that hangs on a number."""

    def __init__(self, number, how, folder, place):
        rng = random.Random(number)
        self.words = COMMANDS[number % len(COMMANDS)]
        self.home, self.temporary = place / "home", place / "tmp"
        self.home.mkdir(parents=True)
        self.temporary.mkdir()
        for path in folder.iterdir():
            (self.home / path.name).write_bytes(path.read_bytes())
        process = subprocess.Popen(
            [sys.executable, "-m", "evomask", *self.words],
            cwd=self.home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "TMPDIR": str(self.temporary),
                 "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
        )  # fmt: skip
        time.sleep(rng.uniform(0, LONGEST))
        process.send_signal(how)
        began = time.monotonic()
        self.err = process.communicate(timeout=120)[1]
        self.code, self.seconds = process.returncode, time.monotonic() - began

    def left(self, place):
        """Files with records, but for the input, in a folder."""
        given = {"people.csv", "people.xlsx"}
        return [
            path
            for path in place.rglob("*")
            if path.is_file() and path.name not in given and SECRET.encode() in path.read_bytes()
        ]

    @property
    def open_to_others(self):
        """What holds records of the original and can be read by others."""
        return [
            path
            for path in (*self.left(self.temporary), *self.left(self.home))
            if path.stat().st_mode & 0o077
            and not any(above.stat().st_mode & 0o077 == 0 for above in path.parents)
        ]


def kill(numbers, folder, place):
    for number in numbers:
        ended = Ended(number, signal.SIGKILL, folder, place / str(number))
        assert ended.open_to_others == [], ended.words
        assert ended.left(ended.temporary) == [], ended.words


def terminate(numbers, folder, place):
    for number in numbers:
        ended = Ended(number, signal.SIGTERM, folder, place / str(number))
        assert ended.code in (0, 130, -signal.SIGTERM, -signal.SIGINT), ended.words
        assert ended.seconds < 60, ended.words
        assert "Traceback" not in ended.err, ended.words
        assert ended.left(ended.temporary) == [], ended.words
        assert [p.name for p in ended.home.glob(".*.*")] == [], ended.words


def test_commands_that_are_killed_leave_no_record_behind(folder, tmp_path):
    kill(KILLS, folder, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("numbers", ALL_KILLS, ids=lambda numbers: str(numbers[0]))
def test_a_killed_command_leaves_no_record_behind(folder, tmp_path, numbers):
    kill(numbers, folder, tmp_path)


def test_commands_that_are_terminated_end_soon_and_cleanly(folder, tmp_path):
    terminate(ENDS, folder, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("numbers", ALL_ENDS, ids=lambda numbers: str(numbers[0]))
def test_a_terminated_command_ends_soon_and_cleanly(folder, tmp_path, numbers):
    terminate(numbers, folder, tmp_path)
