"""Kernels and their parts as the compiler makes them of its own accord.

Used with versions of numba that `parts` was not tested with; the results are the same.
"""

from typing import Any

import numba


def part_of_kernels(function: Any, options: dict[str, Any]) -> Any:
    """A part, with options of the compiler."""
    return numba.njit(**options)(function)


def kernel_of(function: Any, signature: Any, kept: Any) -> Any:
    """A kernel for these types, from disk where it is kept there."""
    found = numba.njit(nogil=True)(function)
    found._cache = kept
    found.compile(signature)
    found.disable_compile()
    return found
