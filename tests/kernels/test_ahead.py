import os
import subprocess
import sys

from evomask.kernels import ahead
from evomask.kernels.ahead import Progress, compile_ahead, modules_with_kernels

ASKED = """
from evomask.kernels.ahead import compile_ahead
from evomask.kernels.compiler import is_compiled
print(is_compiled("linking.agreement_model"))
compile_ahead(["linking.agreement_model"], lambda step: print(step.module, step.done, step.of))
print(is_compiled("linking.agreement_model"))
"""


def test_modules_are_compiled_ahead_and_progress_is_told(tmp_path):
    environment = {**os.environ, "EVOMASK_CACHE": str(tmp_path)}
    answer = subprocess.run(
        [sys.executable, "-c", ASKED], capture_output=True, text=True, check=True, env=environment
    )
    assert answer.stdout.splitlines() == [
        "False", "linking.agreement_model 0 1", "linking.agreement_model 1 1", "True"
    ]  # fmt: skip


def test_nothing_is_told_where_all_is_compiled():
    compile_ahead(["lattice.promise"])
    steps = []
    compile_ahead(["lattice.promise"], steps.append)
    assert steps == []


def test_a_process_that_dies_does_not_hold_up_the_others(monkeypatch):
    monkeypatch.setattr(ahead, "SERVE", "import sys; sys.stdin.readline()")
    steps: list[Progress] = []
    ahead._compile_all(["groups.splits", "lattice.bounds", "lattice.promise"], steps.append)
    assert [step.done for step in steps if step.seconds is not None] == [1, 2, 3]


def test_modules_without_kernels_are_not_named():
    assert "groups.mdav" in modules_with_kernels()
    assert "compiler" not in modules_with_kernels()


def test_a_module_comes_with_those_that_it_calls():
    assert {"tracked.state", "tracked.bursts", "linking.linkage"} <= set(
        ahead._with_called(["tracked.bursts"])
    )
    assert "groups.mdav" not in ahead._with_called(["tracked.bursts"])


def test_processes_share_little_of_what_they_compile():
    waiting = ahead._Waiting(["groups.mdav", "groups.walks", "tracked.bursts", "tracked.state"])
    taken = [waiting.take(process) for process in (0, 1, 0, 1, 0)]
    assert taken == ["tracked.bursts", "groups.walks", "tracked.state", "groups.mdav", None]


def test_a_process_compiles_the_kernels_of_its_module_and_no_others(tmp_path):
    code = """
from evomask.kernels import ahead, compiler
ahead._compile("tracked.memory", is_lazy_too=True)
ahead._compile("lattice.bounds", is_lazy_too=False)
print(*sorted(path.name for path in compiler.CACHE.rglob("*.kernel")))
"""
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={**os.environ, "EVOMASK_CACHE": str(tmp_path)},
    )  # fmt: skip
    assert answer.stdout.split() == ["bounds._bounds_between.kernel"]
