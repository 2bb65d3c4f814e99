"""Kernels that a wheel carries: compiled for a level of processors, taken where nothing better is.

Like all that is kept they fit one version of Python, of numba and of their sources; where one of
these differs, or the processor cannot do what the level asks, kernels are compiled here instead.
What `evomask compile` makes for the very processor comes first. The folder is part of the
package, so whoever can write to it could have written the package.
"""

import os
import platform
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from llvmlite import binding

FOLDER = Path(__file__).parent / "carried"
LEFT_OUT = "EVOMASK_CARRIED"
"""The variable that, set to 0, leaves carried kernels alone."""


@dataclass(frozen=True)
class Level:
    """A kind of processor to compile for.

    Args:
        name: as the compiler calls it.
        needs: what a processor must be able to do.
    """

    name: str
    needs: frozenset[str] = frozenset()


ABILITIES = frozenset({"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "sse4.2"})
LEVELS = {"x86_64": Level("x86-64-v3", ABILITIES), "AMD64": Level("x86-64-v3", ABILITIES)}
"""What wheels are compiled for, by machine; `generic` for all others."""


def level() -> Level:
    """The level that a wheel for this kind of machine is compiled for."""
    return LEVELS.get(platform.machine(), Level("generic"))


@cache
def carried() -> Path | None:
    """The folder of kernels that came with the package, if this processor can run them."""
    if os.environ.get(LEFT_OUT) == "0" or not FOLDER.is_dir():
        return None
    features = binding.get_host_cpu_features()
    return FOLDER if all(features.get(name) for name in level().needs) else None
