"""Commands called in this process, a small file of people, and a small protection of it."""

import shutil
from pathlib import Path

import pytest

from evomask.runs.inputs import Input
from evomask.runs.protect import ProtectJob, protect_file

ROWS = [f"{20 + i % 7},{1000 + 37 * i},{'nsw'[i % 3]}" for i in range(20)]
PEOPLE = "age,income,region\n" + "\n".join(ROWS) + "\n"


@pytest.fixture
def people(tmp_path):
    """Twenty people."""
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return path


def protected(folder: Path) -> Path:
    """The folder of a small protection, made in a moment."""
    (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    source = Input(folder / "people.csv", quasi_identifiers=("age", "income"))
    job = ProtectJob(source, folder / "release", seed=5, evaluations=4, searches=("recipes",))
    return protect_file(job).folder


@pytest.fixture(scope="session")
def once_protected(tmp_path_factory):
    """A protection made once for all tests."""
    return protected(tmp_path_factory.mktemp("once"))


@pytest.fixture
def protection(once_protected, tmp_path):
    """A copy of the folder of that protection, which a test may change."""
    shutil.copytree(once_protected, tmp_path / "release")
    return tmp_path / "release"
