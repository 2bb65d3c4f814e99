"""Compilation of kernels ahead of their use, in one process per processor.

A process translates the inner functions that several modules share once. So an idle process takes
the module that shares most with those it has compiled and least with those of other processes;
among equals the longest, so that no long one is left for the end.
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
from threading import Event, Lock
from time import perf_counter

from evomask.kernels.compiler.cache import PREBUILT_VARIABLE
from evomask.kernels.jit import IMPORTED, SOURCES, LazyKernel, is_compiled, module_name, source_of

SERVE = f"from {__name__} import serve; serve()"
ISOLATED = "import sys; sys.path[:] = sys.argv.pop(1).split({!r}); "
"""Start of a worker process: it imports from the absolute folders of this process only."""


COMPILED_FUNCTION = re.compile(r"^@(inner|extreme|kernel|lazy)\b", re.MULTILINE)
KERNEL = re.compile(r"^@(kernel|lazy)\(", re.MULTILINE)


@dataclass(frozen=True)
class Progress:
    """Progress of compilation.

    Args:
        module: the module begun or finished, as ``groups.mdav``.
        done: number of finished modules.
        of: number of all modules.
        seconds: time that the module took; none where it has only begun.
    """

    module: str
    done: int
    of: int
    seconds: float | None = None


Callback = Callable[[Progress], None]


def modules_with_kernels() -> tuple[str, ...]:
    """Return the names of all modules that contain kernels."""
    packages = SOURCES.parents[1]
    paths = [*SOURCES.rglob("[a-z]*.py"), *packages.glob("evomask_*/kernels/[a-z]*.py")]
    names = (".".join(path.relative_to(packages).with_suffix("").parts) for path in paths)
    short = sorted(name.removeprefix(f"{SOURCES.parent.name}.{SOURCES.name}.") for name in names)
    return tuple(name for name in short if KERNEL.search(_source(name)))


def compile_ahead(
    names: Iterable[str], callback: Callback = lambda _: None, stop: Event | None = None
) -> None:
    """Compile the kernels of modules, unless they are cached, but not those of imported modules.

    No module is begun after *stop* is set. Errors are not reported here; they occur again when the
    kernel is called.
    """
    missing = [name for name in dict.fromkeys(names) if not is_compiled(name)]
    _compile_all(missing, callback, stop=stop)


def compile_everything(callback: Callback = lambda _: None) -> None:
    """Compile all kernels, including lazy ones, for this very processor."""
    _compile_all(list(modules_with_kernels()), callback, "include rare")


@dataclass
class _Schedule:
    """Modules that no process has taken yet, and the modules that each process knows."""

    names: list[str]
    stop: Event = field(default_factory=Event)
    lock: Lock = field(default_factory=Lock)
    known: dict[int, frozenset[str]] = field(default_factory=dict)

    def take(self, process: int) -> str | None:
        """Return the next module for a process; none if no module is left."""
        with self.lock:
            if not self.names or self.stop.is_set():
                return None
            name = max(self.names, key=lambda name: (self._gain(name, process), _size(name), name))
            self.names.remove(name)
            self.known[process] = self.known.get(process, frozenset()) | _called(name)
            return name

    def _gain(self, name: str, process: int) -> float:
        """Known share of a module's source less the share that others know, in tenths."""
        own = self.known.get(process, frozenset())
        others = frozenset[str]().union(*self.known.values()) - own
        shared = _length(_called(name) & own) - _length(_called(name) & others)
        return round(shared / _size(name), 1)


def _compile_all(
    names: list[str], callback: Callback, *options: str, stop: Event | None = None
) -> None:
    schedule = _Schedule(list(names), stop or Event())
    steps: SimpleQueue[tuple[str, float | None] | None] = SimpleQueue()
    workers = running = min(len(names), os.cpu_count() or 1)
    done = 0
    with ThreadPoolExecutor(max(workers, 1)) as pool:
        for number in range(workers):
            pool.submit(_compile_scheduled, number, schedule, steps, options)
        while running:
            step = steps.get()
            if step is None:
                running -= 1
                continue
            name, seconds = step
            done += seconds is not None
            callback(Progress(name, done, len(names), seconds))


def _compile_scheduled(
    number: int,
    schedule: _Schedule,
    steps: SimpleQueue[tuple[str, float | None] | None],
    options: tuple[str, ...],
) -> None:
    """Send module after module to a worker process; replace a process that has died.

    The last step is None.
    """
    process = _start_process(options)
    while (name := schedule.take(number)) is not None:
        steps.put((name, None))
        began = perf_counter()
        if not _compile_in(process, name):
            process.communicate()
            process = _start_process(options)
        steps.put((name, perf_counter() - began))
    process.communicate()
    steps.put(None)


def _start_process(options: tuple[str, ...]) -> subprocess.Popen[str]:
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-I", "-c", ISOLATED.format(os.pathsep) + SERVE, _own_path(), *options],
        text=True, env=_environment(options),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def _environment(options: tuple[str, ...]) -> dict[str, str]:
    """Environment of a worker; prebuilt kernels are ignored when everything is compiled."""
    return {**os.environ, **({PREBUILT_VARIABLE: "0"} if options else {})}


def _own_path() -> str:
    return os.pathsep.join(folder for folder in sys.path if Path(folder).is_absolute())


def _compile_in(process: subprocess.Popen[str], name: str) -> bool:
    """Wait until a process has compiled a module; false if it has died."""
    assert process.stdin is not None  # noqa: S101
    assert process.stdout is not None  # noqa: S101
    try:
        process.stdin.write(f"{name}\n")
        process.stdin.flush()
        return bool(process.stdout.readline())
    except OSError:
        return False


def serve() -> None:
    """Compile the modules named on standard input and report each on standard output."""
    gc.disable()
    for line in sys.stdin:
        try:
            _compile(line.strip(), includes_rare=len(sys.argv) > 1)
        except Exception:  # noqa: BLE001
            print("failed", flush=True)  # noqa: T201
        else:
            print("compiled", flush=True)  # noqa: T201


def _compile(name: str, *, includes_rare: bool) -> None:
    module = import_module(module_name(name))
    for kernel in vars(module).values():
        is_own = isinstance(kernel, LazyKernel) and kernel.function.__module__ == module.__name__
        if is_own and kernel.kernel is None and (includes_rare or not kernel.is_rare):
            kernel.load()


@cache
def _source(name: str) -> str:
    return source_of(name).read_text(encoding="utf-8")


@cache
def _called(name: str) -> frozenset[str]:
    """A module and all modules that it imports, transitively."""
    return frozenset({name}).union(*(_called(other) for other in IMPORTED.findall(_source(name))))


def _length(names: Iterable[str]) -> int:
    """Characters of the sources that contain compiled functions."""
    return sum(len(_source(name)) for name in names if COMPILED_FUNCTION.search(_source(name)))


def _size(name: str) -> int:
    return _length(_called(name))
