"""Adult (30,162 complete records, 8 quasi-identifiers): every point must be 5-anonymous.

    python examples/adult.py [FOLDER [SECONDS]]

It needs the reference data (see EVOMASK_DATA in CONTRIBUTING.md).
"""

import os
import sys
from pathlib import Path

import polars as pl

import evomask
from evomask.io.datasets import reference_file

QUASI = (
    "age", "workclass", "education", "marital-status", "occupation", "race", "sex",
    "native-country",
)  # fmt: skip


def protected(
    seconds: float | None = 120,
    evaluations: int | None = None,
    records: int | None = None,
    workers: int = 1,
) -> evomask.Result[pl.DataFrame]:
    """The front of the file, or of its first so many records."""
    adult = pl.read_csv(reference_file("uci/adult.csv"), null_values="?")
    adult = adult.drop_nulls(QUASI).head(records or len(adult))
    return evomask.protect(
        adult,
        quasi=QUASI,
        confidential=["income"],
        ordinal=["age"],
        hierarchies={name: reference_file(tree(name)) for name in QUASI},
        require="k=5",
        seconds=seconds,
        evaluations=evaluations,
        workers=workers,
    )


def main(folder: Path, result: evomask.Result[pl.DataFrame]) -> Path:
    """Write the chosen file and a report to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    print(result)
    print(result.front)
    result.masked().write_csv(folder / "adult.csv")
    print(f"report: {result.report(folder / 'adult.html')}")
    return folder / "adult.csv"


def tree(name: str) -> str:
    """Where the hierarchy of a column is."""
    return f"hierarchies/adult/adult_hierarchy_{name}.csv"


if __name__ == "__main__":
    seconds = float(*sys.argv[2:3] or [120])
    found = protected(seconds, workers=os.cpu_count() or 1)
    main(Path(*sys.argv[1:2] or ["adult-output"]), found)
