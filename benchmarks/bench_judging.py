"""The strict pair: known files, any number of records, samples against everybody, and time.

    python benchmarks/bench_judging.py [LARGEST]

LARGEST is the number of records of the largest file, 100,000 by default. Adult needs the reference
data (EVOMASK_DATA); the others are drawn from one made-up population of dependent attributes.
"""

import resource
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
import polars as pl
from scipy.stats import kendalltau

from evomask.data.frames import Declaration, table_from
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.io.datasets import reference_file
from evomask.masking.catalogue import method_named
from evomask.measures.catalogue import applicable_measures
from evomask.measures.disclosure.risk import StrictRisk
from evomask.measures.loss.loss import StrictLoss
from evomask.measures.targets import ALL_TARGETS, REPORT_TARGETS

ADULT = (
    "age", "workclass", "education", "marital-status", "occupation", "race", "sex",
    "native-country",
)  # fmt: skip
NAMES = ("age", "sex", "region", "education", "occupation", "income")
NUMBERS, CATEGORIES = ("age", "income"), ("sex", "region", "education", "occupation")
COMPARED = 30_000


def adult() -> Table:
    """The 30,162 complete records; nothing is confidential."""
    frame = pl.read_csv(reference_file("uci/adult.csv"), null_values="?").drop_nulls(ADULT)
    return _table(frame.select(ADULT), ordinal=("age",))


def people(n: int) -> Table:
    """So many people of one population, in which education, occupation and income depend."""
    rng = np.random.default_rng(3)
    age = np.clip(np.round(rng.normal(45, 18, n)), 16, 95)
    education = np.clip(np.round(3 + rng.standard_normal(n)), 1, 6).astype(int)
    occupation = np.clip(np.round(4 * education + rng.normal(0, 3, n)), 0, 29).astype(int)
    income = np.round(np.exp(9.5 + 0.15 * education + 0.01 * (age - 45) + rng.normal(0, 0.4, n)))
    region = rng.choice(20, n, p=np.arange(1, 21) / 210)
    frame = pl.DataFrame(
        {
            "age": age, "sex": rng.choice(["f", "m"], n), "region": [f"R{r:02d}" for r in region],
            "education": education, "occupation": [f"O{o:02d}" for o in occupation],
            "income": income,
        }
    )  # fmt: skip
    return _table(frame, ordinal=("education",))


def _table(frame: pl.DataFrame, ordinal: tuple[str, ...]) -> Table:
    kinds = {name: Kind.ORDINAL if name in ordinal else None for name in frame.columns}
    return table_from(
        frame, {name: Declaration(kind, Role.QUASI_IDENTIFIER) for name, kind in kinds.items()}
    )


def masked(table: Table, name: str, names: tuple[str, ...], seed: int = 5, **options: str) -> Table:
    """The table masked by a method of the catalogue."""
    method = method_named(name).build(names, options)
    return method.mask(table, np.random.default_rng(seed))


def permuted(table: Table) -> Table:
    """The same records in another order."""
    order = np.random.default_rng(1).permutation(len(table))
    return table.with_columns({name: table[name][order] for name in table.schema.names})


def suppressed(table: Table) -> Table:
    """A file with nothing in it."""
    return table.suppressing(np.ones(len(table), dtype=bool))


def spent(work: Callable[[], object]) -> float:
    """CPU seconds of the better of two runs."""
    times = []
    for _ in range(2):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def known_files() -> None:
    table = adult()
    loss, risk = (
        StrictLoss(ADULT).against(table),
        StrictRisk(ADULT, people=REPORT_TARGETS).against(table),
    )
    files = {
        "original": table,
        "rows permuted": permuted(table),
        "mdav-generic, k = 5": masked(table, "mdav-generic", ADULT, k="5"),
        "mdav-generic, k = 50": masked(table, "mdav-generic", ADULT, k="50"),
        "everything suppressed": suppressed(table),
    }
    print("\n| Adult, 30,162 records | loss | risk | linked | read |\n|---|---|---|---|---|")
    for title, file in files.items():
        judged = risk.judged(file)
        read = judged.read.percent if judged.read else 0.0
        print(
            f"| {title} | {loss(file):.1f} | {judged.risk:.1f} | {judged.linked.percent:.1f} "
            f"| {read:.1f} |"
        )


def maskings(table: Table) -> Iterator[tuple[str, Table]]:
    """What does to a value the same whatever the number of records."""
    yield "noise", masked(table, "independent-noise", NUMBERS)
    yield "swapping 5 %", masked(table, "rank-swapping", NUMBERS, window="5")
    yield "PRAM", masked(table, "pram", CATEGORIES)
    yield "top coding", masked(table, "top-coding", ("age", "income"))


def any_number(largest: int) -> None:
    sizes = [n for n in (10_000, 100_000, 1_000_000) if n <= largest]
    rows: dict[str, list[str]] = {}
    for n in sizes:
        table = people(n)
        loss, risk = StrictLoss(NAMES).against(table), StrictRisk(NAMES).against(table)
        for title, file in maskings(table):
            rows.setdefault(title, []).append(f"{loss(file):.1f} / {risk(file):.1f}")
    print("\n| loss / risk | " + " | ".join(f"{n:,}" for n in sizes) + " |")
    print("|---|" + "---|" * len(sizes))
    for title, cells in rows.items():
        print(f"| {title} | " + " | ".join(cells) + " |")


def twenty(table: Table) -> list[Table]:
    """Twenty maskings from mild to strong."""
    files = [
        masked(table, "independent-noise", NUMBERS, percent=p) for p in ("2", "10", "50", "150")
    ]
    files += [masked(table, "rank-swapping", NUMBERS, window=w) for w in ("1", "5", "15", "40")]
    files += [masked(table, "pram", CATEGORIES, change=c) for c in ("0.1", "0.3", "0.5", "0.8")]
    files += [masked(table, "mdav", NUMBERS, k=k) for k in ("3", "10", "50", "200")]
    for k, c in zip(("3", "10", "50", "200"), ("0.1", "0.3", "0.5", "0.8"), strict=True):
        files.append(masked(masked(table, "mdav", NUMBERS, k=k), "pram", CATEGORIES, change=c))
    return files


def samples() -> None:
    table = people(COMPARED)
    files = twenty(table)
    some = StrictRisk(NAMES).against(table)
    exact = StrictRisk(NAMES, people=ALL_TARGETS).against(table)
    judged = [some.judged(file) for file in files]
    truth = [exact(file) for file in files]
    tau = kendalltau([found.risk for found in judged], truth).statistic
    within = np.mean(
        [
            abs(one.risk - true) <= 2 * one.worst.error
            for one, true in zip(judged, truth, strict=True)
        ]
    )
    print(
        f"\nsampled against everybody, {COMPARED:,} records, 20 files: Kendall's tau {tau:.3f}; "
        f"{100 * within:.0f} % within two standard errors"
    )


def seconds(largest: int) -> None:
    table = people(largest)
    file = masked(masked(table, "pram", CATEGORIES), "independent-noise", NUMBERS)
    loss, risk = StrictLoss(NAMES).against(table), StrictRisk(NAMES).against(table)
    loss(file), risk(file)
    one = spent(lambda: loss(file)) + spent(lambda: risk(file))
    start = time.process_time()
    for measure in applicable_measures(table.schema, NAMES, len(table)).values():
        measure.against(table)(file)
    StrictRisk(NAMES, people=REPORT_TARGETS).against(table)(file)
    every = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"\n{largest:,} x {len(NAMES)}: one file while searching {one:.2f} CPU s, "
        f"every measure {every:.1f} CPU s, at most {peak:.1f} GB"
    )


def main() -> None:
    largest = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    known_files()
    any_number(largest)
    samples()
    seconds(largest)


if __name__ == "__main__":
    main()
