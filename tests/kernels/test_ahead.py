import os
import subprocess
import sys

from evomask.kernels import ahead
from evomask.kernels.ahead import Progress, compile_ahead, modules_with_kernels

ASKED = """
from evomask.kernels.ahead import compile_ahead
from evomask.kernels.compiler import is_compiled
print(is_compiled("lattice.promise"))
compile_ahead(["lattice.promise"], lambda step: print(step.module, step.done, step.of))
print(is_compiled("lattice.promise"))
"""


def test_modules_are_compiled_ahead_and_progress_is_told(tmp_path):
    environment = {**os.environ, "EVOMASK_CACHE": str(tmp_path)}
    answer = subprocess.run(
        [sys.executable, "-c", ASKED], capture_output=True, text=True, check=True, env=environment
    )
    assert answer.stdout.splitlines() == [
        "False", "lattice.promise 0 1", "lattice.promise 1 1", "True"
    ]  # fmt: skip


def test_nothing_is_told_where_all_is_compiled():
    from evomask.kernels.lattice import promise  # noqa: F401

    steps = []
    compile_ahead(["lattice.promise"], steps.append)
    assert steps == []


def test_a_process_that_dies_does_not_hold_up_the_others(monkeypatch):
    monkeypatch.setattr(ahead, "SERVE", "import sys; sys.stdin.readline()")
    steps: list[Progress] = []
    ahead._compile_all(["a", "b", "c"], steps.append)
    assert [step.done for step in steps if step.seconds is not None] == [1, 2, 3]


def test_modules_without_kernels_are_not_named():
    assert "groups.mdav" in modules_with_kernels()
    assert "compiler" not in modules_with_kernels()


def test_a_module_comes_with_those_that_call_it():
    roots = ahead._roots(["tracked.state", "tracked.bursts", "linking.linkage"])
    assert roots == ["tracked.bursts"]
