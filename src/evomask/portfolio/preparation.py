"""What is done before the clock starts: kernels are compiled once and then loaded."""

from collections.abc import Callable, Iterable, Sequence
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


def compile_for(search: str, tell: Callable[[str], None]) -> None:
    """Compile the kernels that one search names, unless they are; they load when they are used."""
    _compile(getattr(search_named(search), "kernels", ()), tell)


def load_kernels(tell: Callable[[str], None], searches: Iterable[str] = ()) -> None:
    """Import what masking, measuring and searches use; the first time this compiles them."""
    own = [kernel for name in searches for kernel in search_named(name).kernels]
    names = (*MASKING, *MEASURING, *own)
    _compile(names, tell)
    for name in names:
        import_module(f"evomask.kernels.{name}")


def _compile(names: Sequence[str], tell: Callable[[str], None]) -> None:
    if not all(is_compiled(name) for name in names):
        tell("compiling kernels; this takes a minute or two and happens once")
        compile_ahead(names)
