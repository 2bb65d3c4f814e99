"""Packages of others that fail: one sentence that names them, and no command of ours is lost."""

import os
import subprocess
import sys

import pytest

from tests.conftest import TOY_PACKAGE

WORDS = ("--quasi", "age,income", "--seed", "3", "--quiet")
TOY = """
from dataclasses import replace
import numpy as np
from evomask_toy import Rounding, ToySearch

class Odd(Rounding):
    {method}

class Thing(ToySearch):
    name = "odd"
    @staticmethod
    def setup(table, parameters, context):
        made = ToySearch.setup(table, parameters, context)
        problem = Odd(table, parameters, context.draws)
        return replace(made, problem=problem)
"""
UNUSABLE = {
    "raises": "raise RuntimeError('x')",
    "is no Python": "def (",
    "ends the process": "import sys; sys.exit(3)",
    "holds no search": "Thing = 7",
    "holds nothing": "",
}
FAILING = {
    "raises in a task": "def work(self, task, rng): raise RuntimeError('a value of a record')",
    "raises when a file is asked for": "def decode(self, genome, draw): raise ValueError('31')",
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Install a package with one entry point; what calls the command with it."""

    def install(source, group="searches"):
        home = tmp_path / "site"
        about = home / "odd_package-1.0.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: odd_package\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(f"[evomask.{group}]\nodd = odd_package:Thing\n")
        (home / "odd_package.py").write_text(source)
        monkeypatch.syspath_prepend(TOY_PACKAGE)
        monkeypatch.syspath_prepend(home)

    yield install
    sys.modules.pop("odd_package", None)


@pytest.mark.parametrize("name", UNUSABLE)
def test_a_search_that_cannot_be_loaded_is_one_sentence(evomask, package, people, name):
    package(UNUSABLE[name])
    answer = evomask("search", "odd", people, *WORDS)
    assert answer.code == 1
    assert answer.err.count("\n") == 1
    assert "'odd'" in answer.err
    assert "repair or remove its package" in answer.err


@pytest.mark.parametrize("name", FAILING)
def test_a_search_that_fails_is_one_sentence_without_what_it_said(
    evomask, package, people, tmp_path, name
):
    package(TOY.format(method=FAILING[name]))
    words = ("--drop", "region", "--generations", 2)
    answer = evomask("search", "odd", people, *WORDS, *words, "--out", tmp_path / "out.csv")
    assert answer.code == 1
    assert answer.err.count("\n") == 1
    assert "this is a defect of the search" in answer.err
    assert "31" not in answer.err
    assert "a value of a record" not in answer.err
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    "source", ["raise RuntimeError('x')", "Thing = 7", "import sys; sys.exit(3)"]
)
def test_a_command_that_cannot_be_loaded_takes_no_other_with_it(package, people, tmp_path, source):
    package(source, "commands")
    done = subprocess.run(
        [sys.executable, "-m", "evomask", "mask", people, "--quasi", "age", "--keep", "income",
         "-m", "mdav", "-k", "3", "--quiet", "-o", tmp_path / "out.csv"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.csv").exists()
    assert done.stderr.count("\n") == 1
    assert "the command 'odd' of another package cannot be loaded" in done.stderr
