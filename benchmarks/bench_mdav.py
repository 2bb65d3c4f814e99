"""MDAV as it is used, beside the flat search that computes every distance: the same groups.

CPU seconds of this process, kernels compiled before; ratio = flat / used.
"""

import time
from collections.abc import Callable

import numpy as np

from evomask.kernels.groups.mdav import Strategy, mdav
from evomask.types import Labels, Points

AIMS = {(50_000, 5, 3): 0.5, (100_000, 5, 3): 1.5, (100_000, 13, 10): 2.2}
SIZES = (
    (1_080, 13, 3), (4_000, 13, 10), (10_000, 5, 3), (50_000, 5, 3), (50_000, 13, 3),
    (100_000, 5, 3), (100_000, 13, 10),
)  # fmt: skip


def normal(n_records: int, n_columns: int) -> Points:
    return np.random.default_rng(1).normal(size=(n_records, n_columns))


def correlated(n_records: int, n_columns: int) -> Points:
    """Lognormal, three factors and a little noise."""
    rng = np.random.default_rng(2)
    factors = rng.normal(size=(n_records, 3)) @ rng.normal(size=(3, n_columns))
    return np.exp(0.5 * factors + 0.1 * rng.normal(size=(n_records, n_columns)))


def seconds(call: Callable[[], Labels], n_records: int) -> tuple[float, Labels]:
    """Least CPU time of a few calls, and what they return."""
    times = []
    for _ in range(5 if n_records <= 10_000 else 2):
        started = time.process_time()
        labels = call()
        times.append(time.process_time() - started)
    return min(times), labels


def compare(name: str, points: Points, k: int) -> None:
    used, labels = seconds(lambda: mdav(points, k), len(points))
    flat, expected = seconds(lambda: mdav(points, k, strategy=Strategy.FLAT), len(points))
    if not np.array_equal(labels, expected):
        raise SystemExit(f"{name}: the groups differ")
    aim = AIMS.get((*points.shape, k)) if name == "normal" else None
    told = f"  aim {aim} s" if aim else ""
    shape = f"{len(points):,} x {points.shape[1]}"
    print(f"{name:10} {shape:>13} k={k:<3} {used:8.4f} s  flat {flat:8.4f} s", end="  ")
    print(f"ratio {flat / used:5.2f}{told}")


def main() -> None:
    for strategy in (Strategy.WALKS, Strategy.TREE):
        mdav(normal(100, 2), 3, strategy=strategy)
    for n_records, n_columns, k in SIZES:
        compare("normal", normal(n_records, n_columns), k)
    compare("correlated", correlated(50_000, 13), 3)
    compare("identical", np.ones((20_000, 5)), 3)


if __name__ == "__main__":
    main()
