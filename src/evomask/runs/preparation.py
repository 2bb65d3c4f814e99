"""What is done before the clock starts: kernels are compiled once and then loaded."""

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules

import evomask.kernels
from evomask.kernels.compiler import CACHE


def load_kernels(tell: Callable[[str], None]) -> None:
    """Import every kernel; the first time after an installation this compiles them."""
    if not any(CACHE.iterdir()):
        tell("compiling kernels; this takes about a minute and happens once")
    for module in iter_modules(evomask.kernels.__path__):
        if module.name != "__main__":
            import_module(f"evomask.kernels.{module.name}")
