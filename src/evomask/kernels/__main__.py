"""Compile every kernel now, so that nothing waits for it later."""

import sys

from evomask.kernels.ahead import Progress, compile_everything


def tell(progress: Progress) -> None:
    """Write a line for each module that is finished."""
    if progress.seconds is not None:
        sys.stderr.write(
            f"{progress.done} of {progress.of} compiled: "
            f"{progress.module}, {progress.seconds:.1f} s\n"
        )


if __name__ == "__main__":
    compile_everything(tell)
