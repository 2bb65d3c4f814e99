"""Reading of a population table: combinations of values with the number of people."""

from pathlib import Path

import numpy as np

from evomask.data.population import UNKNOWN, Population, PopulationTable
from evomask.errors import DataError
from evomask.io.tables import read_frame

COUNT = "count"
"""Column with the number of people; without it, each row is one person."""


def read_population(size: float | None, path: Path | None) -> Population:
    """Population of a stated size, with the table in a file, if there is one."""
    if size is None and path is None:
        return UNKNOWN
    return Population(size, None if path is None else read_population_table(path))


def read_population_table(path: Path) -> PopulationTable:
    """Read a population table: a column for each attribute, and one named ``count``."""
    frame = read_frame(path)
    counts = np.ones(frame.height)
    if COUNT in frame:
        try:
            counts = frame[COUNT].cast(float).fill_null(np.nan).to_numpy()
        except Exception:  # noqa: BLE001 - polars has no common base class of these
            counts = np.array([np.nan])
        wrong = np.flatnonzero(~(counts >= 0) | np.isinf(counts))
        if len(wrong):
            raise DataError(
                f"column {COUNT!r} of the population table {path.name} is no number of people in "
                f"row {wrong[0] + 1}; give a number of 0 or more in every row"
            )
    if not counts.sum():
        raise DataError(f"the population table {path.name} has no people; give another one")
    columns = {
        name: tuple("" if cell is None else str(cell) for cell in frame[name])
        for name in frame.columns
        if name != COUNT
    }
    return PopulationTable(columns, counts.astype(np.float64))
