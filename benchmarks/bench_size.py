"""Masking methods by the size of the file: CPU seconds, records alike, loss.

    python benchmarks/bench_size.py [LARGEST]

LARGEST is the number of records of the largest file, 100,000 by default. The people are made up:
six quasi-identifiers of all kinds, most combinations unique.
"""

import sys
import time
from collections.abc import Iterator

import numpy as np
import polars as pl

from evomask.data.classes import classes_of
from evomask.data.frames import Declaration, table_from
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.masking.composition import InTurn
from evomask.masking.enforce.repair import Repair, RepairBy
from evomask.masking.local_suppression import LocalSuppression
from evomask.masking.method import MaskingMethod
from evomask.masking.microaggregation.clustered import ClusteredMicroaggregation
from evomask.masking.microaggregation.mdav import Mdav, MdavGeneric
from evomask.masking.microaggregation.mondrian import Mondrian
from evomask.masking.noise import CorrelatedNoise
from evomask.masking.randomization.pram import Pram
from evomask.masking.rank_swapping import RankSwapping
from evomask.masking.recoding.global_recoding import GlobalRecoding
from evomask.measures.loss.loss import InformationLoss

NUMBERS = ("age", "income")
CATEGORIES = ("sex", "region", "education", "occupation")
NAMES = (*NUMBERS, *CATEGORIES)
WARM_UP = 1_000


def people(n: int) -> Table:
    """So many made-up people; occupation and region are independent of all else."""
    rng = np.random.default_rng(3)
    z = rng.standard_normal((n, 2))
    age = np.clip(np.round(45 + 18 * z[:, 0]), 16, 95)
    frame = pl.DataFrame(
        {
            "age": age,
            "income": np.round(np.exp(9.8 + 0.5 * z[:, 1] + 0.01 * (age - 45))),
            "sex": rng.choice(["f", "m"], n),
            "region": rng.choice([f"R{i:02d}" for i in range(20)], n, p=np.arange(1, 21) / 210),
            "education": np.clip(np.round(3 + z[:, 1] + rng.standard_normal(n)), 1, 6).astype(int),
            "occupation": rng.choice([f"occ{i:03d}" for i in range(60)], n),
        }
    )
    kinds = {name: Kind.ORDINAL if name == "education" else None for name in NAMES}
    return table_from(
        frame, {name: Declaration(kind, Role.QUASI_IDENTIFIER) for name, kind in kinds.items()}
    )


def methods() -> Iterator[tuple[str, MaskingMethod, int]]:
    """Each with the k that it promises; 1 for none."""
    yield "MDAV of 2 numbers, k = 5", Mdav(NUMBERS, 5), 1
    for k in (2, 5, 30, 150):
        yield f"mixed MDAV, k = {k}", MdavGeneric(NAMES, k), k
    yield "Mondrian, k = 5", Mondrian(NAMES, 5), 5
    yield "clustered, 10 clusters, k = 5", ClusteredMicroaggregation(CATEGORIES, 5, 10), 1
    yield "rank swapping 5 %", RankSwapping((*NUMBERS, "education"), 5), 1
    yield "noise 10 %, PRAM .2", InTurn((CorrelatedNoise(NUMBERS, 10), Pram(CATEGORIES))), 1
    yield "global recoding", GlobalRecoding(("region", "occupation")), 1
    yield "local suppression, k = 5", LocalSuppression(CATEGORIES, 5), 1
    yield "repair by groups, k = 5", Repair(NAMES, 5, by=RepairBy.GROUPS), 5
    yield "repair by merging, k = 5", Repair(NAMES, 5, by=RepairBy.MERGING), 5


def measured(n: int) -> None:
    """Print a table of all methods on a file of n records."""
    table = people(n)
    loss = InformationLoss(NAMES).against(table)
    print(f"\n| {n:,} x 6 | CPU s | fewest alike | k holds | loss |\n|---|---|---|---|---|")
    for title, method, k in methods():
        method.mask(table.take(np.arange(WARM_UP)), np.random.default_rng(1))
        start = time.process_time()
        masked = method.mask(table, np.random.default_rng(1))
        seconds = time.process_time() - start
        alike = int(classes_of(masked, NAMES).sizes.min())
        holds = "-" if k == 1 else "yes" if alike >= k else "NO"
        print(f"| {title} | {seconds:.2f} | {alike} | {holds} | {loss(masked):.1f} |", flush=True)


def main() -> None:
    largest = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    for n in (10_000, 100_000, 1_000_000):
        if n <= largest:
            measured(n)


if __name__ == "__main__":
    main()
