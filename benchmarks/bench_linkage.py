"""Distance-based record linkage: Census in milliseconds, 20,000 x 13 in seconds, and the ratio
to comparing all pairs with a matrix product (which cannot tell ties apart)."""

import time
from collections.abc import Callable

import numpy as np

from evomask.data.schema import Attribute, Kind, Schema
from evomask.data.table import Table
from evomask.io.datasets import reference_file
from evomask.io.tables import read_table
from evomask.measures.papers.distance_linkage import DistanceLinkage
from evomask.types import Points

RUNS = 5
AIMS = {"Census 1080 x 13": 0.005, "normal 20000 x 13": 2.0}


def cpu_seconds(work: Callable[[], object], runs: int = RUNS) -> float:
    spent = []
    for _ in range(runs):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent)


def all_pairs(targets: Points, candidates: Points) -> float:
    norms = np.einsum("ij,ij->i", candidates, candidates)
    hits = 0
    for start in range(0, len(targets), 500):
        block = slice(start, start + 500)
        nearest = np.argmin(norms - 2 * targets[block] @ candidates.T, axis=1)
        hits += int(np.sum(nearest == np.arange(len(targets))[block]))
    return hits / len(targets)


def noisy(table: Table, deviations: float, rng: np.random.Generator) -> Table:
    names = table.schema.names
    return table.with_columns(
        {
            n: np.round(table[n] + rng.normal(0, deviations * table[n].std(), len(table)))
            for n in names
        }
    )


def normal(n_records: int, width: int, rng: np.random.Generator) -> Table:
    schema = Schema(tuple(Attribute(f"n{j}", Kind.CONTINUOUS) for j in range(width)))
    mixing = np.eye(width) + 0.3
    points = np.round(rng.normal(size=(n_records, width)) @ mixing * 1000)
    return Table(schema, {f"n{j}": points[:, j] for j in range(width)})


def report(name: str, table: Table, rng: np.random.Generator) -> None:
    names = table.schema.names
    reading = DistanceLinkage(names).against(table)
    scale = table.matrix(names).std(axis=0)
    for deviations in (0.1, 0.5, 1.0):
        masked = noisy(table, deviations, rng)
        reading(masked)
        ours = cpu_seconds(lambda masked=masked: reading(masked))  # type: ignore[misc]
        points = (masked.matrix(names) / scale, table.matrix(names) / scale)
        plain = cpu_seconds(lambda points=points: all_pairs(*points), 1)  # type: ignore[misc]
        print(
            f"{name}, noise {deviations} sd: {ours * 1000:.1f} ms CPU, "
            f"{ours / AIMS[name]:.2f} of the aim, all pairs / ours {plain / ours:.1f}"
        )


def main() -> None:
    rng = np.random.default_rng(1)
    report("Census 1080 x 13", read_table(reference_file("casc/census.csv")), rng)
    report("normal 20000 x 13", normal(20_000, 13, rng), rng)


if __name__ == "__main__":
    main()
