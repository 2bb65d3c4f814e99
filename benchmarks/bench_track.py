"""One changed cell, tracked, against a full reading: Census and German credit."""

import time
from collections.abc import Callable

import numpy as np

from evomask.data.frames import Declaration
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.io.datasets import reference_file
from evomask.io.tables import read_table
from evomask.kernels.incremental.measures import replay
from evomask.measures.incremental.tracker import TrackedFile
from evomask.measures.loss.loss import StrictLoss
from evomask.measures.profiles import PROFILES
from evomask.types import Floats, Indices

GERMAN = ("EXISTACC", "SAVINGS", "PRESEMPLOY")
STEPS = 2_000
SHARE = 0.3


def census() -> Table:
    return read_table(reference_file("casc/census.csv"))


def german() -> Table:
    declared = {name: Declaration(Kind.ORDINAL, Role.QUASI_IDENTIFIER) for name in GERMAN}
    return read_table(reference_file("uci/german_credit.csv"), declared).only(GERMAN)


def perturbed(table: Table, rng: np.random.Generator) -> Table:
    """Some cells of each attribute from another record."""
    changes = {}
    for name in table.schema.names:
        drawn = table[name][rng.permutation(len(table))]
        changes[name] = np.where(rng.random(len(table)) < SHARE, drawn, table[name])
    return table.with_columns(changes)


def permuted(table: Table, rng: np.random.Generator) -> Table:
    """Some cells changed and all categories renamed: the renamed version is followed too."""
    masked = perturbed(table, rng)
    sizes = {name: len(table.attribute(name).categories) for name in table.schema.names}
    return masked.with_columns({name: (masked[name] + 1) % size for name, size in sizes.items()})


def spent(work: Callable[[], object]) -> float:
    """CPU seconds, warm."""
    work()
    start = time.process_time()
    work()
    return time.process_time() - start


def real_changes(
    table: Table, masked: Table, rng: np.random.Generator
) -> tuple[Indices, Indices, Floats, Indices]:
    """Changes of different cells to other values than they hold, half of them kept."""
    names, n = table.schema.names, len(table)
    cells = rng.permutation(n * len(names))[:STEPS]
    records, attributes = cells % n, cells // n
    pairs = list(zip(attributes, records, rng.integers(0, n, len(cells)), strict=True))
    values = np.array([float(table[names[a]][i]) for a, _, i in pairs])
    held = np.array([float(masked[names[a]][r]) for a, r, _ in pairs])
    other = values != held
    return records[other], attributes[other], values[other], rng.integers(0, 2, other.sum())


def figure(title: str, table: Table, masked: Table, *, strict: bool, aim: float) -> None:
    names, rng = table.schema.names, np.random.default_rng(2)
    reading = PROFILES["strict" if strict else "papers"].followable(names).against(table)
    loss = StrictLoss(names).against(table)
    warm, tracked = (reading.track(masked) for _ in range(2))  # type: ignore[attr-defined]
    assert isinstance(warm, TrackedFile)
    assert isinstance(tracked, TrackedFile)
    changes = real_changes(table, masked, rng)
    full = spent(lambda: (loss(masked), reading(masked)))
    replay(warm.state, *changes)
    start = time.process_time()
    replay(tracked.state, *changes)
    step = (time.process_time() - start) / len(changes[0])
    begun = spent(lambda: reading.track(masked))  # type: ignore[attr-defined]
    print(
        f"{title:<34} {step * 1e6:7.1f} us, {step * 1e6 / aim:5.2f} of the aim; full reading "
        f"{full * 1e3:6.2f} ms, {full / step:6.0f} times as much; beginning {begun * 1e3:6.2f} ms"
    )


def main() -> None:
    rng = np.random.default_rng(1)
    table = census()
    masked = perturbed(table, rng)
    figure("Census papers, loss and risk", table, masked, strict=False, aim=30)
    figure("Census strict, loss and risk", table, masked, strict=True, aim=100)
    table = german()
    masked = perturbed(table, rng)
    figure("German papers, loss and risk", table, masked, strict=False, aim=50)
    figure("German strict, loss and risk", table, masked, strict=True, aim=50)
    masked = permuted(table, rng)
    figure("German strict, categories renamed", table, masked, strict=True, aim=50)


if __name__ == "__main__":
    main()
