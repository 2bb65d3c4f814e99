"""What is done before the clock starts: kernels are compiled once and then loaded."""

from collections.abc import Callable, Iterable
from importlib import import_module

from evomask.kernels.ahead import Progress, compile_ahead
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
    compile_ahead(names, _in_words(tell))
    for name in names:
        import_module(f"evomask.kernels.{name}")


def _in_words(tell: Callable[[str], None]) -> Callable[[Progress], None]:
    """Tell how far compiling is, each number of finished modules once."""
    heard: set[int] = set()

    def follow(progress: Progress) -> None:
        if progress.done not in heard:
            heard.add(progress.done)
            tell(f"compiling kernels, this happens once: {progress.done} of {progress.of} done")

    return follow
