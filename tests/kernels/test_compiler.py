import os
import shutil
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from evomask.kernels import compiler, homes
from evomask.kernels.groups.mdav import mdav
from evomask.kernels.groups.splits import _split_line, split_values

HERE = """
from evomask.kernels import compiler
print(compiler._kept(compiler.source_of("tracked.bursts"), "burst").path)
"""
COMPILED = """
import numpy as np
from evomask.kernels.compiler import kernel_of
from evomask.kernels.groups.splits import split_values
print(kernel_of.__module__.rsplit(".")[-1], *split_values(np.array([5.0, 1, 2, 9, 8, 4]), 2))
"""


def _names(module):
    sources = compiler._sources_of(compiler.source_of(module))
    return {path.relative_to(compiler.SOURCES).with_suffix("").as_posix() for path in sources}


def _answer(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={**os.environ, **environment},
    ).stdout.strip()  # fmt: skip


def test_a_module_depends_on_what_it_calls_however_far_away():
    assert {"tracked/measures", "tracked/numbers", "tracked/memory", "compiler", "bundles"} <= (
        _names("tracked.measures")
    )


def test_a_module_does_not_depend_on_what_it_never_calls():
    assert "tracked/measures" not in _names("groups.mdav")


def test_every_import_between_kernels_is_of_the_form_that_is_followed():
    for path in compiler.SOURCES.rglob("[a-z]*.py"):
        lines = path.read_text(encoding="utf-8").splitlines()
        imports = [line for line in lines if line.startswith(("from evomask.k", "import evomask"))]
        assert len(imports) == len(compiler.IMPORTED.findall("\n".join(lines))), path.name


def test_what_is_compiled_does_not_depend_on_where_the_sources_lie(tmp_path):
    shutil.copytree(compiler.SOURCES.parent, tmp_path / "evomask")
    elsewhere = _answer(HERE, PYTHONPATH=str(tmp_path))
    assert elsewhere == _answer(HERE)


def test_another_compiler_or_processor_has_other_files():
    own = _answer(HERE)
    assert _answer(HERE, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="") != own
    assert _answer(HERE, EVOMASK_PLAIN="1") != own


def test_untested_compilers_make_the_same_kernels_the_usual_way(tmp_path):
    found = _answer(COMPILED, EVOMASK_PLAIN="1", EVOMASK_CACHE=str(tmp_path))
    labels = split_values(np.array([5.0, 1, 2, 9, 8, 4]), 2)
    assert found == " ".join(["plain", *map(str, labels)])


def test_a_half_compiled_module_is_not_taken_for_compiled(tmp_path, monkeypatch):
    monkeypatch.setattr(compiler, "CACHE", tmp_path)
    path = compiler.source_of("groups.splits")
    assert compiler.KERNELS.findall(path.read_text()) == ["_split_line", "_split_path"]
    for name, complete in (("_split_line", False), ("_split_path", True)):
        file = compiler._kept(path, name).path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
        assert compiler.is_compiled("groups.splits") is complete


def test_a_lazy_kernel_is_compiled_when_it_is_called_first(tmp_path, monkeypatch):
    monkeypatch.setattr(compiler, "CACHE", tmp_path)

    @compiler.lazy(compiler.WHOLE)
    def doubled(number):
        return 2 * number

    assert not list(tmp_path.rglob("*.kernel"))
    assert doubled(21) == 42
    assert [path.name for path in tmp_path.rglob("*.kernel")] == ["test_compiler.doubled.kernel"]


def test_a_kernel_refuses_other_types_than_declared():
    with pytest.raises(TypeError):
        _split_line(np.array([1, 2, 3]), 2)


def test_importing_a_module_compiles_nothing(tmp_path):
    code = """
import evomask.kernels.groups.splits
from evomask.kernels import compiler
kept = sum(path.is_file() for path in compiler.CACHE.rglob("*"))
print(kept, compiler.is_compiled("groups.splits"))
"""
    answer = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "EVOMASK_CACHE": str(tmp_path)},
    )
    assert answer.stdout.split() == ["0", "False"]


def test_a_filled_cache_that_cannot_be_written_to_is_taken(tmp_path, monkeypatch):
    (tmp_path / "kernels").mkdir()
    monkeypatch.setenv("EVOMASK_CACHE", str(tmp_path))
    monkeypatch.setattr(homes.os, "access", lambda *_: False)
    assert homes.cache() == tmp_path / "kernels"


def test_a_kernel_that_cannot_be_kept_works_all_the_same(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr(compiler, "CACHE", tmp_path / "file")

    @compiler.lazy(compiler.WHOLE)
    def tripled(number):
        return 3 * number

    assert tripled(14) == 42


def test_a_kernel_lets_go_of_the_interpreter_lock_while_it_runs():
    points = np.random.default_rng(1).normal(size=(30_000, 4))
    mdav(points[:10], 2)  # loaded
    kernel = threading.Thread(target=mdav, args=(points, 3))
    kernel.start()
    breaths = 0
    while kernel.is_alive():
        time.sleep(0.005)
        breaths += 1
    assert breaths > 10
