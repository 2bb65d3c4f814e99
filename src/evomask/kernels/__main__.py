"""Compile every kernel now, several modules at once, so that nothing waits for it later.

``python -m evomask.kernels [MODULE...]``
"""

import importlib
import os
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from evomask.kernels.compiler import IMPORTED, SOURCES, is_compiled


def source(name: str) -> str:
    """The text of a module."""
    return (SOURCES / f"{name}.py").read_text(encoding="utf-8")


def called(name: str) -> set[str]:
    """A module and all that it calls, however far away."""
    return {name}.union(*(called(other) for other in IMPORTED.findall(source(name))))


def modules() -> list[str]:
    """Every module with kernels; what calls most others takes longest and comes first."""
    names = sorted(path.stem for path in SOURCES.glob("[a-z]*.py"))
    with_kernels = (name for name in names if "\n@kernel(" in source(name))
    return sorted(with_kernels, key=lambda name: len(called(name)), reverse=True)


def starting_points() -> list[str]:
    """Modules that are not compiled; none that another one calls and so compiles anyway."""
    found: list[str] = []
    for name in modules():
        if not is_compiled(name) and not any(name in called(other) for other in found):
            found.append(name)
    return found


def load(names: Iterable[str]) -> None:
    """Import modules, which compiles what was not compiled before."""
    for name in names:
        importlib.import_module(f"evomask.kernels.{name}")


def compile_apart(name: str) -> None:
    """Compile a module in a process of its own; what fails there is told when it is loaded."""
    subprocess.run([sys.executable, "-m", "evomask.kernels", name], check=False)  # noqa: S603


if __name__ == "__main__":
    if sys.argv[1:]:
        load(sys.argv[1:])
    else:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(compile_apart, starting_points()))
        load(modules())
