"""Compile every kernel now, so that nothing waits for it later."""

import importlib

from evomask.kernels.ahead import compile_ahead, modules_with_kernels

if __name__ == "__main__":
    compile_ahead(modules_with_kernels())
    for name in modules_with_kernels():
        importlib.import_module(f"evomask.kernels.{name}")
