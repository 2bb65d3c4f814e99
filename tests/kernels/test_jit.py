"""Declaration, hashing and caching of kernels.

`make test-plain` runs the tests of this folder on the plain path of compilation (numba without
hooks) and with checked indices.
"""

import os
import shutil
import subprocess
import sys
import threading
import time
import tomllib
from pathlib import Path

import numpy as np
import pytest

from evomask.kernels import jit
from evomask.kernels.compiler.cache import cache_folder
from evomask.kernels.groups.mdav import mdav
from evomask.kernels.groups.splits import _split_path

HERE = """
from evomask.kernels import jit
print(jit._kernel_file(jit.source_of("incremental.bursts"), "burst").path)
"""
REPRESENTATIVE = ("compiler/test_bundles.py", "compiler/test_lowering.py", "groups/test_splits.py")
"""Tests of kernels that the quick tests run on the plain path too; `make test-plain` runs all."""


def _names(module):
    sources = jit._sources_of(jit.source_of(module))
    return {path.relative_to(jit.SOURCES).with_suffix("").as_posix() for path in sources}


def _answer(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={**os.environ, **environment},
    ).stdout.strip()  # fmt: skip


def test_the_hash_of_a_module_includes_all_transitive_imports():
    assert {
        "incremental/measures",
        "incremental/information_loss",
        "incremental/undo_log",
        "jit",
        "compiler/bundles",
    } <= (_names("incremental.measures"))


def test_the_hash_of_a_module_excludes_other_modules():
    assert "incremental/measures" not in _names("groups.mdav")


def test_every_import_between_kernels_is_of_the_form_that_is_followed():
    for path in jit.SOURCES.rglob("[a-z]*.py"):
        lines = path.read_text(encoding="utf-8").splitlines()
        imports = [line for line in lines if line.startswith(("from evomask.k", "import evomask"))]
        assert len(imports) == len(jit.IMPORTED.findall("\n".join(lines))), path.name


def test_the_cache_does_not_depend_on_the_location_of_the_sources(tmp_path):
    shutil.copytree(jit.SOURCES.parent, tmp_path / "evomask")
    elsewhere = _answer(HERE, PYTHONPATH=str(tmp_path))
    assert elsewhere == _answer(HERE)


def test_another_compiler_or_processor_has_other_files():
    own = _answer(HERE)
    assert _answer(HERE, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="") != own
    assert _answer(HERE, EVOMASK_PLAIN="1") != _answer(HERE, EVOMASK_PLAIN="")
    assert _answer(HERE, EVOMASK_CHECK_INDICES="1") != _answer(HERE, EVOMASK_CHECK_INDICES="")


@pytest.mark.skipif(jit.PATH == "plain", reason="all tests run on the plain path")
def test_kernels_pass_their_tests_on_the_plain_path():
    assert _answer("from evomask.kernels import jit; print(jit.PATH)", EVOMASK_PLAIN="1") == "plain"
    files = [str(Path(__file__).parent / name) for name in REPRESENTATIVE]
    answer = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files],
        capture_output=True, text=True, check=False, env={**os.environ, "EVOMASK_PLAIN": "1"},
    )  # fmt: skip
    assert answer.returncode == 0, answer.stdout[-2000:]


def test_the_required_versions_of_numba_are_those_that_were_tested():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    (required,) = (own for own in project["dependencies"] if own.startswith("numba"))
    first, last = jit.TESTED_NUMBA[0], int(jit.TESTED_NUMBA[-1].removeprefix("0."))
    assert required == f"numba>={first},<0.{last + 1}"


def test_a_half_compiled_module_is_not_compiled(tmp_path, monkeypatch):
    monkeypatch.setattr(jit, "CACHE", tmp_path)
    path = jit.source_of("groups.mdav")
    assert jit.KERNELS.findall(path.read_text()) == ["_mdav", "assign_rest"]
    for name, complete in (("_mdav", False), ("assign_rest", True)):
        file = jit._kernel_file(path, name).path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
        assert jit.is_compiled("groups.mdav") is complete


def test_a_lazy_kernel_is_compiled_when_it_is_called_first(tmp_path, monkeypatch):
    monkeypatch.setattr(jit, "CACHE", tmp_path)

    @jit.lazy(jit.INT64)
    def doubled(number):
        return 2 * number

    assert not list(tmp_path.rglob("*.kernel"))
    assert doubled(21) == 42
    assert [path.name for path in tmp_path.rglob("*.kernel")] == ["test_jit.doubled.kernel"]


TWO_AT_ONCE = """
import sys
import numpy as np
from evomask.kernels.groups.splits import split_values
print("ready", flush=True)
sys.stdin.readline()
split_values(np.array([5.0, 1, 2, 9, 8, 4]), 2)
"""


def test_two_processes_that_need_a_kernel_compile_it_once(tmp_path):
    files = set()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", TWO_AT_ONCE], text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env={**os.environ, "EVOMASK_CACHE": str(tmp_path)},
        )
        for _ in range(2)
    ]  # fmt: skip
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    while any(process.poll() is None for process in processes):
        files |= {(path, path.stat().st_ino) for path in tmp_path.rglob("*.kernel")}
        time.sleep(0.01)
    for process in processes:
        process.communicate()
    assert len(files) == 1


def test_a_kernel_is_ready_once_it_is_compiled(tmp_path, monkeypatch):
    monkeypatch.setattr(jit, "CACHE", tmp_path)

    @jit.lazy(jit.INT64)
    def halved(number):
        return number // 2

    assert not jit.is_ready(halved)
    halved(2)
    assert jit.is_ready(halved)
    assert jit.is_ready(jit.LazyKernel(halved.function, halved.signature))


def test_a_kernel_refuses_other_types_than_declared():
    with pytest.raises(TypeError):
        _split_path(np.array([1, 2, 3]), 2)


def test_importing_a_module_compiles_nothing(tmp_path):
    code = """
import evomask.kernels.groups.splits
from evomask.kernels import jit
kept = sum(path.is_file() for path in jit.CACHE.rglob("*"))
print(kept, jit.is_compiled("groups.splits"))
"""
    answer = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "EVOMASK_CACHE": str(tmp_path)},
    )
    assert answer.stdout.split() == ["0", "False"]


def test_a_named_read_only_cache_is_used(tmp_path, monkeypatch):
    (tmp_path / "kernels").mkdir()
    monkeypatch.setenv("EVOMASK_CACHE", str(tmp_path))
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert cache_folder() == tmp_path / "kernels"


def test_a_kernel_that_cannot_be_cached_still_works(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr(jit, "CACHE", tmp_path / "file")

    @jit.lazy(jit.INT64)
    def tripled(number):
        return 3 * number

    assert tripled(14) == 42


def test_a_kernel_releases_the_interpreter_lock():
    points = np.random.default_rng(1).normal(size=(30_000, 4))
    mdav(points[:10], 2)  # loaded
    kernel = threading.Thread(target=mdav, args=(points, 3))
    kernel.start()
    sleeps = 0
    while kernel.is_alive():
        time.sleep(0.005)
        sleeps += 1
    assert sleeps > 10
