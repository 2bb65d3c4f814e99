"""Kernels that came with the package: a copy of it carries some, in a folder as in a wheel."""

import os
import shutil
import subprocess
import sys

import pytest

from evomask.kernels import carried, compiler
from evomask.kernels.carried import Level

ANSWER = """
import sys
from evomask.kernels import compiler
from evomask.kernels.ahead import compile_ahead
steps = []
compile_ahead(["lattice.promise"], steps.append)
path = compiler.source_of("lattice.promise")
name, *_ = compiler.KERNELS.findall(path.read_text())
kept = compiler._kept(path, name)
print(len(steps), kept.path.is_file(), kept.is_there, kept._bytes() is not None)
"""
COMPILE = """
from evomask.kernels.ahead import compile_ahead
compile_ahead(["lattice.promise"])
"""


def _run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={**os.environ, **environment},
    ).stdout.split()  # fmt: skip


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A copy of the package that carries one kernel, compiled for the level of wheels."""
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(compiler.SOURCES.parent, folder / "evomask")
    made = folder / "made"
    level = carried.level().name
    _run(COMPILE, EVOMASK_CACHE=str(made), NUMBA_CPU_NAME=level, NUMBA_CPU_FEATURES="")
    for path in made.rglob("*.kernel"):
        sources, processor = path.parts[-3:-1]
        assert processor.rpartition("-")[0] == level
        into = folder / "evomask" / "kernels" / "carried" / sources / level
        into.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, into)
    return folder


def test_nothing_is_compiled_where_the_package_carries_it(package, tmp_path):
    answer = _run(ANSWER, PYTHONPATH=str(package), EVOMASK_CACHE=str(tmp_path))
    assert answer == ["0", "False", "True", "True"]


def test_what_is_carried_can_be_left_alone(package, tmp_path):
    answer = _run(ANSWER, PYTHONPATH=str(package), EVOMASK_CACHE=str(tmp_path), EVOMASK_CARRIED="0")
    assert answer == ["4", "True", "True", "True"]


def test_other_sources_do_not_take_what_is_carried(package, tmp_path):
    folder = tmp_path / "edited"
    shutil.copytree(package / "evomask", folder / "evomask")
    with (folder / "evomask/kernels/lattice/promise.py").open("a") as file:
        file.write("\n# another\n")
    answer = _run(ANSWER, PYTHONPATH=str(folder), EVOMASK_CACHE=str(tmp_path / "cache"))
    assert answer == ["2", "True", "True", "True"]


def test_a_processor_that_cannot_run_it_is_not_given_it(monkeypatch, tmp_path):
    monkeypatch.setattr(carried, "FOLDER", tmp_path)
    monkeypatch.setattr(carried, "level", lambda: Level("of the future", frozenset({"magic"})))
    carried.carried.cache_clear()
    try:
        assert carried.carried() is None
        monkeypatch.setattr(carried, "level", lambda: Level("generic"))
        carried.carried.cache_clear()
        assert carried.carried() == tmp_path
    finally:
        carried.carried.cache_clear()
