"""What is done before the clock starts: kernels are compiled once and then loaded."""

from collections.abc import Callable
from importlib import import_module

from evomask.kernels.compiler import is_compiled

MASKING = ("mdav", "walks", "mixed_mdav", "mondrian", "merging")
MEASURING = ("linkage", "agreement", "assignment")


def load_kernels(tell: Callable[[str], None]) -> None:
    """Import what masking and measuring use; the first time this compiles them."""
    if not is_compiled(MASKING[0]):
        tell("compiling kernels; this takes about a minute and happens once")
    for name in (*MASKING, *MEASURING):
        import_module(f"evomask.kernels.{name}")
