"""The best groups of one attribute: sorted and cut, beside the same path in plain Python.

CPU seconds of this process with the kernel compiled; ratio = plain / compiled. Then the
first call of a new process with an empty cache.
"""

import os
import subprocess
import sys
import tempfile
import time

import numpy as np

from evomask.data.partition import within_sum_of_squares
from evomask.kernels.groups.splits import split_values
from evomask.types import Floats, Labels

N_RECORDS = 1_000_000
FIRST_CALL = """
import time, numpy
values = numpy.arange(100.0)
started = time.process_time()
from evomask.kernels.groups.splits import split_values
split_values(values, 5)
print(time.process_time() - started)
"""


def plain(values: Floats, k: int) -> Labels:
    """Shortest path over running sums, a step at a time."""
    order = np.argsort(values, kind="stable")
    ranked = values[order].tolist()
    n = len(ranked)
    lengths, sizes = [0.0] + [float("inf")] * n, [0] * (n + 1)
    for stop in range(k, n + 1):
        last, total, squares = ranked[stop - 1], 0.0, 0.0
        for size in range(1, min(2 * k - 1, stop) + 1):
            apart = last - ranked[stop - size]
            total += apart
            squares += apart * apart
            length = lengths[stop - size] + squares - total * total / size
            if size >= k and length < lengths[stop]:
                lengths[stop], sizes[stop] = length, size
    starts = np.zeros(n, dtype=np.int64)
    while n > 0:
        n -= sizes[n]
        starts[n] = 1
    labels = np.empty(len(values), dtype=np.int64)
    labels[order] = np.cumsum(starts) - 1
    return labels


def compiled_seconds(values: Floats, k: int) -> float:
    times = []
    for _ in range(3):
        started = time.process_time()
        split_values(values, k)
        times.append(time.process_time() - started)
    return min(times)


def first_call() -> float:
    with tempfile.TemporaryDirectory() as empty:
        told = subprocess.run(
            [sys.executable, "-c", FIRST_CALL],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "EVOMASK_CACHE": empty},
        )
    return float(told.stdout)


def main() -> None:
    values = np.random.default_rng(0).normal(size=N_RECORDS)
    split_values(values[:100], 5)
    started = time.process_time()
    expected = within_sum_of_squares(values[:, None], plain(values, 5))
    slow = time.process_time() - started
    found = within_sum_of_squares(values[:, None], split_values(values, 5))
    if not np.isclose(found, expected, rtol=1e-12):
        raise SystemExit("the sums of squares differ")
    used = compiled_seconds(values, 5)
    print(f"normal {N_RECORDS:,} k=5   {used:.3f} s  plain {slow:.2f} s", end="  ")
    print(f"ratio {slow / used:.0f}  aim 0.35 s")
    print(f"normal {N_RECORDS:,} k=100 {compiled_seconds(values, 100):.3f} s")
    print(f"first call, nothing compiled: {first_call():.1f} s  aim 5 s")


if __name__ == "__main__":
    main()
