"""Kernels compiled ahead of their use, in as many processes as there are processors.

A process takes one module after the other, so what several of them call is compiled once in it.
"""

import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from queue import Empty, SimpleQueue
from time import perf_counter

from evomask.kernels.compiler import AT_ONCE, IMPORTED, SOURCES, Lazy, is_compiled, source_of

SERVE = f"from {__name__} import serve; serve()"
ISOLATED = "import sys; sys.path[:] = sys.argv.pop(1).split({!r}); "
"""How a process begins that runs nothing but what this one would: never the current folder."""


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
    return tuple(name for name in names if "\n@kernel(" in _source(name))


def compile_ahead(names: Iterable[str], watch: Watch = lambda _: None) -> None:
    """Compile modules where that was not done before, and tell *watch* how far it is.

    What fails is told when it is used.
    """
    _compile_all(_roots(name for name in names if not is_compiled(name)), watch)


def compile_everything(watch: Watch = lambda _: None) -> None:
    """Compile all kernels there are, also those that are left until they are called."""
    _compile_all(_roots(modules_with_kernels()), watch, "lazy too")


def _roots(names: Iterable[str]) -> list[str]:
    """Modules without those that another one calls; what takes longest comes first."""
    found: list[str] = []
    for name in sorted(names, key=_size, reverse=True):
        if not any(name in _called(other) for other in found):
            found.append(name)
    return found


def _compile_all(names: list[str], watch: Watch, *options: str) -> None:
    waiting: SimpleQueue[str] = SimpleQueue()
    steps: SimpleQueue[tuple[str, float | None]] = SimpleQueue()
    for name in names:
        waiting.put(name)
    workers = min(len(names), os.cpu_count() or 1)
    done = 0
    with ThreadPoolExecutor(max(workers, 1)) as pool:
        for _ in range(workers):
            pool.submit(_compile_waiting, waiting, steps, options)
        while done < len(names):
            name, seconds = steps.get()
            done += seconds is not None
            watch(Progress(name, done, len(names), seconds))


def _compile_waiting(
    waiting: SimpleQueue[str],
    steps: SimpleQueue[tuple[str, float | None]],
    options: tuple[str, ...],
) -> None:
    """Hand module after module to a process of its own; a new one where the last has died."""
    process = _started(options)
    while True:
        try:
            name = waiting.get_nowait()
        except Empty:
            break
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
        text=True, env={**os.environ, AT_ONCE: "1"},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip


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
    import_module(f"{__package__}.{name}")
    for other in sorted(_called(name)) if is_lazy_too else ():
        for kernel in vars(import_module(f"{__package__}.{other}")).values():
            if isinstance(kernel, Lazy) and kernel.kernel is None:
                kernel.load()


def _source(name: str) -> str:
    return source_of(name).read_text(encoding="utf-8")


def _called(name: str) -> set[str]:
    """A module and all that it calls, however far away."""
    return {name}.union(*(_called(other) for other in IMPORTED.findall(_source(name))))


def _size(name: str) -> int:
    return sum(len(_source(other)) for other in _called(name))
