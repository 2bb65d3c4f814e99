"""Running commands as a user would, in the same process."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import accepting


@pytest.fixture
def people(tmp_path):
    """A small file of people."""
    rows = [f"{20 + i % 7},{1000 + 37 * (i // 2)},{'nsw'[i % 3]}" for i in range(20)]
    path = tmp_path / "people.csv"
    path.write_text("age,income,region\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


ROLES = ("--quasi", "age,income,school", "--drop", "name", "--ordinal", "school")
ASKED = (*ROLES, "--require", "k=3", "--seed", 5, "--evaluations", 30, "--json", "--quiet")


def write_town(folder):
    """Sixty people with numbers and ordered categories, as a file."""
    lines = ["name,age,income,school"]
    lines += [
        f"p{i},{20 + (i * 7) % 50},{1000 + (i * 37) % 900},{'abc'[(i * 5) % 3]}" for i in range(60)
    ]
    path = folder / "town.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@dataclass
class Protection:
    """A finished job: its folder, what it answered, and what it printed besides."""

    folder: Path
    answer: dict
    complaints: str


def evomask_process(*words):
    """The command line in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "evomask", *accepting(words)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture(scope="session")
def once_protected(tmp_path_factory):
    """The town protected once for all tests, with two workers."""
    folder = tmp_path_factory.mktemp("town")
    town = write_town(folder)
    words = ("protect", town, *ASKED, "--workers", 2, "--out", folder / "release")
    out, complaints = evomask_process(*words).communicate(timeout=600)
    return Protection(folder / "release", json.loads(out), complaints)


@pytest.fixture
def protection(once_protected, tmp_path):
    """A copy of that job that a test may change."""
    folder = tmp_path / "release"
    shutil.copytree(once_protected.folder, folder)
    return Protection(folder, once_protected.answer, once_protected.complaints)
