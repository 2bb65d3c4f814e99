"""Loading of kernels: those of the first candidates at once, all others in the background."""

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module

from evomask.data.table import Table
from evomask.kernels.compiler.precompile import Progress, compile_ahead
from evomask.measures.profiles import RiskProfile
from evomask.searches.catalogue import search_named

MANY_NUMBERS = 1_500
"""Records from which on small groups of numbers are formed by `groups.walks`."""

LOW_PRIORITY = 10
"""Niceness of the processes that compile in the background."""


def first_kernels(table: Table, profile: str) -> tuple[str, ...]:
    """Modules of kernels that the first candidates and their evaluation call.

    All others are compiled in the background, or by their first call. The grid begins with Mondrian
    where there are categories, else with microaggregation.
    """
    _, has_categories = _kinds(table)
    strict = ("tables", "linking.boxes", "linking.attribute_inference")
    return (
        *(strict if profile == RiskProfile.STRICT else _linkage_kernels(table)),
        *(("linking.assignment",) if has_categories else ()),
        "groups.merging",
        *(("groups.class_sizes",) if table.schema.scenarios else ()),
        "groups.mondrian" if has_categories else "groups.mdav",
    )


def later_kernels(table: Table, profile: str, searches: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Groups of modules of kernels that a run calls later, in the order of their first use."""
    has_numbers, has_categories = _kinds(table)
    yield (
        "swapping",
        "trees",
        *(("groups.mixed_mdav",) if has_categories else ()),
        *(("groups.mdav",) if has_numbers and has_categories else ()),
    )
    yield (
        *(("groups.walks",) if has_numbers and len(table) >= MANY_NUMBERS else ()),
        *(("linking.code_tree",) if has_categories else ()),
        "linking.linkage",
    )
    for name in searches:
        yield search_named(name).kernels
    if profile == RiskProfile.STRICT:
        yield _linkage_kernels(table)


def _linkage_kernels(table: Table) -> tuple[str, ...]:
    """Kernels of record linkage: a risk of the profile ``papers``, else held-out attacks."""
    has_numbers, has_categories = _kinds(table)
    return (
        "linking.linkage",
        "linking.agreement",
        *(("linking.agreement_tally",) if not has_numbers else ()),
        *(("linking.code_tree",) if has_categories else ()),
    )


def _kinds(table: Table) -> tuple[bool, bool]:
    """Return whether there are numeric and categorical quasi-identifiers."""
    names = table.schema.quasi_identifiers
    categorical = [table.attribute(name).is_categorical for name in names]
    return not all(categorical), any(categorical)


def load_kernels(tell: Callable[[str], None], names: Sequence[str]) -> None:
    """Import modules of kernels, compiled beforehand if necessary; *tell* the progress."""
    compile_ahead(names, _progress_messages(tell))
    for name in names:
        import_module(f"evomask.kernels.{name}")


def compile_for(search: str, tell: Callable[[str], None]) -> None:
    """Compile the kernels that one search names if necessary; they are loaded on first use."""
    compile_ahead(getattr(search_named(search), "kernels", ()), _progress_messages(tell))


@contextmanager
def compile_in_background(groups: Iterable[Sequence[str]]) -> Iterator[None]:
    """Compile groups of modules, one after another, while the block runs.

    A thread drives the compiling processes. After the block no further module is started. Results
    do not depend on it: the first call of a kernel waits for it, or compiles it.
    """
    stop = threading.Event()

    def compile_groups() -> None:
        with suppress(OSError, AttributeError):  # on Linux a thread has a priority of its own
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOW_PRIORITY)
        for names in groups:
            if stop.is_set():
                return
            compile_ahead(names, stop=stop)

    threading.Thread(target=compile_groups, daemon=True).start()
    try:
        yield
    finally:
        stop.set()


def _progress_messages(tell: Callable[[str], None]) -> Callable[[Progress], None]:
    """Turn progress into messages, one for each number of finished modules."""
    reported: set[int] = set()

    def follow(progress: Progress) -> None:
        if progress.done not in reported:
            reported.add(progress.done)
            tell(f"compiling kernels, this happens once: {progress.done} of {progress.of} done")

    return follow
