"""Compile every kernel now, so that nothing waits for it later."""

import importlib
import pkgutil

import evomask.kernels

if __name__ == "__main__":
    for module in pkgutil.iter_modules(evomask.kernels.__path__):
        if module.name != "__main__":
            importlib.import_module(f"evomask.kernels.{module.name}")
