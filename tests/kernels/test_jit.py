"""Declaration, hashing and caching of kernels.

``EVOMASK_PLAIN=1 pytest tests/kernels`` runs the tests of this folder on the plain path of
compilation (numba without hooks), ``EVOMASK_CHECK_INDICES=1`` with checked indices.
"""

import os
import shutil
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from evomask.kernels import jit
from evomask.kernels.compiler.cache import cache_folder
from evomask.kernels.groups.mdav import mdav
from evomask.kernels.groups.splits import _split_line, split_values

HERE = """
from evomask.kernels import jit
print(jit._kernel_file(jit.source_of("incremental.bursts"), "burst").path)
"""
COMPILED = """
import numpy as np
from evomask.kernels.jit import PATH
from evomask.kernels.groups.splits import split_values
print(PATH, *split_values(np.array([5.0, 1, 2, 9, 8, 4]), 2))
"""


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


def test_the_plain_path_gives_the_same_results(tmp_path):
    found = _answer(COMPILED, EVOMASK_PLAIN="1", EVOMASK_CACHE=str(tmp_path))
    labels = split_values(np.array([5.0, 1, 2, 9, 8, 4]), 2)
    assert found == " ".join(["plain", *map(str, labels)])


def test_a_half_compiled_module_is_not_compiled(tmp_path, monkeypatch):
    monkeypatch.setattr(jit, "CACHE", tmp_path)
    path = jit.source_of("groups.splits")
    assert jit.KERNELS.findall(path.read_text()) == ["_split_line", "_split_path"]
    for name, complete in (("_split_line", False), ("_split_path", True)):
        file = jit._kernel_file(path, name).path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
        assert jit.is_compiled("groups.splits") is complete


def test_a_lazy_kernel_is_compiled_when_it_is_called_first(tmp_path, monkeypatch):
    monkeypatch.setattr(jit, "CACHE", tmp_path)

    @jit.lazy(jit.INT64)
    def doubled(number):
        return 2 * number

    assert not list(tmp_path.rglob("*.kernel"))
    assert doubled(21) == 42
    assert [path.name for path in tmp_path.rglob("*.kernel")] == ["test_jit.doubled.kernel"]


def test_a_kernel_refuses_other_types_than_declared():
    with pytest.raises(TypeError):
        _split_line(np.array([1, 2, 3]), 2)


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
