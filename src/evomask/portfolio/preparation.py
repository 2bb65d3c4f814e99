"""What is done before the clock starts: kernels are compiled once and then loaded."""

from collections.abc import Callable, Iterable
from importlib import import_module

from evomask.kernels.ahead import compile_ahead
from evomask.kernels.compiler import is_compiled
from evomask.searches.catalogue import search_named

MASKING = ("groups.mdav", "groups.walks", "groups.mixed_mdav", "groups.mondrian", "groups.merging")
MEASURING = (
    "linking.linkage",
    "linking.code_tree",
    "linking.agreement",
    "linking.agreement_tally",
    "linking.agreement_model",
    "linking.assignment",
)


def load_kernels(tell: Callable[[str], None], searches: Iterable[str] = ()) -> None:
    """Import what masking, measuring and searches use; the first time this compiles them."""
    own = [kernel for name in searches for kernel in search_named(name).kernels]
    names = (*MASKING, *MEASURING, *own)
    if not all(is_compiled(name) for name in names):
        tell("compiling kernels; this takes a minute or two and happens once")
        compile_ahead(names)
    for name in names:
        import_module(f"evomask.kernels.{name}")
