"""``evomask compile``: compile all kernels ahead of their first use."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import progress, say, say_json

if TYPE_CHECKING:
    from evomask.runs.precompile import Step, Watch


@examples(
    "evomask compile                  # once; later commands need not compile",
)
def compile_(json: options.Json = False, quiet: options.Quiet = False) -> None:
    """Compile all kernels now, for example on a new machine, in a container or in a cluster
    image."""
    from evomask.runs.precompile import compile_kernels

    with _progress_view(quiet=quiet) as watch:
        compiled = compile_kernels(watch)
    if json:
        modules = {name: round(seconds, 2) for name, seconds in compiled.modules.items()}
        seconds = round(compiled.seconds, 2)
        say_json({"folder": str(compiled.folder), "seconds": seconds, "modules": modules})
    elif not quiet:
        say(f"compiled kernels are in {compiled.folder}; {compiled.seconds:.0f} s")


@contextmanager
def _progress_view(*, quiet: bool) -> Iterator["Watch"]:
    """Yield a callback for progress: a bar on a terminal, elsewhere a line for each module."""
    if quiet:
        yield lambda _: None
    elif not sys.stderr.isatty():
        yield _line
    else:
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("compiling kernels", total=None)
            yield lambda step: bar.update(
                task, completed=step.done, total=step.of, description=f"compiling {step.module}"
            )


def _line(step: "Step") -> None:
    if step.seconds is not None:
        text = f"{step.done} of {step.of} compiled: {step.module}, {step.seconds:.1f} s"
        progress(text, quiet=False)
