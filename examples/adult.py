"""Adult (30,162 complete records, 8 quasi-identifiers): every point must be 5-anonymous.

    python examples/adult.py [FOLDER [SECONDS]]

It needs the reference data (see EVOMASK_DATA in CONTRIBUTING.md).
"""

import sys
from pathlib import Path

import polars as pl

import evomask
from evomask.io.datasets import reference_file

QUASI = (
    "age", "workclass", "education", "marital-status", "occupation", "race", "sex",
    "native-country",
)  # fmt: skip


def main(
    folder: Path,
    seconds: float | None = 120,
    evaluations: int | None = None,
    records: int | None = None,
) -> Path:
    """Protect the file, or its first so many records; a masked file and a report in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    adult = pl.read_csv(reference_file("uci/adult.csv"), null_values="?")
    adult = adult.drop_nulls(QUASI).head(records or len(adult))
    result = evomask.protect(
        adult,
        quasi=QUASI,
        confidential=["income"],
        ordinal=["age"],
        hierarchies={name: reference_file(tree(name)) for name in QUASI},
        require="k=5",
        seconds=seconds,
        evaluations=evaluations,
    )
    print(result)
    print(result.front)
    result.masked().write_csv(folder / "adult.csv")
    print(f"report: {result.report(folder / 'adult.html')}")
    return folder / "adult.csv"


def tree(name: str) -> str:
    """Where the hierarchy of a column is."""
    return f"hierarchies/adult/adult_hierarchy_{name}.csv"


if __name__ == "__main__":
    main(Path(*sys.argv[1:2] or ["adult-output"]), float(*sys.argv[2:3] or [120]))
