"""Command that compiles all kernels: ``python -m evomask.kernels``."""

import sys

from evomask.kernels.compiler.precompile import Progress, compile_everything


def print_progress(progress: Progress) -> None:
    """Print one line for each finished module to standard error."""
    if progress.seconds is not None:
        sys.stderr.write(
            f"{progress.done} of {progress.of} compiled: "
            f"{progress.module}, {progress.seconds:.1f} s\n"
        )


if __name__ == "__main__":
    compile_everything(print_progress)
