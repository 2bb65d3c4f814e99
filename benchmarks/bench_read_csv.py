"""Reading a million records of ten columns into a table, beside reading the bare values.

The slow twin reads the same file with Python's csv module and finds each column's type by
trying; on a tenth of the records, scaled up.
"""

import csv
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np
import polars as pl

from evomask.io.tables import read_table

RECORDS = 1_000_000
SHARE = 10


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.csv"
        _people(RECORDS).write_csv(path)
        seconds = min(_cpu(lambda: read_table(path)) for _ in range(3))
        bare = min(_cpu(lambda: pl.read_csv(path, infer_schema=False)) for _ in range(3))
        slow = SHARE * _cpu(lambda: _slow(path, RECORDS // SHARE))
    print(f"a table of {RECORDS:,} x 10 from CSV: {seconds:.2f} s CPU (aim: 3 s or less)")
    print(f"splitting the same file into text alone: {bare:.2f} s, ratio {seconds / bare:.1f}")
    print(f"in plain Python: {slow:.1f} s, ratio {slow / seconds:.1f}")


def _people(n_records: int) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "age": rng.integers(18, 90, n_records),
            "zip": [f"{code:05}" for code in rng.integers(0, 99_999, n_records)],
            "sex": rng.choice(["m", "f"], n_records),
            "school": rng.choice(["none", "primary", "secondary", "tertiary"], n_records),
            "income": rng.lognormal(10, 1, n_records).round(2),
            "hours": rng.normal(38, 8, n_records).round(1),
            "weight": rng.gamma(3, 1, n_records).round(4),
            "region": rng.integers(1, 17, n_records),
            "savings": rng.normal(0, 1e4, n_records).round(2),
            "children": rng.integers(0, 5, n_records),
        }
    )


def _cpu(work: Callable[[], object]) -> float:
    before = time.process_time()
    work()
    return time.process_time() - before


def _slow(path: Path, n_records: int) -> list[object]:
    with path.open(newline="") as file:
        records = list(islice(csv.reader(file), 1, n_records + 1))
    return [_typed(list(column)) for column in zip(*records, strict=True)]


def _typed(texts: list[str]) -> object:
    if any(text.startswith("0") and text[1:2].isdigit() for text in texts):
        return texts
    try:
        return np.array([float(text) for text in texts])
    except ValueError:
        return texts


if __name__ == "__main__":
    main()
