"""Prebuilt kernels, in a copy of the package with a folder as in a wheel."""

import os
import shutil
import subprocess
import sys

import pytest

from evomask.kernels import jit
from evomask.kernels.compiler import cache
from evomask.kernels.compiler.cache import ProcessorLevel

ANSWER = """
import sys
from evomask.kernels import jit
from evomask.kernels.compiler.precompile import compile_ahead
steps = []
compile_ahead(["lattice.bounds"], steps.append)
path = jit.source_of("lattice.bounds")
name, *_ = jit.KERNELS.findall(path.read_text())
file = jit._kernel_file(path, name)
print(len(steps), file.path.is_file(), file.exists, file._bytes() is not None)
"""
COMPILE = """
from evomask.kernels.compiler.precompile import compile_ahead
compile_ahead(["lattice.bounds"])
"""


def _run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={**os.environ, **environment},
    ).stdout.split()  # fmt: skip


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A copy of the package with one prebuilt kernel, compiled for the level of wheels."""
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(jit.SOURCES.parent, folder / "evomask")
    made = folder / "made"
    level = cache.level().name
    _run(COMPILE, EVOMASK_CACHE=str(made), NUMBA_CPU_NAME=level, NUMBA_CPU_FEATURES="")
    for path in made.rglob("*.kernel"):
        sources, processor = path.parts[-3:-1]
        assert processor.rpartition("-")[0] == level
        into = folder / "evomask" / "kernels" / "carried" / sources / level
        into.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, into)
    return folder


def test_nothing_is_compiled_if_the_package_has_prebuilt_kernels(package, tmp_path):
    answer = _run(ANSWER, PYTHONPATH=str(package), EVOMASK_CACHE=str(tmp_path))
    assert answer == ["0", "False", "True", "True"]


def test_prebuilt_kernels_can_be_disabled(package, tmp_path):
    answer = _run(ANSWER, PYTHONPATH=str(package), EVOMASK_CACHE=str(tmp_path), EVOMASK_CARRIED="0")
    assert answer == ["2", "True", "True", "True"]


def test_other_sources_do_not_use_prebuilt_kernels(package, tmp_path):
    folder = tmp_path / "edited"
    shutil.copytree(package / "evomask", folder / "evomask")
    with (folder / "evomask/kernels/lattice/bounds.py").open("a") as file:
        file.write("\n# another\n")
    answer = _run(ANSWER, PYTHONPATH=str(folder), EVOMASK_CACHE=str(tmp_path / "cache"))
    assert answer == ["2", "True", "True", "True"]


def test_prebuilt_kernels_need_the_features_of_their_level(monkeypatch, tmp_path):
    monkeypatch.setattr(cache, "PREBUILT", tmp_path)
    monkeypatch.setattr(
        cache, "level", lambda: ProcessorLevel("of the future", frozenset({"magic"}))
    )
    cache.prebuilt_folder.cache_clear()
    try:
        assert cache.prebuilt_folder() is None
        monkeypatch.setattr(cache, "level", lambda: ProcessorLevel("generic"))
        cache.prebuilt_folder.cache_clear()
        assert cache.prebuilt_folder() == tmp_path
    finally:
        cache.prebuilt_folder.cache_clear()
