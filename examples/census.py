"""The Census file (1,080 records, 13 numbers): nothing is required, the suggested point is taken.

    python examples/census.py [FOLDER [SECONDS]]

It needs the reference data (see EVOMASK_DATA in CONTRIBUTING.md).
"""

import sys
from pathlib import Path

import polars as pl

import evomask
from evomask.io.datasets import reference_file


def main(folder: Path, seconds: float | None = 60, evaluations: int | None = None) -> Path:
    """Protect the file; the folder holds the masked one and a report then."""
    folder.mkdir(parents=True, exist_ok=True)
    census = pl.read_csv(reference_file("casc/census.csv"))
    result = evomask.protect(census, quasi=census.columns, seconds=seconds, evaluations=evaluations)
    print(result)
    print(result.front)
    result.masked().write_csv(folder / "census.csv")
    print(f"report: {result.report(folder / 'census.html')}")
    return folder / "census.csv"


if __name__ == "__main__":
    main(Path(*sys.argv[1:2] or ["census-output"]), float(*sys.argv[2:3] or [60]))
