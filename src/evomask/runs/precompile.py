"""Compilation of all kernels in advance, for a new machine, a container or a cluster image."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from evomask.kernels.compiler.precompile import Progress, compile_everything
from evomask.kernels.jit import CACHE

Step = Progress
Watch = Callable[[Step], None]


@dataclass(frozen=True)
class Compiled:
    """Result of `compile_kernels`.

    Args:
        folder: cache folder; the variable `EVOMASK_CACHE` sets another one.
        seconds: wall time.
        modules: wall time of each module, by name.
    """

    folder: Path
    seconds: float
    modules: dict[str, float] = field(default_factory=dict)


def compile_kernels(watch: Watch = lambda _: None) -> Compiled:
    """Compile every kernel that was not compiled before for this processor; load the others."""
    began, modules = perf_counter(), {}

    def follow(step: Step) -> None:
        if step.seconds is not None:
            modules[step.module] = step.seconds
        watch(step)

    compile_everything(follow)
    return Compiled(CACHE, perf_counter() - began, modules)
