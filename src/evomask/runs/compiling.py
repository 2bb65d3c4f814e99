"""All kernels compiled beforehand: for a new machine, a container or the image of a cluster."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from evomask.kernels.ahead import Progress, compile_everything
from evomask.kernels.compiler import CACHE

Step = Progress
Watch = Callable[[Step], None]


@dataclass(frozen=True)
class Compiled:
    """What was compiled.

    Args:
        folder: where it is kept; `EVOMASK_CACHE` names another home for it.
        seconds: wall time, all processes together.
        modules: wall time of each module.
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
