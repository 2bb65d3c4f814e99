"""How long a newcomer waits: the help text, and a masked file, each as a new process.

Prints wall seconds, the median of several runs with compiled kernels in the cache.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from evomask.io.datasets import reference_file

RUNS = 7


def seconds(*words: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "evomask", *words], check=True, capture_output=True)
    return time.perf_counter() - started


def median(*words: str) -> float:
    return statistics.median(seconds(*words) for _ in range(RUNS))


def main() -> None:
    census = str(reference_file("casc/census.csv"))
    with tempfile.TemporaryDirectory() as folder:
        mask = ("mask", census, "-k", "3", "--force", "--out", str(Path(folder) / "masked.csv"))
        seconds(*mask)
        print(f"evomask --help            {median('--help'):.3f} s (aim: under 0.5)")
        print(f"evomask mask, Census, k=3 {median(*mask):.3f} s (aim: under 3)")


if __name__ == "__main__":
    main()
