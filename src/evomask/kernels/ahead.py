"""Kernels compiled ahead of their use, several modules at once."""

import os
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from evomask.kernels.compiler import IMPORTED, SOURCES, is_compiled, source_of


def modules_with_kernels() -> tuple[str, ...]:
    """Every module that has some."""
    paths = (path.relative_to(SOURCES).with_suffix("") for path in SOURCES.rglob("[a-z]*.py"))
    names = sorted(".".join(path.parts) for path in paths)
    return tuple(name for name in names if "\n@kernel(" in _source(name))


def compile_ahead(names: Iterable[str]) -> None:
    """Compile modules, each in a process of its own; what fails there is told when it is used.

    What calls most others takes longest and comes first, and what another one calls is compiled
    with it.
    """
    waiting = [name for name in names if not is_compiled(name)]
    found: list[str] = []
    for name in sorted(waiting, key=lambda name: len(_called(name)), reverse=True):
        if not any(name in _called(other) for other in found):
            found.append(name)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(_compile, found))


def _compile(name: str) -> None:
    command = [sys.executable, "-c", f"import {__package__}.{name}"]
    subprocess.run(command, check=False, stderr=subprocess.DEVNULL)  # noqa: S603


def _source(name: str) -> str:
    return source_of(name).read_text(encoding="utf-8")


def _called(name: str) -> set[str]:
    """A module and all that it calls, however far away."""
    return {name}.union(*(_called(other) for other in IMPORTED.findall(_source(name))))
