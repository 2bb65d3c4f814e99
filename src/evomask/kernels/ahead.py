"""Kernels compiled ahead of their use, in as many processes as there are processors.

Parts that several modules call are translated once in each process that compiles any of these.
So a process that is free takes the module that shares most with what it has compiled itself and
least with what the others have; among equals the longest, so that no long one is left for the end.
"""

import gc
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from threading import Lock
from time import perf_counter

from evomask.kernels.carried import LEFT_OUT
from evomask.kernels.compiler import IMPORTED, SOURCES, Lazy, is_compiled, source_of

SERVE = f"from {__name__} import serve; serve()"
ISOLATED = "import sys; sys.path[:] = sys.argv.pop(1).split({!r}); "
"""How a process begins that runs nothing but what this one would: never the current folder."""


COMPILED = re.compile(r"^@(inner|extreme|kernel|lazy)\b", re.MULTILINE)
MARKED = re.compile(r"^@(kernel|lazy)\(", re.MULTILINE)


@dataclass(frozen=True)
class Progress:
    """How far compiling is.

    Args:
        module: the one begun or finished, named as below this folder: ``groups.mdav``.
        done: how many of them are finished.
        of: how many there are.
        seconds: what this one took; none where it has only begun.
    """

    module: str
    done: int
    of: int
    seconds: float | None = None


Watch = Callable[[Progress], None]


def modules_with_kernels() -> tuple[str, ...]:
    """Every module that has some."""
    paths = (path.relative_to(SOURCES).with_suffix("") for path in SOURCES.rglob("[a-z]*.py"))
    names = sorted(".".join(path.parts) for path in paths)
    return tuple(name for name in names if MARKED.search(_source(name)))


def compile_ahead(names: Iterable[str], watch: Watch = lambda _: None) -> None:
    """Compile modules, and those they call, where that was not done before; tell how far it is.

    What fails is told when it is used.
    """
    _compile_all([name for name in _with_called(names) if not is_compiled(name)], watch)


def compile_everything(watch: Watch = lambda _: None) -> None:
    """Compile all kernels there are, also those that are left until they are called."""
    _compile_all(list(modules_with_kernels()), watch, "lazy too")


def _with_called(names: Iterable[str]) -> list[str]:
    """Modules with kernels among the given ones and all that these call."""
    called = frozenset[str]().union(*map(_called, names))
    return [name for name in modules_with_kernels() if name in called]


@dataclass
class _Waiting:
    """Modules that no process has taken yet, and what each process has compiled."""

    names: list[str]
    lock: Lock = field(default_factory=Lock)
    known: dict[int, frozenset[str]] = field(default_factory=dict)

    def take(self, process: int) -> str | None:
        """The next module for a process; none if there is none."""
        with self.lock:
            if not self.names:
                return None
            name = max(self.names, key=lambda name: (self._gain(name, process), _size(name), name))
            self.names.remove(name)
            self.known[process] = self.known.get(process, frozenset()) | _called(name)
            return name

    def _gain(self, name: str, process: int) -> float:
        """The share of a module that a process has translated, less that of others, in tenths."""
        own = self.known.get(process, frozenset())
        others = frozenset[str]().union(*self.known.values()) - own
        shared = _length(_called(name) & own) - _length(_called(name) & others)
        return round(shared / _size(name), 1)


def _compile_all(names: list[str], watch: Watch, *options: str) -> None:
    waiting = _Waiting(list(names))
    steps: SimpleQueue[tuple[str, float | None]] = SimpleQueue()
    workers = min(len(names), os.cpu_count() or 1)
    done = 0
    with ThreadPoolExecutor(max(workers, 1)) as pool:
        for number in range(workers):
            pool.submit(_compile_waiting, number, waiting, steps, options)
        while done < len(names):
            name, seconds = steps.get()
            done += seconds is not None
            watch(Progress(name, done, len(names), seconds))


def _compile_waiting(
    number: int,
    waiting: _Waiting,
    steps: SimpleQueue[tuple[str, float | None]],
    options: tuple[str, ...],
) -> None:
    """Hand module after module to a process of its own; a new one where the last has died."""
    process = _started(options)
    while (name := waiting.take(number)) is not None:
        steps.put((name, None))
        began = perf_counter()
        if not _compiled_by(process, name):
            process.communicate()
            process = _started(options)
        steps.put((name, perf_counter() - began))
    process.communicate()


def _started(options: tuple[str, ...]) -> subprocess.Popen[str]:
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-I", "-c", ISOLATED.format(os.pathsep) + SERVE, _own_path(), *options],
        text=True, env=_environment(options),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def _environment(options: tuple[str, ...]) -> dict[str, str]:
    """Who compiles everything wants it for this very processor, whatever the package carries."""
    return {**os.environ, **({LEFT_OUT: "0"} if options else {})}


def _own_path() -> str:
    """The folders that modules come from here, without the current one."""
    return os.pathsep.join(folder for folder in sys.path if Path(folder).is_absolute())


def _compiled_by(process: subprocess.Popen[str], name: str) -> bool:
    """Wait until a process has compiled a module; false if it has died instead."""
    assert process.stdin is not None  # noqa: S101
    assert process.stdout is not None  # noqa: S101
    try:
        process.stdin.write(f"{name}\n")
        process.stdin.flush()
        return bool(process.stdout.readline())
    except OSError:
        return False


def serve() -> None:
    """Compile the modules that are named on the standard input, and say when each is done."""
    gc.disable()
    for line in sys.stdin:
        try:
            _compile(line.strip(), is_lazy_too=len(sys.argv) > 1)
        except Exception:  # noqa: BLE001
            print("failed", flush=True)  # noqa: T201
        else:
            print("compiled", flush=True)  # noqa: T201


def _compile(name: str, *, is_lazy_too: bool) -> None:
    module = import_module(f"{__package__}.{name}")
    for kernel in vars(module).values():
        is_own = isinstance(kernel, Lazy) and kernel.function.__module__ == module.__name__
        if is_own and kernel.kernel is None and (is_lazy_too or not kernel.for_few):
            kernel.load()


@cache
def _source(name: str) -> str:
    return source_of(name).read_text(encoding="utf-8")


@cache
def _called(name: str) -> frozenset[str]:
    """A module and all that it calls, however far away."""
    return frozenset({name}).union(*(_called(other) for other in IMPORTED.findall(_source(name))))


def _length(names: Iterable[str]) -> int:
    """Characters of source that is compiled."""
    return sum(len(_source(name)) for name in names if COMPILED.search(_source(name)))


def _size(name: str) -> int:
    return _length(_called(name))
