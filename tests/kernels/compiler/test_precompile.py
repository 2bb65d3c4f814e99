import os
import subprocess
import sys
import threading

from evomask.kernels import jit
from evomask.kernels.compiler import precompile
from evomask.kernels.compiler.precompile import Progress, compile_ahead, modules_with_kernels

COMPILE_AHEAD = """
from evomask.kernels.compiler.precompile import compile_ahead
from evomask.kernels.jit import is_compiled
print(is_compiled("groups.splits"))
compile_ahead(["groups.splits"], lambda step: print(step.module, step.done, step.of))
print(is_compiled("groups.splits"))
"""


def test_modules_are_compiled_ahead_and_progress_is_reported(tmp_path):
    environment = {**os.environ, "EVOMASK_CACHE": str(tmp_path)}
    answer = subprocess.run(
        [sys.executable, "-c", COMPILE_AHEAD],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert answer.stdout.splitlines() == [
        "False", "groups.splits 0 1", "groups.splits 1 1", "True"
    ]  # fmt: skip


def test_no_progress_is_reported_if_all_is_compiled():
    compile_ahead(["lattice.nodes"])
    steps = []
    compile_ahead(["lattice.nodes"], steps.append)
    assert steps == []


def test_a_process_that_dies_does_not_block_the_others(monkeypatch):
    monkeypatch.setattr(precompile, "SERVE", "import sys; sys.stdin.readline()")
    steps: list[Progress] = []
    precompile._compile_all(["groups.splits", "lattice.bounds", "lattice.nodes"], steps.append)
    assert [step.done for step in steps if step.seconds is not None] == [1, 2, 3]


def test_no_module_is_begun_after_a_stop(tmp_path, monkeypatch):
    monkeypatch.setattr(jit, "CACHE", tmp_path)
    stop = threading.Event()
    stop.set()
    steps = []
    compile_ahead(["groups.splits", "lattice.bounds"], steps.append, stop)
    assert steps == []
    assert not jit.is_compiled("groups.splits")


def test_modules_without_kernels_are_not_listed():
    assert "groups.mdav" in modules_with_kernels()
    assert "compiler.arrays" not in modules_with_kernels()


def test_kernels_of_imported_modules_are_not_compiled(monkeypatch):
    compiled = []
    monkeypatch.setattr(precompile, "is_compiled", lambda _: False)
    monkeypatch.setattr(precompile, "_compile_all", lambda names, *_, stop: compiled.extend(names))
    compile_ahead(["linking.boxes", "linking.boxes"])
    assert "linking.linkage" in precompile._called("linking.boxes")
    assert compiled == ["linking.boxes"]


def test_processes_compile_modules_that_share_little():
    schedule = precompile._Schedule(
        ["groups.mdav", "groups.walks", "incremental.bursts", "incremental.state"]
    )
    taken = [schedule.take(process) for process in (0, 1, 0, 1, 0)]
    assert taken == ["incremental.bursts", "groups.walks", "incremental.state", "groups.mdav", None]


def test_a_process_compiles_the_kernels_of_its_module_and_no_others(tmp_path):
    code = """
from evomask.kernels import jit
from evomask.kernels.compiler import precompile
precompile._compile("incremental.undo_log", includes_rare=True)
precompile._compile("lattice.bounds", includes_rare=False)
print(*sorted(path.name for path in jit.CACHE.rglob("*.kernel")))
"""
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={**os.environ, "EVOMASK_CACHE": str(tmp_path)},
    )  # fmt: skip
    assert answer.stdout.split() == [
        "bounds._bounds_between.kernel",
        "bounds._distances.kernel",
        "bounds._margins.kernel",
    ]
